/// Delay that is put behind a compensator on purpose.
#include <cmath>

#include "core/base/allocation_guard.h"
#include "core/base/error.h"
#include "core/compensation/command_history.h"
#include "core/compensation/forward_prediction.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kDelayTick_s = 1e-3;

InterfaceState targets(int k) {
  InterfaceState state;
  state.target = Eigen::Vector2d(1e-3 * std::sin(0.1 * k), 2e-3 * std::cos(0.07 * k));
  state.target_rate = Eigen::Vector2d(0.1 * std::cos(0.1 * k), -0.14 * std::sin(0.07 * k));
  state.measured = Eigen::Vector2d::Zero();
  return state;
}
Command noCommand() { return {Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2)}; }

}  // namespace

class TestAddedDelay : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void commandsComeLaterOnStraightLines_data() {
    QTest::addColumn<double>("delay_ms");
    for (const double delay_ms : {0.0, 0.25, 1.0, 2.7, 31.0, 32.5}) QTest::addRow("%g ms", delay_ms) << delay_ms;
  }
  void commandsComeLaterOnStraightLines() {
    QFETCH(double, delay_ms);
    const auto delayed =
        makeAddedDelay(makeNoCompensator(), Eigen::VectorXd::Constant(2, 1e-3 * delay_ms), kDelayTick_s);
    delayed->reset();
    Command command = noCommand();
    for (int k = 0; k < 100; ++k) {
      delayed->update(targets(k), command);
      const double whole = std::floor(delay_ms), rest = delay_ms - whole;
      const auto due = [&](int tick) {
        return tick < 0 ? noCommand() : Command{targets(tick).target, targets(tick).target_rate};
      };
      const Command newer = due(k - static_cast<int>(whole)), older = due(k - static_cast<int>(whole) - 1);
      QVERIFY((command.position - (1.0 - rest) * newer.position - rest * older.position).norm() < 1e-15);
      QVERIFY((command.rate - (1.0 - rest) * newer.rate - rest * older.rate).norm() < 1e-14);
    }
  }

  /// Predicting by as many ticks takes whole ticks of delay away again, once the line of targets is straight.
  void predictionUndoesIt() {
    ForwardPredictionParams params;
    params.prediction_ticks = params.gain = Eigen::VectorXd::Ones(2);
    params.prediction_ticks *= 4.0;
    const auto delayed =
        makeAddedDelay(makeForwardPrediction(params, kDelayTick_s), Eigen::VectorXd::Constant(2, 4e-3), kDelayTick_s);
    QCOMPARE(delayed->tunables().size(), std::size_t{4});  // those of the method
    delayed->reset();
    Command command = noCommand();
    InterfaceState state = targets(0);
    for (int k = 0; k < 100; ++k) {
      state.target.setConstant(1e-5 * k);
      delayed->update(state, command);
      if (k > 40) QVERIFY(std::abs(command.position[0] - state.target[0]) < 1e-15);
    }
  }

  void afterAHoldNothingOldComesOut() {
    const auto delayed = makeAddedDelay(makeNoCompensator(), Eigen::VectorXd::Constant(2, 5e-3), kDelayTick_s);
    Command command = noCommand();
    for (int k = 0; k < 20; ++k) delayed->update(targets(k), command);
    delayed->restart();
    delayed->update(targets(20), command);
    QVERIFY(command.position.isZero() && command.rate.isZero());
  }

  void stateCarriesWhatIsOnItsWay() {
    const Eigen::VectorXd late_s = Eigen::VectorXd::Constant(2, 3.4e-3);
    CommandDelay one(late_s, kDelayTick_s), other(late_s, kDelayTick_s);
    Command a = noCommand(), b = noCommand();
    for (int k = 0; k < 50; ++k) {
      a = {targets(k).target, targets(k).target_rate};
      one.apply(a);
    }
    other.setState(one.state());
    for (int k = 50; k < 60; ++k) {
      a = b = {targets(k).target, targets(k).target_rate};
      one.apply(a);
      other.apply(b);
      QVERIFY(a.position == b.position && a.rate == b.rate);
    }
  }

  void allocatesNothing() {
    const auto delayed = makeAddedDelay(makeNoCompensator(), Eigen::VectorXd::Constant(2, 7.5e-3), kDelayTick_s);
    Command command = noCommand();
    const InterfaceState state = targets(3);
    delayed->update(state, command);
    const AllocationGuard guard;
    for (int k = 0; k < 100; ++k) delayed->update(state, command);
    QCOMPARE(guard.count(), std::uint64_t{0});
  }

  void refusesWhatIsNoDelay() {
    for (const double delay_s : {-1e-3, std::nan(""), 1e9})
      QVERIFY_THROWS_EXCEPTION(InputError, CommandDelay(Eigen::VectorXd::Constant(1, delay_s), kDelayTick_s));
  }
};

HYB_SUITE(added_delay, TestAddedDelay)
#include "added_delay.moc"
