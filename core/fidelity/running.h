#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/numbers.h"
#include "core/fidelity/record.h"

namespace hyb {

// Measures that are updated row by row, each defined once: the safety chain, the figures of a run, its verdict and the
// live plots use these. Signs as in the catalogue (measure.h). Real-time safe after construction: no allocation, lock
// or exception.

/// Deviation of the achieved b from the intended a. One value each per period.
class RunningComparison {
 public:
  void add(double a, double b) noexcept {
    const double error = b - a;
    error_squares_ += error * error;
    squares_ += a * a;
    raise(error_peak_, error);
    raise(peak_, a);
    raise(achieved_peak_, b);
    ++count_;
  }
  std::uint64_t count() const noexcept { return count_; }
  double errorRms() const noexcept { return root(error_squares_); }  // of b - a
  double errorPeak() const noexcept { return count_ > 0 ? error_peak_ : kNoValue; }
  double rms() const noexcept { return root(squares_); }  // of a
  double peak() const noexcept { return count_ > 0 ? peak_ : kNoValue; }
  double achievedPeak() const noexcept { return count_ > 0 ? achieved_peak_ : kNoValue; }  // of b
  /// rms(b - a) / rms(a); NaN for constant 0 a. J2, J4, J6, J7 as shares.
  double nrmse() const noexcept { return squares_ > 0.0 ? std::sqrt(error_squares_ / squares_) : kNoValue; }
  /// rms(b - a) / max|a|, and the difference of the largest magnitudes by max|a|; likewise.
  double rmsByPeak() const noexcept { return peak_ > 0.0 ? errorRms() / peak_ : kNoValue; }
  double peakDifference() const noexcept { return peak_ > 0.0 ? std::abs(peak_ - achieved_peak_) / peak_ : kNoValue; }
  /// max|b - a| / max|a|; likewise. J3, J5, J8, J9 as shares. (Insam 2022 divides by max a, not its magnitude, which
  /// would depend on the direction of the axis.)
  double peakShare() const noexcept { return peak_ > 0.0 ? error_peak_ / peak_ : kNoValue; }

 private:
  /// A NaN stays.
  static void raise(double& peak, double value) noexcept {
    if (!(std::abs(value) <= peak) && peak == peak) peak = std::abs(value);
  }
  double root(double squares) const noexcept {
    return count_ > 0 ? std::sqrt(squares / static_cast<double>(count_)) : kNoValue;
  }
  double error_squares_ = 0.0, squares_ = 0.0, error_peak_ = 0.0, peak_ = 0.0, achieved_peak_ = 0.0;
  std::uint64_t count_ = 0;
};

/// Of two complete records of equal length.
inline RunningComparison compared(std::span<const double> a, std::span<const double> b) noexcept {
  RunningComparison sums;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) sums.add(a[k], b[k]);
  return sums;
}

/// Works between two rows, summed over the interfaces, J.
struct InterfaceWork {
  double numerical_j, added_j;  // of the numerical part; added to it by the transfer system
  double elapsed_s;             // between the rows
};

/// Energy that the transfer system added to the coupled system, J: - sum over the interfaces of the integral of f d(x -
/// z), trapezoidal, with the force f on the numerical part, x measured and z the target; for an interface with force
/// target z, of (f - z) dx. Negative: removed.
class RunningEnergyError {
 public:
  /// asks_for_force [i]; empty: no force targets.
  explicit RunningEnergyError(std::size_t interfaces, std::vector<char> asks_for_force = {})
      : asks_for_force_(std::move(asks_for_force)),
        force_(interfaces, 0.0),
        target_(interfaces, 0.0),
        measured_(interfaces, 0.0) {
    asks_for_force_.resize(interfaces, 0);
  }
  /// Continues the path without counting work: the first row, a hold, unknown rows.
  void moveTo(std::span<const double> force, std::span<const double> target,
              std::span<const double> measured) noexcept {
    for (std::size_t i = 0; i < force_.size(); ++i) {
      force_[i] = force[i];
      target_[i] = target[i];
      measured_[i] = measured[i];
    }
  }
  /// Adds the next row, `elapsed_s` after the last.
  InterfaceWork add(std::span<const double> force, std::span<const double> target, std::span<const double> measured,
                    double elapsed_s) noexcept {
    double numerical_j = 0.0, step_j = 0.0;
    for (std::size_t i = 0; i < force_.size(); ++i) {
      const double restoring = -0.5 * (force[i] + force_[i]);
      if (asks_for_force_[i] != 0) {
        const double wanted = -0.5 * (target[i] + target_[i]), moved = measured[i] - measured_[i];
        numerical_j += wanted * moved;
        step_j += (restoring - wanted) * moved;
        continue;
      }
      numerical_j += restoring * (target[i] - target_[i]);
      step_j += restoring * ((measured[i] - target[i]) - (measured_[i] - target_[i]));
    }
    energy_j_ += step_j;
    if (!(step_j <= 0.0)) added_j_ += step_j;  // keeps a NaN
    moveTo(force, target, measured);
    return {numerical_j, step_j, elapsed_s};
  }
  void reset() noexcept { energy_j_ = added_j_ = 0.0; }
  double energy_j() const noexcept { return energy_j_; }
  double added_j() const noexcept { return added_j_; }  // only over steps with added energy

 private:
  std::vector<char> asks_for_force_;
  std::vector<double> force_, target_, measured_;
  double energy_j_ = 0.0, added_j_ = 0.0;
};

/// Area swept in the plot of measured over target by a straight step from one row to the next, (1/2) (z dx - x dz).
inline double sweptArea(double last_target, double last_measured, double target, double measured) noexcept {
  return 0.5 * (last_target * measured - target * last_measured);
}

/// Tracking indicator: area swept in the plot of measured over target, in the unit of the motion squared. Rises with
/// lag, falls with lead.
class RunningTrackingIndicator {
 public:
  void moveTo(double target, double measured) noexcept { target_ = target, measured_ = measured; }
  void add(double target, double measured) noexcept {
    area_ += sweptArea(target_, measured_, target, measured);
    moveTo(target, measured);
  }
  double area() const noexcept { return area_; }

 private:
  double target_ = 0.0, measured_ = 0.0, area_ = 0.0;
};

}  // namespace hyb
