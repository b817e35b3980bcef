#pragma once
#include <string>
#include <vector>

#include "core/base/numbers.h"
#include "core/fidelity/running.h"
#include "core/fidelity/stability_indicator.h"
#include "core/run/analysed_rows.h"

namespace hyb {

/// RMS over the last window, computed from two halves.
class LastWindow {
 public:
  explicit LastWindow(std::size_t length) : length_(std::max<std::size_t>(2, length) / 2) {}
  void add(double value) noexcept {
    squares_[2] += value * value;
    if (++count_ < length_) return;
    squares_[0] = squares_[1], squares_[1] = squares_[2], squares_[2] = 0.0;
    blocks_ = std::min<std::size_t>(2, blocks_ + 1);
    count_ = 0;
  }
  double rms() const noexcept {
    const std::size_t samples = blocks_ * length_ + count_;
    const double squares = squares_[0] + squares_[1] + squares_[2];
    return samples > 0 ? std::sqrt(squares / static_cast<double>(samples)) : kNoValue;
  }

 private:
  std::size_t length_, count_ = 0, blocks_ = 0;
  double squares_[3] = {0.0, 0.0, 0.0};
};

/// Sums of one interface over the analysed rows of a run.
struct InterfaceSums {
  AxisSignals axis;
  RunningComparison tracking;   // target against what is compared with it
  RunningComparison reference;  // uncut structure against the same; count() 0: no reference
  RunningTrackingIndicator indicator;
  std::uint64_t beyond = 0;        // periods with a gap beyond the tolerance, if there is a tolerance
  std::uint64_t last_beyond = 0;   // the last such period, from 1
  LastWindow moved{2}, wanted{2};  // RMS of the motion and of the reference over the last analysis.window_s
};

/// Sums behind the figures and the verdict of a test, added row by row: for a recorded run, and for the last seconds of
/// a running test.
class TestSums {
 public:
  struct Params {
    std::size_t interfaces = 1;
    std::vector<AxisSignals> axes = {};  // [i]; empty: motions
    bool reference = false;
    double step_s = 1e-3;
    GapTolerance tolerance = {};
    double window_s = 0.5;  // of growth and exchange
    double record_s = 1.0;  // approximate length of the record; the window is at most half of it
    bool growth = true;     // false: growth and exchange, most of the work, are left out
  };
  explicit TestSums(const Params& params);
  /// One period: target, interface motion, force, value compared with the target, and the reference if there is one,
  /// each [interfaces]. While the test is held the loop is open and no energy is counted.
  void add(std::span<const double> values, bool held = false) noexcept;

  std::uint64_t count() const noexcept { return count_; }
  std::vector<InterfaceSums> interfaces;
  /// Time after which the gap of interface i stays within the tolerance; NaN while it does not.
  double gapClosed_s(std::size_t i) const noexcept {
    const std::uint64_t last = interfaces[i].last_beyond;
    return last < count_ ? static_cast<double>(last) * params_.step_s : kNoValue;
  }
  double energyError_j() const noexcept { return count_ > 0 ? energy_.energy_j() : kNoValue; }
  double addedEnergy_j() const noexcept { return count_ > 0 ? energy_.added_j() : kNoValue; }
  /// Energy added by the transfer system as a share of the exchange in the last complete window.
  double addedShare() const noexcept { return indicator_.addedShare(); }
  /// Logarithm of the growth of the amplitudes up to the last row while energy was added, and its duration.
  double growth() const noexcept { return growth_; }
  double growth_s() const noexcept { return growth_s_; }

 private:
  Params params_;
  StabilityIndicator indicator_;
  RunningEnergyError energy_;
  std::uint64_t count_ = 0;
  double growth_ = 0.0, growth_s_ = 0.0;
};
TestSums testSums(const RunRecord& run, const AnalysedRows& rows, bool growth = true);

/// Interfaces of a run. If a ground motion of the project is not on this computer, figures remain available with
/// default names.
std::vector<AxisSignals> interfacesOf(const RunRecord& run, std::size_t count);
/// Place of the column of interface i, from 0, whose motion does the work of the forces.
std::size_t movedColumn(const Table& table, const AxisSignals& axis, std::size_t i);
GapTolerance gapToleranceOf(const RunRecord& run);
/// A number of the project as it ran; `otherwise` if it has none at that place.
double projectNumber(const RunRecord& run, const char* pointer, double otherwise);

}  // namespace hyb
