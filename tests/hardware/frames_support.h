#pragma once
#include "hardware/frames_device.h"

#include <pty.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "tests/support/change_protocol.h"
#include "tests/support/fake_rig.h"
#include "tests/support/patience.h"
#include "tests/support/pseudo_terminals.h"
#include "tests/support/served_twin.h"
#include "tests/support/suite.h"

namespace hyb::test {

inline constexpr std::size_t kInputs = 4;  // measured_1, measured_2, force_1, force_2

inline const std::vector<double>& zeros() {
  static const std::vector<double> values(4, 0.0);
  return values;
}

inline ConnectionSpec hasty(const std::string& address, int timeout_ticks = 5) {
  ConnectionSpec connection = patientConnection(address);
  Change<FramesSpec>(connection)->timeout_ticks = timeout_ticks;
  return connection;
}

/// The sentence with which opening fails: "device: ..." or the place of the InputError.
inline std::string openingFails(const ConnectionSpec& connection,
                                const DeviceChannels& channels = servedChannels(false)) {
  const std::unique_ptr<Device> device = makeFramesDevice(connection, channels);
  try {
    device->open();
  } catch (const InputError& error) {
    return error.issues().front().where + ": " + error.issues().front().message;
  } catch (const DeviceError& error) {
    return std::string("device: ") + error.what();
  }
  return "opened";
}

inline bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

/// A device on a fake rig that has been armed and then follows a script.
struct Trial {
  explicit Trial(const FakeRig::Script& script, int timeout_ticks = 5, bool paced = false,
                 double answer_wait_s = kHangs_s)
      : rig([this, script](FakeRig& fake) {
          if (!fake.greetAndArm()) return;
          armed.store(true);
          script(fake);
        }),
        device(makeFramesDevice(hasty(rig.address(), timeout_ticks), channels(paced, answer_wait_s))) {
    device->open();
  }
  static DeviceChannels channels(bool paced, double answer_wait_s) {
    DeviceChannels made = servedChannels(paced);
    made.answer_wait_s = answer_wait_s;
    return made;
  }
  ~Trial() { device.reset(); }  // the connection ends first, then the rig's script
  RigStatus tick() {
    const RigStatus status = device->read(read);
    (void)device->write(next_tick++, zeros());
    return status;
  }
  /// The first command, and the rig's answers to all that came before it: the next tick waits for that command alone.
  bool begins() {
    return tick() == RigStatus::ok && comesTrue([&] { return armed.load(); }) && reaches(RigStatus::stale);
  }
  /// Ticks until this status.
  bool reaches(RigStatus wanted) {
    return comesTrue([&] { return tick() == wanted; });
  }
  std::atomic<bool> armed{false};
  FakeRig rig;
  std::unique_ptr<Device> device;
  std::vector<double> read = std::vector<double>(kInputs, 99.0);
  std::uint64_t next_tick = 0;
};

/// Answers every command with these values until the bench goes.
inline void answerAll(FakeRig& rig, const std::vector<double>& values) {
  while (rig.await(FrameType::command)) rig.say(FrameType::measurement, rig.last.first.tick, values);
}

}  // namespace hyb::test
