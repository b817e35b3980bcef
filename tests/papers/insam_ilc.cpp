/// Insam 2022, iterative learning in the closed loop of the contact project, trial by trial. Rows V-30 to V-37, V-77
/// and, of V-40, what concerns learning, of table D18 of the note; V-36 as the condition itself.
#include <algorithm>
#include <cmath>

#include "core/assess/stability_report.h"
#include "core/compensation/iterative_learning.h"
#include "core/project/project.h"
#include "tests/support/compare.h"
#include "tests/support/contact_bump.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"
#include "tests/support/template_run.h"
#include "tests/support/values.h"

using namespace hyb;

namespace {

constexpr std::size_t kTrialTicks = 4000, kPauseTicks = 1000;

struct Learning {
  double beta_per_s, gamma, cutoff_hz;
  int trials = 30;
  double damping = 200.0;   // of the upper dashpot, kg/s
  bool second_set = false;  // PPI2 in place of PPI1
  bool feedforward = false, passivity = false;
  const char* at = "velocity";
  bool learns = true;
};

Json projectOf(const Learning& scheme) {
  Json document = loadDocument(std::string(test::kSourceDir) + "/tests/data/projects/contact-bump.json");
  const double position_gain = scheme.second_set ? 50.0 : 20.0;
  for (const std::string& change : test::dampedBy(scheme.damping)) setValue(document, change);
  Json& actuator = document["rig"]["actuators"][0];
  actuator["position_gain_per_s"] = position_gain;
  actuator["integral_gain_a_per_m"] = scheme.second_set ? 5 : 1;
  actuator["velocity_feedforward"] = scheme.feedforward;
  if (scheme.passivity) document["coupling"]["force_stages"] = {{{"stage", "passivity"}}};
  document["loop"]["duration_s"] = 0;
  document["loop"]["trials"] = {{"count", scheme.trials}, {"length_s", 4}, {"pause_s", 1}};
  document["safety"]["limits"] = Json::parse(R"([{"quantity": "not-a-number", "action": "stop"}])");
  if (scheme.learns)
    document["compensation"]["additions"] = {{{"addition", "iterative-learning"},
                                              {"at", scheme.at},
                                              {"proportional", scheme.beta_per_s / position_gain},
                                              {"derivative_s", scheme.gamma / position_gain},
                                              {"cutoff_hz", scheme.cutoff_hz}}};
  return document;
}

/// What each trial came to.
struct Trial {
  double error = 0.0;  // RMS(z - z')/max|z|
  double largest_mm = 0.0;
};
std::vector<Trial> trialsOf(const Learning& scheme) {
  const test::TemplateRun run(projectOf(scheme));
  if (run.ended() != EndReason::completed) return {};
  const std::vector<double> gap = run.channel("gap_1"), target = run.channel("target_1");
  std::vector<Trial> trials;
  for (std::size_t from = 1; from + kTrialTicks <= gap.size(); from += kTrialTicks + kPauseTicks) {
    double squares = 0.0, way = 0.0;
    Trial trial;
    for (std::size_t k = from; k < from + kTrialTicks; ++k) {
      squares += gap[k] * gap[k];
      way = std::max(way, std::abs(target[k]));
      trial.largest_mm = std::max(trial.largest_mm, 1e3 * std::abs(gap[k]));
    }
    trial.error = std::sqrt(squares / static_cast<double>(kTrialTicks)) / way;
    trials.push_back(trial);
  }
  return trials;
}
QString listed(const std::vector<Trial>& trials) {
  QString text;
  for (const Trial& trial : trials) text += QString::number(trial.error, 'g', 4) + ' ';
  return text;
}
/// In contact, dB and Hz.
std::pair<double, double> peakOf(const Learning& scheme) {
  const Json condition = stabilityReport(parseProject(projectOf(scheme))).at("learning").at(0).at("in_contact");
  return {20.0 * std::log10(condition.at("largest").get<double>()), condition.at("frequency_hz").get<double>()};
}

}  // namespace

