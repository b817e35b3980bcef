#include "core/coupling/walker_coupling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/figure_text.h"
#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/coupling/compensated_scheme.h"
#include "core/gait/walker_row.h"
#include "core/transfer/params.h"

namespace hyb {
namespace {

constexpr double kRadPerDegree = kTwoPi / 360.0;

/// Ends the test when the walker falls.
class FallDirector final : public Director {
 public:
  bool takeEvent(Event& event) noexcept override {
    if (!told_) return false;
    event = event_;
    told_ = false;
    return true;
  }
  EndReason ends() const noexcept override { return fallen_ ? EndReason::fallen : EndReason::running; }
  std::string summary() const override {
    if (!fallen_) return {};
    return "in step " + std::to_string(event_.index) + ", " + figureText(event_.value) +
           " s after the start of walking";
  }
  void fall(std::int64_t step, double time_s) noexcept {
    if (fallen_) return;
    event_ = Event{0, EventCode::walker_fell, Severity::fault, static_cast<std::int32_t>(step), time_s, 0.0, {}};
    told_ = fallen_ = true;
  }
  void reset() noexcept { told_ = fallen_ = false; }

 private:
  Event event_;
  bool told_ = false, fallen_ = false;
};

/// Indices of the axes.
struct WalkerAxes {
  Eigen::Index along = 0, angle = 1;
};

/// Parameters of the walker from the cut.
struct WalkerCut {
  WalkerAxes axes;
  double mass_kg = 0.0, inertia_kg_m2 = 0.0, leg_n_per_m = 0.0;
  StumpParams stump;  // without its length
};

constexpr const char* kRightCut =
    "the walker needs a computed side of three degrees of freedom: inside, the body (its mass, and the stiffness of "
    "the sound leg to the ground), and at the interface the ankle (a translation, joined to the body by the stump) and "
    "the angle of the leg (a rotation with the inertia of the trunk)";

WalkerCut readCut(const Partition& partition, Checks& checks) {
  WalkerCut found;
  const SystemMatrices& side = partition.numerical;
  const auto& at = partition.interface_in_numerical;
  const auto refuse = [&](const std::string& what) { checks.fault("/partition", what + "; " + kRightCut + "."); };
  if (side.size() != 3 || at.size() != 2 || partition.interface[0].motion == partition.interface[1].motion) {
    refuse("has a computed side with " + std::to_string(side.size()) + " degrees of freedom, " +
           std::to_string(at.size()) + " of them at the interface");
    return found;
  }
  found.axes.along = partition.interface[0].motion == Motion::translation ? 0 : 1;
  found.axes.angle = 1 - found.axes.along;
  const Eigen::Index ankle = at[static_cast<std::size_t>(found.axes.along)],
                     trunk = at[static_cast<std::size_t>(found.axes.angle)], body = 3 - ankle - trunk;
  const Eigen::MatrixXd m = side.m, c = side.c, k = side.k;
  found.mass_kg = m(body, body);
  found.inertia_kg_m2 = m(trunk, trunk);
  found.stump.mass_kg = m(ankle, ankle);
  found.stump.stiffness_n_per_m = -k(body, ankle);
  found.stump.damping_n_s_per_m = -c(body, ankle);
  found.leg_n_per_m = k(body, body) + k(body, ankle);
  const auto nothing = [](double value, double beside) { return std::abs(value) <= 1e-9 * std::abs(beside); };
  for (const Eigen::Index other : {body, ankle})
    if (m(trunk, other) != 0.0 || c(trunk, other) != 0.0 || k(trunk, other) != 0.0) {
      refuse("couples the angle of the leg with other degrees of freedom");
      return found;
    }
  if (!(found.stump.stiffness_n_per_m > 0.0) || !(found.leg_n_per_m > 0.0) || !(found.stump.damping_n_s_per_m >= 0.0))
    refuse("does not contain the stump, or the sound leg");
  else if (m(body, ankle) != 0.0 || !nothing(k(ankle, ankle) + k(body, ankle), k(ankle, ankle)) ||
           !nothing(c(ankle, ankle) + c(body, ankle), c(ankle, ankle)) ||
           !nothing(c(body, body) + c(body, ankle), c(body, body)) || !side.nonlinear.empty())
    refuse("has more elements between body, ankle and ground than the two legs");
  return found;
}

/// Largest stiffness, N/m, at which the ankle between a held hip and the ground remains stable with the foot force of
/// the start of each tick: the largest for which both roots of the sampled mass lie inside the unit circle (Jury's
/// conditions, each linear in it).
double stiffestFoot(const StumpParams& stump, double step_s) {
  constexpr int kParts = 400;
  const double h = step_s / kParts, k = stump.stiffness_n_per_m / stump.mass_kg,
               c = stump.damping_n_s_per_m / stump.mass_kg;
  const auto moved = [&](Eigen::Vector2d state, double push) {
    const auto slope = [&](const Eigen::Vector2d& at) { return Eigen::Vector2d(at[1], push - k * at[0] - c * at[1]); };
    for (int part = 0; part < kParts; ++part) {
      const Eigen::Vector2d a = slope(state), b = slope(state + 0.5 * h * a), d = slope(state + 0.5 * h * b),
                            e = slope(state + h * d);
      state += h / 6.0 * (a + 2.0 * b + 2.0 * d + e);
    }
    return state;
  };
  Eigen::Matrix2d over;  // a tick
  over << moved({1.0, 0.0}, 0.0), moved({0.0, 1.0}, 0.0);
  const Eigen::Vector2d pushed = moved({0.0, 0.0}, 1.0 / stump.mass_kg);
  const double trace = over(0, 0) + over(1, 1), det = over(0, 0) * over(1, 1) - over(0, 1) * over(1, 0);
  const double less_trace = pushed[0], less_det = pushed[0] * over(1, 1) - pushed[1] * over(0, 1);
  double most = std::numeric_limits<double>::infinity();
  if (less_det < 0.0) most = std::min(most, (1.0 - det) / -less_det);
  if (less_trace + less_det > 0.0) most = std::min(most, (1.0 + trace + det) / (less_trace + less_det));
  if (less_det > less_trace) most = std::min(most, (1.0 - trace + det) / (less_det - less_trace));
  return most;
}

WalkerParams paramsOf(const WalkerSettings& settings, const WalkerCut& cut) {
  WalkerParams params = settings.params;
  params.mass_kg = cut.mass_kg;
  params.inertia_kg_m2 = cut.inertia_kg_m2;
  params.leg_stiffness_n_per_m = cut.leg_n_per_m;
  params.stump = cut.stump;
  params.stump->length_m = params.leg_length_m - settings.foot_height_m;
  return params;
}

class WalkerCoupling final : public CompensatedScheme {
 public:
  WalkerCoupling(std::vector<Dof> interface, const Walker& walker, WalkerAxes axes, double approach_s, double step_s,
                 std::unique_ptr<Compensator> compensator, ForceStages stages)
      : CompensatedScheme(std::move(compensator)),
        interface_(std::move(interface)),
        walker_(walker),
        axes_(axes),
        approach_ticks_(std::llround(approach_s / step_s)),
        step_s_(step_s),
        compensator_tunables_(compensator_->tunables().size()),
        stages_(std::move(stages)) {
    const auto i = static_cast<Eigen::Index>(interface_.size());
    force_.setZero(i);
    state_.target = state_.target_rate = state_.measured = state_.contact = now_ = now_rate_ = force_;
    state_.ahead = true;
    row_.fill(0.0);
    restart();
  }

