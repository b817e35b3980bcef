/// Derived channels and the histogram: closed forms, missing rows, seeded normal numbers.
#include "core/analysis/derived.h"
#include "tests/core/analysis/analysis_tables.h"
#include "tests/support/compare.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kDerivedRate_hz = 1000.0;

Table derivedSource(std::vector<double> values, const char* units = "m") {
  return columnsTable(kDerivedRate_hz, {{"x", units, std::move(values)}}, 2.0);
}
std::vector<double> lastColumn(const Table& table) { return table.column(table.channels.size() - 1); }

/// Amplitude of a sine of this frequency in the middle half of the rows, by projection on it over whole periods, and
/// the part that is a quarter of a period off.
std::pair<double, double> amplitudeAt(const std::vector<double>& values, double hz, double phase) {
  const auto period = kDerivedRate_hz / hz;
  const auto first = values.size() / 4;
  const auto count =
      static_cast<std::size_t>(std::round(std::floor(0.5 * static_cast<double>(values.size()) / period) * period));
  double in = 0.0, off = 0.0;
  for (std::size_t k = first; k < first + count; ++k) {
    const double turn = 2.0 * std::numbers::pi * hz * static_cast<double>(k) / kDerivedRate_hz + phase;
    in += 2.0 * values[k] * std::sin(turn) / static_cast<double>(count);
    off += 2.0 * values[k] * std::cos(turn) / static_cast<double>(count);
  }
  return {in, off};
}

}  // namespace

class AnalysisDerivedTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void filtersOfEachOrder_data() {
    QTest::addColumn<int>("order");
    for (int order = 1; order <= 4; ++order) QTest::addRow("%d", order) << order;
  }
  /// -3.01 dB at the cut-off frequency, no phase shift, and the slope of the order on the warped axis: with r the ratio
  /// to the cut-off, the low-pass is 1 / (1 + (sqrt 2 - 1) r^(2 n)), the high-pass the same of 1 / r.
  void filtersOfEachOrder() {
    QFETCH(int, order);
    constexpr double kPhase = 0.4, kCut_hz = 50.0;
    for (const double hz : {25.0, 50.0, 100.0}) {
      const Table table = derivedSource(sineRows(1.0, hz, kDerivedRate_hz, 8000, kPhase));
      const double r =
          std::tan(std::numbers::pi * hz / kDerivedRate_hz) / std::tan(std::numbers::pi * kCut_hz / kDerivedRate_hz);
      const auto expected = [&](double ratio) {
        return 1.0 / (1.0 + (std::sqrt(2.0) - 1.0) * std::pow(ratio, 2 * order));
      };
      const auto [low, low_off] = amplitudeAt(lastColumn(lowPassed(table, "x", kCut_hz, order)), hz, kPhase);
      const auto [high, high_off] = amplitudeAt(lastColumn(highPassed(table, "x", kCut_hz, order)), hz, kPhase);
      compare(low, expected(r), 1e-9, "low-pass");
      compare(high, expected(1.0 / r), 1e-9, "high-pass");
      compare(low_off, 0.0, 1e-9, "phase of the low-pass");
      compare(high_off, 0.0, 1e-9, "phase of the high-pass");
      if (hz == kCut_hz) compare(low, 1.0 / std::sqrt(2.0), 1e-9, "-3 dB");
      if (hz == kCut_hz) compare(high, 1.0 / std::sqrt(2.0), 1e-9, "-3 dB");
    }
  }

  /// Central differences of a sine: its cosine times sin(w T) / T. The unit follows.
  void derivativeOfASine() {
    constexpr double kHz = 40.0;
    const Table table = derivative(derivedSource(sineRows(0.2, kHz, kDerivedRate_hz, 1000, 0.0)), "x");
    const std::vector<double> slope = lastColumn(table);
    const double w = 2.0 * std::numbers::pi * kHz, step = 1.0 / kDerivedRate_hz;
    for (std::size_t k = 1; k + 1 < slope.size(); ++k)
      compare(slope[k], 0.2 * std::sin(w * step) / step * std::cos(w * step * static_cast<double>(k)), 1e-9, "slope");
    QCOMPARE(table.channels.back().units, std::string("m/s"));
    QCOMPARE(derivative(derivedSource({1, 2, 4}, "m/s"), "x").channels.back().units, std::string("m/s2"));
    QCOMPARE(lastColumn(derivative(derivedSource({1, 2, 5}), "x")), (std::vector<double>{0.0, 2000.0, 4000.0}));
  }

  /// Trapezoids of a cosine: its sine times (w T / 2) / tan(w T / 2), exactly.
  void integralOfASine() {
    constexpr double kHz = 10.0;
    const Table table = integral(derivedSource(sineRows(3.0, kHz, kDerivedRate_hz, 1000, 0.5 * std::numbers::pi)), "x");
    const std::vector<double> sum = lastColumn(table);
    const double w = 2.0 * std::numbers::pi * kHz, half = 0.5 * w / kDerivedRate_hz;
    for (std::size_t k = 0; k < sum.size(); ++k)
      compare(sum[k], 3.0 / w * half / std::tan(half) * std::sin(2.0 * half * static_cast<double>(k)), 1e-12,
              "integral");
    QCOMPARE(table.channels.back().units, std::string("m s"));
    QCOMPARE(integral(derivedSource({1, 2}, "m/s2"), "x").channels.back().units, std::string("m/s"));
    QCOMPARE(lastColumn(integral(derivedSource({1, 2, 3, 4}), "x", Detrend::line)), (std::vector<double>(4, 0.0)));
    QCOMPARE(lastColumn(integral(derivedSource({2, 4}), "x", Detrend::mean)), (std::vector<double>{0.0, 0.0}));
  }

  /// Each stretch between missing rows gives what it gives alone; a stretch of two rows has no derivative.
  void missingRowsSplitTheRecord() {
    std::vector<double> x = noiseRows(5, 300);
    x[100] = x[103] = std::nan("");
    const std::vector<double> first(x.begin(), x.begin() + 100), last(x.begin() + 104, x.end());
    for (const auto& derive :
         std::vector<std::function<Table(Table)>>{[](Table of) { return lowPassed(std::move(of), "x", 40.0, 3); },
                                                  [](Table of) { return highPassed(std::move(of), "x", 40.0, 3); },
                                                  [](Table of) { return derivative(std::move(of), "x"); }}) {
      const std::vector<double> whole = lastColumn(derive(derivedSource(x)));
      const std::vector<double> of_first = lastColumn(derive(derivedSource(first))),
                                of_last = lastColumn(derive(derivedSource(last)));
      QVERIFY(std::equal(of_first.begin(), of_first.end(), whole.begin()));
      QVERIFY(std::equal(of_last.begin(), of_last.end(), whole.begin() + 104));
      QVERIFY(std::isnan(whole[100]) && std::isnan(whole[103]));
    }
    QVERIFY(std::isnan(lastColumn(derivative(derivedSource(x), "x"))[101]));
    QVERIFY(!std::isnan(lastColumn(lowPassed(derivedSource(x), "x", 40.0, 3))[101]));
    EXPECT_ISSUE(issuesOf([&] { integral(derivedSource(x), "x"); }), "x", "misses 2 of 300 rows, the first at 2.1 s");
    const AnalysisResult result = analysed(derivedSource(x), "low-pass", {"x"}, {{"cutoff", "40"}});
    QCOMPARE(numberOf(result, "x_rows_missing"), 2.0);
    QVERIFY(result.notes.front().find("x has missing rows") != std::string::npos);
  }

  void derivedChannelsJoinTheTable() {
    const Table table = lowPassed(derivative(derivedSource(noiseRows(1, 50)), "x"), "x_derivative", 100.0, 2);
    QCOMPARE(table.channels.size(), std::size_t{3});
    QCOMPARE(table.column(0), noiseRows(1, 50));
    const std::vector<double> whole = table.column(2);
    QCOMPARE(table.read(2, 10, 5), (std::vector<double>(whole.begin() + 10, whole.begin() + 15)));
    QCOMPARE(table.channels[2].name, std::string("x_derivative_low_pass"));
    for (const double cut : {0.0, -1.0, 500.0, std::nan("")})
      EXPECT_ISSUE(issuesOf([&] { lowPassed(table, "x", cut, 2); }), "cutoff", "above 0 Hz and below 500 Hz");
  }

  void analysesOverTimeKeepTheirTimeBase() {
    const AnalysisResult result = analysed(derivedSource(noiseRows(1, 1000)), "resample", {"x"}, {{"rate", "250"}});
    QCOMPARE(result.rate_hz, 250.0);
    const Table table = tableOf(result);
    QCOMPARE(table.rate_hz, 250.0);
    QCOMPARE(table.start_s, 2.0);
    QCOMPARE(table.rows, std::uint64_t{250});
    QCOMPARE(table.channels.front().units, std::string("m"));
  }

  /// 20,000 seeded normal numbers: each figure within three standard errors of its value.
  void histogramOfNormalNumbers() {
    constexpr double kRows = 20000.0, kMean = -4.0, kDeviation = 0.5;
    std::vector<double> x = noiseRows(56, 20000, kDeviation);
    for (double& value : x) value += kMean;
    x.push_back(std::nan(""));
    const AnalysisResult result = analysed(derivedSource(x), "histogram", {"x"}, {{"bins", "40"}});
    compare(numberOf(result, "mean"), kMean, 3.0 * kDeviation / std::sqrt(kRows), "mean");
    compare(numberOf(result, "deviation"), kDeviation, 3.0 * kDeviation / std::sqrt(2.0 * kRows), "deviation");
    compare(numberOf(result, "skewness"), 0.0, 3.0 * std::sqrt(6.0 / kRows), "skewness");
    compare(numberOf(result, "kurtosis"), 3.0, 3.0 * std::sqrt(24.0 / kRows), "kurtosis");
    QCOMPARE(numberOf(result, "rows_missing"), 1.0);
    const std::vector<double>&count = curveOf(result, "x_count").values, &normal = curveOf(result, "x_normal").values;
    double rows = 0.0;
    for (const double one : count) rows += one;
    QCOMPARE(rows, kRows);
    // Counts of a bin are binomial: within four deviations of what the fit says, where ten or more are expected.
    const double width = numberOf(result, "bin_width");
    for (std::size_t b = 0; b < count.size(); ++b)
      if (const double expected = normal[b] * width * kRows; expected > 10.0)
        compare(count[b], expected, 4.0 * std::sqrt(expected), "bin");
  }

  /// 0, 0, 1, 3: mean 1, central moments 6/4, 6/4 and 18/4.
  void histogramOfFourNumbers() {
    const AnalysisResult result = analysed(derivedSource({0, 0, 1, 3}), "histogram", {"x"}, {{"bins", "3"}});
    QCOMPARE(curveOf(result, "x_count").values, (std::vector<double>{2.0, 1.0, 1.0}));
    QCOMPARE(result.x.values, (std::vector<double>{0.5, 1.5, 2.5}));
    QCOMPARE(curveOf(result, "x_density").unit, std::string("1/m"));
    compare(curveOf(result, "x_density").values[0], 0.5, 1e-15, "density");
    compare(numberOf(result, "mean"), 1.0, 1e-15, "mean");
    compare(numberOf(result, "deviation"), std::sqrt(2.0), 1e-15, "deviation");
    compare(numberOf(result, "skewness"), 1.5 / std::pow(1.5, 1.5), 1e-15, "skewness");
    compare(numberOf(result, "kurtosis"), 4.5 / (1.5 * 1.5), 1e-15, "kurtosis");
    EXPECT_ISSUE(issuesOf([&] { analysed(derivedSource({2, 2, 2}), "histogram", {"x"}); }), "x", "is 2 m in all rows");
    EXPECT_ISSUE(issuesOf([&] { analysed(derivedSource({std::nan("")}), "histogram", {"x"}); }), "x", "no values");
  }
};

HYB_SUITE(analysis_derived, AnalysisDerivedTest)
#include "derived_test.moc"
