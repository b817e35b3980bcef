#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <span>

namespace hyb {

/// Statistics of a connection to a device since it was opened: written by its driver, read by any thread. Each cause is
/// counted separately.
struct LinkFigures {
  std::atomic<std::uint64_t> sent{0}, received{0};  // frames, lines or requests; usable replies
  std::atomic<std::uint64_t> lost{0};               // no reply in time
  std::atomic<std::uint64_t> corrupt{0};            // checksum, form, not a number
  std::atomic<std::uint64_t> out_of_order{0};       // older than the newest, or of another session
  std::atomic<std::uint64_t> late{0};               // too long on their way
  std::atomic<std::uint64_t> doubled{0};            // received before
  std::atomic<std::uint64_t> foreign{0};            // of another sender, ignored: no error of this link
  std::atomic<std::uint64_t> clipped{0};            // outside the agreed range
  std::atomic<std::int64_t> last_round_trip_ns{0};
  std::atomic<std::int64_t> last_age_ns{0};      // arrival minus sampling instant, in the bench's clock
  std::atomic<std::int64_t> clock_offset_ns{0};  // clock of the device minus ours
  std::atomic<double> clock_drift_ppm{0.0};      // growth of the offset

  /// Histogram of the round trip: bin b contains times below binEnd(b), four bins per octave from 1 us; the last one
  /// contains all longer times.
  static constexpr std::size_t kBins = 80;
  std::array<std::atomic<std::uint64_t>, kBins> round_trips{};
  static double binEndNs(std::size_t bin) noexcept { return 1000.0 * std::exp2(static_cast<double>(bin) / 4.0); }
  /// Real-time safe.
  void addRoundTrip(std::int64_t ns) noexcept {
    last_round_trip_ns.store(ns, std::memory_order_relaxed);
    const double octaves = ns > 1000 ? 4.0 * std::log2(static_cast<double>(ns) / 1000.0) : 0.0;
    const auto bin = static_cast<std::size_t>(std::ceil(octaves));
    round_trips[bin < kBins ? bin : kBins - 1].fetch_add(1, std::memory_order_relaxed);
  }
  /// Quantile `share` (0..1) of the round trips, rounded to a bin; ns. 0: there were none.
  double roundTripNs(double share) const noexcept {
    std::uint64_t all = 0, seen = 0;
    for (const auto& bin : round_trips) all += bin.load(std::memory_order_relaxed);
    for (std::size_t b = 0; b < kBins && all > 0; ++b) {
      seen += round_trips[b].load(std::memory_order_relaxed);
      if (static_cast<double>(seen) >= share * static_cast<double>(all)) return binEndNs(b);
    }
    return 0.0;
  }
  /// Shortest time-out on this link for a healthy test, in ticks: five times the 99.9 % quantile of the round trips,
  /// twice the longest one and the longest known gap (`silence_ns`), at least 10.
  int sufficientTimeoutTicks(double rate_hz, double silence_ns = 0.0) const noexcept {
    const double needed_ns = std::max(5.0 * roundTripNs(0.999), 2.0 * std::max(roundTripNs(1.0), silence_ns));
    return static_cast<int>(std::clamp(std::ceil(1e-9 * needed_ns * rate_hz), 10.0, 100'000.0));
  }
  /// Ticks without new data on a healthy link: twice the 99.9 % quantile of the round trips, and more than the longest
  /// one.
  int healthyStaleTicks(double rate_hz) const noexcept {
    const double healthy_ns = std::max(2.0 * roundTripNs(0.999), roundTripNs(1.0));
    return static_cast<int>(std::clamp(std::ceil(1e-9 * healthy_ns * rate_hz), 1.0, 100'000.0));
  }
  std::uint64_t errors() const noexcept {
    return lost.load(std::memory_order_relaxed) + corrupt.load(std::memory_order_relaxed) +
           out_of_order.load(std::memory_order_relaxed) + late.load(std::memory_order_relaxed) +
           doubled.load(std::memory_order_relaxed);
  }
};

}  // namespace hyb
