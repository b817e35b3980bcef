#pragma once
#include <string>
#include <vector>

#include "core/rig/driver_description.h"
#include "core/rig/protocol.h"

namespace hyb {

/// A driver of the user: a shared library with the interface of resources/plug-in/hybridbench_driver.h.
struct DriverSpec {
  std::filesystem::path library;
  bool own_process = true;  // false: in the process of the bench
  double reply_s = 0.5;
  double max_age_s = 0.1;
  double stop_s = 2.0;                     // longest time for a stop
  double silence_s = 1.0;                  // without a command: the driver is stopped
  std::string settings = "{}";             // JSON object, as in the project
  std::vector<std::string> channels = {};  // [the rig's channels] names in the driver
  DriverFilePtr driver = {};               // null: cannot be used, as `faults` say
  Checks faults = {};
};

/// The settings of the driver with its defaults, a JSON object.
Json completeSettings(const DriverSpec& spec);

RigProtocolPtr protocolOf(DriverSpec spec);
RigProtocolPtr parseDriver(const Json& connection, const Json& channels);

}  // namespace hyb
