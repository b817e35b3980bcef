#pragma once
#include <cstdint>
#include <memory>

#include "core/rig/rig.h"
#include "core/structure/partition.h"
#include "core/transfer/params.h"

namespace hyb {

/// The digital twin: actuators drive the interface DOF of the specimen (mass-spring-damper chain of the physical part),
/// sensors read displacement and force. read() advances it by the elapsed periods with the last command held, so x_k
/// contains the effect of commands up to u_{k-1}. Exact in time (except with another solver) while no limit acts. If
/// one acts, the tick is integrated in substeps and read() returns saturated, also if a reading exceeds the range of a
/// sensor. After safeStop() the interface does not move. open() starts again at rest with the same noise. Deterministic
/// for a seed. Throws InputError (pointers under /rig) with every value that is not valid or makes the twin unstable at
/// this rate.
///
/// `reads` sensors: measured contains the reading of each displacement sensor, [y], before reconstruction of the
/// interface motion (in sensed_rig.h); interfaces() is their number, and commands and forces beyond the actuators have
/// no meaning. `reads` interface: an accelerometer is treated as a displacement sensor, as if its reading were
/// integrated without error.
enum class TwinReads : std::uint8_t { interface, sensors };
std::unique_ptr<Rig> makeTwin(const Partition& partition, const TwinParams& params, double step_s,
                              TwinReads reads = TwinReads::interface);

/// Its further columns: signals inside its actuators, "voltage_1", then the specimen of those with a spring.
std::vector<Channel> twinChannels(const TwinParams& params, std::size_t interfaces);

/// True displacement and force of the twin (before the sensors), for tests and studies. [i]; null if the rig is not a
/// twin.
const RigState* trueState(const Rig& rig) noexcept;

}  // namespace hyb
