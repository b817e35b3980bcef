// Wallace, Wagg, Neild: An adaptive polynomial based forward prediction algorithm for multi-actuator real-time dynamic
// substructuring. Proc. R. Soc. A 461 (2005). What follows from the linear model alone: modes, critical delays, roots.
#include <cmath>

#include "core/base/numbers.h"
#include "core/stability/delay_stability.h"
#include "core/structure/modes.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"
#include "tests/support/three_mass.h"

using namespace hyb;
using namespace hyb::test;
using hyb::test::threeMass;
using hyb::test::threeMassPartition;

namespace {

constexpr double kCutoff_hz = 100.0;

/// Second-order servo with a damping ratio of 70 %.
ActuatorTransfer servo(double frequency_hz) {
  const double omega = kTwoPi * frequency_hz;
  return {{omega * omega}, {omega * omega, 1.4 * omega, 1.0}};
}

DelaySystem threeMassLoop(std::vector<ActuatorTransfer> actuators = {}, Eigen::VectorXd base_delay_s = {}) {
  return {cut(threeMass(), threeMassPartition()), std::move(actuators), std::move(base_delay_s)};
}

/// Where a function turns from negative to positive between two values, to 1e-9.
template <typename F>
double bisect(F f, double low, double high) {
  while (high - low > 1e-9) {
    const double middle = 0.5 * (low + high);
    (f(middle) > 0.0 ? high : low) = middle;
  }
  return low;
}

}  // namespace

class PaperWallaceLinear : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// W-3, section 1. Printed with four digits.
  void modesAndDamping() {
    const Modes found = modes(assemble(threeMass()));
    const double frequency_hz[] = {7.791, 14.396, 18.809}, damping[] = {0.0816, 0.1508, 0.1970};
    for (int i = 0; i < 3; ++i) {
      compareRelative(found.frequency_hz[i], frequency_hz[i], 1e-3, "frequency, Hz");
      compareRelative(found.damping_ratio[i], damping[i], 1e-3, "damping ratio");
    }
  }

  /// W-4, section 3: same pure delay on both actuators.
  void criticalDelays() {
    const std::vector<Crossing> found = crossings(threeMassLoop(), kCutoff_hz, 0.08);
    QVERIFY(found.size() >= 4);
    compareRelative(found[0].delay_s, 6.475e-3, 1e-3, "out of phase, s");
    compareRelative(found[0].frequency_hz, 14.396, 1e-3, "out of phase, Hz");
    const double omega = std::sqrt(2.0 * 9000.0 / 2.2);  // closed form of the note
    compareRelative(found[0].delay_s, 2.0 * std::atan(30.0 * omega / 9000.0) / omega, 1e-9,
                    "out of phase, closed form, s");
    compareRelative(found[0].frequency_hz, omega / kTwoPi, 1e-9, "out of phase, closed form, Hz");
    compareRelative(found[1].delay_s, 9.227e-3, 1e-3, "in phase, s");
    compareRelative(found[1].frequency_hz, 18.502, 1e-3, "in phase, Hz");

    // "Next crossings: 63.27 and 75.94 ms": each motion once more, a period of its crossing later.
    std::vector<double> later;
    for (const Crossing& crossing : found)
      if (crossing.delay_s > 0.02) later.push_back(crossing.delay_s);
    QCOMPARE(later.size(), std::size_t{2});
    compareRelative(later[0], 63.27e-3, 1e-3, "next, s");
    compareRelative(later[1], 75.94e-3, 1e-3, "next, s");

    const std::optional<Crossing> critical = criticalDelay(threeMassLoop(), kCutoff_hz, 0.1);
    QVERIFY(critical.has_value());
    compareRelative(critical->delay_s, 6.475e-3, 1e-3, "critical, s");
    compareRelative(critical->frequency_hz, 14.396, 1e-3, "critical, Hz");
  }

  void rootsAtDelay_data() {
    QTest::addColumn<double>("delay_s");
    QTest::addColumn<double>("growth");
    QTest::addColumn<double>("frequency_hz");
    QTest::newRow("5 ms") << 5e-3 << -3.109 << 14.505;
    QTest::newRow("7 ms") << 7e-3 << 1.052 << 14.339;
    QTest::newRow("8 ms") << 8e-3 << 2.952 << 14.206;
    QTest::newRow("9 ms") << 9e-3 << 4.699 << 14.048;
    QTest::newRow("10 ms") << 10e-3 << 6.282 << 13.870;
  }
  /// W-4, section 3.
  void rootsAtDelay() {
    QFETCH(double, delay_s);
    QFETCH(double, growth);
    QFETCH(double, frequency_hz);
    const std::vector<std::complex<double>> roots = rightmostRoots(threeMassLoop(), delay_s, kCutoff_hz);
    QVERIFY(!roots.empty());
    compareRelative(roots.front().real(), growth, 1e-3, "real part, 1/s");
    compareRelative(roots.front().imag() / kTwoPi, frequency_hz, 1e-3, "frequency, Hz");
  }

  /// W-4, section 3: one actuator without delay.
  void oneActuatorWithoutDelay() {
    const auto rightmost = [](double delay_s) {
      return rightmostRoots(threeMassLoop({}, Eigen::Vector2d(0.0, delay_s)), 0.0, kCutoff_hz).front();
    };
    const double limit_s = bisect([&](double d) { return rightmost(d).real(); }, 5e-3, 15e-3);
    compareRelative(limit_s, 10.526e-3, 1e-3, "delay of the other, s");
    compareRelative(rightmost(limit_s).imag() / kTwoPi, 14.837, 1e-3, "frequency, Hz");
  }

  /// Table "What a 1 kHz loop shows", column "continuous": pure delay beside the servo; no tick, so no hold either.
  void servoLeavesLessDelay() {
    const auto pureDelay = [](double servo_hz) {
      return criticalDelay(threeMassLoop({servo(servo_hz), servo(servo_hz)}), kCutoff_hz, 0.1)->delay_s;
    };
    compareRelative(pureDelay(50.0), 1.903e-3, 1e-3, "servo 50 Hz, s");
    compareRelative(pureDelay(100.0), 4.230e-3, 1e-3, "servo 100 Hz, s");
    const double slowest_hz = bisect(
        [&](double hz) {
          return -rightmostRoots(threeMassLoop({servo(hz), servo(hz)}), 0.0, kCutoff_hz).front().real();
        },
        20.0, 50.0);
    compareRelative(slowest_hz, 35.95, 1e-3, "slowest servo, Hz");
  }

  /// W-7, continuous roots of the twin of section 6, with and without the half tick that the held command adds.
  void growthOfTheTwin() {
    const DelaySystem twin = threeMassLoop({servo(28.0), servo(26.6)}, Eigen::Vector2d(0.5e-3, 0.5e-3));
    compareRelative(rightmostRoots(twin, 0.5e-3, kCutoff_hz).front().real(), 5.436, 1e-3, "with half-tick hold, 1/s");
    compareRelative(rightmostRoots(twin, 0.0, kCutoff_hz).front().real(), 4.685, 1e-3, "without, 1/s");
  }
};

HYB_SUITE(paper_wallace_linear, PaperWallaceLinear)
#include "wallace_linear.moc"
