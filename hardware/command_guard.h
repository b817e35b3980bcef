#pragma once
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/rig/rig_spec.h"

namespace hyb {

/// Own bounds of a rig on the rate of its commands, independent of the bench.
class CommandGuard {
 public:
  struct Bounds {
    double step = std::numeric_limits<double>::infinity();  // in one tick, SI
    double rate = std::numeric_limits<double>::infinity();  // per second
    std::string unit, rate_unit;
  };
  /// `bounds`: [axis]; further axes are unbounded.
  CommandGuard(std::vector<Bounds> bounds, double period_s) : bounds_(std::move(bounds)), period_s_(period_s) {}

  /// Reason to refuse the raw value; "" if it is allowed. `last`: current command, SI; `periods`: ticks since that
  /// command.
  std::string objection(const ChannelSpec& channel, double raw, double last, double periods) const;

 private:
  std::vector<Bounds> bounds_;
  double period_s_;
};

}  // namespace hyb
