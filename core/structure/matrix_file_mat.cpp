#include <matio.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>

#include "core/error.h"
#include "core/structure/matrix_file.h"

namespace hyb {
namespace {

constexpr std::size_t kMaxVariables = 10000, kMaxFullDofs = 5000;

struct Release {
  void operator()(mat_t* file) const noexcept { Mat_Close(file); }
  void operator()(matvar_t* variable) const noexcept { Mat_VarFree(variable); }
};
using File = std::unique_ptr<mat_t, Release>;
using Variable = std::unique_ptr<matvar_t, Release>;

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// What a variable is where it is no real matrix; empty where it is.
std::string obstacle(const matvar_t& variable) {
  switch (variable.class_type) {
    case MAT_C_DOUBLE:
    case MAT_C_SINGLE:
    case MAT_C_INT8:
    case MAT_C_UINT8:
    case MAT_C_INT16:
    case MAT_C_UINT16:
    case MAT_C_INT32:
    case MAT_C_UINT32:
    case MAT_C_INT64:
    case MAT_C_UINT64:
    case MAT_C_SPARSE:
      return variable.isComplex != 0 ? "complex" : variable.rank != 2 ? "an array of more dimensions" : "";
    case MAT_C_STRUCT:
      return "a struct";
    case MAT_C_CELL:
      return "a cell array";
    case MAT_C_CHAR:
      return "text";
    case MAT_C_FUNCTION:
      return "a function";
    case MAT_C_EMPTY:
      return "empty";
    default:
      return "an object";
  }
}

struct Entry {
  std::string name, description;  // "M", "4 x 4 sparse"
};

std::vector<Entry> listVariables(mat_t* file) {
  std::vector<Entry> list;
  for (std::size_t i = 0; i < kMaxVariables; ++i) {
    const Variable variable(Mat_VarReadNextInfo(file));
    if (!variable) break;
    if (variable->name == nullptr) continue;
    std::string description = obstacle(*variable);
    if (description.empty() && variable->dims != nullptr)
      description = std::to_string(variable->dims[0]) + " x " + std::to_string(variable->dims[1]) +
                    (variable->class_type == MAT_C_SPARSE ? " sparse" : "");
    list.push_back({variable->name, std::move(description)});
  }
  return list;
}

/// The name of the variable to read, or InputError with those there are.
std::string choose(const std::string& where, const std::vector<Entry>& variables, const std::string& asked,
                   const std::string& letter) {
  if (variables.empty()) throw InputError(where, "holds no variables; save the matrix in it");
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(variables.size(), 12); ++i)
    list += (i == 0 ? "" : ", ") + matrix_file::inQuotes(variables[i].name) + " (" + variables[i].description + ")";
  if (variables.size() > 12) list += ", ...";
  if (!asked.empty()) {
    for (const Entry& entry : variables)
      if (entry.name == asked) return asked;
    throw InputError(where, "has no variable " + matrix_file::inQuotes(asked) + "; it holds " + list);
  }
  if (variables.size() == 1) return variables[0].name;
  std::vector<std::string> matching;
  for (const Entry& entry : variables)
    if (!letter.empty() && lower(entry.name) == lower(letter)) matching.push_back(entry.name);
  if (matching.size() != 1) throw InputError(where, "holds " + list + "; say which is to be read as \"variable\"");
  return matching[0];
}

template <typename T>
double valueAs(const void* data, std::size_t i) {
  return static_cast<double>(static_cast<const T*>(data)[i]);
}

using Value = double (*)(const void* data, std::size_t i);
struct Number {
  std::size_t bytes = 0;
  Value value = nullptr;  // null: no number
};
Number numberOf(matio_types type) {
  switch (type) {
    case MAT_T_DOUBLE:
      return {8, valueAs<double>};
    case MAT_T_SINGLE:
      return {4, valueAs<float>};
    case MAT_T_INT8:
      return {1, valueAs<std::int8_t>};
    case MAT_T_UINT8:
      return {1, valueAs<std::uint8_t>};
    case MAT_T_INT16:
      return {2, valueAs<std::int16_t>};
    case MAT_T_UINT16:
      return {2, valueAs<std::uint16_t>};
    case MAT_T_INT32:
      return {4, valueAs<std::int32_t>};
    case MAT_T_UINT32:
      return {4, valueAs<std::uint32_t>};
    case MAT_T_INT64:
      return {8, valueAs<std::int64_t>};
    case MAT_T_UINT64:
      return {8, valueAs<std::uint64_t>};
    default:
      return {};
  }
}
/// Type in memory of a full matrix.
matio_types typeOf(matio_classes kind) {
  switch (kind) {
    case MAT_C_DOUBLE:
      return MAT_T_DOUBLE;
    case MAT_C_SINGLE:
      return MAT_T_SINGLE;
    case MAT_C_INT8:
      return MAT_T_INT8;
    case MAT_C_UINT8:
      return MAT_T_UINT8;
    case MAT_C_INT16:
      return MAT_T_INT16;
    case MAT_C_UINT16:
      return MAT_T_UINT16;
    case MAT_C_INT32:
      return MAT_T_INT32;
    case MAT_C_UINT32:
      return MAT_T_UINT32;
    case MAT_C_INT64:
      return MAT_T_INT64;
    case MAT_C_UINT64:
      return MAT_T_UINT64;
    default:
      return MAT_T_UNKNOWN;
  }
}

/// Entries other than 0; nothing where the file is damaged.
using Triplets = std::vector<Eigen::Triplet<double>>;

std::optional<Triplets> readFull(mat_t* file, matvar_t* variable) {
  const std::size_t n = variable->dims[0];
  const Number number = numberOf(typeOf(variable->class_type));
  std::vector<std::byte> data(n * n * number.bytes, std::byte{0xFF});  // not-a-number where a cut file leaves a gap
  std::array<int, 2> start{0, 0}, stride{1, 1}, edge{static_cast<int>(n), static_cast<int>(n)};
  if (Mat_VarReadData(file, variable, data.data(), start.data(), stride.data(), edge.data()) != 0) return std::nullopt;
  Triplets entries;
  for (std::size_t i = 0; i < n * n; ++i)
    if (const double value = number.value(data.data(), i); value != 0.0)
      entries.emplace_back(static_cast<int>(i % n), static_cast<int>(i / n), value);
  return entries;
}

std::optional<Triplets> readSparse(mat_t* file, matvar_t* variable) {
  if (Mat_VarReadDataAll(file, variable) != 0 || variable->data == nullptr) return std::nullopt;
  const auto& sparse = *static_cast<const mat_sparse_t*>(variable->data);
  const std::size_t n = variable->dims[0];
  if (sparse.jc == nullptr || sparse.njc != n + 1 || sparse.jc[0] != 0) return std::nullopt;
  const std::size_t count = sparse.jc[n];
  const Number number = numberOf(variable->data_type);
  if (count > 0 && (number.value == nullptr || sparse.ir == nullptr || sparse.data == nullptr || count > sparse.nir ||
                    count > sparse.ndata))
    return std::nullopt;
  Triplets entries;
  for (std::size_t column = 0; column < n; ++column) {
    if (sparse.jc[column + 1] < sparse.jc[column] || sparse.jc[column + 1] > count) return std::nullopt;
    for (std::size_t i = sparse.jc[column]; i < sparse.jc[column + 1]; ++i) {
      if (sparse.ir[i] >= n || (i > sparse.jc[column] && sparse.ir[i] <= sparse.ir[i - 1])) return std::nullopt;
      if (const double value = number.value(sparse.data, i); value != 0.0)
        entries.emplace_back(static_cast<int>(sparse.ir[i]), static_cast<int>(column), value);
    }
  }
  return entries;
}

}  // namespace

