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

/// What an addition sees at one tick; all [i] of its own axes.
struct AdditionInput {
  Eigen::VectorXd target;       // m: what the compensator gets
  Eigen::VectorXd target_rate;  // m/s
  Eigen::VectorXd command;      // u, m: what the compensator made of it
  /// x - z, m, of the instant at which x was read. Where the compensator gets the target of the next instant
  /// (/coupling/ahead), z is the target of the tick before.
  Eigen::VectorXd gap;
  Eigen::VectorXd cut;  // m: what the bound took off what it gave at the tick before; 0 where nothing
};

/// Stands behind the compensator and adds to its command. Owns no thread, reads no clock.
class Addition {
 public:
  virtual ~Addition() = default;
  /// As new. Not real-time.
  virtual void reset() = 0;
  /// At rest, but keeps what was learnt: after a hold. Real-time safe.
  virtual void restart() noexcept = 0;
  /// One tick: `added` [i] is what to add to the command, m, or m/s at velocity level. Real-time safe.
  virtual void update(const AdditionInput& input, Eigen::VectorXd& added) noexcept = 0;
  /// As of Compensator.
  virtual bool endTrial(bool /*whole*/) noexcept { return false; }
  virtual void learn() noexcept {}
  virtual void adopt() noexcept {}
  virtual std::vector<Tunable> tunables() const { return {}; }
  virtual void tune(std::size_t /*index*/, double /*value*/) noexcept {}
  virtual std::vector<Adapted> adapted() const { return {}; }
  virtual void readAdapted(std::span<double> /*values*/) const noexcept {}
  /// What was learnt, as of Compensator.
  virtual std::size_t learnt() const noexcept { return 0; }
  virtual void readLearnt(std::span<double> /*values*/) const noexcept {}
  virtual void setLearnt(std::span<const double> /*values*/) noexcept {}
};

enum class AdditionLevel : std::uint8_t { position, velocity };
/// The most an addition moves the command where the project does not say, m.
inline constexpr double kAdditionLimit_m = 0.02;

/// What an addition is told of its loop.
struct AdditionContext {
  Axes axes{};
  std::string where = "/compensation/additions/0";  // in the project
  double step_s = 1.0;
  std::size_t trial_ticks = 0;  // of each trial; 0: the test runs once
  AdditionLevel level = AdditionLevel::position;
  /// What 1 m of displacement is at its level, [own axis]: 1, or the gain of the position loop, 1/s.
  std::vector<double> scale{};
  /// Motion measured at the ticks k = 0, 1, ... after `scale` was added at tick 0 alone to the command of an own axis:
  /// the transfer system as the twin models it. Ends where it has died out; throws InputError where it does not.
  std::function<std::vector<double>(std::size_t axis)> response{};
};

/// By what the error of a trial is multiplied from one trial to the next, where that is most: below 1 it falls at all
/// frequencies.
struct LearningCondition {
  double largest, frequency_hz;
  std::vector<double> hz{}, factors{};  // over frequency, to draw it; the largest among them
};
/// e = z - x, m, over what an addition gives, m (times its scale), at s: [own axis, own axis].
using ErrorOfAdded = std::function<Eigen::MatrixXcd(std::complex<double> s)>;

/// A configured addition: immutable and shared.
class AdditionSpec {
 public:
  virtual ~AdditionSpec() = default;
  /// Throws InputError below `where` of the context, or where its response() does.
  virtual std::unique_ptr<Addition> make(const AdditionContext& context) const = 0;
  /// Does it go on learning while the test runs?
  virtual bool adapts() const noexcept { return false; }
  /// Of one that learns from trial to trial; none: it has no such condition.
  virtual std::optional<LearningCondition> learningCondition(const AdditionContext& /*context*/,
                                                             const ErrorOfAdded& /*error*/) const {
    return std::nullopt;
  }
};
using AdditionSpecPtr = std::shared_ptr<const AdditionSpec>;

/// One member of the family. Its settings are described in resources/schema/addition/<name>.json, which those that
/// parse() gets are known to keep; its help is resources/help/addition/<name>.md.
struct AdditionEntry {
  std::string_view name;
  AdditionSpecPtr (*parse)(const Json& settings);
};
/// All additions there are, in the order in which they are offered.
std::span<const AdditionEntry> additions() noexcept;

/// An addition and where it acts.
struct PlacedAddition {
  AdditionSpecPtr spec;
  std::string_view name;
  Axes axes;
  AdditionLevel level = AdditionLevel::position;
  double limit_m = 0.0;  // the most it moves the command
  std::string field;     // where it stands in the section: "/additions/0"
};
/// Those of the section of a project at `where` ("/compensation"), or of its entries where it is a list. Its entries
/// must be as many as there are axes.
std::vector<PlacedAddition> parseAdditions(const Json& section, const std::string& where, const Axes& axes,
                                           Checks& checks);

/// `method` with additions behind it. Answers what the method answers, and make() gives the method's own compensator:
/// additions come from whoever knows the transfer system, makeWithAdditions().
CompensationMethodPtr withAdditions(CompensationMethodPtr method, std::vector<PlacedAddition> additions);
/// Those that were given to withAdditions(); none for any other method.
std::span<const PlacedAddition> additionsOf(const CompensationMethod& method) noexcept;

/// An addition as it runs.
struct RunningAddition {
  std::unique_ptr<Addition> addition;
  Axes axes;
  double limit_m;
  std::vector<VelocityEntry> entries{};  // [own axis]; empty at position level
  std::string field{};
};
/// `method` with its command added to, one addition after the other. A rate enters as the displacement that brings it
/// into the actuator's velocity loop; the rate of the command follows what was added as a backward difference.
std::unique_ptr<Compensator> makeWithAdditions(std::unique_ptr<Compensator> method,
                                               std::vector<RunningAddition> additions, std::size_t interfaces,
                                               double step_s, bool ahead);

}  // namespace hyb
