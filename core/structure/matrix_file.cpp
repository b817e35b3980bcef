#include "core/structure/matrix_file.h"

#include <algorithm>
#include <array>
#include <fstream>

#include "core/base/error.h"
#include "core/structure/matrix_file_mat.h"

namespace hyb {
namespace {

/// A MAT file of version 4 begins with a type of four decimal digits, a size and the length of a name: small numbers,
/// in either byte order. One of its first four bytes is 0, which text does not contain.
bool isMat4(std::string_view head) {
  constexpr std::size_t kHeader = 20;
  if (head.size() < kHeader || head.substr(0, 4).find('\0') == std::string_view::npos) return false;
  return matrix_file::mat4Header(head).has_value();
}

/// A MAT file of version 5 to 7.3 has its version and byte order after 124 bytes of text.
bool isMat(std::string_view head) {
  if (head.size() < 128) return false;
  const std::string_view mark = head.substr(124, 4);
  using namespace std::string_view_literals;
  return mark == "\x00\x01IM"sv || mark == "\x01\x00MI"sv || mark == "\x00\x02IM"sv || mark == "\x02\x00MI"sv;
}

/// Remedy for a known file type that is neither text nor MAT; empty if it may be text.
std::string knownOther(std::string_view head) {
  if (head.starts_with("\x89HDF"))
    return "is an HDF5 file but not a MAT file; save the matrix in MATLAB or Octave, or as Matrix Market";
  if (head.starts_with("PK") && head.find(".npy") != std::string_view::npos)
    return "is a NumPy archive (.npz); save the matrix with scipy.io.savemat, scipy.io.mmwrite or numpy.savetxt";
  if (head.starts_with("PK")) return "is an Excel workbook or a zip archive; save the sheet as CSV, or unpack it";
  if (head.starts_with("\x1f\x8b")) return "is compressed; unpack it";
  if (head.starts_with("\x93NUMPY")) return "is a NumPy file; save it with numpy.savetxt or scipy.io.mmwrite";
  return {};
}

}  // namespace

std::string matrix_file::sizeFault(double rows, double columns) {
  const auto shown = [](double value) { return std::to_string(static_cast<long long>(std::min(value, 9e15))); };
  if (!(rows >= 1.0 && columns >= 1.0)) return "is empty; give a matrix with at least one DOF";
  const std::string size = "is " + shown(rows) + " x " + shown(columns);
  if (rows != columns) return size + "; give a square matrix, one row and one column for each DOF";
  if (rows > static_cast<double>(kMaxFileDofs))
    return size + "; at most " + std::to_string(kMaxFileDofs) + " DOF are supported; reduce the model first";
  return {};
}

MatrixFile readMatrixFile(const std::filesystem::path& file, const std::string& variable, const std::string& letter) {
  const auto fail = [&](const std::string& message) { throw InputError(file.string(), message); };
  std::error_code error;
  if (!std::filesystem::exists(file, error)) fail("does not exist or is not accessible; check the path");
  if (!std::filesystem::is_regular_file(file, error))
    fail("is not a file; give a CSV, Matrix Market (.mtx) or MAT file");

  std::ifstream stream(file, std::ios::binary);
  std::array<char, 128> bytes{};
  stream.read(bytes.data(), bytes.size());
  const std::string_view head(bytes.data(), static_cast<std::size_t>(stream.gcount()));
  if (stream.bad() || (head.empty() && !stream.eof())) fail("cannot be read; check its permissions");
  if (head.empty()) fail("is empty; give a matrix with at least one DOF");

  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (isMat(head) || isMat4(head)) {
    if (size > kMaxMatBytes) fail("is larger than 256 MiB; save only the matrix, as sparse(K)");
    return matrix_file::readMat(file, variable, letter);
  }
  if (const std::string other = knownOther(head); !other.empty()) fail(other);
  if (std::string extension = file.extension().string(); extension == ".mat" || extension == ".MAT")
    fail("is not a MAT file of version 4 to 7.3; save it with -v7 or -v7.3");
  if (size > kMaxMatrixTextBytes) fail("is larger than 64 MiB; save the matrix as a sparse MAT file");
  return matrix_file::readText(file, variable, letter);
}

}  // namespace hyb
