#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/fidelity/running.h"

namespace hyb {

struct StabilityIndicatorParams {
  double step_s = 1e-3;
  double window_s = 0.5;  // longest block: two to three periods of the slowest coupled motion
  double floor_j = 1e-6;  // exchange in a block below which the test is at rest
};

/// Online stability indicator from the forces and motions at the interfaces, without a model and from the first tick.
///
/// Energy balance of the coupled system: excitation + added = stored + dissipated. A passive pair of substructures
/// cannot grow unless someone pays for it. If the energy that the transfer system adds pays by itself, the excitation
/// is not needed for the growth and the loop is unstable. The idea of an energy criterion during the test is that of
/// Galmez and Fermandois (2020, doi 10.3389/fbuil.2020.00134); the formulas here are not theirs.
///
/// The record is cut into blocks of window_s, window_s / 2, ... at the same time, so that fast and slow modes each find
/// a suitable length. For each block: the added energy A; the exchange X, the integral of |numerical| + |experimental|
/// power, which is proportional to the square of the amplitude; and the swing S of the work on the specimen, largest
/// minus smallest value of its running sum, which is the energy that the specimen stores. Amplitudes grow by half the
/// logarithm of the growth of X. Two signs of an unstable loop, each over the last blocks of one length:
///
/// *Paid growth*, 3 blocks: in each X > X_before and A > 0 and A >= 2 (S - S_before), and the amplitudes grow by half
/// in all. 2: the numerical part stores about as much as the specimen.
///
/// *Steady growth*, 6 blocks, from the differences of the signals from tick to tick, which obey the same balance and
/// emphasise a fast mode under a large slow motion: the amplitudes double, by 2 1/s or more, in each block by 0.6 to
/// 1 / 0.6 of the mean, and the sum of A is positive. A resonance that builds up grows less and less in each block.
/// Some stable tests are mistaken all the same: the help page "safety" states how many.
///
/// In all these blocks the specimen returns a share of what it takes: within a quarter of a period every motion grows.
/// Share and numbers were chosen on seeded runs of the templates (tests/bench/growth_bench.cpp states the results for
/// other seeds). Energy added by errors of the integration is not seen. add() is real-time safe: no allocation, lock
/// or exception, and its time has a bound.
class StabilityIndicator {
 public:
  /// Interfaces as in RunningEnergyError. Step, floor must be positive, window_s 2 to 1e6 steps; InputError names each
  /// invalid one (/window_s, ...).
  StabilityIndicator(const StabilityIndicatorParams& params, std::size_t interfaces,
                     std::vector<char> asks_for_force = {});

  /// Starts again at this row: the first row, a hold. No work is counted.
  void moveTo(std::span<const double> force, std::span<const double> target, std::span<const double> measured) noexcept;
  /// The next row, `periods` >= 1 steps after the last. Blocks with a value that is not a number show no growth.
  void add(std::span<const double> force, std::span<const double> target, std::span<const double> measured,
           std::int64_t periods = 1) noexcept;

  /// Added energy over exchange of the last complete window, -1..1; positive: energy is added. A lag of phase p against
  /// a spring yields pi sin(p) / 4 to first order in p. 0 at rest and before the first window is complete.
  double addedShare() const noexcept { return share_; }
  /// Growth rate of the amplitudes while one of the signs stands, 1/s, the largest of all block lengths; else 0.
  double growth_per_s() const noexcept { return growth_per_s_; }

 private:
  static constexpr std::size_t kLengths = 6, kBlocks = 7;
  struct Block {
    double added_j = 0.0, exchange_j = 0.0, taken_j = 0.0, returned_j = 0.0, lowest_j = 0.0, highest_j = 0.0;
    void add(const InterfaceWork& work) noexcept;
    double swing_j() const noexcept { return highest_j - lowest_j; }
    double returnedShare() const noexcept;
  };
  /// The last complete blocks, the newest first, and the one in progress.
  struct Blocks {
    std::array<Block, kBlocks> last = {};
    Block now = {};
    void complete() noexcept;
  };
  struct Length {
    std::int64_t steps = 0, passed = 0;
    Blocks values = {}, differences = {};
    double growth_per_s = 0.0;
  };
  void restart() noexcept;
  double paidGrowth(const Length& length) const noexcept;
  double steadyGrowth(const Length& length) const noexcept;

  StabilityIndicatorParams params_;
  std::vector<Length> lengths_;  // the longest first
  RunningEnergyError values_, differences_;
  std::vector<double> last_;  // [3 interfaces]: force, target, measured of the last row
  std::vector<double> change_;
  bool fresh_ = true, first_change_ = true;
  double share_ = 0.0, growth_per_s_ = 0.0;
};

}  // namespace hyb
