#pragma once
#include <array>
#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hyb {

enum class State : std::uint8_t { disconnected, ready, armed, running, holding, stopping, fault };
std::string_view name(State state) noexcept;

/// Why a test ended. Its names are a contract with readers of run files (attribute `ended`).
enum class EndReason : std::uint8_t {
  running,
  completed,
  operator_stop,
  limit,
  rig_fault,
  not_a_number,
  recorder_failed,
  overrun,
  link_lost,
  interlock,
  client_lost,
  not_identified,  // what the rig does to the command cannot be told
  fallen,          // the walker
  plug_in,         // a library of the user did what ends a test
  // Of run files alone:
  killed,   // the program that recorded it died
  unknown,  // of an older program, which did not say
};
std::string_view name(EndReason reason) noexcept;  // "as-planned", "operator", "limit", "fault", ...
/// By name; unknown for any other word.
EndReason endReasonNamed(std::string_view name) noexcept;

/// Where the force that drives the computed side comes from.
enum class ForceSource : std::uint8_t { measured, emulated };

enum class Severity : std::uint8_t { info = 0, warning = 1, fault = 2 };

/// Contract with readers of run files: never renumber. Names: eventCodeNames().
enum class EventCode : std::int32_t {
  state_changed = 1,  // index = new State
  limit_hit = 2,      // index = limit, value, bound
  limit_cleared = 3,
  parameter_changed = 4,     // index = tunable, value = new, bound = old
  force_source_changed = 5,  // index = ForceSource
  operator_note = 6,         // text
  late_ticks = 7,            // value = missed periods of the burst, index = its late ticks
  rig_status = 8,            // index = RigStatus
  recorder_failed = 9,       // text
  recorder_overrun = 10,     // value = rows lost
  operator_stop = 11,        // index = kStopByRamp, kStopAtOnce or kNotStarted (value = s)
  operator_hold = 12,
  operator_resume = 13,
  fault_reset = 14,
  end_of_test = 15,
  limit_changed = 16,    // index = limit, value = new, bound = old
  recovered = 17,        // text: rows kept, written by recover
  fault_injected = 18,   // on purpose: index = FaultKind, value, bound = interface (0 = each), text = sensor; warning:
                         // refused by the rig
  fault_ended = 19,      // likewise
  client_remark = 20,    // text: what the program that computes the NS did
  trial_done = 21,       // index = trial from 1, value = its error in percent; not a number: it does not count
  trials_stopped = 22,   // index = TrialStop, value = what it is about
  learnt_restored = 23,  // index = trial from 1, value = its error in percent
  trial_late = 24,       // index = trial that waits for what it is to begin with
  trial_ready = 25,      // index = trial that has waited, value = periods
  matrix_singular = 26,  // identified: index = harmonic, value = Hz, bound = least over largest gain
  walker_fell = 27,      // index = step, from 1, value = s since it began to walk
  point_done = 28,  // of a sweep: index = point from 1, value = Hz, bound = residual, text = how; warning: not balanced
  result_late = 29,       // index = point whose next command is waited for
  result_taken = 30,      // index = point that has waited, value = periods
  response_unheard = 31,  // identified: index = actuator from 1, value = Hz, bound = times its own scatter
  path_ended = 34,        // index = path (PathKind), value = Hz, text = how; warning: not as asked
  not_a_number = 35,      // text = first signal that is none
  plug_in_failed = 36,    // index = PlugInFault, value = interface or s, bound = PlugInCall, text = name of the library
  file_moved = 37,        // text = where to, or that it was deleted (fault); written by the recorder
};

constexpr std::int32_t kStopByRamp = 0, kStopAtOnce = 1, kNotStarted = 2;

/// Fixed size, trivially copyable: leaves the tick through a ring. Words are made outside.
struct Event {
  std::uint64_t tick = 0;
  EventCode code = EventCode::state_changed;
  Severity severity = Severity::info;
  std::int32_t index = -1;
  double value = 0.0;
  double bound = 0.0;
  std::array<char, 128> text{};  // only notes and reasons that come from outside the tick
  void setText(std::string_view message) noexcept;
};

/// What an event's numbers refer to; made before the run.
struct EventNames {
  std::vector<std::string> limits;  // "gap 2", with unit in the next list
  std::vector<std::string> limit_units;
  std::vector<std::string> limit_actions;  // "ramped to zero"
  std::vector<std::string> tunables;
  std::vector<std::string> tunable_units;
};
/// One line for people, ASCII, at most 159 bytes: limit, value, unit, action.
std::string message(const Event& event, const EventNames& names);
/// code_names of the run file: {1, "state_changed"}, ...
std::vector<std::pair<int, std::string>> eventCodeNames();

/// Events from the loop to one consumer; overflow is counted, not lost silently.
class EventRing {
 public:
  void push(const Event& event) noexcept {
    if (!queue_.push(event)) lost_.fetch_add(1, std::memory_order_relaxed);
  }
  bool pop(Event& event) { return queue_.pop(event); }
  std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

 private:
  boost::lockfree::spsc_queue<Event, boost::lockfree::capacity<4096>> queue_;
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace hyb
