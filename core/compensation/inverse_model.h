#pragma once
#include <Eigen/Core>
#include <memory>
#include <vector>

#include "core/compensation/method.h"

namespace hyb {

/// Inverse of a model without zeros, x(s) = b / (a_m s^m + ... + a_0) u(s): the command is c_0 z + c_1 z' + ... + c_m
/// z^(m) with c_n = a_n / b. It is improper, so derivatives are first-order backward differences, and the result is a
/// filter of m + 1 taps. Araya 2023, sections 3.4.1 and 5.1 (note, section 6).
struct InverseModelParams {
  double numerator = 100.0;                         // b
  std::vector<double> denominator{1.0, 100.0};      // a_m ... a_0, highest power first; 1/s^(m - n) for a_m = 1
  Eigen::VectorXd gain = Eigen::VectorXd::Ones(1);  // of each axis, multiplies the command
  /// Adds every fault, with places relative to the method's settings.
  void check(Checks& checks) const;
};
/// c_0 ... c_m; c_n in s^n.
std::vector<double> inverseCoefficients(const InverseModelParams& params);
/// Weights of the newest target and those before it, without the gain. They sum to c_0.
std::vector<double> inverseTaps(const std::vector<double>& coefficients, double step_s);

/// With fewer than m + 1 targets the first one replaces the missing ones, as for an interface at rest. Tunables:
/// `gain_<i>`. Throws InputError with every fault.
std::unique_ptr<Compensator> makeInverseModel(const InverseModelParams& params, double step_s, const Axes& axes = {});

/// True if these settings of a project contain the model of the inverse.
bool holdsModel(const Json& settings);
/// Replaces the model; numerator over denominator, the highest power first.
void setModel(Json& settings, double numerator, const std::vector<double>& denominator);

/// Member of the family "compensation".
CompensationMethodPtr parseInverseModel(const Json& settings, const MethodContext& context, Checks& checks);

}  // namespace hyb
