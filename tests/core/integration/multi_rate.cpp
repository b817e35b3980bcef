#include <complex>
#include <tuple>

#include "tests/core/integration/systems.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

class MultiRateTest : public QObject {
  Q_OBJECT

  static void everyScheme() {
    QTest::addColumn<int>("index");
    for (const Scheme s : allSchemes()) QTest::newRow(name(s).data()) << static_cast<int>(s);
  }
  static IntegratorSpec current() {
    QFETCH(int, index);
    return spec(static_cast<Scheme>(index), 0.7);
  }

 private Q_SLOTS:
  void heldLoadIsFivePlainSteps_data() { everyScheme(); }
  /// Model at 0.2 ms, exchange at 1 ms: five sub-steps with the interface force held. Source: Insam 2022,
  /// section 16.2.2.
  void heldLoadIsFivePlainSteps() {
    IntegratorSpec s = current();
    s.load = LoadOverTick::hold;
    const auto plain = makeIntegrator(s, chain(3), 1e-3 / 5);
    s.substeps = 5;
    const auto multi = makeIntegrator(s, chain(3), 1e-3);
    for (int tick = 1; tick <= 100; ++tick) {
      const Eigen::VectorXd load = roughLoad(3, tick);
      multi->step(load);
      for (int i = 0; i < 5; ++i) plain->step(load);
      QVERIFY(multi->displacement() == plain->displacement() && multi->velocity() == plain->velocity() &&
              multi->acceleration() == plain->acceleration());
    }
  }

  void rampIsPlainStepsUnderTheLineBetween_data() { everyScheme(); }
  void rampIsPlainStepsUnderTheLineBetween() {
    IntegratorSpec s = current();
    const auto plain = makeIntegrator(s, chain(3), 1e-3 / 4);
    s.substeps = 4;
    const auto multi = makeIntegrator(s, chain(3), 1e-3);
    Eigen::VectorXd old_load = Eigen::VectorXd::Zero(3);
    for (int tick = 1; tick <= 100; ++tick) {
      const Eigen::VectorXd load = roughLoad(3, tick);
      multi->step(load);
      for (int i = 1; i <= 4; ++i) plain->step(old_load + i / 4.0 * (load - old_load));
      old_load = load;
      QVERIFY((multi->displacement() - plain->displacement()).norm() <= 1e-13 * plain->displacement().norm());
    }
  }

  void loadDelayIsThatOfSlowMotion_data() { everyScheme(); }
  /// A free mass under a slow sine: to the first order of the tick the motion lags behind -p/(m w^2) by w loadDelay().
  void loadDelayIsThatOfSlowMotion() {
    const double tick_s = 1e-3;
    for (const auto& [substeps, ticks, load] :
         {std::tuple{1, 1, LoadOverTick::ramp}, std::tuple{1, 1, LoadOverTick::hold},
          std::tuple{4, 1, LoadOverTick::ramp}, std::tuple{4, 1, LoadOverTick::hold},
          std::tuple{1, 3, LoadOverTick::ramp}}) {
      IntegratorSpec s = current();
      s.substeps = substeps;
      s.ticks_per_step = ticks;
      s.load = load;
      // Spring and damper so that the start dies out; driven far below the resonance, the motion is p/k, late.
      SystemMatrices system = chain(1);
      const auto one = [](double value) { return SparseMatrix(Eigen::MatrixXd::Constant(1, 1, value).sparseView()); };
      system.m = one(1.0);
      system.c = one(160.0);
      system.k = one(1e4);
      const auto integrator = makeIntegrator(s, system, tick_s);
      const double w = 2.0;  // rad/s
      std::complex<double> sum = 0.0;
      const int period = 3142 * 3;  // of 3.1416 s, in whole model steps
      for (int tick = 1; tick <= 2 * period; ++tick) {
        const double at = w * tick * tick_s;
        integrator->step(Eigen::VectorXd::Constant(1, std::cos(at)));
        if (tick > period && tick % ticks == 0) sum += integrator->displacement()[0] * std::polar(1.0, -at);
      }
      const std::complex<double> exact = 1.0 / (1e4 - w * w + std::complex<double>(0.0, 160.0 * w));
      const double delay_s = -std::arg(sum / exact) / w;
      QVERIFY2(std::abs(delay_s - loadDelay(s, tick_s)) < 0.02 * tick_s,
               qPrintable(QString("%1 sub-steps, %2 ticks a step, %3: %4 ms instead of %5 ms")
                              .arg(substeps)
                              .arg(ticks)
                              .arg(load == LoadOverTick::hold ? "held" : "ramp")
                              .arg(1e3 * delay_s)
                              .arg(1e3 * loadDelay(s, tick_s))));
    }
  }

  void slowModelIsExtrapolated_data() { everyScheme(); }
  /// One step of 3 ms under the mean load of its three ticks; in between x + t v + t^2/2 a.
  void slowModelIsExtrapolated() {
    IntegratorSpec s = current();
    const auto plain = makeIntegrator(s, chain(3), 3e-3);
    s.ticks_per_step = 3;
    const auto slow = makeIntegrator(s, chain(3), 1e-3);
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(3);
    for (int tick = 1; tick <= 300; ++tick) {
      const Eigen::VectorXd load = roughLoad(3, tick);
      slow->step(load);
      sum += load;
      const int phase = tick % 3;
      if (phase == 0) {
        plain->step(sum / 3.0);
        sum.setZero();
      }
      const double t = 1e-3 * phase;
      const Eigen::VectorXd x = plain->displacement() + t * plain->velocity() + 0.5 * t * t * plain->acceleration();
      QVERIFY((slow->displacement() - x).norm() <= 1e-14 * x.norm());
      QVERIFY((slow->velocity() - plain->velocity() - t * plain->acceleration()).norm() <=
              1e-14 * slow->velocity().norm());
    }
  }

  void stateCarriesEverything_data() { everyScheme(); }
  void stateCarriesEverything() {
    for (const bool slow : {false, true}) {
      IntegratorSpec s = current();
      (slow ? s.ticks_per_step : s.substeps) = 3;
      const auto first = makeIntegrator(s, chain(3), 1e-3), second = makeIntegrator(s, chain(3), 1e-3);
      for (int tick = 1; tick <= 30; ++tick) first->step(roughLoad(3, tick));
      second->setState(first->state());
      for (int tick = 31; tick <= 60; ++tick) {
        first->step(roughLoad(3, tick));
        second->step(roughLoad(3, tick));
        QVERIFY(first->displacement() == second->displacement());
      }
      first->reset();
      QVERIFY(first->state().isZero(0.0) && first->displacement().isZero(0.0));
    }
  }
};

HYB_SUITE(integration_multi_rate, MultiRateTest)
#include "multi_rate.moc"
