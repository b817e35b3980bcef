#include <QtTest>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "core/error.h"
#include "core/integration/integrator.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/three_mass.h"

using namespace hyb;
using Complex = std::complex<double>;

namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;

SystemMatrices oscillator(double m, double c, double k) {
  LumpedStructure s;
  s.masses = {{"m", m}};
  s.supports = {{"w"}};
  s.links = {{"l", "w", "m", k, c}};
  return assemble(s);
}

/// m x'' + c x' + k x = p0 + p1 t from x0, v0: closed form, underdamped.
struct RampResponse {
  double m, c, k;
  /// {x, v} after t.
  std::pair<double, double> at(double x0, double v0, double p0, double p1, double t) const {
    const double particular0 = p0 / k - c * p1 / (k * k), slope = p1 / k;
    const Complex root(-c / (2.0 * m), std::sqrt(k / m - c * c / (4.0 * m * m)));
    // x = particular + Re(amplitude e^{root t})
    const double re = x0 - particular0, im = (root.real() * re - (v0 - slope)) / root.imag();
    const Complex moving = Complex(re, im) * std::exp(root * t);
    return {particular0 + slope * t + moving.real(), slope + (root * moving).real()};
  }
};

Eigen::VectorXd one(double value) { return Eigen::VectorXd::Constant(1, value); }

/// Largest error of the displacement against the exact response to a sine force, over two periods of the load.
double errorUnderSine(Scheme scheme, double step_s) {
  const double m = 2.2, c = 30.0, k = 9000.0, omega = kTwoPi * 8.0;
  const auto integrator = makeIntegrator(scheme, oscillator(m, c, k), step_s);
  const Complex steady = 1.0 / Complex(k - m * omega * omega, c * omega);
  const Complex root(-c / (2.0 * m), std::sqrt(k / m - c * c / (4.0 * m * m)));
  // At rest at t = 0 under sin(w t): steady part Im(steady e^{iwt}) plus Re(a e^{root t}).
  const double x0 = -steady.imag(), v0 = -(Complex(0.0, omega) * steady).imag();
  const Complex a(x0, (root.real() * x0 - v0) / root.imag());
  double worst = 0.0;
  const int steps = static_cast<int>(std::lround(0.25 / step_s));
  for (int i = 1; i <= steps; ++i) {
    const double t = i * step_s;
    integrator->step(one(std::sin(omega * t)));
    const double exact = (steady * std::exp(Complex(0.0, omega * t))).imag() + (a * std::exp(root * t)).real();
    worst = std::max(worst, std::abs(integrator->displacement()[0] - exact));
  }
  return worst;
}

/// Deterministic load without any pattern that suits a scheme.
Eigen::VectorXd roughLoad(Eigen::Index n, int tick) {
  Eigen::VectorXd load(n);
  for (Eigen::Index i = 0; i < n; ++i)
    load[i] = 10.0 * std::sin(1.7 * tick * (static_cast<double>(i) + 1.3) + 0.1 * tick * tick);
  return load;
}

const char* const kNames[] = {"newmark", "exact-ramp", "exact-hold"};

}  // namespace

class IntegrationTest : public QObject {
  Q_OBJECT

  static void everyScheme() {
    QTest::addColumn<QString>("name");
    for (const char* name : kNames) QTest::newRow(name) << name;
  }
  static Scheme scheme() {
    const QString name = QTest::currentDataTag();
    return schemeFromName(name.toStdString());
  }

 private Q_SLOTS:
  void equationOfMotionHolds_data() { everyScheme(); }
  void equationOfMotionHolds() {
    const SystemMatrices s = assemble(test::threeMass());
    const auto integrator = makeIntegrator(scheme(), s, 1e-3);
    for (int tick = 1; tick <= 500; ++tick) {
      const Eigen::VectorXd load = roughLoad(3, tick);
      integrator->step(load);
      const Eigen::VectorXd rest =
          s.m * integrator->acceleration() + s.c * integrator->velocity() + s.k * integrator->displacement() - load;
      QVERIFY2(rest.norm() < 1e-11 * load.norm(), qPrintable(QString::number(rest.norm())));  // rounding
    }
  }

