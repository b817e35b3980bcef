#include "core/coupling/target_path.h"

#include <cmath>

#include "core/base/allocation_guard.h"
#include "tests/support/suite.h"

using namespace hyb;
using Phase = TargetPath::Phase;

namespace {

constexpr double kPathPi = 3.14159265358979323846;

Eigen::VectorXd one(double value) { return Eigen::VectorXd::Constant(1, value); }

/// Targets on a sine of `steps` steps a period; each comes `late` ticks after the one before was reached. Largest
/// deviation from the sine in the second period.
double deviation(int order, int steps, int step_ticks, int late) {
  TargetPath path(1, {step_ticks, std::max(late, step_ticks * 3 / 5), order, {}});
  const auto at = [&](double step) { return std::sin(2.0 * kPathPi * step / steps); };
  double worst = 0.0;
  path.standAt(one(0.0));
  for (int step = 1; step <= 2 * steps; ++step) {
    for (int tick = 1; tick <= step_ticks; ++tick) {
      if (tick - 1 == (path.phase() == Phase::stand ? 0 : late)) path.lead(one(at(step)), false);
      path.advance();
      if (step > steps)
        worst = std::max(worst, std::abs(path.position()[0] - at(step - 1 + static_cast<double>(tick) / step_ticks)));
    }
  }
  return worst;
}

/// A path in motion, with its last targets on a straight line of 1 per step, at the target `step`.
TargetPath moving(const TargetPathSpec& spec, int step) {
  TargetPath path(1, spec);
  path.standAt(one(0.0));
  for (int target = 1; target <= step; ++target) {
    path.lead(one(target), false);
    for (int tick = 0; tick < spec.step_ticks; ++tick) path.advance();
  }
  return path;
}

}  // namespace

