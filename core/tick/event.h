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
  not_identified,  // the response of the rig to the command could not be identified
  fallen,          // the walker fell
  plug_in,         // a plug-in library did something that ends a test
  // In run files only:
  killed,    // the recording program was killed
  unknown,   // an older program did not store the reason
  imported,  // a record of another program
};
std::string_view name(EndReason reason) noexcept;  // "as-planned", "operator", "limit", "fault", ...
/// By name; unknown for any other word.
EndReason endReasonNamed(std::string_view name) noexcept;

/// Source of the force that drives the numerical substructure.
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
  late_ticks = 7,            // value = missed periods of the burst, index = late ticks of the burst
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
  trial_done = 21,       // index = trial from 1, value = its error in percent, NaN if the trial does not count
  trials_stopped = 22,   // index = TrialStop, value = the figure that decided
  learnt_restored = 23,  // index = trial from 1, value = its error in percent
  trial_late = 24,       // index = trial that waits for the learnt values
  trial_ready = 25,      // index = trial that waited, value = periods
  matrix_singular = 26,  // in identification: index = harmonic, value = Hz, bound = smallest over largest gain
  walker_fell = 27,      // index = step, from 1, value = s since it began to walk
  point_done = 28,  // of a sweep: index = point from 1, value = Hz, bound = residual, text = how; warning: not balanced
  result_late = 29,       // index = point that waits for its next command
  result_taken = 30,      // index = point that waited, value = periods
  response_unheard = 31,  // in identification: index = actuator from 1, value = Hz, bound = multiple of its scatter
  path_ended = 34,        // index = path (PathKind), value = Hz, text = how; warning: not as requested
  not_a_number = 35,      // text = first signal that is not a number
  plug_in_failed = 36,    // index = PlugInFault, value = interface or s, bound = PlugInCall, text = name of the library
  file_moved = 37,        // text = new place, or that the file was deleted (fault); written by the recorder
  model_late = 38,        // of a program that leads: index = number of its last target, value = s since then; holding
  model_in_time = 39,     // index = late steps, value = s of hold in them
  target_refused = 40,    // of that program: index = interface from 1, value, bound, text = their unit
};

constexpr std::int32_t kStopByRamp = 0, kStopAtOnce = 1, kNotStarted = 2;

/// Fixed size and trivially copyable, so it can leave the tick through a ring. Text is composed outside the tick.
struct Event {
  std::uint64_t tick = 0;
  EventCode code = EventCode::state_changed;
  Severity severity = Severity::info;
  std::int32_t index = -1;
  double value = 0.0;
  double bound = 0.0;
  std::array<char, 128> text{};  // only notes and reasons from outside the tick
  void setText(std::string_view message) noexcept;
};

/// What the numbers of an event refer to. Made before the run.
struct EventNames {
  std::vector<std::string> limits;  // "gap 2", with unit in the next list
  std::vector<std::string> limit_units;
  std::vector<std::string> limit_actions;  // "ramped to zero"
  std::vector<std::string> tunables;
  std::vector<std::string> tunable_units;
};
/// One line of ASCII text, at most 159 bytes: limit, value, unit, action.
std::string message(const Event& event, const EventNames& names);
/// code_names of the run file: {1, "state_changed"}, ...
std::vector<std::pair<int, std::string>> eventCodeNames();

/// Events from the loop to one consumer. Counts events that were lost to overflow.
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
