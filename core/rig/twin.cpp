#include "core/rig/twin.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "core/base/numbers.h"
#include "core/linalg/dense.h"
#include "core/linalg/product.h"
#include "core/transfer/sensor.h"
#include "core/transfer/transfer_system.h"

namespace hyb {
namespace {

/// A signal inside an actuator.
struct InnerSignal {
  std::size_t actuator;
  ActuatorSignal facts;
};
std::vector<InnerSignal> signalsOf(const TwinParams& params, std::size_t interfaces) {
  std::vector<InnerSignal> signals;
  for (std::size_t i = 0; i < interfaces && !params.actuators.empty(); ++i)
    for (const ActuatorSignal& signal : params.actuators[std::min(i, params.actuators.size() - 1)].model->signals())
      signals.push_back({i, signal});
  return signals;
}

bool sprung(const TwinParams& params, std::size_t i) {
  return !params.actuators.empty() && params.actuators[std::min(i, params.actuators.size() - 1)].spring.has_value();
}

/// A strain gauge during a run; it uses the noise of the force sensor that it replaces.
struct RunningGauge {
  SensorFilter filter;
  double reading = 0.0;
};

class Twin final : public Rig {
 public:
  Twin(const Partition& partition, const TwinParams& params, double step_s, TwinReads reads)
      : params_(params), system_(partition, params, step_s), count_(partition.interface.size()), reads_(reads) {
    const auto n = static_cast<Eigen::Index>(count_);
    true_state_ = {Eigen::VectorXd(n), Eigen::VectorXd(n)};
    command_ = {Eigen::VectorXd(n), Eigen::VectorXd(n)};
    if (params_.readings.size() == 0) params_.readings = Eigen::MatrixXd::Identity(n, n);
    from_readings_ = linalg::pseudoInverse(params_.readings);
    own_motions_ = reads_ == TwinReads::interface && params_.readings.isIdentity(0.0) && from_readings_.isIdentity(0.0);
    if (reads_ == TwinReads::interface) params_.accelerometers.clear();
    params_.accelerometers.resize(static_cast<std::size_t>(params_.readings.rows()), 0);
    accelerates_ = std::ranges::find(params_.accelerometers, 1) != params_.accelerometers.end();
    readings_.resize(params_.readings.rows());
    if (params_.force_readings.size() == 0) params_.force_readings = Eigen::MatrixXd::Identity(n, n);
    own_forces_ = params_.force_readings.isIdentity(0.0) && params_.moments.empty();
    from_force_readings_ = linalg::pseudoInverse(params_.force_readings);
    force_readings_.resize(n);
    for (const MomentSensor& moment : params_.moments) gauges_.push_back({SensorFilter(moment.filters, step_s)});
    step_s_ = step_s;
    signals_ = signalsOf(params_, count_);
    for (std::size_t i = 0; i < count_; ++i)
      if (sprung(params_, i)) sprung_.push_back(i);
    rewind();
  }

  std::size_t interfaces() const noexcept override {
    return reads_ == TwinReads::sensors ? static_cast<std::size_t>(readings_.size()) : count_;
  }
  std::string description() const override {
    std::string text = "Digital twin, seed " + std::to_string(params_.seed) +
                       (params_.solver == TwinSolver::rk4 ? ", by Runge-Kutta: " : ": ");
    for (std::size_t i = 0; i < params_.actuators.size(); ++i)
      text += (i > 0 ? ", " : "") + describe(params_.actuators[i]);
    return text;
  }
  void open() override { rewind(); }
  bool waits() const noexcept override { return true; }

  [[gnu::hot]] RigStatus read(RigState& state, std::int64_t elapsed) noexcept override {
    bool within_limits = true;
    bool fault = stopped_.load(std::memory_order_acquire);
    for (; elapsed > 0; --elapsed) {
      if (fault)
        system_.rest();
      else
        within_limits = system_.advance(command_) && within_limits;
      for (std::size_t m = 0; m < gauges_.size(); ++m)
        gauges_[m].reading = gauges_[m].filter.push(system_.firstMoment(m), system_.moment(m));
      ++ticks_;
    }
    if (system_.finite()) {
      system_.read(true_state_.measured, true_state_.force);
    } else {  // a command beyond all bounds: hold the position
      safeStop();
      system_.placeAt(true_state_.measured);
      fault = true;
    }
    if (own_motions_) {
      const double* const moves = true_state_.measured.data();
      double* const read = state.measured.data();
      for (std::size_t i = 0; i < count_; ++i) {  // a sum starts with 0: as with the identity, never -0
        read[i] = 0.0 + displacement_sensors_[i].sense(0.0 + moves[i]);
        within_limits = within_limits && !displacement_sensors_[i].saturated();
      }
    } else {
      within_limits = readMotionSensors(state) && within_limits;
    }
    if (own_forces_) {
      const double* const acts = true_state_.force.data();
      double* const felt = state.force.data();
      for (std::size_t i = 0; i < count_; ++i) {
        felt[i] = force_sensors_[i].sense(acts[i]);
        system_.disturb(i, felt[i] - acts[i]);
        within_limits = within_limits && !force_sensors_[i].saturated();
      }
    } else {
      within_limits = readForceSensors(state) && within_limits;
    }
    if (fault) return RigStatus::fault;
    return within_limits ? RigStatus::ok : RigStatus::saturated;
  }

