
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
