#pragma once
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/compensation/plug_in_watch.h"
#include "core/coupling/coupling.h"
#include "core/excitation/excitation.h"
#include "core/loop/row.h"
#include "core/loop/safety.h"
#include "core/loop/stop_token.h"
#include "core/loop/trials.h"
#include "core/rig/fault.h"
#include "core/rig/rig.h"
#include "core/tick/event.h"

namespace hyb {

struct CommandBounds;

struct LoopConfig {
  double rate_hz = 1000.0;
  double duration_s = 30.0;  // of the excitation, from Run; 0: until stopped
  double soft_start_s = 2.0, soft_end_s = 2.0;
  double stop_ramp_s = 0.5;  // time of the ramp to zero on STOP, on action "ramp", and before a resume
  ForceSource force_source = ForceSource::measured;
  double tuning_fade_s = 0.5;      // fade time of a tuned value while the test runs
  std::vector<double> braking;     // [i] largest braking acceleration of a command, SI; empty: within one tick
  double growth_window_s = 0.5;    // longest block of the energy growth: two to three periods of the slowest motion
  double measured_from_s = -1.0;   // >= 0: starts on emulated forces and switches to measured ones at this time
  double excitation_from_s = 0.0;  // excitation starts at this time, with its own clock; set by the scheme
  TrialSpec trials = {};           // trials, each with its own length; duration_s is then their total
  /// Length of one excitation from start to end; 0: until stopped.
  double excitation_s() const noexcept { return trials.count > 0 ? trials.length_s : duration_s; }
};

/// A change requested from outside. It is applied at one fixed point of the tick and becomes an event.
struct Request {
  enum class Kind : std::uint8_t {
    start,
    disarm,  // value: time since arming, s; only before the start
    hold,
    resume,
    tune,
    set_limit,
    set_force_source,
    note,
    fault
  } kind = Kind::note;
  std::int32_t index = -1;
  double value = 0.0;
  std::array<char, 128> text{};
  FaultSpec fault{};  // fault: starts (value 1) or ends (value 0); its times are ignored
};

/// Readings of the rig at one axis, SI; NaN before the first tick.
struct AxisStanding {
  std::atomic<double> motion{std::numeric_limits<double>::quiet_NaN()};
  std::atomic<double> force{std::numeric_limits<double>::quiet_NaN()};
};

/// State of the loop for other threads. Only the loop thread writes it.
struct LoopStatus {
  std::atomic<State> state{State::ready};
  std::atomic<bool> started{false};  // the test has been started
  std::atomic<std::uint64_t> tick{0};
  /// A late tick is at least one whole period late. The periods before it have no tick: they are missed.
  std::atomic<std::uint64_t> late_ticks{0};
  std::atomic<std::uint64_t> missed_periods{0};
  std::atomic<std::uint64_t> limits_hit{0};
  std::atomic<int> deciding_limit{-1};  // limit that ends or holds the test; -1: none
  std::atomic<double> energy_error_j{0.0};
  std::atomic<std::uint32_t> interlocks_open{0};  // bits of Loop::interlocks()
  std::atomic<ForceSource> force_source{ForceSource::measured};
  std::atomic<int> trial{0};  // current or last trial, from 1
  std::atomic<TrialStop> trials_stopped{TrialStop::none};
  std::vector<AxisStanding> standing;  // [i], until the test is started
};

/// Fade of the excitation at a time since Run: 0 before its start, soft start since then and since the last start or
/// resume, soft end at its end.
SignalValue excitationFade(const LoopConfig& config, double t_s, double since_start_s) noexcept;

/// The tick and its state machine. The same object runs free and paced. The constructor sizes everything.
class Loop {
 public:
  Loop(const LoopConfig& config, std::unique_ptr<Rig> rig, std::unique_ptr<CouplingScheme> scheme,
       Excitation excitation, std::vector<Limit> limits, std::vector<FaultSpec> faults = {});
  ~Loop();  // safeStop()
  const RowLayout& layout() const noexcept { return layout_; }
  const LoopStatus& status() const noexcept { return status_; }
  const SafetyChain& safety() const noexcept { return safety_; }
  const LoopConfig& config() const noexcept { return config_; }
  std::vector<Tunable> tunables() const { return tunables_; }
  /// The same tunables with narrower bounds; before arm().
  void boundTunables(std::vector<Tunable> tunables) noexcept { tunables_ = std::move(tunables); }
  EventNames eventNames() const;
  /// Names of the rig's interlock inputs; known once armed.
  std::vector<std::string> interlocks() const { return rig_->interlocks(); }
  /// Signal that was not a number, "force_1"; "" if there was none.
  std::string notANumber() const;  // once the test has ended
  /// Watch of the libraries that run inside the tick; before arm().
  void watch(PlugInWatchPtr plug_ins) noexcept { plug_ins_ = std::move(plug_ins); }
  /// What a library did that ended the test, one sentence; "" if none did.
  std::string plugInFailure() const { return plug_ins_ ? plug_ins_->sentence() : std::string(); }
  /// Ends the test with the rig's own safe state if a tick does not return from a call that `watch` gave up. Called by
  /// the watching thread; the tick thread must not use this object any more. Not real-time.
  void abandon() noexcept;
  /// Counters of the connection to the rig; null if there is none.
  const LinkFigures* link() const noexcept { return rig_->link(); }
  /// Clock of a rig that begins the ticks; null: the bench begins them.
  Lead* lead() noexcept { return rig_->lead(); }
  /// Why the rig is in fault or lost its link, one sentence; "" if it is not.
  std::string rigFailure() const { return rig_->failure(); }

