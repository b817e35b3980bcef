#pragma once
#include <compare>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/structure/system.h"

namespace hyb {

inline constexpr Eigen::Index kMaxFileDofs = 20000;
inline constexpr std::uintmax_t kMaxMatrixTextBytes = 64u << 20, kMaxMatBytes = 256u << 20;

/// A degree of freedom in the numbering of finite-element programs: 1 to 3 along the axes, 4 to 6 about them; 0 for a
/// scalar point.
struct Freedom {
  long long node = 0;
  int dof = 0;
  auto operator<=>(const Freedom&) const = default;  // NOLINT(modernize-use-nullptr): the compiler writes the 0
};

/// A square matrix from a file.
struct MatrixFile {
  SparseMatrix matrix;              // [n, n], finite, as in the file
  std::vector<std::string> labels;  // [n] DOF names of a CSV file; empty if it has none
  std::vector<Freedom> freedoms;    // [n] ascending, of files that number nodes; otherwise empty
  std::vector<Freedom> held;        // DOF that such a file holds fixed; they are not in the matrix
  std::vector<std::string> notes;   // sentences: assumptions made when the file was read
};

/// Reads a square matrix. The content determines the format (help page of structures):
/// - CSV: comma, semicolon, tab or blanks between the numbers; decimal points, or decimal commas if they are
///   unambiguous; '#' starts a comment line; optional first row and first column of labels; one row or column: the
///   diagonal; lines of row, column and value;
/// - Matrix Market (coordinate, array; real, integer; general, symmetric, hermitian, skew-symmetric); an entry given
///   twice is a fault, not a sum; Abaqus (.mtx: by nodes or by coordinates); Nastran DMIG; Harwell-Boeing; Octave text;
/// - MAT of version 4 to 7.3: full (up to 5000 DOF) or sparse, real, also in structs ("FE.K"). `variable` selects a
///   named matrix; if it is empty, the only one is read, or the one called `letter` ("M", either case).
/// Throws InputError with "file.csv:17" and the remedy. Reading of text continues after a fault, up to ten faults.
MatrixFile readMatrixFile(const std::filesystem::path& file, const std::string& variable,
                          const std::string& letter = {});

namespace matrix_file {

MatrixFile readText(const std::filesystem::path& file, const std::string& variable, const std::string& letter);
MatrixFile readMat(const std::filesystem::path& file, const std::string& variable, const std::string& letter);

/// "" if rows x columns is a supported size, else the fault.
std::string sizeFault(double rows, double columns);

}  // namespace matrix_file
}  // namespace hyb
