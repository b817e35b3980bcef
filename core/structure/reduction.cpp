#include "core/structure/reduction.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/linalg/sparse.h"
#include "core/structure/modes.h"
#include "core/structure/sides.h"

namespace hyb {
namespace {

using Indices = std::vector<Eigen::Index>;

/// Factors of the inner stiffness with the interface held. Throws InputError for a mechanism.
class InnerStiffness {
 public:
  explicit InnerStiffness(const SparseMatrix& k) : factors_(k) {
    // The pivot of a mechanism is of the order of rounding; the longest valid beams have 1e-11.
    if (factors_.regular() && (k.rows() == 0 || factors_.pivots().minCoeff() > 0.0)) return;
    throw InputError("/partition",
                     "leads to a mechanism in the reduced side: with the interface held, part of it "
                     "moves without stiffness; connect it, or do not reduce this side");
  }
  Eigen::MatrixXd solve(const Eigen::MatrixXd& loads) const { return factors_.solve(loads); }

 private:
  linalg::SparseFactors factors_;
};

SystemMatrices among(const SystemMatrices& system, const Indices& kept) {
  SystemMatrices held;
  for (const Eigen::Index dof : kept) held.dofs.push_back(system.dofs[static_cast<std::size_t>(dof)]);
  held.m = block(system.m, kept, kept);
  held.c = block(system.c, kept, kept);
  held.k = block(system.k, kept, kept);
  return held;
}

/// Lowest modes of the inner DOF with the interface held. DOF without mass follow the others statically.
Modes clampedModes(const SystemMatrices& system, const Indices& inner, Eigen::Index count) {
  return lowestModes(among(system, inner), count);
}

SystemMatrices project(const SystemMatrices& system, const Eigen::MatrixXd& basis) {
  SystemMatrices reduced;
  const auto projected = [&](const SparseMatrix& matrix) {
    const Eigen::MatrixXd image = matrix * basis;
    return SparseMatrix((basis.transpose() * image).sparseView());
  };
  reduced.m = projected(system.m);
  reduced.c = projected(system.c);
  reduced.k = projected(system.k);
  reduced.supports = system.supports;
  reduced.m_support = basis.transpose() * system.m_support;
  reduced.c_support = basis.transpose() * system.c_support;
  reduced.k_support = basis.transpose() * system.k_support;
  return reduced;
}

Indices firstOf(std::size_t count) {
  Indices list(count);
  for (std::size_t i = 0; i < count; ++i) list[i] = static_cast<Eigen::Index>(i);
  return list;
}

}  // namespace

std::string_view name(Reduction::Method method) noexcept {
  constexpr std::array<std::string_view, 3> names = {"none", "static", "craig-bampton"};
  return names[static_cast<std::size_t>(method)];
}

ReducedSystem reduce(const SystemMatrices& system, const std::vector<Eigen::Index>& interface,
                     const Reduction& reduction) {
  if (reduction.method == Reduction::Method::none)
    return {system, Eigen::MatrixXd::Identity(system.size(), system.size())};
  const Indices inner = others(interface, system.size());
  const auto i = static_cast<Eigen::Index>(interface.size());
  const bool modal = reduction.method == Reduction::Method::craig_bampton;
  if (modal && reduction.modes < 0)
    throw InputError("/partition", "requires " + std::to_string(reduction.modes) + " modes; give 0 or more");

  const Eigen::MatrixXd constraint =
      -InnerStiffness(block(system.k, inner, inner)).solve(Eigen::MatrixXd(block(system.k, inner, interface)));
  Eigen::MatrixXd modes(constraint.rows(), 0);
  if (modal && reduction.modes > 0 && !inner.empty()) modes = clampedModes(system, inner, reduction.modes).shape;
  ReducedSystem result;
  result.basis = Eigen::MatrixXd::Zero(system.size(), i + modes.cols());
  result.basis(interface, Eigen::seqN(0, i)).setIdentity();
  result.basis(inner, Eigen::seqN(0, i)) = constraint;
  result.basis(inner, Eigen::lastN(modes.cols())) = modes;
  result.system = project(system, result.basis);
  for (const Eigen::Index dof : interface) result.system.dofs.push_back(system.dofs[static_cast<std::size_t>(dof)]);
  for (Eigen::Index mode = 1; mode <= modes.cols(); ++mode)
    result.system.dofs.push_back({"mode " + std::to_string(mode), Motion::translation});

  for (NonlinearLink link : system.nonlinear) {
    for (Eigen::Index* end : {&link.from, &link.to}) {
      if (*end < 0) continue;
      const auto here = std::find(interface.begin(), interface.end(), *end);
      if (here == interface.end())
        throw InputError("/partition", "reduces a side in which \"" + link.name +
                                           "\" is nonlinear and ends inside; only links between interface degrees of "
                                           "freedom can stay, so do not reduce this side");
      *end = here - interface.begin();
    }
    result.system.nonlinear.push_back(std::move(link));
  }
  return result;
}

Partition reduceSides(const Partition& partition, const Reduction& numerical, const Reduction& physical) {
  Partition result = partition;
  if (numerical.method != Reduction::Method::none) {
    ReducedSystem ns = reduce(partition.numerical, partition.interface_in_numerical, numerical);
    result.numerical = std::move(ns.system);
    result.interface_in_numerical = firstOf(partition.interface.size());
    result.numerical_loads = SparseMatrix((ns.basis.transpose() * partition.numerical_loads).sparseView());
  }
  if (physical.method != Reduction::Method::none) {
    const SystemMatrices& whole = partition.physical;
    const Indices& interface = partition.interface_in_physical;
    const Indices inner = others(interface, whole.size());
    ReducedSystem ps = reduce(whole, interface, physical);
    // Modal coordinates of the motion relative to the constraint modes of the interface: Phi^T M_bb (x_b - Psi x_i).
    const auto i = static_cast<Eigen::Index>(interface.size());
    const Eigen::MatrixXd constraint = ps.basis(inner, Eigen::seqN(0, i));
    const Eigen::MatrixXd modes = ps.basis(inner, Eigen::lastN(ps.basis.cols() - i));
    const Eigen::MatrixXd weights = (block(whole.m, inner, inner) * modes).transpose();
    Eigen::MatrixXd coordinates = Eigen::MatrixXd::Zero(ps.basis.cols(), whole.size());
    coordinates(Eigen::seqN(0, i), interface).setIdentity();
    coordinates(Eigen::lastN(modes.cols()), interface) = -weights * constraint;
    coordinates(Eigen::lastN(modes.cols()), inner) = weights;
    result.physical = std::move(ps.system);
    result.interface_in_physical = firstOf(partition.interface.size());
    result.physical_motion = SparseMatrix((coordinates * partition.physical_motion).sparseView());
  }
  return result;
}

SystemMatrices clamped(const SystemMatrices& system, const std::vector<Eigen::Index>& interface) {
  return among(system, others(interface, system.size()));
}

Eigen::VectorXd clampedFrequencies(const SystemMatrices& system, const std::vector<Eigen::Index>& interface,
                                   Eigen::Index count) {
  const Indices inner = others(interface, system.size());
  if (inner.empty() || count <= 0) return Eigen::VectorXd(0);
  return clampedModes(system, inner, count).frequency_hz;
}

CondensedStiffness::CondensedStiffness(const SystemMatrices& system, const Indices& interface)
    : interface_(interface), inside_(others(interface, system.size())) {
  const auto part = [&](const Indices& rows, const Indices& columns) {
    return Part{block(system.k, rows, columns), block(system.c, rows, columns), block(system.m, rows, columns)};
  };
  outer_ = part(interface_, interface_);
  across_ = part(interface_, inside_);
  back_ = part(inside_, interface_);
  inner_ = part(inside_, inside_);
}

Eigen::SparseMatrix<std::complex<double>> CondensedStiffness::Part::operator()(std::complex<double> s) const {
  Eigen::SparseMatrix<std::complex<double>> d = k.cast<std::complex<double>>();
  d += s * c.cast<std::complex<double>>();
  d += s * s * m.cast<std::complex<double>>();
  return d;
}

Eigen::MatrixXcd CondensedStiffness::operator()(std::complex<double> s) const {
  return loaded(s, Eigen::MatrixXcd(static_cast<Eigen::Index>(interface_.size() + inside_.size()), 0)).stiffness;
}

CondensedStiffness::Loaded CondensedStiffness::loaded(std::complex<double> s, const Eigen::MatrixXcd& load) const {
  Loaded at{outer_(s), load(interface_, Eigen::all)};
  if (inside_.empty()) return at;
  const Eigen::Index columns = at.stiffness.cols();
  Eigen::MatrixXcd inside(inner_.k.rows(), columns + load.cols()), follow;
  inside << Eigen::MatrixXcd(back_(s)), load(inside_, Eigen::all);
  if (linalg::solveSparse(inner_(s), inside, follow)) {
    follow = across_(s) * follow;
    at.stiffness -= follow.leftCols(columns);
    at.load -= follow.rightCols(load.cols());
  } else {
    at.stiffness.setConstant(std::numeric_limits<double>::infinity());
    at.load.setConstant(std::numeric_limits<double>::infinity());
  }
  return at;
}

Eigen::MatrixXcd condensedStiffness(const SystemMatrices& system, const Indices& interface, std::complex<double> s) {
  return CondensedStiffness(system, interface)(s);
}

double reductionError(const SystemMatrices& full, const std::vector<Eigen::Index>& interface,
                      const SystemMatrices& reduced, const std::vector<Eigen::Index>& reduced_interface,
                      const std::vector<double>& frequencies_hz) {
  const CondensedStiffness whole(full, interface), few(reduced, reduced_interface);
  double worst = 0.0;
  for (const double hz : frequencies_hz) {
    const std::complex<double> s(0.0, kTwoPi * hz);
    const Eigen::MatrixXcd exact = whole(s);
    worst = std::max(worst, (few(s) - exact).norm() / exact.norm());
  }
  return worst;
}

}  // namespace hyb
