#include "core/compensation/adaptive_time_series.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "core/base/json.h"
#include "tests/support/compare.h"
#include "tests/support/inverse_bench.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

AdaptiveTimeSeriesParams usualSeries() {
  AdaptiveTimeSeriesParams params;
  params.inverse.coefficients = {1.0, 0.02, 2e-4};
  params.inverse.lowest = {0.9, 0.0, 0.0};
  params.inverse.highest = {1.1, 0.06, 0.0032};
  params.fastest = {2.0, 0.05, 0.001};
  return params;
}

std::vector<Issue> timeSeriesIssues(const Json& settings) {
  Checks checks;
  const CompensationMethodPtr method = parseAdaptiveTimeSeries(settings, {{}, InverseBench::kTick_s}, checks);
  const std::vector<Issue> issues = issuesOf([&] { checks.throwIfAny(); });
  return method == nullptr ? issues : std::vector<Issue>{};
}

/// Least squares of u = a X in the frequency domain, of steady tones that a delay holds back, u being a itself on the
/// target: computed without a window or a filter in time.
Eigen::Vector3d leastSquares(const InverseBench::Tones& tones, double delay_s) {
  Eigen::Vector3d a(1.0, delay_s, 0.5 * delay_s * delay_s);
  for (int turn = 0; turn < 200; ++turn) {
    Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
    Eigen::Vector3d right = Eigen::Vector3d::Zero();
    for (const auto& [hz, share] : tones) {
      const double omega = 2.0 * std::numbers::pi * hz;
      const std::complex<double> difference =
          (1.0 - std::polar(1.0, -omega * InverseBench::kTick_s)) / InverseBench::kTick_s;
      const Eigen::Vector3cd columns(1.0, difference, difference * difference);
      const double low_pass =
          1.0 / std::sqrt(1.0 + std::pow(std::tan(0.5 * omega * InverseBench::kTick_s) /
                                             std::tan(std::numbers::pi * 20.0 * InverseBench::kTick_s),
                                         8.0));
      const std::complex<double> sent = share * low_pass * (columns.transpose() * a)(0);
      const Eigen::Vector3cd motion = columns * (sent * std::polar(1.0, -omega * delay_s));
      normal += (motion.conjugate() * motion.transpose()).real();
      right += (motion.conjugate() * sent).real();
    }
    a = normal.lu().solve(right);
  }
  return a;
}

}  // namespace

class AdaptiveTimeSeriesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void findsTheInverseOfASecondOrderActuator() {
    const auto compensator = makeAdaptiveTimeSeries(usualSeries(), InverseBench::kTick_s);
    const std::vector<double> inverse{1.05, 0.03, 3.3e-4};
    InverseBench bench(*compensator, inverse);
    bench.run(5.0);
    for (std::size_t n = 0; n < 3; ++n) compareRelative(bench.adapted()[n], inverse[n], 1e-8, "a");
    QVERIFY2(bench.worstGap(1.0) < 1e-9 * bench.peak(), qPrintable(QString::number(bench.worstGap(1.0))));
    QVERIFY(bench.commandError() < 1e-12);
    // It follows a change of the actuator, and sixty windows later rounding has not gathered.
    const std::vector<double> other{0.97, 0.015, 1.2e-4};
    bench.setPlant(other);
    bench.run(60.0);
    for (std::size_t n = 0; n < 3; ++n) compareRelative(bench.adapted()[n], other[n], 1e-8, "a");
  }

  /// A window after a change nothing is left of what was before, wherever the sums were last made from scratch.
  void theWindowForgetsAll() {
    const auto compensator = makeAdaptiveTimeSeries(usualSeries(), InverseBench::kTick_s);
    const std::vector<double> other{0.97, 0.015, 1.2e-4};
    InverseBench bench(*compensator, {1.05, 0.03, 3.3e-4});
    bench.run(4.65);  // half a window before the next sums from scratch
    bench.setPlant(other);
    bench.run(1.3);
    for (std::size_t n = 0; n < 3; ++n) compareRelative(bench.adapted()[n], other[n], 1e-5, "a");
  }

  /// 5 ms of pure delay are no polynomial: what is found is the best one for these tones.
  void ofAPureDelayItFindsTheLeastSquares() {
    constexpr std::size_t kDelay = 20;
    const auto compensator = makeAdaptiveTimeSeries(usualSeries(), InverseBench::kTick_s);
    InverseBench bench(*compensator, {1.0, 0.0});
    bench.setDelay(kDelay);
    bench.run(20.0);
    const Eigen::Vector3d expected = leastSquares(InverseBench::allTones(), kDelay * InverseBench::kTick_s);
    for (std::size_t n = 0; n < 3; ++n)
      compareRelative(bench.adapted()[n], expected[static_cast<Eigen::Index>(n)], 1e-5, "a");
    compareRelative(bench.adapted()[1], kDelay * InverseBench::kTick_s, 0.05, "the delay");
    QVERIFY2(bench.worstGap(1.0) < 2e-3 * bench.peak(), qPrintable(QString::number(bench.worstGap(1.0))));
  }

  /// One tone does not tell three coefficients apart; the gap closes all the same.
  void oneToneIsEnoughToCloseTheGap() {
    const auto compensator = makeAdaptiveTimeSeries(usualSeries(), InverseBench::kTick_s);
    InverseBench bench(*compensator, {1.0, 0.0});
    bench.setTones({{4.0, 1.0}});
    bench.setDelay(60);
    bench.run(20.0);
    QVERIFY2(bench.worstGap(1.0) < 1e-6 * bench.peak(), qPrintable(QString::number(bench.worstGap(1.0))));
  }

  void changesNoFasterThanItMay() {
    AdaptiveTimeSeriesParams params = usualSeries();
    params.fastest = {0.01, 0.001, 1e-5};
    const auto compensator = makeAdaptiveTimeSeries(params, InverseBench::kTick_s);
    InverseBench bench(*compensator, {1.05, 0.03, 3.3e-4});
    std::vector<double> before = bench.adapted();
    bool moved = false, fastest = false;
    for (int k = 0; k < 3 * 4096; ++k) {
      bench.tick();
      for (std::size_t n = 0; n < 3; ++n) {
        const double change = std::abs(bench.adapted()[n] - before[n]),
                     most = params.fastest[n] * InverseBench::kTick_s;
        QVERIFY(change <= most * (1.0 + 1e-9) + 1e-15);
        moved = moved || change > 0.0;
        fastest = fastest || change > 0.999 * most;
        if (k < 4096) QCOMPARE(change, 0.0);  // the window is not full
      }
      before = bench.adapted();
    }
    QVERIFY(moved && fastest);
  }

  void neverLeavesItsBoundsAndComesBack() {
    const AdaptiveTimeSeriesParams params = usualSeries();
    const auto compensator = makeAdaptiveTimeSeries(params, InverseBench::kTick_s);
    InverseBench bench(*compensator, {1.3, 0.03, 3.3e-4}, 1.0, 5e-5);
    for (int k = 0; k < 10 * 4096; ++k) {
      bench.tick();
      for (std::size_t n = 0; n < 3; ++n)
        QVERIFY(bench.adapted()[n] >= params.inverse.lowest[n] && bench.adapted()[n] <= params.inverse.highest[n]);
    }
    QCOMPARE(bench.adapted()[0], 1.1);
    bench.setPlant({1.02, 0.03, 3.3e-4});
    bench.run(10.0);
    compareRelative(bench.adapted()[0], 1.02, 0.01, "a0");
  }

  /// Noise alone, beside a motion that stands away from zero, teaches nothing.
  void belowTheDeadBandItLearnsNothing() {
    const auto compensator = makeAdaptiveTimeSeries(usualSeries(), InverseBench::kTick_s);
    InverseBench bench(*compensator, {1.05, 0.03, 3.3e-4}, 0.1, 5e-5);
    bench.run(5.0);
    QVERIFY(bench.adapted() == usualSeries().inverse.coefficients);
    AdaptiveTimeSeriesParams without = usualSeries();
    without.dead_band_m = 0.0;
    const auto eager = makeAdaptiveTimeSeries(without, InverseBench::kTick_s);
    InverseBench other(*eager, {1.05, 0.03, 3.3e-4}, 0.1, 5e-5);
    other.run(5.0);
    QVERIFY(other.adapted() != usualSeries().inverse.coefficients);
  }

  void reportsEveryFault() {
    const Json good{{"start", {1.0, 0.02}}, {"least", {0.9, 0.0}}, {"most", {1.1, 0.05}}, {"fastest", {2.0, 0.05}}};
    QVERIFY2(timeSeriesIssues(good).empty(), qPrintable(shown(timeSeriesIssues(good))));
    const auto with = [&](const char* key, const Json& value) {
      Json settings = good;
      settings[key] = value;
      return timeSeriesIssues(settings);
    };
    EXPECT_ISSUE(with("fastest", Json::array({2.0, 0.05, 0.1})), "/fastest", "3 entries for 2 coefficients; give one");
    EXPECT_ISSUE(with("fastest", Json::array({2.0, -0.05})), "/fastest/1", "at least 0");
    EXPECT_ISSUE(with("start", Json::array({1.0, 0.06})), "/start/1", "must lie between 0 and 0.05");
    EXPECT_ISSUE(with("window_s", 1e-3), "/window_s", "at this rate");
    EXPECT_ISSUE(with("dead_band_m", -1.0), "/dead_band_m", "at least 0");
    EXPECT_ISSUE(with("cutoff_hz", 3000.0), "/cutoff_hz", "raise the rate");
  }
};

HYB_SUITE(adaptive_time_series, AdaptiveTimeSeriesTest)
#include "adaptive_time_series.moc"
