#include <QTest>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/base/numbers.h"
#include "core/fidelity/energy.h"
#include "core/fidelity/record.h"
#include "core/fidelity/running.h"
#include "core/fidelity/susceptibility.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Complex = std::complex<double>;

constexpr double kRadius_m = 0.01, kTurn = kTwoPi * 2.0;  // rad/s
constexpr int kPeriods = 3, kPerPeriod = 1000;

/// What the transfer system does to a specimen m z'' + c z' + k z that it drives by z' = A sin(w t - lag) while
/// A sin(w t) was commanded; whole periods, energies in J.
struct Exchange {
  double numerical_j = 0.0, experimental_j = 0.0;  // of the rows
  double error_j = 0.0, added_j = 0.0;             // of the running measure
};
Exchange exchange(double m, double c, double k, double lag) {
  RunningEnergyError energy(1);
  Exchange found;
  const double step_s = kTwoPi / kTurn / kPerPeriod;
  for (int i = 0; i <= kPeriods * kPerPeriod; ++i) {
    const double angle = kTwoPi * i / kPerPeriod;
    const double target = kRadius_m * std::sin(angle), measured = kRadius_m * std::sin(angle - lag);
    const double force = -((k - m * kTurn * kTurn) * measured + c * kRadius_m * kTurn * std::cos(angle - lag));
    if (i == 0) {
      energy.moveTo({&force, 1}, {&target, 1}, {&measured, 1});
      continue;
    }
    const InterfaceWork work = energy.add({&force, 1}, {&target, 1}, {&measured, 1}, step_s);
    found.numerical_j += work.numerical_j;
    found.experimental_j += work.numerical_j + work.added_j;
  }
  found.error_j = energy.energy_j();
  found.added_j = energy.added_j();
  return found;
}

/// Integral of what is positive of `level` - cos over a period, for a level between -1 and 1.
double above(double level) {
  const double from = std::acos(level);
  return (kTwoPi - 2.0 * from) * level + 2.0 * std::sin(from);
}

}  // namespace

