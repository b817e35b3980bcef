#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/rig/protocol.h"

namespace hyb {

enum class FieldType : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

/// Content of one field of a datagram.
enum class FieldContent : std::uint8_t {
  channel,   // raw value of a channel
  sequence,  // number of the datagram, one more each; wraps with its type
  echo,      // sequence number of the last datagram received from the other side
  tick,      // to the target: number of the bench's tick
  time,      // time of sending in counts of `scale` seconds, by the sender's clock
  fixed,     // always `value`: a mark, a length, an unused field
  enable,    // to the target: 1 while the bench commands, 0 before the first command and after the stop
  enabled,   // from the target: not 0 while it follows the commands
  fault,     // from the target: not 0 in fault
  checksum,  // of all bytes before it
};
enum class ChecksumKind : std::uint8_t { crc_32, sum };
enum class ByteOrder : std::uint8_t { little, big };

struct DatagramField {
  FieldContent content = FieldContent::channel;
  FieldType type = FieldType::float64;
  std::string channel = {};  // content channel
  double value = 0.0;        // content fixed; a command: raw value at rest
  double scale_s = 1.0;      // content time: seconds per count
  bool joined = false;       // element of the vector that the previous field belongs to: no padding before it
  ChecksumKind checksum = ChecksumKind::crc_32;  // content checksum
  bool operator==(const DatagramField&) const = default;
};

/// Whose clock begins the ticks.
enum class TickBegin : std::uint8_t { bench, target };
/// Values of the commands on STOP.
enum class AtStop : std::uint8_t { hold, rest };

/// Raw UDP: the bytes of a list of fields, without a header.
struct UdpSpec {
  int local_port = 5005;  // of the bench
  int source_port = 0;    // from which the target sends; 0: any
  ByteOrder byte_order = ByteOrder::little;
  int alignment = 1;                           // each field starts on a multiple of it, from the start of the datagram
  std::vector<DatagramField> sends, receives;  // by the bench
  int gap_ticks = 1;                           // ticks without a new datagram until the values are stale
  int timeout_ticks = 50;                      // ticks without one until the link is lost
  double late_s = 5e-3;                        // longer on its way than the fastest one by more: late
  AtStop at_stop = AtStop::hold;
  TickBegin leads = TickBegin::bench;
  double target_rate_hz = 0.0;  // datagrams a second of a target that leads; 0: not entered
};

RigProtocolPtr protocolOf(UdpSpec spec);
RigProtocolPtr parseUdp(const Json& connection, const Json& channels);

}  // namespace hyb
