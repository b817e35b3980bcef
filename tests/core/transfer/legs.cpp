/// Legs and first-order actuators: against an integration of their own in small steps, as they are sampled, at limits.
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>

#include "core/base/allocation_guard.h"
#include "core/base/error.h"
#include "core/transfer/leg.h"
#include "tests/support/suite.h"
#include "tests/support/twin_bench.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kLegTick_s = 1e-3;
constexpr int kParts = 100;  // small steps in a tick

/// One of both kinds, with what is needed to write down its equation.
struct Given {
  std::optional<LegParams> leg{};  // else a first-order actuator
  double lag_s = 0.01, gain = 1.0, delay_s = 0.0;

  ActuatorSpec spec() const {
    return {.model = leg ? electricLeg(*leg) : firstOrder(lag_s), .gain = gain, .delay_s = delay_s};
  }
};
using Pair = std::array<Given, 2>;
TwinParams twinOf(const Pair& pair) {
  TwinParams params;
  params.actuators = {pair[0].spec(), pair[1].spec()};
  return params;
}

Pair legs(bool feedforward, double delay_s = 0.0) {
  LegParams fast, slow;
  fast.velocity_feedforward = slow.velocity_feedforward = feedforward;
  slow.plant_gain_m_per_a_s2 = kLegPlants[0].gain_m_per_a_s2;
  slow.plant_pole_per_s = kLegPlants[0].pole_per_s;
  slow.position_gain_per_s = 20.0;
  return {{{.leg = fast, .delay_s = delay_s}, {.leg = slow, .gain = 0.9, .delay_s = delay_s}}};
}
Pair lags(double delay_s) {
  return {{{.lag_s = 0.01, .delay_s = delay_s}, {.lag_s = 0.03, .gain = 0.9, .delay_s = delay_s}}};
}

double commanded(std::size_t i, int tick) {
  if (tick < 0) return 0.0;
  return i == 0 ? 1e-3 * std::sin(0.05 * tick) + (tick > 40 ? 5e-4 : 0.0) : -7e-4 * std::sin(0.03 * tick);
}

/// Middle mass of the three-mass specimen (2.2 kg between springs of 9000 N/m and dampers of 30 N s/m) and the two
/// actuators, in small steps of Runge and Kutta.
class SmallSteps {
 public:
  explicit SmallSteps(const Pair& pair) : pair_(pair) {}
  /// From tick k to the next.
  void tick(int k) {
    for (std::size_t i = 0; i < 2; ++i) {
      const Given& actuator = pair_[i];
      if (!actuator.leg) continue;
      const double ticks = actuator.delay_s / kLegTick_s, whole = std::floor(ticks + 1e-9), rest = ticks - whole;
      const int due = k - static_cast<int>(whole);
      const double wanted = actuator.gain * ((1.0 - rest) * commanded(i, due) + rest * commanded(i, due - 1));
      double velocity = actuator.leg->position_gain_per_s * (wanted - y_[2 * i]);
      if (actuator.leg->velocity_feedforward) velocity += (wanted - wanted_[i]) / kLegTick_s;
      wanted_[i] = wanted;
      const double missing = velocity - y_[2 * i + 1];
      integral_[i] += actuator.leg->integral_gain_a_per_m * missing * kLegTick_s;
      input_[i] = actuator.leg->velocity_gain_a_s_per_m * missing + integral_[i];
    }
    const double h = kLegTick_s / kParts;
    for (int part = 0; part < kParts; ++part) {
      for (std::size_t i = 0; i < 2; ++i)
        if (!pair_[i].leg)
          input_[i] =
              pair_[i].gain *
              commanded(i, static_cast<int>(std::floor(k + (part + 0.5) / kParts - pair_[i].delay_s / kLegTick_s)));
      const State k1 = rate(y_), k2 = rate(plus(y_, 0.5 * h, k1)), k3 = rate(plus(y_, 0.5 * h, k2)),
                  k4 = rate(plus(y_, h, k3));
      y_ = plus(plus(plus(plus(y_, h / 6.0, k1), h / 3.0, k2), h / 3.0, k3), h / 6.0, k4);
    }
  }
  double displacement(std::size_t i) const { return y_[2 * i]; }
  double force(std::size_t i) const { return 9000.0 * (y_[4] - y_[2 * i]) + 30.0 * (y_[5] - velocity(y_, i)); }