  void resetReturnsToRest_data() { everyScheme(); }
  void resetReturnsToRest() {
    const SystemMatrices s = assemble(test::threeMass());
    const auto used = makeIntegrator(scheme(), s, 1e-3), fresh = makeIntegrator(scheme(), s, 1e-3);
    for (int tick = 1; tick <= 20; ++tick) used->step(roughLoad(3, tick));
    used->reset();
    QVERIFY(used->displacement().isZero(0.0) && used->velocity().isZero(0.0) && used->acceleration().isZero(0.0));
    for (int tick = 1; tick <= 20; ++tick) {
      used->step(roughLoad(3, tick));
      fresh->step(roughLoad(3, tick));
    }
    QVERIFY(used->displacement() == fresh->displacement());
    QVERIFY(used->acceleration() == fresh->acceleration());
  }

  void errorShrinksWithOrderTwo_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("step_s");
    for (const char* name : {"newmark", "exact-ramp"})
      for (const double step_s : {2e-3, 1e-3, 5e-4})
        QTest::newRow(qPrintable(QString("%1 %2 ms").arg(name).arg(1e3 * step_s))) << name << step_s;
  }
  /// Halving the step gives a quarter of the error, apart from terms of higher order.
  void errorShrinksWithOrderTwo() {
    QFETCH(QString, name);
    QFETCH(double, step_s);
    const Scheme s = schemeFromName(name.toStdString());
    const double ratio = errorUnderSine(s, step_s) / errorUnderSine(s, 0.5 * step_s);
    QVERIFY2(std::abs(ratio - 4.0) < 0.2, qPrintable(QString::number(ratio)));
  }

  /// The held load lags by half a step, so its error falls with the step itself.
  void heldLoadIsOfOrderOne() {
    const double ratio = errorUnderSine(Scheme::exact_hold, 5e-4) / errorUnderSine(Scheme::exact_hold, 2.5e-4);
    QVERIFY2(std::abs(ratio - 2.0) < 0.1, qPrintable(QString::number(ratio)));
  }

  void exactSchemesMeetTheClosedForm_data() {
    QTest::addColumn<bool>("hold");
    QTest::addColumn<double>("step_s");
    for (const bool hold : {false, true})
      for (const double step_s : {1e-4, 1e-3, 2e-2})
        QTest::newRow(qPrintable(QString("%1 %2 s").arg(hold ? "hold" : "ramp").arg(step_s))) << hold << step_s;
  }
  void exactSchemesMeetTheClosedForm() {
    QFETCH(bool, hold);
    QFETCH(double, step_s);
    const RampResponse exact{2.2, 30.0, 9000.0};
    const auto integrator =
        makeIntegrator(hold ? Scheme::exact_hold : Scheme::exact_ramp, oscillator(2.2, 30.0, 9000.0), step_s);
    double x = 0.0, v = 0.0, old_load = 0.0;
    const double static_m = 10.0 / exact.k, rounding = 1e-12;  // the closed form itself cancels terms of static size
    for (int tick = 1; tick <= 200; ++tick) {
      const double load = roughLoad(1, tick)[0];
      const double slope = hold ? 0.0 : (load - old_load) / step_s;
      std::tie(x, v) = exact.at(x, v, old_load, slope, step_s);
      old_load = load;
      integrator->step(one(load));
      QVERIFY(std::abs(integrator->displacement()[0] - x) < rounding * static_m);
      QVERIFY(std::abs(integrator->velocity()[0] - v) < rounding * static_m * std::sqrt(exact.k / exact.m));
    }
  }

  /// Average acceleration neither feeds nor drains an undamped system, at any step.
  void newmarkKeepsTheEnergy_data() {
    QTest::addColumn<double>("step_s");
    QTest::newRow("fine") << 1e-4;
    QTest::newRow("1 kHz") << 1e-3;
    QTest::newRow("far too coarse") << 0.1;
  }
  void newmarkKeepsTheEnergy() {
    QFETCH(double, step_s);
    LumpedStructure structure = test::threeMass();
    for (LumpedLink& link : structure.links) link.damping_n_s_per_m = 0.0;
    const SystemMatrices s = assemble(structure);
    const auto integrator = makeIntegrator(Scheme::newmark, s, step_s);
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(3);
    integrator->step(Eigen::Vector3d(5.0, -2.0, 9.0));
    integrator->step(none);  // free from here on
    const auto energy = [&] {
      const Eigen::VectorXd &x = integrator->displacement(), &v = integrator->velocity();
      return 0.5 * v.dot(s.m * v) + 0.5 * x.dot(s.k * x);
    };
    const double start = energy();
    QVERIFY(start > 0.0);
    for (int tick = 0; tick < 10000; ++tick) integrator->step(none);
    QVERIFY2(std::abs(energy() / start - 1.0) < 1e-9, qPrintable(QString::number(energy() / start - 1.0)));
  }

  /// Period elongation of average acceleration: (w h)^2 / 12 to first order. Source: Chopra, Dynamics of Structures,
  /// numerical evaluation of dynamic response.
  void newmarkStretchesThePeriod() {
    const double k = 9000.0, m = 2.2, omega = std::sqrt(k / m), h = 1e-3;
    const auto integrator = makeIntegrator(Scheme::newmark, oscillator(m, 0.0, k), h);
    integrator->step(one(1.0));
    double first = 0.0, last = 0.0, before = integrator->displacement()[0];
    int crossings = 0;
    for (int tick = 2; crossings < 101; ++tick) {
      integrator->step(one(0.0));
      const double now = integrator->displacement()[0];
      if (before < 0.0 && now >= 0.0) {
        (crossings++ == 0 ? first : last) = h * (tick - now / (now - before));
      }
      before = now;
    }
    const double stretch = (last - first) / 100.0 * omega / kTwoPi - 1.0;
    QVERIFY2(std::abs(stretch / (omega * omega * h * h / 12.0) - 1.0) < 0.05, qPrintable(QString::number(stretch)));
  }

  /// A stiff system with a step far beyond its period stays bounded.
  void stiffSystemStaysBounded_data() { everyScheme(); }
  void stiffSystemStaysBounded() {
    const auto integrator = makeIntegrator(scheme(), oscillator(1.0, 0.1, 1e9), 1e-3);
    for (int tick = 1; tick <= 20000; ++tick) integrator->step(roughLoad(1, tick));
    QVERIFY(std::abs(integrator->displacement()[0]) < 1e-6);  // the static answer is 1e-8 m
  }

  void stepDoesNotAllocate_data() { everyScheme(); }
  void stepDoesNotAllocate() {
    const SystemMatrices s = assemble(test::threeMass());
    const auto integrator = makeIntegrator(scheme(), s, 1e-3);
    const Eigen::VectorXd load = roughLoad(3, 1);
    const test::AllocationGuard guard;
    for (int tick = 0; tick < 1000; ++tick) integrator->step(load);
    integrator->reset();
    QCOMPARE(guard.count(), std::uint64_t{0});
  }

  void refusesWhatCannotBeIntegrated() {
    SystemMatrices s = assemble(test::threeMass());
    QVERIFY_EXCEPTION_THROWN(makeIntegrator(Scheme::newmark, s, 0.0), InputError);
    QVERIFY_EXCEPTION_THROWN(makeIntegrator(Scheme::newmark, s, std::numeric_limits<double>::quiet_NaN()), InputError);
    QVERIFY_EXCEPTION_THROWN(makeIntegrator(Scheme::newmark, {}, 1e-3), InputError);
    s.m(1, 1) = 0.0;
    for (const char* name : kNames) {
      try {
        makeIntegrator(schemeFromName(name), s, 1e-3);
        QFAIL("took a mass matrix that is not positive definite");
      } catch (const InputError& error) {
        QCOMPARE(error.issues().size(), std::size_t{1});
        QCOMPARE(error.issues()[0].where, std::string("/structure/masses"));
        QVERIFY(error.issues()[0].message.find("no mass at \"m3\"") != std::string::npos);
      }
    }
    s.m(1, 1) = std::numeric_limits<double>::infinity();
    QVERIFY_EXCEPTION_THROWN(makeIntegrator(Scheme::newmark, s, 1e-3), InputError);
    QVERIFY_EXCEPTION_THROWN(schemeFromName("euler"), InputError);
  }
};

QTEST_APPLESS_MAIN(IntegrationTest)
#include "integration.moc"
