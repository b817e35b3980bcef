#include "core/stability/discrete_loop.h"

#include <cmath>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/stability/delay_stability.h"
#include "tests/support/suite.h"
#include "tests/support/three_mass_run.h"

using namespace hyb;
using namespace hyb::test;

namespace {

Partition threeMassCut() { return cut(threeMass(), threeMassPartition()); }

double growth(Scheme scheme, double rate_hz, const ActuatorSpec& actuator) {
  TwinParams twin;
  twin.actuators = {actuator, actuator};
  return discreteStability({.scheme = scheme}, threeMassCut(), twin, 1.0 / rate_hz).growth_per_s;
}

}  // namespace

class DiscreteLoopTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void growsAsTheFreeRunDoes_data() {
    QTest::addColumn<int>("scheme");
    QTest::addColumn<bool>("servo");
    QTest::addColumn<double>("delay_ms");
    for (const Scheme scheme : {Scheme::newmark, Scheme::exact_ramp, Scheme::exact_hold, Scheme::cr,
                                Scheme::bogacki_shampine, Scheme::central_difference, Scheme::rk4})
      for (const auto& [servo, delay_ms] : {std::pair{false, 5.0}, {false, 8.3}, {true, 0.5}, {true, 4.0}})
        QTest::newRow(
            qPrintable(QString("%1, %2, %3 ms").arg(name(scheme).data()).arg(servo ? "servo" : "delay").arg(delay_ms)))
            << static_cast<int>(scheme) << servo << delay_ms;
  }
  /// Eigenvalue against what the real loop does after a push of the walls.
  void growsAsTheFreeRunDoes() {
    QFETCH(int, scheme);
    QFETCH(bool, servo);
    QFETCH(double, delay_ms);
    ThreeMassSetup setup;
    setup.scheme = static_cast<Scheme>(scheme);
    const ActuatorSpec actuator = servo ? servoActuator(60.0, 1e-3 * delay_ms) : lateBy(1e-3 * delay_ms);
    setup.twin.actuators = {actuator, actuator};
    const DiscreteStability expected =
        discreteStability({.scheme = setup.scheme}, threeMassCut(), setup.twin, setup.step());

    setup.walls = kick();
    setup.soft_start_s = 0.0;
    setup.duration_s = 6.0;
    const Record record = runFree(setup);
    const Growth grown =
        fitGrowth(difference(record.target(0, 3.0, 6.0), record.target(1, 3.0, 6.0)), setup.step(), 0.0, 10);
    QVERIFY2(std::abs(grown.rate - expected.growth_per_s) < 1e-3 * std::abs(expected.growth_per_s),
             qPrintable(QString("%1 instead of %2 1/s").arg(grown.rate).arg(expected.growth_per_s)));
    QVERIFY(std::abs(grown.frequency_hz - expected.frequency_hz) < 1e-3 * expected.frequency_hz);
    QCOMPARE(expected.spectral_radius > 1.0, expected.growth_per_s > 0.0);
  }

  /// Two actuators, late by the same, predicted by 2 ms and by something else.
  void growsAsTheCompensatedRunDoes_data() {
    QTest::addColumn<double>("delay_ms");
    QTest::addColumn<double>("second_ticks");
    QTest::addColumn<int>("points");
    QTest::addColumn<int>("order");
    QTest::addColumn<int>("spacing");
    QTest::addColumn<double>("from_s");
    QTest::addColumn<int>("stride");
    QTest::newRow("decays") << 8.0 << 2.5 << 8 << 2 << 1 << 3.0 << 10;
    QTest::newRow("grows") << 10.0 << 2.0 << 6 << 1 << 1 << 3.0 << 10;
    QTest::newRow("predicts too much") << 2.0 << 12.0 << 4 << 3 << 1 << 0.1 << 1;
    QTest::newRow("over a spacing") << 10.0 << 2.0 << 3 << 2 << 9 << 3.0 << 10;
  }
  void growsAsTheCompensatedRunDoes() {
    QFETCH(double, delay_ms);
    QFETCH(double, second_ticks);
    QFETCH(int, points);
    QFETCH(int, order);
    QFETCH(int, spacing);
    QFETCH(double, from_s);
    QFETCH(int, stride);
    ThreeMassSetup setup;
    setup.twin.actuators = {lateBy(1e-3 * delay_ms), lateBy(1e-3 * delay_ms)};
    setup.setPrediction(points, order, 2.0, second_ticks);
    setup.params.prediction.spacing_ticks = spacing;
    setup.method = ThreeMassSetup::Method::fixed;
    const Json settings = {{"method", "forward-prediction"},
                           {"points", points},
                           {"order", order},
                           {"spacing_ticks", spacing},
                           {"prediction_ticks", {2.0, second_ticks}},
                           {"max_prediction_ticks", 20.0}};
    Checks checks;
    const CompensationMethodPtr method =
        parseCompensation(settings, "/compensation", {Axes{.count = 2}, setup.step()}, checks);
    QVERIFY(method != nullptr);
    const DiscreteStability expected =
        discreteStability({.scheme = setup.scheme}, threeMassCut(), setup.twin, setup.step(), {}, method.get());
    QVERIFY(expected.compensated);

    setup.walls = kick();
    setup.soft_start_s = 0.0;
    setup.duration_s = 2.0 * from_s;
    const Record record = runFree(setup);
    const Growth grown =
        fitGrowth(record.target(1, from_s, 2.0 * from_s), setup.step(), 0.0, static_cast<std::size_t>(stride));
    QVERIFY2(std::abs(grown.rate - expected.growth_per_s) < 2e-3 * std::abs(expected.growth_per_s),
             qPrintable(QString("%1 instead of %2 1/s").arg(grown.rate).arg(expected.growth_per_s)));
    QVERIFY(std::abs(grown.frequency_hz - expected.frequency_hz) < 2e-3 * expected.frequency_hz);
  }

  /// The delay at which the loop neither grows nor decays tends to that of continuous time, 6.475 ms.
  void criticalDelayTendsToTheContinuousOne() {
    const double continuous_s = criticalDelay({threeMassCut(), {}, {}}, 100.0, 0.1)->delay_s;
    double last_error_s = 1.0;
    for (const double rate_hz : {500.0, 1000.0, 2000.0}) {
      if (!test::kThorough && rate_hz > 1000.0) continue;
      double low = 6e-3, high = 7e-3;
      while (high - low > 1e-9) {
        const double middle = 0.5 * (low + high);
        (growth(Scheme::newmark, rate_hz, lateBy(middle)) > 0.0 ? high : low) = middle;
      }
      const double error_s = std::abs(low - continuous_s);
      QVERIFY(error_s < 0.35 * last_error_s);                              // second order
      if (rate_hz == 1000.0) QVERIFY(std::abs(1e3 * low - 6.483) < 1e-3);  // W-13
      last_error_s = error_s;
    }
    QVERIFY(last_error_s < (test::kThorough ? 3e-6 : 12e-6));
  }

  /// Model steps of several ticks: the eigenvalue is that of a whole step. With short ticks it hardly matters.
  void holdsForStepsOverSeveralTicks() {
    TwinParams twin;
    twin.actuators = {lateBy(5e-3), lateBy(5e-3)};
    const double scale = test::kThorough ? 1.0 : 5.0, step_s = 1e-4 * scale;
    const DiscreteStability every = discreteStability({}, threeMassCut(), twin, step_s);
    IntegratorSpec spec;
    spec.ticks_per_step = 2;
    const DiscreteStability second = discreteStability(spec, threeMassCut(), twin, step_s);
    QVERIFY(std::abs(second.frequency_hz - every.frequency_hz) < 0.005 * scale * every.frequency_hz);
    QVERIFY(std::abs(second.growth_per_s - every.growth_per_s) < 0.2 * scale);  // a tick of delay is worth 0.2 1/s
    QVERIFY(std::abs(second.spectral_radius - every.spectral_radius) < 2e-5 * scale * scale);
  }

  /// Without damping of its own KR-alpha keeps a ripple of two ticks alive for ever, which smooth runs hardly excite.
  void showsTheRippleOfKrAlpha() {
    TwinParams twin;
    twin.actuators = {lateBy(5e-3), lateBy(5e-3)};
    const auto result = [&](double rho_inf) {
      return discreteStability({.scheme = Scheme::kr_alpha, .rho_inf = rho_inf}, threeMassCut(), twin, 1e-3);
    };
    QVERIFY(std::abs(result(1.0).spectral_radius - 1.0) < 1e-6);
    QVERIFY(std::abs(result(1.0).frequency_hz - 500.0) < 1e-3);
    // With damping the motion itself decides again. A free run (rho 1) decays with 2.966 1/s beside the ripple.
    QVERIFY2(std::abs(result(0.8).growth_per_s + 2.966) < 0.1, qPrintable(QString::number(result(0.8).growth_per_s)));
    QVERIFY(result(0.8).frequency_hz < 15.0);
  }

  void refusesWhatIsTooLarge() {
    TwinParams twin;
    twin.actuators = {lateBy(0.5), lateBy(0.5)};
    QVERIFY_THROWS_EXCEPTION(InputError, discreteStability({}, threeMassCut(), twin, 1e-3));
  }
};

HYB_SUITE(discrete_loop, DiscreteLoopTest)
#include "discrete_loop.moc"
