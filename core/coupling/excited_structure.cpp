#include "core/coupling/excited_structure.h"

#include <cassert>

#include "core/coupling/excitation_load.h"

namespace hyb {
namespace {

/// Loads of unit support motions, one by one, followed by unit forces: the inputs of step().
Eigen::MatrixXd loadColumns(const SystemMatrices& system, const std::vector<Eigen::Index>& at,
                            const ExcitationValue& excitation) {
  std::vector<const Eigen::MatrixXd*> of_supports;
  if (excitation.moves) of_supports = {&system.k_support, &system.c_support};
  if (excitation.accelerates) of_supports.push_back(&system.m_support);
  const auto supports = static_cast<Eigen::Index>(of_supports.size()) * system.m_support.cols();
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(system.size(), supports + static_cast<Eigen::Index>(at.size()));
  Eigen::Index next = 0;
  for (const Eigen::MatrixXd* loads : of_supports) {
    columns.middleCols(next, loads->cols()) = *loads;
    next += loads->cols();
  }
  for (const Eigen::Index dof : at) columns(dof, next++) = 1.0;
  return columns;
}

}  // namespace

ExcitedStructure::ExcitedStructure(const IntegratorSpec& integrator, const SystemMatrices& system,
                                   const SparseMatrix& forces, std::vector<Eigen::Index> at,
                                   const ExcitationValue& excitation, double tick_s)
    : system_(system), forces_(forces), at_(std::move(at)), integrator_(makeIntegrator(integrator, system, tick_s)) {
  load_.setZero(system.size());
  if (excitation.pushes) return;
  const Eigen::MatrixXd columns = loadColumns(system, at_, excitation);
  by_shares_ = columns.cols() < system.size() && integrator_->loadBy(columns);
  if (by_shares_) load_.setZero(columns.cols());
}

/// A separate call, so that the more frequent step by shares saves no registers for it.
[[gnu::noinline]] void ExcitedStructure::putLoads(const ExcitationValue& excitation,
                                                  const Eigen::VectorXd& force_n) noexcept {
  loadOf(excitation, system_, forces_, load_);
  for (std::size_t f = 0; f < at_.size(); ++f) load_[at_[f]] += force_n[static_cast<Eigen::Index>(f)];
}

void ExcitedStructure::putShares(const ExcitationValue& excitation, const Eigen::VectorXd& force_n) noexcept {
  double* share = load_.data();
  const auto put = [&share](const Eigen::VectorXd& values) noexcept {
    const double* value = values.data();
    for (const double* const end = value + values.size(); value != end; ++value) *share++ = *value;
  };
  if (excitation.moves) {
    put(excitation.support_m);
    put(excitation.support_mps);
  }
  if (excitation.accelerates) put(excitation.support_mps2);
  put(force_n);
  assert(share == load_.data() + load_.size());
}

[[gnu::hot]] void ExcitedStructure::step(const ExcitationValue& excitation, const Eigen::VectorXd& force_n) noexcept {
  if (by_shares_)
    putShares(excitation, force_n);
  else
    putLoads(excitation, force_n);
  integrator_->step(load_);
}

}  // namespace hyb
