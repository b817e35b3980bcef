#pragma once
#include <cstddef>
#include <vector>

#include "core/checks.h"
#include "core/transfer/params.h"

namespace hyb {

/// Largest speed of the actuator, m/s, while the load pushes against the motion with `opposing_n` (<= 0: it helps, and
/// the no-load speed counts): v0 sqrt(1 - F/F0), 0 from the stall force on.
double velocityCapacity(const ActuatorParams& params, double opposing_n) noexcept;

/// A delay in whole ticks and the rest, 0 <= fraction < 1.
struct TickDelay {
  std::size_t ticks = 0;
  double fraction = 0.0;
};
/// Splits a delay; what lies within 1e-9 ticks of a whole number is one.
TickDelay splitDelay(double delay_s, double step_s) noexcept;

/// Adds every fault of actuator `index`, with pointers under /rig/actuators/<index>.
void checkActuator(Checks& checks, const ActuatorParams& params, std::size_t index, double step_s);

/// The commands of the last ticks of one actuator.
class CommandHistory {
 public:
  struct Entry {
    double position = 0.0, rate = 0.0;  // m, m/s
  };
  /// Remembers the newest command and `ticks` before it.
  explicit CommandHistory(std::size_t ticks);
  void reset() noexcept;
  /// Real-time safe.
  void push(Entry command) noexcept;
  /// Command `back` ticks before the newest. Real-time safe.
  const Entry& at(std::size_t back) const noexcept { return entries_[(newest_ - back) & mask_]; }

 private:
  std::vector<Entry> entries_;  // ring, size a power of two
  std::size_t mask_, newest_ = 0;
};

}  // namespace hyb
