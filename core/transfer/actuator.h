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

/// Minimum number of parts of a tick if something acts inside it.
inline constexpr int kTickParts = 20;

/// Share of the displacement of an axis that an actuator's own states h make, x += row h. Its command must not appear
/// in the velocity: row own.col(2) = 0.
struct CoupledOutput {
  static constexpr int kOwn = -1;
  int axis = kOwn;  // from 0; kOwn: the actuator's own
  Eigen::RowVectorXd row;
};

/// Contribution of an actuator to the linear system of the twin. Rows are over [x, v, u, h]: displacement and velocity
/// of its axis, its input, its own states.
struct ActuatorBlock {
  enum class Drives : std::uint8_t {
    ramp,          // x moves linearly to the input; v is its slope from the start of the tick
    motion,        // x and v each move linearly to their inputs, until the end of the tick
    velocity,      // x' = law of x and u; v is not a separate state, and there are no own states
    acceleration,  // v' = law
    force,         // moving mass times v' = law of [x, v, h] + force of the specimen: reacts to the specimen
    sum,           // x is the sum of the outputs of this and other actuators: CoupledOutput; there is no law
  };
  Drives drives = Drives::ramp;
  Eigen::RowVectorXd law{};     // [3 + h]; empty if the motion is prescribed
  Eigen::MatrixXd own{};        // [h, 3 + h]: h'
  Eigen::VectorXd own_sizes{};  // [h]: typical size of h for displacements of 1 m
  double moving_mass_kg = 0.0;  // drives force: in addition to the specimen's own mass at the interface
  const char* mass_setting = "/piston_mass_kg";  // key in the settings of the actuator
  std::vector<CoupledOutput> outputs{};          // drives sum
  bool winds_up = true;          // drives force: an own state is a force that must not wind up at a limit
  bool inertia_at_tick = false;  // its acceleration at a tick is that of the law; else the mean over the previous tick

  bool prescribes() const noexcept { return drives == Drives::ramp || drives == Drives::motion; }
  Eigen::Index states() const noexcept { return own.rows(); }
};

/// The two inputs of a block over a tick: before and after its switching inside the tick; for a prescribed motion
/// displacement and velocity at the end of the tick.
struct TickInputs {
  double first = 0.0, second = 0.0;
};

