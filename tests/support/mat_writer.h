#pragma once
#include <matio.h>

#include <Eigen/Core>
#include <QtGlobal>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "core/structure/system.h"

namespace hyb::test {

/// MAT files as MATLAB writes them.
template <typename T>
constexpr std::pair<matio_classes, matio_types> matType() {
  if constexpr (std::is_same_v<T, double>) return {MAT_C_DOUBLE, MAT_T_DOUBLE};
  if constexpr (std::is_same_v<T, float>) return {MAT_C_SINGLE, MAT_T_SINGLE};
  if constexpr (std::is_same_v<T, std::int32_t>) return {MAT_C_INT32, MAT_T_INT32};
  if constexpr (std::is_same_v<T, std::uint8_t>) return {MAT_C_UINT8, MAT_T_UINT8};
  if constexpr (std::is_same_v<T, std::int64_t>) return {MAT_C_INT64, MAT_T_INT64};
}

class MatWriter {
 public:
  MatWriter(const std::filesystem::path& file, mat_ft version, matio_compression compression)
      : compression_(compression) {
    std::filesystem::remove(file);
    file_ = Mat_CreateVer(file.c_str(), nullptr, version);
    Q_ASSERT(file_ != nullptr);
  }
  ~MatWriter() { Mat_Close(file_); }
  MatWriter(const MatWriter&) = delete;
  MatWriter& operator=(const MatWriter&) = delete;

  template <typename T>
  MatWriter& full(const char* name, const Eigen::MatrixXd& matrix) {
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> data = matrix.cast<T>();
    std::size_t dims[] = {static_cast<std::size_t>(data.rows()), static_cast<std::size_t>(data.cols())};
    return write(Mat_VarCreate(name, matType<T>().first, matType<T>().second, 2, dims, data.data(), 0));
  }
  MatWriter& sparse(const char* name, const Eigen::MatrixXd& matrix) {
    SparseMatrix data = matrix.sparseView();
    std::vector<mat_uint32_t> rows(data.innerIndexPtr(), data.innerIndexPtr() + data.nonZeros());
    std::vector<mat_uint32_t> columns(data.outerIndexPtr(), data.outerIndexPtr() + data.cols() + 1);
    mat_sparse_t content{};
    content.nzmax = content.nir = content.ndata = static_cast<mat_uint32_t>(data.nonZeros());
    content.njc = static_cast<mat_uint32_t>(columns.size());
    content.ir = rows.data();
    content.jc = columns.data();
    content.data = data.valuePtr();
    std::size_t dims[] = {static_cast<std::size_t>(data.rows()), static_cast<std::size_t>(data.cols())};
    return write(Mat_VarCreate(name, MAT_C_SPARSE, MAT_T_DOUBLE, 2, dims, &content, MAT_F_DONT_COPY_DATA));
  }
  /// Compressed columns as they are given.
  MatWriter& columns(const char* name, std::vector<mat_uint32_t> rows, std::vector<mat_uint32_t> starts,
                     std::vector<double> values) {
    mat_sparse_t content{};
    content.nzmax = content.nir = content.ndata = static_cast<mat_uint32_t>(rows.size());
    content.njc = static_cast<mat_uint32_t>(starts.size());
    content.ir = rows.data();
    content.jc = starts.data();
    content.data = values.data();
    std::size_t dims[] = {starts.size() - 1, starts.size() - 1};
    return write(Mat_VarCreate(name, MAT_C_SPARSE, MAT_T_DOUBLE, 2, dims, &content, MAT_F_DONT_COPY_DATA));
  }
  MatWriter& complexOnes(const char* name) {
    std::vector<double> ones(16, 1.0);
    mat_complex_split_t both{ones.data(), ones.data()};
    std::size_t dims[] = {4, 4};
    return write(Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, &both, MAT_F_COMPLEX));
  }
  MatWriter& text(const char* name) {
    char letters[] = "abcd";
    std::size_t dims[] = {1, 4};
    return write(Mat_VarCreate(name, MAT_C_CHAR, MAT_T_UINT8, 2, dims, letters, 0));
  }
  MatWriter& structure(const char* name) {
    const char* fields[] = {"M", nullptr};
    const std::size_t dims[] = {1, 1};
    matvar_t* record = Mat_VarCreateStruct2(name, 2, dims, fields);
    double value = 1.0;
    std::size_t one[] = {1, 1};
    Mat_VarSetStructFieldByName(record, "M", 0, Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, one, &value, 0));
    return write(record);
  }
  /// A struct with a matrix, and a struct with one.
  MatWriter& nested(const char* name, const Eigen::MatrixXd& matrix) {
    const char* fields[] = {"K", "part", nullptr};
    const char* inner_fields[] = {"M", nullptr};
    const std::size_t one[] = {1, 1};
    std::size_t dims[] = {static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols())};
    const Eigen::MatrixXd twice = 2.0 * matrix;
    matvar_t* record = Mat_VarCreateStruct(name, 2, const_cast<std::size_t*>(one), fields, 2);
    matvar_t* inner = Mat_VarCreateStruct("part", 2, const_cast<std::size_t*>(one), inner_fields, 1);
    Mat_VarSetStructFieldByName(
        inner, "M", 0, Mat_VarCreate("M", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, const_cast<double*>(twice.data()), 0));
    Mat_VarSetStructFieldByName(
        record, "K", 0, Mat_VarCreate("K", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, const_cast<double*>(matrix.data()), 0));
    Mat_VarSetStructFieldByName(record, "part", 0, inner);
    return write(record);
  }
  MatWriter& cell(const char* name) {
    double value = 1.0;
    std::size_t one[] = {1, 1};
    matvar_t* inner[] = {Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, one, &value, 0)};
    return write(Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, one, inner, 0));
  }
  MatWriter& cube(const char* name) {
    std::vector<double> values(8, 1.0);
    std::size_t dims[] = {2, 2, 2};
    return write(Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 3, dims, values.data(), 0));
  }

 private:
  MatWriter& write(matvar_t* variable) {
    Q_ASSERT(variable != nullptr);
    const int failed = Mat_VarWrite(file_, variable, compression_);
    Q_ASSERT(failed == 0);
    Q_UNUSED(failed);
    Mat_VarFree(variable);
    return *this;
  }
  mat_t* file_;
  matio_compression compression_;
};

struct MatKind {
  const char* name;
  mat_ft version;
  matio_compression compression;
};
inline constexpr MatKind kMatKinds[] = {{"v6", MAT_FT_MAT5, MAT_COMPRESSION_NONE},
                                        {"v7", MAT_FT_MAT5, MAT_COMPRESSION_ZLIB},
                                        {"v7.3", MAT_FT_MAT73, MAT_COMPRESSION_NONE},
                                        {"v7.3 packed", MAT_FT_MAT73, MAT_COMPRESSION_ZLIB}};

}  // namespace hyb::test
