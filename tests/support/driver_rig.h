#pragma once
#include <string>
#include <string_view>

#include "core/rig/driver_protocol.h"
#include "core/rig/rig_spec.h"
#include "tests/support/accepted_plug_ins.h"
#include "tests/support/paths.h"

namespace hyb::test {

inline bool tells(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

struct DriverRole {
  ChannelRole role;
  const char* channel;  // of the driver
};

/// The rig section for a driver that the tests build, accepted, with patience for a busy computer.
inline RigSpec driverRig(const std::string& library, const std::vector<DriverRole>& roles, const Json& settings,
                         bool own_process = true) {
  acceptPlugIns();
  RigSpec rig;
  rig.use = RigUse::rig;
  DriverSpec driver;
  driver.library = kPlugIns + ("/" + library);
  driver.own_process = own_process;
  driver.reply_s = driver.max_age_s = driver.stop_s = 20.0;
  driver.silence_s = 60.0;
  driver.settings = settings.dump();
  driver.driver = readDriver(driver.library, "/rig/connection/library", driver.faults);
  for (const DriverRole& one : roles) {
    ChannelSpec channel;
    channel.name = one.channel;
    channel.role = one.role;
    channel.interface = one.role == ChannelRole::monitor ? 0 : 1;
    rig.channels.push_back(channel);
    driver.channels.push_back(one.channel);
  }
  rig.connection.connect_s = 20.0;
  rig.connection.protocol = protocolOf(driver);
  return rig;
}

/// The worked example: an actuator without lag on a spring of 1000 N/m.
inline RigSpec actuatorRig(bool own_process = true) {
  return driverRig(
      "actuator.so",
      {{ChannelRole::displacement, "position0"}, {ChannelRole::command, "command0"}, {ChannelRole::force, "force0"}},
      {{"lag_s", 0.0}}, own_process);
}

}  // namespace hyb::test
