#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "core/structure/matrix_file.h"

/// What readMat needs of each version of MAT files. Inside matrix_file*.cpp only.
namespace hyb::matrix_file {

using Triplets = std::vector<Eigen::Triplet<double>>;

struct MatVariable {
  std::string name;      // of fields with those of the structs around them: "FE.K"
  std::string obstacle;  // what it is where it is no real matrix: "a struct"
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
  std::size_t header_bytes = 20, data_bytes = 0;  // with the name
};
/// The header at the front of these bytes; nothing where it is none, or of a computer long gone.
std::optional<Mat4Header> mat4Header(std::string_view bytes);

/// An open file. `read` gives the entries other than 0 of a variable, nothing where the file is damaged.
struct MatContent {
  std::vector<MatVariable> variables;
  std::function<std::optional<Triplets>(const MatVariable& variable)> read;
};

/// Versions 4 and 5, by matio. Nothing if the file is damaged.
std::optional<MatContent> openMat5(const std::filesystem::path& file);
/// Whether a file of version 4 is a row of whole variables. Nothing of it is announced that is not there.
bool soundMat4(const std::filesystem::path& file);
/// Whether the lengths that a file of version 5 announces fit what it holds, which matio does not check everywhere.
bool soundMat5(const std::filesystem::path& file);
/// Version 7.3, by HDF5 itself: what matio reads of structs and cells takes HDF5 1.10 down where a file is damaged.
std::optional<MatContent> openMat73(const std::filesystem::path& file);

/// Compressed columns as triplets: the rows of column j are row_of[k] for column_start[j] <= k < column_start[j + 1].
/// Rows may come in any order. Nothing if the indices make no n x n matrix.
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
