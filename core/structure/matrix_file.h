#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/structure/system.h"

namespace hyb {

inline constexpr Eigen::Index kMaxFileDofs = 20000;
inline constexpr std::uintmax_t kMaxMatrixTextBytes = 64u << 20, kMaxMatBytes = 256u << 20;

/// A square matrix from a file.
struct MatrixFile {
  SparseMatrix matrix;              // [n, n], finite, as it stands in the file
  std::vector<std::string> labels;  // [n] DOF names of a CSV file; empty where there are none
};

/// Reads a square matrix; the content says the format:
/// - CSV: comma, semicolon, tab or blanks between the numbers; '#' starts a comment line; a first row and a first
/// column
///   of labels where there are any;
/// - Matrix Market (coordinate, array; real, integer; general, symmetric, skew-symmetric); an entry given twice is a
///   fault, not a sum;
/// - MAT of version 5 to 7.3: full (up to 5000 DOF) or sparse, real. `variable` chooses; where it is empty, the only
///   variable is read, or the one called `letter` ("M", either case).
/// Throws InputError with "file.csv:17" and the remedy; text is read on after a fault, up to ten of them.
MatrixFile readMatrixFile(const std::filesystem::path& file, const std::string& variable,
                          const std::string& letter = {});

namespace matrix_file {

/// CSV or Matrix Market.
MatrixFile readText(const std::filesystem::path& file);
MatrixFile readMat(const std::filesystem::path& file, const std::string& variable, const std::string& letter);

/// "" if rows x columns is a size that is read, else what is wrong with it.
std::string sizeFault(double rows, double columns);
/// For messages: in quotes, short, printable.
std::string inQuotes(std::string_view text);

}  // namespace matrix_file
}  // namespace hyb