  std::size_t interfaces() const noexcept override { return interface_.size(); }
  std::vector<AxisSignals> axisSignals() const override { return motionSignals(interface_); }
  void reset() override {
    restart();
    compensator_->reset();
    director_.reset();
  }
  void restart() noexcept override {
    walker_.reset();
    tick_ = 0;
    state_.target.setZero();
    state_.target_rate.setZero();
    compensator_->restart();
    stages_.restart();
    readRow();
  }

  void update(const RigState& state, const ExcitationValue& /*excitation*/, CouplingOutput& output) noexcept override {
    now_ = state_.target;  // result of the last step
    now_rate_ = state_.target_rate;
    force_ = state.force;
    if (!stages_.empty()) {
      stages_.see(state.measured, force_);
      stages_.update(now_rate_, false, force_);
      stages_.readContact(state_.contact);
    }
    walker_.push(force_[axes_.along]);
    readRow();
    if (tick_ >= approach_ticks_) walker_.advance();
    ++tick_;
    if (walker_.fallen()) director_.fall(walker_.steps() + 1, walker_.time());
    readPose();
    state_.measured = state.measured;
    compensator_->update(state_, output.command);
    output.target = now_;
    output.target_rate = now_rate_;
  }

  Director* director() noexcept override { return &director_; }
  /// Those of the compensator, followed by those of the force stages.
  std::vector<Tunable> tunables() const override {
    std::vector<Tunable> all = CompensatedScheme::tunables(), own = stages_.tunables();
    all.insert(all.end(), own.begin(), own.end());
    return all;
  }
  void tune(std::size_t index, double value) noexcept override {
    if (index < compensator_tunables_)
      CompensatedScheme::tune(index, value);
    else
      stages_.tune(index - compensator_tunables_, value);
  }
  std::vector<Channel> channels() const override {
    std::vector<Channel> all = walkerChannels(), own = stages_.channels();
    all.insert(all.end(), own.begin(), own.end());
    return all;
  }
  void readChannels(std::span<double> values) const noexcept override {
    std::copy(row_.begin(), row_.end(), values.begin());
    stages_.readChannels(values.subspan(row_.size()));
  }

