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

/// Values that the safety chain monitors in one tick; [i].
struct SafetySample {
  const Eigen::VectorXd* command = nullptr;
  const Eigen::VectorXd* command_step = nullptr;  // u_k - u_{k-1}; after missed periods the mean of their steps
  const Eigen::VectorXd* command_rate = nullptr;  // (u_k - u_{k-1}) / dt
  const Eigen::VectorXd* measured = nullptr;
  const Eigen::VectorXd* velocity = nullptr;
  const Eigen::VectorXd* force = nullptr;
  const Eigen::VectorXd* gap = nullptr;
  double energy_error_j = 0.0;       // energy added by the transfer system: - sum over i of integral f d(x - z)
  double energy_growth_per_s = 0.0;  // growth of the amplitudes while the transfer system adds energy; else 0
  std::int64_t missed_ticks = 0;     // missed periods before this tick
  std::int64_t link_errors = 0;      // frames lost, corrupt or out of order in the last second
  RigStatus rig_status = RigStatus::ok;
  std::int64_t stale_ticks = 0;     // consecutive ticks with stale data
  std::span<const double> further;  // further columns of scheme and rig
  bool finite = true;               // no NaN in command, measured, force, gap and energy; see isFinite()

  /// All counted quantities are 0.
  bool countsNothing() const noexcept {
    return finite && rig_status == RigStatus::ok && (missed_ticks | link_errors | stale_ticks) == 0;
  }
};

/// Value of `finite` from command, measured, force and gap of all axes. Real-time safe.
inline bool isFinite(const SafetySample& sample) noexcept {
  double nothing = 0.0 * sample.energy_error_j;
  const double *const command = sample.command->data(), *const measured = sample.measured->data(),
                      *const force = sample.force->data(), *const gap = sample.gap->data();
  for (Eigen::Index i = 0; i < sample.gap->size(); ++i)
    nothing += 0.0 * command[i] + 0.0 * measured[i] + 0.0 * force[i] + 0.0 * gap[i];
  return nothing == 0.0;
}

/// Values that are not numbers become infinite.
inline double magnitude(double value) noexcept {
  const double size = std::abs(value);
  return size <= std::numeric_limits<double>::infinity() ? size : std::numeric_limits<double>::infinity();
}

/// Tests that should have a limit on a quantity that does more than indicate. Each kind includes those before it.
enum class Recommended : std::uint8_t { every_test, on_rigs, on_rigs_with_interlocks, nowhere };

/// A quantity that a limit can monitor. `resources/schema/limit/<name>.json` describes its settings with the keys named
/// here; its help is on the page "safety".
struct LimitQuantity {
  std::string_view name = {};  // "command-rate", in projects and events
  /// For a quantity of an axis: the signal, or its rate. Unit and key of the threshold depend on the kind of the
  /// signal.
  SignalKind (*signal)(const AxisSignals& axis) noexcept = nullptr;
  const Eigen::VectorXd* SafetySample::*values = nullptr;  // its values, [i]
  bool rate = false;
  std::string_view unit = {};       // unit of value and threshold if it is not of an axis; "" for a condition
  std::string_view threshold = {};  // key of the threshold; "" for a condition, which is true or false
  std::string_view called = {};     // term for people if it differs from the name: see words()
  /// True: crossed when the threshold is reached (counts). False: only beyond it.
  bool counted = false;
  /// Magnitude in this tick if it is not of an axis; for a further column, that of the given number. Infinite if not a
  /// number; 1 for a condition that is true. Real-time safe.
  double (*read)(const SafetySample& sample, std::size_t column) noexcept = nullptr;
  Recommended recommended = Recommended::nowhere;
  /// Reason of the end if this limit stops a test.
  EndReason ends = EndReason::limit;
  /// Rig status that it represents. Without a limit on it, that status ends the test. ok: none.
  RigStatus status = RigStatus::ok;
  /// It depends on changes of the command, which are computed only if a limit needs them.
  bool of_change = false;
  /// It reads energy_growth_per_s, which is computed only if a limit needs it.
  bool of_growth = false;
  /// It counts consecutive ticks without new data from the rig. The round trips of a healthy link also cause some.
  bool of_silence = false;
  /// It counts link errors. A replay knows them only from rows that contain the link's errors.
  bool of_link = false;
  /// It depends on the tracking of a target: the gap, or its energy.
  bool of_gap = false;
  /// A further column of scheme or rig, named by the limit; the unit is that of the column.
  bool of_column = false;

  bool ofAxis() const noexcept { return signal != nullptr; }
  /// A condition without a threshold.
  bool isCondition() const noexcept { return !ofAxis() && threshold.empty(); }
  /// SI unit and key of a threshold on a signal of this kind.
  std::string_view unitOf(SignalKind kind) const noexcept {
    return !ofAxis() ? unit : rate ? facts(kind).rate_unit : facts(kind).unit;
  }
  std::string_view thresholdOf(SignalKind kind) const noexcept {
    return !ofAxis() ? threshold : rate ? facts(kind).rate_threshold : facts(kind).threshold;
  }
};

/// Term for sentences and tables, in lower case: "command rate".
std::string words(const LimitQuantity& quantity);

/// All quantities in display order.
std::span<const LimitQuantity> limitQuantities() noexcept;
/// The quantity with this name. Throws InputError for any other word.
const LimitQuantity* limitQuantity(std::string_view name);

}  // namespace hyb
