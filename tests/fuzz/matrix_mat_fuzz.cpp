#include <matio.h>

#include "core/base/error.h"
#include "core/structure/matrix_file.h"
#include "tests/fuzz/fuzz_file.h"

namespace {

/// A MAT file with a full and a sparse matrix, and from version 5 on a struct with one.
std::vector<std::uint8_t> sound(mat_ft version, matio_compression compression) {
  const std::string name = "/dev/shm/hybridbench-fuzz-" + std::to_string(::getpid()) + ".mat";
  mat_t* const file = Mat_CreateVer(name.c_str(), nullptr, version);
  if (file == nullptr) std::abort();
  std::size_t dims[2] = {3, 3};
  double full[9] = {2, -1, 0, -1, 2, -1, 0, -1, 2};
  matvar_t* variable = Mat_VarCreate("M", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, full, 0);
  Mat_VarWrite(file, variable, compression);
  Mat_VarFree(variable);
  mat_uint32_t rows[5] = {0, 1, 1, 2, 2}, columns[4] = {0, 2, 4, 5};
  double values[5] = {4, 1, 4, 1, 4};
  mat_sparse_t sparse{};
  sparse.nzmax = 5;
  sparse.ir = rows;
  sparse.nir = 5;
  sparse.jc = columns;
  sparse.njc = 4;
  sparse.ndata = 5;
  sparse.data = values;
  variable = Mat_VarCreate("K", MAT_C_SPARSE, MAT_T_DOUBLE, 2, dims, &sparse, MAT_F_DONT_COPY_DATA);
  Mat_VarWrite(file, variable, compression);
  Mat_VarFree(variable);
  if (version != MAT_FT_MAT4) {
    const char* fields[] = {"C"};
    std::size_t one[2] = {1, 1};
    variable = Mat_VarCreateStruct("FE", 2, one, fields, 1);
    Mat_VarSetStructFieldByName(variable, "C", 0, Mat_VarCreate("C", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, full, 0));
    Mat_VarWrite(file, variable, compression);
    Mat_VarFree(variable);
  }
  Mat_Close(file);
  std::vector<std::uint8_t> bytes = hyb::fuzz::bytesOf(name);
  std::filesystem::remove(name);
  return bytes;
}

}  // namespace

/// HDF5 itself loses some hundred bytes where it gives up on a damaged file.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }  // NOLINT: the sanitizer's name

/// MAT files of version 4, of version 5, plain and compressed, and 7.3 (each eighth input; HDF5 is slow), with bytes
/// replaced, or as they come.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyb;
  if (size < 1) return 0;
  static const fuzz::MemoryFile file;
  static const std::vector<std::uint8_t> plain = sound(MAT_FT_MAT5, MAT_COMPRESSION_NONE),
                                         packed = sound(MAT_FT_MAT5, MAT_COMPRESSION_ZLIB),
                                         newest = sound(MAT_FT_MAT73, MAT_COMPRESSION_NONE),
                                         oldest = sound(MAT_FT_MAT4, MAT_COMPRESSION_NONE);
  const std::span<const std::uint8_t> rest(data + 1, size - 1);
  switch (data[0] % 8) {
    case 0:
      file.fill(rest);
      break;
    case 1:
      file.fill(fuzz::edited(newest, rest));
      break;
    case 2:
    case 3:
      file.fill(fuzz::edited(packed, rest));
      break;
    case 4:
      file.fill(fuzz::edited(oldest, rest));
      break;
    default:
      file.fill(fuzz::edited(plain, rest));
      break;
  }
  for (const char* name : {"M", "K", "FE.C"}) {
    try {
      const MatrixFile found = readMatrixFile(file.path(), name);
      if (found.matrix.rows() != found.matrix.cols() || found.matrix.rows() < 1) std::abort();
    } catch (const InputError& error) {
      if (error.issues().empty()) std::abort();
    }
  }
  return 0;
}
