#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/fidelity/energy.h"
#include "core/fidelity/record.h"

namespace hyb {

// The measures that are taken row by row, each in one place: the safety chain, the figures of a run, its verdict and
// the live plots use these. Signs as in the catalogue (measure.h). Real-time safe once made: no allocation, lock or
// exception.

/// How far b, what was achieved, is from a, what was wanted. One value each per period.
class RunningComparison {
 public:
  void add(double a, double b) noexcept {
    const double error = b - a;
    error_squares_ += error * error;
    squares_ += a * a;
    // A not-a-number stays.
    if (!(std::abs(error) <= error_peak_)) error_peak_ = std::abs(error);
    if (!(std::abs(a) <= peak_)) peak_ = std::abs(a);
    achieved_peak_ = std::max(achieved_peak_, std::abs(b));
    ++count_;
  }
  std::uint64_t count() const noexcept { return count_; }
  double errorRms() const noexcept { return root(error_squares_); }  // of b - a
  double errorPeak() const noexcept { return count_ > 0 ? error_peak_ : kNoFigure; }
  double rms() const noexcept { return root(squares_); }  // of a
  double peak() const noexcept { return count_ > 0 ? peak_ : kNoFigure; }
  double achievedPeak() const noexcept { return count_ > 0 ? achieved_peak_ : kNoFigure; }  // of b
  /// rms(b - a) / rms(a); NaN where a stands still. J2, J4, J6, J7 as shares.
  double nrmse() const noexcept { return squares_ > 0.0 ? std::sqrt(error_squares_ / squares_) : kNoFigure; }
  /// max|b - a| / max|a|; likewise. J3, J5, J8, J9 as shares.
  double peakShare() const noexcept { return peak_ > 0.0 ? error_peak_ / peak_ : kNoFigure; }

 private:
  double root(double squares) const noexcept {
    return count_ > 0 ? std::sqrt(squares / static_cast<double>(count_)) : kNoFigure;
  }
  double error_squares_ = 0.0, squares_ = 0.0, error_peak_ = 0.0, peak_ = 0.0, achieved_peak_ = 0.0;
  std::uint64_t count_ = 0;
};

/// Energy that the transfer system added to the coupled system, J: - sum over the interfaces of the integral of f d(x -
/// z), trapezoidal, with the force f on the numerical part, x measured and z the target. Negative: took out.
class RunningEnergyError {
 public:
  explicit RunningEnergyError(std::size_t interfaces)
      : force_(interfaces, 0.0), target_(interfaces, 0.0), measured_(interfaces, 0.0) {}
  /// Where the path goes on without work being counted: the first row, a hold, rows that are not known.
  void moveTo(std::span<const double> force, std::span<const double> target,
              std::span<const double> measured) noexcept {
    std::copy_n(force.begin(), force_.size(), force_.begin());
    std::copy_n(target.begin(), force_.size(), target_.begin());
    std::copy_n(measured.begin(), force_.size(), measured_.begin());
  }
  /// The next row, `elapsed_s` after the last. Returns the powers between the two, summed over the interfaces.
  InterfacePower add(std::span<const double> force, std::span<const double> target, std::span<const double> measured,
                     double elapsed_s) noexcept {
    double numerical_j = 0.0, step_j = 0.0;
    for (std::size_t i = 0; i < force_.size(); ++i) {
      const double restoring = -0.5 * (force[i] + force_[i]);
      numerical_j += restoring * (target[i] - target_[i]);
      step_j += restoring * ((measured[i] - target[i]) - (measured_[i] - target_[i]));
    }
    energy_j_ += step_j;
    if (!(step_j <= 0.0)) added_j_ += step_j;  // keeps a not-a-number
    moveTo(force, target, measured);
    return {numerical_j / elapsed_s, (numerical_j + step_j) / elapsed_s};
  }
  void reset() noexcept { energy_j_ = added_j_ = 0.0; }
  double energy_j() const noexcept { return energy_j_; }
  double added_j() const noexcept { return added_j_; }  // over the steps alone in which energy was added

 private:
  std::vector<double> force_, target_, measured_;
  double energy_j_ = 0.0, added_j_ = 0.0;
};

/// Tracking indicator: area swept in the plot of measured over target, (1/2) integral of z dx - x dz, exact for
/// straight steps, in the unit of the motion squared. Rises with lag, falls with lead.
class RunningTrackingIndicator {
 public:
  void moveTo(double target, double measured) noexcept { target_ = target, measured_ = measured; }
  void add(double target, double measured) noexcept {
    area_ += 0.5 * (target_ * measured - target * measured_);
    moveTo(target, measured);
  }
  double area() const noexcept { return area_; }

 private:
  double target_ = 0.0, measured_ = 0.0, area_ = 0.0;
};

}  // namespace hyb
