#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/rig/protocol.h"
#include "core/rig/text_template.h"

namespace hyb {

/// Handling of a device that echoes the lines it receives.
enum class Echo : std::uint8_t {
  pass,     // a line equal to a sent one is ignored
  refuse,   // the device is refused
  confirm,  // as pass, but the echo of a set or stop is its reply
};

/// Lines of text, sent and received by a thread of the driver.
struct TextSpec {
  /// Set or query lines of one channel.
  struct Channel {
    std::string set;         // output: "MOV 1 {x}"
    std::string get;         // input: "POS? 1"
    std::string pattern;     // of the reply: a regular expression with one group, the number; empty: all of it
    std::string reply_unit;  // input: unit after the number in the reply; empty: none
  };
  std::string send_end = "\n", reply_end = "\n";
  std::string identify, identity;      // query, and regular expression for its answer
  std::vector<std::string> configure;  // sent once on connection: required for reading
  std::vector<std::string> prepare;    // sent once before the first command: arms and enables
  std::string fault_query, no_fault;   // regular expression of "no fault"
  std::string stop;                    // sent on STOP and at the end
  bool set_is_answered = false;        // a reply follows every set and stop
  std::string accepted;                // regular expression for such a reply without a refusal; empty: any
  std::string set_all;                 // one line for all outputs: {name}; empty: one line each
  std::string get_all;                 // one query for all inputs; the reply contains them in order
  std::string separator = ",";         // between the values in such a reply
  Echo echo = Echo::pass;
  DecimalSign decimal = DecimalSign::point;  // of numbers in replies
  double reply_s = 1.0;                      // longest wait for a reply
  double max_age_s = 0.1;                    // values older than this are stale
  std::vector<Channel> channels;             // [the rig's channels]
};

RigProtocolPtr protocolOf(TextSpec spec);
RigProtocolPtr parseText(const Json& connection, const Json& channels);

}  // namespace hyb