/// One actuator during a run: converts commands to the inputs of its block.
class ActuatorDrive {
 public:
  ActuatorDrive(double delay_s, double step_s) : delay_(splitDelay(delay_s, step_s)), commands_(delay_.ticks + 1) {}
  virtual ~ActuatorDrive() = default;
  /// Takes the command of the tick that begins; the axis is at x_m, v_mps. Real-time safe.
  TickInputs take(const CommandHistory::Entry& command, double x_m, double v_mps) noexcept {
    commands_.push(command);
    return inputs(x_m, v_mps);
  }
  /// Share of the tick after which the input switches, 0 to 1.
  virtual double switchesAt() const noexcept { return delay_.fraction; }
  /// True if its input depends on the rate of its command.
  virtual bool takesRate() const noexcept { return false; }
  /// True if its controller works in every part of a tick; control() then computes the input.
  virtual bool controls() const noexcept { return false; }
  /// Input over a part of the tick, of step_s, from the effective command and the motion at its start. Real-time safe.
  virtual double control(double command, double /*x_m*/, double /*v_mps*/, double /*step_s*/) noexcept {
    return command;
  }
  /// True if the last result of control() was limited. Real-time safe.
  virtual bool cutOff() const noexcept { return false; }
  /// Called when a limit restricted the motion. Real-time safe.
  virtual void held() noexcept {}
  /// All commands zero, at rest.
  virtual void reset() noexcept { commands_.reset(); }
  /// Complete state between ticks; without limits take() is linear in it, the command and the motion. Not real-time.
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
/// The delayed command, held over the tick.
std::unique_ptr<ActuatorDrive> makeLateCommand(double delay_s, double step_s);

/// A signal inside an actuator that is recorded; limits can monitor it.
struct ActuatorSignal {
  static constexpr int kInput = -1;
  const char* name;  // "voltage": A-Z a-z 0-9 _ only
  const char* units;
  const char* description;
  int source;  // number of its own state, or kInput: the input of the block
};

/// Model of an actuator: configured, immutable and shared. The twin, the analyses and the window use this interface
/// only and depend on no particular model.
class ActuatorModel {
 public:
  virtual ~ActuatorModel() = default;
  /// "servo 28 Hz behind 0.5 ms", with its delay as text.
  virtual std::string description(const std::string& delay) const = 0;
  /// Adds every fault of the settings for this delay and tick, with places relative to those of the actuator.
  virtual void check(Checks& checks, double delay_s, double step_s) const = 0;
  /// True if its command is a force (a moment for a rotating axis), and it has no motion control.
  virtual bool takesForce() const noexcept { return false; }
  /// Kind of its command for an axis with this motion.
  virtual SignalKind command(SignalKind motion) const noexcept { return takesForce() ? facts(motion).partner : motion; }
  /// `gain`: displacement over command at rest; for a force command force over command; for a voltage command a factor
  /// on the command. step_s: step of integration.
  virtual ActuatorBlock block(double gain, double step_s) const = 0;
  virtual std::unique_ptr<ActuatorDrive> drive(double gain, double delay_s, double step_s) const = 0;
  /// A force that resists its motion in addition to its block and does not act on specimen or load cell; only if it
  /// drives a force. Null: none.
  virtual SpecimenLawPtr law() const { return nullptr; }
  /// The model for small motions, without law() and its own limits; null: it has neither.
  virtual std::shared_ptr<const ActuatorModel> linearised() const { return nullptr; }
  virtual std::vector<ActuatorSignal> signals() const { return {}; }
  /// Without its pure delay, for gain 1, in continuous time, for small motions; without limits.
  virtual ActuatorTransfer transfer() const { return {}; }
  /// Delay by sampling, equal at all frequencies.
  virtual DelayPart sampling(double tick_s, double /*frequency_hz*/) const {
    return {"command held over the tick", 0.5 * tick_s};
  }
  /// Name for its own lag in lists.
  virtual std::string lagName() const { return "actuator"; }
};
using ActuatorModelPtr = std::shared_ptr<const ActuatorModel>;

/// Reaches every command within the tick.
ActuatorModelPtr idealActuator();

/// Spring between actuator and specimen: a stiff specimen is loaded by a motion that can be controlled. The piston
/// moves the interface, and the specimen is after the spring: force on it = stiffness (piston - specimen).
struct ComplianceSpring {
  double stiffness_n_per_m = 0.0;  // actual value, > 0; the coupling scheme has its own value
  bool noise_loads_piston = true;  // the reading of the load cell, including noise, acts on a yielding piston
};

/// One actuator of the twin: its model, and the common settings.
struct ActuatorSpec {
  ActuatorModelPtr model = idealActuator();
  double gain = 1.0;                                          // static, from command to displacement (or force)
  double delay_s = 0.0;                                       // pure delay of the command, any fraction of a tick
  double stroke_m = std::numeric_limits<double>::infinity();  // |x| limit, end stop
  double velocity_limit_m_per_s = std::numeric_limits<double>::infinity();  // no-load velocity v0
  /// Largest acceleration by a command; it bounds the braking of commands and does not limit the twin.
  double acceleration_limit_m_per_s2 = std::numeric_limits<double>::infinity();
  double force_limit_n =
      std::numeric_limits<double>::infinity();  // stall force F0; |v| <= v0 sqrt(1 - F/F0) against a load
  std::optional<ComplianceSpring> spring = {};  // none: rigid connection to the specimen
};

/// One member of the family. `resources/schema/actuator/<name>.json` describes its settings; parse() only receives
/// settings that satisfy it. Help: `resources/help/actuator/<name>.md`.
struct ActuatorEntry {
  std::string_view name;
  /// The model, and its default values of the other settings. checkActuator() checks the values.
  ActuatorSpec (*parse)(const Json& settings);
};
/// All models in display order.
std::span<const ActuatorEntry> actuatorModels() noexcept;

/// Throws InputError ("/model"): no such model.
ActuatorSpec parseActuator(const Json& settings);
/// Adds every fault of an actuator, with places relative to it.
void checkActuator(Checks& checks, const ActuatorSpec& actuator, double step_s);
/// "servo 28 Hz behind 0.5 ms".
std::string describe(const ActuatorSpec& actuator);

/// Largest speed of the actuator, m/s, with a load of `opposing_n` against the motion (<= 0: it assists, and the
/// no-load speed applies): v0 sqrt(1 - F/F0), 0 from the stall force on.
double velocityCapacity(const ActuatorSpec& actuator, double opposing_n) noexcept;

/// The actuator as a linear system with a command in continuous time, without its pure delay and limits.
ActuatorTransfer transferOf(const ActuatorSpec& actuator);
/// Its other delays, equal at all frequencies: its pure delay, and that of sampling.
std::vector<DelayPart> deadTimes(const ActuatorSpec& actuator, double tick_s, double frequency_hz);

}  // namespace hyb
