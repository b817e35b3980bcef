#include <QTest>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/allocation_guard.h"
#include "core/fidelity/energy.h"
#include "core/fidelity/record.h"
#include "core/fidelity/susceptibility.h"
#include "core/numbers.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;
using Complex = std::complex<double>;

namespace {

/// Specimen m z'' + c z' + k z driven by z' = A sin(w t - lag) while A sin(w t) was commanded; whole periods.
struct Exchange {
  std::vector<double> force, command, achieved, velocity, velocity_achieved;
};
Exchange exchange(double m, double c, double k, double lag, int periods = 3, int per_period = 1000) {
  const double w = kTwoPi * 2.0, a = 0.01;
  Exchange e;
  for (int i = 0; i <= periods * per_period; ++i) {
    const double angle = kTwoPi * i / per_period;
    e.command.push_back(a * std::sin(angle));
    e.velocity.push_back(a * w * std::cos(angle));
    e.achieved.push_back(a * std::sin(angle - lag));
    e.velocity_achieved.push_back(a * w * std::cos(angle - lag));
    e.force.push_back((k - m * w * w) * e.achieved.back() + c * e.velocity_achieved.back());
  }
  return e;
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
    const double w = kTwoPi * 2.0, a2 = 1e-4, step_s = 0.5 / 1000.0;
    for (const double lag : {0.3, -0.3, 0.0}) {
      const Exchange e = exchange(m, c, k, lag);
      const double expected_j =
          3.0 * std::numbers::pi * a2 * ((k - m * w * w) * std::sin(lag) + c * w * (1.0 - std::cos(lag)));
      const double scale_j = 3.0 * std::numbers::pi * a2 * (k + m * w * w + c * w);
      const std::size_t whole = e.force.size() - 1;
      const auto part = [&](const std::vector<double>& record) { return std::span(record).first(whole); };
      const EnergyBook book =
          energyBook(part(e.force), part(e.velocity), part(e.force), part(e.velocity_achieved), step_s);
      compare(book.error_j, expected_j, 1e-9 * scale_j, "error energy, J");
      compare(book.error_j, book.experimental_j - book.numerical_j, 1e-12 * scale_j, "difference, J");
      compare(book.added_j - book.dissipated_j, book.error_j, 1e-12 * scale_j, "phases, J");
      if (lag == 0.0) QCOMPARE(book.active_share, 0.0);
      std::vector<double> running(e.force.size());
      runningEnergyError(e.force, e.command, e.achieved, running);
      compare(running.back(), expected_j, 1e-5 * scale_j, "from displacements, J");
      QCOMPARE(running.front(), 0.0);
    }
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

  void workAndMonitors() {
    const Exchange e = exchange(0.0, 50.0, 0.0, 0.0);
    compare(inputEnergy(e.force, e.command), 3.0 * std::numbers::pi * 50.0 * kTwoPi * 2.0 * 1e-4, 1e-5, "work, J");
    compare(dissipatedEnergy(std::vector<double>{2.0, -2.0}, std::vector<double>{0.5, -0.5}, 0.1), 0.2, 1e-15,
            "F_d, J");
    const Eigen::MatrixXd stiffness = (Eigen::MatrixXd(2, 2) << 3.0, -1.0, -1.0, 2.0).finished();
    const std::vector<double> first{1.0, -0.5, 0.0}, second{2.0, 0.5, -1.0};
    const double strain_j = largestStrainEnergy({first, second}, stiffness);
    compare(strain_j, 0.5 * (3.0 - 4.0 + 8.0), 1e-15, "strain, J");
    compare(hsemStrain(0.35, strain_j), 0.1, 1e-15, "by strain");
    compare(hsemInput(0.35, strain_j, 3.5), 0.05, 1e-15, "by strain and input");
    QVERIFY(hsemAcceptable(0.05) && hsemAcceptable(-0.05) && hsemAcceptable(0.0));
    QVERIFY(!hsemAcceptable(0.051) && !hsemAcceptable(-0.051) && !hsemAcceptable(kNoFigure));
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
    const std::vector<double> one = {1.0, 2.0}, other = {1.0, 2.0, 3.0}, broken = {1.0, kNoFigure};
    for (const std::vector<double>& bad : {other, broken, std::vector<double>{}}) {
      QVERIFY(std::isnan(energyBook(one, one, one, bad, 0.1).error_j));
      QVERIFY(std::isnan(energyBook(bad, one, one, one, 0.1).active_share));
      QVERIFY(std::isnan(inputEnergy(one, bad)) && std::isnan(dissipatedEnergy(bad, one, 0.1)));
    }
    std::vector<double> out(2, 0.0);
    runningEnergyError(one, other, one, out);
    QVERIFY(std::isnan(out[0]) && std::isnan(out[1]));
    QVERIFY(std::isnan(largestStrainEnergy({one, one}, Eigen::MatrixXd::Zero(3, 3))));
    QVERIFY(std::isnan(largestStrainEnergy({one, other}, Eigen::MatrixXd::Zero(2, 2))));
    QVERIFY(std::isnan(hsemStrain(1.0, 0.0)) && std::isnan(hsemInput(1.0, 1.0, -2.0)));
    const std::vector<Complex> two = {{1.0, 0.0}, {2.0, 0.0}}, nan = {{1.0, 0.0}, {kNoFigure, 0.0}};
    QVERIFY(!susceptibility(one, two, nan) && !susceptibility(other, two, two) && !susceptibility({}, {}, {}));
    const auto unit = [](double) { return Complex(1.0); };
    QVERIFY(!susceptibility(unit, unit, 0.0, 1.0) && !susceptibility(unit, unit, 2.0, 1.0));
    QVERIFY(!susceptibility(unit, unit, 1.0, 2.0, 2) && !susceptibility(unit, unit, 1.0, INFINITY));
    QVERIFY(!susceptibility(
        unit, [](double) { return Complex(kNoFigure); }, 1.0, 2.0));
  }
};

HYB_SUITE(fidelity_energy, FidelityEnergy)
#include "energy_test.moc"
