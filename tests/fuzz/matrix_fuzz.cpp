#include "core/structure/matrix_file.h"

#include "core/base/error.h"
#include "tests/fuzz/fuzz_file.h"

/// A matrix as text, by its content: CSV, list, Matrix Market, Abaqus (where the name ends in .mtx), DMIG,
/// Harwell-Boeing, Octave.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyb;
  static const fuzz::MemoryFile file;
  static const fuzz::NamedFile named(file, ".mtx");
  file.fill({data, size});
  for (const std::string& path : {file.path(), named.path()}) try {
      const MatrixFile found = readMatrixFile(path, "", "M");
      if (found.matrix.rows() != found.matrix.cols() || found.matrix.rows() < 1) std::abort();
      if (!found.labels.empty() && static_cast<Eigen::Index>(found.labels.size()) != found.matrix.rows()) std::abort();
      if (!found.freedoms.empty() && static_cast<Eigen::Index>(found.freedoms.size()) != found.matrix.rows())
        std::abort();
    } catch (const InputError& error) {
      if (error.issues().empty()) std::abort();
    }
  return 0;
}
