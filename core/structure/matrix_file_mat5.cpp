#include <matio.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

#include "core/structure/matrix_file_mat.h"

namespace hyb {
namespace {

using matrix_file::MatContent;
using matrix_file::MatVariable;
using matrix_file::Triplets;

struct Release {
  void operator()(mat_t* file) const noexcept { Mat_Close(file); }
  void operator()(matvar_t* variable) const noexcept { Mat_VarFree(variable); }
};
using Variable = std::unique_ptr<matvar_t, Release>;

/// Type of a variable that is not a real matrix; empty for a real matrix.
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
      return variable.isComplex != 0 ? "complex" : variable.rank != 2 ? "an array with more than two dimensions" : "";
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

/// A variable and the fields of a struct.
void addMatVariables(matvar_t& variable, const std::string& name, int depth, std::vector<MatVariable>& variables) {
  if (variable.dims == nullptr || variable.rank < 2 || variables.size() >= matrix_file::kMaxMatVariables) return;
  variables.push_back(
      {name, obstacle(variable), variable.dims[0], variable.dims[1], variable.class_type == MAT_C_SPARSE});
  const bool one = variable.rank == 2 && variable.dims[0] == 1 && variable.dims[1] == 1;
  if (variable.class_type != MAT_C_STRUCT || !one || depth == matrix_file::kDeepestField || variable.data == nullptr)
    return;
  const unsigned count = Mat_VarGetNumberOfFields(&variable);
  char* const* const names = Mat_VarGetStructFieldnames(&variable);
  matvar_t* const* const fields = static_cast<matvar_t* const*>(variable.data);
  for (unsigned i = 0; i < count && names != nullptr; ++i)
    if (names[i] != nullptr && fields[i] != nullptr)
      addMatVariables(*fields[i], name + "." + names[i], depth + 1, variables);
}

std::vector<MatVariable> list(mat_t* file) {
  std::vector<MatVariable> variables;
  while (variables.size() < matrix_file::kMaxMatVariables) {
    const Variable variable(Mat_VarReadNextInfo(file));
    if (!variable) break;
    // Version 4 stores the shape of a sparse matrix among its numbers.
    if (Mat_GetVersion(file) == MAT_FT_MAT4 && variable->class_type == MAT_C_SPARSE &&
        Mat_VarReadDataAll(file, variable.get()) != 0)
      continue;
    if (variable->name != nullptr) addMatVariables(*variable, variable->name, 0, variables);
  }
  return variables;
}

/// The variable, or field of a struct, with this name ("FE.K"); null if there is none.
matvar_t* matVariableCalled(matvar_t* variable, const std::string& path) {
  std::size_t begin = path.find('.');
  for (int depth = 0; variable != nullptr && begin != std::string::npos && depth <= matrix_file::kDeepestField;
       ++depth) {
    if (variable->class_type != MAT_C_STRUCT || variable->data == nullptr) return nullptr;
    const std::size_t end = path.find('.', begin + 1);
    const std::string field = path.substr(begin + 1, end == std::string::npos ? end : end - begin - 1);
    variable = Mat_VarGetStructFieldByName(variable, field.c_str(), 0);
    begin = end;
  }
  return variable;
}

template <typename T>
double valueAs(const void* data, std::size_t i) {
  return static_cast<double>(static_cast<const T*>(data)[i]);
}

using Value = double (*)(const void* data, std::size_t i);
struct Number {
  std::size_t bytes = 0;
  Value value = nullptr;  // null: not a number
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

std::optional<Triplets> readFull(mat_t* file, matvar_t* variable) {
  const std::size_t rows = variable->dims[0], columns = variable->dims[1];
  const Number number = numberOf(typeOf(variable->class_type));
  std::vector<std::byte> data(rows * columns * number.bytes, std::byte{0xFF});  // NaN for missing values
  std::array<int, 2> start{0, 0}, stride{1, 1}, edge{static_cast<int>(rows), static_cast<int>(columns)};
  if (Mat_VarReadData(file, variable, data.data(), start.data(), stride.data(), edge.data()) != 0) return std::nullopt;
  Triplets entries;
  for (std::size_t i = 0; i < rows * columns; ++i)
    if (const double value = number.value(data.data(), i); value != 0.0)
      entries.emplace_back(static_cast<int>(i % rows), static_cast<int>(i / rows), value);
  return entries;
}

std::optional<Triplets> readSparse(mat_t* file, matvar_t* variable) {
  if (Mat_VarReadDataAll(file, variable) != 0 || variable->data == nullptr) return std::nullopt;
  const auto& sparse = *static_cast<const mat_sparse_t*>(variable->data);
  const std::size_t n = variable->dims[0];
  if (variable->dims[1] != n) return std::nullopt;
  if (sparse.jc == nullptr || sparse.njc != n + 1) return std::nullopt;
  if (sparse.jc[n] == 0) return Triplets{};
  const Number number = numberOf(variable->data_type);
  if (number.value == nullptr || sparse.ir == nullptr || sparse.data == nullptr) return std::nullopt;
  return matrix_file::fromColumns(n, sparse.jc, sparse.ir, std::min(sparse.nir, sparse.ndata),
                                  [&](std::size_t i) { return number.value(sparse.data, i); });
}

/// Characters of one byte as they are, of two bytes as UTF-8.
std::optional<std::string> readCharacters(mat_t* file, matvar_t* variable) {
  if (Mat_VarReadDataAll(file, variable) != 0 || variable->data == nullptr) return std::nullopt;
  const std::size_t count = variable->dims[0] * variable->dims[1];
  if (variable->data_size == 1 && variable->nbytes >= count)
    return std::string(static_cast<const char*>(variable->data), count);
  if (variable->data_size != 2 || variable->nbytes < 2 * count) return std::nullopt;
  const auto* units = static_cast<const std::uint16_t*>(variable->data);
  return matrix_file::utf8Of(std::span(units, count));
}

}  // namespace

std::optional<MatContent> matrix_file::openMat5(const std::filesystem::path& path) {
  static std::once_flag silenced;
  std::call_once(silenced, [] { Mat_LogInitFunc("hybridbench", [](int, char*) {}); });
  if (!(soundMat4(path) || soundMat5(path))) return std::nullopt;
  const std::shared_ptr<mat_t> file(Mat_Open(path.c_str(), MAT_ACC_RDONLY), [](mat_t* open) {
    if (open != nullptr) Mat_Close(open);
  });
  if (!file) return std::nullopt;
  const auto whole = [file](const MatVariable& chosen) {
    return Variable(Mat_VarReadInfo(file.get(), chosen.name.substr(0, chosen.name.find('.')).c_str()));
  };
  const auto fits = [](const matvar_t* variable, const MatVariable& chosen) {
    return variable != nullptr && variable->dims != nullptr && obstacle(*variable) == chosen.obstacle &&
           variable->dims[0] == chosen.rows && variable->dims[1] == chosen.columns;
  };
  MatContent content;
  content.variables = list(file.get());
  content.read = [file, whole, fits](const MatVariable& chosen) -> std::optional<Triplets> {
    const Variable outer = whole(chosen);
    matvar_t* const variable = matVariableCalled(outer.get(), chosen.name);
    if (variable != nullptr && chosen.sparse && Mat_GetVersion(file.get()) == MAT_FT_MAT4)
      return obstacle(*variable).empty() ? readSparse(file.get(), variable) : std::nullopt;
    if (!chosen.obstacle.empty() || !fits(variable, chosen)) return std::nullopt;
    return chosen.sparse ? readSparse(file.get(), variable) : readFull(file.get(), variable);
  };
  content.text = [file, whole, fits](const MatVariable& chosen) -> std::optional<std::string> {
    const Variable outer = whole(chosen);
    matvar_t* const variable = matVariableCalled(outer.get(), chosen.name);
    if (!fits(variable, chosen) || variable->class_type != MAT_C_CHAR) return std::nullopt;
    return readCharacters(file.get(), variable);
  };
  return content;
}

}  // namespace hyb
