#pragma once
#include <cstdint>
#include <memory>

#include "core/rig/rig.h"

namespace hyb {

/// A rig that can go wrong on purpose: passes everything through until inject() begins a fault (faultFacts() says what
/// each does). Faults add up in the order in which they begin, at most 32 at a time. inject() and the tick belong to
/// one thread. open() ends all faults; the same seed gives the same faults.
///
/// - What the rig beneath can do by itself, it is asked to do.
/// - connection: samples are lost, damaged, overtaken or late on their way to the loop. A tick without a new sample is
///   stale and keeps the old values. After a link loss no command gets through, and the rig has stopped; both stay so
///   until open(). Counted in link(), unless the rig beneath has a link of its own.
/// - sensor: on the readings, after the rig's own noise and range.
/// - rig: freeze and runaway act on the commands. A lost power stays lost until open().
///
/// `simulated`: the rig is no real one. A real one refuses to run away.
std::unique_ptr<Rig> makeFaultyRig(std::unique_ptr<Rig> rig, double step_s, std::uint64_t seed, bool simulated = true);

}  // namespace hyb
