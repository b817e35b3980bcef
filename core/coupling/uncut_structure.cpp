#include "core/coupling/uncut_structure.h"

#include <numeric>

namespace hyb {
namespace {

std::vector<Eigen::Index> allRows(const SparseMatrix& matrix) {
  std::vector<Eigen::Index> rows(static_cast<std::size_t>(matrix.rows()));
  std::iota(rows.begin(), rows.end(), Eigen::Index{0});
  return rows;
}

}  // namespace

SparseRows::SparseRows(const SparseMatrix& matrix, const std::vector<Eigen::Index>& rows) {
  const Eigen::SparseMatrix<double, Eigen::RowMajor> by_rows(matrix);
  for (const Eigen::Index row : rows) {
    for (decltype(by_rows)::InnerIterator term(by_rows, row); term; ++term)
      terms_.push_back({term.value(), term.col()});
    ends_.push_back(terms_.size());
  }
}

void SparseRows::addProduct(const Eigen::VectorXd& x, Eigen::VectorXd& sums) const noexcept {
  std::size_t next = 0;
  double* sum = sums.data();
  for (const std::size_t end : ends_) {
    for (; next < end; ++next) *sum += terms_[next].factor * x[terms_[next].column];
    ++sum;
  }
}

UncutStructure::UncutStructure(const IntegratorSpec& integrator, const Partition& partition, double tick_s,
                               const ExcitationValue& excitation)
    : motion_(partition.physical_motion, allRows(partition.physical_motion)),
      k_(partition.physical.k, partition.interface_in_physical),
      c_(partition.physical.c, partition.interface_in_physical),
      m_(partition.physical.m, partition.interface_in_physical),
      at_(partition.interface_in_reference),
      reference_(integrator, partition.reference, partition.reference_loads, {}, excitation, tick_s) {
  x_.setZero(partition.physical.size());
  v_ = a_ = x_;
  force_.setZero(static_cast<Eigen::Index>(at_.size()));
}

void UncutStructure::physicalForce(Eigen::VectorXd& force_n) noexcept {
  for (Eigen::VectorXd* sums : {&x_, &v_, &a_, &force_}) sums->setZero();
  motion_.addProduct(reference_.displacement(), x_);
  motion_.addProduct(reference_.velocity(), v_);
  motion_.addProduct(reference_.acceleration(), a_);
  k_.addProduct(x_, force_);
  c_.addProduct(v_, force_);
  m_.addProduct(a_, force_);
  for (Eigen::Index i = 0; i < force_.size(); ++i) force_n[i] = -force_[i];
}

}  // namespace hyb
