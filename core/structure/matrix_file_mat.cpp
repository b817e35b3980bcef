#include "core/structure/matrix_file_mat.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include "core/error.h"
#include "core/words.h"

namespace hyb {
namespace {

using matrix_file::inQuotes;
using matrix_file::MatVariable;

constexpr std::size_t kMaxFullDofs = 5000;

std::string described(const MatVariable& variable) {
  if (!variable.obstacle.empty()) return variable.obstacle;
  return std::to_string(variable.rows) + " x " + std::to_string(variable.columns) + (variable.sparse ? " sparse" : "");
}

/// The variable to read, or InputError with those there are.
const MatVariable& choose(const std::string& where, const std::vector<MatVariable>& variables, const std::string& asked,
                          const std::string& letter) {
  if (variables.empty()) throw InputError(where, "holds no variables; save the matrix in it");
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(variables.size(), 12); ++i)
    list += (i == 0 ? "" : ", ") + inQuotes(variables[i].name) + " (" + described(variables[i]) + ")";
  if (variables.size() > 12) list += ", ...";
  if (!asked.empty()) {
    for (const MatVariable& variable : variables)
      if (variable.name == asked) return variable;
    throw InputError(where, "has no variable " + inQuotes(asked) + "; it holds " + list);
  }
  if (variables.size() == 1) return variables[0];
  std::vector<const MatVariable*> matching;
  for (const MatVariable& variable : variables)
    if (!letter.empty() && lowered(variable.name) == lowered(letter)) matching.push_back(&variable);
  if (matching.size() != 1) throw InputError(where, "holds " + list + "; say which is to be read as \"variable\"");
  return *matching[0];
}

/// The upper byte of the version, 1 (5 to 7) or 2 (7.3), stands before or after the lower by byte order.
bool isVersion73(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(124);
  std::array<char, 2> version{};
  stream.read(version.data(), version.size());
  return version[0] + version[1] == 2;
}

}  // namespace

MatrixFile matrix_file::readMat(const std::filesystem::path& path, const std::string& variable_name,
                                const std::string& letter) {
  const std::string where = path.string(), damaged = "is damaged or cut off; save it again";
  const std::optional<MatContent> content = isVersion73(path) ? openMat73(path) : openMat5(path);
  if (!content) throw InputError(where, damaged);

  const MatVariable& variable = choose(where, content->variables, variable_name, letter);
  const std::string subject = "variable " + inQuotes(variable.name) + " ";
  if (!variable.obstacle.empty())
    throw InputError(where, subject + "is " + variable.obstacle + "; give a real matrix, full or sparse");
  if (const std::string fault = sizeFault(static_cast<double>(variable.rows), static_cast<double>(variable.columns));
      !fault.empty())
    throw InputError(where, subject + fault);
  if (!variable.sparse && variable.rows > kMaxFullDofs)
    throw InputError(where, subject + "has " + std::to_string(variable.rows) +
                                " DOF in a full matrix; save it as sparse(" + variable.name + ")");

  const std::optional<Triplets> entries = content->read(variable);
  if (!entries) throw InputError(where, subject + damaged);
  for (const auto& entry : *entries)
    if (!std::isfinite(entry.value()))
      throw InputError(where, subject + "has an entry at (" + std::to_string(entry.row() + 1) + ", " +
                                  std::to_string(entry.col() + 1) + ") that is not finite; mend it");
  const auto n = static_cast<Eigen::Index>(variable.rows);
  MatrixFile result{SparseMatrix(n, n), {}};
  result.matrix.setFromTriplets(entries->begin(), entries->end());
  return result;
}

}  // namespace hyb