 private:
  /// Pose of the next tick: during the approach to the start of the walker, then its own.
  void readPose() noexcept {
    const FootPose pose = walker_.foot();
    const bool approaches = tick_ < approach_ticks_;
    double share = 1.0, rate_per_s = 0.0;
    if (approaches) {
      const double turn = kPi / static_cast<double>(approach_ticks_), at = turn * static_cast<double>(tick_);
      share = 0.5 * (1.0 - std::cos(at));
      rate_per_s = 0.5 * turn / step_s_ * std::sin(at);
    }
    const double moves = approaches || walker_.fallen() ? 0.0 : 1.0;
    state_.target[axes_.along] = share * pose.along_m;
    state_.target[axes_.angle] = share * pose.angle_rad;
    state_.target_rate[axes_.along] = moves * pose.along_m_per_s + rate_per_s * pose.along_m;
    state_.target_rate[axes_.angle] = moves * pose.angle_rad_per_s + rate_per_s * pose.angle_rad;
  }

  void readRow() noexcept { row_ = walkerRow(walker_); }

  std::vector<Dof> interface_;
  Walker walker_;
  WalkerAxes axes_;
  std::int64_t approach_ticks_, tick_ = 0;
  double step_s_;
  std::size_t compensator_tunables_;
  ForceStages stages_;
  FallDirector director_;
  Eigen::VectorXd force_, now_, now_rate_;
  InterfaceState state_;  // input of the compensator, of the next tick
  WalkerRow row_{};
};

class WalkerSpec final : public CouplingSpec {
 public:
  explicit WalkerSpec(WalkerSettings settings) : settings_(std::move(settings)) {}
  std::string_view name() const noexcept override { return "walker"; }
  bool ahead() const noexcept override { return true; }
  bool excited() const noexcept override { return false; }
  bool detectsContact(std::size_t i) const noexcept override { return hyb::detectsContact(settings_.stages, i); }
  std::unique_ptr<CouplingScheme> make(SchemeContext context) const override {
    const WalkerCut cut = suitedCut(context.partition);
    return std::make_unique<WalkerCoupling>(
        context.partition.interface, walkerOf(cut, context.integrator, context.step_s), cut.axes, settings_.approach_s,
        context.step_s, std::move(context.compensator),
        ForceStages(settings_.stages, context.partition.interface.size(), context.step_s));
  }
  std::optional<Walker> walker(const Partition& partition, const IntegratorSpec& integrator,
                               double tick_s) const override {
    return walkerOf(suitedCut(partition), integrator, tick_s);
  }

  std::optional<double> walkerApproach_s() const noexcept override { return settings_.approach_s; }