 private:
  using State = std::array<double, 6>;  // x, v of both actuators (v of a leg only) and of the mass
  static State plus(State a, double h, const State& b) {
    for (std::size_t n = 0; n < a.size(); ++n) a[n] += h * b[n];
    return a;
  }
  double velocity(const State& y, std::size_t i) const {
    const Given& actuator = pair_[i];
    return actuator.leg ? y[2 * i + 1] : (input_[i] - y[2 * i]) / actuator.lag_s;
  }
  State rate(const State& y) const {
    State rate{};
    double force = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
      const Given& actuator = pair_[i];
      rate[2 * i] = velocity(y, i);
      if (actuator.leg)
        rate[2 * i + 1] =
            actuator.leg->plant_gain_m_per_a_s2 * input_[i] - actuator.leg->plant_pole_per_s * y[2 * i + 1];
      force += 9000.0 * (y[2 * i] - y[4]) + 30.0 * (velocity(y, i) - y[5]);
    }
    rate[4] = y[5];
    rate[5] = force / 2.2;
    return rate;
  }

  Pair pair_;
  State y_{};
  std::array<double, 2> input_{}, integral_{}, wanted_{};
};

void follows(const Pair& pair) {
  TwinBench twin(twinOf(pair), kLegTick_s);
  SmallSteps expected(pair);
  for (int k = 0; k < 300; ++k) {
    twin.tick();
    for (std::size_t i = 0; i < 2; ++i) {
      const auto e = static_cast<Eigen::Index>(i);
      QVERIFY2(std::abs(twin.state.measured[e] - expected.displacement(i)) < 1e-12,
               qPrintable(QString("tick %1: %2").arg(k).arg(twin.state.measured[e] - expected.displacement(i))));
      QVERIFY2(std::abs(twin.state.force[e] - expected.force(i)) < 1e-7,
               qPrintable(QString("tick %1: %2 N").arg(k).arg(twin.state.force[e] - expected.force(i))));
    }
    twin.command.position << commanded(0, k), commanded(1, k);
    expected.tick(k);
  }
}

}  // namespace

