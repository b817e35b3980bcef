#pragma once
#include <Eigen/Core>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/checks.h"
#include "core/base/json_fwd.h"
#include "core/compensation/compensator.h"
#include "core/compensation/method.h"
#include "core/compensation/velocity_entry.h"

namespace hyb {

/// Inputs of an addition in one tick; all [i] of its own axes.
struct AdditionInput {
  Eigen::VectorXd target;       // m: input of the compensator
  Eigen::VectorXd target_rate;  // m/s
  Eigen::VectorXd command;      // u, m: output of the compensator
  /// x - z, m, at the instant of the reading x. If the compensator gets the target of the next instant
  /// (/coupling/ahead), z is the target of the previous tick.
  Eigen::VectorXd gap;
  Eigen::VectorXd cut;           // m: part of its output of the previous tick that the bound removed; otherwise 0
  Eigen::VectorXd contact = {};  // InterfaceState::contact: at the instant of the gap
};

/// Acts after the compensator and adds to its command. Owns no thread, reads no clock.
class Addition {
 public:
  virtual ~Addition() = default;
  /// Clears its state. Not real-time.
  virtual void reset() = 0;
  /// Returns to rest but keeps learnt values: after a hold. Real-time safe.
  virtual void restart() noexcept = 0;
  /// One tick: `added` [i] is added to the command, m, or m/s at velocity level. Real-time safe.
  virtual void update(const AdditionInput& input, Eigen::VectorXd& added) noexcept = 0;
  /// As in Compensator.
  virtual bool endTrial(bool /*whole*/) noexcept { return false; }
  virtual void learn() noexcept {}
  virtual void adopt() noexcept {}
  virtual std::vector<Tunable> tunables() const { return {}; }
  virtual void tune(std::size_t /*index*/, double /*value*/) noexcept {}
  virtual std::vector<Adapted> adapted() const { return {}; }
  virtual void readAdapted(std::span<double> /*values*/) const noexcept {}
  /// Learnt values, as in Compensator.
  virtual std::size_t learnt() const noexcept { return 0; }
  virtual void readLearnt(std::span<double> /*values*/) const noexcept {}
  virtual void setLearnt(std::span<const double> /*values*/) noexcept {}
};

enum class AdditionLevel : std::uint8_t { position, velocity };
/// Default bound of the displacement that an addition adds to the command, m.
inline constexpr double kAdditionLimit_m = 0.02;

/// Context of an addition in its loop.
struct AdditionContext {
  Axes axes{};
  std::string where = "/compensation/additions/0";  // in the project
  double step_s = 1.0;
  std::size_t trial_ticks = 0;  // of each trial; 0: the test runs once
  AdditionLevel level = AdditionLevel::position;
  bool contact = false;  // a force stage detects the contact of each own axis
  /// Value of 1 m of displacement at its level, [own axis]: 1, or the gain of the position loop, 1/s.
  std::vector<double> scale{};
  /// Motion measured at the ticks k = 0, 1, ... after adding `scale` to the command of an own axis at tick 0 only: the
  /// transfer system as modelled by the twin. Ends after its decay; throws InputError if it does not decay.
  std::function<std::vector<double>(std::size_t axis)> response{};
};

/// Largest factor on the error from one trial to the next: below 1 the error falls at all frequencies.
struct LearningCondition {
  double largest, frequency_hz;
  std::vector<double> hz{}, factors{};  // over frequency, for a plot; including the largest
};
/// e = z - x of a tick, m, per output of an addition of the same tick, m (times its scale), held over the tick, at s:
/// [own axis, own axis].
using ErrorOfAdded = std::function<Eigen::MatrixXcd(std::complex<double> s)>;

/// Throws InputError if `switches` although no force stage detects the contact of its axes.
void requireContact(const AdditionContext& context, bool switches);

/// A configured addition: immutable and shared.
class AdditionSpec {
 public:
  virtual ~AdditionSpec() = default;
  /// Throws InputError below `where` of the context, or if its response() does.
  virtual std::unique_ptr<Addition> make(const AdditionContext& context) const = 0;
  /// True if it learns while the test runs.
  virtual bool adapts() const noexcept { return false; }
  /// True if it has a second set of settings, or of learnt values, that acts in contact.
  virtual bool switchesAtContact() const noexcept { return false; }
  /// For an addition that learns from trial to trial; none: it has no such condition. In contact with the set that acts
  /// there: for a phase that lasts long compared with the response of the loop.
  virtual std::optional<LearningCondition> learningCondition(const AdditionContext& /*context*/,
                                                             const ErrorOfAdded& /*error*/, bool /*in_contact*/) const {
    return std::nullopt;
  }
};
using AdditionSpecPtr = std::shared_ptr<const AdditionSpec>;

/// One member of the family. `resources/schema/addition/<name>.json` describes its settings; parse() only receives
/// settings that satisfy it. Help: `resources/help/addition/<name>.md`.
struct AdditionEntry {
  std::string_view name;
  AdditionSpecPtr (*parse)(const Json& settings);
};
/// All additions in display order.
std::span<const AdditionEntry> additions() noexcept;

/// An addition and its place.
struct PlacedAddition {
  AdditionSpecPtr spec;
  std::string_view name;
  Axes axes;
  AdditionLevel level = AdditionLevel::position;
  double limit_m = 0.0;  // largest displacement added to the command
  std::string field;     // pointer in the section: "/additions/0"
};
/// Additions of the section of a project at `where` ("/compensation"), or of its entries if it is a list. The number of
/// entries must be that of the axes.
std::vector<PlacedAddition> parseAdditions(const Json& section, const std::string& where, const Axes& axes,
                                           Checks& checks);

/// `method` with additions after it. It has the properties of the method, and make() returns the method's own
/// compensator: additions need the transfer system, see makeWithAdditions().
CompensationMethodPtr withAdditions(CompensationMethodPtr method, std::vector<PlacedAddition> additions);
/// The additions passed to withAdditions(); none for any other method.
std::span<const PlacedAddition> additionsOf(const CompensationMethod& method) noexcept;

/// An addition during a run.
struct RunningAddition {
  std::unique_ptr<Addition> addition;
  Axes axes;
  double limit_m;
  std::vector<VelocityEntry> entries{};  // [own axis]; empty at position level
  std::string field{};
};
/// `method` with additions to its command, in sequence. A rate is converted to the displacement that has the same
/// effect in the actuator's velocity loop; the rate of the command is the backward difference of the addition.
std::unique_ptr<Compensator> makeWithAdditions(std::unique_ptr<Compensator> method,
                                               std::vector<RunningAddition> additions, std::size_t interfaces,
                                               double step_s);

}  // namespace hyb
