#include "core/loop/loop.h"
#include "core/loop/loop_work.h"

namespace hyb {

void Loop::apply(const Request& request) noexcept {
  Work& w = *work_;
  const State state = status_.state.load(std::memory_order_relaxed);
  switch (request.kind) {
    case Request::Kind::start:
      if (state == State::armed) beginRunning(false);
      break;
    case Request::Kind::disarm:
      if (state != State::armed || w.pending != EndReason::running) break;
      push(EventCode::operator_stop, Severity::warning, kNotStarted, request.value);
      beginStopping(EndReason::operator_stop);
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
      if (request.index >= 0 && static_cast<std::size_t>(request.index) < tunables_.size())
        tune(static_cast<std::size_t>(request.index), request.value);
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
    case Request::Kind::fault:
      injectFault(request.fault, request.value != 0.0);
      break;
    case Request::Kind::note:
      push(Event{w.tick, EventCode::operator_note, Severity::info, -1, 0.0, 0.0, request.text});
      break;
  }
}

/// While the test runs the value fades in, because a step of a gain would cause a step of the command.
void Loop::tune(std::size_t index, double value) noexcept {
  Work& w = *work_;
  Tunable& tunable = tunables_[index];
  push(EventCode::parameter_changed, Severity::info, static_cast<int>(index), value, tunable.value);
  Work::Fade& fade = w.fades[index];
  const double now =
      fade.active ? fade.from + (fade.to - fade.from) *
                                    cosineFade(static_cast<double>(fade.ticks) * w.step_s, config_.tuning_fade_s).value
                  : tunable.value;
  tunable.value = value;
  w.active_fades -= fade.active ? 1 : 0;
  const bool fades = status_.state.load(std::memory_order_relaxed) == State::running && !w.returning;
  fade = {now, value, 0, fades};
  if (fades)
    ++w.active_fades;
  else
    scheme_->tune(index, value);
}

void Loop::fadeTunables(std::int64_t periods) noexcept {
  Work& w = *work_;
  for (std::size_t t = 0; t < w.fades.size(); ++t) {
    Work::Fade& fade = w.fades[t];
    if (!fade.active) continue;
    fade.ticks += periods;
    const double share = cosineFade(static_cast<double>(fade.ticks) * w.step_s, config_.tuning_fade_s).value;
    scheme_->tune(t, share < 1.0 ? fade.from + (fade.to - fade.from) * share : fade.to);
    if (share < 1.0) continue;
    fade.active = false;
    --w.active_fades;
  }
}

/// The one fixed point of the tick at which requests from outside take effect.
void Loop::applyRequests() noexcept {
  Work& w = *work_;
  asked_.exchange(false, std::memory_order_acq_rel);  // later requests are for the next tick, or still for this one
  while (mailbox_.consume_one([this](const Request& request) noexcept { apply(request); })) {
  }
  if (stopPressed()) {
    presses_seen_ = stop_->presses();
    stop_requested_.store(true, std::memory_order_release);
    if (presses_seen_ > 1) immediate_stop_requested_.store(true, std::memory_order_release);
  }
  if (recorderFailed() && w.pending == EndReason::running) {
    push(EventCode::recorder_failed, Severity::fault);
    beginStopping(EndReason::recorder_failed);
  }
  if (immediate_stop_requested_.load(std::memory_order_acquire) && !w.immediate) {
    push(EventCode::operator_stop, Severity::warning, kStopAtOnce);
    w.immediate = true;
  }
  if (stop_requested_.load(std::memory_order_acquire) && w.pending == EndReason::running) {
    push(EventCode::operator_stop, Severity::warning, kStopByRamp);
    beginStopping(EndReason::operator_stop);
  }
}

void Loop::beginRunning(bool resumed) noexcept {
  Work& w = *work_;
  if (resumed) scheme_->restart();
  w.returning = resumed;
  if (resumed) {
    status_.deciding_limit.store(-1, std::memory_order_relaxed);
    w.safe.letDown(bounds());
    w.offset.setZero();
  } else {
    w.offset = w.safe.stands();
  }
  w.blend_s = w.safe.rampFrom_s(w.offset, bounds());
  if (resumed)
    w.offset_columns.setZero();
  else
    w.offset_columns = w.columns;
  w.fade_origin = w.programme.ticks();
  w.blend_ticks = 0;
  w.started = true;
  if (!resumed) rig_->begin();
  if (!resumed && w.trials) beginTrial();
  status_.started.store(true, std::memory_order_relaxed);
  enter(State::running);
}

void Loop::beginHolding() noexcept {
  if (work_->trials) work_->trials->spoil();
  takeOver();
  work_->returning = false;
  enter(State::holding);
}

void Loop::beginStopping(EndReason reason) noexcept {
  Work& w = *work_;
  if (w.pending != EndReason::running) return;
  w.pending = reason;
  if (!w.started) return;  // nothing has moved: the tick ends the test at its position
  if (reason != EndReason::completed && w.trials) w.trials->spoil();
  finishTrial();
  w.returning = false;
  takeOver();
  w.safe.letDown(bounds());
  rig_->rampBegins();
  enter(State::stopping);
}

/// Starts or ends a fault on purpose.
void Loop::injectFault(const FaultSpec& fault, bool begin) noexcept {
  const bool done = rig_->inject(fault, begin);
  if (!done && !begin) return;
  Event event{work_->tick,
              begin ? EventCode::fault_injected : EventCode::fault_ended,
              done ? Severity::info : Severity::warning,
              static_cast<std::int32_t>(fault.kind),
              fault.value,
              static_cast<double>(fault.interface),
              {}};
  if (faultFacts(fault.kind).place == FaultPlace::sensor) event.setText(name(fault.sensor));
  push(event);
}

/// Faults of the project, by the time since Run.
void Loop::scheduleFaults() noexcept {
  Work& w = *work_;
  if (!w.started) return;
  const double t = (static_cast<double>(w.tick) + 0.5) * w.step_s;
  for (std::size_t f = 0; f < faults_.size(); ++f) {
    const FaultSpec& fault = faults_[f];
    Work::FaultPhase& phase = w.fault_phases[f];
    if (phase == Work::FaultPhase::to_come && t >= fault.from_s) {
      phase = Work::FaultPhase::active;
      injectFault(fault, true);
    }
    if (phase == Work::FaultPhase::active && fault.duration_s > 0.0 && t >= fault.from_s + fault.duration_s) {
      phase = Work::FaultPhase::over;
      injectFault(fault, false);
    }
  }
}

}  // namespace hyb
