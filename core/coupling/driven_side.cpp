#include "core/coupling/driven_side.h"

#include <algorithm>

#include "core/base/checks.h"
#include "core/base/error.h"
#include "core/base/words.h"
#include "core/linalg/product.h"

namespace hyb {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

bool contains(const std::vector<Index>& list, Index dof) {
  return std::find(list.begin(), list.end(), dof) != list.end();
}

std::vector<Index> innerOf(const SystemMatrices& whole, const std::vector<Index>& interface) {
  std::vector<Index> inner;
  for (Index dof = 0; dof < whole.size(); ++dof)
    if (!contains(interface, dof)) inner.push_back(dof);
  return inner;
}

}  // namespace

SystemMatrices DrivenSide::inner(const SystemMatrices& whole, const std::vector<Index>& interface) {
  const std::vector<Index> inner = innerOf(whole, interface);
  SystemMatrices part;
  std::vector<Index> place(whole.dofs.size(), -1);
  for (std::size_t i = 0; i < inner.size(); ++i) {
    part.dofs.push_back(whole.dofs[static_cast<std::size_t>(inner[i])]);
    place[static_cast<std::size_t>(inner[i])] = static_cast<Index>(i);
  }
  part.m = block(whole.m, inner, inner);
  part.c = block(whole.c, inner, inner);
  part.k = block(whole.k, inner, inner);
  for (NonlinearLink link : whole.nonlinear) {
    for (Index* end : {&link.from, &link.to})
      if (*end >= 0) *end = place[static_cast<std::size_t>(*end)];
    part.nonlinear.push_back(std::move(link));
  }
  return part;
}

std::string DrivenSide::fault(const SystemMatrices& numerical, const std::vector<Index>& interface) {
  if (numerical.size() <= static_cast<Index>(interface.size()))
    return "leaves nothing to compute besides the interface, but a force-based test needs a force of the computed "
           "part; "
           "assign at least one mass to it";
  for (const Index i : interface)
    for (Index j = 0; j < numerical.size(); ++j) {
      const double mass = numerical.m.coeff(i, j);
      if (mass == 0.0 && numerical.m.coeff(j, i) == 0.0) continue;
      const std::string name = quoted(numerical.dofs[static_cast<std::size_t>(i)].name);
      return "leaves " +
             (i == j ? name + " a computed mass of " + Checks::text(mass, "kg")
                     : name + " mass in common with the computed part") +
             "; a force-based test cannot include its inertia because it measures no acceleration. Put the mass on the "
             "rig "
             "(cut "
             "by \"storeys\" or by \"matrices\", without a reduction of the computed side), or couple by \"tracking\"";
    }
  for (const NonlinearLink& link : numerical.nonlinear)
    if (contains(interface, link.from) || contains(interface, link.to))
      return "has the nonlinear link " + quoted(link.name) +
             " at the interface; a force-based test does not compute its force on the specimen. Cut beside it, "
             "or "
             "couple by \"tracking\"";
  return {};
}

