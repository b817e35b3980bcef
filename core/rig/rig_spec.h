#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/rig/fault.h"
#include "core/rig/protocol.h"
#include "core/rig/rig_geometry.h"

namespace hyb {

/// Partner of the loop. shadow: the rig, while the twin runs in parallel and shows the difference.
enum class RigUse : std::uint8_t { twin, shadow, rig };

enum class Parity : std::uint8_t { none, even, odd };
enum class FlowControl : std::uint8_t { none, hardware, software };
struct SerialSpec {
  int baud = 115200;
  int data_bits = 8, stop_bits = 1;
  Parity parity = Parity::none;
  FlowControl flow = FlowControl::none;
};

struct ConnectionSpec {
  std::string address;  // "tcp://192.168.1.20:5025", "serial:/dev/serial/by-id/..."
  double connect_s = 2.0;
  double delay_s = 0.0;  // measured delay of the link in both directions; included in stability
  SerialSpec serial;
  RigProtocolPtr protocol;  // null: there is no connection
};

enum class ChannelRole : std::uint8_t { command, command_rate, displacement, force, monitor, interlock };

/// One raw channel of the device and its scaling; the protocol defines how it is read or set. Inputs: scaled = sign
/// (gain raw + offset) - tare, or the table in place of gain and offset. Outputs: the inverse.
struct ChannelSpec {
  std::string name;
  ChannelRole role = ChannelRole::monitor;
  int interface = 0;        // from 1; 0 for monitor and interlock
  std::string units = "V";  // raw
  double gain = 1.0;        // m, m/s or N per raw unit
  double offset = 0.0;      // m, m/s or N
  bool reversed = false;
  double tare = 0.0;       // m or N
  double filter_hz = 0.0;  // one-pole low-pass of an input; 0: none
  double raw_min = -std::numeric_limits<double>::infinity(), raw_max = std::numeric_limits<double>::infinity();
  std::vector<std::pair<double, double>> table;  // raw, scaled; ascending in raw
  std::string calibrated_on;                     // ISO date
  double open_above = 0.5;                       // interlock: open above this raw value (reversed: below)
};

/// The sections of /rig besides the twin.
struct RigSpec {
  RigUse use = RigUse::twin;
  ConnectionSpec connection;
  std::vector<ChannelSpec> channels;  // empty: command_i, command_rate_i, measured_i, force_i in SI, one to one
  std::vector<FaultSpec> faults;
  std::optional<RigGeometry> geometry = {};  // its legs are the channels; none: each channel is an interface axis
};

}  // namespace hyb