class InsamIlc : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void v30ConvergencePeak_data() {
    QTest::addColumn<double>("damping");
    QTest::addColumn<double>("beta");
    QTest::addColumn<double>("gamma");
    QTest::addColumn<double>("cutoff");
    QTest::addColumn<double>("peak_db");
    QTest::addColumn<double>("at_hz");
    QTest::newRow("V-30") << 200.0 << 16.0 << 1.0 << 2.0 << -10.03 << 5.15;
    QTest::newRow("V-31") << 200.0 << 16.0 << 1.0 << 12.0 << 6.27 << 5.25;
    QTest::newRow("standard") << 200.0 << 10.0 << 1.0 << 6.0 << 1.72 << 5.21;
    QTest::newRow("no rate") << 200.0 << 10.0 << 0.0 << 6.0 << -1.49 << 5.32;
    QTest::newRow("no rate, more") << 200.0 << 16.0 << 0.0 << 6.0 << 0.61 << 5.27;
    QTest::newRow("no rate, less") << 200.0 << 5.0 << 0.0 << 10.0 << -0.45 << 5.41;
    QTest::newRow("hardly damped") << 50.0 << 16.0 << 1.0 << 12.0 << 9.33 << 5.51;
    QTest::newRow("hardly damped, slow") << 50.0 << 10.0 << 2.0 << 2.0 << -2.41 << 5.41;
  }
  void v30ConvergencePeak() {
    QFETCH(double, damping);
    QFETCH(double, beta);
    QFETCH(double, gamma);
    QFETCH(double, cutoff);
    QFETCH(double, peak_db);
    QFETCH(double, at_hz);
    const auto [db, hz] = peakOf({.beta_per_s = beta, .gamma = gamma, .cutoff_hz = cutoff, .damping = damping});
    QVERIFY2(std::abs(db - peak_db) < 0.1 && std::abs(hz - at_hz) < 0.02,
             qPrintable(QString("%1 dB at %2 Hz").arg(db).arg(hz)));
  }
  void v30SecondSetPeaksAtRest() {
    const auto [db, hz] = peakOf({.beta_per_s = 10.0, .gamma = 1.0, .cutoff_hz = 6.0, .second_set = true});
    QVERIFY2(std::abs(db + 1.94) < 0.1 && hz < 0.1, qPrintable(QString("%1 dB at %2 Hz").arg(db).arg(hz)));
  }

  void v32SettledAtTheFourthTrial() {
    const auto trials = trialsOf({.beta_per_s = 16.0, .gamma = 1.0, .cutoff_hz = 2.0});
    QCOMPARE(trials.size(), std::size_t{30});
    const double expected[] = {0.0296, 0.0068, 0.0029, 0.0026, 0.0025};
    for (std::size_t t = 0; t < 5; ++t)
      QVERIFY2(test::isNear(trials[t].error, expected[t], 0.05), qPrintable(listed(trials)));
    for (std::size_t t = 5; t < 30; ++t)
      QVERIFY2(test::isNear(trials[t].error, 0.0025, 0.05), qPrintable(listed(trials)));
  }

  void v33TooHighACutOffMakesTheErrorRise() {
    const auto trials = trialsOf({.beta_per_s = 16.0, .gamma = 1.0, .cutoff_hz = 12.0, .trials = 10});
    QCOMPARE(trials.size(), std::size_t{10});
    QVERIFY2(trials[1].error < trials[0].error, qPrintable(listed(trials)));
    for (std::size_t t = 2; t < 7; ++t) QVERIFY2(trials[t].error > trials[t - 1].error, qPrintable(listed(trials)));
    // The sequence of the note's twin (D6.5). What grows does so from what one tick too late makes of it, too.
    const double expected[] = {0.0296, 0.0077, 0.0085, 0.0149, 0.0258, 0.0408, 0.0538};
    for (std::size_t t = 0; t < std::size(expected); ++t)
      QVERIFY2(test::isNear(trials[t].error, expected[t], 0.05), qPrintable(listed(trials)));
  }

  /// Final errors over the gain, the rate's gain and the cut-off: each falls along its sweep.
  void v34Sweeps() {
    struct Point {
      double beta, gamma, cutoff;
      int count;
      double last;
    };
    const std::vector<std::vector<Point>> sweeps{
        {{5.0, 0.0, 6.0, 30, 0.0023}, {10.0, 0.0, 6.0, 30, 0.0019}, {16.0, 0.0, 6.0, 15, 0.0017}},
        {{10.0, 0.0, 2.0, 30, 0.0035}, {10.0, 1.0, 2.0, 30, 0.0029}, {10.0, 2.0, 2.0, 30, 0.0024}},
        {{5.0, 0.0, 2.0, 30, 0.0045}, {5.0, 0.0, 6.0, 30, 0.0023}, {5.0, 0.0, 10.0, 30, 0.0017}}};
    for (const std::vector<Point>& sweep : sweeps) {
      double before = 1.0;
      for (const auto& [beta, gamma, cutoff, count, last] : sweep) {
        const auto trials = trialsOf({.beta_per_s = beta, .gamma = gamma, .cutoff_hz = cutoff, .trials = count});
        QCOMPARE(trials.size(), static_cast<std::size_t>(count));
        const double found = trials.back().error;
        QVERIFY2(test::isNear(found, last, 0.1) && found < before,
                 qPrintable(QString("%1 for %2, after %3").arg(found).arg(last).arg(before)));
        before = found;
      }
    }
  }

  void v35HardlyDampedLearnsWithPassivityControl() {
    const Learning alone{.beta_per_s = 10.0, .gamma = 2.0, .cutoff_hz = 2.0, .damping = 50.0};
    const auto without = trialsOf(alone);
    Learning both = alone;
    both.passivity = true;
    const auto with = trialsOf(both);
    QVERIFY(without.size() == 30 && with.size() == 30);
    QVERIFY2(without.back().error > 0.02, qPrintable(listed(without)));
    QVERIFY2(test::isNear(with.back().error, 0.0045, 0.15), qPrintable(listed(with)));
    for (std::size_t t = 1; t < 4; ++t) QVERIFY2(with[t].error < with[t - 1].error, qPrintable(listed(with)));
  }

  /// Q = 1 and L = -1/S: nothing is left. L with the backward difference, and the gap of the next tick.
  void v36TheInverseLeavesNothing() {
    const Json settings = {{"addition", "iterative-learning"}, {"proportional", 0.8}, {"derivative_s", 0.05}};
    const AdditionContext context{.axes = {1}, .step_s = 1e-3, .trial_ticks = 4000, .scale = {1.0}};
    const auto condition = parseIterativeLearning(settings)->learningCondition(
        context,
        [&](std::complex<double> s) {
          const std::complex<double> next = std::exp(s * context.step_s);
          return Eigen::MatrixXcd::Constant(1, 1, -1.0 / (0.8 * next + 0.05 * (next - 1.0) / context.step_s));
        },
        false);
    QVERIFY(condition && condition->largest < 1e-12);
  }

  /// Where nothing is fed forward a rate is a displacement times the gain of the position loop.
  void v37BothLevelsAreTheSameButForTheGain() {
    const Learning rate{.beta_per_s = 16.0, .gamma = 1.0, .cutoff_hz = 2.0, .trials = 4};
    Learning displacement = rate;
    displacement.at = "position";
    const test::TemplateRun a(projectOf(rate)), b(projectOf(displacement));
    const std::vector<double> v = a.channel("ilc_added_1"), w = b.channel("ilc_added_1");
    QVERIFY(!v.empty() && v.size() == w.size());
    const double most = test::peak(v);
    QVERIFY(most > 1e-3);
    for (std::size_t k = 0; k < v.size(); ++k) QVERIFY(std::abs(v[k] - 20.0 * w[k]) <= 1e-9 * most);
  }

  void v40LearningBesideVelocityFeedforwardIsBest() {
    const Learning standard{.beta_per_s = 10.0,
                            .gamma = 1.0,
                            .cutoff_hz = 6.0,
                            .trials = 15,
                            .damping = 50.0,
                            .second_set = true,
                            .passivity = true};
    Learning both = standard, feedforward = standard;
    both.feedforward = feedforward.feedforward = true;
    feedforward.learns = false;
    const double learning_mm = trialsOf(standard).back().largest_mm, both_mm = trialsOf(both).back().largest_mm,
                 feedforward_mm = trialsOf(feedforward).back().largest_mm;
    const QString found = QString("%1 %2 %3 mm").arg(both_mm).arg(feedforward_mm).arg(learning_mm);
    QVERIFY2(test::isNear(both_mm, 0.0144, 0.2) && test::isNear(feedforward_mm, 0.032, 0.2), qPrintable(found));
    QVERIFY2(both_mm < feedforward_mm && feedforward_mm < learning_mm, qPrintable(found));
  }

  void v77Bookkeeping() {
    const test::TemplateRun run(projectOf({.beta_per_s = 16.0, .gamma = 1.0, .cutoff_hz = 2.0, .trials = 2}));
    const std::vector<double> added = run.channel("ilc_added_1"), target = run.channel("target_1");
    QCOMPARE(added.size(), 2 * kTrialTicks + kPauseTicks + 501);  // and the ramp at the end
    for (std::size_t k = 0; k <= kTrialTicks; ++k) QCOMPARE(added[k], 0.0);
    QVERIFY(added[kTrialTicks + kPauseTicks + 1500] != 0.0);
    QVERIFY(std::abs(target[kTrialTicks] - target[0]) < 1e-4);  // one bump
  }
};

HYB_SUITE(paper_insam_ilc, InsamIlc)
#include "insam_ilc.moc"
