#include <bit>
#include <cmath>

#include "core/base/file_bytes.h"
#include "core/structure/matrix_file_mat.h"

namespace hyb {

std::optional<matrix_file::Mat4Header> matrix_file::mat4Header(std::string_view bytes) {
  constexpr std::size_t kFixed = 20;
  constexpr std::uint32_t kMostSide = 100'000'000, kLongestName = 1000;
  if (bytes.size() < kFixed) return std::nullopt;
  for (const bool little : {true, false}) {
    const auto word = [&](std::size_t i) {
      std::uint32_t value = 0;
      for (std::size_t b = 0; b < 4; ++b)
        value = value << 8 | static_cast<unsigned char>(bytes[4 * i + (little ? 3 - b : b)]);
      return value;
    };
    // Thousands: computer, 0 or 1 for the current byte orders; hundreds: 0; tens: type of number; ones: kind.
    const std::uint32_t type = word(0), computer = type / 1000, number = type / 10 % 10, kind = type % 10;
    const std::uint32_t rows = word(1), columns = word(2), complex = word(3), name = word(4);
    if (computer != (little ? 0U : 1U) || type / 100 % 10 != 0 || number > 5 || kind > 2 || rows > kMostSide ||
        columns > kMostSide || complex > 1 || name < 1 || name > kLongestName)
      continue;
    constexpr std::size_t kBytes[] = {8, 4, 4, 2, 2, 1};
    return Mat4Header{little,  kind == 2,     rows,
                      columns, kFixed + name, std::size_t{rows} * columns * kBytes[number] * (complex == 1 ? 2 : 1)};
  }
  return std::nullopt;
}

namespace {

/// Rows, columns and values of a sparse matrix in consecutive columns. The last entry of each is the total size. matio
/// does not check them.
bool soundSparse4(std::string_view data, const matrix_file::Mat4Header& header) {
  constexpr double kMostSide = 1e6;
  const std::size_t entries = header.rows - 1;
  if (header.rows < 1 || header.columns < 3 || header.columns > 4 || data.size() != 8 * header.rows * header.columns)
    return false;
  const auto number = [&](std::size_t column, std::size_t row) {
    std::uint64_t bits = 0;
    for (std::size_t b = 0; b < 8; ++b)
      bits =
          bits << 8 | static_cast<unsigned char>(data[8 * (column * header.rows + row) + (header.little ? 7 - b : b)]);
    return std::bit_cast<double>(bits);
  };
  const double rows = number(0, entries), columns = number(1, entries);
  const auto whole = [](double value, double most) {
    return value >= 1.0 && value <= most && value == std::floor(value);
  };
  if (!whole(rows, kMostSide) || !whole(columns, kMostSide)) return false;
  for (std::size_t k = 0; k < entries; ++k) {
    const double i = number(0, k), j = number(1, k);
    if (!whole(i, rows) || !whole(j, columns)) return false;
    if (k > 0 && (j < number(1, k - 1) || (j == number(1, k - 1) && i <= number(0, k - 1)))) return false;
  }
  return true;
}

}  // namespace

bool matrix_file::soundMat4(const std::filesystem::path& path) {
  const std::optional<std::string> bytes = bytesOf(path);
  if (!bytes || bytes->empty()) return false;
  std::string_view rest = *bytes;
  const std::optional<Mat4Header> first = mat4Header(rest);
  while (!rest.empty()) {
    const std::optional<Mat4Header> header = mat4Header(rest);
    if (!header || header->little != first->little || header->header_bytes > rest.size() ||
        header->data_bytes > rest.size() - header->header_bytes || rest[header->header_bytes - 1] != '\0')
      return false;
    if (header->sparse && !soundSparse4(rest.substr(header->header_bytes, header->data_bytes), *header)) return false;
    rest.remove_prefix(header->header_bytes + header->data_bytes);
  }
  return true;
}

}  // namespace hyb
