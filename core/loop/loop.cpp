#include "core/loop/loop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/error.h"

namespace hyb {
namespace {

constexpr std::int64_t kMaxElapsed = 1000;     // periods caught up in one tick; more is an overrun
constexpr std::int64_t kLateBurstTicks = 100;  // on-time ticks that end a burst of late ones
constexpr double kVelocityFilterHz = 100.0;    // one-pole filter of the differentiated displacement
constexpr double kPi = 3.14159265358979323846;

std::vector<Channel> excitationChannels(const Excitation& excitation) {
  std::vector<Channel> channels;
  for (const auto& signal : excitation.signals())
    channels.push_back({"", signal.units, "excitation signal \"" + signal.name + "\", faded", 0});
  return channels;
}

}  // namespace

std::string_view name(EndReason reason) noexcept {
  constexpr std::array<std::string_view, 8> names = {"running",   "completed",    "operator stop",   "limit",
                                                     "rig fault", "not a number", "recorder failed", "overrun"};
  return names[static_cast<std::size_t>(reason)];
}

/// Everything the tick works on, sized once.
struct Loop::Work {
  Work(std::size_t interfaces, std::size_t width, const Excitation& excitation, double step, bool has_reference)
      : step_s(step),
        velocity_share(1.0 - std::exp(-2.0 * kPi * std::min(kVelocityFilterHz, 0.1 / step) * step)),
        excitation_now(excitation.zero()),
        row(width, 0.0) {
    zero.setZero(static_cast<Eigen::Index>(interfaces));
    for (Eigen::VectorXd* vector : {&read.measured,
                                    &read.force,
                                    &last_read.measured,
                                    &last_read.force,
                                    &seen.measured,
                                    &seen.force,
                                    &output.target,
                                    &output.target_rate,
                                    &output.reference,
                                    &output.command.position,
                                    &output.command.rate,
                                    &command.position,
                                    &command.rate,
                                    &last_command,
                                    &command_rate,
                                    &velocity,
                                    &gap,
                                    &last_gap,
                                    &last_force,
                                    &offset,
                                    &frozen})
      vector->setZero(static_cast<Eigen::Index>(interfaces));
    reference = has_reference;
  }
  const double step_s, velocity_share;
  bool reference = false;
  RigState read, last_read;
  RigState seen;  // by the coupling scheme
  ExcitationValue excitation_now;
  CouplingOutput output;
  Command command;  // what goes to the rig
  Eigen::VectorXd zero, last_command, command_rate, velocity, gap, last_gap, last_force;
  Eigen::VectorXd offset;  // fades out after start or resume: where the actuators stood
  Eigen::VectorXd frozen;  // command while armed or holding; start of the ramp to zero while stopping
  std::vector<double> row;