  [[gnu::hot]] RigStatus write(const Command& command) noexcept override {
    const double *const position = command.position.data(), *const rate = command.rate.data();
    const Eigen::Index count = command_.position.size();
    double nothing = 0.0;  // unless one of them is NaN
    for (Eigen::Index i = 0; i < count; ++i) nothing += 0.0 * position[i] + 0.0 * rate[i];
    if (nothing != 0.0 || stopped_.load(std::memory_order_acquire)) return RigStatus::fault;
    double *const held = command_.position.data(), *const held_rate = command_.rate.data();
    for (Eigen::Index i = 0; i < count; ++i) {
      held[i] = position[i];
      held_rate[i] = rate[i];
    }
    return RigStatus::ok;
  }

  void safeStop() noexcept override { stopped_.store(true, std::memory_order_release); }

  bool takesRates() const noexcept override { return system_.takesRates(); }
  std::vector<Channel> channels() const override { return twinChannels(params_, count_); }
  void readChannels(std::span<double> values) const noexcept override {
    for (std::size_t s = 0; s < signals_.size(); ++s)
      values[s] = system_.signal(signals_[s].actuator, signals_[s].facts);
    for (std::size_t s = 0; s < sprung_.size(); ++s) values[signals_.size() + s] = system_.specimen(sprung_[s]);
  }

  const RigState& trueState() const noexcept { return true_state_; }

 private:
  /// Motions through the sensors of the partition. False: one was at the limit of its range.
  bool readMotionSensors(RigState& state) noexcept {
    linalg::multiply(params_.readings, true_state_.measured, readings_);
    if (accelerates_) readAccelerometers();
    bool within = true;
    double* reading = readings_.data();
    for (Sensor& sensor : displacement_sensors_) {
      *reading = sensor.sense(*reading);
      ++reading;
      within = within && !sensor.saturated();
    }
    if (reads_ == TwinReads::sensors) {
      state.measured = readings_;
      state.force.setZero();
    } else {
      linalg::multiply(from_readings_, readings_, state.measured);
    }
    return within;
  }

  void readAccelerometers() noexcept {
    for (std::size_t y = 0; y < params_.accelerometers.size(); ++y)
      if (const auto row = static_cast<Eigen::Index>(y); params_.accelerometers[y] != 0)
        readings_[row] = linalg::rowTimes(params_.readings, row, system_.acceleration());
  }

  /// Forces through the sensors of the partition. False: one was at the limit of its range.
  bool readForceSensors(RigState& state) noexcept {
    linalg::multiply(params_.force_readings, true_state_.force, force_readings_);
    const double t_s = static_cast<double>(ticks_) * step_s_;
    for (std::size_t m = 0; m < gauges_.size(); ++m) {
      const MomentSensor& own = params_.moments[m];
      double& reading = force_readings_[static_cast<Eigen::Index>(own.reading)];
      reading = gauges_[m].reading;
      if (own.hum_n_m > 0.0)
        reading += own.hum_n_m * std::sin(kTwoPi * own.hum_hz * t_s + own.hum_deg * (kTwoPi / 360.0));
    }
    bool within = true;
    for (std::size_t i = 0; i < count_; ++i) {
      double& reading = force_readings_[static_cast<Eigen::Index>(i)];
      reading = force_sensors_[i].sense(reading);
      within = within && !force_sensors_[i].saturated();
    }
    if (reads_ == TwinReads::sensors)
      state.force.head(force_readings_.size()) = force_readings_;
    else
      linalg::multiply(from_force_readings_, force_readings_, state.force);
    return within;
  }