  void check(std::size_t interfaces, const IntegratorSpec& integrator, Checks& checks) const override {
    if (!aheadFault(integrator).empty())
      checks.fault("/scheme",
                   "is \"walker\", which advances by one tick with a held force; choose a "
                   "Runge-Kutta scheme, in every tick, with the load held (/integrator).");
    checkForceStages(settings_.stages, interfaces, checks);
    const WalkerParams& p = settings_.params;
    const GaitStart& start = settings_.start;
    if (!(settings_.foot_height_m < p.leg_length_m))
      checks.fault("/foot_height_m", settings_.foot_height_m, "m",
                   "must be less than the length of the leg, " + Checks::text(p.leg_length_m, "m"));
    const double hip_m = start.height_m - p.hip_m * std::cos(start.trunk_rad),
                 above_m = p.leg_length_m * std::sin(p.touch_down_rad);
    if (!(hip_m > above_m && hip_m < p.leg_length_m))
      checks.fault("/start/height_m", "puts the hip at " + Checks::text(hip_m, "m") + "; it must be between " +
                                          Checks::text(above_m, "m") +
                                          ", where the swinging leg touches the ground, and " +
                                          Checks::text(p.leg_length_m, "m") + ", the length of the leg on the ground.");
  }

  void checkCut(const Partition& partition, const PartitionSpec& cut, Checks& checks) const override {
    if (cut.numerical.method != Reduction::Method::none)
      checks.fault("/partition/reduction/numerical",
                   "reduces the computed side, but the walker needs it unreduced; remove the reduction.");
    readCut(partition, checks);
  }

  /// Eq. 16.4: the leg is stump and foot in series, so that the foot must be stiffer than the leg.
  void checkTwin(const Partition& partition, const TwinParams& twin, double step_s, Checks& checks) const override {
    Checks of_cut;
    const WalkerCut cut = readCut(partition, of_cut);
    const Eigen::Index dof = partition.interface_in_physical[static_cast<std::size_t>(cut.axes.along)];
    double foot_n_per_m = partition.physical.k.coeff(dof, dof);
    std::string where = "/rig/specimen/laws";
    for (std::size_t l = 0; l < twin.laws.size(); ++l) {
      if (!twin.laws[l].dof.empty() || twin.laws[l].interface != static_cast<int>(cut.axes.along) + 1) continue;
      foot_n_per_m += twin.laws[l].law->stiffness();
      where = "/rig/specimen/laws/" + std::to_string(l);
      if (twin.laws[l].law->beside() == static_cast<int>(cut.axes.along) + 1)
        checks.fault(
            where + "/angle_interface",
            "is the axis along the leg, which is not an angle; give the other axis, or 0 for a constant angle.");
    }
    const double most_n_per_m = stiffestFoot(cut.stump, step_s);
    if (foot_n_per_m >= most_n_per_m)
      checks.fault(where, "gives the foot a stiffness of " + Checks::text(foot_n_per_m, "N/m") +
                              ", but the walker permits " + Checks::text(std::floor(most_n_per_m), "N/m") +
                              ": its force is held over a tick, and with a stiffer foot the small mass below the stump "
                              "is unstable even without actuator delay. Raise /loop/rate_hz, the mass of the "
                              "ankle, or the damping of the stump (/structure).");
    if (foot_n_per_m > cut.leg_n_per_m) return;
    if (foot_n_per_m == 0.0)
      checks.fault(where, "has nothing at interface " + std::to_string(cut.axes.along + 1) +
                              ", so the right leg carries no load; add the foot, \"contact\" or \"foot\".");
    else
      checks.fault(where, "gives the foot a stiffness of " + Checks::text(foot_n_per_m, "N/m") +
                              ", but the whole leg needs " + Checks::text(cut.leg_n_per_m, "N/m") +
                              ", as the sound one: a leg cannot be stiffer than its foot. "
                              "Use a stiffer foot, or a softer leg (/structure).");
  }

  void checkLoop(double /*step_s*/, double duration_s, Checks& checks) const override {
    if (duration_s > 0.0 && !(settings_.approach_s < duration_s))
      checks.fault("/approach_s", "is " + Checks::text(settings_.approach_s, "s") + " of a test of " +
                                      Checks::text(duration_s, "s") +
                                      ", so the walker does not walk; shorten it, or lengthen /loop/duration_s.");
  }

  std::vector<Channel> channels(std::size_t interfaces) const override {
    std::vector<Channel> all = walkerChannels(), own = ForceStages(settings_.stages, interfaces, 1.0).channels();
    all.insert(all.end(), own.begin(), own.end());
    return all;
  }

