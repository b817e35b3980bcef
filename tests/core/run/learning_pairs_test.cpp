/// Who learns from pairs has pairs that belong together: what is sent in a tick, and the motion that it moves. Asked of
/// whole runs of the twin.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <vector>

#include "core/assess/stability_report.h"
#include "core/base/numbers.h"
#include "core/project/families.h"
#include "tests/support/compare.h"
#include "tests/support/family_example.h"
#include "tests/support/suite.h"
#include "tests/support/template_run.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// A sine moves a mass, a soft specimen hangs on an actuator with a lag.
Json sineOnALag(double rate_hz, double hz, double lag_s, bool ahead) {
  Json document = templateDocument("face-linear");
  document["partition"]["physical"]["k"] = Json::parse("[[0.01]]");
  document["structure"]["links"][1]["stiffness_n_per_m"] = 0.01;
  document["excitation"]["signals"] =
      Json::array({Json{{"name", "weight"}, {"kind", "sine"}, {"amplitude_n", 100}, {"frequency_hz", hz}}});
  document["coupling"]["ahead"] = ahead;
  document["rig"]["actuators"] = Json::array({Json{{"model", "first-order"}, {"lag_s", lag_s}}});
  document["safety"]["limits"] = Json::parse(R"([{"quantity": "not-a-number", "action": "stop"}])");
  document["loop"]["rate_hz"] = rate_hz;
  document["loop"]["soft_end_s"] = 0;
  document["analysis"].erase("face");
  return document;
}

/// Amplitude of a channel at `hz` over rows that are whole periods; phase 0: a cosine about row `zero`.
std::complex<double> amplitudeAt(const std::vector<double>& x, std::size_t from, std::size_t count, std::size_t zero,
                                 double hz, double rate_hz) {
  std::complex<double> sum = 0.0;
  for (std::size_t k = from; k < from + count; ++k)
    sum += x[k] * std::polar(2.0 / static_cast<double>(count),
                             -kTwoPi * hz * (static_cast<double>(k) - static_cast<double>(zero)) / rate_hz);
  return sum;
}

}  // namespace

class LearningPairsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theMotionIsLedToTheTargetOfItsOwnInstant_data() {
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<bool>("ahead");
    for (const char* method : {"adaptive-forward-prediction", "adaptive-inverse-model", "adaptive-time-series",
                               "adaptive-fir", "adaptive-phase-lead"})
      for (const bool ahead : {false, true})
        QTest::addRow("%s%s", method, ahead ? ", ahead" : "") << QByteArray(method) << ahead;
  }
  /// Whatever has learnt for long enough leaves no delay between target and motion of the rows: not a tick of lead,
  /// either, where the compensation gets the target of the next tick.
  void theMotionIsLedToTheTargetOfItsOwnInstant() {
    QFETCH(QByteArray, method);
    QFETCH(bool, ahead);
    constexpr double kRate_hz = 1000.0, kSine_hz = 4.0;
    constexpr std::size_t kRows = 60'000, kLast = 5'000;
    Json document = sineOnALag(kRate_hz, kSine_hz, 0.012, ahead);
    document["loop"]["duration_s"] = 1e-3 * kRows;
    document["compensation"] = exampleOf(branchOf("compensation", method.toStdString()));
    const TemplateRun run(document);
    QCOMPARE(run.ended(), EndReason::completed);
    const auto of = [&](const char* channel) {
      return amplitudeAt(run.channel(channel), kRows - kLast, kLast, 0, kSine_hz, kRate_hz);
    };
    const std::complex<double> ratio = of("measured_1") / of("target_1");
    const double late_ticks = -std::arg(ratio) / (kTwoPi * kSine_hz) * kRate_hz;
    QVERIFY2(std::abs(late_ticks) < 0.1, qPrintable(QString("%1 ticks").arg(late_ticks)));
  }

  void trialsChangeByTheFactorOfTheCondition_data() {
    QTest::addColumn<bool>("ahead");
    QTest::newRow("usual") << false;
    QTest::newRow("ahead") << true;
  }
  /// e_(j+1) = a e_j + b at each frequency: what e changes by from trial to trial has the ratio |a|, whatever b. Held
  /// commands move a lag exactly by x_(k+1) = r x_k + (1 - r) u_k, r = e^(-tick/lag), so that |a| is known where a tick
  /// is a large part of the period, too. The convergence condition has it but for the images of the sine.
  void trialsChangeByTheFactorOfTheCondition() {
    QFETCH(bool, ahead);
    constexpr double kRate_hz = 100.0, kSine_hz = 8.0, kLag_s = 0.02, kTick_s = 1.0 / kRate_hz;
    constexpr double kProportional = 0.8, kDerivative_s = 0.01, kCutoff_hz = 10.0;
    constexpr std::size_t kTrial = 800, kPause = 100, kSkip = 200, kCount = 400;
    Json document = sineOnALag(kRate_hz, kSine_hz, kLag_s, ahead);
    document["loop"]["duration_s"] = 0;
    document["loop"]["trials"] = {{"count", 3}, {"length_s", 8}, {"pause_s", 1}};
    document["compensation"] = {{"method", "none"},
                                {"additions",
                                 {{{"addition", "iterative-learning"},
                                   {"proportional", kProportional},
                                   {"derivative_s", kDerivative_s},
                                   {"cutoff_hz", kCutoff_hz}}}}};
    const TemplateRun run(document);
    QCOMPARE(run.ended(), EndReason::completed);
    const std::vector<double> gap = run.channel("gap_1");
    std::array<std::complex<double>, 3> error;
    for (std::size_t j = 0; j < error.size(); ++j) {
      const std::size_t start = 1 + j * (kTrial + kPause);
      error[j] = amplitudeAt(gap, start + kSkip, kCount, start, kSine_hz, kRate_hz);
    }
    const double found = std::abs(error[2] - error[1]) / std::abs(error[1] - error[0]);
    const std::complex<double> before = std::polar(1.0, -kTwoPi * kSine_hz * kTick_s),
                               law = kProportional + kDerivative_s / kTick_s * (1.0 - before);
    const double q = 1.0 /
                     (1.0 + std::pow(std::tan(kPi * kSine_hz * kTick_s) / std::tan(kPi * kCutoff_hz * kTick_s), 2)),
                 kept = std::exp(-kTick_s / kLag_s);
    compareRelative(found, q * std::abs(1.0 - law * (1.0 - kept) / (1.0 - kept * before)), 1e-3, "factor");

    const Json curve = stabilityReport(parseProject(document)).at("learning").at(0).at("over_frequency");
    const auto hz = curve.at("frequency_hz").get<std::vector<double>>(),
               factor = curve.at("factor").get<std::vector<double>>();
    const auto above = static_cast<std::size_t>(std::ranges::lower_bound(hz, kSine_hz) - hz.begin());
    QVERIFY(above > 0 && above < hz.size());
    const double share = (kSine_hz - hz[above - 1]) / (hz[above] - hz[above - 1]),
                 told = factor[above - 1] + share * (factor[above] - factor[above - 1]);
    double images = 0.0;
    for (int m = -100; m <= 100; ++m) {
      const std::complex<double> s(0.0, kTwoPi * (kSine_hz + m * kRate_hz));
      if (m != 0) images += std::abs((1.0 - std::exp(-s * kTick_s)) / (s * kTick_s) / (1.0 + s * kLag_s));
    }
    QVERIFY2(std::abs(found - told) < images * q * std::abs(law), qPrintable(QString("%1 %2").arg(found).arg(told)));
  }
};

HYB_SUITE(learning_pairs, LearningPairsTest)
#include "learning_pairs_test.moc"