  /// Returns to rest and restarts the noise.
  void rewind() {
    displacement_sensors_.clear();
    force_sensors_.clear();
    const auto readings = static_cast<std::size_t>(readings_.size());
    for (std::size_t y = 0; y < readings; ++y)
      displacement_sensors_.emplace_back(
          params_.accelerometers[y] != 0 ? params_.accelerometer : params_.displacement_sensor, params_.seed,
          params_.common_noise && params_.accelerometers[y] == 0 ? 0U : static_cast<std::uint32_t>(2 * y));
    for (std::size_t i = 0; i < count_; ++i) {
      SensorParams sensor = params_.force_sensor;
      for (const MomentSensor& moment : params_.moments)
        if (moment.reading == i) sensor = {.noise_rms = moment.noise_rms_n_m};
      force_sensors_.emplace_back(sensor, params_.seed, static_cast<std::uint32_t>(2 * i + 1));
    }
    for (RunningGauge& gauge : gauges_) {
      gauge.filter.reset();
      gauge.reading = 0.0;
    }
    ticks_ = 0;
    system_.reset();
    for (Eigen::VectorXd* v : {&true_state_.measured, &true_state_.force, &command_.position, &command_.rate})
      v->setZero();
    stopped_.store(false, std::memory_order_release);
  }

  TwinParams params_;
  TransferSystem system_;
  std::vector<InnerSignal> signals_;  // inside the actuators
  std::vector<std::size_t> sprung_;   // interfaces with a spring
  std::size_t count_;
  TwinReads reads_;
  Eigen::MatrixXd from_readings_;  // least squares, [i, y]
  Eigen::VectorXd readings_;       // [y]
  std::vector<Sensor> displacement_sensors_, force_sensors_;
  Eigen::MatrixXd from_force_readings_;  // [i, i]
  Eigen::VectorXd force_readings_;       // [i]
  std::vector<RunningGauge> gauges_;     // of params_.moments
  bool own_motions_ = true;              // each displacement sensor reads the motion of its own axis
  bool own_forces_ = true;               // each force sensor reads the force of its own axis
  bool accelerates_ = false;             // a sensor of motion is an accelerometer
  std::int64_t ticks_ = 0;
  double step_s_ = 0.0;
  RigState true_state_;
  Command command_;  // held
  std::atomic<bool> stopped_{false};
};

}  // namespace

std::unique_ptr<Rig> makeTwin(const Partition& partition, const TwinParams& params, double step_s, TwinReads reads) {
  Checks checks;
  if (!(std::isfinite(step_s) && step_s > 0.0))
    throw InputError("/loop/rate_hz", "leads to a tick of " + Checks::text(step_s, "s") +
                                          "; the rate must be finite and greater than 0 Hz");
  checkSensor(checks, params.displacement_sensor, "/rig/displacement_sensor", "m", "_m");
  checkSensor(checks, params.force_sensor, "/rig/force_sensor", "N", "_n");
  checkSensor(checks, params.accelerometer, "/rig/accelerometer", "m/s^2", "_m_per_s2");
  std::unique_ptr<Rig> twin;
  try {
    twin = std::make_unique<Twin>(partition, params, step_s, reads);
  } catch (const InputError& error) {
    for (const Issue& issue : error.issues()) checks.fault(issue.where, issue.message);
  }
  checks.throwIfAny();
  return twin;
}

std::vector<Channel> twinChannels(const TwinParams& params, std::size_t interfaces) {
  std::vector<Channel> columns;
  for (const InnerSignal& signal : signalsOf(params, interfaces)) {
    const std::string number = std::to_string(signal.actuator + 1);
    columns.push_back({signal.facts.name + ("_" + number), signal.facts.units, signal.facts.description,
                       static_cast<int>(signal.actuator) + 1, signal.facts.name + (" " + number),
                       "Actuator" + (interfaces > 1 ? " " + number : std::string())});
  }
  for (std::size_t i = 0; i < interfaces; ++i)
    if (sprung(params, i))
      columns.push_back({.name = columnName(ColumnRole::specimen, i),
                         .units = "m",
                         .description = "displacement of the specimen after the spring, positive along +x",
                         .interface = static_cast<int>(i) + 1,
                         .title = "specimen " + std::to_string(i + 1),
                         .role = ColumnRole::specimen,
                         .kind = SignalKind::displacement});
  return columns;
}

const RigState* trueState(const Rig& rig) noexcept {
  const auto* twin = dynamic_cast<const Twin*>(&rig);
  return twin != nullptr ? &twin->trueState() : nullptr;
}

}  // namespace hyb
