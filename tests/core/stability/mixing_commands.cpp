/// Loops whose compensator makes each command from the targets of all axes.
#include <cmath>

#include "core/base/numbers.h"
#include "core/linalg/dense.h"
#include "core/stability/delay_stability.h"
#include "core/structure/reduction.h"
#include "core/transfer/servo_hydraulic.h"
#include "tests/support/determinant.h"
#include "tests/support/suite.h"
#include "tests/support/three_mass.h"

using namespace hyb;
using Complex = std::complex<double>;

namespace {

constexpr double kMixingCutoff_hz = 100.0;

ActuatorTransfer plainServo(double frequency_hz) {
  const double omega = kTwoPi * frequency_hz;
  return {{omega * omega}, {omega * omega, 1.4 * omega, 1.0}};
}

/// Two servos, which also move each other's axis, or two pistons that feel the specimen; with taps.
DelaySystem crossedLoop(bool feels) {
  DelaySystem system{cut(test::threeMass(), test::threeMassPartition()), {}, {}};
  for (std::size_t i = 0; i < 2; ++i) {
    HydraulicParams params;
    params.piston_mass_kg = 5.0 + 20.0 * static_cast<double>(i);
    params.a1b0 *= 0.2;  // weak enough to feel springs of 9000 N/m
    ActuatorTransfer& actuator =
        system.actuators.emplace_back(feels ? transferOf({.model = servoHydraulic(params)}) : plainServo(30.0));
    if (!feels) actuator.cross = {{1 - i, {(i == 0 ? 0.2 : -0.1) * actuator.numerator[0]}}};
    actuator.taps = {1.9, -0.9};
    actuator.tap_s = 1e-3;
  }
  system.base_delay_s = Eigen::Vector2d(1e-3, 0.5e-3);
  return system;
}

void feelTheSpecimen() {
  QTest::addColumn<bool>("feels");
  QTest::newRow("servos that move both axes") << false;
  QTest::newRow("pistons that feel the specimen") << true;
}

}  // namespace

class MixingCommandsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// A compensator of all targets that has only the taps of each actuator gives the roots of these taps.
  void commandsOfTheirOwnTargetsAlone_data() { feelTheSpecimen(); }
  void commandsOfTheirOwnTargetsAlone() {
    QFETCH(bool, feels);
    const DelaySystem by_taps = crossedLoop(feels);
    DelaySystem by_commands = by_taps;
    const std::vector<double> taps = by_taps.actuators[0].taps;
    CommandSystem& of = by_commands.commands.emplace();
    of.a = Eigen::MatrixXd::Zero(2, 2);
    of.b = Eigen::MatrixXd::Identity(2, 2);
    of.c = taps[1] * Eigen::MatrixXd::Identity(2, 2);
    of.d = taps[0] * Eigen::MatrixXd::Identity(2, 2);
    for (ActuatorTransfer& actuator : by_commands.actuators) actuator.taps.clear();
    for (const double delay_s : {0.0, 3e-3}) {
      const std::vector<Complex> found = rightmostRoots(by_commands, delay_s, kMixingCutoff_hz),
                                 wanted = rightmostRoots(by_taps, delay_s, kMixingCutoff_hz);
      QCOMPARE(found.size(), wanted.size());
      for (std::size_t k = 0; k < found.size(); ++k)
        QVERIFY(std::abs(found[k] - wanted[k]) < 1e-8 * (1.0 + std::abs(wanted[k])));
    }
    const auto wanted = crossings(by_taps, kMixingCutoff_hz, 0.03),
               found = crossings(by_commands, kMixingCutoff_hz, 0.03);
    QCOMPARE(found.size(), wanted.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      QVERIFY(std::abs(found[k].delay_s - wanted[k].delay_s) < 1e-8);
      QVERIFY(std::abs(found[k].frequency_hz - wanted[k].frequency_hz) < 1e-6);
    }
  }

  /// With commands that mix targets, and remember them: D_N z + D_P H C z = 0, at each root; where a delay crosses, of
  /// all or of one actuator, the rightmost root changes its side.
  void commandsOfOtherTargets_data() { feelTheSpecimen(); }
  void commandsOfOtherTargets() {
    QFETCH(bool, feels);
    DelaySystem system = crossedLoop(feels);
    for (ActuatorTransfer& actuator : system.actuators) actuator.taps.clear();
    CommandSystem& of = system.commands.emplace();
    of.a = Eigen::Vector3d(0.1, 0.05, 0.2).asDiagonal();
    of.b = Eigen::MatrixXd{{1.0, 0.0}, {0.0, 1.0}, {0.5, 0.5}};
    const double lead = feels ? 1.0 : 4.0;  // ticks
    of.c = Eigen::MatrixXd{{-0.9 * lead, 0.05, -0.05}, {0.03, -0.95 * lead, 0.1}};
    of.d = Eigen::MatrixXd{{1.0 + lead, 0.1}, {-0.1, 1.0 + lead}};
    const Partition& p = system.partition;
    const double delay_s = 2e-3;
    const Roots found = countedRoots(system, delay_s, kMixingCutoff_hz);
    QCOMPARE(static_cast<int>(found.roots.size()), found.counted);
    QVERIFY(found.counted >= 3);
    const auto loop = [&](Complex at) {
      const Eigen::MatrixXcd d_p = condensedStiffness(p.physical, p.interface_in_physical, at);
      Eigen::MatrixXcd held = Eigen::MatrixXcd::Zero(2, 2), driven = held;
      for (Eigen::Index i = 0; i < 2; ++i) {
        const ActuatorTransfer& actuator = system.actuators[static_cast<std::size_t>(i)];
        if (!actuator.load.empty()) held.row(i) = evaluate(actuator.load, at).value * d_p.row(i);
        held(i, i) += evaluate(actuator.denominator, at).value;
        driven(i, i) = evaluate(actuator.numerator, at).value * std::exp(-at * (delay_s + system.base_delay_s[i]));
        for (const ActuatorTransfer::Cross& cross : actuator.cross)  // of equal denominators
          driven(static_cast<Eigen::Index>(cross.axis), i) =
              evaluate(cross.numerator, at).value * std::exp(-at * (delay_s + system.base_delay_s[i]));
      }
      const Eigen::MatrixXcd h = linalg::ComplexLu(held).solve(driven);
      return test::determinant(condensedStiffness(p.numerical, p.interface_in_numerical, at) +
                               d_p * h * of.at(at, system.actuators.front().tap_s));
    };
    for (const Complex s : found.roots)
      QVERIFY2(std::abs(loop(s)) < 1e-6 * std::abs(loop(s + Complex(10.0, 10.0))),
               qPrintable(QString("%1 %2i").arg(s.real()).arg(s.imag())));
    for (const std::optional<Eigen::Index> late : {std::optional<Eigen::Index>(), std::optional<Eigen::Index>(0)}) {
      system.late = late;
      const std::optional<Crossing> critical = criticalDelay(system, kMixingCutoff_hz, 0.1);
      if (!critical) {
        QVERIFY(feels && rightmostRoots(system, 0.1, kMixingCutoff_hz).front().real() < 0.0);
        continue;
      }
      for (const double factor : {0.999, 1.001}) {
        const Complex first = rightmostRoots(system, factor * critical->delay_s, kMixingCutoff_hz).front();
        QVERIFY2((first.real() > 0.0) == (factor > 1.0), qPrintable(QString::number(first.real())));
      }
    }
  }
};

HYB_SUITE(mixing_commands, MixingCommandsTest)
#include "mixing_commands.moc"
