#pragma once
#include <Eigen/Core>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/checks.h"
#include "core/base/json_fwd.h"
#include "core/base/signal_kind.h"
#include "core/compensation/command_history.h"
#include "core/transfer/actuator_transfer.h"
#include "core/transfer/specimen_law.h"

namespace hyb {

/// Parts of a tick, at least, where something acts inside it.
inline constexpr int kTickParts = 20;

/// What an actuator contributes to the linear system of the twin. Rows stand over [x, v, u, h]: displacement and
/// velocity of its axis, its input, its own states.
struct ActuatorBlock {
  enum class Drives : std::uint8_t {
    ramp,          // x goes straight to what is put in, v is its slope from the start of the tick on
    motion,        // x and v each go straight to what is put in, by the end of the tick
    velocity,      // x' = law of x and u; v is no state of its own, and there are none
    acceleration,  // v' = law
    force,         // moving mass times v' = law of [x, v, h] + what the specimen pushes: it feels the specimen
  };
  Drives drives = Drives::ramp;
  Eigen::RowVectorXd law{};                      // [3 + h]; empty where the motion is prescribed
  Eigen::MatrixXd own{};                         // [h, 3 + h]: h'
  Eigen::VectorXd own_sizes{};                   // [h]: how large h is about, beside displacements of 1 m
  double moving_mass_kg = 0.0;                   // drives force: beside the specimen's own mass at the interface
  const char* mass_setting = "/piston_mass_kg";  // in the actuator's
  bool winds_up = true;          // drives force: a state of its own is a force, which a limit must not wind up
  bool inertia_at_tick = false;  // its acceleration at a tick is the law's; else the mean over the tick before

  bool prescribes() const noexcept { return drives == Drives::ramp || drives == Drives::motion; }
  Eigen::Index states() const noexcept { return own.rows(); }
};

/// The two inputs of a block over a tick: before and after it switches inside the tick; of a prescribed motion
/// displacement and velocity at the end of the tick.
struct TickInputs {
  double first = 0.0, second = 0.0;
};

/// One actuator as it runs: turns commands into the inputs of its block.
class ActuatorDrive {
 public:
  ActuatorDrive(double delay_s, double step_s) : delay_(splitDelay(delay_s, step_s)), commands_(delay_.ticks + 1) {}
  virtual ~ActuatorDrive() = default;
  /// Takes the command of the tick that begins; the axis stands at x_m, v_mps. Real-time safe.
  TickInputs take(const CommandHistory::Entry& command, double x_m, double v_mps) noexcept {
    commands_.push(command);
    return inputs(x_m, v_mps);
  }
  /// Share of the tick after which the input switches, 0 to 1.
  virtual double switchesAt() const noexcept { return delay_.fraction; }
  /// What it puts in depends on the rate of its command.
  virtual bool takesRate() const noexcept { return false; }
  /// It has a controller that works in every part of a tick: what is put in is then made by control().
  virtual bool controls() const noexcept { return false; }
  /// Input over a part of the tick, of step_s, from the command that acts in it and the motion at its start. Real-time
  /// safe.
  virtual double control(double command, double /*x_m*/, double /*v_mps*/, double /*step_s*/) noexcept {
    return command;
  }
  /// What control() gave last is less than it wanted. Real-time safe.
  virtual bool cutOff() const noexcept { return false; }
  /// A limit cut the motion back. Real-time safe.
  virtual void held() noexcept {}
  /// All commands zero, at rest.
  virtual void reset() noexcept { commands_.reset(); }
  /// Everything carried from tick to tick; without limits take() is linear in it, the command and the motion. Not
  /// real-time.
  virtual std::vector<double> state() const;
  virtual void setState(std::span<const double> state);

 protected:
  virtual TickInputs inputs(double x_m, double v_mps) noexcept = 0;
  const TickDelay& delay() const noexcept { return delay_; }
  const CommandHistory& commands() const noexcept { return commands_; }