 private:
  static WalkerCut suitedCut(const Partition& partition) {
    Checks checks;
    const WalkerCut cut = readCut(partition, checks);
    checks.throwIfAny();
    return cut;
  }
  Walker walkerOf(const WalkerCut& cut, const IntegratorSpec& integrator, double tick_s) const {
    return {paramsOf(settings_, cut), settings_.start, integrator.scheme, tick_s, integrator.substeps};
  }

  WalkerSettings settings_;
};

}  // namespace

std::vector<Channel> walkerChannels() {
  const char *body = "Body", *feet = "Feet", *ground = "Ground", *hip = "Hip torque";
  return {
      {"body_x", "m", "centre of mass of the walker, forward", 0, "body x", body},
      {"body_y", "m", "height of the centre of mass of the walker", 0, "body y", body},
      {"body_speed", "m/s", "of the centre of mass of the walker, forward", 0, "body speed", body},
      {"trunk_angle", "rad", "of the walker from upright, forward positive", 0, "trunk angle", "Trunk"},
      {"hip_x", "m", "hip of the walker, forward", 0, "hip x", feet},
      {"hip_y", "m", "height of the hip of the walker", 0, "hip y", feet},
      {"left_foot_x", "m", "left foot of the walker, forward", 0, "left foot x", feet},
      {"left_foot_y", "m", "height of the left foot of the walker", 0, "left foot y", feet},
      {"right_foot_x", "m", "right foot of the walker, forward", 0, "right foot x", feet},
      {"right_foot_y", "m", "height of the right foot of the walker", 0, "right foot y", feet},
      {"left_ground_x", "N", "force of the ground on the left leg, forward", 0, "left ground x", ground},
      {"left_ground_y", "N", "force of the ground on the left leg, upwards", 0, "left ground y", ground},
      {"right_ground_x", "N", "force of the ground on the right leg, forward", 0, "right ground x", ground},
      {"right_ground_y", "N", "force of the ground on the right leg, upwards", 0, "right ground y", ground},
      {"left_pressure", "m", "centre of pressure of the left leg, ahead of its foot", 0, "left pressure", "Pressure"},
      {"right_pressure", "m", "centre of pressure of the right leg, ahead of its foot", 0, "right pressure",
       "Pressure"},
      {"left_torque", "N m", "of the hip for the left leg, positive where it turns the trunk backwards", 0,
       "left torque", hip},
      {"right_torque", "N m", "of the hip for the right leg, positive where it turns the trunk backwards", 0,
       "right torque", hip},
      {"steps", "", "touch-downs of the walker", 0, "steps", "Steps"}};
}

CouplingSpecPtr walkerCoupling(WalkerSettings settings) {
  return std::make_shared<const WalkerSpec>(std::move(settings));
}

CouplingSpecPtr parseWalker(const Json& settings) {
  WalkerSettings parsed;
  WalkerParams& p = parsed.params;
  const auto angle = [](const Json& from, const char* key, double& target_rad) {
    double degrees = target_rad / kRadPerDegree;
    read(from, key, degrees);
    target_rad = kRadPerDegree * degrees;
  };
  read(settings, "leg_length_m", p.leg_length_m);
  angle(settings, "touch_down_deg", p.touch_down_rad);
  read(settings, "pivot_m", p.pivot_m);
  read(settings, "hip_m", p.hip_m);
  read(settings, "foot_height_m", parsed.foot_height_m);
  read(settings, "swing_s", p.swing_s);
  read(settings, "approach_s", parsed.approach_s);
  const Json& start = settings.at("start");
  read(start, "height_m", parsed.start.height_m);
  read(start, "speed_m_per_s", parsed.start.speed_m_per_s);
  parsed.start.trunk_rad = start.value("trunk_rad", 0.0);
  parsed.start.trunk_rate_rad_per_s = start.value("trunk_rate_rad_per_s", 0.0);
  const Json roll = settings.value("roll", Json::object());
  read(roll, "heel_m", p.heel_m);
  read(roll, "forefoot_m", p.forefoot_m);
  angle(roll, "roll_off_deg", p.roll_off_rad);
  parsed.stages = parseForceStages(settings);
  return walkerCoupling(std::move(parsed));
}

}  // namespace hyb
