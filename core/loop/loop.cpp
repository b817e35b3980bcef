#include "core/loop/loop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/loop/loop_work.h"

namespace hyb {
namespace {

std::vector<Channel> excitationChannels(const Excitation& excitation) {
  std::vector<Channel> channels;
  for (const auto& signal : excitation.signals())
    channels.push_back({"", signal.units, "excitation signal \"" + signal.name + "\", faded", 0});
  return channels;
}

/// Channels of the coupling scheme, followed by channels of the rig.
std::vector<Channel> furtherChannels(const CouplingScheme& scheme, const Rig& rig) {
  std::vector<Channel> channels = scheme.channels(), of_rig = rig.channels();
  channels.insert(channels.end(), of_rig.begin(), of_rig.end());
  return channels;
}

/// Resolves the columns of limits on further columns. Throws InputError for an unknown name.
std::vector<Limit> onColumns(std::vector<Limit> limits, const std::vector<Channel>& channels) {
  for (std::size_t l = 0; l < limits.size(); ++l) {
    Limit& limit = limits[l];
    if (!limit.quantity->of_column) continue;
    const auto found = std::find_if(channels.begin(), channels.end(),
                                    [&](const Channel& channel) { return channel.name == limit.channel; });
    if (found == channels.end())
      throw InputError("/safety/limits/" + std::to_string(l) + "/channel",
                       "is \"" + limit.channel +
                           "\", which is not a signal of the rig or the coupling scheme; choose another signal");
    limit.column = static_cast<std::size_t>(found - channels.begin());
    limit.channel_units = found->units;
  }
  return limits;
}

/// Channels of the rig that the scheme reads. Throws InputError if one is missing.
std::vector<std::size_t> readBy(const CouplingScheme& scheme, const Rig& rig) {
  std::vector<std::size_t> places;
  const std::vector<Channel> channels = rig.channels();
  for (const std::string& name : scheme.reads()) {
    const auto found = std::ranges::find(channels, name, &Channel::name);
    if (found == channels.end())
      throw InputError("/coupling/scheme", "reads the column \"" + name + "\", which does not exist on the rig");
    places.push_back(static_cast<std::size_t>(found - channels.begin()));
  }
  return places;
}

/// Columns recorded for each trial, including the adapted quantities that the compensator keeps from tick to tick.
SegmentTable trialTable(const RowLayout& layout, int count) {
  std::vector<std::string> units;
  for (std::size_t i = 0; i < layout.interfaces(); ++i) units.push_back(layout.units(layout.gap(i)));
  std::vector<Channel> adapted;
  for (const Adapted& one : layout.adapted())
    if (!one.momentary) adapted.push_back({one.name, one.units, one.description, 0});
  return {trialColumns(units, adapted), static_cast<std::size_t>(count), "tracking_nrmse_percent", "trial"};
}

}  // namespace

Loop::Loop(const LoopConfig& config, std::unique_ptr<Rig> rig, std::unique_ptr<CouplingScheme> scheme,
           Excitation excitation, std::vector<Limit> limits, std::vector<FaultSpec> faults)
    : config_(config),
      rig_(std::move(rig)),
      scheme_(std::move(scheme)),
      director_(scheme_->director()),
      excitation_(std::move(excitation)),
      safety_(onColumns(std::move(limits), furtherChannels(*scheme_, *rig_)), scheme_->axisSignals(),
              static_cast<std::int64_t>(std::ceil(config.rate_hz))),
      layout_(scheme_->interfaces(), excitationChannels(excitation_), scheme_->hasReference(), scheme_->adapted(),
              scheme_->axisSignals(), furtherChannels(*scheme_, *rig_)),
      scheme_channels_(scheme_->channels().size()),
      reads_(readBy(*scheme_, *rig_)),
      faults_(std::move(faults)),
      tunables_(scheme_->tunables()),
      work_(makeWork()) {
  if (rig_->interfaces() != scheme_->interfaces())
    throw InputError("/rig", "the rig has " + std::to_string(rig_->interfaces()) + " actuators, but the cut has " +
                                 std::to_string(scheme_->interfaces()) +
                                 " interface DOF: give one actuator per interface DOF");
  if (!rig_->takesRates()) scheme_->leaveOutRates();
  status_.standing = std::vector<AxisStanding>(scheme_->interfaces());
  SegmentTable segments;
  if (director_ != nullptr) segments = director_->segments();
  if (config_.trials.count > 0) segments = trialTable(layout_, config_.trials.count);
  if (segments.columns.empty()) return;
  layout_.setSegments(std::move(segments));
  work_ = makeWork();
}

std::unique_ptr<Loop::Work> Loop::makeWork() const {
  return std::make_unique<Work>(layout_, excitation_, config_, *scheme_);
}

Loop::~Loop() { rig_->safeStop(); }

EventNames Loop::eventNames() const {
  EventNames names;
  for (const Limit& limit : safety_.limits()) {
    names.limits.push_back(words(limit));
    names.limit_units.emplace_back(limit.unit());
    constexpr std::array<const char*, 5> done = {"", "indicated", "holding", "ramp to zero", "stopped"};
    names.limit_actions.emplace_back(done[static_cast<std::size_t>(limit.action)]);
  }
  for (const Tunable& tunable : tunables_) {
    names.tunables.push_back(tunable.name);
    names.tunable_units.push_back(tunable.units);
  }
  return names;
}

void Loop::beginWith(std::vector<double> learnt) {
  if (!scheme_->acceptsLearnt(learnt.size()))
    throw InputError("/compensation", "learns " + std::to_string(scheme_->learnt()) +
                                          " numbers, but the test should start with " + std::to_string(learnt.size()) +
                                          " learnt by another compensation; use that compensation.");
  scheme_->setLearnt(learnt);  // throws before anything is opened
  begun_with_ = std::move(learnt);
}

std::optional<BestTrial> Loop::bestTrial() const {
  if (!work_->trials || work_->trials->best() == 0 || work_->trials->bestLearnt().empty()) return std::nullopt;
  const TrialDirector& trials = *work_->trials;
  return BestTrial{trials.best(), trials.bestError_percent(), {trials.bestLearnt().begin(), trials.bestLearnt().end()}};
}

std::vector<double> Loop::trialBeganWith() const {
  if (!work_->trials) return {};
  const std::span<const double> learnt = std::as_const(*work_->trials).learnt();
  return {learnt.begin(), learnt.end()};
}

void Loop::arm() {
  rig_->open();
  scheme_->reset();
  if (!begun_with_.empty()) scheme_->setLearnt(begun_with_);
  director_work_.store(DirectorWork::none, std::memory_order_relaxed);
  safety_.reset();
  work_ = makeWork();
  work_->fault_phases.assign(faults_.size(), Work::FaultPhase::to_come);
  work_->interlocks = rig_->interlocks();
  work_->further.assign(layout_.furtherChannels(), 0.0);
  for (Eigen::VectorXd* columns : {&work_->columns, &work_->last_columns, &work_->offset_columns, &work_->seen.further})
    columns->setZero(static_cast<Eigen::Index>(reads_.size()));
  for (Eigen::VectorXd* readings : {&work_->read.readings, &work_->last_read.readings, &work_->seen.readings})
    readings->setZero(static_cast<Eigen::Index>(rig_->readings()));
  const auto limited = [this](bool LimitQuantity::*trait) {
    return std::ranges::any_of(safety_.limits(), [trait](const Limit& limit) { return limit.quantity->*trait; });
  };
  work_->watches_columns = limited(&LimitQuantity::of_column);
  if (work_->watches_columns) work_->sample.further = work_->further;
  work_->watches_changes = limited(&LimitQuantity::of_change);
  if (limited(&LimitQuantity::of_growth))
    work_->growth.emplace(StabilityIndicatorParams{.step_s = work_->step_s, .window_s = config_.growth_window_s},
                          static_cast<std::size_t>(work_->axes), asksForForce(layout_.signals()));
  if (rig_->link() != nullptr && limited(&LimitQuantity::of_link))
    work_->link_errors.emplace(config_.rate_hz, rig_->link()->errors());
  nameSignals();
  const bool emulated = config_.force_source == ForceSource::emulated || config_.measured_from_s >= 0.0;
  setForceSource(emulated ? ForceSource::emulated : ForceSource::measured);
  status_.started.store(false, std::memory_order_relaxed);
  status_.tick.store(0, std::memory_order_relaxed);
  status_.late_ticks.store(0, std::memory_order_relaxed);
  status_.missed_periods.store(0, std::memory_order_relaxed);
  status_.limits_hit.store(0, std::memory_order_relaxed);
  status_.deciding_limit.store(-1, std::memory_order_relaxed);
  status_.interlocks_open.store(0, std::memory_order_relaxed);
  status_.trial.store(0, std::memory_order_relaxed);
  status_.trials_stopped.store(TrialStop::none, std::memory_order_relaxed);
  stop_requested_.store(false, std::memory_order_release);
  immediate_stop_requested_.store(false, std::memory_order_release);
  presses_seen_ = 0;
  end_reason_.store(EndReason::running, std::memory_order_release);
  enter(State::armed);
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

/// Powers the rig down and ends the test in this tick.
void Loop::end(EndReason reason) noexcept {
  Work& w = *work_;
  rig_->safeStop();
  if (w.trials) w.trials->spoil();
  finishTrial();
  if (w.burst_late_ticks > 0)
    push(EventCode::late_ticks, Severity::warning, static_cast<int>(w.burst_late_ticks),
         static_cast<double>(w.burst_missed));
  const bool fault = reason != EndReason::completed && reason != EndReason::operator_stop;
  if (reason == EndReason::completed) push(EventCode::end_of_test);
  enter(fault ? State::fault : State::ready);
  end_reason_.store(reason, std::memory_order_release);
}

SignalValue Loop::fade(double t_s) const noexcept {
  return excitationFade(config_, t_s, t_s - static_cast<double>(work_->fade_origin) * work_->step_s);
}

[[gnu::hot]] SignalValue excitationFade(const LoopConfig& config, double t_s, double since_start_s) noexcept {
  if (t_s < config.excitation_from_s) return {};
  const double up_s = std::min(since_start_s, t_s - config.excitation_from_s), whole_s = config.excitation_s();
  if (up_s >= config.soft_start_s && (whole_s <= 0.0 || whole_s - t_s >= config.soft_end_s)) return {1.0, 0.0};
  const SignalValue up = cosineFade(up_s, config.soft_start_s);
  if (whole_s <= 0.0) return up;
  const SignalValue down = cosineFade(whole_s - t_s, config.soft_end_s);
  return {up.value * down.value, up.rate * down.value - up.value * down.rate};
}

/// Passes further readings of the rig to the scheme.
void Loop::readColumns() noexcept {
  Work& w = *work_;
  const std::span<double> all = std::span(w.further).subspan(scheme_channels_);
  rig_->readChannels(all);
  for (std::size_t r = 0; r < reads_.size(); ++r) w.columns[static_cast<Eigen::Index>(r)] = all[reads_[r]];
  if (w.first_read) w.last_columns = w.columns;
}

/// The excitation of the first tick. The scheme starts from rest and uses that of the next tick first.
void Loop::showExcitation() noexcept {
  Work& w = *work_;
  const SignalValue share = fade(0.0);
  if (share.value == 0.0) return;
  excitation_.at(0.0, share.value, share.rate, w.excitation_now);
  for (double& value : w.excitation_now.signal)
    value += 0.0;  // a sine of negative amplitude begins with 0, not with -0
}

/// Target and command of this tick over `periods` periods since the last tick: from the coupling scheme, or at rest.
void Loop::runProgramme(std::int64_t periods) noexcept {
  Work& w = *work_;
  double offset_share = 0.0;
  for (std::int64_t j = 1; j <= periods; ++j) {
    if (w.programme.now().at_rest && waitsForDirector()) {
      w.safe.advance(1);
      continue;
    }
    if (w.programme.advance()) enterSegment();
    if (w.programme.now().at_rest) {
      w.safe.advance(1);
      continue;
    }
    ++w.blend_ticks;
    const double t = static_cast<double>(w.programme.ticks()) * w.step_s;
    const SignalValue share = fade(t);
    excitation_.at(std::max(0.0, t - config_.excitation_from_s), share.value, share.rate, w.excitation_now);
    const double blend = cosineFade(static_cast<double>(w.blend_ticks) * w.step_s, w.blend_s).value;
    offset_share = 1.0 - blend;
    if (config_.measured_from_s >= 0.0 && t >= config_.measured_from_s && !w.switched) {
      w.switched = true;
      setForceSource(ForceSource::measured);
    }
    // Measured values of a missed period are interpolated between the two readings. The scheme does not see the offset
    // that fades out; otherwise it would adapt to it.
    const double share_new = static_cast<double>(j) / static_cast<double>(periods), share_last = 1.0 - share_new;
    const auto between = [=](double last, double now) noexcept {
      return periods == 1 ? now : share_last * last + share_new * now;
    };
    for (Eigen::Index i = 0; i < w.axes; ++i) {
      w.seen.measured[i] = between(w.last_read.measured[i], w.read.measured[i]) - offset_share * w.offset[i];
      w.seen.force[i] = between(w.last_read.force[i], w.read.force[i]);
    }
    if (w.read.readings.size() > 0) w.seen.readings = share_last * w.last_read.readings + share_new * w.read.readings;
    if (!reads_.empty())
      w.seen.further = share_last * w.last_columns + share_new * w.columns - offset_share * w.offset_columns;
    w.seen.missed = j < periods;
    scheme_->update(w.seen, w.excitation_now, w.output);
  }
  if (periods == 0) {  // first tick: at rest at the position of the actuators; the excitation is that of time 0
    showExcitation();
    w.output.target = w.zero;
    w.output.command.position = w.output.command.rate = w.zero;
    offset_share = 1.0;
  }
  if (w.programme.now().at_rest) return stand();
  w.addToMotionTargets(offset_share);
  for (Eigen::Index i = 0; i < w.axes; ++i) {
    w.command.position[i] = w.output.command.position[i] + offset_share * w.offset[i];
    w.command.rate[i] = w.output.command.rate[i];
  }
  w.command.fundamental = w.output.command.fundamental;
}

/// Current bounds on the command from the limits that act.
const CommandBounds& Loop::bounds(bool derived_only) noexcept {
  Work& w = *work_;
  w.bounds.clear(w.axes);
  for (Eigen::Index i = 0; i < w.axes; ++i) {
    const auto axis = static_cast<std::size_t>(i);
    if (axis < config_.braking.size() && w.stands[i] > 0.0) w.bounds.acceleration[i] = config_.braking[axis];
    for (const Limit& limit : safety_.limits()) {
      if (limit.action < Action::hold || !limit.covers(static_cast<int>(axis) + 1, layout_.signals()[axis])) continue;
      if (derived_only && limit.origin.empty()) continue;
      const auto values = limit.quantity->values;
      if (values == &SafetySample::command) w.bounds.most[i] = std::min(w.bounds.most[i], limit.threshold);
      if (values == &SafetySample::command_rate) w.bounds.rate[i] = std::min(w.bounds.rate[i], limit.threshold);
      if (values == &SafetySample::command_step)
        w.bounds.rate[i] = std::min(w.bounds.rate[i], limit.threshold / w.step_s);
    }
  }
  return w.bounds;
}

/// Measured values of a missed period are only estimates, and the specimen may still swing when the coupling starts. A
/// compensator that differentiates turns either into a jump and back within a few ticks. During this time the command
/// is clamped to the derived bounds. A limit declared in the project keeps its own action.
void Loop::settle(std::int64_t elapsed) noexcept {
  constexpr double kBelowBound = 0.999;
  Work& w = *work_;
  --w.settling;
  const CommandBounds& derived = bounds(true);
  for (Eigen::Index i = 0; i < w.axes; ++i) {
    const double rate = kBelowBound * derived.rate[i], most = rate * w.step_s * static_cast<double>(elapsed),
                 change = w.command.position[i] - w.last_command[i];
    if (!(std::abs(change) > most)) continue;  // also NaN, which has its own limit
    w.command.position[i] = w.last_command[i] + std::copysign(most, change);
    w.command.rate[i] = std::clamp(w.command.rate[i], -rate, rate);
  }
}

/// The safe command continues from the last written command, whatever was computed since.
void Loop::takeOver() noexcept {
  Work& w = *work_;
  const double elapsed_s = w.step_s * static_cast<double>(w.last_elapsed);
  for (Eigen::Index i = 0; i < w.axes; ++i) w.last_rate[i] = (w.last_command[i] - w.before_last[i]) / elapsed_s;
  w.safe.takeOver(w.last_command, w.last_rate, bounds());
}

/// Command while the loop is open. No motion is requested, so the command is also the target.
void Loop::stand() noexcept {
  work_->safe.put(work_->command);
  work_->setZeroTarget();
}

/// Values for the safety chain, `elapsed` periods after the last tick.
void Loop::observe(RigStatus status, bool coupled, std::int64_t elapsed, std::int64_t periods) noexcept {
  Work& w = *work_;
  const double elapsed_s = w.step_s * static_cast<double>(std::max<std::int64_t>(1, elapsed));
  const Eigen::VectorXd& tracked = w.tracked();
  for (Eigen::Index i = 0; i < w.axes; ++i) {
    w.gap[i] = tracked[i] - w.output.target[i];
    if (!w.first_read)
      w.velocity[i] += w.velocity_share * ((w.read.measured[i] - w.last_read.measured[i]) / elapsed_s - w.velocity[i]);
    if (w.watches_changes) {
      const double change = w.command.position[i] - w.last_command[i];
      w.command_step[i] = elapsed > 1 ? change / static_cast<double>(elapsed) : change;
      w.command_rate[i] = change / elapsed_s;
    }
  }
  const auto values = [](const Eigen::VectorXd& v) {
    return std::span<const double>(v.data(), static_cast<std::size_t>(v.size()));
  };
  // Powers of the unfiltered motions, because the lag of a filter would appear as added energy.
  const auto force = values(w.read.force), target = values(w.output.target), moved = values(w.moved());
  const bool works = coupled && !w.first_row;
  if (works)
    w.energy.add(force, target, moved, elapsed_s);
  else
    w.energy.moveTo(force, target, moved);
  if (w.growth && works)
    w.growth->add(force, target, moved, std::max<std::int64_t>(1, periods));
  else if (w.growth)
    w.growth->moveTo(force, target, moved);
  status_.energy_error_j.store(w.energy.energy_j(), std::memory_order_relaxed);

  if (w.watches_columns) {
    scheme_->readChannels(std::span(w.further).first(scheme_channels_));
    rig_->readChannels(std::span(w.further).subspan(scheme_channels_));
  }
  SafetySample& sample = w.sample;
  sample.energy_error_j = w.energy.energy_j();
  if (w.growth) sample.energy_growth_per_s = w.growth->growth_per_s();
  sample.missed_ticks = w.started && !w.first_row ? elapsed - 1 : 0;
  if (w.link_errors) sample.link_errors = w.link_errors->update(rig_->link()->errors(), elapsed);
  sample.rig_status = status;
  sample.stale_ticks = w.stale_ticks;
  sample.finite = isFinite(sample);
}

/// The limit with the strongest action in this tick decides; returns why it ends the test.
EndReason Loop::decidedByLimit() noexcept {
  const int decisive = safety_.decisive();
  status_.deciding_limit.store(decisive, std::memory_order_relaxed);
  return decisive < 0 ? EndReason::limit : safety_.limits()[static_cast<std::size_t>(decisive)].quantity->ends;
}

/// The decision, within the tick in which the limit was crossed. A lost link and an open interlock take the action
/// declared in the project, and stop without one. A test that holds or ramps continues from the last written command.
/// No part of the rejected command reaches the rig.
Loop::Decision Loop::decide(Action action, std::int64_t elapsed) noexcept {
  Work& w = *work_;
  const SafetySample& sample = w.sample;
  const State state = status_.state.load(std::memory_order_relaxed);
  const RigStatus status = sample.rig_status;
  if (plug_ins_ != nullptr && plug_ins_->failed()) {
    tellPlugIn();
    return {EndReason::plug_in, false};
  }
  if (!sample.finite) return {EndReason::not_a_number, false};
  if (w.immediate) return {EndReason::operator_stop, false};
  if (status == RigStatus::fault) return {EndReason::rig_fault, false};
  if (const LimitQuantity* unwatched = safety_.unwatched(status)) return {unwatched->ends, false};
  if (action == Action::stop || (action >= Action::hold && !w.started)) return {decidedByLimit(), false};
  if (elapsed > kMaxElapsed && w.started && !w.first_row) return {EndReason::overrun, false};
  if (w.pending != EndReason::running && !w.started) return {w.pending, false};
  const bool ramps = action == Action::ramp && w.pending == EndReason::running,
             holds = action == Action::hold && state == State::running;
  if (!ramps && !holds) return {state == State::stopping && w.safe.down() ? w.pending : EndReason::running, true};
  const EndReason reason = decidedByLimit();
  if (ramps)
    beginStopping(reason);
  else
    beginHolding();
  w.safe.advance(elapsed, true);
  w.safe.put(w.command);
  return {};
}

template <typename Ask>
[[gnu::always_inline]] inline void Loop::askDirectors(Ask&& ask) noexcept {
  if (director_ != nullptr) ask(*director_);
  if (work_->trials) ask(*work_->trials);
}

/// Why the test ends within the given further periods, or `running`.
EndReason Loop::directed(std::int64_t periods) noexcept {
  EndReason over = work_->programme.over(periods) ? EndReason::completed : EndReason::running;
  askDirectors([&over](const Director& director) noexcept {
    if (const EndReason reason = director.ends(); reason != EndReason::running && over != EndReason::client_lost)
      over = reason;
  });
  return over;
}

// Marked hot, as are its most frequent callees, so that the linker places them together in the instruction cache.
[[gnu::hot]] bool Loop::tick(std::int64_t elapsed, std::int64_t wake_late_ns,
                             std::int64_t (*clock_ns)() noexcept) noexcept {
  if (endReason() != EndReason::running) return false;
  Work& w = *work_;
  const std::int64_t started_ns = clock_ns != nullptr ? clock_ns() : 0;

  // Read the rig.
  const bool waits = !w.started && !w.first_read && rig_->waits();
  const RigStatus status = waits ? w.last_status : rig_->read(w.read, w.first_read ? 0 : elapsed);
  if (!reads_.empty()) readColumns();
  const std::int64_t read_ns = clock_ns != nullptr ? clock_ns() : 0;
  if (w.first_read) {
    w.last_read = w.read;
    w.command.position = w.last_command = w.read.measured.cwiseProduct(w.stands);
    w.safe.standAt(w.command.position);
  }
  for (Eigen::Index i = 0; i < w.axes; ++i) {
    w.before_last[i] = w.last_command[i];
    w.last_command[i] = w.command.position[i];
  }
  status_.interlocks_open.store(rig_->interlocksOpen(), std::memory_order_relaxed);
  w.last_status = status;
  ++w.ticks_since_told;
  if (status != w.told_status || status == RigStatus::saturated) tellStatus(status);
  w.stale_ticks = status == RigStatus::stale ? w.stale_ticks + 1 : 0;

  // Apply requests from outside, then the coupling.
  if (asked_.load(std::memory_order_relaxed) || recorderFailed() || stopPressed()) applyRequests();
  const std::int64_t periods = w.first_row ? 0 : std::min(elapsed, kMaxElapsed);
  if (w.started && !w.first_row) {
    w.tick += static_cast<std::uint64_t>(elapsed);
    if (elapsed > 1 || w.burst_late_ticks > 0) countLateness(elapsed);
  }
  if (!faults_.empty()) scheduleFaults();
  askDirectors([&](Director& director) noexcept {
    for (Event told; director.takeEvent(told);) {
      told.tick = w.tick;
      push(told);
    }
    if (director.takeSegment(w.segment_row)) keepSegment();
  });
  if (status_.state.load(std::memory_order_relaxed) == State::running)
    if (const EndReason over = directed(periods); over != EndReason::running) beginStopping(over);
  if (w.active_fades > 0) fadeTunables(periods);
  const State state = status_.state.load(std::memory_order_relaxed);
  const bool running = state == State::running && !w.returning;
  w.held = state == State::holding || (state == State::running && w.returning);
  if (running) {
    runProgramme(periods);
  } else {
    w.safe.advance(periods);
    stand();
    if (w.returning && w.safe.down()) w.returning = false;
  }
  const bool coupled = running && !w.programme.now().at_rest;
  if (coupled && (elapsed > 1 || !w.was_coupled)) w.settling = kSettlingTicks;
  if (coupled && w.settling > 0) settle(elapsed);
  w.was_coupled = coupled;

  // Safety chain.
  observe(status, coupled, elapsed, periods);
  if (coupled && periods > 0 && w.trials) {
    w.trials->add(w.tick, w.output.target, w.tracked());
    if (w.programme.atEndOfSegment()) finishTrial();
  }
  if (!w.sample.finite) findNotANumber();
  const Action action = safety_.check(w.sample, w.tick, [this](Event event) noexcept {
    if (event.code == EventCode::limit_hit) {
      if (!work_->sample.finite) event.setText(work_->not_a_number);
      status_.limits_hit.fetch_add(1, std::memory_order_relaxed);
      if (safety_.limits()[static_cast<std::size_t>(event.index)].quantity->status == RigStatus::interlock)
        nameInterlocks(event);
    }
    push(event);
  });
  const Decision decision = decide(action, elapsed);
  EndReason ended = decision.ended;

  // Write the command, or enter the safe state.
  const std::int64_t write_ns = clock_ns != nullptr ? clock_ns() : 0;
  if (!decision.writes)
    w.command.position = w.last_command;  // the command on the rig, and the command in the row
  else if (rig_->write(w.command) == RigStatus::fault)
    ended = EndReason::rig_fault;
  if (ended != EndReason::running) rig_->safeStop();
  const std::int64_t end_ns = clock_ns != nullptr ? clock_ns() : 0;

  if (w.started) {
    if (recorder_rows_ != nullptr || display_rows_ != nullptr)
      writeRow(wake_late_ns, write_ns - read_ns, (read_ns - started_ns) + (end_ns - write_ns),
               w.first_row ? 1 : elapsed, action);
    w.first_row = false;
  } else {
    for (Eigen::Index i = 0; i < w.axes; ++i) {
      AxisStanding& stands = status_.standing[static_cast<std::size_t>(i)];
      stands.motion.store(w.read.measured[i], std::memory_order_relaxed);
      stands.force.store(w.read.force[i], std::memory_order_relaxed);
    }
  }
  status_.tick.store(w.tick, std::memory_order_relaxed);
  for (Eigen::Index i = 0; i < w.axes; ++i) {
    w.last_read.measured[i] = w.read.measured[i];
    w.last_read.force[i] = w.read.force[i];
  }
  if (w.read.readings.size() > 0) w.last_read.readings = w.read.readings;
  if (!reads_.empty()) w.last_columns = w.columns;
  w.last_elapsed = std::max<std::int64_t>(1, elapsed);
  w.first_read = false;
  if (!works_elsewhere_ && (director_ != nullptr || w.trials)) workForDirector();
  if (ended != EndReason::running) {
    end(ended);
    return false;
  }
  return true;
}

void Loop::tellPlugIn() noexcept {
  const PlugInWatch& watch = *plug_ins_;
  Event event{work_->tick,
              EventCode::plug_in_failed,
              Severity::fault,
              static_cast<std::int32_t>(watch.fault()),
              watch.failedValue(),
              static_cast<double>(watch.failedCall()),
              {}};
  event.setText(watch.failedName());
  push(event);
}

void Loop::abandon() noexcept {
  rig_->safeStop();
  tellPlugIn();
  enter(State::fault);
  end_reason_.store(EndReason::plug_in, std::memory_order_release);
}

void Loop::resetFault() noexcept {
  if (status_.state.load(std::memory_order_relaxed) != State::fault) return;
  push(EventCode::fault_reset);
  enter(State::ready);
}

}  // namespace hyb
