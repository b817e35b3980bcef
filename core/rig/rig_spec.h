#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/rig/fault.h"

namespace hyb {

/// Whom the loop talks to. shadow: to the rig, while the twin runs beside it and shows the difference.
enum class RigUse : std::uint8_t { twin, shadow, rig };

enum class Parity : std::uint8_t { none, even, odd };
enum class FlowControl : std::uint8_t { none, hardware, software };
struct SerialSpec {
  int baud = 115200;
  int data_bits = 8, stop_bits = 1;
  Parity parity = Parity::none;
  FlowControl flow = FlowControl::none;
};

/// What a rig does by itself when commands cease or the bench says STOP.
enum class SafeAction : std::uint8_t { hold, ramp, off };

/// HybridBench rig protocol: one binary frame each way in every tick.
struct FramesSpec {
  int timeout_ticks = 50;  // without a new measurement: link lost; see sufficientTimeoutTicks()
  double silence_s = 0.1;  // without a command: the rig takes its safe action
  SafeAction safe_action = SafeAction::ramp;
  double ramp_s = 0.5;
};

/// Lines of text, asked and answered by a thread of the driver's own.
struct TextSpec {
  std::string send_end = "\n", reply_end = "\n";
  std::string identify, identity;     // query, regular expression its answer must match
  std::vector<std::string> prepare;   // sent once, before arming
  std::string fault_query, no_fault;  // regular expression of "no fault"
  std::string stop;                   // sent on STOP and at the end
  bool set_is_answered = false;       // a reply follows every set and stop
  std::string accepted;               // regular expression of such a reply that is no refusal; empty: any
  std::string set_all;                // one line for all outputs: {name}; empty: one line each
  std::string get_all;                // one query for all inputs; its reply has them in order
  std::string separator = ",";        // of the values in such a reply
  double reply_s = 1.0;               // longest wait for a reply
  double max_age_s = 0.1;             // values older than this are stale
};

enum class Register : std::uint8_t { holding, input };
enum class RegisterType : std::uint8_t { int16, uint16, int32, uint32, float32, float64 };
enum class WordOrder : std::uint8_t { abcd, cdab, badc, dcba };
/// Modbus TCP or RTU, by the address.
struct ModbusSpec {
  int unit_id = 255;
  double reply_s = 0.5;
  double max_age_s = 0.1;
  std::vector<std::pair<int, int>> stop_registers;  // protocol address, value: written on STOP and at the end
};

struct ConnectionSpec {
  std::string address;  // "tcp://192.168.1.20:5025", "serial:/dev/serial/by-id/..."
  double connect_s = 2.0;
  double delay_s = 0.0;  // of the link both ways, as measured; counted by stability
  SerialSpec serial;
  std::variant<FramesSpec, TextSpec, ModbusSpec> protocol;
};

enum class ChannelRole : std::uint8_t { command, command_rate, displacement, force, monitor, interlock };

/// One raw channel of the device and what it means. Inputs: scaled = sign (gain raw + offset) - tare, or the table in
/// place of gain and offset. Outputs the other way round.
struct ChannelSpec {
  std::string name;
  ChannelRole role = ChannelRole::monitor;
  int interface = 0;        // from 1; 0 for monitor and interlock
  std::string units = "V";  // raw
  double gain = 1.0;        // m, m/s or N per raw unit
  double offset = 0.0;      // m, m/s or N
  bool reversed = false;
  double tare = 0.0;       // m or N
  double filter_hz = 0.0;  // one-pole low-pass of an input; 0 = none
  double raw_min = -std::numeric_limits<double>::infinity(), raw_max = std::numeric_limits<double>::infinity();
  std::vector<std::pair<double, double>> table;  // raw, scaled; ascending in raw
  std::string calibrated_on;                     // ISO date
  double open_above = 0.5;                       // interlock: open above this raw value (reversed: below)
  // text protocol
  std::string set, get, pattern;  // "MOV 1 {x}"; "POS? 1"; regular expression with one group, the number
  // Modbus
  Register table_of = Register::holding;
  int address = 0;
  RegisterType type = RegisterType::float32;
  WordOrder order = WordOrder::abcd;
};

/// The sections of /rig beside the twin.
struct RigSpec {
  RigUse use = RigUse::twin;
  ConnectionSpec connection;
  std::vector<ChannelSpec> channels;  // empty: command_i, command_rate_i, measured_i, force_i in SI, one to one
  std::vector<FaultSpec> faults;
};

}  // namespace hyb
