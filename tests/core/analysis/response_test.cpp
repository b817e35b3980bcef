/// Frequency response: a known discrete system, errors at their stated level, noise on either side.
#include <complex>

#include "tests/core/analysis/analysis_tables.h"
#include "tests/support/compare.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kResponseRate_hz = 200.0;

/// y_k = 0.6 y_(k-1) + 3 x_k - x_(k-1), from rest.
std::vector<double> throughSystem(const std::vector<double>& x) {
  std::vector<double> y;
  for (std::size_t k = 0; k < x.size(); ++k) y.push_back((k > 0 ? 0.6 * y[k - 1] - x[k - 1] : 0.0) + 3.0 * x[k]);
  return y;
}
std::complex<double> systemAt(double hz) {
  const std::complex<double> back = std::polar(1.0, -2.0 * std::numbers::pi * hz / kResponseRate_hz);
  return (3.0 - back) / (1.0 - 0.6 * back);
}

std::vector<double> sumOf(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] += b[k];
  return a;
}

AnalysisResult responseOf(const std::vector<double>& x, const std::vector<double>& y,
                          const std::map<std::string, std::string>& settings) {
  return analysed(columnsTable(kResponseRate_hz, {{"x", "N", x}, {"y", "m", y}}), "frf", {"x", "y"}, settings);
}

}  // namespace

class AnalysisResponseTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// A record that repeats after each segment: no leakage, so the response is exact, and the coherence 1.
  void periodicRecordGivesTheSystemExactly() {
    const std::vector<double> period = noiseRows(1, 256);
    std::vector<double> x;
    for (int n = 0; n < 8; ++n) x.insert(x.end(), period.begin(), period.end());
    std::vector<double> y = throughSystem(x);
    x.erase(x.begin(), x.begin() + 512);  // the response to the start is over
    y.erase(y.begin(), y.begin() + 512);
    const AnalysisResult result = responseOf(x, y, {{"window", "rectangular"}, {"segment", "1.28"}, {"overlap", "0"}});
    QCOMPARE(curveOf(result, "y_magnitude").unit, std::string("m/N"));
    for (std::size_t k = 1; k < result.x.values.size(); ++k) {
      const std::complex<double> exact = systemAt(result.x.values[k]);
      compareRelative(curveOf(result, "y_magnitude").values[k], std::abs(exact), 1e-9, "H1");
      compareRelative(curveOf(result, "y_magnitude_h2").values[k], std::abs(exact), 1e-9, "H2");
      compare(curveOf(result, "y_phase").values[k], 180.0 / std::numbers::pi * std::arg(exact), 1e-6, "phase");
      compare(curveOf(result, "y_coherence").values[k], 1.0, 1e-12, "coherence");
      QVERIFY(curveOf(result, "y_magnitude_error").values[k] < 1e-6);
      if (QTest::currentTestFailed()) return;
    }
  }

  void gainWithoutNoiseHasCoherenceOne() {
    const std::vector<double> x = noiseRows(4, 4000);
    std::vector<double> y = x;
    for (double& value : y) value *= -2.0;
    const AnalysisResult result = responseOf(x, y, {});
    for (std::size_t k = 1; k < result.x.values.size(); ++k) {
      compare(curveOf(result, "y_magnitude").values[k], 2.0, 1e-12, "magnitude");
      compare(std::abs(curveOf(result, "y_phase").values[k]), 180.0, 1e-9, "phase");
      compare(curveOf(result, "y_coherence").values[k], 1.0, 1e-12, "coherence");
    }
  }

  /// An output that comes 5 rows late has the phase of that delay, and it is negative.
  void lateOutputHasANegativePhase() {
    std::vector<double> x = noiseRows(6, 20000), y(x.size(), 0.0);
    for (std::size_t k = 5; k < y.size(); ++k) y[k] = x[k - 5];
    const AnalysisResult result = responseOf(x, y, {{"segment", "2"}});
    const std::size_t k = 10;  // 5 Hz
    compare(curveOf(result, "y_phase").values[k], -360.0 * 5.0 * 5.0 / kResponseRate_hz, 1.0, "phase");
  }

  void errorsHaveTheirLevel_data() {
    QTest::addColumn<int>("segments");
    QTest::addColumn<double>("noise");
    QTest::newRow("few averages") << 5 << 3.0;
    QTest::newRow("some averages") << 16 << 1.0;
    QTest::newRow("much noise") << 64 << 10.0;
    QTest::newRow("little noise") << 64 << 0.1;
  }
  /// White noise through the system, with white noise added to the output: the true magnitude is within the 95 %
  /// interval in at least 90 of 100 records, at each of three lines. 95 are expected; 90 is two standard deviations
  /// below. The interval is no wider than it has to be: not all 300 are inside.
  void errorsHaveTheirLevel() {
    QFETCH(int, segments);
    QFETCH(double, noise);
    const auto rows = static_cast<std::size_t>(256 * segments);
    int all = 0;
    for (const std::size_t k : {std::size_t{20}, std::size_t{64}, std::size_t{100}}) {
      int inside = 0;
      for (unsigned seed = 1; seed <= 100; ++seed) {
        const std::vector<double> x = noiseRows(seed, rows);
        const AnalysisResult result = responseOf(x, sumOf(throughSystem(x), noiseRows(1000 + seed, rows, noise)),
                                                 {{"segment", "1.28"}, {"overlap", "50"}});
        const double off = curveOf(result, "y_magnitude").values[k] - std::abs(systemAt(result.x.values[k]));
        inside += std::abs(off) <= curveOf(result, "y_magnitude_error").values[k] ? 1 : 0;
      }
      QVERIFY2(inside >= 90, qPrintable(QString("%1 of 100 at line %2").arg(inside).arg(k)));
      all += inside;
    }
    QVERIFY2(all < 300, "the interval is wider than 95 %");
  }

  /// The normalised random error is that of Bendat and Piersol: sqrt(1 - coherence) / (sqrt(coherence) sqrt(2 n_d)).
  void randomErrorFollowsFromCoherenceAndAverages() {
    const std::vector<double> x = noiseRows(8, 8000);
    const AnalysisResult result = responseOf(x, sumOf(throughSystem(x), noiseRows(9, 8000)), {{"segment", "1"}});
    const double coherence = curveOf(result, "y_coherence").values[30], averages = numberOf(result, "averages");
    compareRelative(curveOf(result, "y_random_error").values[30],
                    std::sqrt((1.0 - coherence) / (2.0 * coherence * averages)), 1e-12, "random error");
  }

  /// Noise of the power of the signal in the input alone: H1 is half of the gain, H2 is right. In the output alone: the
  /// other way round. The tolerance is four standard deviations at a coherence of 0.5 with 300 averages.
  void h1AndH2EachStandOneKindOfNoise() {
    const double four = 4.0 / std::sqrt(2.0 * 290.0);
    const std::vector<double> x = noiseRows(21, 60000), noise = noiseRows(22, 60000);
    std::vector<double> y = x;
    for (double& value : y) value *= 3.0;
    const AnalysisResult input = responseOf(sumOf(x, noise), y, {{"segment", "1.28"}});
    compareRelative(curveOf(input, "y_magnitude").values[50], 1.5, four, "H1 with noise in the input");
    compareRelative(curveOf(input, "y_magnitude_h2").values[50], 3.0, four, "H2 with noise in the input");
    std::vector<double> louder = noise;
    for (double& value : louder) value *= 3.0;
    const AnalysisResult output = responseOf(x, sumOf(y, louder), {{"segment", "1.28"}});
    compareRelative(curveOf(output, "y_magnitude").values[50], 3.0, four, "H1 with noise in the output");
    compareRelative(curveOf(output, "y_magnitude_h2").values[50], 6.0, four, "H2 with noise in the output");
  }

  void oneSegmentHasNoErrorAndSaysSo() {
    const std::vector<double> x = noiseRows(2, 400);
    const AnalysisResult result = responseOf(x, throughSystem(x), {{"segment", "2"}});
    QVERIFY(std::isnan(curveOf(result, "y_magnitude_error").values[10]));
    QVERIFY(std::ranges::any_of(result.notes, [](const std::string& note) {
      return note.find("fewer than 1.5 independent averages") != std::string::npos;
    }));
  }

  void inputThatStandsStillIsRefused() {
    const std::vector<double> still(1000, 0.1), moving = noiseRows(1, 1000);
    EXPECT_ISSUE(issuesOf([&] { responseOf(still, moving, {}); }), "x", "is constant");
    QVERIFY(issuesOf([&] { responseOf(moving, still, {}); }).empty());
  }

  void severalOutputsOfOneInput() {
    const std::vector<double> x = noiseRows(3, 2000);
    const Table table = columnsTable(kResponseRate_hz, {{"x", "N", x}, {"y", "m", throughSystem(x)}, {"z", "N", x}});
    const AnalysisResult result = analysed(table, "frf", {"x", "y", "z"});
    QCOMPARE(curveOf(result, "z_magnitude").unit, std::string("1"));
    compare(curveOf(result, "z_magnitude").values[5], 1.0, 1e-12, "gain");
    const AnalysisResult alone = analysed(table, "frf", {"x", "y"});
    for (std::size_t k = 1; k < result.x.values.size(); ++k)  // 0: the mean, which is taken away
      QCOMPARE(curveOf(result, "y_magnitude").values[k], curveOf(alone, "y_magnitude").values[k]);
  }
};

HYB_SUITE(analysis_response, AnalysisResponseTest)
#include "response_test.moc"