MatrixFile matrix_file::readMat(const std::filesystem::path& path, const std::string& variable_name,
                                const std::string& letter) {
  static std::once_flag silenced;
  std::call_once(silenced, [] { Mat_LogInitFunc("hybridbench", [](int, char*) {}); });
  const std::string where = path.string();
  const char* damaged = "is damaged or cut off; save it again";

  if (!soundMat(path)) throw InputError(where, damaged);
  const File file(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
  if (!file) throw InputError(where, damaged);
  const std::string name = choose(where, listVariables(file.get()), variable_name, letter);

  const Variable variable(Mat_VarReadInfo(file.get(), name.c_str()));
  const std::string subject = "variable " + inQuotes(name) + " ";
  if (!variable) throw InputError(where, subject + damaged);
  if (const std::string what = obstacle(*variable); !what.empty())
    throw InputError(where, subject + "is " + what + "; give a real matrix, full or sparse");
  if (variable->dims == nullptr) throw InputError(where, subject + damaged);
  const std::size_t rows = variable->dims[0], columns = variable->dims[1];
  if (const std::string fault = sizeFault(static_cast<double>(rows), static_cast<double>(columns)); !fault.empty())
    throw InputError(where, subject + fault);
  const bool sparse = variable->class_type == MAT_C_SPARSE;
  if (!sparse && rows > kMaxFullDofs)
    throw InputError(
        where, subject + "has " + std::to_string(rows) + " DOF in a full matrix; save it as sparse(" + name + ")");

  const std::optional<Triplets> entries =
      sparse ? readSparse(file.get(), variable.get()) : readFull(file.get(), variable.get());
  if (!entries) throw InputError(where, subject + damaged);
  for (const auto& entry : *entries)
    if (!std::isfinite(entry.value()))
      throw InputError(where, subject + "has an entry at (" + std::to_string(entry.row() + 1) + ", " +
                                  std::to_string(entry.col() + 1) + ") that is not finite; mend it");
  const auto n = static_cast<Eigen::Index>(rows);
  MatrixFile result{SparseMatrix(n, n), {}};
  result.matrix.setFromTriplets(entries->begin(), entries->end());
  return result;
}

}  // namespace hyb
