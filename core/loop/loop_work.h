#pragma once
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/numbers.h"
#include "core/fidelity/running.h"
#include "core/fidelity/stability_indicator.h"
#include "core/linalg/few.h"
#include "core/loop/loop.h"
#include "core/loop/safe_command.h"

namespace hyb {

constexpr int kSettlingTicks = 16;  // ticks for which a command settles after a start, a resume and missed periods
constexpr std::int64_t kMaxElapsed = 1000;  // periods that one tick can make up for; more is an overrun

/// Link errors in the last second. Real-time safe except for the constructor.
class RecentErrors {
 public:
  /// Starts with `now` errors.
  RecentErrors(double rate_hz, std::uint64_t now)
      : totals_(static_cast<std::size_t>(std::max(1.0, std::ceil(rate_hz))), now) {}
  /// Updates with `total` errors, `elapsed` periods after the last call.
  std::int64_t update(std::uint64_t total, std::int64_t elapsed) noexcept {
    const auto periods = std::min(static_cast<std::size_t>(std::max<std::int64_t>(1, elapsed)), totals_.size());
    for (std::size_t p = 0; p < periods; ++p) {
      totals_[next_] = total;
      if (++next_ == totals_.size()) next_ = 0;
    }
    return static_cast<std::int64_t>(total - totals_[next_]);
  }

 private:
  std::vector<std::uint64_t> totals_;  // by period, a ring; the oldest is at next_
  std::size_t next_ = 0;
};

/// Working data of the tick, sized once.
struct Loop::Work {
  static constexpr double kVelocityFilterHz = 100.0;  // one-pole filter of the differentiated displacement

