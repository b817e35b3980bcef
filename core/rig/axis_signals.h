#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/base/signal_kind.h"
#include "core/data/channel.h"
#include "core/structure/system.h"

namespace hyb {

/// One axis of the interface: its name and the kinds of its signals.
struct AxisSignals {
  std::string name;                              // "m3", "B.rotation"; "" if unknown
  SignalKind motion = SignalKind::displacement;  // measured motion; the force beside it is its partner
  SignalKind target = SignalKind::displacement;  // output of the NS: the motion, or the force beside it
  SignalKind command = SignalKind::displacement;

  SignalKind force() const noexcept { return facts(motion).partner; }
  /// True if the target is a force, which is compared with the measured force.
  bool asksForForce() const noexcept { return target != motion; }
};

/// Role of the column that is compared with the target.
inline ColumnRole trackedRole(const AxisSignals& axis) noexcept {
  return axis.asksForForce() ? ColumnRole::force : ColumnRole::measured;
}

inline SignalKind motionOf(const AxisSignals& axis) noexcept { return axis.motion; }
inline SignalKind targetOf(const AxisSignals& axis) noexcept { return axis.target; }
inline SignalKind commandOf(const AxisSignals& axis) noexcept { return axis.command; }
inline SignalKind forceOf(const AxisSignals& axis) noexcept { return axis.force(); }

/// Largest acceptable gap; 0: not specified.
struct GapTolerance {
  double motion = 5e-4, force = 0.0;  // m, N
  double of(const AxisSignals& axis) const noexcept { return axis.asksForForce() ? force : motion; }
};

/// [i], 1 if the target is a force.
inline std::vector<char> asksForForce(const std::vector<AxisSignals>& axes) {
  std::vector<char> asks;
  for (const AxisSignals& axis : axes) asks.push_back(axis.asksForForce() ? 1 : 0);
  return asks;
}

/// Signals of an axis whose target and command are its motion.
inline AxisSignals motionSignals(std::string name, SignalKind motion) {
  return {std::move(name), motion, motion, motion};
}
inline std::vector<AxisSignals> motionSignals(const std::vector<Dof>& dofs) {
  std::vector<AxisSignals> signals;
  for (const Dof& dof : dofs) signals.push_back(motionSignals(dof.name, kindOf(dof.motion)));
  return signals;
}

}  // namespace hyb
