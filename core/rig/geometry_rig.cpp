#include "core/rig/geometry_rig.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/base/numbers.h"
#include "core/linalg/eliminate.h"
#include "core/rig/reach.h"
#include "core/rig/rig_around.h"

namespace hyb {
namespace {

using Eigen::Index;

LegValues drawnLengths(const RigGeometry& geometry) {
  LegValues lengths;
  legLengths(geometry, Pose::Zero(), lengths);
  return lengths;
}

Index component(const std::vector<PoseComponent>& list, Index i) noexcept {
  return static_cast<Index>(list[static_cast<std::size_t>(i)]);
}

/// Values of the moves, [move].
LegValues ofMoves(const RigGeometry& geometry, const Pose& values) noexcept {
  LegValues moves(geometry.count());
  for (Index m = 0; m < moves.size(); ++m) moves[m] = values[component(geometry.moves, m)];
  return moves;
}

/// All components from those of the axes; the others are 0.
Pose fromAxes(const RigGeometry& geometry, const Eigen::VectorXd& axes) noexcept {
  Pose pose = Pose::Zero();
  for (Index i = 0; i < static_cast<Index>(geometry.axes.size()); ++i) pose[component(geometry.axes, i)] = axes[i];
  return pose;
}

/// Rate and acceleration of a pose through a low-pass of second order (Butterworth), by the bilinear transform.
class PoseFilter {
 public:
  PoseFilter(double cutoff_hz, double step_s)
      : step_s_(step_s), w_(2.0 / step_s * std::tan(0.5 * kTwoPi * cutoff_hz * step_s)) {}
  const Pose& rate() const noexcept { return rate_; }
  const Pose& acceleration() const noexcept { return acceleration_; }
  void restart() noexcept { started_ = false; }
  /// A pose `elapsed` ticks after the last one, held in between. The first one is at rest.
  void take(const Pose& pose, std::int64_t elapsed) noexcept {
    constexpr std::int64_t kSettled = 10'000;
    if (!started_) {
      smooth_ = pose;
      rate_.setZero();
      acceleration_.setZero();
      started_ = true;
    }
    for (std::int64_t k = std::min(elapsed, kSettled); k > 0; --k) {
      // a = w^2 (q - y) - sqrt(2) w v at the end of the tick, with trapezoids for v and y.
      const double half = 0.5 * step_s_, damps = std::numbers::sqrt2 * w_, stiff = w_ * w_;
      const Pose v = rate_ + half * acceleration_, y = smooth_ + step_s_ * rate_ + half * half * acceleration_;
      acceleration_ = (stiff * (pose - y) - damps * v) / (1.0 + damps * half + stiff * half * half);
      rate_ = v + half * acceleration_;
      smooth_ = y + half * half * acceleration_;
    }
  }

 private:
  double step_s_, w_;
  Pose smooth_ = Pose::Zero(), rate_ = Pose::Zero(), acceleration_ = Pose::Zero();
  bool started_ = false;
};

class GeometryRig final : public RigAround {
 public:
  GeometryRig(std::unique_ptr<Rig> rig, RigGeometry geometry, double step_s)
      : RigAround(std::move(rig)),
        geometry_(std::move(geometry)),
        drawn_(drawnLengths(geometry_)),
        filter_(geometry_.acceleration_hz, step_s) {
    const Index legs = geometry_.count();
    assert(static_cast<Index>(rig_->interfaces()) == legs);
    for (Eigen::VectorXd* v : {&read_.measured, &read_.force, &command_.position, &command_.rate}) v->setZero(legs);
    for (LegValues* v : {&lengths_, &commanded_}) *v = drawn_;
  }

  std::size_t interfaces() const noexcept override { return geometry_.axes.size(); }
  std::string description() const override {
    return rig_->description() + ", platform on " + std::to_string(geometry_.count()) +
           (geometry_.count() == 1 ? " leg" : " legs");
  }
  void open() override {
    told_.store(false, std::memory_order_relaxed);
    pose_.setZero();
    lengths_ = commanded_ = drawn_;
    condition_ = 0.0;
    filter_.restart();
    unfiltered_ = 0;
    rig_->open();
  }

