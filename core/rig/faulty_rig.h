#pragma once
#include <cstdint>
#include <memory>

#include "core/rig/rig.h"

namespace hyb {

/// A rig with deliberate faults: passes everything through until inject() starts a fault (faultFacts() describes them).
/// Faults add up in the order of their start, at most 32 at a time. inject() and the tick belong to one thread. open()
/// ends all faults; the same seed leads to the same faults.
///
/// - Faults that the inner rig supports are passed on to it.
/// - connection: samples are lost, damaged, overtaken or late on their way to the loop. A tick without a new sample is
///   stale and keeps the old values. After a link loss no command reaches the rig, and it has stopped; both remain
///   until open(). Counted in link(), unless the inner rig has its own link.
/// - sensor: on the readings, after the rig's own noise and range.
/// - rig: freeze and runaway act on the commands. Power stays lost until open().
///
/// `simulated`: the rig is not a real one. A real one refuses a runaway.
std::unique_ptr<Rig> makeFaultyRig(std::unique_ptr<Rig> rig, double step_s, std::uint64_t seed, bool simulated = true);

}  // namespace hyb
