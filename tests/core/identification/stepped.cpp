// Frequency responses from stepped sines: the closed form of a known plant, and the interval of the phasors.
#include "core/identification/identify.h"
#include "core/identification/simulate.h"
#include "tests/support/compare.h"
#include "tests/support/identified.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Complex = std::complex<double>;

struct SteppedRows {
  std::vector<double> input, output;
  std::vector<SineStep> steps;
};

/// The plant from rest, driven over all steps.
SteppedRows stepped(const TransferModel& plant, const SteppedSineSpec& spec) {
  SteppedRows rows;
  rows.steps = stepsOf(spec);
  const std::unique_ptr<Signal> signal = makeSteppedSine(spec);
  const auto count = static_cast<std::size_t>(std::ceil(rows.steps.back().end_s * kRate_hz)) + 1;
  for (std::size_t k = 0; k < count; ++k) rows.input.push_back(signal->value(static_cast<double>(k) * kStep_s));
  rows.output = simulate(plant, rows.input, kStep_s, Hold::step);
  return rows;
}

IdentifySpec specOf(const SteppedRows& rows) {
  IdentifySpec spec;
  spec.steps = rows.steps;
  spec.poles = 2;
  spec.delay_s = 0.0005;
  spec.compare_orders = false;
  return spec;
}

}  // namespace

class SteppedResponseTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Frequencies of which no period is a whole number of ticks: the sampled response in closed form.
  void closedFormOfAKnownPlant() {
    const TransferModel plant = secondOrderServo(28.0, 0.35, 0.0005);
    const SteppedRows rows = stepped(plant, {0.002, 3.137, 71.3, 17, false, 0.5, 12});
    const Identification found = identify(rows.input, rows.output, specOf(rows));
    QVERIFY(found.method == ResponseMethod::steps);
    QCOMPARE(found.response.lines.size(), std::size_t{17});
    QCOMPARE(found.phasors.size(), std::size_t{17});
    QVERIFY2(found.findings.empty(), found.findings.empty() ? "" : found.findings.front().sentence.c_str());
    for (std::size_t k = 0; k < 17; ++k) {
      const ResponseLine& line = found.response.lines[k];
      const Complex truth = heldResponse(plant, line.frequency_hz, kStep_s);
      compare(line.frequency_hz, rows.steps[k].frequency_hz, 1e-12, "frequency");
      compare(std::abs(line.h1 / truth - 1.0), 0.0, 2e-7, "error");
      QVERIFY(line.coherence > 1.0 - 1e-9);
      QCOMPARE(found.phasors[k].periods.size(), std::size_t{12});
      Complex sum;
      for (const Complex phasor : found.phasors[k].periods) sum += phasor;
      compare(std::abs(sum / 12.0 - line.h1), 0.0, 1e-12, "mean of the phasors");
    }
    compareRelative(std::sqrt(found.model->denominator[0]), kTwoPi * 28.0, 1e-4, "natural frequency");
    compareRelative(found.model->denominator[1] / found.model->denominator[2], 2.0 * 0.35 * kTwoPi * 28.0, 1e-3,
                    "damping");
  }

  void radiusHolds_data() {
    QTest::addColumn<double>("noise_share");
    QTest::addColumn<bool>("in_input");
    QTest::addColumn<int>("periods");
    QTest::addColumn<double>("settle_s");
    QTest::addColumn<double>("damping");  // 0.1 decays to 1/e in 57 ms, 0.01 in 570 ms
    QTest::newRow("no noise") << 0.0 << false << 10 << 0.3 << 0.1;
    QTest::newRow("no noise, barely settled") << 0.0 << false << 10 << 0.05 << 0.1;
    QTest::newRow("1 % noise") << 0.01 << false << 10 << 0.3 << 0.1;
    QTest::newRow("10 % noise, three periods") << 0.1 << false << 3 << 0.3 << 0.1;
    QTest::newRow("noise in input and output") << 0.03 << true << 10 << 0.3 << 0.1;
    QTest::newRow("noise, barely settled") << 0.003 << false << 10 << 0.05 << 0.1;
    QTest::newRow("noise, not settled at all") << 0.003 << false << 20 << 0.0 << 0.1;
    QTest::newRow("no noise, slow decay") << 0.0 << false << 10 << 2.0 << 0.01;
    QTest::newRow("noise, slow decay") << 0.003 << false << 10 << 2.0 << 0.01;
    QTest::newRow("no noise, slow decay, few periods") << 0.0 << false << 4 << 2.0 << 0.01;
  }
  /// 100 seeded records of 8 frequencies: the truth is inside the radius in at least 90 of 100 cases. With slow decay
  /// the frequencies lie about the resonance of 28 Hz.
  void radiusHolds() {
    QFETCH(double, noise_share);
    QFETCH(bool, in_input);
    QFETCH(int, periods);
    QFETCH(double, settle_s);
    QFETCH(double, damping);
    const TransferModel plant = secondOrderServo(28.0, damping, 0.0005);
    std::size_t inside = 0, lines = 0;
    double standard_errors = 0.0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      std::mt19937_64 random(seed);
      std::uniform_real_distribution<double> uniform(0.0, 1.0);
      const double width = damping < 0.1 ? 0.1 : 1.0, from_hz = 28.0 + width * (uniform(random) - 23.0),
                   to_hz = 28.0 + width * (35.0 + 5.0 * uniform(random));
      SteppedRows rows = stepped(plant, {1.0, from_hz, to_hz, 8, false, settle_s, periods});
      const double rms = noise_share * rmsOf(rows.output);
      if (noise_share > 0.0) rows.output = plus(rows.output, noise(rows.output.size(), rms, 1000 + seed));
      if (in_input) rows.input = plus(rows.input, noise(rows.input.size(), rms, 2000 + seed));
      const SteppedResponse found = steppedResponse(rows.input, rows.output, kRate_hz, 0.0, rows.steps);
      QCOMPARE(found.response.lines.size(), std::size_t{8});
      for (std::size_t k = 0; k < found.response.lines.size(); ++k) {
        const ResponseLine& line = found.response.lines[k];
        const Complex truth = sampledResponse(plant, line.frequency_hz, kStep_s, Hold::step);
        inside += std::abs(line.h1 - truth) <= line.radius ? 1U : 0U;
        standard_errors += line.radius / (found.phasors[k].scatter / std::sqrt(static_cast<double>(periods)));
        ++lines;
      }
    }
    qInfo("%zu of %zu inside; radius %.2f standard errors", inside, lines,
          standard_errors / static_cast<double>(lines));
    QVERIFY(10 * inside >= 9 * lines);
  }

  /// The interval is no larger than it has to be. Without transients and with settling twice as long as the measured
  /// periods, the change that exceeds the expected scatter adds sqrt(2) E[sqrt(max(0, X - 1))] standard errors at most,
  /// X distributed as F with 2 and 18 degrees of freedom: 0.284 of the quantile. The mean of 800 has a standard error
  /// of 0.015.
  void radiusIsNotWide() {
    const TransferModel plant = secondOrderServo(28.0, 0.7);
    double sum = 0.0;
    std::size_t lines = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      SteppedRows rows = stepped(plant, {1.0, 5.0, 60.0, 8, false, 4.0, 10});
      rows.output = plus(rows.output, noise(rows.output.size(), 0.02, seed));
      const SteppedResponse found = steppedResponse(rows.input, rows.output, kRate_hz, 0.0, rows.steps);
      for (std::size_t k = 0; k < found.response.lines.size(); ++k, ++lines)
        sum += found.response.lines[k].radius / (found.phasors[k].scatter / std::sqrt(10.0));
    }
    const double quantile = std::sqrt(9.0 * (std::pow(0.05, -1.0 / 9.0) - 1.0));
    const double wider = sum / static_cast<double>(lines) / quantile;
    qInfo("%.3f of the quantile", wider);
    QVERIFY(wider > 1.0 && wider < 1.284 + 3.0 * 0.015);
  }

  void missingAndUnsettledFrequenciesAreSaid() {
    const TransferModel slow = secondOrderServo(10.0, 0.01);  // 1.6 s to 1/e
    SteppedRows rows = stepped(slow, {1.0, 9.0, 11.0, 5, false, 1.0, 10});
    const auto codes = [](const Identification& found) {
      std::vector<std::string> all;
      for (const IdentificationFinding& finding : found.findings) all.emplace_back(name(finding.what));
      return all;
    };
    IdentifySpec spec = specOf(rows);
    const std::vector<std::string> unsettled = codes(identify(rows.input, rows.output, spec));
    QVERIFY(std::ranges::find(unsettled, "not-settled") != unsettled.end());

    const SteppedRows settled = stepped(secondOrderServo(28.0, 0.7), {1.0, 5.0, 25.0, 5, false, 1.0, 10});
    spec = specOf(settled);
    const auto half = static_cast<std::ptrdiff_t>(std::lround(settled.steps[2].end_s * kRate_hz));
    const Identification cut =
        identify(std::span(settled.input).first(static_cast<std::size_t>(half)), settled.output, spec);
    QCOMPARE(cut.response.lines.size(), std::size_t{3});
    QVERIFY(cut.findings.front().sentence.find("2 frequencies") != std::string::npos);
    spec.steps_from_s = 1000.0;  // no step is in the record
    QVERIFY_THROWS_EXCEPTION(InputError, identify(settled.input, settled.output, spec));
    spec = specOf(settled);
    for (SineStep& step : spec.steps) step.frequency_hz *= 1.7;  // the input has no such sine
    QVERIFY_THROWS_EXCEPTION(InputError, identify(settled.input, settled.output, spec));
  }

  /// Few ticks in a period: as many periods as hold 8 rows make a phasor.
  void nearHalfTheRate() {
    const TransferModel plant = secondOrderServo(28.0, 0.7);
    const SteppedRows rows = stepped(plant, {1.0, 333.3, 441.0, 4, false, 0.3, 40});
    const SteppedResponse found = steppedResponse(rows.input, rows.output, kRate_hz, 0.0, rows.steps);
    QCOMPARE(found.response.lines.size(), std::size_t{4});
    QCOMPARE(found.phasors[0].periods.size(), std::size_t{13});  // 3 periods each
    for (const ResponseLine& line : found.response.lines)
      compare(std::abs(line.h1 / sampledResponse(plant, line.frequency_hz, kStep_s, Hold::step) - 1.0), 0.0, 1e-6,
              "error");
  }
};

HYB_SUITE(stepped_responses, SteppedResponseTest)
#include "stepped.moc"
