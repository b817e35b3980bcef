#pragma once
#include <cstddef>
#include <vector>

#include "core/fidelity/energy.h"

namespace hyb {

struct StabilityIndicatorParams {
  double step_s = 1e-3;
  double window_s = 0.5;    // two to three periods of the slowest coupled motion
  double low_pass_s = 0.1;  // of the error power, as T_error of passivity control
  double least_growth_per_s =
      0.1;  // of the amplitudes, least growth that counts: steady motion fluctuates if it does not fit the window
  double floor_j = 1e-6;  // exchange over a window below which the test is at rest
};

/// Trend from the energies of the last two windows.
enum class EnergyTrend {
  at_rest,     // too little exchange, or fewer than two complete windows
  dissipated,  // the transfer system removes energy over the window
  added,       // it adds energy, but the exchange does not grow: the structures dissipate it
  growing,     // it adds energy and the exchange grows: sign of an unstable loop
};

/// Online stability indicator from the powers at the interfaces. The sum of the error energy cancels over oscillations,
/// and its power is positive at times in every stable test (Insam 2022, 5.2, note D5.1). Here the error energy of a
/// sliding window is compared with the exchange, the integral of |numerical| + |experimental| power, of the same window
/// and of the previous window. The exchange is proportional to the square of the amplitude, which yields the rate of
/// growth.
///
/// It detects energy added by the transfer system from the measured signals, without a model. It does not detect errors
/// of the integration, and does not separate growth caused by the excitation from growth caused by the transfer system
/// if both occur: a resonance building up with a lagging actuator also reads "growing". update() is real-time safe: no
/// allocation, lock or exception, constant time.
class StabilityIndicator {
 public:
  /// Step, times and floor must be positive, window_s 2 to 1e6 steps; InputError names each invalid one (/window_s,
  /// ...).
  explicit StabilityIndicator(const StabilityIndicatorParams& params);

  /// One tick; for several interfaces the sums of their powers. A power that is not a number counts as 0, faults().
  void update(const InterfacePower& power) noexcept;
  void reset() noexcept;

  double errorPower_w() const noexcept { return power_w_; }        // low-passed
  double errorEnergy_j() const noexcept { return error_.sum(0); }  // over the last window
  double exchange_j() const noexcept { return exchange_.sum(0); }  // likewise, >= 0
  /// Error energy over exchange of the last window, -1..1; positive: energy is added. A lag of phase p against a spring
  /// yields pi sin(p) / 4 to first order in p. 0 at rest.
  double addedShare() const noexcept;
  /// Growth rate of amplitudes, 1/s: half the logarithm of the exchange of the last window over that of the previous
  /// window, per window. 0 at rest.
  double growth_per_s() const noexcept;
  EnergyTrend trend() const noexcept;
  std::size_t faults() const noexcept { return faults_; }

 private:
  /// Sums of the last n values and of the n before, from a ring of 2 n. Running sums accumulate rounding; fresh sums,
  /// built while the ring fills, replace them at each turn.
  class Windows {
   public:
    explicit Windows(std::size_t n) : values_(2 * n, 0.0) {}
    void push(double value) noexcept;
    double sum(int window) const noexcept { return sums_[window]; }
    bool full() const noexcept { return seen_ >= values_.size(); }
    void reset() noexcept;

   private:
    std::vector<double> values_;
    double sums_[2] = {0.0, 0.0}, fresh_[2] = {0.0, 0.0};
    std::size_t next_ = 0, seen_ = 0;
  };
  bool moving() const noexcept;

  StabilityIndicatorParams params_;
  Windows error_, exchange_;
  double power_w_ = 0.0, keep_ = 0.0;  // keep_: remaining share of the low-passed power after a step
  std::size_t faults_ = 0;
};

}  // namespace hyb