 private:
  TickDelay delay_;
  CommandHistory commands_;
};
/// The command, late, held over the tick.
std::unique_ptr<ActuatorDrive> makeLateCommand(double delay_s, double step_s);

/// A signal inside an actuator that is recorded, and that limits may be on.
struct ActuatorSignal {
  static constexpr int kInput = -1;
  const char* name;  // "voltage": A-Z a-z 0-9 _ only
  const char* units;
  const char* description;
  int source;  // its own state of that number, or kInput: what is put into the block
};

/// What the models of an actuator differ in: configured, immutable and shared. Everything that the twin, the analyses
/// and the window ask is answered here, so that nothing else knows a model by its name.
class ActuatorModel {
 public:
  virtual ~ActuatorModel() = default;
  /// "servo 28 Hz behind 0.5 ms", with its delay as text.
  virtual std::string description(const std::string& delay) const = 0;
  /// Adds every fault of the settings for this delay and tick, with places relative to those of the actuator.
  virtual void check(Checks& checks, double delay_s, double step_s) const = 0;
  /// Its command makes a force (a moment of an axis that turns), and nothing in it goes after a motion.
  virtual bool takesForce() const noexcept { return false; }
  /// What its command is, of an axis with this motion.
  virtual SignalKind command(SignalKind motion) const noexcept { return takesForce() ? facts(motion).partner : motion; }
  /// `gain`: displacement over command at rest; of one that takes a force, force over command; of one that takes a
  /// voltage, on top of what it makes of it. step_s: over which it is
  /// advanced.
  virtual ActuatorBlock block(double gain, double step_s) const = 0;
  virtual std::unique_ptr<ActuatorDrive> drive(double gain, double delay_s, double step_s) const = 0;
  /// A force that resists its motion beside its block, which neither specimen nor load cell feels; of one that drives a
  /// force. Null: none.
  virtual SpecimenLawPtr law() const { return nullptr; }
  /// The same for small motions, without law() and limits of its own; null: it has neither.
  virtual std::shared_ptr<const ActuatorModel> linearised() const { return nullptr; }
  virtual std::vector<ActuatorSignal> signals() const { return {}; }
  /// Without its pure delay, for gain 1, in continuous time, for small motions; limits left aside.
  virtual ActuatorTransfer transfer() const { return {}; }
  /// What sampling adds, of the same delay at all frequencies.
  virtual DelayPart sampling(double tick_s, double /*frequency_hz*/) const {
    return {"command held over the tick", 0.5 * tick_s};
  }
  /// Under which its own lag is listed.
  virtual std::string lagName() const { return "actuator"; }
};
using ActuatorModelPtr = std::shared_ptr<const ActuatorModel>;

/// Reaches every command within the tick.
ActuatorModelPtr idealActuator();

/// Between actuator and specimen, so that a stiff specimen is loaded by a motion that can be controlled. The piston
/// moves the interface, the specimen stands behind: force on it = stiffness (piston - specimen).
struct ComplianceSpring {
  double stiffness_n_per_m = 0.0;  // as it is, > 0; the coupling scheme has a value of its own
  bool noise_loads_piston = true;  // what the load cell reads, noise included, is what a piston that yields feels
};

/// One actuator of the twin: its model, and what all of them have.
struct ActuatorSpec {
  ActuatorModelPtr model = idealActuator();
  double gain = 1.0;                                          // static, from command to displacement (or force)
  double delay_s = 0.0;                                       // pure delay of the command, any fraction of a tick
  double stroke_m = std::numeric_limits<double>::infinity();  // |x| limit, end stop
  double velocity_limit_m_per_s = std::numeric_limits<double>::infinity();  // no-load velocity v0
  /// That a command may ask of it; it bounds how a command is braked, and the twin is not held to it.
  double acceleration_limit_m_per_s2 = std::numeric_limits<double>::infinity();
  double force_limit_n =
      std::numeric_limits<double>::infinity();  // stall force F0; |v| <= v0 sqrt(1 - F/F0) against a load
  std::optional<ComplianceSpring> spring = {};  // none: the actuator stands rigidly on the specimen
};

/// One member of the family. Its settings are described in resources/schema/actuator/<name>.json, which those that
/// parse() gets are known to keep; its help is resources/help/actuator/<name>.md.
struct ActuatorEntry {
  std::string_view name;
  /// The model, and what is usual of the rest. Values are for checkActuator().
  ActuatorSpec (*parse)(const Json& settings);
};
/// All models there are, in the order in which they are offered.
std::span<const ActuatorEntry> actuatorModels() noexcept;

/// Throws InputError ("/model"): no such model.
ActuatorSpec parseActuator(const Json& settings);
/// Adds every fault of an actuator, with places relative to it.
void checkActuator(Checks& checks, const ActuatorSpec& actuator, double step_s);
/// "servo 28 Hz behind 0.5 ms".
std::string describe(const ActuatorSpec& actuator);

/// Largest speed of the actuator, m/s, while the load pushes against the motion with `opposing_n` (<= 0: it helps, and
/// the no-load speed counts): v0 sqrt(1 - F/F0), 0 from the stall force on.
double velocityCapacity(const ActuatorSpec& actuator, double opposing_n) noexcept;

/// The actuator as a linear system with a command in continuous time, without its pure delay; limits left aside.
ActuatorTransfer transferOf(const ActuatorSpec& actuator);
/// What it has beside that, of the same delay at all frequencies: its pure delay, and what sampling adds.
std::vector<DelayPart> deadTimes(const ActuatorSpec& actuator, double tick_s, double frequency_hz);

}  // namespace hyb
