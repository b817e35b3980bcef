#include "core/rig/sensed_rig.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/numbers.h"
#include "core/linalg/product.h"
#include "core/rig/harmonic_observer.h"
#include "core/rig/rig_around.h"

namespace hyb {
namespace {

std::string kindOfSensor(const InterfaceAxis& sensor) {
  return sensor.acceleration ? "accelerometer" : "displacement sensor";
}

class SensedRig final : public RigAround {
 public:
  SensedRig(std::unique_ptr<Rig> rig, InterfaceSensing sensing, double step_s)
      : RigAround(std::move(rig)),
        motions_(std::move(sensing.motions)),
        forces_(std::move(sensing.forces)),
        accelerations_(std::move(sensing.accelerations)),
        fixture_kg_(std::move(sensing.fixture_kg)),
        fixture_n_per_m_(std::move(sensing.fixture_n_per_m)) {
    const Eigen::Index readings = motions_.map.readings.rows();
    assert(static_cast<Eigen::Index>(rig_->interfaces()) == readings);
    for (Eigen::VectorXd* v :
         {&sensed_.measured, &sensed_.force, &command_.position, &command_.rate, &read_, &counted_, &contradiction_})
      v->setZero(readings);
    force_read_.setZero(forces_.map.readings.rows());
    acceleration_.setZero(motions_.map.readings.cols());
    for (std::size_t y = 0; y < motions_.sensors.size(); ++y)
      if (motions_.sensors[y].acceleration) accelerometers_.push_back(static_cast<Eigen::Index>(y));
    const bool count = std::ranges::any_of(accelerometers_, [this](Eigen::Index y) { return counts(y); });
    if (count) integrals_.emplace(readings, sensing.orders, step_s);
    if (takesOut() && accelerations_.size() == 0)
      derivatives_.emplace(acceleration_.size(), std::move(sensing.orders), step_s);
  }

  std::size_t interfaces() const noexcept override { return static_cast<std::size_t>(motions_.map.readings.cols()); }
  std::size_t readings() const noexcept override { return static_cast<std::size_t>(read_.size() + force_read_.size()); }
  std::string description() const override {
    std::string text = rig_->description();
    if (const std::size_t count = motions_.sensors.size() - accelerometers_.size(); count > 0)
      text += ", " + std::to_string(count) + " displacement sensors";
    if (!accelerometers_.empty()) text += ", " + std::to_string(accelerometers_.size()) + " accelerometers";
    if (!forces_.sensors.empty()) text += ", " + std::to_string(forces_.sensors.size()) + " force sensors";
    return text;
  }
  void open() override {
    silent_.store(kNoIndex, std::memory_order_relaxed);
    residual_ = 0.0;
    unobserved_ = 0;
    read_.setZero();
    force_read_.setZero();
    for (std::optional<HarmonicObserver>* observer : {&integrals_, &derivatives_})
      if (*observer) (*observer)->reset();
    rig_->open();
  }

  RigStatus read(RigState& state, std::int64_t elapsed) noexcept override {
    const RigStatus status = rig_->read(sensed_, elapsed);
    read_ = sensed_.measured;
    unobserved_ += elapsed;
    std::size_t silent = kNoIndex;
    for (std::size_t m = forces_.sensors.size(); m-- > 0;)
      if (!std::isfinite(sensed_.force[static_cast<Eigen::Index>(m)])) silent = motions_.sensors.size() + m;
    const bool forces = silent == kNoIndex;
    std::size_t motion = kNoIndex;
    for (Eigen::Index y = read_.size(); y-- > 0;)
      if (!std::isfinite(read_[y])) motion = static_cast<std::size_t>(y);
    if (motion == kNoIndex) {
      countReadings();
      linalg::multiply(motions_.map.from_readings, counted_, state.measured);
      linalg::multiply(motions_.map.readings, state.measured, contradiction_);
      residual_ = (counted_ - contradiction_).cwiseAbs().maxCoeff();
    } else {
      state.measured.setConstant(kNoValue);
      residual_ = kNoValue;
      if (motion < motions_.sensors.size()) silent = motion;
    }
    silent_.store(silent, std::memory_order_relaxed);
    force_read_ = sensed_.force.head(force_read_.size());
    if (forces_.sensors.empty())
      state.force = force_read_;
    else if (forces)
      linalg::multiply(forces_.map.from_readings, force_read_, state.force);
    else
      state.force.setConstant(kNoValue);
    if (takesOut()) takeOut(state);
    if (motion == kNoIndex) unobserved_ = 0;
    if (state.readings.size() == read_.size() + force_read_.size()) {
      state.readings.head(read_.size()) = read_;
      state.readings.tail(force_read_.size()) = force_read_;
    }
    return status;
  }

  RigStatus write(const Command& command) noexcept override {
    command_.position.head(motions_.map.readings.cols()) = command.position;
    command_.rate.head(motions_.map.readings.cols()) = command.rate;
    command_.fundamental = command.fundamental;
    for (std::optional<HarmonicObserver>* observer : {&integrals_, &derivatives_})
      if (*observer) (*observer)->setFundamental(command.fundamental);
    return rig_->write(command_);
  }

