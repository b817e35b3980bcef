#pragma once
#include "core/structure/system.h"

namespace hyb {

/// Where a nonlinear link stands: its stretch, m, and what its law remembers (bilinear: plastic stretch, m; Bouc-Wen:
/// z in -1..1; cubic and contact: nothing).
struct LinkHistory {
  double stretch = 0.0, memory = 0.0;
};

/// The history after the stretch has moved on a straight path to `stretch`. Bilinear: return mapping, exact. Bouc-Wen:
/// z depends on the path alone, not on the time it takes; classical Runge-Kutta in steps of a twentieth of the yield
/// stretch (error in z below 1e-6, 1e-4 for the sharpest loops). Of a move beyond 20 yield stretches the first 20
/// count: z has reached its bound by then. Real-time safe. Source of the return mapping: J. C. Simo, T. J. R. Hughes,
/// Computational Inelasticity, ch. 1.
LinkHistory advanced(const NonlinearLaw& law, LinkHistory from, double stretch) noexcept;

/// Force beyond that of the initial stiffness, f - k d, N; pulls the ends together when positive. Real-time safe.
double forceBeyondLinear(const NonlinearLaw& law, const LinkHistory& at) noexcept;

/// All nonlinear links of a system with their histories.
class LinkForces {
 public:
  explicit LinkForces(const SystemMatrices& system) : links_(system.nonlinear), histories_(links_.size()) {}
  bool empty() const noexcept { return links_.empty(); }
  void reset() noexcept;
  /// The links have moved to displacement x_m [n]. Once per step. Real-time safe.
  void commit(const Eigen::VectorXd& x_m) noexcept;
  /// force_n [n] += factor r, r at the last commit. Real-time safe.
  void add(double factor, Eigen::VectorXd& force_n) const noexcept;
  /// The same for a trial displacement reached from the last commit, which stays.
  void addTrial(const Eigen::VectorXd& x_m, double factor, Eigen::VectorXd& force_n) const noexcept;

  Eigen::VectorXd state() const;  // [2 links]
  void setState(const Eigen::Ref<const Eigen::VectorXd>& state);

 private:
  std::vector<NonlinearLink> links_;
  std::vector<LinkHistory> histories_;
};

}  // namespace hyb
