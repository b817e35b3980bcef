#include "core/structure/matrix_file.h"

#include "core/error.h"
#include "tests/fuzz/fuzz_file.h"

/// A matrix as text: CSV or Matrix Market.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyb;
  static const fuzz::MemoryFile file;
  file.fill({data, size});
  try {
    const MatrixFile found = readMatrixFile(file.path(), "", "M");
    if (found.matrix.rows() != found.matrix.cols() || found.matrix.rows() < 1) std::abort();
    if (!found.labels.empty() && static_cast<Eigen::Index>(found.labels.size()) != found.matrix.rows()) std::abort();
  } catch (const InputError& error) {
    if (error.issues().empty()) std::abort();
  }
  return 0;
}
