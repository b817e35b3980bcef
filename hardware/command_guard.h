#pragma once
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/rig/rig_spec.h"

namespace hyb {

/// Bounds of a rig's own on how fast its commands may change, whatever a bench may ask for.
class CommandGuard {
 public:
  struct Bounds {
    double step = std::numeric_limits<double>::infinity();  // in one tick, SI
    double rate = std::numeric_limits<double>::infinity();  // a second
    std::string unit, rate_unit;
  };
  /// `bounds`: [axis]; axes beyond are unbounded.
  CommandGuard(std::vector<Bounds> bounds, double period_s) : bounds_(std::move(bounds)), period_s_(period_s) {}

  /// Why the raw value must not be followed; "" while it may be. `last`: the command that stands, SI; `periods`: since
  /// it was given.
  std::string objection(const ChannelSpec& channel, double raw, double last, double periods) const;

 private:
  std::vector<Bounds> bounds_;
  double period_s_;
};

}  // namespace hyb
