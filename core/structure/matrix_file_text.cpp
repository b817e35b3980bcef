#include "core/structure/matrix_file_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "core/base/file_bytes.h"
#include "core/base/number_text.h"
#include "core/base/words.h"

namespace hyb {
namespace matrix_file {

double entryNumber(TextFile& file, std::string_view text, char point) {
  const std::optional<double> value = numberIn(text, point);
  if (value && std::isfinite(*value)) return *value;
  const auto fault = [&](const char* message) { file.fault(file.line(), excerpt(text) + message); };
  if (value)
    fault(" is not a finite number; correct this entry");
  else if (text.empty())
    file.fault(file.line(), "has an empty entry; write 0 for an empty entry");
  else if (point == '.' && numberIn(text, ','))
    fault(" has a decimal comma; write numbers with a decimal point, as 0.5");
  else if (text.find_first_of(" \t") != std::string_view::npos)
    fault(" is more than one number; use one separator throughout, and decimal points, not commas");
  else
    fault(" is not a number; write a number with a decimal point");
  return 0.0;
}

std::optional<long long> wholeNumber(std::string_view text) {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

SparseMatrix matrixOf(TextFile& file, Eigen::Index n, Symmetry symmetry, std::vector<Entry>& entries) {
  const auto key = [&](const Entry& e) {
    return symmetry == Symmetry::general ? std::pair(e.row, e.column)
                                         : std::pair(std::min(e.row, e.column), std::max(e.row, e.column));
  };
  std::stable_sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
  for (std::size_t i = 1; i < entries.size(); ++i)
    if (key(entries[i]) == key(entries[i - 1]))
      file.fault(entries[i].line, "contains entry (" + std::to_string(entries[i].row + 1) + ", " +
                                      std::to_string(entries[i].column + 1) + ") again after line " +
                                      std::to_string(entries[i - 1].line) + "; remove one, or add them up");
  file.throwIfAny();
  std::vector<Eigen::Triplet<double>> triplets;
  for (const Entry& e : entries) {
    if (e.value == 0.0) continue;
    triplets.emplace_back(e.row, e.column, e.value);
    if (symmetry != Symmetry::general && e.row != e.column)
      triplets.emplace_back(e.column, e.row, symmetry == Symmetry::skew ? -e.value : e.value);
  }
  SparseMatrix matrix(n, n);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

Symmetry trianglesOf(const std::vector<Entry>& entries) {
  bool lower = false, upper = false;
  for (const Entry& e : entries) {
    lower = lower || e.row > e.column;
    upper = upper || e.row < e.column;
  }
  return lower != upper ? Symmetry::symmetric : Symmetry::general;
}

void noteTriangle(MatrixFile& result, Symmetry symmetry) {
  if (symmetry == Symmetry::symmetric) result.notes.push_back("The file contains one triangle; it was mirrored.");
}

MatrixFile matrixOf(TextFile& file, std::optional<Symmetry> symmetry, const std::vector<FreedomEntry>& entries) {
  MatrixFile result;
  std::map<Freedom, int> place;
  for (const FreedomEntry& e : entries) place[e.row] = place[e.column] = 0;
  if (place.empty()) file.fail(0, "holds no entries; give a matrix with at least one DOF");
  const auto n = static_cast<double>(place.size());
  if (const std::string fault = sizeFault(n, n); !fault.empty()) file.fail(0, fault);
  for (auto& [freedom, at] : place) {
    at = static_cast<int>(result.freedoms.size());
    result.freedoms.push_back(freedom);
  }
  std::vector<Entry> placed;
  placed.reserve(entries.size());
  for (const FreedomEntry& e : entries) placed.push_back({place[e.row], place[e.column], e.value, e.line});
  const Symmetry found = symmetry.value_or(trianglesOf(placed));
  result.matrix = matrixOf(file, static_cast<Eigen::Index>(place.size()), found, placed);
  if (!symmetry) noteTriangle(result, found);
  return result;
}

std::size_t choose(const std::string& where, const std::vector<NamedMatrix>& matrices, const std::string& asked,
                   const std::string& letter, const std::function<bool(const std::string& name)>& also) {
  constexpr std::size_t kListed = 12;
  if (matrices.empty()) throw InputError(where, "holds no variables; save the matrix in it");
  std::string list;
  for (std::size_t i = 0; i < std::min(kListed, matrices.size()); ++i)
    list += (i == 0 ? "" : ", ") + excerpt(matrices[i].name) + " (" + matrices[i].described + ")";
  if (matrices.size() > kListed) list += ", ...";
  if (!asked.empty()) {
    for (std::size_t i = 0; i < matrices.size(); ++i)
      if (matrices[i].name == asked) return i;
    throw InputError(where, "has no variable " + excerpt(asked) + "; it contains " + list);
  }
  if (matrices.size() == 1) return 0;
  using Question = std::function<bool(const std::string&)>;
  const Question named = [&](const std::string& name) { return lowered(name) == lowered(letter); };
  const Question field = [&](const std::string& name) { return lowered(name).ends_with("." + lowered(letter)); };
  for (const Question& question : {named, field, also}) {
    if (letter.empty() || !question) continue;
    std::vector<std::size_t> matching;
    for (std::size_t i = 0; i < matrices.size(); ++i)
      if (question(matrices[i].name)) matching.push_back(i);
    if (matching.size() == 1) return matching[0];
    if (!matching.empty()) break;
  }
  throw InputError(where, "holds " + list + "; name the one to read as \"variable\"");
}

bool isDiagonal(std::size_t rows, std::size_t columns) { return rows != columns && (rows == 1 || columns == 1); }

void noteDiagonal(MatrixFile& result) {
  result.notes.push_back("The file contains a row or column of " + std::to_string(result.matrix.rows()) +
                         " numbers; they were read as the diagonal.");
}

}  // namespace matrix_file

MatrixFile matrix_file::readText(const std::filesystem::path& path, const std::string& variable,
                                 const std::string& letter) {
  std::optional<std::string> bytes = bytesOf(path);
  if (!bytes) throw InputError(path.string(), "cannot be read; check its permissions");
  TextFile file(path.string(), std::move(*bytes), "CSV text, Matrix Market (.mtx) or a MAT file");
  const auto is = [&](bool (*question)(TextFile&)) {
    const bool answer = question(file);
    file.rewind();
    return answer;
  };
  if (is(isMarket)) return readMarket(file);
  if (is(isOctave)) return readOctave(file, variable, letter);
  if (is(isDmig)) return readDmig(file, variable, letter);
  if (is(isBoeing)) return readBoeing(file);
  if (lowered(path.extension().string()) == ".mtx") return readAbaqus(file);
  return is(isList) ? readList(file) : readCsv(file);
}

}  // namespace hyb
