#include <Spectra/MatOp/SparseSymMatProd.h>
#include <Spectra/MatOp/SymShiftInvert.h>
#include <Spectra/SymGEigsShiftSolver.h>

#include "core/linalg/eigen.h"

namespace hyb::linalg {

std::optional<SymmetricModes> modesNear(const Eigen::SparseMatrix<double>& k, const Eigen::SparseMatrix<double>& m,
                                        double shift, Eigen::Index count, Eigen::Index basis) {
  using Inverse = Spectra::SymShiftInvert<double, Eigen::Sparse, Eigen::Sparse>;
  using Mass = Spectra::SparseSymMatProd<double>;
  Inverse inverse(k, m);
  Mass mass(m);
  Spectra::SymGEigsShiftSolver<Inverse, Mass, Spectra::GEigsMode::ShiftInvert> solver(inverse, mass, count, basis,
                                                                                      shift);
  solver.init();
  solver.compute(Spectra::SortRule::LargestMagn, 1000, 1e-12, Spectra::SortRule::SmallestAlge);
  if (solver.info() != Spectra::CompInfo::Successful) return std::nullopt;
  return SymmetricModes{solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace hyb::linalg
