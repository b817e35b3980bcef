#pragma once
#include <Eigen/Core>
#include <memory>
#include <vector>

#include "core/compensation/compensator.h"
#include "core/linalg/few.h"
#include "core/structure/partition.h"
#include "core/transfer/params.h"
#include "core/transfer/specimen_forces.h"

namespace hyb {

/// Magnitude of the fastest root of a specimen permitted by a tick, 1/s.
double fastestRoot(double step_s) noexcept;
/// Magnitude of the fastest root of the specimen with its interface held, 1/s; 0 if it has no inner motion. Throws
/// InputError ("/partition/..."): an inner DOF without mass.
double fastestSpecimenRoot(const Partition& partition, const SpecimenParams& factors);

/// Actuators and specimen as one linear system, advanced from tick to tick by its matrix exponential or by one
/// Runge-Kutta step. Actuators that drive a force react to the specimen; the others do not.
///
/// State s = [x_I, v_I, x_J, v_J, h]: displacement and velocity, interface and inner DOF; then the own states of each
/// actuator. Each has two inputs per tick (TickInputs).
///
/// With a compliance spring the specimen's interface DOF is one of J, and x_I is that of the piston.
///
/// Laws of the specimen act in addition to the linear system. If the motion is prescribed, by an actuator without
/// reaction to the specimen, their force is a function of it at each tick. Parts that yield (pistons, the inside of the
/// specimen) are integrated exactly with the mean of their force in 20 or more parts of the tick, except for ticks in
/// which no law acts.
class TransferSystem {
 public:
  /// Throws InputError with pointers under /rig: every fault of actuators and specimen, and roots that Runge-Kutta
  /// cannot follow.
  TransferSystem(const Partition& partition, const TwinParams& params, double step_s);
  /// At rest in the origin, all commands zero.
  void reset() noexcept;
  /// At rest with the interface at displacement_m [i].
  void placeAt(const Eigen::VectorXd& displacement_m) noexcept;
  /// One period with `command` held from its start. False: an actuator reached a limit. Real-time safe.
  bool advance(const Command& command) noexcept;
  /// One period with the interface held in position; the inside of the specimen rings down. Real-time safe.
  void rest() noexcept;

  auto displacement() const noexcept { return state_.head(interfaces_); }  // [i], m
  const Eigen::VectorXd& force() const noexcept { return force_; }         // [i], N: of the PS on the NS
  /// Copies both to vectors of their size. Real-time safe.
  void read(Eigen::VectorXd& displacement_m, Eigen::VectorXd& force_n) const noexcept {
    for (Eigen::Index i = 0; i < interfaces_; ++i) {
      displacement_m[i] = state_[i];
      force_n[i] = force_[i];
    }
  }
  /// [i], m/s^2, as in the force: at the end of the last period, before the next change of the command; for a
  /// prescribed motion its mean over the period.
  const Eigen::VectorXd& acceleration() const noexcept { return acceleration_; }
  /// True if an actuator uses the rate of its command.
  bool takesRates() const noexcept;
  /// Complete state between ticks as one vector: s, the states of the actuators' drives, the histories of laws, the
  /// force. Without limits and laws advance() is linear in it and in the command. Not real-time.
  Eigen::VectorXd state() const;
  void setState(const Eigen::VectorXd& state);
  /// Each state is a summand of the force: if one is NaN, so is the force.
  bool finite() const noexcept { return linalg::finiteFew(force_); }
  /// Displacement of the specimen after the spring of actuator i, m; that of the interface without a spring. Real-time
  /// safe.
  double specimen(std::size_t i) const noexcept { return state_[specimen_[i]]; }
  /// Reading of moment sensor m of the parameters, N m, without filter and noise: at the end of the last period, and at
  /// its start after the change of the command. Real-time safe.
  double moment(std::size_t m) const noexcept { return moments_[static_cast<Eigen::Index>(m)]; }
  double firstMoment(std::size_t m) const noexcept { return first_moments_[static_cast<Eigen::Index>(m)]; }
  /// From now on this force acts on piston i in addition to the specimen, N, +x positive: the error of a load cell
  /// whose reading acts on the piston. Real-time safe.
  void disturb(std::size_t i, double force_n) noexcept {
    if (const Eigen::Index d = disturbed_[i]; d >= 0) disturbance_[d] = force_n;
  }
  /// Signal of actuator i, as listed by its model; 0 while the interface is held. Real-time safe.
  double signal(std::size_t i, const ActuatorSignal& signal) const noexcept;

