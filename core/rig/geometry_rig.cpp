#include "core/rig/geometry_rig.h"

#include <Eigen/LU>
#include <atomic>
#include <cassert>
#include <utility>

#include "core/base/numbers.h"
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

class GeometryRig final : public RigAround {
 public:
  GeometryRig(std::unique_ptr<Rig> rig, RigGeometry geometry)
      : RigAround(std::move(rig)), geometry_(std::move(geometry)), drawn_(drawnLengths(geometry_)) {
    const Index legs = geometry_.count();
    assert(static_cast<Index>(inner().interfaces()) == legs);
    for (Eigen::VectorXd* v : {&read_.measured, &read_.force, &command_.position, &command_.rate}) v->setZero(legs);
    for (LegValues* v : {&lengths_, &commanded_}) *v = drawn_;
  }

  std::size_t interfaces() const noexcept override { return geometry_.axes.size(); }
  std::string description() const override {
    return inner().description() + ", platform on " + std::to_string(geometry_.count()) +
           (geometry_.count() == 1 ? " leg" : " legs");
  }
  void open() override {
    told_.store(false, std::memory_order_relaxed);
    pose_.setZero();
    lengths_ = commanded_ = drawn_;
    condition_ = 0.0;
    inner().open();
  }

  RigStatus read(RigState& state, std::int64_t elapsed) noexcept override {
    const RigStatus status = inner().read(read_, elapsed);
    state.force.setConstant(kNoValue);
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
    return inner().write(command_);
  }

  std::vector<Channel> channels() const override {
    std::vector<Channel> columns = inner().channels();
    const std::vector<Channel> own = geometryChannels(geometry_);
    columns.insert(columns.end(), own.begin(), own.end());
    return columns;
  }
  void readChannels(std::span<double> values) const noexcept override {
    const Index legs = geometry_.count();
    const auto own = static_cast<std::size_t>((geometry_.cells_in_legs ? 4 : 3) * legs + 1) - geometry_.axes.size();
    std::size_t at = values.size() - own;
    inner().readChannels(values.first(at));
    for (Index i = 0; i < legs; ++i) values[at++] = lengths_[i];
    for (Index i = 0; i < legs; ++i) values[at++] = commanded_[i];
    for (Index i = 0; i < legs && geometry_.cells_in_legs; ++i) values[at++] = read_.force[i];
    for (const PoseComponent move : geometry_.moves)
      if (!isAxis(geometry_, move)) values[at++] = pose_[static_cast<Index>(move)];
    values[at] = condition_;
  }

  std::string failure() const override {
    if (!told_.load(std::memory_order_acquire)) return inner().failure();
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
    const LegValues all = forcesOnMoves(geometry_, pose_, jacobian_, read_.force);
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
  bool told_command_ = false;  // this and the next two are written once, before told_
  Pose told_pose_ = Pose::Zero();
  PoseObstacle obstacle_;
  std::atomic<bool> told_{false};
};

class LeggedTwin final : public RigAround {
 public:
  LeggedTwin(std::unique_ptr<Rig> twin, RigGeometry geometry)
      : RigAround(std::move(twin)), geometry_(std::move(geometry)), drawn_(drawnLengths(geometry_)) {
    const auto axes = static_cast<Index>(geometry_.axes.size());
    assert(inner().interfaces() == geometry_.axes.size());
    for (Eigen::VectorXd* v : {&read_.measured, &read_.force, &command_.position, &command_.rate}) v->setZero(axes);
  }
  std::size_t interfaces() const noexcept override { return geometry_.legs.size(); }
  void open() override {
    commanded_.setZero();
    inner().open();
  }

  RigStatus read(RigState& state, std::int64_t elapsed) noexcept override {
    const RigStatus status = inner().read(read_, elapsed);
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
    state.force = LegMatrix(jacobian.transpose()).partialPivLu().solve(ofMoves(geometry_, force));
    return status;
  }

  RigStatus write(const Command& command) noexcept override {
    const LegValues lengths = command.position + drawn_;
    if (!lengths.allFinite() || !command.rate.allFinite() || !poseOfLegs(geometry_, lengths, commanded_))
      return RigStatus::fault;
    LegMatrix jacobian;
    legJacobian(geometry_, commanded_, jacobian);
    const LegValues rates = jacobian.partialPivLu().solve(LegValues(command.rate));
    for (Index i = 0; i < command_.position.size(); ++i) {
      command_.position[i] = commanded_[component(geometry_.axes, i)];
      for (Index m = 0; m < rates.size(); ++m)
        if (component(geometry_.moves, m) == component(geometry_.axes, i)) command_.rate[i] = rates[m];
    }
    command_.fundamental = command.fundamental;
    return inner().write(command_);
  }

 private:
  RigGeometry geometry_;
  LegValues drawn_;
  RigState read_;    // of the interface axes
  Command command_;  // to them
  Pose commanded_ = Pose::Zero();
};

}  // namespace

std::unique_ptr<Rig> makeGeometryRig(std::unique_ptr<Rig> rig, RigGeometry geometry) {
  return std::make_unique<GeometryRig>(std::move(rig), std::move(geometry));
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
