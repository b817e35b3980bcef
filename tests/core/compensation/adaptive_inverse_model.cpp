#include "core/compensation/adaptive_inverse_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "core/base/json.h"
#include "core/compensation/inverse_model.h"
#include "tests/support/compare.h"
#include "tests/support/inverse_bench.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

AdaptiveInverseModelParams thesisSet() {  // note on Araya 2023, sections 7.4 and 8.3
  AdaptiveInverseModelParams params;
  params.inverse.coefficients = {1.0000000155, 0.01985915969, 8.44014286e-5, 1.98591596e-7};
  params.gain_exponents = {9.2424, 7.0077, 3.0903, -0.0707};
  return params;
}

std::vector<Issue> inverseIssues(const Json& settings, double step_s = InverseBench::kTick_s) {
  Checks checks;
  const CompensationMethodPtr method = parseAdaptiveInverseModel(settings, {{}, step_s}, checks);
  const std::vector<Issue> issues = issuesOf([&] { checks.throwIfAny(); });
  return method == nullptr ? issues : std::vector<Issue>{};
}

}  // namespace

class AdaptiveInverseModelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// What is left of the error after a tick is exp(-decay) of it, however small or large the decay.
  void aTickTakesOffWhatTheLawDoes() {
    constexpr double kStep_s = 1e-3, kSent = 2.5;
    for (const double decay : {1e-12, 1e-6, 1e-3, 0.02, 0.03125, 0.031250001, 0.04, 0.5, 3.0, 50.0}) {
      Coefficients x(2), gains(2), a(2);
      x << 0.7, -1.9;
      a << 0.4, 0.1;
      const double size = 1.0 + x.squaredNorm(), error = kSent - a.dot(x);
      gains.setConstant(decay * size / (kStep_s * x.squaredNorm()));
      const Coefficients before = a;
      followGradient(gains, kSent, x, kStep_s, a);
      const double taken = static_cast<double>(-std::expm1l(-static_cast<long double>(decay))) * error;
      const double change = (a - before).dot(x);
      QVERIFY2(std::abs(change - taken) <= 4e-15 * taken + 1e-16, qPrintable(QString("%1: %2").arg(decay).arg(change)));
    }
  }

  /// An actuator whose inverse has just as many coefficients: they are found to the last digit that matters.
  void findsTheInverseOfALag() {
    AdaptiveInverseModelParams params;
    params.inverse.coefficients = {1.0, 0.01};
    params.gain_exponents = {7.0, 4.0};
    const auto compensator = makeAdaptiveInverseModel(params, InverseBench::kTick_s);
    InverseBench bench(*compensator, {1.25, 0.024});  // gain 0.8, lag 19.2 ms
    bench.run(30.0);
    compareRelative(bench.adapted()[0], 1.25, 1e-6, "a0");
    compareRelative(bench.adapted()[1], 0.024, 1e-6, "a1");
    QVERIFY2(bench.worstGap(5.0) < 1e-7 * bench.peak(), qPrintable(QString::number(bench.worstGap(5.0))));
  }

  void findsTheInverseOfThreePoles() {
    const auto compensator = makeAdaptiveInverseModel(thesisSet(), InverseBench::kTick_s);
    const std::vector<double> inverse{1.0142, 0.022387, 9.3874e-5, 2.2235e-7};
    InverseBench bench(*compensator, inverse);
    bench.run(30.0);
    for (std::size_t n = 0; n < 4; ++n) compareRelative(bench.adapted()[n], inverse[n], 1e-6, "a");
    QVERIFY2(bench.worstGap(5.0) < 1e-7 * bench.peak(), qPrintable(QString::number(bench.worstGap(5.0))));
    QVERIFY(bench.commandError() < 1e-12);
  }

  /// Large slow motions, where steps of Runge-Kutta at this gain would swing up: the law itself does not.
  void largeSlowMotionStaysBounded() {
    const auto compensator = makeAdaptiveInverseModel(thesisSet(), InverseBench::kTick_s);
    InverseBench bench(*compensator, {1.0142, 0.022387, 9.3874e-5, 2.2235e-7}, 50.0);
    bench.run(30.0);
    QVERIFY2(bench.worstGap(5.0) < 1e-6 * bench.peak(), qPrintable(QString::number(bench.worstGap(5.0))));
  }

  void neverLeavesItsBounds() {
    AdaptiveInverseModelParams params = thesisSet();
    params.inverse.lowest = {0.98, 0.019, 8e-5, 1.9e-7};
    params.inverse.highest = {1.01, 0.021, 9e-5, 2.1e-7};
    const auto compensator = makeAdaptiveInverseModel(params, InverseBench::kTick_s);
    InverseBench bench(*compensator, {1.3, 0.05, 3e-4, 1e-6}, 1.0, 2e-5);
    std::array<double, 4> least, most;
    least.fill(1e9);
    most.fill(-1e9);
    for (int k = 0; k < 20 * 4096; ++k) {
      bench.tick();
      for (std::size_t n = 0; n < 4; ++n) {
        least[n] = std::min(least[n], bench.adapted()[n]);
        most[n] = std::max(most[n], bench.adapted()[n]);
      }
    }
    for (std::size_t n = 0; n < 4; ++n)
      QVERIFY(least[n] >= params.inverse.lowest[n] && most[n] <= params.inverse.highest[n]);
    QCOMPARE(most[1], 0.021);  // one was reached
  }

  /// From its bound a coefficient comes back, whatever was asked of it before: with anti-windup as soon as the error
  /// has the other sign, as in the source only after the integrator has returned.
  void comesBackFromABound() {
    const auto ticksAtTheBound = [](bool anti_windup) {
      AdaptiveInverseModelParams params;
      params.inverse.coefficients = {1.0, 0.01};
      params.inverse.highest = {2.0, 0.012};
      params.gain_exponents = {6.0, 3.0};
      params.anti_windup = anti_windup;
      const auto compensator = makeAdaptiveInverseModel(params, InverseBench::kTick_s);
      InverseBench bench(*compensator, {1.0, 0.03});
      bench.run(2.0);
      if (bench.adapted()[1] != 0.012) qFatal("the bound was not reached");
      bench.setPlant({1.0, 0.008});
      int ticks = 0;
      for (int k = 0; k < 60 * 4096; ++k) {
        bench.tick();
        ticks += bench.adapted()[1] == 0.012 ? 1 : 0;
      }
      compareRelative(bench.adapted()[1], 0.008, 1e-3, "a1");
      return ticks;
    };
    const int stopped = ticksAtTheBound(true), free = ticksAtTheBound(false);
    QVERIFY2(stopped < 1000 && free > 3 * stopped, qPrintable(QString("%1 %2").arg(stopped).arg(free)));
  }

  /// One coefficient beyond its bound: the other one takes off the error that is left with the bounded value, and the
  /// integrator goes on with the mean of that error over the tick.
  void anIntegratorBeyondItsBoundGoesOn() {
    constexpr double kStep_s = 1e-3, kSent = 2.5;
    Coefficients x(2), gains(2), bounded(2), integrated(2);
    x << 0.7, -1.9;
    gains << 300.0, 200.0;
    bounded << 0.0, 0.1;
    integrated << -0.4, 0.1;
    const double size = 1.0 + x.squaredNorm(), error = kSent - bounded.dot(x),
                 decay = kStep_s * 200.0 * 1.9 * 1.9 / size;
    followGradient(gains, kSent, x, kStep_s, bounded, integrated);
    const double taken = -std::expm1(-decay) * error;
    compareRelative((integrated[1] - 0.1) * x[1], taken, 1e-13, "error taken off");
    compareRelative(integrated[0] + 0.4, 300.0 * 0.7 / size * kStep_s * error * -std::expm1(-decay) / decay, 1e-13,
                    "integrator");
    // Inside all bounds it is the law itself, bit for bit.
    Coefficients a = bounded, same = bounded;
    followGradient(gains, kSent, x, kStep_s, a);
    followGradient(gains, kSent, x, kStep_s, bounded, same);
    QVERIFY(a == same);
  }

  /// Low-passes that start away from where the motion is going have a transient, from which nothing is learnt.
  void waitsForItsLowPasses() {
    const auto compensator = makeAdaptiveInverseModel(thesisSet(), InverseBench::kTick_s);
    const auto one = [](double value) { return Eigen::VectorXd::Constant(1, value); };
    Command command{one(0.0), one(0.0)};
    std::vector<double> now(4);
    const auto firstChange = [&] {
      compensator->readAdapted(now);
      const std::vector<double> before = now;
      int k = 0;
      for (; k < 4096 && now == before; ++k) {
        const double phase = 0.008 * k;
        compensator->update({one(1e-3 * std::sin(phase)), one(0.0), one(5e-4 * std::sin(phase - 0.3))}, command);
        compensator->readAdapted(now);
      }
      return k - 1;
    };
    constexpr int kThreePeriods = 615;  // of 20 Hz, in ticks
    QCOMPARE(firstChange(), kThreePeriods);
    compensator->restart();
    QCOMPARE(firstChange(), kThreePeriods);
    compensator->update({one(0.0), one(0.0), one(std::nan(""))}, command);
    QCOMPARE(firstChange(), kThreePeriods);
  }

  void roundsWhatItSends() {
    AdaptiveInverseModelParams params = thesisSet();
    const auto exact = makeAdaptiveInverseModel(params, InverseBench::kTick_s);
    params.inverse.quantum_m = std::ldexp(1.0, -18);
    const auto rounded = makeAdaptiveInverseModel(params, InverseBench::kTick_s);
    const auto one = [](double value) { return Eigen::VectorXd::Constant(1, value); };
    Command a{one(0.0), one(0.0)}, b = a;
    bool differs = false;
    for (int k = 0; k < 4096; ++k) {
      const InterfaceState state{one(1e-3 * std::sin(0.01 * k)), one(0.0), one(9e-4 * std::sin(0.01 * (k - 60)))};
      exact->update(state, a);
      rounded->update(state, b);
      const double steps = b.position[0] * std::ldexp(1.0, 18);
      QCOMPARE(steps, std::round(steps));
      QVERIFY(std::abs(b.position[0] - a.position[0]) <= std::ldexp(0.5, -18));  // learns from the exact one
      differs = differs || a.position[0] != b.position[0];
    }
    QVERIFY(differs);
  }

  void whatWasLearntIsPutBack() {
    const auto used = makeAdaptiveInverseModel(thesisSet(), InverseBench::kTick_s),
               other = makeAdaptiveInverseModel(thesisSet(), InverseBench::kTick_s);
    InverseBench bench(*used, {1.1, 0.025, 1e-4, 2e-7});
    bench.run(3.0);
    QCOMPARE(used->learnt(), std::size_t{4});
    std::vector<double> learnt(4), again(4);
    used->readLearnt(learnt);
    other->setLearnt(learnt);
    other->readLearnt(again);
    QVERIFY(again == learnt && again != thesisSet().inverse.coefficients);
  }

  /// The size of white noise behind the taps of the start is what the remark tells.
  void tellsItsNoiseGain() {
    Json settings{{"coefficients", thesisSet().inverse.coefficients}, {"gain_exponents", thesisSet().gain_exponents}};
    Checks checks;
    const CompensationMethodPtr method = parseAdaptiveInverseModel(settings, {{}, InverseBench::kTick_s}, checks);
    QVERIFY(method && method->adapts());
    compareRelative(method->lead_s(0), 0.01985915969, 1e-7, "lead");
    AdaptiveInverseModelParams still = thesisSet();
    still.adaption = 0.0;
    const auto compensator = makeAdaptiveInverseModel(still, InverseBench::kTick_s);
    const auto one = [](double value) { return Eigen::VectorXd::Constant(1, value); };
    std::mt19937 random(5);
    std::normal_distribution<double> white(0.0, 1e-6);
    Command command{one(0.0), one(0.0)};
    double power = 0.0;
    constexpr int kTicks = 200000;
    for (int k = 0; k < kTicks; ++k) {
      compensator->update({one(white(random)), one(0.0), one(0.0)}, command);
      power += command.position[0] * command.position[0];
    }
    const double gain = std::sqrt(power / kTicks) / 1e-6;
    const QString remark = QString::fromStdString(method->remarks().at(0));
    const QString told = remark.section("Noise gain ", 1).section(':', 0, 0);
    compareRelative(told.toDouble(), gain, 0.01, "noise gain");
    QVERIFY2(remark.contains("19.9 ms"), qPrintable(remark));
  }

  void reportsEveryFault() {
    const Json good{{"coefficients", {1.0, 0.02, 1e-4}}, {"gain_exponents", {9.0, 7.0, 3.0}}};
    QVERIFY2(inverseIssues(good).empty(), qPrintable(shown(inverseIssues(good))));
    const auto with = [&](const char* key, const Json& value) {
      Json settings = good;
      settings[key] = value;
      return inverseIssues(settings);
    };
    EXPECT_ISSUE(with("gain_exponents", Json::array({9.0, 7.0})), "/gain_exponents",
                 "2 entries for 3 coefficients; give one");
    EXPECT_ISSUE(with("lowest", Json::array({0.5})), "/lowest", "1 entries for 3 coefficients");
    EXPECT_ISSUE(with("highest", Json::array({2.0, 1.0})), "/highest", "2 entries for 3 coefficients");
    EXPECT_ISSUE(with("highest", Json::array({2.0, 0.01, 1.0})), "/coefficients/1", "must lie between 0 and 0.01");
    EXPECT_ISSUE(with("coefficients", Json::array({1.0, 0.02, -1e-4})), "/coefficients/2",
                 "at least its lowest value, 0");
    EXPECT_ISSUE(with("coefficients", Json::array({0.0, 0.02, 1e-4})), "/coefficients/0", "greater than 0");
    EXPECT_ISSUE(with("lowest", Json::array({-0.1, 0.0, 0.0})), "/lowest/0", "change its sign");
    Json crossed = good;
    crossed["lowest"] = {0.5, 0.03, 0.0};
    crossed["highest"] = {2.0, 0.025, 1.0};
    EXPECT_ISSUE(inverseIssues(crossed), "/lowest/1", "must not exceed its highest value (0.025)");
    EXPECT_ISSUE(with("cutoff_hz", 2000.0), "/cutoff_hz", "lower it, or raise the rate");
    EXPECT_ISSUE(inverseIssues(good, 1.0 / 40.0), "/cutoff_hz", "must be at most 16 Hz");
  }
};

HYB_SUITE(adaptive_inverse_model, AdaptiveInverseModelTest)
#include "adaptive_inverse_model.moc"
