#include <array>
#include <cmath>
#include <string_view>

#include "core/loop/loop.h"
#include "core/loop/loop_work.h"

namespace hyb {
namespace {

constexpr std::int64_t kLateBurstTicks = 100;  // number of on-time ticks that ends a burst of late ones

}  // namespace

void Loop::push(const Event& event) noexcept {
  if (recorder_events_ != nullptr) recorder_events_->push(event);
  if (display_events_ != nullptr) display_events_->push(event);
}

void Loop::push(EventCode code, Severity severity, int index, double value, double bound) noexcept {
  push(Event{work_->tick, code, severity, index, value, bound, {}});
}

/// A changed rig status becomes an event, as does one that can occur repeatedly. A status that flickers gives at most
/// one event per second.
void Loop::tellStatus(RigStatus status) noexcept {
  Work& w = *work_;
  const bool saturated = status == RigStatus::saturated;
  const bool ordinary = status == RigStatus::ok || status == RigStatus::stale;
  const bool flickers = ordinary && static_cast<double>(w.ticks_since_told) < config_.rate_hz &&
                        (status == RigStatus::stale || w.told_status == RigStatus::stale);
  const bool seen = flickers || (status == RigStatus::ok && w.told_status == RigStatus::saturated);
  if (saturated ? !w.saturation_told : !seen) {
    Event event{w.tick,
                EventCode::rig_status,
                status == RigStatus::ok ? Severity::info : Severity::warning,
                static_cast<std::int32_t>(status),
                0.0,
                0.0,
                {}};
    if (status == RigStatus::interlock) nameInterlocks(event);
    push(event);
    w.told_status = status;
    w.ticks_since_told = 0;
  }
  w.saturation_told = w.saturation_told || saturated;
}

/// Names of the open interlock inputs, as many as fit.
void Loop::nameInterlocks(Event& event) const noexcept {
  const std::uint32_t open = status_.interlocks_open.load(std::memory_order_relaxed);
  std::size_t end = 0;
  for (std::size_t k = 0; k < work_->interlocks.size(); ++k) {
    if ((open >> k & 1u) == 0) continue;
    for (const std::string_view part : {std::string_view(end > 0 ? ", " : ""), std::string_view(work_->interlocks[k])})
      end += part.copy(event.text.data() + end, event.text.size() - 1 - end);
  }
}

void Loop::nameSignals() {
  Work& w = *work_;
  std::array<std::vector<std::string>, 2> sensors;  // for motions, for forces
  for (const Channel& channel : rig_->channels())
    for (const bool of_force : {false, true})
      if (const std::string_view prefix = of_force ? "force_sensor_" : "sensor_";
          channel.name.starts_with(prefix) &&
          channel.name.find_first_not_of("0123456789", prefix.size()) == channel.name.npos)
        sensors[of_force ? 1 : 0].push_back(channel.name + " (" + channel.title + ")");
  const auto add = [&](const char* name, SignalKind (*kind)(const AxisSignals&) noexcept, const Eigen::VectorXd& values,
                       Eigen::Index first = 0) {
    for (std::size_t i = 0; i < layout_.interfaces(); ++i) {
      const std::string number = std::to_string(i + 1), column = name + ("_" + number),
                        word = kind == nullptr ? name : std::string(facts(kind(layout_.signals()[i])).name);
      w.signals.push_back({word == name ? column : column + " (" + word + " " + number + ")", &values,
                           first + static_cast<Eigen::Index>(i)});
    }
  };
  w.signals.clear();
  if (w.read.readings.size() > 0) {  // sources of measured motion and force
    Eigen::Index place = 0;
    for (const bool of_force : {false, true}) {
      const std::vector<std::string>& names = sensors[of_force ? 1 : 0];
      if (names.empty()) add(of_force ? "force" : "measured", of_force ? forceOf : motionOf, w.read.readings, place);
      for (std::size_t s = 0; s < names.size(); ++s)
        w.signals.push_back({names[s], &w.read.readings, place + static_cast<Eigen::Index>(s)});
      place = static_cast<Eigen::Index>(w.signals.size());
    }
  }
  add("measured", motionOf, w.read.measured);
  add("force", forceOf, w.read.force);
  add("target", nullptr, w.output.target);
  add("command", nullptr, w.command.position);
  add("gap", nullptr, w.gap);
}

void Loop::findNotANumber() noexcept {
  Work& w = *work_;
  w.not_a_number = "energy error";
  for (const Work::Signal& signal : w.signals) {
    if (signal.place >= signal.values->size() || std::isfinite((*signal.values)[signal.place])) continue;
    w.not_a_number = signal.name;
    break;
  }
  Event event{w.tick, EventCode::not_a_number, Severity::fault, -1, 0.0, 0.0, {}};
  event.setText(w.not_a_number);
  push(event);
}

std::string Loop::notANumber() const { return std::string(work_->not_a_number); }

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
  if (w.held) flags |= kFlagHolding;
  if (state == State::running && w.programme.now().at_rest) flags |= kFlagBetweenTrials;
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
  if (const std::size_t columns = layout_.furtherChannels(); columns > 0) {
    const std::span<double> further = std::span<double>(row).subspan(layout_.furtherColumn(0), columns);
    scheme_->readChannels(further.first(scheme_channels_));
    rig_->readChannels(further.subspan(scheme_channels_));
  }
  const std::size_t adapted = layout_.adapted().size();
  if (adapted > 0) scheme_->readAdapted(std::span<double>(row).subspan(layout_.adaptedColumn(0), adapted));
  if (recorder_rows_ != nullptr && !recorder_rows_->push(row) && !w.overrun_told) {
    w.overrun_told = true;
    push(EventCode::recorder_overrun, Severity::fault, -1, static_cast<double>(recorder_rows_->dropped()));
  }
  if (display_rows_ != nullptr) display_rows_->push(row);
}

}  // namespace hyb