class TestLegs : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void legFollowsItsEquations_data() {
    QTest::addColumn<bool>("feedforward");
    QTest::addColumn<double>("delay_ms");
    for (const bool feedforward : {false, true})
      for (const double delay_ms : {0.0, 0.4, 1.0, 2.7})
        QTest::addRow("%s, %g ms", feedforward ? "feed-forward" : "feedback", delay_ms) << feedforward << delay_ms;
  }
  void legFollowsItsEquations() {
    QFETCH(bool, feedforward);
    QFETCH(double, delay_ms);
    follows(legs(feedforward, 1e-3 * delay_ms));
  }

  void lagFollowsItsEquation_data() {
    QTest::addColumn<double>("delay_ms");
    for (const double delay_ms : {0.0, 0.4, 1.0, 2.7}) QTest::addRow("%g ms", delay_ms) << delay_ms;
  }
  void lagFollowsItsEquation() {
    QFETCH(double, delay_ms);
    follows(lags(1e-3 * delay_ms));
  }

  /// What the sampled leg does to a sine of commands, from its own equations and on the twin.
  void sampledResponseIsThatOfTheTwin() {
    const double w = 2.0 * std::numbers::pi * 10.0;
    const Pair pair = legs(true);
    TwinBench twin(twinOf(pair), kLegTick_s);
    std::complex<double> answer[2];
    for (int k = 0; k < 4000; ++k) {  // the slowest root decays by e^-8 a second with the lower gain
      twin.tick();
      if (k >= 3000)
        for (Eigen::Index i = 0; i < 2; ++i) answer[i] += twin.state.measured[i] * std::polar(2e-3, -w * twin.time());
      twin.command.position.setConstant(std::sin(w * twin.time()));
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const std::complex<double> found = answer[i] * std::complex<double>(0.0, 1.0) / pair[i].gain;
      const std::complex<double> expected = sampledLegResponse(*pair[i].leg, kLegTick_s, w);
      QVERIFY2(std::abs(found - expected) < 1e-5, qPrintable(QString::number(std::abs(found - expected))));
    }
  }

  /// Ever shorter ticks: a controller in continuous time.
  void samplingFadesWithTheTick() {
    LegParams leg;
    leg.velocity_feedforward = true;
    const double w = 2.0 * std::numbers::pi * 10.0;
    const auto error = [&](double step_s) {
      return std::abs(sampledLegResponse(leg, step_s, w) - legResponse(leg, {0.0, w}));
    };
    QVERIFY(error(1e-3) < 0.1);
    QVERIFY(std::abs(error(1e-4) / error(2e-4) - 0.5) < 0.02);  // first order in the tick
    QVERIFY(std::abs(legResponse(leg, 0.0) - 1.0) < 1e-15);
  }

  void limitsHoldALegWithoutWindingItUp() {
    Pair pair = legs(false);
    pair[1].leg->position_gain_per_s = 90.0;
    pair[1].gain = 1.0;
    TwinParams params = twinOf(pair);
    for (ActuatorSpec& actuator : params.actuators) {
      actuator.stroke_m = 0.01;
      actuator.velocity_limit_m_per_s = 0.3;
    }
    TwinBench twin(params, kLegTick_s);
    Eigen::VectorXd last = Eigen::VectorXd::Zero(2);
    bool saturated = false;
    for (int k = 0; k < 4000; ++k) {
      twin.tick();
      saturated = saturated || twin.status == RigStatus::saturated;
      QVERIFY(twin.state.measured.cwiseAbs().maxCoeff() <= 0.01);
      QVERIFY((twin.state.measured - last).cwiseAbs().maxCoeff() <= 0.3 * kLegTick_s * (1.0 + 1e-12));
      last = twin.state.measured;
      if (k == 1999) QVERIFY((last - Eigen::Vector2d(0.01, -0.01)).cwiseAbs().maxCoeff() < 1e-6);
      if (k == 2150) QVERIFY((last - Eigen::Vector2d(0.003, -0.003)).cwiseAbs().maxCoeff() < 1e-3);
      twin.command.position << (k < 2000 ? 0.02 : 0.003), (k < 2000 ? -0.02 : -0.003);
    }
    QVERIFY(saturated && twin.status == RigStatus::ok);
    QVERIFY((last - Eigen::Vector2d(0.003, -0.003)).cwiseAbs().maxCoeff() < 1e-9);
  }

  void ticksAllocateNothing() {
    Pair pair = legs(true, 1.3e-3);
    pair[1].leg.reset();
    TwinBench twin(twinOf(pair), kLegTick_s);
    twin.tick();
    const AllocationGuard guard;
    for (int k = 0; k < 100; ++k) twin.tick();
    QCOMPARE(guard.count(), std::size_t{0});
  }

  void refusesWhatCannotWork_data() {
    QTest::addColumn<QString>("where");
    QTest::addColumn<int>("change");
    QTest::newRow("unstable by itself") << "/rig/actuators/0/position_gain_per_s" << 0;
    QTest::newRow("no current") << "/rig/actuators/0/velocity_gain_a_s_per_m" << 1;
    QTest::newRow("pole not a number") << "/rig/actuators/0/plant_pole_per_s" << 2;
    QTest::newRow("lag too short") << "/rig/actuators/0/lag_s" << 3;
  }
  void refusesWhatCannotWork() {
    QFETCH(QString, where);
    QFETCH(int, change);
    Pair pair = change < 3 ? legs(false) : lags(0.0);
    Given& actuator = pair[0];
    if (change == 0) actuator.leg->position_gain_per_s = 9000.0;
    if (change == 1) actuator.leg->velocity_gain_a_s_per_m = 0.0;
    if (change == 2) actuator.leg->plant_pole_per_s = std::nan("");
    if (change == 3) actuator.lag_s = 1e-6;
    try {
      TwinBench twin(twinOf(pair), kLegTick_s);
      QFAIL("built");
    } catch (const InputError& error) {
      QCOMPARE(QString::fromStdString(error.issues().front().where), where);
    }
  }
};

HYB_SUITE(legs, TestLegs)
#include "legs.moc"