DrivenSide::DrivenSide(const IntegratorSpec& integrator, const SystemMatrices& numerical,
                       const std::vector<Index>& interface, VectorXd springs_n_per_m, double tick_s)
    : interface_(interface),
      inner_(innerOf(numerical, interface)),
      springs_(std::move(springs_n_per_m)),
      tick_s_(tick_s) {
  if (const std::string found = fault(numerical, interface); !found.empty())
    throw InputError("/partition", found + ".");
  place_.resize(numerical.dofs.size());
  for (std::size_t i = 0; i < interface.size(); ++i)
    place_[static_cast<std::size_t>(interface[i])] = -1 - static_cast<Index>(i);
  for (std::size_t j = 0; j < inner_.size(); ++j) place_[static_cast<std::size_t>(inner_[j])] = static_cast<Index>(j);
  integrator_ = makeIntegrator(integrator, inner(numerical, interface), tick_s);
  const auto dense = [](const SparseMatrix& a, const std::vector<Index>& rows, const std::vector<Index>& columns) {
    return MatrixXd(block(a, rows, columns));
  };
  minus_k_ni_ = -dense(numerical.k, inner_, interface_);
  minus_c_ni_ = -dense(numerical.c, inner_, interface_);
  k_ii_ = dense(numerical.k, interface_, interface_);
  c_ii_ = dense(numerical.c, interface_, interface_);
  k_in_ = dense(numerical.k, interface_, inner_);
  c_in_ = dense(numerical.c, interface_, inner_);
  load_.setZero(static_cast<Index>(inner_.size()));
  for (VectorXd* v : {&interface_m_, &moved_m_, &rate_, &target_, &target_rate_, &piston_, &piston_rate_, &last_target_,
                      &last_piston_})
    v->setZero(static_cast<Index>(interface_.size()));
}

void DrivenSide::reset() noexcept {
  integrator_->reset();
  for (VectorXd* v : {&interface_m_, &moved_m_, &rate_, &target_, &target_rate_, &piston_, &piston_rate_, &last_target_,
                      &last_piston_})
    v->setZero();
  first_ = true;
  second_ = false;
}

void DrivenSide::step(const VectorXd& load_n, const VectorXd& interface_m, const VectorXd& specimen_m) noexcept {
  if (!first_) {
    if (second_) moved_m_ = interface_m - interface_m_;
    rate_ = (1.5 * (interface_m - interface_m_) - 0.5 * moved_m_) / tick_s_;
    moved_m_ = interface_m - interface_m_;
  }
  second_ = first_;
  interface_m_ = interface_m;
  for (std::size_t j = 0; j < inner_.size(); ++j) load_[static_cast<Index>(j)] = load_n[inner_[j]];
  linalg::addProduct(minus_k_ni_, interface_m_, load_);
  linalg::addProduct(minus_c_ni_, rate_, load_);
  integrator_->step(load_);

  last_target_ = target_;
  last_piston_ = piston_;
  linalg::multiply(k_ii_, interface_m_, target_);
  linalg::addProduct(c_ii_, rate_, target_);
  linalg::addProduct(k_in_, integrator_->displacement(), target_);
  linalg::addProduct(c_in_, integrator_->velocity(), target_);
  for (std::size_t i = 0; i < interface_.size(); ++i) target_[static_cast<Index>(i)] -= load_n[interface_[i]];
  piston_ = specimen_m - target_.cwiseQuotient(springs_);
  if (first_) {
    target_rate_.setZero();
    piston_rate_.setZero();
  } else {
    target_rate_ = (target_ - last_target_) / tick_s_;
    piston_rate_ = (piston_ - last_piston_) / tick_s_;
  }
  first_ = false;
}

double DrivenSide::displacement(Index dof) const noexcept {
  const Index at = place_[static_cast<std::size_t>(dof)];
  return at < 0 ? interface_m_[-1 - at] : integrator_->displacement()[at];
}

double DrivenSide::velocity(Index dof) const noexcept {
  const Index at = place_[static_cast<std::size_t>(dof)];
  return at < 0 ? rate_[-1 - at] : integrator_->velocity()[at];
}

VectorXd DrivenSide::state() const {
  const VectorXd inner = integrator_->state();
  VectorXd all(inner.size() + 4 * interface_m_.size());
  all << inner, interface_m_, moved_m_, target_, piston_;
  return all;
}

void DrivenSide::setState(const VectorXd& state) {
  const Index i = interface_m_.size(), inner = state.size() - 4 * i;
  integrator_->setState(state.head(inner));
  interface_m_ = state.segment(inner, i);
  moved_m_ = state.segment(inner + i, i);
  target_ = state.segment(inner + 2 * i, i);
  piston_ = state.tail(i);
  first_ = second_ = false;
}

}  // namespace hyb
