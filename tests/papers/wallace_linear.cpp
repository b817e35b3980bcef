// Wallace, Wagg, Neild: An adaptive polynomial based forward prediction algorithm for multi-actuator real-time dynamic
// substructuring. Proc. R. Soc. A 461 (2005). What follows from the linear model alone: modes, critical delays, roots.
#include <QtTest>
#include <cmath>
#include <numbers>

#include "core/stability/delay_stability.h"
#include "core/structure/modes.h"
#include "tests/support/three_mass.h"

using namespace hyb;
using hyb::test::threeMass;
using hyb::test::threeMassPartition;

namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;
constexpr double kCutoff_hz = 100.0;

/// Second-order servo with a damping ratio of 70 %.
ActuatorTransfer servo(double frequency_hz) {
  const double omega = kTwoPi * frequency_hz;
  return {{omega * omega}, {omega * omega, 1.4 * omega, 1.0}};
}

DelaySystem threeMassLoop(std::vector<ActuatorTransfer> actuators = {}, Eigen::VectorXd base_delay_s = {}) {
  return {cut(threeMass(), threeMassPartition()), std::move(actuators), std::move(base_delay_s)};
}

/// Root of a rising function between two values, to 1e-9.
template <typename F>
double bisect(F f, double low, double high) {
  while (high - low > 1e-9) {
    const double middle = 0.5 * (low + high);
    (f(middle) > 0.0 ? high : low) = middle;
  }
  return low;
}

void compare(double actual, double expected, double relative, const char* what) {
  const QString text = QString("%1: %2 instead of %3").arg(what).arg(actual, 0, 'g', 8).arg(expected, 0, 'g', 8);
  QVERIFY2(std::abs(actual - expected) <= relative * std::abs(expected), qPrintable(text));
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
      compare(found.frequency_hz[i], frequency_hz[i], 1e-3, "frequency, Hz");
      compare(found.damping_ratio[i], damping[i], 1e-3, "damping ratio");
    }
  }

  /// W-4, section 3: same pure delay on both actuators.
  void criticalDelays() {
    const std::vector<Crossing> found = crossings(threeMassLoop(), kCutoff_hz, 0.08);
    QVERIFY(found.size() >= 4);
    compare(found[0].delay_s, 6.475e-3, 1e-3, "out of phase, s");
    compare(found[0].frequency_hz, 14.396, 1e-3, "out of phase, Hz");
    const double omega = std::sqrt(2.0 * 9000.0 / 2.2);  // closed form of the note
    compare(found[0].delay_s, 2.0 * std::atan(30.0 * omega / 9000.0) / omega, 1e-9, "out of phase, closed form, s");
    compare(found[0].frequency_hz, omega / kTwoPi, 1e-9, "out of phase, closed form, Hz");
    compare(found[1].delay_s, 9.227e-3, 1e-3, "in phase, s");
    compare(found[1].frequency_hz, 18.502, 1e-3, "in phase, Hz");

    // "Next crossings: 63.27 and 75.94 ms": each motion once more, a period of its crossing later.
    std::vector<double> later;
    for (const Crossing& crossing : found)
      if (crossing.delay_s > 0.02) later.push_back(crossing.delay_s);
    for (const Crossing& crossing : found)