  /// Rings are optional and must outlive the loop. Set before arm().
  /// When `failed` becomes true, the test ends: ramp to zero, EndReason::recorder_failed.
  void attachRecorder(RowRing* rows, EventRing* events, const std::atomic<bool>* failed) noexcept {
    recorder_rows_ = rows;
    recorder_events_ = events;
    recorder_failed_ = failed;
  }
  /// `segments`: as in attachSegments().
  void attachDisplay(RowRing* rows, EventRing* events, RowRing* segments = nullptr) noexcept {
    display_rows_ = rows;
    display_events_ = events;
    display_segments_ = segments;
  }
  /// Receives the segment rows, layout().segmentColumns(); must have room for all of them.
  void attachSegments(RowRing* rows) noexcept { segment_rows_ = rows; }
  /// Initial learnt values of the compensator; before arm(). Throws InputError if their number does not fit.
  void beginWith(std::vector<double> learnt);
  /// Best trial, after the end of a test with trials; none: no trial was complete, or the learnt values cannot be
  /// restored.
  std::optional<BestTrial> bestTrial() const;
  /// Learnt values of the compensator at the start of the last trial; empty if they are not available. Not real-time.
  std::vector<double> trialBeganWith() const;

  /// By default, the work of the scheme between two trials (CouplingScheme::learn()) or of its director
  /// (Director::work()) is done at the end of the tick in which it is due. After this call, the caller of
  /// workForDirector() does it, and the next trial waits for it at rest. Before arm().
  void workElsewhere() noexcept { works_elsewhere_ = true; }
  /// Does the work; false if none is due. From one thread, which may differ from the thread of the tick.
  bool workForDirector() noexcept;
  /// Delays the next trial although it could start, to replay a run in which it was late.
  void holdDirectorWork(bool held) noexcept {
    director_held_.store(held, std::memory_order_relaxed);
    if (director_ != nullptr) director_->hold(held);
  }
  /// Work is done outside the ticks.
  bool hasDirectorWork() const noexcept {
    return config_.trials.count >= 2 || (director_ != nullptr && director_->works());
  }
  /// Summary of the scheme's director on the result of the test; "" if none.
  std::string summary() const { return director_ != nullptr ? director_->summary() : std::string(); }

  /// Opens the rig: ready -> armed. Not real-time. Throws DeviceError.
  void arm();
  /// After the end: releases the rig in its safe state. Not real-time.
  void close() noexcept { rig_->close(); }
  /// One tick, `elapsed` periods after the last one (1 = on time). Returns false when the test has ended in a safe
  /// state. Real-time safe. wake_late_ns is stored in the row. clock_ns, if given, is called to measure compute and I/O
  /// time (free runs omit it).
  bool tick(std::int64_t elapsed, std::int64_t wake_late_ns = 0,
            std::int64_t (*clock_ns)() noexcept = nullptr) noexcept;

  /// From one controlling thread; false if the mailbox is full.
  bool post(const Request& request) noexcept {
    const bool taken = mailbox_.push(request);
    asked_.store(true, std::memory_order_release);
    return taken;
  }
  /// From any thread or signal handler, never refused: ramps to the safe state within stop_ramp_s.
  void requestStop() noexcept {
    stop_requested_.store(true, std::memory_order_release);
    asked_.store(true, std::memory_order_release);
  }
  /// From any thread or signal handler, never refused: the rig's own safe state in the next tick, without a ramp.
  void requestImmediateStop() noexcept {
    immediate_stop_requested_.store(true, std::memory_order_release);
    asked_.store(true, std::memory_order_release);
  }
  /// After the end, in state fault: returns to ready. Not real-time.
  void resetFault() noexcept;
  /// From the next arm() on, presses on this token count as requestStop() and requestImmediateStop(); null: no token.
  void follow(const StopToken* stop) noexcept { stop_ = stop; }
  EndReason endReason() const noexcept { return end_reason_.load(std::memory_order_acquire); }

