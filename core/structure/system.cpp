#include "core/structure/system.h"

namespace hyb {

std::vector<std::string> names(const std::vector<Dof>& dofs) {
  std::vector<std::string> list;
  for (const Dof& dof : dofs) list.push_back(dof.name);
  return list;
}

double initialStiffness(const NonlinearLaw& law) noexcept {
  if (std::holds_alternative<ContactSpring>(law)) return 0.0;
  return std::visit([](const auto& spring) { return spring.stiffness_n_per_m; }, law);
}

Eigen::SparseMatrix<std::complex<double>> dynamicStiffness(const SystemMatrices& system, std::complex<double> s) {
  using Complex = std::complex<double>;
  Eigen::SparseMatrix<Complex> d = system.k.cast<Complex>();
  d += s * system.c.cast<Complex>();
  d += s * s * system.m.cast<Complex>();
  return d;
}

SparseMatrix block(const SparseMatrix& matrix, const std::vector<Eigen::Index>& rows,
                   const std::vector<Eigen::Index>& columns) {
  std::vector<Eigen::Index> place(static_cast<std::size_t>(matrix.rows()), -1);
  for (std::size_t i = 0; i < rows.size(); ++i) place[static_cast<std::size_t>(rows[i])] = static_cast<Eigen::Index>(i);
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t j = 0; j < columns.size(); ++j)
    for (SparseMatrix::InnerIterator it(matrix, columns[j]); it; ++it)
      if (const Eigen::Index row = place[static_cast<std::size_t>(it.row())]; row >= 0)
        entries.emplace_back(static_cast<int>(row), static_cast<int>(j), it.value());
  SparseMatrix result(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

}  // namespace hyb