class FidelityEnergy : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Per cycle a lag adds pi k A^2 sin(lag) against a spring, takes pi m w^2 A^2 sin(lag) against a mass, and against a
  /// damper gives pi c w A^2 (1 - cos(lag)).
  void energyOfLinearSpecimens_data() {
    QTest::addColumn<double>("m");
    QTest::addColumn<double>("c");
    QTest::addColumn<double>("k");
    QTest::newRow("spring") << 0.0 << 0.0 << 8650.0;
    QTest::newRow("mass") << 4.0 << 0.0 << 0.0;
    QTest::newRow("damper") << 0.0 << 50.0 << 0.0;
    QTest::newRow("all") << 4.0 << 50.0 << 8650.0;
  }
  void energyOfLinearSpecimens() {
    QFETCH(double, m);
    QFETCH(double, c);
    QFETCH(double, k);
    const double w = kTurn, turns_m2 = kPeriods * std::numbers::pi * kRadius_m * kRadius_m, stiff = k - m * w * w;
    const double scale_j = turns_m2 * (k + m * w * w + c * w);
    for (const double lag : {0.3, -0.3, 0.0}) {
      const Exchange found = exchange(m, c, k, lag);
      const double numerical_j = turns_m2 * (c * w * std::cos(lag) - stiff * std::sin(lag)),
                   experimental_j = turns_m2 * c * w;
      compare(found.numerical_j, numerical_j, 1e-5 * scale_j, "from the numerical part, J");
      compare(found.experimental_j, experimental_j, 1e-5 * scale_j, "into the specimen, J");
      compare(found.error_j, experimental_j - numerical_j, 1e-5 * scale_j, "error energy, J");
      // The error power goes with sin(lag / 2) (cos b - cos(2 w t + ...)).
      const double b = std::atan2(c * w, stiff) - 0.5 * lag, sense = lag < 0.0 ? -1.0 : 1.0;
      const double added_j = kPeriods * kRadius_m * kRadius_m * std::hypot(stiff, c * w) *
                             std::abs(std::sin(0.5 * lag)) * above(sense * std::cos(b));
      compare(found.added_j, added_j, 1e-5 * scale_j, "in the active phases, J");
      if (lag == 0.0) QVERIFY(found.error_j == 0.0 && found.added_j == 0.0);
    }
  }

  /// Where the path is moved on, and after a reset, nothing is summed; a not-a-number stays.
  void energyThatIsNotCounted() {
    const double force = -2.0, target = 0.0, measured = 0.0, moved = 0.5, none = kNoValue;
    RunningEnergyError energy(1);
    energy.moveTo({&force, 1}, {&target, 1}, {&measured, 1});
    energy.moveTo({&force, 1}, {&target, 1}, {&moved, 1});
    QCOMPARE(energy.energy_j(), 0.0);
    energy.add({&force, 1}, {&target, 1}, {&measured, 1}, 0.1);
    QCOMPARE(energy.energy_j(), -1.0);
    QCOMPARE(energy.added_j(), 0.0);
    energy.add({&force, 1}, {&target, 1}, {&moved, 1}, 0.1);
    QCOMPARE(energy.energy_j(), 0.0);
    QCOMPARE(energy.added_j(), 1.0);
    energy.reset();
    QCOMPARE(energy.energy_j(), 0.0);
    energy.add({&none, 1}, {&target, 1}, {&moved, 1}, 0.1);
    energy.add({&force, 1}, {&target, 1}, {&moved, 1}, 0.1);
    QVERIFY(std::isnan(energy.energy_j()) && std::isnan(energy.added_j()));
  }

  /// A spring between two interfaces: its ends are never at their largest deflections at the same time. What counts is
  /// its stretch; the sum of both maxima would be nothing or four times too much.
  void strainIsThatOfOneInstant() {
    const Eigen::MatrixXd spring = (Eigen::MatrixXd(2, 2) << 4500.0, -4500.0, -4500.0, 4500.0).finished();
    for (const double lag : {0.0, 0.5 * std::numbers::pi, std::numbers::pi}) {
      std::vector<double> left, right;
      for (int i = 0; i < 1000; ++i) {
        left.push_back(0.01 * std::sin(kTwoPi * i / 1000));
        right.push_back(0.01 * std::sin(kTwoPi * i / 1000 - lag));
      }
      const double stretch_m = 0.02 * std::sin(0.5 * lag);
      compare(largestStrainEnergy({left, right}, spring), 0.5 * 4500.0 * stretch_m * stretch_m, 1e-5, "strain, J");
    }
  }

  void strainAndMonitors() {
    const Eigen::MatrixXd stiffness = (Eigen::MatrixXd(2, 2) << 3.0, -1.0, -1.0, 2.0).finished();
    const std::vector<double> first{1.0, -0.5, 0.0}, second{2.0, 0.5, -1.0};
    const double strain_j = largestStrainEnergy({first, second}, stiffness);
    compare(strain_j, 0.5 * (3.0 - 4.0 + 8.0), 1e-15, "strain, J");
    compare(hsemStrain(0.35, strain_j), 0.1, 1e-15, "by strain");
    compare(hsemInput(0.35, strain_j, 3.5), 0.05, 1e-15, "by strain and input");
  }

  /// Actuator 1 + d: |T_o d|, T_o of a spring on an oscillator known in closed form.
  void susceptibilityOfAScaledActuator() {
    const double m = 10.0, c = 40.0, k = 2e4, k_exp = 1e4;
    const auto loop = [&](double hz) {
      const Complex s(0.0, kTwoPi * hz);
      return k_exp / (m * s * s + c * s + k);
    };
    const auto actuator = [](double) { return Complex(1.1, 0.0); };
    const double w0 = std::sqrt((k + k_exp) / m), zeta = c / (2.0 * m * w0);  // T_o is a low-pass of second order
    const double peak = k_exp / (k + k_exp) / (2.0 * zeta * std::sqrt(1.0 - zeta * zeta));
    const Susceptibility found = susceptibility(loop, actuator, 0.1, 100.0, 200).value();
    compare(found.norm, 0.1 * peak, 1e-9, "norm");
    compare(found.frequency_hz, w0 * std::sqrt(1.0 - 2.0 * zeta * zeta) / kTwoPi, 1e-5, "at, Hz");
    compare(found.norm_db(), 20.0 * std::log10(0.1 * peak), 1e-7, "dB");

    std::vector<double> hz;
    std::vector<Complex> open, plant;
    for (int i = 1; i < 2000; ++i) {
      hz.push_back(0.01 * i);
      open.push_back(loop(hz.back()));
      plant.push_back(actuator(hz.back()));
    }
    const Susceptibility measured = susceptibility(hz, open, plant).value();
    compare(measured.norm, found.norm, 1e-4, "from samples");
    QVERIFY(measured.norm <= found.norm);
    QCOMPARE(susceptibility(
                 loop, [](double) { return Complex(1.0); }, 0.1, 100.0)
                 ->norm,
             0.0);
  }

  void verdicts() {
    QVERIFY(!(Susceptibility{1.0, 1.0}.robustlyStable()) && !(Susceptibility{0.1, 1.0}.performsRobustly()));
    QVERIFY((Susceptibility{0.99, 1.0}.robustlyStable()) && (Susceptibility{0.0999, 1.0}.performsRobustly()));
    compare(Susceptibility{0.1, 1.0}.norm_db(), -20.0, 1e-12, "dB");
    compare(distortion({INFINITY, 0.0}, {1.5, 0.0}), 0.5, 1e-15, "undamped resonance");
    compare(distortion({1e300, 1e300}, {1.5, 0.0}), 0.5, 1e-15, "near it");
    compare(distortion({0.0, 0.0}, {1.5, 0.0}), 0.0, 0.0, "no specimen");
  }

  void badInput() {
    const std::vector<double> one = {1.0, 2.0}, other = {1.0, 2.0, 3.0}, broken = {1.0, kNoValue};
    QVERIFY(std::isnan(largestStrainEnergy({one, one}, Eigen::MatrixXd::Zero(3, 3))));
    for (const std::vector<double>& bad : {other, broken, std::vector<double>{}})
      QVERIFY(std::isnan(largestStrainEnergy({one, bad}, Eigen::MatrixXd::Zero(2, 2))));
    QVERIFY(std::isnan(hsemStrain(1.0, 0.0)) && std::isnan(hsemInput(1.0, 1.0, -2.0)));
    const std::vector<Complex> two = {{1.0, 0.0}, {2.0, 0.0}}, nan = {{1.0, 0.0}, {kNoValue, 0.0}};
    QVERIFY(!susceptibility(one, two, nan) && !susceptibility(other, two, two) && !susceptibility({}, {}, {}));
    const auto unit = [](double) { return Complex(1.0); };
    QVERIFY(!susceptibility(unit, unit, 0.0, 1.0) && !susceptibility(unit, unit, 2.0, 1.0));
    QVERIFY(!susceptibility(unit, unit, 1.0, 2.0, 2) && !susceptibility(unit, unit, 1.0, INFINITY));
    QVERIFY(!susceptibility(
        unit, [](double) { return Complex(kNoValue); }, 1.0, 2.0));
  }
};

HYB_SUITE(fidelity_energy, FidelityEnergy)
#include "energy_test.moc"
