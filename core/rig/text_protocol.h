#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/rig/protocol.h"
#include "core/rig/text_template.h"

namespace hyb {

/// What to do about a device that sends back what it is sent.
enum class Echo : std::uint8_t {
  pass,     // a line equal to one that was sent is passed over
  refuse,   // such a device is refused
  confirm,  // as pass, but the echo of a set or stop is the reply to it
};

/// Lines of text, asked and answered by a thread of the driver's own.
struct TextSpec {
  /// How one channel is set or asked for.
  struct Channel {
    std::string set;         // output: "MOV 1 {x}"
    std::string get;         // input: "POS? 1"
    std::string pattern;     // of the reply: a regular expression with one group, the number; empty: all of it
    std::string reply_unit;  // input: what the device writes behind the number; empty: nothing
  };
  std::string send_end = "\n", reply_end = "\n";
  std::string identify, identity;      // query, regular expression its answer must match
  std::vector<std::string> configure;  // sent once on connection: what reading needs
  std::vector<std::string> prepare;    // sent once, ahead of the first command: arms and enables
  std::string fault_query, no_fault;   // regular expression of "no fault"
  std::string stop;                    // sent on STOP and at the end
  bool set_is_answered = false;        // a reply follows every set and stop
  std::string accepted;                // regular expression of such a reply that is no refusal; empty: any
  std::string set_all;                 // one line for all outputs: {name}; empty: one line each
  std::string get_all;                 // one query for all inputs; its reply has them in order
  std::string separator = ",";         // of the values in such a reply
  Echo echo = Echo::pass;
  DecimalSign decimal = DecimalSign::point;  // of numbers in replies
  double reply_s = 1.0;                      // longest wait for a reply
  double max_age_s = 0.1;                    // values older than this are stale
  std::vector<Channel> channels;             // [the rig's channels]
};

RigProtocolPtr protocolOf(TextSpec spec);
RigProtocolPtr parseText(const Json& connection, const Json& channels);

}  // namespace hyb