 private:
  std::vector<ActuatorBlock> blocks(double step_s) const;
  void placeStates(Eigen::Index internals);
  void buildSpecimen(const Partition& partition, const SpecimenParams& factors);
  void placeSpecimen(const Partition& cut, const Partition& behind);
  void addFixture(const FixtureParams& fixture);
  void buildPistons();
  void placeLaws(const Partition& partition, const TwinParams& params);
  void requireTimeForLaws(double step_s);
  void placeMoments(const Partition& partition, const TwinParams& params);
  /// Maps of the state over a step.
  struct Transition {
    Eigen::MatrixXd from;      // [s, s + 2 i]: state at its end from [s, inputs]
    Eigen::MatrixXd yielding;  // [s, places]: effect of a law of 1 N that resists over the step
    Eigen::MatrixXd noise;     // [s, disturbances]: effect of 1 N of each disturbance
  };
  Transition transition(double step_s, const std::vector<ActuatorBlock>& blocks,
                        const std::vector<double>& switches) const;
  [[gnu::always_inline]] inline void takeInputs(const Command& command) noexcept;
  void putIn(int sub, double step_s) noexcept;
  enum class Laws : bool { idle, resist };
  void step(const Transition& transition, double step_s, Laws laws) noexcept;
  void foresee();
  [[gnu::always_inline]] inline void stepAtOnce() noexcept;
  [[gnu::always_inline]] inline double pistonAcceleration(std::size_t piston, const Eigen::VectorXd& accelerations,
                                                          const Eigen::VectorXd& inputs) const noexcept;
  void beginMoments() noexcept;
  void updateForce() noexcept;
  double capacity(Eigen::Index i, double direction) const noexcept;
  bool withinLimits() const noexcept;
  bool advanceInSubsteps() noexcept;
  void meanAccelerations() noexcept;
  void balance(std::size_t piston) noexcept;

  double step_s_;
  TwinSolver solver_;
  Eigen::Index interfaces_, internals_ = 0, states_ = 0;
  std::vector<ActuatorSpec> actuators_;                 // [i]
  std::vector<std::unique_ptr<ActuatorDrive>> drives_;  // [i]
  std::vector<ActuatorBlock> blocks_;                   // [i], over a tick
  std::vector<Eigen::Index> own_;                       // [i]: place of its own states
  std::vector<Eigen::Index> pistons_;                   // actuators that drive a force
  std::vector<Eigen::Index> specimen_;                  // [i]: place of the specimen's displacement
  std::vector<Eigen::Index> disturbed_;                 // [i]: number of its disturbance, -1: none
  bool limited_ = false;                                // any actuator has a limit
  SpecimenForces laws_;
  bool yields_ = false, yields_inside_ = false;  // some part moves under their forces; also inside the specimen
  bool smooth_ = false;                          // only smooth laws act inside a tick, and they act in every tick
  bool controls_ = false;                        // the controller of an actuator works in every part of a tick
  bool resting_ = true;
  int substeps_ = kTickParts;

  Eigen::MatrixXd internal_map_;  // [j, 3 i + 2 j]: internal acceleration from [s, a_I]
  Eigen::MatrixXd force_map_;     // [i, 3 i + 2 j]: force from [s, a_I]
  Eigen::MatrixXd load_map_;      // the same for the load of the actuators; empty without a fixture
  Eigen::MatrixXd piston_map_;    // [pistons, s + i]: piston acceleration from [s, a_I of the other actuators]
  Eigen::MatrixXd piston_input_;  // [pistons, pistons]: piston acceleration from the inputs; empty: none
  Eigen::MatrixXd law_force_;     // [i, places]: force for 1 N of a law that resists
  Eigen::MatrixXd law_inside_;    // [j, places]: internal acceleration for it, interface held
  Eigen::MatrixXd law_pistons_;   // [pistons, places]: piston acceleration for it
  Eigen::MatrixXd moment_map_;    // [moments, s + i]: moments from [s, a_I]
  Eigen::MatrixXd law_moments_;   // [moments, places]: moments for 1 N of a law that resists
  Eigen::MatrixXd noise_map_;     // [pistons, disturbances]: piston acceleration for 1 N of it
  Transition transition_;         // over a tick
  Transition sub_transition_;     // over one substep
  Transition held_, sub_held_;    // the same with the interface held
  Eigen::MatrixXd
      outcome_map_;  // [s + i + i + loads, to even, s + 2 i]: state, acceleration, force, load; empty: not linear
  Eigen::VectorXd outcome_;  // same size

  Eigen::VectorXd state_, before_;           // [s]; before_: before the last step()
  Eigen::VectorXd inputs_;                   // [2 i]: the first of all actuators, then the second
  Eigen::VectorXd acceleration_;             // [i], m/s^2
  Eigen::VectorXd force_;                    // [i], N
  Eigen::VectorXd load_;                     // [i], N: load of the actuators
  Eigen::VectorXd moments_, first_moments_;  // [moments], N m
  Eigen::VectorXd mean_inputs_;              // [i]: over the tick
  Eigen::VectorXd disturbance_;              // [disturbances], N
  std::vector<char> cut_;                    // [i]: a limit restricted the motion of this substep
  Eigen::VectorXd first_acceleration_, start_, start_force_, start_load_, tick_inputs_;  // scratch
};

}  // namespace hyb