  std::vector<Channel> channels() const override {
    std::vector<Channel> columns = rig_->channels();
    const std::vector<Channel> own = sensedChannels(motions_.sensors, forces_.sensors);
    columns.insert(columns.end(), own.begin(), own.end());
    return columns;
  }
  void readChannels(std::span<double> values) const noexcept override {
    const std::size_t of_motion = motions_.sensors.empty() ? 0 : motions_.sensors.size() + 1;
    std::size_t at = values.size() - of_motion - forces_.sensors.size();
    rig_->readChannels(values.first(at));
    for (std::size_t y = 0; y < motions_.sensors.size(); ++y) values[at++] = read_[static_cast<Eigen::Index>(y)];
    if (of_motion > 0) values[at++] = residual_;
    for (std::size_t m = 0; m < forces_.sensors.size(); ++m) values[at++] = force_read_[static_cast<Eigen::Index>(m)];
  }
  std::string failure() const override {
    std::string beneath = rig_->failure();
    const std::size_t silent = silent_.load(std::memory_order_relaxed), count = motions_.sensors.size();
    if (!beneath.empty() || silent == kNoIndex) return beneath;
    return silent < count ? "the " + kindOfSensor(motions_.sensors[silent]) + " " + motions_.sensors[silent].name +
                                " is not a number"
                          : "the force sensor " + forces_.sensors[silent - count].name + " is not a number";
  }

 private:
  static constexpr std::size_t kNoIndex = std::numeric_limits<std::size_t>::max();

  bool counts(Eigen::Index y) const noexcept { return !motions_.map.readings.row(y).isZero(0.0); }
  bool takesOut() const noexcept { return fixture_kg_.size() > 0; }

  /// Values for the least squares: readings, those of accelerometers integrated twice.
  void countReadings() noexcept {
    counted_ = read_;
    if (integrals_) integrals_->observe(read_, unobserved_);
    for (const Eigen::Index y : accelerometers_) counted_[y] = counts(y) ? integrals_->secondIntegral(y) : 0.0;
  }

  /// Removes the fixture force. Without a motion there is no force.
  void takeOut(RigState& state) noexcept {
    if (accelerations_.size() > 0) {
      linalg::multiply(accelerations_, read_, acceleration_);
    } else if (state.measured.allFinite()) {
      derivatives_->observe(state.measured, unobserved_);
      for (Eigen::Index i = 0; i < acceleration_.size(); ++i) acceleration_[i] = derivatives_->secondDerivative(i);
    }
    linalg::addProduct(fixture_kg_, acceleration_, state.force);
    if (fixture_n_per_m_.size() > 0) linalg::addProduct(fixture_n_per_m_, state.measured, state.force);
  }

  InterfaceSensors motions_, forces_;
  Eigen::MatrixXd accelerations_, fixture_kg_, fixture_n_per_m_;
  std::vector<Eigen::Index> accelerometers_;
  std::optional<HarmonicObserver> integrals_, derivatives_;  // of the readings; of the axes
  RigState sensed_;                                          // of the inner rig, [y]
  Command command_;                                          // to the inner rig, [y]
  Eigen::VectorXd read_, counted_, contradiction_;           // [y]
  Eigen::VectorXd acceleration_;                             // [i]
  Eigen::VectorXd force_read_;                               // [m]
  double residual_ = 0.0;
  std::int64_t unobserved_ = 0;                // ticks since the last observation
  std::atomic<std::size_t> silent_{kNoIndex};  // first sensor without a number at the last read, motion sensors first
};

}  // namespace

std::string motionUnit(std::string_view of_motion, bool acceleration) {
  return std::string(of_motion) + (acceleration ? "/s^2" : "");
}

std::vector<Channel> sensedChannels(const std::vector<InterfaceAxis>& sensors,
                                    const std::vector<InterfaceAxis>& force_sensors) {
  std::vector<Channel> columns;
  for (std::size_t y = 0; y < sensors.size(); ++y) {
    const InterfaceAxis& sensor = sensors[y];
    columns.push_back({"sensor_" + std::to_string(y + 1),
                       motionUnit(facts(kindOf(sensor.motion)).unit, sensor.acceleration),
                       "reading of the " + kindOfSensor(sensor) + " " + sensor.name, 0, sensor.name,
                       sensor.acceleration ? "Accelerometers" : "Displacement sensors"});
  }
  if (!sensors.empty())
    columns.push_back(
        {"sensor_residual", "",
         hasAccelerometer(sensors)
             ? "largest difference between a sensor, accelerometers integrated twice, and the common estimate"
             : "largest difference between a displacement sensor and the common estimate",
         0});
  for (std::size_t m = 0; m < force_sensors.size(); ++m)
    columns.push_back({"force_sensor_" + std::to_string(m + 1),
                       std::string(facts(facts(kindOf(force_sensors[m].motion)).partner).unit),
                       "reading of the force sensor " + force_sensors[m].name, 0, force_sensors[m].name,
                       "Force sensors"});
  return columns;
}

std::unique_ptr<Rig> makeSensedRig(std::unique_ptr<Rig> rig, InterfaceSensing sensing, double step_s) {
  return std::make_unique<SensedRig>(std::move(rig), std::move(sensing), step_s);
}

}  // namespace hyb