class TestTargetPath : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void eachTargetIsReachedOneStepAfterTheLast_data() {
    QTest::addColumn<int>("late");
    for (int late = 0; late <= 6; ++late) QTest::addRow("%d ticks later", late) << late;
  }
  void eachTargetIsReachedOneStepAfterTheLast() {
    QFETCH(int, late);
    TargetPath path = moving({10, 6, 2, {}}, 5);
    for (int tick = 0; tick < late; ++tick) path.advance();
    path.lead(one(6.5), false);
    for (int tick = late; tick < 10; ++tick) {
      QVERIFY(path.phase() == Phase::correct);
      path.advance();
    }
    QVERIFY(path.phase() == Phase::predict);
    QCOMPARE(path.position()[0], 6.5);
    QCOMPARE(path.reached()[0], 6.5);
  }

  /// Errors of a polynomial of order p through targets shrink with the power p + 1 of the step.
  void errorsShrinkWithTheOrder_data() {
    QTest::addColumn<int>("order");
    QTest::addColumn<int>("late");
    QTest::addColumn<double>("ratio");
    for (const int late : {0, 8, 12}) {
      QTest::addRow("linear, %d ticks later", late) << 1 << late << 4.0;
      QTest::addRow("quadratic, %d ticks later", late) << 2 << late << 8.0;
    }
  }
  void errorsShrinkWithTheOrder() {
    QFETCH(int, order);
    QFETCH(int, late);
    QFETCH(double, ratio);
    const double found = deviation(order, 100, 20, late) / deviation(order, 200, 20, late);
    QVERIFY2(std::abs(found / ratio - 1.0) < 0.1, qPrintable(QString::number(found)));
  }

  /// Position and rate never jump, whenever the next target comes: while predicting, braking or holding.
  void motionIsContinuous() {
    for (int late = 0; late < 40; ++late) {
      TargetPath path = moving({10, 6, 2, {}}, 5);
      double position = path.position()[0], rate = path.rate()[0];
      for (int tick = 0; tick < late + 20; ++tick) {
        if (tick == late) path.lead(one(6.0), false);
        path.advance();
        // Trapezoid of the rates: the acceleration of all phases is bounded by what brakes 0.1 per tick in 4 ticks.
        QVERIFY(std::abs(path.position()[0] - position - 0.5 * (rate + path.rate()[0])) < 0.02);
        QVERIFY2(std::abs(path.rate()[0] - rate) < 0.06, qPrintable(QString("late %1 tick %2").arg(late).arg(tick)));
        position = path.position()[0];
        rate = path.rate()[0];
      }
    }
  }

  void withoutTargetItBrakesAndHolds() {
    TargetPath path = moving({10, 6, 2, {}}, 5);
    for (int tick = 0; tick < 6; ++tick) path.advance();
    QVERIFY(path.phase() == Phase::predict);
    QVERIFY(std::abs(path.position()[0] - 5.6) < 1e-12);
    for (int tick = 6; tick < 10; ++tick) path.advance();
    QVERIFY(path.phase() == Phase::hold);
    QCOMPARE(path.rate()[0], 0.0);
    const double held = path.position()[0];
    QVERIFY(std::abs(held - 5.8) < 1e-12);  // from 0.1 per tick to rest in 4 ticks
    for (int tick = 0; tick < 100; ++tick) path.advance();
    QCOMPARE(path.position()[0], held);
    QCOMPARE(path.ticks(), std::int64_t{110});
    path.lead(one(6.0), false);
    for (int tick = 0; tick < 10; ++tick) {
      QVERIFY(path.phase() == Phase::correct);
      path.advance();
    }
    QCOMPARE(path.position()[0], 6.0);
  }

  void theFirstStepsComeFromRest() {
    TargetPath path(1, {10, 6, 2, {}});
    for (int tick = 0; tick < 50; ++tick) path.advance();
    QVERIFY(path.phase() == Phase::stand);
    path.lead(one(0.0), false);  // models begin with zeros
    for (int tick = 0; tick < 10; ++tick) path.advance();
    QVERIFY(path.phase() == Phase::stand);
    QCOMPARE(path.position()[0], 0.0);
  }

  void orderZeroRestsAtEachTarget() {
    const TargetPath path = moving({10, 6, 0, {}}, 3);
    QVERIFY(path.phase() == Phase::stand);
    QCOMPARE(path.position()[0], 3.0);
    QCOMPARE(path.rate()[0], 0.0);
  }

  void anExtrapolationStaysWithinItsBound() {
    TargetPath path = moving({10, 6, 2, one(5.25)}, 5);
    for (int tick = 0; tick < 20; ++tick) {
      path.advance();
      QVERIFY(path.position()[0] <= 5.25);
    }
    QCOMPARE(path.position()[0], 5.25);
  }

  /// A model that sends another target before the last one has been reached.
  void aNewerTargetReplacesTheOneUnderWay() {
    TargetPath path = moving({10, 6, 2, {}}, 5);
    path.lead(one(6.0), false);
    for (int tick = 0; tick < 5; ++tick) path.advance();
    path.lead(one(5.5), false);
    for (int tick = 0; tick < 5; ++tick) path.advance();
    QCOMPARE(path.position()[0], 5.5);
    QCOMPARE(path.reached()[0], 5.5);
  }

  void thePeakOfTheRateIsKnownBefore() {
    for (const double target : {5.0, 6.0, 7.5, -3.0}) {
      TargetPath path = moving({1000, 600, 2, {}}, 5);
      for (int tick = 0; tick < 200; ++tick) path.advance();
      const double said = path.peakRate(0, target);
      path.lead(one(target), false);
      double peak = std::abs(path.rate()[0]);
      while (path.phase() == Phase::correct) {
        path.advance();
        peak = std::max(peak, std::abs(path.rate()[0]));
      }
      QVERIFY2(std::abs(peak - said) < 1e-3 * said, qPrintable(QString("%1 %2").arg(peak).arg(said)));
    }
  }

  void nothingIsAllocated() {
    TargetPath path = moving({10, 6, 2, {}}, 5);
    const Eigen::VectorXd target = one(6.0);
    const AllocationGuard guard;
    for (int tick = 0; tick < 30; ++tick) path.advance();
    path.lead(target, true);
    for (int tick = 0; tick < 30; ++tick) path.advance();
    path.standAt(target);
    QCOMPARE(guard.count(), std::uint64_t{0});
  }
};

HYB_SUITE(target_path, TestTargetPath)
#include "target_path_test.moc"
