#pragma once
#include "core/stability/loop_gain.h"

namespace hyb {

/// A loop below a cut-off, for several questions: common intermediate results are computed once. The functions of
/// delay_stability.h, stable_delays.h and margins.h use a separate loop per question. Not for several threads at a
/// time.
class DelayedLoop {
 public:
  DelayedLoop(const DelaySystem& system, double cutoff_hz);

  /// With few coordinates on both sides.
  const DelaySystem& system() const noexcept { return system_; }
  double cutoff_hz() const noexcept { return cutoff_hz_; }

  /// rightmostRoots() without an extra delay.
  const std::vector<std::complex<double>>& roots();
  Roots countedRoots();
  const std::vector<UnitGain>& unitGains();
  std::vector<Crossing> crossings(double max_delay_s);
  std::optional<Crossing> criticalDelay(double max_delay_s);

 private:
  DelaySystem system_;
  double cutoff_hz_;
  std::optional<std::vector<std::complex<double>>> roots_;
  std::optional<std::vector<UnitGain>> unit_gains_;
};

}  // namespace hyb