  RigStatus read(RigState& state, std::int64_t elapsed) noexcept override {
    const RigStatus status = rig_->read(read_, elapsed);
    state.force.setConstant(kNoValue);
    unfiltered_ += elapsed;
    lengths_ = read_.measured + drawn_;
    PoseObstacle obstacle;
    if (!lengths_.allFinite() || !poseOfLegs(geometry_, lengths_, pose_)) {
      state.measured.setConstant(kNoValue);
      condition_ = kNoValue;
      if (lengths_.allFinite()) obstacle.kind = PoseObstacle::Kind::no_pose;
    } else {
      for (Index i = 0; i < state.measured.size(); ++i) state.measured[i] = pose_[component(geometry_.axes, i)];
      legJacobian(geometry_, pose_, jacobian_);
      condition_ = conditionOf(geometry_, pose_, jacobian_, inverse_);
      if (!(condition_ <= geometry_.largest_condition)) obstacle = {PoseObstacle::Kind::singular, -1, condition_};
      if (geometry_.acceleration_hz > 0.0) filter_.take(pose_, unfiltered_);
      unfiltered_ = 0;
      if (read_.force.allFinite()) forces(state);
    }
    if (!obstacle || status == RigStatus::fault) return status;
    tell(false, pose_, obstacle);
    return RigStatus::fault;
  }

  RigStatus write(const Command& command) noexcept override {
    const Pose pose = fromAxes(geometry_, command.position), rates = fromAxes(geometry_, command.rate);
    if (!pose.allFinite() || !rates.allFinite()) return RigStatus::fault;
    LegValues lengths;
    LegMatrix jacobian, inverse;
    legLengths(geometry_, pose, lengths);
    legJacobian(geometry_, pose, jacobian);
    if (const PoseObstacle obstacle = obstacleAt(geometry_, lengths, conditionOf(geometry_, pose, jacobian, inverse))) {
      tell(true, pose, obstacle);
      return RigStatus::fault;
    }
    commanded_ = lengths;
    command_.position = lengths - drawn_;
    command_.rate.noalias() = jacobian * ofMoves(geometry_, rates);
    command_.fundamental = 0.0;  // a sum of harmonics of the pose is none of the legs
    return rig_->write(command_);
  }

  std::vector<Channel> channels() const override {
    std::vector<Channel> columns = rig_->channels();
    const std::vector<Channel> own = geometryChannels(geometry_);
    columns.insert(columns.end(), own.begin(), own.end());
    return columns;
  }
  void readChannels(std::span<double> values) const noexcept override {
    const Index legs = geometry_.count();
    const auto own = static_cast<std::size_t>((geometry_.cells_in_legs ? 4 : 3) * legs + 1) - geometry_.axes.size();
    std::size_t at = values.size() - own;
    rig_->readChannels(values.first(at));
    for (Index i = 0; i < legs; ++i) values[at++] = lengths_[i];
    for (Index i = 0; i < legs; ++i) values[at++] = commanded_[i];
    for (Index i = 0; i < legs && geometry_.cells_in_legs; ++i) values[at++] = read_.force[i];
    for (const PoseComponent move : geometry_.moves)
      if (!isAxis(geometry_, move)) values[at++] = pose_[static_cast<Index>(move)];
    values[at] = condition_;
  }

  std::string failure() const override {
    if (!told_.load(std::memory_order_acquire)) return rig_->failure();
    const std::string pose = poseText(geometry_, told_pose_), obstacle = obstacleText(geometry_, obstacle_);
    if (obstacle_.kind == PoseObstacle::Kind::no_pose) return obstacle + "; the last pose was " + pose;
    return std::string(told_command_ ? "the commanded pose (" : "the measured pose (") + pose +
           (told_command_ ? ") was not sent: " : ") is singular: ") + obstacle;
  }

  static bool isAxis(const RigGeometry& geometry, PoseComponent move) noexcept {
    for (const PoseComponent axis : geometry.axes)
      if (axis == move) return true;
    return false;
  }

 private:
  /// Forces on the components of the axes.
  void forces(RigState& state) noexcept {
    LegValues all = forcesOnMoves(geometry_, pose_, jacobian_, read_.force);
    if (geometry_.cells_in_legs && geometry_.acceleration_hz > 0.0)
      all += ofMoves(geometry_, inertiaOn(geometry_, pose_, filter_.rate(), filter_.acceleration()));
    for (Index m = 0; m < all.size(); ++m)
      for (Index i = 0; i < state.force.size(); ++i)
        if (geometry_.axes[static_cast<std::size_t>(i)] == geometry_.moves[static_cast<std::size_t>(m)])
          state.force[i] = all[m];
  }

  /// Keeps the first obstacle for failure().
  void tell(bool command, const Pose& pose, const PoseObstacle& obstacle) noexcept {
    if (told_.load(std::memory_order_relaxed)) return;
    told_command_ = command;
    told_pose_ = pose;
    obstacle_ = obstacle;
    told_.store(true, std::memory_order_release);
  }