  bool first_read = true, first_row = true;
  bool started = false;   // rows are written from the first running tick on
  bool switched = false;  // to measured forces, at config.measured_from_s
  bool overrun_told = false;
  bool saturation_told = false;  // once per test: an actuator at its capacity enters and leaves it in every cycle
  std::uint64_t tick = 0;
  std::int64_t excitation_ticks = 0;  // the clock of the excitation stands while holding
  std::int64_t fade_origin = 0;       // excitation tick of the last start or resume
  std::int64_t blend_ticks = 0;       // since the start
  std::int64_t ramp_ticks = 0;        // since the stop began
  bool returning = false;             // resumed: the command goes to zero first, then the coupling starts at rest
  std::int64_t stale_ticks = 0;
  double energy_error_j = 0.0;
  std::int64_t burst_late_ticks = 0, burst_missed = 0, on_time_ticks = 0;
  RigStatus last_status = RigStatus::ok;
  EndReason pending = EndReason::running;  // why we are stopping
};

Loop::Loop(LoopConfig config, std::unique_ptr<Rig> rig, std::unique_ptr<CouplingScheme> scheme, Excitation excitation,
           std::vector<Limit> limits)
    : config_(config),
      rig_(std::move(rig)),
      scheme_(std::move(scheme)),
      excitation_(std::move(excitation)),
      safety_(std::move(limits), static_cast<std::int64_t>(std::ceil(config.rate_hz))),
      layout_(scheme_->interfaces(), excitationChannels(excitation_), scheme_->hasReference(), scheme_->adapted(),
              scheme_->interfaceDofs()),
      tunables_(scheme_->tunables()),
      work_(std::make_unique<Work>(scheme_->interfaces(), layout_.width(), excitation_, 1.0 / config.rate_hz,
                                   scheme_->hasReference())) {
  if (rig_->interfaces() != scheme_->interfaces())
    throw InputError("/rig", "the rig has " + std::to_string(rig_->interfaces()) + " actuators, the cut has " +
                                 std::to_string(scheme_->interfaces()) +
                                 " interface DOF: give one actuator per interface DOF");
}

Loop::~Loop() { rig_->safeStop(); }

EventNames Loop::eventNames() const {
  EventNames names;
  for (const Limit& limit : safety_.limits()) {
    names.limits.push_back(std::string(name(limit.quantity)) +
                           (limit.interface > 0 ? " " + std::to_string(limit.interface) : ""));
    names.limit_units.emplace_back(unit(limit.quantity));
    constexpr std::array<const char*, 5> done = {"", "indicated", "holding", "ramped to zero", "stopped"};
    names.limit_actions.emplace_back(done[static_cast<std::size_t>(limit.action)]);
  }
  for (const Tunable& tunable : tunables_) {
    names.tunables.push_back(tunable.name);
    names.tunable_units.push_back(tunable.units);
  }
  return names;
}

void Loop::arm() {
  rig_->open();
  scheme_->reset();
  safety_.reset();
  work_ = std::make_unique<Work>(scheme_->interfaces(), layout_.width(), excitation_, 1.0 / config_.rate_hz,
                                 scheme_->hasReference());
  const bool emulated = config_.force_source == ForceSource::emulated || config_.measured_from_s >= 0.0;
  setForceSource(emulated ? ForceSource::emulated : ForceSource::measured);
  status_.started.store(false, std::memory_order_relaxed);
  status_.tick.store(0, std::memory_order_relaxed);
  status_.late_ticks.store(0, std::memory_order_relaxed);
  status_.missed_periods.store(0, std::memory_order_relaxed);
  status_.limits_hit.store(0, std::memory_order_relaxed);
  status_.deciding_limit.store(-1, std::memory_order_relaxed);
  stop_requested_.store(false, std::memory_order_release);
  end_reason_.store(EndReason::running, std::memory_order_release);
  enter(State::armed);
}

void Loop::push(const Event& event) noexcept {
  if (recorder_events_ != nullptr) recorder_events_->push(event);
  if (display_events_ != nullptr) display_events_->push(event);
}

void Loop::push(EventCode code, Severity severity, int index, double value, double bound) noexcept {
  push(Event{work_->tick, code, severity, index, value, bound, {}});
}

void Loop::enter(State state) noexcept {
  if (status_.state.load(std::memory_order_relaxed) == state) return;
  status_.state.store(state, std::memory_order_release);
  push(EventCode::state_changed, state == State::fault ? Severity::fault : Severity::info, static_cast<int>(state));
}

void Loop::setForceSource(ForceSource source) noexcept {
  if (!scheme_->setForceSource(source)) return;
  if (status_.force_source.exchange(source, std::memory_order_relaxed) != source && work_->tick > 0)
    push(EventCode::force_source_changed, Severity::info, static_cast<int>(source));
}

/// The one fixed point of the tick at which changes from outside take effect.
void Loop::applyRequests() noexcept {
  Work& w = *work_;
  Request request;
  while (mailbox_.pop(request)) {
    const State state = status_.state.load(std::memory_order_relaxed);
    switch (request.kind) {
      case Request::Kind::start:
        if (state == State::armed) beginRunning(false);
        break;
      case Request::Kind::hold:
        if (state == State::running) {
          push(EventCode::operator_hold);
          beginHolding();
        }
        break;
      case Request::Kind::resume:
        if (state == State::holding) {
          push(EventCode::operator_resume);
          beginRunning(true);
        }
        break;
      case Request::Kind::tune:
        if (request.index >= 0 && static_cast<std::size_t>(request.index) < tunables_.size()) {
          Tunable& tunable = tunables_[static_cast<std::size_t>(request.index)];
          push(EventCode::parameter_changed, Severity::info, request.index, request.value, tunable.value);
          tunable.value = request.value;
          scheme_->tune(static_cast<std::size_t>(request.index), request.value);
        }
        break;
      case Request::Kind::set_limit:
        if (request.index >= 0 && static_cast<std::size_t>(request.index) < safety_.limits().size()) {
          const double old = safety_.limits()[static_cast<std::size_t>(request.index)].threshold;
          push(EventCode::limit_changed, Severity::info, request.index, request.value, old);
          safety_.setThreshold(static_cast<std::size_t>(request.index), request.value);
        }
        break;
      case Request::Kind::set_force_source:
        setForceSource(static_cast<ForceSource>(request.index));
        break;
      case Request::Kind::note:
        push(Event{w.tick, EventCode::operator_note, Severity::info, -1, 0.0, 0.0, request.text});
        break;
    }
  }
  if (recorder_failed_ != nullptr && recorder_failed_->load(std::memory_order_acquire) &&
      w.pending == EndReason::running) {
    push(EventCode::recorder_failed, Severity::fault);
    beginStopping(EndReason::recorder_failed);
  }
  if (stop_requested_.load(std::memory_order_acquire) && w.pending == EndReason::running) {
    push(EventCode::operator_stop, Severity::warning);
    beginStopping(EndReason::operator_stop);
  }
}

void Loop::beginRunning(bool resumed) noexcept {
  Work& w = *work_;
  if (resumed) scheme_->restart();
  w.returning = resumed;
  w.ramp_ticks = 0;
  w.offset = resumed ? w.zero : w.frozen;
  w.fade_origin = w.excitation_ticks;
  w.blend_ticks = 0;
  w.started = true;
  status_.started.store(true, std::memory_order_relaxed);
  enter(State::running);
}

void Loop::beginHolding() noexcept {
  work_->frozen = work_->command.position;
  work_->returning = false;
  enter(State::holding);
}

void Loop::beginStopping(EndReason reason) noexcept {
  Work& w = *work_;
  if (w.pending != EndReason::running) return;
  w.pending = reason;
  if (!w.started) return;  // nothing has moved: the tick ends the test where it stands
  w.ramp_ticks = 0;
  w.returning = false;
  w.frozen = w.command.position;
  enter(State::stopping);
}

/// Powers the rig down and ends the test in this tick.
void Loop::end(EndReason reason) noexcept {
  Work& w = *work_;
  rig_->safeStop();
  if (w.burst_late_ticks > 0)
    push(EventCode::late_ticks, Severity::warning, static_cast<int>(w.burst_late_ticks),
         static_cast<double>(w.burst_missed));
  const bool fault = reason != EndReason::completed && reason != EndReason::operator_stop;
  if (reason == EndReason::completed) push(EventCode::end_of_test);
  enter(fault ? State::fault : State::ready);
  end_reason_.store(reason, std::memory_order_release);
}

/// Fade of the excitation at its own time t: soft start since the last start or resume, soft end before the duration is
/// over.
SignalValue Loop::fade(double t_s) const noexcept {
  const SignalValue up =
      cosineFade(t_s - static_cast<double>(work_->fade_origin) * work_->step_s, config_.soft_start_s);
  if (config_.duration_s <= 0.0) return up;
  const SignalValue down = cosineFade(config_.duration_s - t_s, config_.soft_end_s);
  return {up.value * down.value, up.rate * down.value - up.value * down.rate};
}

/// Target and command of this tick from the coupling scheme, over `periods` periods since the last tick.
void Loop::runCoupling(std::int64_t periods) noexcept {
  Work& w = *work_;
  double offset_share = 0.0;
  for (std::int64_t j = 1; j <= periods; ++j) {
    ++w.excitation_ticks;
    ++w.blend_ticks;
    const double t = static_cast<double>(w.excitation_ticks) * w.step_s;
    const SignalValue share = fade(t);
    excitation_.at(t, share.value, share.rate, w.excitation_now);
    const double blend = cosineFade(static_cast<double>(w.blend_ticks) * w.step_s, config_.stop_ramp_s).value;
    offset_share = 1.0 - blend;
    if (config_.measured_from_s >= 0.0 && t >= config_.measured_from_s && !w.switched) {
      w.switched = true;
      setForceSource(ForceSource::measured);
    }
    // What was measured in a missed period is taken from the line between the two readings; the scheme does not see the
    // offset that fades out, or it would adapt to it.
    const double share_new = static_cast<double>(j) / static_cast<double>(periods);
    w.seen.measured = (1.0 - share_new) * w.last_read.measured + share_new * w.read.measured - offset_share * w.offset;
    w.seen.force = (1.0 - share_new) * w.last_read.force + share_new * w.read.force;
    scheme_->update(w.seen, w.excitation_now, w.output);
  }
  if (periods == 0) {  // first tick: at rest where the actuators stand
    w.output.target = w.zero;
    w.output.command.position = w.output.command.rate = w.zero;
    offset_share = 1.0;
  }
  w.output.target += offset_share * w.offset;
  w.command.position = w.output.command.position + offset_share * w.offset;
  w.command.rate = w.output.command.rate;
}

/// Command while armed, holding, stopping and returning from a hold.
void Loop::stand(State state, std::int64_t periods) noexcept {
  Work& w = *work_;
  SignalValue ramp;
  if (state == State::stopping || w.returning) {
    w.ramp_ticks += periods;
    ramp = cosineFade(static_cast<double>(w.ramp_ticks) * w.step_s, config_.stop_ramp_s);
  }
  w.command.position = (1.0 - ramp.value) * w.frozen;
  w.command.rate = -ramp.rate * w.frozen;
  if (state == State::running && ramp.value >= 1.0) w.returning = false;
}

void Loop::countLateness(std::int64_t elapsed) noexcept {
  Work& w = *work_;
  const std::int64_t missed = std::max<std::int64_t>(0, elapsed - 1);
  if (missed > 0) {
    ++w.burst_late_ticks;
    w.burst_missed += missed;
    w.on_time_ticks = 0;
    status_.late_ticks.fetch_add(1, std::memory_order_relaxed);
    status_.missed_periods.fetch_add(static_cast<std::uint64_t>(missed), std::memory_order_relaxed);
  } else if (w.burst_late_ticks > 0 && ++w.on_time_ticks >= kLateBurstTicks) {
    push(EventCode::late_ticks, Severity::warning, static_cast<int>(w.burst_late_ticks),
         static_cast<double>(w.burst_missed));
    w.burst_late_ticks = w.burst_missed = 0;
  }
}

void Loop::writeRow(std::int64_t wake_late_ns, std::int64_t compute_ns, std::int64_t io_ns, std::int64_t elapsed,
                    Action action) noexcept {
  Work& w = *work_;
  const State state = status_.state.load(std::memory_order_relaxed);
  std::uint32_t flags = 0;
  if (elapsed > 1) flags |= kFlagLate;
  if (w.last_status == RigStatus::stale) flags |= kFlagStaleInput;
  if (w.last_status == RigStatus::saturated) flags |= kFlagRigSaturated;
  if (action != Action::none) flags |= kFlagLimitActive;
  if (state == State::holding || w.returning) flags |= kFlagHolding;
  if (state == State::stopping || state == State::fault) flags |= kFlagStopping;
  if (status_.force_source.load(std::memory_order_relaxed) == ForceSource::emulated) flags |= kFlagEmulatedForce;
  std::vector<double>& row = w.row;
  row[RowLayout::kTick] = static_cast<double>(w.tick);
  row[RowLayout::kTime] = static_cast<double>(w.tick) * w.step_s;
  row[RowLayout::kFlags] = static_cast<double>(flags);
  row[RowLayout::kWakeLate] = static_cast<double>(wake_late_ns);
  row[RowLayout::kCompute] = static_cast<double>(compute_ns);
  row[RowLayout::kIo] = static_cast<double>(io_ns);
  for (Eigen::Index j = 0; j < w.excitation_now.signal.size(); ++j)
    row[layout_.excitation(static_cast<std::size_t>(j))] = w.excitation_now.signal[j];
  for (std::size_t i = 0; i < layout_.interfaces(); ++i) {
    const auto e = static_cast<Eigen::Index>(i);
    row[layout_.target(i)] = w.output.target[e];
    row[layout_.command(i)] = w.command.position[e];
    row[layout_.measured(i)] = w.read.measured[e];
    row[layout_.force(i)] = w.read.force[e];
    row[layout_.gap(i)] = w.gap[e];
    row[layout_.velocity(i)] = w.velocity[e];
    if (w.reference) row[layout_.reference(i)] = w.output.reference[e];
  }
  const std::size_t adapted = layout_.adapted().size();
  if (adapted > 0) scheme_->readAdapted(std::span<double>(row).subspan(layout_.adaptedColumn(0), adapted));
  if (recorder_rows_ != nullptr && !recorder_rows_->push(row) && !w.overrun_told) {
    w.overrun_told = true;
    push(EventCode::recorder_overrun, Severity::fault, -1, static_cast<double>(recorder_rows_->dropped()));
  }
  if (display_rows_ != nullptr) display_rows_->push(row);
}

bool Loop::tick(std::int64_t elapsed, std::int64_t wake_late_ns, std::int64_t (*clock_ns)() noexcept) noexcept {
  if (endReason() != EndReason::running) return false;
  Work& w = *work_;
  const std::int64_t started_ns = clock_ns != nullptr ? clock_ns() : 0;

  // Read.
  const RigStatus status = rig_->read(w.read, w.first_read ? 0 : elapsed);
  const std::int64_t read_ns = clock_ns != nullptr ? clock_ns() : 0;
  if (w.first_read) {
    w.last_read = w.read;
    w.frozen = w.read.measured;
    w.command.position = w.frozen;
  }
  const bool saturated = status == RigStatus::saturated;
  if (saturated ? !w.saturation_told
                : status != w.last_status && !(status == RigStatus::ok && w.last_status == RigStatus::saturated))
    push(EventCode::rig_status, status == RigStatus::ok ? Severity::info : Severity::warning, static_cast<int>(status));
  w.saturation_told = w.saturation_told || saturated;
  w.last_status = status;
  w.stale_ticks = status == RigStatus::stale ? w.stale_ticks + 1 : 0;

  // Changes from outside, then the coupling.
  applyRequests();
  State state = status_.state.load(std::memory_order_relaxed);
  const std::int64_t periods = w.first_row ? 0 : std::min(elapsed, kMaxElapsed);
  if (w.started && !w.first_row) {
    w.tick += static_cast<std::uint64_t>(elapsed);
    countLateness(elapsed);
  }
  if (state == State::running && config_.duration_s > 0.0 &&
      static_cast<double>(w.excitation_ticks + periods) * w.step_s > config_.duration_s + 0.5 * w.step_s) {
    beginStopping(EndReason::completed);
    state = State::stopping;
  }
  w.last_command = w.command.position;
  const bool coupled = state == State::running && !w.returning;
  if (coupled) {
    runCoupling(periods);
  } else {  // nobody asks for motion: the target is the command itself
    stand(state, periods);
    w.output.target = w.command.position;
    w.output.target_rate = w.command.rate;
  }

  // What the safety chain looks at.
  const double elapsed_s = w.step_s * static_cast<double>(std::max<std::int64_t>(1, elapsed));
  w.gap = w.read.measured - w.output.target;
  if (w.first_row) w.last_gap = w.gap, w.last_force = w.read.force;
  if (!w.first_read)
    w.velocity += w.velocity_share * ((w.read.measured - w.last_read.measured) / elapsed_s - w.velocity);
  if (coupled)  // energy that the transfer system feeds in: - integral of f dg, trapezoidal
    w.energy_error_j -= 0.5 * (w.read.force + w.last_force).dot(w.gap - w.last_gap);
  w.command_rate = (w.command.position - w.last_command) / elapsed_s;
  status_.energy_error_j.store(w.energy_error_j, std::memory_order_relaxed);

  SafetySample sample;
  sample.command = &w.command.position;
  sample.command_rate = &w.command_rate;
  sample.measured = &w.read.measured;
  sample.velocity = &w.velocity;
  sample.force = &w.read.force;
  sample.gap = &w.gap;
  sample.energy_error_j = w.energy_error_j;
  sample.missed_ticks = w.started && !w.first_row ? elapsed - 1 : 0;
  sample.rig_status = status;
  sample.stale_ticks = w.stale_ticks;
  const Action action = safety_.check(sample, w.tick, [this](const Event& event) noexcept {
    if (event.code == EventCode::limit_hit) status_.limits_hit.fetch_add(1, std::memory_order_relaxed);
    push(event);
  });

  // Decision, inside the tick in which the limit was crossed.
  EndReason ended = EndReason::running;
  if (!isFinite(sample)) {
    ended = EndReason::not_a_number;
  } else if (status == RigStatus::fault || status == RigStatus::link_lost || status == RigStatus::interlock) {
    ended = EndReason::rig_fault;
  } else if (action == Action::stop || (action >= Action::hold && !w.started)) {
    ended = EndReason::limit;
  } else if (elapsed > kMaxElapsed && w.started && !w.first_row) {
    ended = EndReason::overrun;
  } else if (w.pending != EndReason::running && !w.started) {
    ended = w.pending;
  } else if (action == Action::ramp && w.pending == EndReason::running) {
    w.command.position = w.last_command;
    beginStopping(EndReason::limit);
  } else if (action == Action::hold && state == State::running) {
    w.command.position = w.last_command;
    beginHolding();
  } else if (state == State::stopping && static_cast<double>(w.ramp_ticks) * w.step_s >= config_.stop_ramp_s) {
    ended = w.pending;
  }
  if (action != Action::none && action != Action::indicate &&
      status_.deciding_limit.load(std::memory_order_relaxed) < 0)
    status_.deciding_limit.store(safety_.decisive(), std::memory_order_relaxed);

  // Write, or the safe state.
  const std::int64_t write_ns = clock_ns != nullptr ? clock_ns() : 0;
  const bool graceful = ended == EndReason::running || (ended == w.pending && state == State::stopping);
  if (graceful && rig_->write(w.command) == RigStatus::fault) ended = EndReason::rig_fault;
  if (ended != EndReason::running) rig_->safeStop();
  const std::int64_t end_ns = clock_ns != nullptr ? clock_ns() : 0;

  if (w.started) {
    writeRow(wake_late_ns, write_ns - read_ns, (read_ns - started_ns) + (end_ns - write_ns), w.first_row ? 1 : elapsed,
             action);
    w.first_row = false;
  }
  status_.tick.store(w.tick, std::memory_order_relaxed);
  w.last_read = w.read;
  w.last_gap = w.gap;
  w.last_force = w.read.force;
  w.first_read = false;
  if (ended != EndReason::running) {
    end(ended);
    return false;
  }
  return true;
}

void Loop::resetFault() noexcept {
  if (status_.state.load(std::memory_order_relaxed) != State::fault) return;
  push(EventCode::fault_reset);
  enter(State::ready);
}

}  // namespace hyb
