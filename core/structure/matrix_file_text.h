#pragma once
#include <functional>
#include <optional>

#include "core/base/text_file.h"
#include "core/structure/matrix_file.h"

/// Shared parts for matrix files in text form. Used only in matrix_file*.cpp.
namespace hyb::matrix_file {

/// A finite number; 0 and a fault otherwise.
double entryNumber(TextFile& file, std::string_view text, char point = '.');
std::optional<long long> wholeNumber(std::string_view text);

enum class Symmetry : unsigned char { general, symmetric, skew };

/// An entry with its indices, from 0, and its line.
struct Entry {
  int row, column;
  double value;
  std::size_t line;
};
/// Refuses repeated entries, also mirrored ones if the format stores only one triangle; then mirrors it.
SparseMatrix matrixOf(TextFile& file, Eigen::Index n, Symmetry symmetry, std::vector<Entry>& entries);
/// For formats that do not state whether they contain both triangles: symmetric if one of the two is empty.
Symmetry trianglesOf(const std::vector<Entry>& entries);
/// Adds a note on the result of trianglesOf().
void noteTriangle(MatrixFile& result, Symmetry symmetry);

/// An entry between two degrees of freedom.
struct FreedomEntry {
  Freedom row, column;
  double value;
  std::size_t line;
};
/// The degrees of freedom in order of node and DOF, and their matrix. Without `symmetry`, trianglesOf() determines it.
MatrixFile matrixOf(TextFile& file, std::optional<Symmetry> symmetry, const std::vector<FreedomEntry>& entries);

/// Matrices of a file with their names and descriptions: "3 x 3 sparse".
struct NamedMatrix {
  std::string name, described;
};
/// Selects the matrix to read; InputError with the list if that is ambiguous. If none is `asked` for: the only one;
/// that of this letter; the field of this letter ("FE.M"); the one accepted by `also`.
std::size_t choose(const std::string& where, const std::vector<NamedMatrix>& matrices, const std::string& asked,
                   const std::string& letter, const std::function<bool(const std::string& name)>& also = {});

/// n numbers in a row or a column form a diagonal.
bool isDiagonal(std::size_t rows, std::size_t columns);
void noteDiagonal(MatrixFile& result);

bool isBoeing(TextFile& file);
bool isDmig(TextFile& file);
bool isOctave(TextFile& file);
bool isList(TextFile& file);
bool isMarket(TextFile& file);
MatrixFile readAbaqus(TextFile& file);
MatrixFile readBoeing(TextFile& file);
MatrixFile readCsv(TextFile& file);
MatrixFile readDmig(TextFile& file, const std::string& variable, const std::string& letter);
MatrixFile readList(TextFile& file);
MatrixFile readMarket(TextFile& file);
MatrixFile readOctave(TextFile& file, const std::string& variable, const std::string& letter);

}  // namespace hyb::matrix_file
