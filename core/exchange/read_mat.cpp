#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/words.h"
#include "core/exchange/members.h"
#include "core/record/hdf5.h"
#include "core/structure/matrix_file_mat.h"

namespace hyb {
namespace {

using matrix_file::MatContent;
using matrix_file::MatVariable;

/// "run.force" -> "run" and "force".
std::pair<std::string, std::string> splitPath(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? std::pair(std::string(), path)
                                  : std::pair(path.substr(0, dot), path.substr(dot + 1));
}

/// Values of a variable by columns; nothing if the file is damaged there.
std::optional<std::vector<double>> dense(const MatContent& content, const MatVariable& variable) {
  const std::optional<matrix_file::Triplets> entries = content.read(variable);
  if (!entries) return std::nullopt;
  std::vector<double> values(variable.rows * variable.columns, 0.0);
  for (const auto& entry : *entries)
    values[static_cast<std::size_t>(entry.col()) * variable.rows + static_cast<std::size_t>(entry.row())] =
        entry.value();
  return values;
}

/// Channels of one struct, or of the file itself, with one number of rows.
struct Group {
  std::string struct_name;
  std::size_t rows = 0;
  std::vector<Channel> channels;
  std::vector<std::vector<double>> columns;
};

/// Tables of the real vectors and matrices of an open file: those of one struct and length together. The longer side of
/// a matrix is the time. `units`: of a variable by its path.
ForeignFile tablesIn(const std::string& file, const MatContent& content,
                     const std::function<std::string(const std::string& path)>& units) {
  ForeignFile found;
  std::vector<Group> groups;
  std::map<std::string, std::map<std::string, double>> numbers;  // single ones, by struct
  for (const MatVariable& variable : content.variables) {
    const auto [owner, name] = splitPath(variable.name);
    if (!variable.obstacle.empty()) {
      if (variable.obstacle != "text" && !variable.obstacle.starts_with("a "))
        found.notes.push_back("\"" + variable.name + "\" is " + variable.obstacle + " and was left out.");
      continue;
    }
    if (variable.sparse || variable.rows * variable.columns == 0) continue;
    std::optional<std::vector<double>> values = dense(content, variable);
    if (!values) throw InputError(file, "\"" + variable.name + "\" is damaged; save the file again.");
    if (values->size() == 1) {
      numbers[owner][lowered(name)] = values->front();
      continue;
    }
    const bool upright = variable.rows >= variable.columns;
    const std::size_t rows = std::max(variable.rows, variable.columns),
                      columns = std::min(variable.rows, variable.columns);
    const std::pair key(owner, rows);
    auto group = std::ranges::find(groups, key, [](const Group& one) { return std::pair(one.struct_name, one.rows); });
    if (group == groups.end()) group = groups.insert(groups.end(), Group{owner, rows, {}, {}});
    for (std::size_t c = 0; c < columns; ++c) {
      Channel& channel = group->channels.emplace_back();
      channel.name = columns == 1 ? name : name + " " + std::to_string(c + 1);
      channel.units = units(variable.name);
      std::vector<double>& column = group->columns.emplace_back(rows);
      for (std::size_t r = 0; r < rows; ++r)
        column[r] = upright ? (*values)[c * variable.rows + r] : (*values)[r * variable.rows + c];
    }
  }
  const auto number = [&](const std::string& owner, std::initializer_list<const char*> names) {
    for (const std::string& place : {owner, std::string()})
      if (const auto known = numbers.find(place); known != numbers.end())
        for (const char* name : names)
          if (const auto value = known->second.find(name); value != known->second.end() && value->second > 0.0)
            return value->second;
    return 0.0;
  };
  for (Group& group : groups) {
    Table table = tableInMemory(std::move(group.channels), std::move(group.columns));
    table.title = group.struct_name;
    table.rate_hz = number(group.struct_name, {"rate_hz", "fs", "fs_hz", "sampling_rate", "samplerate"});
    if (const double step = number(group.struct_name, {"dt", "dt_s", "ts"}); !(table.rate_hz > 0.0) && step > 0.0)
      table.rate_hz = 1.0 / step;
    found.tables.push_back(std::move(table));
  }
  if (found.tables.empty()) throw InputError(file, "has no vector of real numbers.");
  // The longest record first.
  std::ranges::stable_sort(found.tables, std::greater{}, &Table::rows);
  return found;
}

}  // namespace

/// MATLAB files of versions 4 to 7.3: vectors, columns of matrices and fields of structs; units from a struct `units`
/// with the same names, as writeMat5() leaves it.
ForeignFile readMatRecord(const std::filesystem::path& path) {
  const std::optional<MatContent> content = matrix_file::openMat(path);
  if (!content) throw InputError(path.string(), "is no MATLAB file, or damaged; save it again.");
  const auto text = [&](const std::string& name) {
    const auto known = std::ranges::find(content->variables, name, &MatVariable::name);
    if (known == content->variables.end() || known->obstacle != "text") return std::string();
    return content->text(*known).value_or("");
  };
  ForeignFile found = tablesIn(path.string(), *content, [&](const std::string& name) { return text("units." + name); });
  for (Table& table : found.tables) {
    if (table.title.empty()) table.title = text("record.title");
    if (const std::string started = text("record.started_at"); !started.empty())
      table.facts.emplace_back("started_at", started);
  }
  return found;
}

/// HDF5: datasets of one or two dimensions, those of one group and length together; units from the attribute "units" or
/// "unit".
ForeignFile readHdf5Record(const std::filesystem::path& path) {
  const std::optional<MatContent> content = matrix_file::openMat73(path);
  if (!content) throw InputError(path.string(), "is no HDF5 file, or damaged.");
  h5::prepare();
  const h5::Handle access = h5::own(H5Pcreate(H5P_FILE_ACCESS), "HDF5");
  h5::check(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG), "HDF5");
  const h5::Handle file = h5::own(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), path.string());
  if (h5::text(file, "format") == "hybridbench-run")
    throw InputError(path.string(), "is a run file already; open it as it is.");
  const auto units = [&](std::string name) {
    std::ranges::replace(name, '.', '/');
    const h5::Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT));
    if (!dataset.valid()) return std::string();
    for (const char* key : {"units", "unit"})
      if (H5Aexists(dataset, key) > 0) return h5::text(dataset, key);
    return std::string();
  };
  ForeignFile found = tablesIn(path.string(), *content, units);
  const std::string rate = h5::text(file, "rate_hz");
  for (Table& table : found.tables) {
    if (table.title.empty()) table.title = h5::text(file, "title");
    if (!(table.rate_hz > 0.0)) table.rate_hz = numberIn(rate).value_or(0.0);
  }
  return found;
}

}  // namespace hyb
