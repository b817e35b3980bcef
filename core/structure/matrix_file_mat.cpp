#include "core/structure/matrix_file_mat.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include "core/base/error.h"
#include "core/structure/matrix_file_text.h"

namespace hyb {
namespace {

using matrix_file::MatVariable;

constexpr std::size_t kMaxFullDofs = 5000;

std::string described(const MatVariable& variable) {
  if (!variable.obstacle.empty()) return variable.obstacle;
  return std::to_string(variable.rows) + " x " + std::to_string(variable.columns) + (variable.sparse ? " sparse" : "");
}

/// The upper byte of the version, 1 (5 to 7) or 2 (7.3), is before or after the lower one, depending on byte order.
bool isVersion73(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(124);
  std::array<char, 4> mark{};
  stream.read(mark.data(), mark.size());
  return stream && mark[0] + mark[1] == 2 && (mark[2] == 'I' || mark[2] == 'M');
}

}  // namespace

std::optional<matrix_file::MatContent> matrix_file::openMat(const std::filesystem::path& path) {
  return isVersion73(path) ? openMat73(path) : openMat5(path);
}

std::string matrix_file::utf8Of(std::span<const std::uint16_t> units) {
  std::string text;
  const auto rest = [&](unsigned code, int bits) { text += static_cast<char>(0x80u | ((code >> bits) & 0x3Fu)); };
  for (std::size_t i = 0; i < units.size(); ++i) {
    unsigned code = units[i];
    if (code >= 0xD800u && code < 0xE000u) {
      const bool pair = code < 0xDC00u && i + 1 < units.size() && units[i + 1] >= 0xDC00u && units[i + 1] < 0xE000u;
      code = pair ? 0x10000u + ((code - 0xD800u) << 10u) + (units[++i] - 0xDC00u) : '?';
    }
    if (code < 0x80u) {
      text += static_cast<char>(code);
    } else if (code < 0x800u) {
      text += static_cast<char>(0xC0u | (code >> 6u));
      rest(code, 0);
    } else if (code < 0x10000u) {
      text += static_cast<char>(0xE0u | (code >> 12u));
      rest(code, 6), rest(code, 0);
    } else {
      text += static_cast<char>(0xF0u | (code >> 18u));
      rest(code, 12), rest(code, 6), rest(code, 0);
    }
  }
  return text;
}

MatrixFile matrix_file::readMat(const std::filesystem::path& path, const std::string& variable_name,
                                const std::string& letter) {
  const std::string where = path.string(), damaged = "is damaged or cut off; save it again";
  const std::optional<MatContent> content = openMat(path);
  if (!content) throw InputError(where, damaged);

  std::vector<NamedMatrix> list;
  for (const MatVariable& variable : content->variables) list.push_back({variable.name, described(variable)});
  const MatVariable& variable = content->variables[choose(where, list, variable_name, letter)];
  const std::string subject = "variable " + excerpt(variable.name) + " ";
  if (!variable.obstacle.empty())
    throw InputError(where, subject + "is " + variable.obstacle + "; give a real matrix, full or sparse");
  const bool diagonal = !variable.sparse && isDiagonal(variable.rows, variable.columns);
  const std::size_t size = diagonal ? std::max(variable.rows, variable.columns) : variable.rows;
  if (const std::string fault =
          sizeFault(static_cast<double>(size), static_cast<double>(diagonal ? size : variable.columns));
      !fault.empty())
    throw InputError(where, subject + fault);
  if (!variable.sparse && !diagonal && variable.rows > kMaxFullDofs)
    throw InputError(where, subject + "has " + std::to_string(variable.rows) +
                                " DOF in a full matrix; save it as sparse(" + variable.name + ")");

  std::optional<Triplets> entries = content->read(variable);
  if (!entries) throw InputError(where, subject + damaged);
  const auto place = [](const auto& entry) { return std::pair(entry.col(), entry.row()); };
  const auto before = [&](const auto& a, const auto& b) { return place(a) < place(b); };
  if (!std::is_sorted(entries->begin(), entries->end(), before)) std::sort(entries->begin(), entries->end(), before);
  const auto twice = std::adjacent_find(entries->begin(), entries->end(),
                                        [&](const auto& a, const auto& b) { return place(a) == place(b); });
  if (twice != entries->end())
    throw InputError(where, subject + "gives entry (" + std::to_string(twice->row() + 1) + ", " +
                                std::to_string(twice->col() + 1) +
                                ") twice; add up repeated entries (SciPy: sum_duplicates) and save it again");
  for (const auto& entry : *entries)
    if (!std::isfinite(entry.value()))
      throw InputError(where, subject + "has an entry at (" + std::to_string(entry.row() + 1) + ", " +
                                  std::to_string(entry.col() + 1) + ") that is not finite; correct it");
  MatrixFile result;
  result.matrix.resize(static_cast<Eigen::Index>(size), static_cast<Eigen::Index>(size));
  if (diagonal) {
    std::vector<Eigen::Triplet<double>> placed;
    for (const auto& entry : *entries) {
      const int i = std::max(entry.row(), entry.col());
      placed.emplace_back(i, i, entry.value());
    }
    result.matrix.setFromTriplets(placed.begin(), placed.end());
    noteDiagonal(result);
  } else {
    result.matrix.setFromTriplets(entries->begin(), entries->end());
  }
  return result;
}

}  // namespace hyb
