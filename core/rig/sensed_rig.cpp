#include "core/rig/sensed_rig.h"

#include <atomic>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "core/linalg/product.h"

namespace hyb {
namespace {

class SensedRig final : public Rig {
 public:
  SensedRig(std::unique_ptr<Rig> rig, SensorMap map, std::vector<InterfaceAxis> sensors)
      : rig_(std::move(rig)), map_(std::move(map)), sensors_(std::move(sensors)) {
    assert(static_cast<Eigen::Index>(rig_->interfaces()) == map_.readings.rows());
    assert(static_cast<Eigen::Index>(sensors_.size()) == map_.readings.rows());
    for (Eigen::VectorXd* v :
         {&sensed_.measured, &sensed_.force, &command_.position, &command_.rate, &read_, &contradiction_})
      v->setZero(map_.readings.rows());
  }

  std::size_t interfaces() const noexcept override { return static_cast<std::size_t>(map_.readings.cols()); }
  std::string description() const override {
    return rig_->description() + ", " + std::to_string(sensors_.size()) + " displacement sensors";
  }
  void open() override {
    silent_.store(kNone, std::memory_order_relaxed);
    residual_ = 0.0;
    read_.setZero();
    rig_->open();
  }

  RigStatus read(RigState& state, std::int64_t elapsed) noexcept override {
    const RigStatus status = rig_->read(sensed_, elapsed);
    read_ = sensed_.measured;
    std::size_t silent = kNone;
    for (std::size_t y = sensors_.size(); y-- > 0;)
      if (!std::isfinite(read_[static_cast<Eigen::Index>(y)])) silent = y;
    silent_.store(silent, std::memory_order_relaxed);
    if (silent == kNone) {
      linalg::multiply(map_.from_readings, read_, state.measured);
      linalg::multiply(map_.readings, state.measured, contradiction_);
      residual_ = (read_ - contradiction_).cwiseAbs().maxCoeff();
    } else {
      state.measured.setConstant(kNan);
      residual_ = kNan;
    }
    state.force = sensed_.force.head(map_.readings.cols());
    return status;
  }

  RigStatus write(const Command& command) noexcept override {
    command_.position.head(map_.readings.cols()) = command.position;
    command_.rate.head(map_.readings.cols()) = command.rate;
    return rig_->write(command_);
  }

  void safeStop() noexcept override { rig_->safeStop(); }
  void close() noexcept override { rig_->close(); }

  std::vector<Channel> channels() const override {
    std::vector<Channel> columns = rig_->channels();
    const std::vector<Channel> own = sensedChannels(sensors_);
    columns.insert(columns.end(), own.begin(), own.end());
    return columns;
  }
  void readChannels(std::span<double> values) const noexcept override {
    const std::size_t first = values.size() - sensors_.size() - 1;
    rig_->readChannels(values.first(first));
    for (std::size_t y = 0; y < sensors_.size(); ++y) values[first + y] = read_[static_cast<Eigen::Index>(y)];
    values.back() = residual_;
  }
  const LinkFigures* link() const noexcept override { return rig_->link(); }
  std::vector<std::string> interlocks() const override { return rig_->interlocks(); }
  std::uint32_t interlocksOpen() const noexcept override { return rig_->interlocksOpen(); }
  bool inject(const FaultSpec& fault, bool begin) noexcept override { return rig_->inject(fault, begin); }
  std::string failure() const override {
    const std::string beneath = rig_->failure();
    const std::size_t silent = silent_.load(std::memory_order_relaxed);
    if (!beneath.empty() || silent == kNone) return beneath;
    return "the displacement sensor " + sensors_[silent].name + " gives no number";
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

  std::unique_ptr<Rig> rig_;
  SensorMap map_;
  std::vector<InterfaceAxis> sensors_;
  RigState sensed_;                       // by the rig beneath, [y]
  Command command_;                       // to the rig beneath, [y]
  Eigen::VectorXd read_, contradiction_;  // [y]
  double residual_ = 0.0;
  std::atomic<std::size_t> silent_{kNone};  // first sensor without a number at the last read
};

}  // namespace

std::vector<Channel> sensedChannels(const std::vector<InterfaceAxis>& sensors) {
  std::vector<Channel> columns;
  for (std::size_t y = 0; y < sensors.size(); ++y)
    columns.push_back({"sensor_" + std::to_string(y + 1), std::string(facts(kindOf(sensors[y].motion)).unit),
                       "reading of the displacement sensor " + sensors[y].name, 0, sensors[y].name,
                       "Displacement sensors"});
  columns.push_back(
      {"sensor_residual", "", "largest difference between a displacement sensor and what all of them say", 0});
  return columns;
}

std::unique_ptr<Rig> makeSensedRig(std::unique_ptr<Rig> rig, SensorMap map, std::vector<InterfaceAxis> sensors) {
  return std::make_unique<SensedRig>(std::move(rig), std::move(map), std::move(sensors));
}

}  // namespace hyb
