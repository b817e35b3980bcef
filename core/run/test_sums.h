#pragma once
#include <string>
#include <vector>

#include "core/base/numbers.h"
#include "core/fidelity/running.h"
#include "core/fidelity/stability_indicator.h"
#include "core/run/analysed_rows.h"

namespace hyb {

/// Root of the mean square over the last window, from halves of it.
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

/// Sums of one interface over the rows of a run that are analysed.
struct InterfaceSums {
  AxisSignals axis;
  RunningComparison tracking;   // target, and what is compared with it
  RunningComparison reference;  // uncut structure, and the same; count() 0: no reference
  RunningTrackingIndicator indicator;
  std::uint64_t beyond = 0;        // periods with a gap beyond the tolerance, where there is one
  std::uint64_t last_beyond = 0;   // the last of these, from 1
  LastWindow moved{2}, wanted{2};  // it and the reference over the last analysis.window_s
};

/// What the figures of a test and its verdict are made of, row by row: of a recorded run, and of the window over the
/// last seconds of one that goes on.
class TestSums {
 public:
  struct Params {
    std::size_t interfaces = 1;
    std::vector<AxisSignals> axes = {};  // [i]; empty: motions
    bool reference = false;
    double step_s = 1e-3;
    GapTolerance tolerance = {};
    double window_s = 0.5;  // of growth and exchange
    double record_s = 1.0;  // about as much as will be added; the window is at most half of it
  };
  explicit TestSums(const Params& params);
  /// One period: target, motion of the interface, force, what is compared with the target and, where there is one,
  /// reference, each [interfaces]. No energy is counted while the test is held, because nothing is coupled then.
  void add(std::span<const double> values, bool held = false) noexcept;

  std::uint64_t count() const noexcept { return count_; }
  std::vector<InterfaceSums> interfaces;
  /// Time after which the gap of interface i stays within the tolerance; not a number while it does not.
  double gapClosed_s(std::size_t i) const noexcept {
    const std::uint64_t last = interfaces[i].last_beyond;
    return last < count_ ? static_cast<double>(last) * params_.step_s : kNoValue;
  }
  double energyError_j() const noexcept { return count_ > 0 ? energy_.energy_j() : kNoValue; }
  double addedEnergy_j() const noexcept { return count_ > 0 ? energy_.added_j() : kNoValue; }
  /// What the transfer system added, of the exchange in the last window.
  double addedShare() const noexcept { return indicator_.addedShare(); }
  /// Logarithm of what the amplitudes grew by up to the last row, while energy was added; and for how long they did.
  double growth() const noexcept { return growth_; }
  double growth_s() const noexcept { return growth_s_; }

 private:
  Params params_;
  StabilityIndicator indicator_;
  RunningEnergyError energy_;
  std::uint64_t count_ = 0;
  double growth_ = 0.0, growth_s_ = 0.0;
};
TestSums testSums(const RunRows& run, const AnalysedRows& rows);

/// Interfaces of a run. A project whose ground motion is not on this computer still has its figures, with plain names.
std::vector<AxisSignals> interfacesOf(const RunRows& run, std::size_t count);
/// Column of interface i, from 0, over whose motion forces do their work.
std::string movedColumn(const AnalysedRows& rows, const AxisSignals& axis, std::size_t i);
GapTolerance gapToleranceOf(const RunRows& run);
/// A number of the project as it ran; `otherwise` where it has none there.
double projectNumber(const RunRows& run, const char* pointer, double otherwise);

}  // namespace hyb
