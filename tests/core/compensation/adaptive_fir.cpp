#include "core/compensation/adaptive_fir.h"

#include <Eigen/LU>
#include <cmath>
#include <random>

#include "core/base/json.h"
#include "core/compensation/least_squares.h"
#include "tests/support/compare.h"
#include "tests/support/inverse_bench.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

std::vector<Issue> firIssues(const Json& settings) {
  Checks checks;
  const CompensationMethodPtr method = parseAdaptiveFir(settings, {{}, InverseBench::kTick_s}, checks);
  const std::vector<Issue> issues = issuesOf([&] { checks.throwIfAny(); });
  return method == nullptr ? issues : std::vector<Issue>{};
}

Coefficients infinite(Eigen::Index count, double value) { return Coefficients::Constant(count, value); }

/// Noisy data, each tick counting 0.99 of the next, and the same as one weighted problem.
struct FadingData {
  FadingData() {
    std::mt19937 random(3);
    std::normal_distribution<double> white;
    for (int k = 0; k < 300; ++k) {
      Coefficients x(3);
      for (double& value : x) value = white(random);
      x[2] = 1e-4 * (x[2] + 0.5 * x[0]);  // of another size, and not independent
      const double u = 2.0 * x[0] - 0.7 * x[1] + 3e3 * x[2] + 0.3 * white(random);
      sums.fade(0.99);
      sums.add(u, x);
      const double weight = std::pow(0.99, 299 - k);
      normal += weight * x * x.transpose();
      right += weight * u * x;
    }
  }
  LeastSquares sums{3};
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
};

}  // namespace

class AdaptiveFirTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// The recursion's sums lead to the solution of the weighted least squares as a whole.
  void itIsWeightedLeastSquares() {
    const FadingData data;
    const Eigen::Vector3d expected = data.normal.lu().solve(data.right);
    Coefficients a = Coefficients::Zero(3), d;
    for (int k = 0; k < 2000; ++k) {
      QVERIFY(data.sums.missing(a, infinite(3, -HUGE_VAL), infinite(3, HUGE_VAL), d));
      a += d;
    }
    for (Eigen::Index n = 0; n < 3; ++n) compareRelative(a[n], expected[n], 1e-9, "weight");
  }

  /// One is held at its bound: the others are the least squares with that one given.
  void atABoundTheOthersMakeTheBestOfIt() {
    const FadingData data;
    Coefficients a = Coefficients::Zero(3), d, most = infinite(3, HUGE_VAL);
    most[0] = 1.5;
    for (int k = 0; k < 2000; ++k) {
      QVERIFY(data.sums.missing(a, infinite(3, -HUGE_VAL), most, d));
      a = (a + d).cwiseMin(most);
    }
    QCOMPARE(a[0], 1.5);
    const Eigen::Vector2d expected =
        data.normal.bottomRightCorner<2, 2>().lu().solve(data.right.tail<2>() - 1.5 * data.normal.col(0).tail<2>());
    compareRelative(a[1], expected[0], 1e-9, "weight");
    compareRelative(a[2], expected[1], 1e-9, "weight");
  }

  void withoutDataNothingIsMissing() {
    const LeastSquares none(2);
    Coefficients d;
    QVERIFY(!none.missing(Coefficients::Ones(2), infinite(2, -1.0), infinite(2, 2.0), d));
    QCOMPARE(none.variance(), 0.0);
  }

  void findsTheInverseThatIsAFilter() {
    AdaptiveFirParams params;
    params.weights = 3;
    const int spacing = static_cast<int>(std::lround(params.spacing_s / InverseBench::kTick_s));
    const std::vector<double> inverse{1.4, -0.35, 0.05};
    const auto compensator = makeAdaptiveFir(params, InverseBench::kTick_s);
    InverseBench bench(*compensator, {1.0});
    bench.fir(spacing);
    bench.setPlant(inverse);
    bench.run(20.0);
    for (std::size_t n = 0; n < 3; ++n) compareRelative(bench.adapted()[n], inverse[n], 1e-6, "weight");
    QVERIFY2(bench.worstGap(1.0) < 1e-7 * bench.peak(), qPrintable(QString::number(bench.worstGap(1.0))));
    QVERIFY(bench.commandError() < 1e-15);
    bench.setPlant({1.2, -0.2, 0.0});
    bench.run(60.0);  // thirty times its memory
    compareRelative(bench.adapted()[0], 1.2, 1e-6, "weight");
  }

  /// Of a delay at one frequency two weights are the whole inverse: w1 + w2 e^{-i w s} = e^{i w tau}.
  void ofADelayedToneItFindsTheTwoWeights() {
    AdaptiveFirParams params;
    params.weights = 2;
    params.spacing_s = 20.0 * InverseBench::kTick_s;
    params.lead_s = 0.01;
    const auto compensator = makeAdaptiveFir(params, InverseBench::kTick_s);
    InverseBench bench(*compensator, {1.0});
    bench.fir(20);
    bench.setTones({{4.0, 1.0}});
    bench.setDelay(60);
    bench.run(20.0);
    const double omega = 2.0 * std::numbers::pi * 4.0, s = params.spacing_s, tau = 60.0 * InverseBench::kTick_s;
    compareRelative(bench.adapted()[0], std::sin(omega * (tau + s)) / std::sin(omega * s), 1e-5, "w1");
    compareRelative(bench.adapted()[1], -std::sin(omega * tau) / std::sin(omega * s), 1e-5, "w2");
    QVERIFY2(bench.worstGap(1.0) < 1e-5 * bench.peak(), qPrintable(QString::number(bench.worstGap(1.0))));
  }

  void noWeightLeavesItsSize() {
    AdaptiveFirParams params;
    params.largest = 6.0;
    const auto compensator = makeAdaptiveFir(params, InverseBench::kTick_s);
    InverseBench bench(*compensator, {1.0}, 1.0, 1e-5);
    bench.fir(20);
    bench.setDelay(100);
    double most = 0.0;
    for (int k = 0; k < 10 * 4096; ++k) {
      bench.tick();
      for (const double weight : bench.adapted()) most = std::max(most, std::abs(weight));
    }
    QCOMPARE(most, 6.0);
  }

  /// A long rest lets nothing grow: what was learnt before stays, and the next motion finds it.
  void aLongRestForgetsNothing() {
    AdaptiveFirParams params;
    params.weights = 3;
    const auto compensator = makeAdaptiveFir(params, InverseBench::kTick_s);
    InverseBench bench(*compensator, {1.0}, 1.0, 1e-9);
    bench.fir(20);
    bench.setPlant({1.4, -0.35, 0.05});
    bench.run(10.0);
    const std::vector<double> learnt = bench.adapted();
    bench.setTones({});
    bench.run(100.0);
    for (std::size_t n = 0; n < 3; ++n) compare(bench.adapted()[n], learnt[n], 1e-3, "weight");
  }

  void tellsLeadAndNoiseGain() {
    Checks checks;
    const CompensationMethodPtr method =
        parseAdaptiveFir({{"weights", 4}, {"spacing_s", 0.01}, {"lead_s", 0.02}}, {{2}, 1e-3}, checks);
    QVERIFY(method && method->adapts());
    compare(method->lead_s(1), 0.02, 1e-12, "lead");
    const std::vector<double> taps = method->taps(1);
    QCOMPARE(taps.size(), std::size_t{11});
    QCOMPARE(taps[0], 3.0);
    QCOMPARE(taps[10], -2.0);
    QVERIFY2(QString::fromStdString(method->remarks().at(0)).contains("Noise gain 3.61"), method->remarks()[0].c_str());
  }

  void reportsEveryFault() {
    const Json good{{"weights", 4}, {"spacing_s", 0.01}, {"lead_s", 0.02}};
    QVERIFY2(firIssues(good).empty(), qPrintable(shown(firIssues(good))));
    const auto with = [&](const char* key, const Json& value) {
      Json settings = good;
      settings[key] = value;
      return firIssues(settings);
    };
    EXPECT_ISSUE(with("weights", 1), "/weights", "between 2 and 16");
    EXPECT_ISSUE(with("spacing_s", 1e4), "/spacing_s", "at this rate");
    EXPECT_ISSUE(with("lead_s", 0.6), "/lead_s", "widen the spacing, or raise the largest weight");
    EXPECT_ISSUE(with("memory_s", 0.0), "/memory_s", "greater than 0");
    EXPECT_ISSUE(with("cutoff_hz", 3000.0), "/cutoff_hz", "raise the rate");
    EXPECT_ISSUE(with("dead_band_m", -1.0), "/dead_band_m", "at least 0");
  }
};

HYB_SUITE(adaptive_fir, AdaptiveFirTest)
#include "adaptive_fir.moc"
