#include "core/tick/event.h"

#include <algorithm>
#include <cmath>

#include "core/base/figure_text.h"
#include "core/compensation/plug_in_watch.h"
#include "core/rig/fault.h"
#include "core/rig/rig.h"

namespace hyb {

namespace {

constexpr std::size_t kMaxMessage = 159;  // the dataset holds 160 bytes including the terminating NUL

std::string number(double value, const std::string& unit, double beside = 0.0) {
  return quantityText(value, unit, 6, beside);
}

std::string entry(const std::vector<std::string>& names, std::int32_t index, const char* kind) {
  if (index >= 0 && static_cast<std::size_t>(index) < names.size()) return names[static_cast<std::size_t>(index)];
  return *kind == '\0' ? std::string() : kind + (" " + std::to_string(index));
}

const char* words(RigStatus status) {
  switch (status) {
    case RigStatus::ok:
      return "rig: status back to normal";
    case RigStatus::stale:
      return "rig: no new reading; the previous reading is used";
    case RigStatus::saturated:
      return "rig: a sensor or actuator has reached the end of its range";
    case RigStatus::link_lost:
      return "rig: link lost";
    case RigStatus::fault:
      return "rig: the rig reports a fault";
    case RigStatus::interlock:
      return "rig: interlock open";
  }
  return "rig: unknown status";
}

std::string limitHit(const Event& event, const EventNames& names) {
  const std::string unit = entry(names.limit_units, event.index, "");
  const std::string action = entry(names.limit_actions, event.index, "");
  std::string text = "limit " + entry(names.limits, event.index, "number");
  // Conditions such as link lost or interlock have no unit and no meaningful threshold.
  if (!unit.empty() && !std::isfinite(event.value))
    text += " is not a number";
  else if (!unit.empty())
    text +=
        " reached: " + number(event.value, unit, event.bound) + ", threshold " + number(event.bound, unit, event.value);
  else
    text += " reached";
  return action.empty() ? text : text + "; " + action;
}

/// For example "fault on purpose: spike, displacement 2, 0.001 m".
std::string faultOnPurpose(const Event& event, const std::string& sensor) {
  if (event.index < 0 || static_cast<std::size_t>(event.index) >= faultKinds().size()) return "fault on purpose";
  const FaultFacts& facts = faultFacts(static_cast<FaultKind>(event.index));
  const bool begins = event.code == EventCode::fault_injected;
  std::string text = begins ? "fault on purpose: " : "end of the fault on purpose: ";
  text += facts.name;
  if (!sensor.empty()) text += ", " + sensor;
  if (event.bound > 0.0) text += (sensor.empty() ? ", interface " : " ") + number(event.bound, "");
  if (begins && facts.min < facts.max) text += ", " + number(event.value, facts.units[sensor == "force" ? 1 : 0]);
  return event.severity == Severity::warning ? text + "; refused: this rig does not support it" : text;
}

std::string compose(const Event& event, const EventNames& names) {
  std::string given(event.text.data(), std::find(event.text.begin(), event.text.end(), '\0'));
  const std::string because = given.empty() ? std::string() : ": " + given;
  switch (event.code) {
    case EventCode::state_changed: {
      if (event.index < 0 || event.index > static_cast<int>(State::fault)) return "state unknown" + because;
      return "state " + std::string(name(static_cast<State>(event.index))) + because;
    }
    case EventCode::limit_hit:
      return limitHit(event, names) + because;
    case EventCode::limit_cleared: {
      const std::string unit = entry(names.limit_units, event.index, "");
      const std::string back = unit.empty() ? std::string()
                                            : ": " + number(event.value, unit, event.bound) + ", threshold " +
                                                  number(event.bound, unit, event.value);
      return "limit " + entry(names.limits, event.index, "number") + " no longer exceeded" + back;
    }
    case EventCode::limit_changed: {
      const std::string unit = entry(names.limit_units, event.index, "");
      return "limit " + entry(names.limits, event.index, "number") + " changed from " +
             number(event.bound, unit, event.value) + " to " + number(event.value, unit, event.bound);
    }
    case EventCode::parameter_changed: {
      const std::string unit = entry(names.tunable_units, event.index, "");
      return entry(names.tunables, event.index, "parameter") + " changed from " +
             number(event.bound, unit, event.value) + " to " + number(event.value, unit, event.bound);
    }
    case EventCode::force_source_changed:
      return event.index == static_cast<int>(ForceSource::emulated)
                 ? "numerical substructure driven by emulated forces"
                 : "numerical substructure driven by measured forces";
    case EventCode::operator_note:
      return "note" + because;
    case EventCode::late_ticks:
      return std::to_string(event.index) + (event.index == 1 ? " late tick, " : " late ticks, ") +
             number(event.value, "") + (event.value == 1.0 ? " missed period" : " missed periods");
    case EventCode::rig_status:
      return words(static_cast<RigStatus>(event.index)) + because;
    case EventCode::recorder_failed:
      return "recording failed" + because;
    case EventCode::recorder_overrun:
      return number(event.value, "") + " rows lost: the disk is too slow";
    case EventCode::operator_stop:
      return event.index == kStopAtOnce   ? "stop by the operator: at once"
             : event.index == kNotStarted ? "disarmed: not started within " + figureText(event.value) + " s"
                                          : "stop by the operator" + because;
    case EventCode::operator_hold:
      return "hold by the operator";
    case EventCode::operator_resume:
      return "resumed by the operator";
    case EventCode::fault_reset:
      return "fault reset by the operator";
    case EventCode::end_of_test:
      return "end of the test" + because;
    case EventCode::fault_injected:
    case EventCode::fault_ended:
      return faultOnPurpose(event, given);
    case EventCode::recovered:
      return "file recovered" + because;
    case EventCode::client_remark:
      return given;
    case EventCode::trial_done:
      return "trial " + std::to_string(event.index) +
             (std::isnan(event.value) ? " does not count: it is incomplete or its target did not move"
                                      : " done: tracking error " + number(event.value, "%"));
    case EventCode::trials_stopped:
      return event.index == 0 ? "no more trials: the error rose " + number(event.value, "") +
                                    (event.value == 1.0 ? " time" : " times in a row")
                              : "no more trials: the error is below " + number(event.value, "%");
    case EventCode::learnt_restored:
      return "learnt values restored to those at the start of trial " + std::to_string(event.index) +
             ", the best one: tracking error " + number(event.value, "%");
    case EventCode::trial_late:
      return "trial " + std::to_string(event.index) + " waits for the learnt values";
    case EventCode::trial_ready:
      return "trial " + std::to_string(event.index) + " begins, " + number(event.value, "periods late");
    case EventCode::matrix_singular:
      return "response matrix at harmonic " + std::to_string(event.index) + " (" + number(event.value, "Hz") + ") is " +
             (event.bound > 0.0 ? "nearly singular (gain ratio " + figureText(event.bound) + ")" : "zero") +
             ": no command can close the gap; check actuators and sensors";
    case EventCode::response_unheard:
      return "response of the gap to actuator " + std::to_string(event.index) + " at " + number(event.value, "Hz") +
             " is too noisy (" + figureText(event.bound) +
             " times its scatter, 4 needed): check the actuator, or increase amplitude or duration";
    case EventCode::walker_fell:
      return "the walker fell in step " + std::to_string(event.index) + ", " + number(event.value, "s") +
             " after walking began";
    case EventCode::point_done:
      return "frequency " + std::to_string(event.index) + " (" + number(event.value, "Hz") +
             (event.severity == Severity::info ? ") " : ") not balanced: ") + given + "; residual " +
             figureText(event.bound);
    case EventCode::result_late:
      return "frequency " + std::to_string(event.index) + " waits for its next command";
    case EventCode::result_taken:
      return "frequency " + std::to_string(event.index) + " continues, " + number(event.value, "periods late");
    case EventCode::path_ended:
      return std::string(event.index == 0 ? "response" : "backbone") + " followed to " + number(event.value, "Hz") +
             because;
    case EventCode::model_late:
      return "the model is late: no target for " + number(event.value, "s") + "; the bench holds";
    case EventCode::model_in_time:
      return "the model is in time again; it was late in " + std::to_string(event.index) +
             (event.index == 1 ? " step" : " steps") + ", with " + number(event.value, "s") + " of hold";
    case EventCode::target_refused:
      return "target of interface " + std::to_string(event.index) +
             " refused: " + number(event.value, given, event.bound) + ", allowed " +
             number(event.bound, given, event.value) + "; the bench holds";
    case EventCode::file_moved:
      return "run file" + because;
    case EventCode::not_a_number:
      return given + " is not a number";
    case EventCode::plug_in_failed:
      return "library \"" + given + "\" " +
             words(static_cast<PlugInFault>(event.index), static_cast<PlugInCall>(event.bound), event.value);
  }
  return "event " + std::to_string(static_cast<int>(event.code)) + because;
}

/// Replaces each character beyond ASCII by one '?' and each control character by a space.
std::string toAscii(const std::string& text) {
  std::string plain;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0xC0)
      plain += '?';
    else if (byte < 0x80)
      plain += byte < 0x20 || byte == 0x7F ? ' ' : c;
  }
  if (plain.size() > kMaxMessage) {
    plain.resize(kMaxMessage - 3);
    plain += "...";
  }
  return plain;
}

