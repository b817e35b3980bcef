// Frequency responses from records: against closed forms, and how often the truth lies where they say it does.
#include "core/base/allocation_guard.h"
#include "core/identification/local_response.h"
#include "core/identification/simulate.h"
#include "core/signal/cross_spectra.h"
#include "tests/support/compare.h"
#include "tests/support/identified.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Complex = std::complex<double>;

struct Plant {
  const char* name;
  TransferModel model;
};
std::vector<Plant> plants() {
  TransferModel wrong_way{{200.0 * 300.0, -300.0}, {200.0 * 300.0, 500.0, 1.0}, 0.0};  // zero at +200 rad/s
  return {{"servo", secondOrderServo(28.0, 0.7)},
          {"servo behind a delay", secondOrderServo(28.0, 0.7, 0.0123)},
          {"three poles", publishedPlant()},
          {"zero on the right", wrong_way},
          {"one pole", {{50.0}, {50.0, 1.0}, 0.0004}}};
}

constexpr BandSpec kBand{1.0, 0.25, 60.0, kPeriod_s};

}  // namespace

class ResponsesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void trueResponseLiesInTheBand_data() {
    QTest::addColumn<int>("plant");
    const auto all = plants();
    for (int i = 0; i < static_cast<int>(all.size()); ++i)
      QTest::addRow("%s", all[static_cast<std::size_t>(i)].name) << i;
  }
  /// 1 % of noise in the output, 10 periods: within the radius at 95 % of the lines, as it says, and never fewer than
  /// 90 %; so are magnitude and phase within the band that is drawn.
  void trueResponseLiesInTheBand() {
    QFETCH(int, plant);
    static const std::vector<double> u = sampled(lowCrestSines(kBand), kRate_hz, 11 * kLength);
    const TransferModel model = plants()[static_cast<std::size_t>(plant)].model;
    const std::vector<double> faultless = simulate(model, u, kStep_s, Hold::step);
    std::vector<Complex> truths;
    for (std::uint64_t seed = 1; seed <= (kThorough ? 3 : 1); ++seed) {
      const std::vector<double> y = plus(faultless, noise(u.size(), 0.01 * rmsOf(faultless), seed));
      CrossSpectra spectra({kRate_hz, kLength, kLength, SegmentSpec::Window::none});
      spectra.add(std::span(u).subspan(kLength), std::span(y).subspan(kLength));
      QCOMPARE(spectra.segments(), std::size_t{10});
      const MeasuredResponse response = spectra.response().within(0.25, 60.0);
      QCOMPARE(response.lines.size(), std::size_t{240});
      QCOMPARE(response.averages, 10.0);
      if (truths.empty())
        for (const ResponseLine& line : response.lines)
          truths.push_back(heldResponse(model, line.frequency_hz, kStep_s));
      int inside = 0, in_band = 0;
      for (std::size_t k = 0; k < truths.size(); ++k) {
        const ResponseLine& line = response.lines[k];
        inside += std::abs(truths[k] - line.h1) <= line.radius ? 1 : 0;
        const double size = std::abs(line.h1), turn = std::arg(truths[k] / line.h1);
        const bool magnitude = std::abs(std::abs(truths[k]) - size) <= line.radius;
        const bool phase = line.radius >= size || std::abs(turn) <= std::asin(line.radius / size);
        in_band += magnitude && phase ? 1 : 0;
      }
      QVERIFY2(inside >= 216, qPrintable(QString::number(inside)));
      QVERIFY2(inside <= 239, qPrintable(QString::number(inside)));  // and the radius is no larger than it needs to be
      QVERIFY2(in_band >= 216, qPrintable(QString::number(in_band)));
    }
  }

  /// Noise of one record and a Hann window: 15 averages, which leave a few percent.
  void welchFindsTheResponse() {
    const TransferModel model = secondOrderServo(28.0, 0.7);
    const std::vector<double> u = noise(60000, 1.0, 7);
    const std::vector<double> y = simulate(model, u, kStep_s, Hold::step);
    CrossSpectra spectra({kRate_hz, 2000, 1000});
    spectra.add(u, y);
    for (const ResponseLine& line : spectra.response().within(1.0, 60.0).lines) {
      const Complex truth = heldResponse(model, line.frequency_hz, kStep_s);
      QVERIFY2(std::abs(line.h1 - truth) < 0.02 * std::abs(truth), qPrintable(QString::number(line.frequency_hz)));
      QVERIFY(line.coherence > 0.99);
    }
  }

  /// Of signals that have nothing to do with each other the coherence is 1 / averages in the mean (exponential in its
  /// distribution), not 0; all of them lie within the radius of a response of 0 but 5 %.
  void coherenceOfIndependentSignals() {
    constexpr std::size_t kWindow = 512, kSegments = 25;
    CrossSpectra spectra({kRate_hz, kWindow, kWindow, SegmentSpec::Window::none});
    spectra.add(noise(kWindow * kSegments, 1.0, 1), noise(kWindow * kSegments, 2.0, 2));
    const MeasuredResponse response = spectra.response();
    double sum = 0.0;
    std::size_t outside = 0;
    for (const ResponseLine& line : response.lines) {
      sum += line.coherence;
      outside += std::abs(line.h1) > line.radius ? 1U : 0U;
    }
    const auto count = static_cast<double>(response.lines.size());
    compare(sum / count, 1.0 / kSegments, 3.0 / kSegments / std::sqrt(count), "mean coherence");
    compare(static_cast<double>(outside) / count, 0.05, 0.03, "share outside");
  }

  /// Half-overlapping Hann windows share a sixth: Welch's formula with 1 / 36.
  void averagesWithOverlap() {
    CrossSpectra spectra({kRate_hz, 256, 128});
    spectra.add(noise(256 + 9 * 128, 1.0, 1), noise(256 + 9 * 128, 1.0, 2));
    QCOMPARE(spectra.segments(), std::size_t{10});
    compare(spectra.response().averages, 10.0 / (1.0 + 2.0 / 36.0 * 0.9), 1e-3, "averages");
  }

  void oneRecordTellsWhereTheTruthLies_data() { trueResponseLiesInTheBand_data(); }
  /// One sweep of 8 s that begins and ends in the middle of its motion, with 1 % of noise: no segments and no periods.
  void oneRecordTellsWhereTheTruthLies() {
    QFETCH(int, plant);
    const TransferModel model = plants()[static_cast<std::size_t>(plant)].model;
    std::vector<double> u;
    const std::unique_ptr<Signal> sweep = makeSweep({1.0, 1.0, 40.0, 8.0, false});
    for (int k = 0; k < 9000; ++k) u.push_back(sweep->at(k * kStep_s).value);
    const std::vector<double> faultless = simulate(model, u, kStep_s, Hold::step);
    const auto cut = [](const std::vector<double>& samples) { return std::span(samples).subspan(333, 7500); };
    std::vector<Complex> truths;
    for (std::uint64_t seed = 1; seed <= (kThorough ? 3 : 1); ++seed) {
      const std::vector<double> y = plus(faultless, noise(u.size(), 0.01 * rmsOf(faultless), seed));
      const MeasuredResponse response =
          localResponse(recordSpectra(cut(u), cut(y), kRate_hz, 3.0, 35.0), kRate_hz, 7500);
      QVERIFY(response.lines.size() > 200);
      if (truths.empty())
        for (const ResponseLine& line : response.lines)
          truths.push_back(heldResponse(model, line.frequency_hz, kStep_s));
      QCOMPARE(response.lines.size(), truths.size());
      std::size_t inside = 0;
      for (std::size_t k = 0; k < truths.size(); ++k)
        inside += std::abs(truths[k] - response.lines[k].h1) <= response.lines[k].radius ? 1U : 0U;
      const auto count = static_cast<double>(truths.size());
      QVERIFY2(static_cast<double>(inside) >= 0.9 * count, qPrintable(QString("%1 of %2").arg(inside).arg(count)));
    }
  }

  void noiseInTheInputBiasesH1AndNotH2() {
    if (!kThorough) return;  // hundreds of thousands of rows, which are taken as a few are
    const TransferModel model = secondOrderServo(28.0, 0.7);
    const std::vector<double> u = noise(400000, 1.0, 3);
    const std::vector<double> y = simulate(model, u, kStep_s, Hold::step);
    CrossSpectra spectra({kRate_hz, 500, 250});
    spectra.add(plus(u, noise(u.size(), 0.5, 4)), y);
    for (const ResponseLine& line : spectra.response().within(4.0, 40.0).lines) {
      const double truth = std::abs(heldResponse(model, line.frequency_hz, kStep_s));
      compareRelative(std::abs(line.h1), 0.8 * truth, 0.05, "H1");
      compareRelative(std::abs(line.h2), truth, 0.05, "H2");
    }
  }

  /// A line of the input that a sine of amplitude 2 m is on has a mean square of 2 m^2.
  void powerOfTheInput() {
    std::vector<double> u(4000);
    for (std::size_t k = 0; k < u.size(); ++k) u[k] = 2.0 * std::sin(kTwoPi * 10.0 * static_cast<double>(k) * kStep_s);
    CrossSpectra spectra({kRate_hz, 1000, 1000, SegmentSpec::Window::none});
    spectra.add(u, u);
    compare(spectra.response().within(10.0, 10.0).lines.at(0).input_power, 2.0, 1e-9, "power");
  }

  void rowsThatAreNoNumbersSpoilTheirSegmentsAlone() {
    const std::vector<double> u = noise(4096, 1.0, 1);
    std::vector<double> y = u;
    y[1000] = kNoValue;
    CrossSpectra spectra({kRate_hz, 256, 256, SegmentSpec::Window::none});
    spectra.add(u, y);
    QCOMPARE(spectra.segments(), std::size_t{15});
    for (const ResponseLine& line : spectra.response().lines) compare(std::abs(line.h1 - 1.0), 0.0, 1e-12, "H1");
  }

  void oneSegmentKnowsNoErrors() {
    CrossSpectra spectra({kRate_hz, 256, 128});
    QVERIFY(spectra.response().lines.empty());
    spectra.add(noise(256, 1.0, 1), noise(256, 1.0, 2));
    for (const ResponseLine& line : spectra.response().lines) QVERIFY(std::isinf(line.radius));
  }

  /// Row by row, with other work in between, as from a running test; what was begun before a gap does not count.
  void rowByRowIsTheSameAndAllocatesNothingBetweenSegments() {
    const std::vector<double> u = noise(5000, 1.0, 1), y = noise(5000, 1.0, 2);
    CrossSpectra whole({kRate_hz, 1000, 500}), rows({kRate_hz, 1000, 500});
    whole.add(u, y);
    rows.add(std::span(u).first(300), std::span(y).first(300));
    rows.interrupt();
    const AllocationGuard guard;
    for (std::size_t k = 0; k < 999; ++k) rows.add(u[k], y[k]);
    QCOMPARE(guard.count(), std::uint64_t{0});
    for (std::size_t k = 999; k < u.size(); ++k) rows.add(u[k], y[k]);
    QCOMPARE(rows.segments(), whole.segments());
    QVERIFY(rows.response().lines.back().h1 == whole.response().lines.back().h1);
    rows.reset();
    QCOMPARE(rows.segments(), std::size_t{0});
  }

  void segmentsOfARecord() {
    QCOMPARE(segmentFor(8000), std::size_t{1000});
    QCOMPARE(segmentFor(20), std::size_t{16});
    QCOMPARE(segmentFor(6), std::size_t{6});
    QVERIFY(segmentFor(100000000) <= 65536);
  }
};

HYB_SUITE(frequency_responses, ResponsesTest)
#include "responses.moc"
