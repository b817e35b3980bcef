#pragma once
#include <Eigen/Core>
#include <memory>
#include <span>
#include <string_view>

namespace hyb {

/// Computes a step of a harmonic balance from the known values of the equations R(V) = 0. Real-time safe except for the
/// constructors.
class BalanceMethod {
 public:
  virtual ~BalanceMethod() = default;
  /// Start of a frequency.
  virtual void begin() noexcept {}
  /// The inverse Jacobian [n, n] has been measured again.
  virtual void renewed() noexcept {}
  /// A step dV has changed the residual by dR; both are above the noise. May improve the inverse.
  virtual void observe(const Eigen::VectorXd& /*dv*/, const Eigen::VectorXd& /*dr*/,
                       Eigen::MatrixXd& /*inverse*/) noexcept {}
  /// The next step, from a residual: -J^-1 R.
  virtual void propose(const Eigen::MatrixXd& inverse, const Eigen::VectorXd& r, Eigen::VectorXd& dv) noexcept;
};

/// A member of the family: its name in a project, and its factory.
struct BalanceMethodKind {
  std::string_view name;
  bool renews_each_step;  // needs a new Jacobian after every step
  std::unique_ptr<BalanceMethod> (*make)(Eigen::Index unknowns);
};
/// broyden: J^-1 += (dV - J^-1 dR) dV^T J^-1 / (dV^T J^-1 dR), the method of A. Vizzaccaro et al., section 2.4; the
/// default. newton: measures a new Jacobian for each step. anderson: keeps the measured Jacobian; the step follows from
/// the mixture of the last residuals with the least norm (D. G. Anderson, 1965).
std::span<const BalanceMethodKind> balanceMethods();
/// By name; the first member for an unknown name.
const BalanceMethodKind& balanceMethod(std::string_view name);

}  // namespace hyb