 private:
  struct Work;  // working data of the tick
  enum class DirectorWork : std::uint8_t { none, due, done };
  void push(const Event& event) noexcept;
  void push(EventCode code, Severity severity = Severity::info, int index = -1, double value = 0.0,
            double bound = 0.0) noexcept;
  void enter(State state) noexcept;
  void setForceSource(ForceSource source) noexcept;
  void apply(const Request& request) noexcept;
  bool stopPressed() const noexcept { return stop_ != nullptr && stop_->presses() > presses_seen_; }
  bool recorderFailed() const noexcept {
    return recorder_failed_ != nullptr && recorder_failed_->load(std::memory_order_acquire);
  }
  void applyRequests() noexcept;
  void injectFault(const FaultSpec& fault, bool begin) noexcept;
  void scheduleFaults() noexcept;
  void tellStatus(RigStatus status) noexcept;
  void nameInterlocks(Event& event) const noexcept;
  void nameSignals();
  void findNotANumber() noexcept;
  void tellPlugIn() noexcept;
  void beginRunning(bool resumed) noexcept;
  void beginHolding() noexcept;
  void beginStopping(EndReason reason) noexcept;
  void end(EndReason reason) noexcept;
  SignalValue fade(double t_s) const noexcept;
  std::unique_ptr<Work> makeWork() const;
  void beginTrial() noexcept;
  void finishTrial() noexcept;
  void keepSegment() noexcept;
  void pushSegment() noexcept;
  void enterSegment() noexcept;
  bool waitsForDirector() noexcept;
  template <typename Ask>
  void askDirectors(Ask&& ask) noexcept;
  [[gnu::always_inline]] inline EndReason directed(std::int64_t periods) noexcept;
  void readColumns() noexcept;
  void showExcitation() noexcept;
  [[gnu::always_inline]] inline void runProgramme(std::int64_t periods) noexcept;
  const CommandBounds& bounds(bool derived_only = false) noexcept;
  void settle(std::int64_t elapsed) noexcept;
  void takeOver() noexcept;
  void stand() noexcept;
  void tune(std::size_t index, double value) noexcept;
  void fadeTunables(std::int64_t periods) noexcept;
  [[gnu::always_inline]] inline void observe(RigStatus status, bool coupled, std::int64_t elapsed,
                                             std::int64_t periods) noexcept;
  EndReason decidedByLimit() noexcept;
  /// Result of the decision in this tick: why the test ends, or `running`; and whether the command is still written.
  struct Decision {
    EndReason ended = EndReason::running;
    bool writes = true;
  };
  [[gnu::always_inline]] inline Decision decide(Action action, std::int64_t elapsed) noexcept;
  void countLateness(std::int64_t elapsed) noexcept;
  void writeRow(std::int64_t wake_late_ns, std::int64_t compute_ns, std::int64_t io_ns, std::int64_t elapsed,
                Action action) noexcept;

  LoopConfig config_;
  std::unique_ptr<Rig> rig_;
  std::unique_ptr<CouplingScheme> scheme_;
  Director* const director_;  // of the scheme; null if it has none
  Excitation excitation_;
  SafetyChain safety_;
  RowLayout layout_;
  std::size_t scheme_channels_;     // number of the scheme's channels, the first of the further ones in the layout
  std::vector<std::size_t> reads_;  // channels of the rig that the scheme reads
  std::vector<FaultSpec> faults_;
  std::vector<Tunable> tunables_;
  LoopStatus status_;
  boost::lockfree::spsc_queue<Request, boost::lockfree::capacity<256>> mailbox_;
  std::atomic<bool> stop_requested_{false}, immediate_stop_requested_{false};
  PlugInWatchPtr plug_ins_;  // null if there is none
  const StopToken* stop_ = nullptr;
  int presses_seen_ = 0;            // presses of stop_ seen by the tick
  std::atomic<bool> asked_{false};  // the mailbox may hold a request, or a stop was requested
  std::atomic<EndReason> end_reason_{EndReason::running};
  RowRing* recorder_rows_ = nullptr;
  EventRing* recorder_events_ = nullptr;
  const std::atomic<bool>* recorder_failed_ = nullptr;
  RowRing* display_rows_ = nullptr;
  EventRing* display_events_ = nullptr;
  RowRing *segment_rows_ = nullptr, *display_segments_ = nullptr;
  std::atomic<DirectorWork> director_work_{DirectorWork::none};
  std::atomic<bool> director_held_{false};
  bool works_elsewhere_ = false;
  std::vector<double> begun_with_;  // initial learnt values; empty: none
  std::unique_ptr<Work> work_;
};

}  // namespace hyb
