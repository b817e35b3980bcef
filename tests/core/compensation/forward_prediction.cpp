#include "core/compensation/forward_prediction.h"

#include <cmath>
#include <limits>
#include <set>

#include "core/base/allocation_guard.h"
#include "core/base/error.h"
#include "core/compensation/prediction_weights.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

constexpr double dt = 1e-3;

ForwardPredictionParams params(int points = 8, int order = 2) {
  ForwardPredictionParams p;
  p.points = points;
  p.order = order;
  p.prediction_ticks = Eigen::Vector2d(3.0, 4.5);
  p.gain = Eigen::Vector2d(1.0, 0.9);
  return p;
}

InterfaceState stateAt(double t) {
  InterfaceState state{Eigen::VectorXd(2), Eigen::VectorXd(2), Eigen::VectorXd::Zero(2)};
  state.target << 1.0 + 2.0 * t + 30.0 * t * t, -0.5 + t;
  state.target_rate << 2.0 + 60.0 * t, 1.0;
  return state;
}

Command command() { return {Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2)}; }

}  // namespace

class TestForwardPrediction : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void noneWritesTheTarget() {
    const auto none = makeNoCompensator();
    Command out = command();
    const InterfaceState in = stateAt(0.3);
    none->update(in, out);
    QVERIFY(out.position == in.target && out.rate == in.target_rate);
  }

  void leadsPolynomialsByItsHorizon() {
    const auto compensator = makeForwardPrediction(params(), dt);
    Command out = command();
    const int ticks = 50;
    for (int k = 0; k <= ticks; ++k) compensator->update(stateAt(k * dt), out);
    const InterfaceState first = stateAt((ticks + 3.0) * dt), second = stateAt((ticks + 4.5) * dt);
    QVERIFY(std::abs(out.position[0] - first.target[0]) < 1e-12);
    QVERIFY(std::abs(out.rate[0] - first.target_rate[0]) < 1e-10);  // 1/dt louder than the position
    QVERIFY(std::abs(out.position[1] - 0.9 * second.target[1]) < 1e-12);
    QVERIFY(std::abs(out.rate[1] - 0.9 * second.target_rate[1]) < 1e-10);
  }

  /// Before n samples were seen the interface counts as having been at rest at the first.
  void startsAtRestAtTheFirstTarget() {
    const auto compensator = makeForwardPrediction(params(), dt);
    Command out = command();
    const InterfaceState first = stateAt(0.2);
    for (int restarted = 0; restarted < 2; ++restarted) {
      compensator->update(first, out);
      QVERIFY(std::abs(out.position[0] - first.target[0]) < 1e-12);
      QVERIFY(std::abs(out.rate[0]) < 1e-9);
      // The second target stands at the newest place of a buffer that else holds the first.
      const InterfaceState second = stateAt(0.2 + dt);
      compensator->update(second, out);
      Eigen::VectorXd buffer = Eigen::VectorXd::Constant(8, first.target[0]), weights(8);
      buffer[0] = second.target[0];
      PredictionWeights(8, 2).at(3.0, weights);
      QVERIFY(std::abs(out.position[0] - weights.dot(buffer)) < 1e-12);
      if (restarted == 0) compensator->restart();
    }
  }

  void tuningActsFromTheNextTick() {
    const auto tuned = makeForwardPrediction(params(), dt);
    const std::vector<Tunable> tunables = tuned->tunables();
    QCOMPARE(tunables.size(), std::size_t{4});
    QCOMPARE(tunables[2].name, std::string("prediction_ticks_2"));
    QCOMPARE(tunables[3].name, std::string("gain_2"));
    for (const Tunable& t : tunables) QVERIFY(t.min <= t.value && t.value <= t.max);
    tuned->tune(2, 7.0);
    tuned->tune(3, 1.1);
    ForwardPredictionParams wanted = params();
    wanted.prediction_ticks[1] = 7.0;
    wanted.gain[1] = 1.1;
    const auto built = makeForwardPrediction(wanted, dt);
    Command a = command(), b = command();
    for (int k = 0; k < 30; ++k) {
      tuned->update(stateAt(k * dt), a);
      built->update(stateAt(k * dt), b);
      QVERIFY(a.position == b.position && a.rate == b.rate);
    }
  }

  void reportsEveryFault() {
    ForwardPredictionParams wrong = params(2, 2);
    wrong.prediction_ticks = Eigen::Vector3d(-1.0, 15.5, std::numeric_limits<double>::quiet_NaN());
    wrong.gain = Eigen::Vector2d(0.0, std::numeric_limits<double>::infinity());
    const std::set<std::string> where = test::placesOfFaults(wrong);
    const std::set<std::string> expected{
        "/points", "/prediction_ticks/0", "/prediction_ticks/1", "/prediction_ticks/2", "/gain", "/gain/0", "/gain/1"};
    QVERIFY(where == expected);
    QVERIFY_THROWS_EXCEPTION(InputError, makeForwardPrediction(params(), 0.0));
  }

  void allocatesNothing() {
    const auto compensator = makeForwardPrediction(params(), dt);
    Command out = command();
    const InterfaceState in = stateAt(0.1);
    const AllocationGuard guard;
    for (int k = 0; k < 20; ++k) compensator->update(in, out);
    compensator->tune(0, 5.0);
    compensator->restart();
    compensator->update(in, out);
    QCOMPARE(guard.count(), std::uint64_t{0});
  }
};

HYB_SUITE(forward_prediction, TestForwardPrediction)
#include "forward_prediction.moc"
