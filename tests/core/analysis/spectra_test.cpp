/// Spectra: closed forms, numbers of scipy.signal, missing rows.
#include <complex>

#include "core/signal/window.h"
#include "tests/core/analysis/analysis_tables.h"
#include "tests/core/analysis/scipy_numbers.h"
#include "tests/support/compare.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

void compareAll(const std::vector<double>& actual, const std::vector<double>& expected, double share,
                const char* what) {
  QCOMPARE(actual.size(), expected.size());
  double largest = 0.0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t k = 0; k < expected.size(); ++k) {
    compare(actual[k], expected[k], share * largest, what);
    if (QTest::currentTestFailed()) return;
  }
}

}  // namespace

class AnalysisSpectrumTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void sineOnALineHasItsAmplitude_data() {
    QTest::addColumn<QString>("window");
    QTest::addColumn<double>("noise_lines");
    QTest::newRow("rectangular") << "rectangular" << 1.0;
    QTest::newRow("hann") << "hann" << 1.5;
    QTest::newRow("hamming") << "hamming" << (0.54 * 0.54 + 0.5 * 0.46 * 0.46) / (0.54 * 0.54);
    QTest::newRow("flat-top") << "flat-top" << 3.7702;
  }
  /// 2.5 m at 20 Hz over segments of 1 s: the amplitude and, with the noise bandwidth, half its square as the density.
  /// The noise bandwidths are those of Harris, to the digits of his table.
  void sineOnALineHasItsAmplitude() {
    QFETCH(QString, window);
    QFETCH(double, noise_lines);
    const Table table = columnsTable(1000.0, {{"x", "m", sineRows(2.5, 20.0, 1000.0, 5000)}});
    const AnalysisResult result =
        analysed(table, "spectrum", {"x"}, {{"window", window.toStdString()}, {"segment", "1"}, {"detrend", "none"}});
    QCOMPARE(result.x.values[20], 20.0);
    compare(curveOf(result, "x_amplitude").values[20], 2.5, 1e-12, "amplitude");
    compare(numberOf(result, "resolution"), 1.0, 1e-12, "resolution");
    compare(numberOf(result, "noise_bandwidth"), noise_lines, 5e-5, "noise bandwidth");
    compareRelative(curveOf(result, "x_psd").values[20] * numberOf(result, "noise_bandwidth"), 0.5 * 2.5 * 2.5, 1e-12,
                    "density");
    QCOMPARE(curveOf(result, "x_psd").unit, std::string("m2/Hz"));
    QCOMPARE(result.marks.front().at, std::size_t{20});
    QCOMPARE(result.title, std::string("Spectrum of x"));
  }

  /// The transform of the window half a line from its middle is 0.99887 of that in the middle.
  void flatTopBetweenTwoLines() {
    for (const double off : {0.1, 0.25, 0.5}) {
      const Table table = columnsTable(1000.0, {{"x", "m", sineRows(1.0, 100.0 + off, 1000.0, 1000)}});
      const std::vector<double> amplitude =
          curveOf(analysed(table, "spectrum", {"x"}, {{"window", "flat-top"}, {"segment", "1"}}), "x_amplitude").values;
      compare(*std::ranges::max_element(amplitude), 1.0, 1.2e-3, "amplitude");
    }
  }

  void constantIsAtZeroOnly() {
    const Table table = columnsTable(100.0, {{"x", "N", std::vector<double>(1000, -3.0)}});
    const AnalysisResult result =
        analysed(table, "spectrum", {"x"}, {{"window", "rectangular"}, {"segment", "1"}, {"detrend", "none"}});
    compare(curveOf(result, "x_amplitude").values[0], 3.0, 1e-12, "mean");
    for (std::size_t k = 1; k < result.x.values.size(); ++k) QVERIFY(curveOf(result, "x_amplitude").values[k] < 1e-12);
  }

  void linesAddUpToTheMeanSquare_data() {
    QTest::addColumn<int>("rows");
    for (const int rows : {512, 513, 997}) QTest::addRow("%d", rows) << rows;
  }
  /// Parseval, for an even, an odd and a prime number of rows.
  void linesAddUpToTheMeanSquare() {
    QFETCH(int, rows);
    const std::vector<double> x = noiseRows(7, static_cast<std::size_t>(rows));
    double square = 0.0;
    for (const double value : x) square += value * value / rows;
    const AnalysisResult result =
        analysed(columnsTable(250.0, {{"x", "m", x}}), "spectrum", {"x"},
                 {{"window", "rectangular"}, {"segment", std::to_string(rows / 250.0)}, {"detrend", "none"}});
    double sum = 0.0;
    for (const double value : curveOf(result, "x_psd").values) sum += value * 250.0 / rows;
    compareRelative(sum, square, 1e-12, "sum of the lines");
    compareRelative(numberOf(result, "x_rms"), std::sqrt(square), 1e-12, "root mean square");
  }

  /// White noise of deviation 2 at 500 Hz: 2 * 4 / 500. One line is within 1.96 of its relative standard deviation in
  /// at least 90 of 100 records (95 expected, and 90 is two standard deviations below); the mean over lines and records
  /// is within three of its own.
  void whiteNoiseHasItsLevel() {
    const double level = 2.0 * 4.0 / 500.0;
    int inside = 0;
    double sum = 0.0, variance = 0.0;
    std::size_t count = 0;
    for (unsigned seed = 1; seed <= 100; ++seed) {
      const AnalysisResult result = analysed(columnsTable(500.0, {{"x", "m", noiseRows(seed, 32768, 2.0)}}), "spectrum",
                                             {"x"}, {{"segment", "0.512"}});
      const std::vector<double>& density = curveOf(result, "x_psd").values;
      const double relative = 1.0 / std::sqrt(numberOf(result, "averages"));
      inside += std::abs(density[64] / level - 1.0) < 1.96 * relative ? 1 : 0;
      for (std::size_t k = 4; k + 4 < density.size(); k += 3, ++count) {  // every third line is independent of the last
        sum += density[k] / level;
        variance += relative * relative;
      }
    }
    QVERIFY2(inside >= 90, qPrintable(QString::number(inside)));
    const double deviation = std::sqrt(variance) / static_cast<double>(count);
    compare(sum / static_cast<double>(count), 1.0, 3.0 * deviation, "mean level");
  }

  /// Half-overlapping Hann segments: the variance of the mean is 1 + 2 (1/6)^2 (1 - 1/K) that of K independent ones
  /// (Welch 1967).
  void averagesCountTheOverlap() {
    const Table table = columnsTable(100.0, {{"x", "m", noiseRows(3, 1100)}});
    const AnalysisResult half = analysed(table, "spectrum", {"x"}, {{"segment", "2"}});
    QCOMPARE(numberOf(half, "segments"), 10.0);
    compare(numberOf(half, "averages"), 10.0 / (1.0 + 2.0 * 0.9 / 36.0), 1e-9, "averages");
    compare(numberOf(analysed(table, "spectrum", {"x"}, {{"segment", "2"}, {"overlap", "0"}}), "averages"), 5.0, 1e-12,
            "averages without overlap");
    const AnalysisResult fine = analysed(table, "spectrum", {"x"}, {{"resolution", "0.25"}});
    compare(numberOf(fine, "segment_length"), 4.0, 1e-12, "segment of a resolution");
  }

  void numbersOfScipy() {
    const Table table = columnsTable(200.0, {{"x", "m", scipy_numbers::kX}, {"y", "N", scipy_numbers::kY}});
    const auto ofX = [&](const char* curve, const char* window, const char* detrend) {
      const AnalysisResult result =
          analysed(table, "spectrum", {"x"}, {{"window", window}, {"detrend", detrend}, {"segment", "0.16"}});
      return curveOf(result, curve).values;
    };
    compareAll(ofX("x_psd", "hann", "mean"), scipy_numbers::kHannDensity, 1e-12, "hann");
    compareAll(ofX("x_psd", "hamming", "none"), scipy_numbers::kHammingDensity, 1e-12, "hamming");
    compareAll(ofX("x_psd", "rectangular", "line"), scipy_numbers::kRectangularDensityWithoutLine, 1e-12, "line");
    std::vector<double> power;  // scipy gives the mean square of the sine, and at both ends the square of the amplitude
    for (const double amplitude : ofX("x_amplitude", "flat-top", "mean")) {
      const bool end = power.empty() || power.size() == 16;
      power.push_back((end ? 1.0 : 0.5) * amplitude * amplitude);
    }
    compareAll(power, scipy_numbers::kFlatTopPower, 1e-12, "flat-top");

    const AnalysisResult cross = analysed(table, "cross-spectrum", {"x", "y"}, {{"segment", "0.16"}});
    QCOMPARE(curveOf(cross, "y_csd").unit, std::string("m N/Hz"));
    std::vector<double> real, imaginary;
    for (std::size_t k = 0; k < cross.x.values.size(); ++k) {
      const std::complex<double> value =
          std::polar(curveOf(cross, "y_csd").values[k], curveOf(cross, "y_phase").values[k] * std::numbers::pi / 180.0);
      real.push_back(value.real());
      imaginary.push_back(value.imag());
    }
    compareAll(real, scipy_numbers::kCrossReal, 1e-12, "cross, real");
    compareAll(imaginary, scipy_numbers::kCrossImaginary, 1e-12, "cross, imaginary");
    std::vector<double> coherence = curveOf(cross, "y_coherence").values;
    QVERIFY(std::isnan(coherence[0]));  // of the mean, which is taken away
    coherence[0] = scipy_numbers::kCoherence[0];
    compareAll(coherence, scipy_numbers::kCoherence, 1e-12, "coherence");
  }

  /// Segments 0 to 1 s, 0.5 to 1.5 s, ... of 5 s, two rows missing: at 1.2 s in two segments, at 3.0 s in two others.
  /// What is left is the mean of the spectra of the whole segments alone.
  void missingRowsLeaveSegmentsOut() {
    std::vector<double> x = noiseRows(11, 500);
    x[120] = x[300] = std::nan("");
    const std::map<std::string, std::string> settings{{"segment", "1"}};
    const AnalysisResult result = analysed(columnsTable(100.0, {{"x", "m", x}}), "spectrum", {"x"}, settings);
    QCOMPARE(numberOf(result, "segments"), 5.0);
    QCOMPARE(numberOf(result, "segments_left_out"), 4.0);
    QVERIFY2(result.notes.front().find("4 of 9 segments have missing rows") != std::string::npos,
             result.notes.front().c_str());
    std::vector<double> mean(51, 0.0);
    for (const std::ptrdiff_t first : {0, 150, 200, 350, 400}) {
      const std::vector<double> part(x.begin() + first, x.begin() + first + 100);
      const AnalysisResult one = analysed(columnsTable(100.0, {{"x", "m", part}}), "spectrum", {"x"}, settings);
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += curveOf(one, "x_psd").values[k] / 5.0;
    }
    compareAll(curveOf(result, "x_psd").values, mean, 1e-12, "mean of whole segments");

    const Table pair = columnsTable(100.0, {{"x", "m", noiseRows(12, 500)}, {"y", "m", x}});
    const AnalysisResult response = analysed(pair, "frf", {"x", "y"}, settings);
    QCOMPARE(numberOf(response, "segments_left_out"), 4.0);

    for (std::size_t k = 40; k < 500; k += 90) x[k] = std::nan("");
    EXPECT_ISSUE(issuesOf([&] {
                   analysed(columnsTable(100.0, {{"x", "m", x}}), "spectrum", {"x"}, settings);
                 }),
                 "x", "missing rows in each of its 9 segments of 1 s; choose shorter segments");
  }

  void channelsWithMissingRowsOfTheirOwnAreCountedApart() {
    std::vector<double> late = noiseRows(2, 500);
    for (std::size_t k = 0; k < 60; ++k) late[k] = std::nan("");
    const Table table = columnsTable(100.0, {{"x", "m", noiseRows(1, 500)}, {"late", "m", late}});
    const AnalysisResult result = analysed(table, "spectrum", {"x", "late"}, {{"segment", "1"}});
    QCOMPARE(numberOf(result, "x_segments"), 9.0);
    QCOMPARE(numberOf(result, "late_segments"), 7.0);
  }

  /// 10 Hz for two seconds, then 40 Hz: the strongest line follows, in the middle of each segment. The mean over time
  /// is the averaged density.
  void spectrogramFollowsTheFrequency() {
    std::vector<double> x = sineRows(1.0, 10.0, 200.0, 400);
    const std::vector<double> second = sineRows(1.0, 40.0, 200.0, 400);
    x.insert(x.end(), second.begin(), second.end());
    x[790] = std::nan("");
    const Table table = columnsTable(200.0, {{"x", "m", x}}, 5.0);
    const std::map<std::string, std::string> settings{{"segment", "0.5"}, {"overlap", "50"}};
    const AnalysisResult result = analysed(table, "spectrogram", {"x"}, settings);
    const std::vector<double>& strongest = curveOf(result, "x_strongest").values;
    QCOMPARE(strongest.size(), std::size_t{15});
    compare(result.x.values[0], 5.25, 1e-12, "first time");
    compare(result.rate_hz, 4.0, 1e-12, "rate of the spectra");
    for (std::size_t t = 0; t < 14; ++t)
      if (t != 7) QCOMPARE(strongest[t], t < 7 ? 10.0 : 40.0);  // 7: half of each
    QVERIFY(std::isnan(strongest[14]));
    const std::size_t lines = result.map->y.values.size();
    QCOMPARE(result.map->values.size(), 15 * lines);
    std::vector<double> mean(lines, 0.0);
    for (std::size_t t = 0; t < 14; ++t)
      for (std::size_t k = 0; k < lines; ++k) mean[k] += result.map->values[t * lines + k] / 14.0;
    compareAll(curveOf(analysed(table, "spectrum", {"x"}, settings), "x_psd").values, mean, 1e-12, "mean over time");
    const Table rows = tableOf(result);
    QCOMPARE(rows.rows, std::uint64_t{15 * lines});
    QCOMPARE(rows.channels[1].name, std::string("frequency"));
    compare(rows.read(0, lines, 1).front(), 5.5, 1e-12, "second time");
    compare(rows.read(1, lines + 3, 1).front(), result.map->y.values[3], 1e-12, "frequency");
  }

  /// Against the sum of the definition, with zeros up to a power of two; and a sine over 1024 rows has its amplitude.
  void fourierAmplitudeOfTheWholeRecord() {
    const std::vector<double> x = noiseRows(5, 300);
    const AnalysisResult result = analysed(columnsTable(100.0, {{"gap_1", "m", x}}), "fourier", {"gap_1"});
    const std::vector<double>& amplitude = curveOf(result, "gap_1_fourier").values;
    QCOMPARE(amplitude.size(), std::size_t{257});
    for (std::size_t k = 0; k < amplitude.size(); ++k) {
      std::complex<double> sum;
      for (std::size_t n = 0; n < x.size(); ++n)
        sum += x[n] * std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(k * n) / 512.0);
      compare(amplitude[k], 2.0 / 300.0 * std::abs(sum), 1e-12, "line");
    }
    const Table sine = columnsTable(1024.0, {{"gap_1", "m", sineRows(0.004, 30.0, 1024.0, 1024)}});
    compare(curveOf(analysed(sine, "fourier", {"gap_1"}), "gap_1_fourier").values[30], 0.004, 1e-15, "amplitude");
    std::vector<double> holes = x;
    holes[200] = std::nan("");
    EXPECT_ISSUE(issuesOf([&] {
                   analysed(columnsTable(100.0, {{"gap_1", "m", holes}}), "fourier", {"gap_1"});
                 }),
                 "gap_1", "misses 1 of 300 rows, the first at 2 s");
  }
};

HYB_SUITE(analysis_spectrum, AnalysisSpectrumTest)
#include "spectra_test.moc"