  RigGeometry geometry_;
  LegValues drawn_;
  RigState read_;    // of the legs
  Command command_;  // to the legs
  Pose pose_ = Pose::Zero();
  LegMatrix jacobian_, inverse_;
  LegValues lengths_, commanded_;
  double condition_ = 0.0;
  PoseFilter filter_;
  std::int64_t unfiltered_ = 0;  // ticks since the last pose
  bool told_command_ = false;    // this and the next two are written once, before told_
  Pose told_pose_ = Pose::Zero();
  PoseObstacle obstacle_;
  std::atomic<bool> told_{false};
};

class LeggedTwin final : public RigAround {
 public:
  LeggedTwin(std::unique_ptr<Rig> twin, RigGeometry geometry)
      : RigAround(std::move(twin)), geometry_(std::move(geometry)), drawn_(drawnLengths(geometry_)) {
    const auto axes = static_cast<Index>(geometry_.axes.size());
    assert(rig_->interfaces() == geometry_.axes.size());
    for (Eigen::VectorXd* v : {&read_.measured, &read_.force, &command_.position, &command_.rate}) v->setZero(axes);
  }
  std::size_t interfaces() const noexcept override { return geometry_.legs.size(); }
  void open() override {
    commanded_.setZero();
    rig_->open();
  }

  RigStatus read(RigState& state, std::int64_t elapsed) noexcept override {
    const RigStatus status = rig_->read(read_, elapsed);
    const Pose pose = fromAxes(geometry_, read_.measured);
    Pose force = fromAxes(geometry_, read_.force);
    LegValues values;
    legLengths(geometry_, pose, values);
    state.measured = values - drawn_;
    if (!geometry_.cells_in_legs) {
      state.force = ofMoves(geometry_, force);
      return status;
    }
    force += weightOn(geometry_, pose);
    LegMatrix jacobian;
    legJacobian(geometry_, pose, jacobian);
    LegMatrix transposed = jacobian.transpose();
    LegValues forces = ofMoves(geometry_, force);
    if (!linalg::eliminate(transposed, forces)) forces.setConstant(kNoValue);  // the platform hangs loose
    state.force = forces;
    return status;
  }

  RigStatus write(const Command& command) noexcept override {
    const LegValues lengths = command.position + drawn_;
    if (!lengths.allFinite() || !command.rate.allFinite() || !poseOfLegs(geometry_, lengths, commanded_))
      return RigStatus::fault;
    LegMatrix jacobian;
    legJacobian(geometry_, commanded_, jacobian);
    LegValues rates = command.rate;
    if (!linalg::eliminate(jacobian, rates)) return RigStatus::fault;
    for (Index i = 0; i < command_.position.size(); ++i) {
      command_.position[i] = commanded_[component(geometry_.axes, i)];
      for (Index m = 0; m < rates.size(); ++m)
        if (component(geometry_.moves, m) == component(geometry_.axes, i)) command_.rate[i] = rates[m];
    }
    command_.fundamental = command.fundamental;
    return rig_->write(command_);
  }

 private:
  RigGeometry geometry_;
  LegValues drawn_;
  RigState read_;    // of the interface axes
  Command command_;  // to them
  Pose commanded_ = Pose::Zero();
};

}  // namespace

std::unique_ptr<Rig> makeGeometryRig(std::unique_ptr<Rig> rig, RigGeometry geometry, double step_s) {
  return std::make_unique<GeometryRig>(std::move(rig), std::move(geometry), step_s);
}

std::vector<Channel> geometryChannels(const RigGeometry& geometry) {
  std::vector<Channel> columns;
  const auto add = [&](const char* stem, const char* units, const std::string& words, const char* group) {
    for (std::size_t i = 0; i < geometry.legs.size(); ++i)
      columns.push_back({stem + std::to_string(i + 1), units, words + " of the leg " + geometry.legs[i].name, 0,
                         geometry.legs[i].name, group});
  };
  add("leg_", "m", "measured length", "Leg lengths");
  add("leg_command_", "m", "commanded length", "Commanded leg lengths");
  if (geometry.cells_in_legs)
    add("leg_force_", "N", "force of the physical side, positive where the leg lengthens,", "Leg forces");
  for (const PoseComponent move : geometry.moves)
    if (!GeometryRig::isAxis(geometry, move))
      columns.push_back({"pose_" + std::string(name(move)), turns(move) ? "rad" : "m",
                         "measured " + std::string(name(move)) + " of the platform, which is no interface axis", 0,
                         std::string(name(move)), "Other motions of the platform"});
  columns.push_back({"pose_condition", "", "condition number of the scaled Jacobian of the legs", 0});
  return columns;
}

std::unique_ptr<Rig> makeLeggedTwin(std::unique_ptr<Rig> twin, RigGeometry geometry) {
  return std::make_unique<LeggedTwin>(std::move(twin), std::move(geometry));
}

}  // namespace hyb