  Work(const RowLayout& layout, const Excitation& excitation, const LoopConfig& config, const CouplingScheme& scheme)
      : step_s(1.0 / config.rate_hz),
        velocity_share(1.0 - std::exp(-kTwoPi * std::min(kVelocityFilterHz, 0.1 / step_s) * step_s)),
        axes(at(layout.interfaces())),
        excitation_now(excitation.zero()),
        safe(axes, step_s, config.stop_ramp_s),
        row(layout.width(), 0.0),
        energy(layout.interfaces(), asksForForce(layout.signals())),
        programme(step_s, config.duration_s, config.trials),
        segment_row(layout.segmentColumns().size(), 0.0) {
    const std::size_t interfaces = layout.interfaces();
    zero.setZero(axes);
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
                                    &before_last,
                                    &last_rate,
                                    &command_step,
                                    &command_rate,
                                    &velocity,
                                    &gap,
                                    &offset,
                                    &stands,
                                    &compared})
      vector->setZero(axes);
    reference = layout.hasReference();
    for (std::size_t i = 0; i < interfaces; ++i) {
      const AxisSignals& axis = layout.signals()[i];
      stands[at(i)] = facts(axis.command).stands ? 1.0 : 0.0;
      asks_for_force.push_back(axis.asksForForce());
      moves.push_back(axis.command == axis.target);
      motions_only = motions_only && !axis.asksForForce() && moves.back();
    }
    bounds.clear(axes);
    blend_s = config.stop_ramp_s;
    fades.resize(scheme.tunables().size());
    sample.command = &command.position;
    sample.command_step = &command_step;
    sample.command_rate = &command_rate;
    sample.measured = &read.measured;
    sample.velocity = &velocity;
    sample.force = &read.force;
    sample.gap = &gap;
    if (config.trials.count > 0) trials.emplace(config.trials, interfaces, scheme.learnt());
    excitation_now.rates = scheme.readsSignalRates();
    adapted.resize(layout.adapted().size());
    for (std::size_t a = 0; a < adapted.size(); ++a)
      if (!layout.adapted()[a].momentary) kept.push_back(a);
  }

  static Eigen::Index at(std::size_t i) noexcept { return static_cast<Eigen::Index>(i); }
  /// Signal that is compared with the target.
  const Eigen::VectorXd& tracked() noexcept {
    if (motions_only) return read.measured;
    for (std::size_t i = 0; i < asks_for_force.size(); ++i)
      compared[at(i)] = asks_for_force[i] ? read.force[at(i)] : read.measured[at(i)];
    return compared;
  }
  void addToMotionTargets(double offset_share) noexcept {
    for (Eigen::Index i = 0; i < axes; ++i)
      if (motions_only || !asks_for_force[static_cast<std::size_t>(i)]) output.target[i] += offset_share * offset[i];
  }
  /// While the loop is open, the target is the command itself, or the measured value if that is a different signal.
  void setZeroTarget() noexcept {
    output.target = command.position;
    output.target_rate = command.rate;
    if (motions_only) return;
    const Eigen::VectorXd& measured = tracked();
    for (std::size_t i = 0; i < moves.size(); ++i) {
      if (moves[i]) continue;
      output.target[at(i)] = measured[at(i)];
      output.target_rate[at(i)] = 0.0;
    }
  }
  /// Motion over which forces do work.
  const Eigen::VectorXd& moved() const noexcept { return columns.size() > 0 ? columns : read.measured; }
  const double step_s, velocity_share;
  const Eigen::Index axes;  // of the interface
  bool reference = false;
  RigState read, last_read;
  RigState seen;  // state for the coupling scheme
  ExcitationValue excitation_now;
  CouplingOutput output;
  Command command;       // command for the rig
  SafeCommand safe;      // command while the loop is open
  CommandBounds bounds;  // bounds of the safe command
  Eigen::VectorXd zero, command_step, command_rate, velocity, gap;
  Eigen::VectorXd last_command, before_last;  // the last two written commands
  Eigen::VectorXd last_rate;                  // rate between those
  std::int64_t last_elapsed = 1;              // periods between those
  bool watches_changes = false;               // a limit monitors changes of the command
  SafetySample sample;                        // of this tick
  Eigen::VectorXd offset;                     // position of the actuators at start or resume; fades out
  Eigen::VectorXd stands;                     // 1 if the command rests at the actuator's position, else 0
  std::int64_t waits = 0;                     // periods by which the next trial is late, waiting for learnt values
  std::vector<char> asks_for_force, moves;    // [i]; moves: target and command are the same signal
  bool motions_only = true;                   // this holds on all axes, and no force is a target
  Eigen::VectorXd compared;
  std::vector<double> row;
  std::vector<double> further;            // columns of scheme and rig, if a limit monitors one
  bool watches_columns = false;           // a limit monitors one
  Eigen::VectorXd columns, last_columns;  // columns of the rig that the scheme reads
  Eigen::VectorXd offset_columns;         // their offset, which fades out as the offset above
  RunningEnergyError energy;

  /// Values that must be numbers, causes first, because NaN propagates.
  struct Signal {
    std::string name;
    const Eigen::VectorXd* values;
    Eigen::Index place;
  };
  std::vector<Signal> signals;
  std::string_view not_a_number;  // name of the signal that was not a number

  bool first_read = true, first_row = true;
  bool started = false;   // rows are written from the first running tick on
  bool switched = false;  // to measured forces, at config.measured_from_s
  bool overrun_told = false;
  bool saturation_told = false;  // once per test: a saturated actuator enters and leaves saturation in every cycle
  std::uint64_t tick = 0;
  Programme programme;  // its clock, that of the excitation, stands still while holding
  std::optional<TrialDirector> trials;
  std::vector<double> segment_row, adapted;
  std::vector<std::size_t> kept;   // adapted quantities that are recorded for each trial
  std::uint64_t segment_from = 0;  // tick of the first row of a director's segment
  std::int64_t fade_origin = 0;    // tick of the segment at the last start or resume
  std::int64_t blend_ticks = 0;    // since the start
  double blend_s = 0.0;            // fade-out time of the offset
  bool held = false;               // in this tick: holding, or returning from a hold
  bool was_coupled = false;        // in the previous tick
  int settling = 0;                // remaining ticks in which the command settles
  bool returning = false;          // resumed: the command first goes to zero, then the coupling starts at rest
  std::int64_t stale_ticks = 0;
  std::int64_t burst_late_ticks = 0, burst_missed = 0, on_time_ticks = 0;
  RigStatus last_status = RigStatus::ok, told_status = RigStatus::ok;
  std::int64_t ticks_since_told = kMaxElapsed * kMaxElapsed;  // a flickering status is reported once a second
  EndReason pending = EndReason::running;                     // reason of the stop
  bool immediate = false;                                     // the operator's stop without a ramp

  /// A tuned value in transition to its new value.
  struct Fade {
    double from = 0.0, to = 0.0;
    std::int64_t ticks = 0;
    bool active = false;
  };
  std::vector<Fade> fades;  // for each tunable
  int active_fades = 0;

  enum class FaultPhase : std::uint8_t { to_come, active, over };
  std::vector<FaultPhase> fault_phases;      // of the project's faults
  std::vector<std::string> interlocks;       // names
  std::optional<StabilityIndicator> growth;  // if a limit needs it
  std::optional<RecentErrors> link_errors;   // if there is a link with a limit on its errors
};

}  // namespace hyb
