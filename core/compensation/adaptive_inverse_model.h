#pragma once
#include "core/compensation/inverse_feedforward.h"

namespace hyb {

/// Adaptive model-based compensation. Gálmez and Fermandois 2022; Araya 2023, sections 3.4.2 and 5.2 (note, section 7).
/// With low-pass filtered u and x and X = [x, x', x'', ...] the coefficients follow the gradient of the error of u = a
/// X:
///   a' = adaption diag(10^exponent) e X,  e = (u - a X) / (1 + X X).
/// The 1 implies metres: the published exponents are for motions in m.
/// The source bounds the result of the integrators, not the integrators: e and the command use the bounded a, while the
/// integrators continue beyond the bound and have to return before a leaves it. With anti-windup they stop there.
struct AdaptiveInverseModelParams {
  InverseFeedforwardParams inverse;
  std::vector<double> gain_exponents;  // for each coefficient
  double adaption = 1.0;               // multiplies all gains; 0: holds the coefficients
  bool anti_windup = false;            // the integrators stop at the bounds of the coefficients
  /// Adds every fault, with places relative to the method's settings.
  void check(double step_s, Checks& checks) const;
};

/// a after one tick with constant u and X: the exact solution of the law, approximated by Runge-Kutta steps in the
/// source.
void followGradient(const Coefficients& gains, double u, const Coefficients& x, double step_s,
                    Coefficients& a) noexcept;
/// The same for integrators without anti-windup: `a` is the bounded result of `integrated`. Those beyond a bound change
/// with the error, but do not reduce it.
void followGradient(const Coefficients& gains, double u, const Coefficients& x, double step_s, const Coefficients& a,
                    Coefficients& integrated) noexcept;

/// Tunables: adaption, then `gain_exponent_<n>`. Adapted: `a<n>_<i>`. Throws InputError with every fault.
std::unique_ptr<Compensator> makeAdaptiveInverseModel(const AdaptiveInverseModelParams& params, double step_s,
                                                      const Axes& axes = {});

/// Member of the family "compensation".
CompensationMethodPtr parseAdaptiveInverseModel(const Json& settings, const MethodContext& context, Checks& checks);

}  // namespace hyb
