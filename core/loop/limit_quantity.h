#pragma once
#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "core/rig/axis_signals.h"
#include "core/rig/rig.h"
#include "core/tick/event.h"

namespace hyb {

/// What the safety chain looks at in one tick; [i].
struct SafetySample {
  const Eigen::VectorXd* command = nullptr;
  const Eigen::VectorXd* command_step = nullptr;  // u_k - u_{k-1}; after missed periods their mean
  const Eigen::VectorXd* command_rate = nullptr;  // (u_k - u_{k-1}) / dt
  const Eigen::VectorXd* measured = nullptr;
  const Eigen::VectorXd* velocity = nullptr;
  const Eigen::VectorXd* force = nullptr;
  const Eigen::VectorXd* gap = nullptr;
  double energy_error_j = 0.0;       // fed in by the transfer system: - sum over i of integral f d(x - z)
  double energy_growth_per_s = 0.0;  // of the amplitudes while the transfer system adds energy; else 0
  std::int64_t missed_ticks = 0;     // missed periods before this tick
  std::int64_t link_errors = 0;      // frames lost, corrupt or out of order within the last second
  RigStatus rig_status = RigStatus::ok;
  std::int64_t stale_ticks = 0;     // consecutive
  std::span<const double> further;  // further columns of scheme and rig
  bool finite = true;               // no not-a-number in command, measured, force, gap and energy; see isFinite()

  /// Every quantity that is counted is 0.
  bool countsNothing() const noexcept {
    return finite && rig_status == RigStatus::ok && (missed_ticks | link_errors | stale_ticks) == 0;
  }
};

/// What `finite` says of the other values, command, measured, force and gap of all axes. Real-time safe.
inline bool isFinite(const SafetySample& sample) noexcept {
  double nothing = 0.0 * sample.energy_error_j;
  const double *const command = sample.command->data(), *const measured = sample.measured->data(),
                      *const force = sample.force->data(), *const gap = sample.gap->data();
  for (Eigen::Index i = 0; i < sample.gap->size(); ++i)
    nothing += 0.0 * command[i] + 0.0 * measured[i] + 0.0 * force[i] + 0.0 * gap[i];
  return nothing == 0.0;
}

/// What is not a number is infinite.
inline double magnitude(double value) noexcept {
  const double size = std::abs(value);
  return size <= std::numeric_limits<double>::infinity() ? size : std::numeric_limits<double>::infinity();
}

/// Tests that should have a limit on a quantity that does more than indicate; each kind includes those before it.
enum class Recommended : std::uint8_t { every_test, on_rigs, on_rigs_with_interlocks, nowhere };

/// A quantity that limits may be on. Its settings are described in resources/schema/limit/<name>.json, with the keys
/// that are named here; people find it on the help page "safety".
struct LimitQuantity {
  std::string_view name = {};  // "command-rate", in projects and events
  /// Of an axis: which of its signals this is, and whether its rate; unit and key of the threshold are of its kind.
  SignalKind (*signal)(const AxisSignals& axis) noexcept = nullptr;
  const Eigen::VectorXd* SafetySample::*values = nullptr;  // its values, [i]
  bool rate = false;
  std::string_view unit = {};       // of value and threshold, where it is not of an axis; "" for a condition
  std::string_view threshold = {};  // key of it; "" for a condition, which is there or is not
  std::string_view called = {};     // by people, where that is not the name: see words()
  /// Crossed at the threshold, as what is counted; else only beyond it.
  bool counted = false;
  /// Where it is not of an axis, its magnitude in this tick, of a further column the one of that number. What is not a
  /// number is infinite; a condition that holds is 1. Real-time safe.
  double (*read)(const SafetySample& sample, std::size_t column) noexcept = nullptr;
  Recommended recommended = Recommended::nowhere;
  /// Why a test ends that it stops.
  EndReason ends = EndReason::limit;
  /// The status of the rig that it stands for; without a limit on it, that status ends the test. ok: none.
  RigStatus status = RigStatus::ok;
  /// It is about how the command changes, which is worked out only when a limit asks for it.
  bool of_change = false;
  /// It reads energy_growth_per_s, which is worked out only when a limit asks for it.
  bool of_growth = false;
  /// It counts ticks in a row without news from the rig, of which the round trips of a healthy link are some.
  bool of_silence = false;
  /// It counts what happened on the link, which a replay knows only from rows that hold the link's errors.
  bool of_link = false;
  /// It is about how a target is followed: the gap, or the energy in it.
  bool of_gap = false;
  /// A further column of scheme or rig, which the limit names; its unit is the column's.
  bool of_column = false;

  bool ofAxis() const noexcept { return signal != nullptr; }
  /// There or not there, without a threshold.
  bool isCondition() const noexcept { return !ofAxis() && threshold.empty(); }
  /// SI unit and key of a threshold on a signal of this kind.
  std::string_view unitOf(SignalKind kind) const noexcept {
    return !ofAxis() ? unit : rate ? facts(kind).rate_unit : facts(kind).unit;
  }
  std::string_view thresholdOf(SignalKind kind) const noexcept {
    return !ofAxis() ? threshold : rate ? facts(kind).rate_threshold : facts(kind).threshold;
  }
};

/// What people call it in sentences and tables, lower-case: "command rate".
std::string words(const LimitQuantity& quantity);

/// All there are, in the order in which they are offered.
std::span<const LimitQuantity> limitQuantities() noexcept;
/// By its name. Throws InputError for any other word.
const LimitQuantity* limitQuantity(std::string_view name);

}  // namespace hyb
