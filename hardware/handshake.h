#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/rig/device.h"
#include "core/rig/fault.h"
#include "core/rig/frames_protocol.h"
#include "hardware/frame_auth.h"

namespace hyb {

// The JSON of the rig protocol. Every read... function takes external bytes, ignores unknown keys, and throws
// InputError with a JSON pointer into them and a sentence. Ranges without an end are null.

/// Version 2 lets a bench read before it arms the rig: the rig answers HOLD of a greeted bench.
constexpr int kProtocolVersion = 2, kOldestVersion = 1;

/// HELLO: requirements of the bench.
struct Hello {
  std::string software_version;
  double rate_hz = 1000.0;
  std::vector<DeviceChannel> commands, measurements;
  std::string pacing = "bench";  // pacing side: "bench" or "rig"
  FramesSpec timing;             // watchdog and safe action
  int version = kProtocolVersion;
  std::optional<Bytes32> nonce = {};  // of a bench with a key, used once
};
std::string writeHello(const Hello& hello);
Hello readHello(std::string_view json);

/// WELCOME: requirements that the rig accepts (with its own, tighter ranges), and its identity.
struct Welcome {
  Hello accepted;
  std::string serial;  // identity of the rig: maker, model, number
  std::int64_t clock_resolution_ns = 1;
  std::vector<std::string> interlocks;
  std::string calibration_date;
  std::vector<double> positions;  // raw value of each command for the present position of the rig
  bool faults = false;            // accepts injected faults
};
std::string writeWelcome(const Welcome& welcome);
Welcome readWelcome(std::string_view json);

/// CHALLENGE: the rig's own nonce, and the proof that it has the key.
struct Challenge {
  Bytes32 nonce, proof;
};
std::string writeChallenge(const Challenge& challenge);
Challenge readChallenge(std::string_view json);

/// REFUSE: a pointer into the received message, and the reason.
std::string writeRefusal(const Issue& issue);
Issue readRefusal(std::string_view json);

/// ARM: the initial commands.
std::string writeArm(std::span<const double> positions);
std::vector<double> readArm(std::string_view json);

/// EVENT, rig to bench: a sentence.
std::string writeMessage(const std::string& message);
std::string readMessage(std::string_view json);
/// EVENT, bench to rig: begins (true) or ends an injected fault. Written into `out`, returns the length; real-time
/// safe.
std::size_t writeFault(const FaultSpec& fault, bool begin, std::span<char> out) noexcept;
std::pair<FaultSpec, bool> readFault(std::string_view json);

/// Channel by channel: the first difference in number, name, order or units. `where`: "/commands".
std::optional<Issue> difference(const std::vector<DeviceChannel>& wanted, const std::vector<DeviceChannel>& there,
                                const std::string& where);

}  // namespace hyb