constexpr std::array<std::string_view, 17> kEndReasons = {
    "running",  "as-planned", "operator",  "limit",     "fault",       "not-a-number",
    "recorder", "overrun",    "link-lost", "interlock", "client-lost", "not-identified",
    "fallen",   "plug-in",    "killed",    "unknown",   "imported"};

}  // namespace

std::string_view name(EndReason reason) noexcept { return kEndReasons[static_cast<std::size_t>(reason)]; }

EndReason endReasonNamed(std::string_view name) noexcept {
  const auto found = std::find(kEndReasons.begin(), kEndReasons.end(), name);
  return found == kEndReasons.end() ? EndReason::unknown : static_cast<EndReason>(found - kEndReasons.begin());
}

std::string_view name(State state) noexcept {
  switch (state) {
    case State::disconnected:
      return "disconnected";
    case State::ready:
      return "ready";
    case State::armed:
      return "armed";
    case State::running:
      return "running";
    case State::holding:
      return "holding";
    case State::stopping:
      return "stopping";
    case State::fault:
      return "fault";
  }
  return "unknown";
}

void Event::setText(std::string_view message) noexcept {
  std::size_t length = std::min(message.size(), text.size() - 1);
  // Do not cut a UTF-8 character in two.
  while (length > 0 && length < message.size() && (static_cast<unsigned char>(message[length]) & 0xC0) == 0x80)
    --length;
  std::copy_n(message.begin(), length, text.begin());
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(length), text.end(), '\0');
}

