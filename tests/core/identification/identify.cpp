// An identification as a whole: what is chosen where nothing is asked for, and what is said where it cannot be done.
#include "core/identification/identify.h"
#include "core/base/error.h"
#include "core/identification/simulate.h"
#include "tests/support/compare.h"
#include "tests/support/identified.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Complex = std::complex<double>;

struct InputOutput {
  std::vector<double> input, output;
};

InputOutput excited(const TransferModel& model, double noise_share = 0.005) {
  static const std::vector<double> input = sampled(lowCrestSines({1.0, 0.25, 40.0, kPeriod_s}), kRate_hz, 6 * kLength);
  InputOutput pair;
  pair.input = input;
  pair.output = simulate(model, pair.input, kStep_s, Hold::step);
  pair.output = plus(pair.output, noise(pair.output.size(), noise_share * rmsOf(pair.output), 9));
  return pair;
}

std::vector<std::string> codes(const Identification& found) {
  std::vector<std::string> all;
  for (const IdentificationFinding& finding : found.findings) all.emplace_back(name(finding.what));
  return all;
}
bool has(const Identification& found, const char* code) {
  const std::vector<std::string> all = codes(found);
  return std::ranges::find(all, code) != all.end();
}

}  // namespace

class IdentifyTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void proposesTheModelAndItsDelay_data() {
    QTest::addColumn<bool>("period");
    QTest::newRow("whole periods") << true;
    if (test::kThorough) QTest::newRow("the record as a whole") << false;
  }
  void proposesTheModelAndItsDelay() {
    QFETCH(bool, period);
    const InputOutput pair = excited(secondOrderServo(28.0, 0.7, 0.0005));
    IdentifySpec spec;
    if (period) spec.period_s = kPeriod_s;
    const Identification found = identify(pair.input, pair.output, spec);
    QVERIFY(found.method == (period ? ResponseMethod::periods : ResponseMethod::local));
    QVERIFY2(found.findings.empty(), found.findings.empty() ? "" : found.findings[0].sentence.c_str());
    QVERIFY(found.proposed && found.from_record);
    QCOMPARE(found.order.poles, 2);
    QCOMPARE(found.order.zeros, 0);
    compareRelative(std::sqrt(found.model->denominator[0]), kTwoPi * 28.0, 2e-3, "natural frequency");
    compare(found.model->delay_s, 0.0005, 2e-5, "delay");
    compare(found.from_hz, 0.25, 0.1, "band");
    compareRelative(found.to_hz, 40.0, 0.03, "band");
    compare(found.record->fit_percent, 99.5, 0.05, "fit");
  }

  void wholePeriodsGiveTheTransform_data() {
    QTest::addColumn<int>("periods");
    QTest::addColumn<int>("more");  // rows of a further, incomplete period
    for (const int periods : {2, 3, 4, 8}) QTest::addRow("%d periods", periods) << periods << 0;
    QTest::newRow("4 periods and a part") << 4 << 333;
  }
  /// Few sines of any spacing over whole periods, without noise: the response of the samples but for rounding.
  void wholePeriodsGiveTheTransform() {
    QFETCH(int, periods);
    QFETCH(int, more);
    const TransferModel plant = secondOrderServo(28.0, 0.7, 0.0005);
    MultiSineSpec sum;
    for (const double hz : {1.0, 2.0, 5.0, 11.0, 17.0, 24.0, 38.0}) sum.components.push_back({1.0, hz, 33.0 * hz});
    constexpr std::size_t kRunIn = 1000, kPeriod = 1000;
    const std::size_t rows = static_cast<std::size_t>(periods) * kPeriod + static_cast<std::size_t>(more);
    const std::vector<double> u = sampled(sum, kRate_hz, kRunIn + rows), y = simulate(plant, u, kStep_s, Hold::step);
    IdentifySpec spec;
    spec.period_s = 1.0;
    spec.poles = 2;
    spec.compare_orders = false;
    const Identification found = identify(std::span(u).subspan(kRunIn), std::span(y).subspan(kRunIn), spec);
    QVERIFY(found.method == ResponseMethod::periods);
    QCOMPARE(found.response.lines.size(), sum.components.size());
    for (const ResponseLine& line : found.response.lines) {
      const Complex truth = sampledResponse(plant, line.frequency_hz, kStep_s, Hold::step);
      compare(std::abs(line.h1 - truth) / std::abs(truth), 0.0, 1e-8, "error");
      QVERIFY(std::abs(line.h1 - truth) <= line.radius);
    }
  }

  void radiusHolds_data() {
    QTest::addColumn<bool>("noisy");
    QTest::addColumn<int>("kind");
    for (const bool noisy : {false, true}) {
      QTest::addRow("sines over whole periods, %s", noisy ? "noise" : "no noise") << noisy << 0;
      QTest::addRow("sines without a period, %s", noisy ? "noise" : "no noise") << noisy << 1;
      QTest::addRow("few sines in one period, %s", noisy ? "noise" : "no noise") << noisy << 2;
      QTest::addRow("sweep, %s", noisy ? "noise" : "no noise") << noisy << 3;
    }
  }
  /// Records of 4 s with a known plant, seeds for phases, frequencies and noise: the truth is inside the radius in at
  /// least 90 of 100 cases.
  void radiusHolds() {
    QFETCH(bool, noisy);
    QFETCH(int, kind);
    constexpr std::size_t kRunIn = 1000, kRows = 4000;
    constexpr int kSeeds = 100;
    const TransferModel plant = secondOrderServo(28.0, 0.35, 0.0005);
    std::size_t inside = 0, lines = 0;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      std::mt19937_64 random(static_cast<std::uint64_t>(seed));
      std::uniform_real_distribution<double> uniform(0.0, 1.0);
      MultiSineSpec sum;
      const double apart_hz = kind == 0 ? 1.0 : kind == 1 ? 0.613 + 0.01 * uniform(random) : 0.25;
      for (double hz = kind == 2 ? 0.5 : apart_hz; hz < 45.0; hz += apart_hz)
        sum.components.push_back({1.0, hz, 360.0 * uniform(random)});
      std::vector<double> u = sampled(sum, kRate_hz, kRunIn + kRows);
      if (kind == 3) {
        const std::unique_ptr<Signal> sweep = makeSweep({1.0, 1.0 + uniform(random), 40.0, 5.0, false});
        for (std::size_t k = 0; k < u.size(); ++k) u[k] = sweep->at(static_cast<double>(k) * kStep_s).value;
      }
      std::vector<double> y = simulate(plant, u, kStep_s, Hold::step);
      if (noisy) y = plus(y, noise(y.size(), 0.01 * rmsOf(y), static_cast<std::uint64_t>(1000 + seed)));
      IdentifySpec spec;
      if (kind == 0) spec.period_s = 1.0;
      spec.band_hz = {10.0, 38.0};  // within that of the sweep
      spec.poles = 2;
      spec.compare_orders = false;
      spec.delay_s = 0.0005;
      const Identification found = identify(std::span(u).subspan(kRunIn), std::span(y).subspan(kRunIn), spec);
      QVERIFY(!found.response.lines.empty());
      for (const ResponseLine& line : found.response.lines) {
        const Complex truth = sampledResponse(plant, line.frequency_hz, kStep_s, Hold::step);
        inside += std::abs(line.h1 - truth) <= line.radius ? 1U : 0U;
        ++lines;
      }
    }
    qInfo("%zu of %zu lines", inside, lines);
    QVERIFY(10 * inside >= 9 * lines);
  }

  void aBandOfOnesOwnIsFittedAlone() {
    const InputOutput pair = excited(publishedPlant());
    IdentifySpec spec;
    spec.band_hz = {1.0, 15.0};
    spec.poles = 3;
    spec.delay_s = 0.0;
    const Identification found = identify(pair.input, pair.output, spec);
    QVERIFY(!found.from_record && !found.proposed && found.record);
    QVERIFY(found.response.lines.front().frequency_hz >= 1.0 && found.response.lines.back().frequency_hz <= 15.0);
    compareRelative(found.model->dcGain(), publishedPlant().dcGain(), 2e-3, "gain");
    QVERIFY(found.deviation_percent < 1.0);
    QCOMPARE(found.model->delay_s, 0.0);
  }

  void segmentsOfOnesOwn() {
    const InputOutput pair = excited(publishedPlant());
    IdentifySpec spec;
    spec.segment_s = 2.0;
    if (!test::kThorough) spec.poles = 3;
    const Identification found = identify(pair.input, pair.output, spec);
    QVERIFY(found.method == ResponseMethod::segments);
    QCOMPARE(found.segments.length, std::size_t{2000});
  }

  void oneSineTellsNoModel() {
    InputOutput pair;
    for (int k = 0; k < (test::kThorough ? 20000 : 8000); ++k)
      pair.input.push_back(std::sin(kTwoPi * 8.0 * k * kStep_s));
    pair.output = simulate(publishedPlant(), pair.input, kStep_s, Hold::step);
    IdentifySpec spec;
    const Identification found = identify(pair.input, pair.output, spec);
    QVERIFY(!found.model && has(found, "too-few-data"));
    spec.poles = 1;
    QVERIFY(identify(pair.input, pair.output, spec).model.has_value());  // who asks for one gets one, told
  }

  void unstableAndWrongWayAreSaid() {
    const std::vector<double> u = sampled(lowCrestSines({1.0, 0.25, 20.0, kPeriod_s}), kRate_hz, 5000);
    const std::vector<double> y = simulate({{30.0}, {-1.0, 1.0}, 0.0}, u, kStep_s, Hold::step);
    IdentifySpec spec;
    spec.poles = 1;
    spec.delay_s = 0.0;
    const Identification unstable = identify(u, y, spec);
    QVERIFY(has(unstable, "unstable") && !unstable.record);
    compareRelative(poles(*unstable.model)[0].real(), 1.0, 0.01, "pole");

    const InputOutput pair = excited({{60000.0, -300.0}, {60000.0, 500.0, 1.0}, 0.0});
    spec.poles = 2;
    spec.zeros = 1;
    const Identification wrong_way = identify(pair.input, pair.output, spec);
    QVERIFY(has(wrong_way, "non-minimum-phase"));
    compareRelative(zeros(*wrong_way.model)[0].real(), 200.0, 0.02, "zero");
  }

  void tooHighAnOrderAndTooLittleCoherenceAreSaid() {
    const InputOutput pair = excited(secondOrderServo(28.0, 0.7));
    IdentifySpec spec;
    spec.poles = test::kThorough ? 5 : 3;
    spec.zeros = test::kThorough ? 4 : 2;
    QVERIFY(has(identify(pair.input, pair.output, spec), "order-too-high"));
    if (!test::kThorough) return;
    IdentifySpec any;  // proposed, which takes long beside noise
    QVERIFY(has(identify(pair.input, noise(pair.input.size(), 1.0, 3), any), "low-coherence"));
  }

  void whatCannotBeLookedAtIsRefused_data() {
    QTest::addColumn<QString>("where");
    QTest::addColumn<int>("which");
    int which = 0;
    for (const char* where : {"band", "band", "order", "order", "order", "order", "delay", "delay", "segment",
                              "segment", "input", "output", "output", "input"})
      QTest::addRow("%d %s", which, where) << QString::fromLatin1(where) << which, ++which;
  }
  void whatCannotBeLookedAtIsRefused() {
    QFETCH(QString, where);
    QFETCH(int, which);
    InputOutput pair = excited(publishedPlant());
    std::vector<IdentifySpec> specs(14);
    specs[0].band_hz = {1.0, 600.0};
    specs[1].band_hz = {kNoValue, 20.0};
    specs[2].poles = 9;
    specs[3].poles = 0;
    specs[4].zeros = 1;
    specs[5].poles = 2, specs[5].zeros = 3;
    specs[6].delay_s = -0.001;
    specs[7].delay_s = kNoValue;
    specs[8].segment_s = 0.001;
    specs[9].segment_s = 1e9;
    if (which == 10) pair.input.assign(pair.input.size(), 0.25);
    if (which == 11) pair.output[77] = kNoValue;
    if (which == 12) pair.output.assign(pair.input.size(), 0.0);
    if (which == 13) pair = {{1.0, 2.0}, {2.0, 1.0}};
    try {
      identify(pair.input, pair.output, specs[static_cast<std::size_t>(which)]);
      QFAIL("accepted");
    } catch (const InputError& error) {
      QCOMPARE(QString::fromStdString(error.issues().front().where), where);
      QVERIFY(error.issues().front().message.ends_with('.'));
    }
  }
};

HYB_SUITE(identification, IdentifyTest)
#include "identify.moc"
