#pragma once
#include <cstdint>
#include <memory>

#include "core/rig/rig.h"
#include "core/structure/partition.h"
#include "core/transfer/params.h"

namespace hyb {

/// The digital twin: actuators drive the interface DOF of the specimen (mass-spring-damper chain of the physical part),
/// sensors read displacement and force. read() advances it by the elapsed periods with the last command held, so x_k
/// holds the effect of commands up to u_{k-1}. Exact in time (unless its solver is another) as long as no limit acts;
/// where one does, the tick is integrated in substeps and read() says saturated, as it does when a reading is cut off
/// at the end of a sensor's range. After safeStop() the interface stands still. open() starts again at rest with the
/// same noise. Deterministic for a seed. Throws InputError (pointers under /rig) with every value that makes no sense
/// or makes the twin unstable at this rate.
///
/// `reads` sensors: measured holds what each displacement sensor reads, [y], before they are made into interface motion
/// (sensed_rig.h does that); interfaces() counts them, of commands and forces those beyond the actuators mean nothing.
/// `reads` interface: an accelerometer counts as a displacement sensor, as if what it reads were integrated without
/// fault.
enum class TwinReads : std::uint8_t { interface, sensors };
std::unique_ptr<Rig> makeTwin(const Partition& partition, const TwinParams& params, double step_s,
                              TwinReads reads = TwinReads::interface);

/// Its further columns: signals inside its actuators, "voltage_1", then specimenColumn() of those behind a spring.
std::vector<Channel> twinChannels(const TwinParams& params, std::size_t interfaces);

/// True displacement and force of the twin (before the sensors), for tests and studies. [i]; null if the rig is no
/// twin.
const RigState* trueState(const Rig& rig) noexcept;

}  // namespace hyb
