#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/rig/address.h"
#include "core/rig/device.h"
#include "core/rig/rig_spec.h"
#include "hardware/frame_auth.h"

namespace hyb {

/// What a device of the rig protocol is asked to keep the protocol with.
struct ConformSpec {
  Address address;
  SerialSpec serial;
  double answer_s = 2.0;  // longest wait for an answer, and for the connection
  DeviceChannels channels;
  std::optional<Bytes32> key;
};

enum class Conformity : std::uint8_t { kept, broken, not_tried };
const char* words(Conformity conformity) noexcept;  // "kept", "BROKEN", "not tried"

struct ConformResult {
  const char *rule, *says;  // "watchdog", and the rule as a sentence
  Conformity conformity = Conformity::not_tried;
  std::string detail;  // figure, what was wrong, or why it was not tried
};

class Examination;
/// One rule of the protocol. `check` returns "" or what is wrong.
struct ConformRule {
  const char *name, *says;
  std::string (*check)(Examination& device);
};
/// All rules in the order in which they are tried.
std::span<const ConformRule> conformRules() noexcept;

/// Tries the rules, all or those with these names, each in a session of its own. The device is armed where it stands
/// and, unless it breaks a rule, moves by no more than a ten-thousandth of a unit. `say` receives each result. Throws
/// InputError for a name that is no rule, and DeviceError if nobody is there. Not real-time.
std::vector<ConformResult> conform(const ConformSpec& spec, const std::vector<std::string>& names = {},
                                   const std::function<void(const ConformResult&)>& say = {});

}  // namespace hyb
