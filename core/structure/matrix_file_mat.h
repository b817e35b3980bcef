#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "core/structure/matrix_file.h"

/// Parts of readMat for each version of MAT files, and of the import of records.
namespace hyb::matrix_file {

using Triplets = std::vector<Eigen::Triplet<double>>;

struct MatVariable {
  std::string name;      // for fields, with the enclosing structs: "FE.K"
  std::string obstacle;  // its type if it is not a real matrix: "a struct"
  std::size_t rows = 0, columns = 0;
  bool sparse = false;
};

/// Fields of structs are listed to this depth.
inline constexpr int kDeepestField = 8;
inline constexpr std::size_t kMaxMatVariables = 10000;

/// A variable's header in a MAT file of version 4.
struct Mat4Header {
  bool little = true, sparse = false;
  std::size_t rows = 0, columns = 0;
  std::size_t header_bytes = 20, data_bytes = 0;  // including the name
};
/// The header at the start of these bytes; empty if there is none, or if it is of an obsolete computer.
std::optional<Mat4Header> mat4Header(std::string_view bytes);

/// An open file. `read` returns the non-zero entries of a variable, or nothing if the file is damaged. `text` returns
/// the characters of a variable whose obstacle is "text", or nothing.
struct MatContent {
  std::vector<MatVariable> variables;
  std::function<std::optional<Triplets>(const MatVariable& variable)> read;
  std::function<std::optional<std::string>(const MatVariable& variable)> text;
};

/// Any version. Nothing if the file is damaged or no MAT file.
std::optional<MatContent> openMat(const std::filesystem::path& file);
/// Versions 4 and 5, by matio. Nothing if the file is damaged.
std::optional<MatContent> openMat5(const std::filesystem::path& file);
/// Whether a version 4 file is a sequence of complete variables, with all announced bytes.
bool soundMat4(const std::filesystem::path& file);
/// Whether the lengths in a version 5 file match its content; matio does not check this everywhere.
bool soundMat5(const std::filesystem::path& file);
/// Version 7.3, by HDF5 directly: matio's reading of structs and cells crashes HDF5 1.10 on damaged files.
std::optional<MatContent> openMat73(const std::filesystem::path& file);

/// Characters of MAT files in UTF-8; a pair of halves that does not fit becomes "?".
std::string utf8Of(std::span<const std::uint16_t> units);

/// Compressed columns as triplets: the rows of column j are row_of[k] for column_start[j] <= k < column_start[j + 1].
/// Rows may be in any order. Nothing if the indices do not form an n x n matrix.
template <typename Starts, typename Rows, typename Values>
std::optional<Triplets> fromColumns(std::size_t n, const Starts& column_start, const Rows& row_of, std::size_t count,
                                    const Values& value_of) {
  if (column_start[0] != 0 || column_start[n] > count) return std::nullopt;
  Triplets entries;
  for (std::size_t column = 0; column < n; ++column) {
    const std::size_t begin = column_start[column], end = column_start[column + 1];
    if (end < begin || end > count) return std::nullopt;
    for (std::size_t i = begin; i < end; ++i) {
      if (row_of[i] >= n) return std::nullopt;
      if (const double value = value_of(i); value != 0.0)
        entries.emplace_back(static_cast<int>(row_of[i]), static_cast<int>(column), value);
    }
  }
  return entries;
}

}  // namespace hyb::matrix_file
