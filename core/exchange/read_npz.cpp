#include <zip.h>

#include <algorithm>
#include <memory>
#include <regex>

#include "core/base/error.h"
#include "core/base/file_bytes.h"
#include "core/exchange/byte_reader.h"
#include "core/exchange/members.h"

namespace hyb {
namespace {

struct NumpyArray {
  std::size_t rows = 0, columns = 1;  // of one or two dimensions
  bool single = false;                // no dimension: one value
  std::vector<double> values;         // by columns
};

double numpyNumber(ByteReader& bytes, char kind, std::size_t width) {
  if (kind == 'f') return width == 4 ? static_cast<double>(bytes.value<float>()) : bytes.value<double>();
  if (kind == 'i') {
    if (width == 1) return bytes.value<std::int8_t>();
    if (width == 2) return bytes.value<std::int16_t>();
    if (width == 4) return bytes.value<std::int32_t>();
    return static_cast<double>(bytes.value<std::int64_t>());
  }
  if (width == 1) return bytes.value<std::uint8_t>();
  if (width == 2) return bytes.value<std::uint16_t>();
  if (width == 4) return bytes.value<std::uint32_t>();
  return static_cast<double>(bytes.value<std::uint64_t>());
}

/// An array file. Nothing, with the reason in `why`, for arrays that are no table of numbers.
std::optional<NumpyArray> arrayOf(std::string_view file, std::string& why) {
  ByteReader bytes(file);
  if (!file.starts_with("\x93NUMPY")) return why = "no array", std::nullopt;
  (void)bytes.take(6);
  const auto major = bytes.value<std::uint8_t>();
  (void)bytes.take(1);
  const std::uint64_t length = major == 1 ? bytes.value<std::uint16_t>() : bytes.value<std::uint32_t>();
  const std::string head = bytes.text(length);
  static const std::regex kType("'descr'\\s*:\\s*'([<>|=]?)([a-zA-Z])([0-9]*)'"),
      kOrder("'fortran_order'\\s*:\\s*(True|False)"), kShape("'shape'\\s*:\\s*\\(([^)]*)\\)");
  std::smatch type, order, shape;
  if (!std::regex_search(head, order, kOrder) || !std::regex_search(head, shape, kShape))
    return why = "no array", std::nullopt;
  if (!std::regex_search(head, type, kType)) return why = "not of plain numbers", std::nullopt;
  const char kind = *type[2].first;
  const std::size_t width = type[3].length() > 0 ? static_cast<std::size_t>(std::stoul(type[3].str().substr(0, 4))) : 0;
  const bool real =
      (kind == 'f' && (width == 4 || width == 8)) ||
      ((kind == 'i' || kind == 'u' || kind == 'b') && (width == 1 || width == 2 || width == 4 || width == 8));
  if (!real)
    return why = kind == 'c' ? "complex" : kind == 'U' || kind == 'S' ? "text" : "not of plain numbers", std::nullopt;
  bytes.setLittle(type[1] != ">");
  std::vector<std::uint64_t> sizes;
  const std::string listed = shape[1];
  static const std::regex kSize("[0-9]{1,15}");
  for (std::sregex_iterator at(listed.begin(), listed.end(), kSize), end; at != end; ++at)
    sizes.push_back(std::stoull(at->str()));
  if (sizes.size() > 2) return why = "an array with more than two dimensions", std::nullopt;
  NumpyArray array;
  array.single = sizes.empty();
  array.rows = sizes.empty() ? 1 : sizes[0];
  array.columns = sizes.size() == 2 ? sizes[1] : 1;
  if (array.rows > 0 && array.columns > bytes.left() / width / array.rows) throw EndOfBytes();
  array.values.resize(array.rows * array.columns);
  const bool by_columns = order[1] == "True";
  for (std::size_t k = 0; k < array.values.size(); ++k) {
    const std::size_t row = by_columns ? k % array.rows : k / array.columns,
                      column = by_columns ? k / array.rows : k % array.columns;
    array.values[column * array.rows + row] = numpyNumber(bytes, kind, width);
  }
  return array;
}

}  // namespace

/// NumPy archives: arrays of one or two dimensions, those of one length together; a single value rate_hz, fs or dt
/// tells the rate.
ForeignFile readNpz(const std::filesystem::path& path) {
  const std::unique_ptr<zip_t, void (*)(zip_t*)> archive(zip_open(path.c_str(), ZIP_RDONLY, nullptr), zip_discard);
  if (!archive) throw InputError(path.string(), "is no NumPy archive, or damaged; save it again by numpy.savez.");
  ForeignFile found;
  struct Rows {
    std::size_t rows;
    std::vector<Channel> channels;
    std::vector<std::vector<double>> columns;
  };
  std::vector<Rows> groups;
  double rate_hz = 0.0;
  for (zip_int64_t k = 0; k < zip_get_num_entries(archive.get(), 0); ++k) {
    zip_stat_t facts{};
    if (zip_stat_index(archive.get(), static_cast<zip_uint64_t>(k), 0, &facts) != 0) continue;
    std::string name = facts.name;
    if (!name.ends_with(".npy")) continue;
    name.resize(name.size() - 4);
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> entry(
        zip_fopen_index(archive.get(), static_cast<zip_uint64_t>(k), 0), zip_fclose);
    // The size is a claim; the entry is read until it ends.
    std::string bytes;
    constexpr std::size_t kBlock = 1u << 20;
    for (zip_int64_t got = 1; entry && got > 0;) {
      const std::size_t before = bytes.size();
      bytes.resize(before + kBlock);
      got = zip_fread(entry.get(), bytes.data() + before, kBlock);
      bytes.resize(before + static_cast<std::size_t>(std::max<zip_int64_t>(got, 0)));
      if (got < 0) throw InputError(path.string(), "\"" + name + "\" is damaged; save the file again.");
    }
    std::string why;
    std::optional<NumpyArray> array;
    try {
      array = arrayOf(bytes, why);
    } catch (const EndOfBytes&) {
      throw InputError(path.string(), "\"" + name + "\" holds fewer values than its head says; save the file again.");
    }
    if (!array) {
      if (why != "text") found.notes.push_back("\"" + name + "\" is " + why + " and was left out.");
      continue;
    }
    if (array->single) {
      const double value = array->values.front();
      if ((name == "rate_hz" || name == "fs") && value > 0.0) rate_hz = value;
      if (name == "dt" && value > 0.0) rate_hz = 1.0 / value;
      continue;
    }
    auto group = std::ranges::find(groups, array->rows, &Rows::rows);
    if (group == groups.end()) group = groups.insert(groups.end(), Rows{array->rows, {}, {}});
    for (std::size_t c = 0; c < array->columns; ++c) {
      group->channels.push_back({array->columns == 1 ? name : name + " " + std::to_string(c + 1), "", ""});
      const auto from = array->values.begin() + static_cast<std::ptrdiff_t>(c * array->rows);
      group->columns.emplace_back(from, from + static_cast<std::ptrdiff_t>(array->rows));
    }
  }
  for (Rows& group : groups) {
    found.tables.push_back(tableInMemory(std::move(group.channels), std::move(group.columns)));
    found.tables.back().rate_hz = rate_hz;
  }
  if (found.tables.empty()) throw InputError(path.string(), "has no array of real numbers.");
  std::ranges::stable_sort(found.tables, std::greater{}, &Table::rows);
  return found;
}

}  // namespace hyb