std::string message(const Event& event, const EventNames& names) { return toAscii(compose(event, names)); }

std::vector<std::pair<int, std::string>> eventCodeNames() {
  const std::pair<EventCode, const char*> names[] = {
      {EventCode::state_changed, "state_changed"},
      {EventCode::limit_hit, "limit_hit"},
      {EventCode::limit_cleared, "limit_cleared"},
      {EventCode::parameter_changed, "parameter_changed"},
      {EventCode::force_source_changed, "force_source_changed"},
      {EventCode::operator_note, "operator_note"},
      {EventCode::late_ticks, "late_ticks"},
      {EventCode::rig_status, "rig_status"},
      {EventCode::recorder_failed, "recorder_failed"},
      {EventCode::recorder_overrun, "recorder_overrun"},
      {EventCode::operator_stop, "operator_stop"},
      {EventCode::operator_hold, "operator_hold"},
      {EventCode::operator_resume, "operator_resume"},
      {EventCode::fault_reset, "fault_reset"},
      {EventCode::end_of_test, "end_of_test"},
      {EventCode::limit_changed, "limit_changed"},
      {EventCode::recovered, "recovered"},
      {EventCode::fault_injected, "fault_injected"},
      {EventCode::fault_ended, "fault_ended"},
      {EventCode::client_remark, "client_remark"},
      {EventCode::trial_done, "trial_done"},
      {EventCode::trials_stopped, "trials_stopped"},
      {EventCode::learnt_restored, "learnt_restored"},
      {EventCode::trial_late, "lesson_late"},
      {EventCode::trial_ready, "lesson_taken"},
      {EventCode::matrix_singular, "matrix_singular"},
      {EventCode::walker_fell, "walker_fell"},
      {EventCode::point_done, "point_done"},
      {EventCode::result_late, "result_late"},
      {EventCode::result_taken, "result_taken"},
      {EventCode::response_unheard, "response_unheard"},
      {EventCode::path_ended, "path_ended"},
      {EventCode::not_a_number, "not_a_number"},
      {EventCode::plug_in_failed, "plug_in_failed"},
      {EventCode::file_moved, "file_moved"},
      {EventCode::model_late, "model_late"},
      {EventCode::model_in_time, "model_in_time"},
      {EventCode::target_refused, "target_refused"},
  };
  std::vector<std::pair<int, std::string>> list;
  for (const auto& [code, text] : names) list.emplace_back(static_cast<int>(code), text);
  return list;
}

}  // namespace hyb
