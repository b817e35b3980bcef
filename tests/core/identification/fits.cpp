// Models from responses and records: known plants come back, and what is wrong with a model is said.
#include "core/identification/findings.h"
#include "core/identification/order.h"
#include "core/identification/record_fit.h"
#include "core/identification/response_fit.h"
#include "core/identification/simulate.h"
#include "tests/support/compare.h"
#include "tests/support/identified.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Complex = std::complex<double>;
using What = IdentificationFinding::What;

/// Lines of a plant as a faultless measurement would find them.
MeasuredResponse linesOf(const TransferModel& model, Hold hold) {
  MeasuredResponse response;
  response.averages = 10.0;
  response.segments = 10;
  for (int k = 1; k <= 120; ++k) {
    ResponseLine line;
    line.frequency_hz = 0.5 * k;
    line.h1 = line.h2 = hold == Hold::step ? heldResponse(model, line.frequency_hz, kStep_s)
                                           : sampledResponse(model, line.frequency_hz, kStep_s, hold);
    line.coherence = 1.0;
    line.input_power = 1.0;
    response.lines.push_back(line);
  }
  return response;
}

/// 10 periods of a multi-sine and what a plant makes of it, with noise.
struct Measured {
  std::vector<double> input, output;
  MeasuredResponse response;
};
Measured measured(const TransferModel& model, double noise_share, std::uint64_t seed) {
  constexpr double to_hz = 60.0;
  static const std::vector<double> input =
      sampled(lowCrestSines({1.0, 0.25, to_hz, kPeriod_s}), kRate_hz, 11 * kLength);
  Measured m;
  m.input = input;
  m.output = simulate(model, m.input, kStep_s, Hold::step);
  m.output = plus(m.output, noise(m.output.size(), noise_share * rmsOf(m.output), seed));
  CrossSpectra spectra({kRate_hz, kLength, kLength, SegmentSpec::Window::none});
  spectra.add(std::span(m.input).subspan(kLength), std::span(m.output).subspan(kLength));
  m.response = spectra.response().within(0.25, to_hz);
  return m;
}

bool has(const std::vector<IdentificationFinding>& findings, What what) {
  return std::any_of(findings.begin(), findings.end(), [&](const auto& finding) { return finding.what == what; });
}

void compareModels(const TransferModel& found, const TransferModel& truth, double share) {
  QCOMPARE(found.denominator.size(), truth.denominator.size());
  QCOMPARE(found.numerator.size(), truth.numerator.size());
  for (std::size_t i = 0; i < truth.denominator.size(); ++i)
    compareRelative(found.denominator[i], truth.denominator[i], share, "denominator");
  for (std::size_t i = 0; i < truth.numerator.size(); ++i)
    compareRelative(found.numerator[i], truth.numerator[i], share, "numerator");
}

}  // namespace

class FitsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void rootsAndGain() {
    const auto roots = rootsOf({-6.0e6, 11.0e4, -6.0e2, 1.0});  // 100, 200, 300
    QCOMPARE(roots.size(), std::size_t{3});
    for (int i = 0; i < 3; ++i)
      compare(std::abs(roots[static_cast<std::size_t>(i)] - 100.0 * (i + 1)), 0.0, 1e-9, "root");
    QCOMPARE(rootsOf({0.0, 0.0, 5.0}).size(), std::size_t{2});
    QVERIFY(rootsOf({3.0}).empty() && rootsOf({3.0, 0.0}).empty());
    const auto plant = poles(publishedPlant());  // araya-2023, section 5.2
    compare(plant[0].real(), -57.138, 1e-3, "real pole");
    compare(plant[1].real(), -182.524, 1e-3, "pair");
    compare(std::abs(plant[1].imag()), 215.663, 1e-3, "pair");
    compare(publishedPlant().dcGain(), 0.98604, 1e-5, "gain at rest");
    QVERIFY(stable(publishedPlant()) && minimumPhase(publishedPlant()));
  }

  void mirroredHasTheSameMagnitude() {
    const TransferModel model{{5000.0, -12.0, -3.0, 1.0}, {9e4, 2e3, 90.0, 1.0}, 0.002};
    QVERIFY(!minimumPhase(model));
    const TransferModel other = mirrored(model);
    QVERIFY(minimumPhase(other));
    compare(other.dcGain(), std::abs(model.dcGain()), 1e-12, "at rest");
    for (const double hz : {0.1, 1.0, 3.0, 20.0})
      compareRelative(std::abs(other.response(hz)), std::abs(model.response(hz)), 1e-9, "magnitude");
    // (1 - s / z) / (1 + s / z) lags by 2 / z.
    const TransferModel one = mirrored({{40.0, -1.0}, {40.0, 1.0}, 0.0});
    compareRelative(one.dcGain(), 1.0, 1e-12, "gain");
    compareRelative(zeros(one)[0].real(), -40.0, 1e-12, "zero");
  }

  void simulatedStepOfOnePole_data() {
    QTest::addColumn<double>("delay_s");
    for (const double delay_s : {0.0, 0.0003, 0.001, 0.00475}) QTest::addRow("%g s", delay_s) << delay_s;
  }
  /// A held step of 1 from the first row on: 1 - e^(-a (t - delay)).
  void simulatedStepOfOnePole() {
    QFETCH(double, delay_s);
    const std::vector<double> y =
        simulate({{30.0}, {30.0, 1.0}, delay_s}, std::vector<double>(200, 1.0), kStep_s, Hold::step);
    for (std::size_t k = 0; k < y.size(); ++k) {
      const double t = static_cast<double>(k) * kStep_s - delay_s;
      compare(y[k], t > 0.0 ? -std::expm1(-30.0 * t) : 0.0, 1e-12, "output");
    }
  }
  /// A ramp that goes straight between the rows: t - (1 - e^(-a t)) / a; likewise with as many zeros as poles.
  void simulatedRampOfOnePole() {
    std::vector<double> ramp(200);
    for (std::size_t k = 0; k < ramp.size(); ++k) ramp[k] = static_cast<double>(k) * kStep_s;
    for (const double delay_s : {0.0, 0.0004, 0.0027}) {
      const std::vector<double> lag = simulate({{30.0}, {30.0, 1.0}, delay_s}, ramp, kStep_s, Hold::line);
      const std::vector<double> lead = simulate({{30.0, 2.0}, {30.0, 1.0}, delay_s}, ramp, kStep_s, Hold::line);
      for (std::size_t k = 0; k + 1 < ramp.size(); ++k) {
        const double t = std::max(0.0, static_cast<double>(k) * kStep_s - delay_s);
        const double lagging = t + std::expm1(-30.0 * t) / 30.0, rate = -std::expm1(-30.0 * t);
        compare(lag[k], lagging, 1e-12, "lag");
        compare(lead[k], lagging + 2.0 * rate / 30.0, 1e-12, "lead");
      }
    }
  }
  /// Settled sines are those of the closed form with all aliases.
  void simulatedSineIsTheHeldResponse() {
    const TransferModel model = secondOrderServo(28.0, 0.7, 0.00123);
    std::vector<double> u(4000);
    for (std::size_t k = 0; k < u.size(); ++k) u[k] = std::sin(kTwoPi * 50.0 * static_cast<double>(k) * kStep_s);
    const std::vector<double> y = simulate(model, u, kStep_s, Hold::step);
    const Complex h = heldResponse(model, 50.0, kStep_s);
    for (std::size_t k = 3000; k < y.size(); ++k)
      compare(y[k], std::abs(h) * std::sin(kTwoPi * 50.0 * static_cast<double>(k) * kStep_s + std::arg(h)), 1e-6,
              "sine");
  }

  /// The same in the frequency domain, for sines that go straight between the rows too: those of the simulation.
  void sampledResponseIsThatOfTheSimulation() {
    for (const double delay_s : {0.0, 0.00123}) {
      TransferModel model = secondOrderServo(28.0, 0.7, delay_s);
      model.numerator = {model.numerator[0], 200.0, 0.5};  // as many zeros as poles
      for (const Hold hold : {Hold::step, Hold::line}) {
        std::vector<double> u(4000);
        for (std::size_t k = 0; k < u.size(); ++k) u[k] = std::cos(kTwoPi * 70.0 * static_cast<double>(k) * kStep_s);
        const std::vector<double> y = simulate(model, u, kStep_s, hold);
        const Complex h = sampledResponse(model, 70.0, kStep_s, hold);
        for (std::size_t k = 3000; k + 1 < y.size(); ++k)
          compare(y[k], (h * std::polar(1.0, kTwoPi * 70.0 * static_cast<double>(k) * kStep_s)).real(), 1e-9, "sine");
      }
      const Complex closed = heldResponse(secondOrderServo(28.0, 0.7, delay_s), 70.0, kStep_s);
      compare(std::abs(sampledResponse(secondOrderServo(28.0, 0.7, delay_s), 70.0, kStep_s, Hold::step) - closed), 0.0,
              1e-7, "closed form");
    }
  }

  void faultlessLinesGiveTheModelBack_data() {
    QTest::addColumn<bool>("line");
    QTest::addColumn<bool>("find");
    for (const bool line : {false, true})
      for (const bool find : {false, true})
        QTest::addRow("%s%s", line ? "line" : "step", find ? ", delay" : "") << line << find;
  }
  void faultlessLinesGiveTheModelBack() {
    QFETCH(bool, line);
    QFETCH(bool, find);
    const Hold hold = line ? Hold::line : Hold::step;
    TransferModel two = secondOrderServo(28.0, 0.7);
    two.numerator.push_back(90.0);  // a zero as well
    for (TransferModel truth : {publishedPlant(), two, secondOrderServo(12.0, 0.05)}) {
      if (find) truth.delay_s = 0.0087;
      OrderSpec order{truth.poleCount(), truth.zeroCount(), truth.delay_s};
      if (find) order.delay_s = std::nullopt;
      const auto fit = fitResponse(linesOf(truth, hold), order, hold, kStep_s);
      QVERIFY(fit.has_value());
      compareModels(fit->model, truth, 1e-5);
      compare(fit->model.delay_s, truth.delay_s, 1e-8, "delay");
      QVERIFY(fit->deviation_percent < 1e-3);
    }
  }

  void orderIsProposed_data() {
    QTest::addColumn<int>("plant");
    QTest::addColumn<int>("seed");
    for (int plant = test::kThorough ? 0 : 3; plant < 4; ++plant)
      for (int seed = 1; seed <= (test::kThorough ? 3 : 1); ++seed)
        QTest::addRow("%d, %d", plant, seed) << plant << seed;
  }
  /// 1 % of noise: poles, zeros and whether there is a delay come out as they are.
  void orderIsProposed() {
    QFETCH(int, plant);
    QFETCH(int, seed);
    TransferModel two = secondOrderServo(20.0, 0.1);
    two.numerator = {two.numerator[0], 150.0};
    const TransferModel truth =
        std::vector<TransferModel>{secondOrderServo(28.0, 0.7, 0.006),
                                   publishedPlant(),
                                   two,
                                   {{50.0}, {50.0, 1.0}, 0.012}}[static_cast<std::size_t>(plant)];
    const Measured m = measured(truth, 0.01, static_cast<std::uint64_t>(seed));
    const OrderChoice choice = proposeOrder(m.response, std::nullopt, Hold::step, kStep_s, 4);
    const OrderCandidate& best = choice.best();
    QCOMPARE(best.order.poles, truth.poleCount());
    QCOMPARE(best.order.zeros, truth.zeroCount());
    QCOMPARE(best.order.delay_s.has_value(), truth.delay_s == 0.0);
    compare(best.fit.model.delay_s, truth.delay_s, 1e-4, "delay");
    QVERIFY2(best.fit.error > 0.3 && best.fit.error < 1.3, qPrintable(QString::number(best.fit.error)));
    // Twice as many parameters as the data tell of are found out.
    const OrderSpec high{4, 3, std::nullopt};
    const auto fit = fitResponse(m.response, high, Hold::step, kStep_s);
    QVERIFY(fit && has(findingsOf(high, *fit, choice), What::order_too_high));
    QVERIFY(findingsOf(best.order, best.fit, choice).empty());
  }

  /// The record itself: noise of 1 % over 44,000 rows leaves a few thousandths of the coefficients. Offset and the
  /// state at the first row are none of the model's.
  void recordGivesTheModelBack() {
    for (const double delay_s : {0.0, 0.0087}) {
      if (!test::kThorough && delay_s == 0.0) continue;
      TransferModel truth = publishedPlant();
      truth.delay_s = delay_s;
      Measured m = measured(truth, 0.01, 5);
      for (double& value : m.output) value += 0.3;
      const auto start = fitResponse(m.response, {3, 0, std::nullopt}, Hold::step, kStep_s);
      QVERIFY(start.has_value());
      RecordFitSpec spec;
      spec.find_delay = true;
      const auto fit =
          fitRecord(start->model, spec, std::span(m.input).subspan(2345), std::span(m.output).subspan(2345), kStep_s);
      QVERIFY(fit.has_value());
      compareModels(fit->model, truth, 0.01);
      compare(fit->model.delay_s, delay_s, 5e-5, "delay");
      compare(fit->offset, 0.3, 1e-3, "offset");
      compare(fit->fit_percent, 99.0, 0.05, "fit");
      // Judging the truth finds the same figure, a little lower.
      const auto judged =
          judgeRecord(truth, spec, std::span(m.input).subspan(2345), std::span(m.output).subspan(2345), kStep_s);
      QVERIFY(judged && judged->fit_percent <= fit->fit_percent);
      compare(judged->fit_percent, fit->fit_percent, 0.01, "fit of the truth");
    }
  }

  /// Without noise to the digits of the search, at rest from the first row.
  void recordWithoutNoise() {
    const std::vector<double> u = sampled(lowCrestSines({1.0, 0.25, 60.0, kPeriod_s}), kRate_hz, kLength);
    const std::vector<double> y = simulate(publishedPlant(), u, kStep_s, Hold::line);
    RecordFitSpec spec{Hold::line, true, false, false};
    TransferModel start = secondOrderServo(20.0, 0.7);
    start.denominator = {3e6, 6e4, 300.0, 1.0};
    const auto fit = fitRecord(start, spec, u, y, kStep_s);
    QVERIFY(fit.has_value());
    compareModels(fit->model, publishedPlant(), 1e-6);
    QVERIFY(fit->fit_percent > 99.999);
    // Started unstable it comes home as well.
    start.denominator = {3e6, 6e4, -300.0, 1.0};
    const auto again = fitRecord(start, spec, u, y, kStep_s);
    QVERIFY(again.has_value());
    compareModels(again->model, publishedPlant(), 1e-6);
  }

  void whatIsWrongWithAModelIsSaid() {
    const TransferModel good = publishedPlant();
    QVERIFY(findingsOf(good).empty());
    const auto unstable = findingsOf(TransferModel{{100.0}, {100.0, -2.0, 1.0}, 0.0});
    QVERIFY(has(unstable, What::unstable));
    const auto right = findingsOf(TransferModel{{100.0, -1.0}, {100.0, 20.0, 1.0}, 0.0});
    QVERIFY(has(right, What::non_minimum_phase));
    QVERIFY2(right[0].sentence.find("leaves 20 ms of lag") != std::string::npos, right[0].sentence.c_str());
    const auto cancelling = findingsOf(TransferModel{{101.0, 1.0}, {100.0 * 30.0, 130.0, 1.0}, 0.0});
    QVERIFY(has(cancelling, What::cancelling));
  }

  void whatIsWrongWithDataIsSaid() {
    const Measured fine = measured(publishedPlant(), 0.01, 1);
    QVERIFY(findingsOf(fine.response).empty());
    const Measured noisy = measured(publishedPlant(), 30.0, 1);
    QVERIFY(has(findingsOf(noisy.response), What::low_coherence));
    CrossSpectra two({kRate_hz, kLength, kLength});
    two.add(std::span(fine.input).first(2 * kLength), std::span(fine.output).first(2 * kLength));
    QVERIFY(has(findingsOf(two.response().within(1.0, 50.0)), What::too_few_data));
    MeasuredResponse few = fine.response;
    few.lines.resize(2);
    QVERIFY(!fitResponse(few, {3, 2, std::nullopt}, Hold::step, kStep_s).has_value());
    QVERIFY(proposeOrder(MeasuredResponse(), std::nullopt, Hold::step, kStep_s).candidates.empty());
    QVERIFY(
        !fitRecord(publishedPlant(), {}, std::span(fine.input).first(20), std::span(fine.output).first(20), kStep_s));
  }
};

HYB_SUITE(identified_models, FitsTest)
#include "fits.moc"
