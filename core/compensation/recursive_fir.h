#pragma once
#include <Eigen/Core>
#include <memory>
#include <vector>

#include "core/compensation/coefficients.h"
#include "core/compensation/method.h"

namespace hyb {

/// Taps w of a filter, learnt by recursive least squares so that w applied to the filtered motion m gives the filtered
/// command:
///   gain = P m / (forgetting + m' P m),   P <- (P - gain m' P) / forgetting,   w <- w + gain (command - w' m).
/// No memory allocation; real-time safe except for its construction.
class RecursiveTaps {
 public:
  using Covariance = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostCoefficients, kMostCoefficients>;
  RecursiveTaps(const Coefficients& start, const Covariance& covariance) : w_(start), p_(covariance) {}

  /// One step with a known filtered command.
  void learn(const Coefficients& motion, double sent, double forgetting) noexcept;
  /// One step whose command is that of the new taps for these targets. The filtered command contains it: sent = direct
  /// command + free. Returns the command, the solution of this linear equation.
  double learnAndApply(const Coefficients& motion, const Coefficients& targets, double free, double direct,
                       double forgetting) noexcept;
  const Coefficients& taps() const noexcept { return w_; }
  Coefficients& taps() noexcept { return w_; }
  const Covariance& covariance() const noexcept { return p_; }

 private:
  void takeGain(const Coefficients& motion, double forgetting) noexcept;
  Coefficients w_, gain_;
  Covariance p_;
};

/// Robust decentralised adaptive compensation (RoDeAC): for each axis a filter of targets up to the newest, learnt by
/// recursive least squares on the inverse of the plant. Measured motion and command pass the same Butterworth low-pass
/// of order 4. Source: Quiroz, Galmez, Fermandois, Front. Built Environ. 10 (2024) 1394952.
struct RecursiveFirParams {
  std::vector<double> start{1.0, 0.0, 0.0, 0.0};  // taps, newest target first
  std::vector<std::vector<double>> covariance;    // P at the start, [n, n] or one row with its diagonal, 1/m^2
  int spacing_ticks = 1;                          // between the targets of two taps
  double forgetting = 1.0;
  double cutoff_hz = 20.0;
  double dead_band_m = 0.0;  // no adaption while no remembered motion is larger
  bool apply_new = true;     // the command is that of the taps of this tick; false: of the last tick
  /// Adds every fault, with places relative to the method's settings.
  void check(double step_s, Checks& checks) const;
};

/// Tunables: forgetting, dead_band (m). Adapted: `tap<n>_<i>`. Throws InputError with every fault.
std::unique_ptr<Compensator> makeRecursiveFir(const RecursiveFirParams& params, double step_s, const Axes& axes = {});

/// Member of the family "compensation".
CompensationMethodPtr parseRecursiveFir(const Json& settings, const MethodContext& context, Checks& checks);

}  // namespace hyb
