/// Insam 2022 (dissertation), chapters 11 and 12: FACE, extrapolation to the error-free test. Rows V-42, V-48 to V-56
/// and V-59 of the note's table D18, on campaigns of the shipped templates; and how often the intervals hold the
/// reference.
#include <QFile>
#include <QTemporaryDir>
#include <cmath>
#include <vector>

#include "tests/support/compare.h"
#include "tests/support/face_coverage.h"
#include "tests/support/face_linear_run.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"
#include "tests/support/thorough.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// "[0.001, 0.002, ...]": added delays from .. to in ms.
std::string delays(int from_ms, int to_ms) {
  Json list = Json::array();
  for (int ms = from_ms; ms <= to_ms; ++ms) list.push_back(1e-3 * ms);
  return "/analysis/face/values=" + list.dump();
}
/// The whole record of 5 s for the quantity.
const std::string kLong = "/analysis/face/quantity/to_s=5.002";
const std::string kDamping =
    "/analysis/face/quantity={\"kind\": \"damping\", \"mass_kg\": 9.62, \"from_s\": 0.002, \"to_s\": 5.002}";
const std::string kFrequency = "/analysis/face/quantity={\"kind\": \"frequency\", \"from_s\": 0.002, \"to_s\": 5.002}";
/// Position gains from the best test to the worst.
const std::vector<std::string> kGains{"/analysis/face/pointers=[\"/rig/actuators/0/position_gain_per_s\"]",
                                      "/analysis/face/values=[90, 80, 70, 60, 50, 40, 30, 20]",
                                      "/analysis/face/scale=linear"};

double delayOf(const FaceCampaignTest& test) { return test.errors[static_cast<std::size_t>(FaceAxis::delay)]; }

}  // namespace

class PaperInsamFace : public QObject {
  Q_OBJECT
 private:
  QTemporaryDir folder_;
  int campaigns_ = 0;

  /// A campaign of a template with some values changed.
  FaceReport campaign(const std::string& name, const std::vector<std::string>& changes = {}) {
    const std::string file = "c" + std::to_string(campaigns_++) + ".h5";
    return runFace(linearProject(name, changes), std::filesystem::path(folder_.path().toStdString()) / file).report;
  }
  /// The same tests judged along another axis, by another curve: what the product predicts, NaN where it refuses to.
  static double along(FaceReport report, FaceAxis axis, FaceScale scale, std::vector<int> powers) {
    report.spec.axis = axis;
    report.spec.settings.scale = scale;
    report.spec.settings.powers = std::move(powers);
    assess(report);
    if (!report.curve.prediction.carried) qWarning("%s", report.curve.prediction.why_not.c_str());
    return report.curve.prediction.carried ? report.curve.prediction.value : std::nan("");
  }
  static double off_percent(const FaceReport& report, double value) {
    return 100.0 * std::abs(value - *report.reference) / std::abs(*report.reference);
  }

 private Q_SLOTS:
  /// The shipped template as it is.
  void v42v49Template() {
    const FaceReport report = campaign("face-linear");
    QCOMPARE(report.tests.size(), std::size_t{12});
    compare(1e3 * delayOf(report.tests[0]), 10.74, 0.01 * 10.74, "adapted tau, ms");
    compare(1e3 * (delayOf(report.tests[11]) - delayOf(report.tests[0])) / 11.0, 1.0, 0.03, "slope over added delay");
    compare(1e3 * report.tests[0].quantity, 1.994, 0.01 * 1.994, "a_min, mm");
    compare(1e3 * *report.reference, 1.199, 0.01 * 1.199, "reference, mm");
    compare(1e3 * report.curve.prediction.value, 1.174, 0.01 * 1.174, "a_pred, mm");
  }

  /// The printed amplitudes, judged by the product's own words for the three errors.
  void v48TableIdentities_data() {
    QTest::addColumn<double>("least");
    QTest::addColumn<double>("predicted");
    QTest::addColumn<double>("reference");
    QTest::addColumn<double>("prediction_percent");
    QTest::addColumn<double>("test_percent");
    QTest::addColumn<double>("estimate_percent");
    QTest::newRow("1, no VFF") << 4.72e-4 << 8.65e-4 << 9.92e-4 << 12.8 << 52.4 << 45.4;
    QTest::newRow("1, VFF") << 8.10e-4 << 9.09e-4 << 9.92e-4 << 8.4 << 18.3 << 10.9;
    QTest::newRow("2, no VFF") << 6.72e-4 << 8.40e-4 << 8.93e-4 << 5.9 << 24.7 << 20.0;
  }
  void v48TableIdentities() {
    QFETCH(double, least);
    QFETCH(double, predicted);
    QFETCH(double, reference);
    QFETCH(double, prediction_percent);
    QFETCH(double, test_percent);
    QFETCH(double, estimate_percent);
    std::vector<FacePoint> tests;  // on the straight line from (0, predicted) through (1, least)
    for (const double error : {1.0, 1.25, 1.5, 1.75, 2.0})
      tests.push_back({error, predicted + (least - predicted) * error});
    FaceSettings settings;
    settings.powers = {0, 1};
    settings.reference = reference;
    const FaceAssessment result = assessFace(tests, settings);
    compare(result.prediction.value, predicted, 1e-12, "prediction, m");
    compare(result.prediction.error_percent.value(), prediction_percent, 0.5, "prediction error, %");
    compare(result.true_error_percent.value(), test_percent, 0.5, "test error, %");
    compare(result.error_percent, estimate_percent, 0.5, "error estimate, %");
  }

  void v50v51AmplitudeOfTheSpring() {
    const FaceReport report = campaign("face-linear", {delays(1, 11), kLong});
    compare(off_percent(report, along(report, FaceAxis::delay, FaceScale::decibel, {0, 1})), 17.0, 3.0,
            "over the delay, %");
    const double off = off_percent(report, along(report, FaceAxis::error_by_max, FaceScale::decibel, {0, 1, 2}));
    QVERIFY2(off <= 10.0, qPrintable(QString::number(off)));
  }

  /// The 5000 rows of the note: so far off, a fourth degree makes 198 of 203 kg/s with one row more.
  void v52Damping() {
    const FaceReport report = campaign("face-linear", {delays(0, 20), kDamping, "/loop/duration_s=6.001"});
    compare(report.tests[0].quantity, 97.6, 0.02 * 97.6, "d_min, kg/s");
    FaceReport worse = report;
    worse.tests[0].dropped = "the note begins with 1 ms";
    compare(along(worse, FaceAxis::delay, FaceScale::linear, {0, 1, 2, 3, 4}), 205.0, 0.02 * 205.0, "d_pred, kg/s");
  }

  /// Over 1/K the note's curve changes the sign of its curvature: the product refuses it, and the row is that of the
  /// bare polynomial.
  void v53FrequencyWithoutFeedforward() {
    std::vector<std::string> changes = kGains;
    changes.insert(changes.end(), {kFrequency, "/analysis/face/zero_slope=true", "/analysis/face/powers=[0, 2]"});
    const FaceReport report = campaign("face-linear", changes);
    compare(along(report, FaceAxis::delay, FaceScale::linear, {0, 2}), 8.38, 0.1, "f_pred over the delay, Hz");
    FaceReport refused = report;
    refused.spec.axis = FaceAxis::inverse;
    refused.spec.settings.powers = {0, 2, 3};
    assess(refused);
    QVERIFY(!refused.curve.prediction.carried && refused.curve.fit);
    const double bare = refused.curve.fit->at(0.0);
    QVERIFY2(bare > 8.46 - 0.1 && bare < 8.57 + 0.1, qPrintable(QString::number(bare)));
  }

  /// Flat where the bandwidth suffices, from a gain of 60 on: there every test is the prediction. Below it the note's
  /// sweep falls too, to 8.48 Hz; that is held to the tolerance of the sweep without feedforward, row V-53.
  void v54FrequencyWithFeedforward() {
    std::vector<std::string> changes = kGains;
    changes.insert(changes.end(),
                   {kFrequency, "/analysis/face/zero_slope=true", "/analysis/face/powers=[0]", kFeedforward});
    FaceReport report = campaign("face-linear", changes);
    const auto isFlat = [](double hz) {
      QVERIFY2(hz > 8.75 - 0.05 && hz < 8.8 + 0.05, qPrintable(QString::number(hz)));
    };
    QCOMPARE(report.tests.size(), std::size_t{8});
    for (std::size_t t = 0; t < 4; ++t) isFlat(report.tests[t].quantity);
    for (std::size_t t = 1; t < 8; ++t) QVERIFY(report.tests[t].quantity < report.tests[t - 1].quantity);
    compare(report.tests[7].quantity, 8.48, 0.1, "f at the least gain, Hz");
    compare(1e3 * delayOf(report.tests[0]), 1.04, 0.01 * 1.04, "tau at the largest gain, ms");
    compare(1e3 * delayOf(report.tests[7]), 4.65, 0.01 * 4.65, "tau at the least gain, ms");
    for (std::size_t t = 4; t < 8; ++t) report.tests[t].dropped = "the bandwidth no longer suffices";
    isFlat(along(report, FaceAxis::delay, FaceScale::linear, {0}));
  }

  void v55Mass() {
    const FaceReport report = campaign("face-linear-mass", {delays(1, 11)});
    compare(off_percent(report, along(report, FaceAxis::delay, FaceScale::decibel, {0, 1})), 24.1, 4.0,
            "over the delay, %");
    compare(off_percent(report, along(report, FaceAxis::error_by_max, FaceScale::decibel, {0, 1, 2})), 11.4, 4.0,
            "over the tracking error, %");
    const FaceReport swings = campaign("face-linear-mass", {kFrequency});
    compare(swings.tests[0].quantity, 5.67, 0.05, "f, Hz");
  }

  void v56General() {
    const FaceReport report = campaign("face-linear-general");
    compare(1e3 * report.tests[0].quantity, 6.01, 0.04 * 6.01, "a_min, mm");
    compare(1e3 * *report.reference, 6.74, 0.04 * 6.74, "reference, mm");
    compare(1e3 * report.curve.prediction.value, 6.55, 0.04 * 6.55, "a_pred, mm");
  }

  void v59ConstraintEngine() {
    std::vector<FacePoint> flat, bends;
    for (const double e : {0.010, 0.012, 0.015, 0.017, 0.021}) {
      flat.push_back({e, 8.5 - 1200.0 * e * e});
      bends.push_back({e, 1.0 + 3.0 * std::pow(e / 0.02 - 0.7, 3)});
    }
    const FaceFit exact = fitFace(flat, FaceScale::linear, {0, 2}, {true, false});
    QVERIFY(exact.admitted());
    compare(exact.at(0.0), 8.5, 1e-9, "c0");
    QVERIFY(!fitFace(bends, FaceScale::linear, {0, 1, 2, 3}, {}).admitted());
    QVERIFY(fitFace(bends, FaceScale::linear, {0, 1, 2, 3}, {}).refused.find("curvature") != std::string::npos);
  }

  /// The short form of hybridbench_face_bench: all noises, one campaign or a few for each.
  void coverage_data() {
    QTest::addColumn<std::size_t>("index");
    const std::vector<FaceCondition> all = faceConditions();
    for (std::size_t c = 0; c < all.size(); ++c)
      if (all[c].rate_hz == 1000.0 ? kThorough || all[c].varied : kThorough && all[c].name == "face-linear")
        QTest::addRow("%s", all[c].words().c_str()) << c;
  }
  void coverage() {
    QFETCH(std::size_t, index);
    const FaceCondition condition = faceConditions()[index];
    const std::filesystem::path folder = folder_.path().toStdString();
    FaceCoverages quiet, all;
    faceCampaign(condition, 0.0, 0.0, 1, folder, quiet);
    QVERIFY2(quiet.model.carried == 1 && quiet.model.holds == 1 && quiet.model.most_percent < 1e-3,
             qPrintable(QString::number(quiet.model.most_percent)));
    std::uint64_t seed = 1;
    for (const double noise : kFaceNoises)
      for (const FaceNoiseOn& on : kFaceNoiseOn)
        faceCampaign(condition, noise * on.displacement, noise * on.force, seed++, folder, all);
    const auto [curve, model] = all;
    const QString told = QString("of %1 campaigns the model claims %2 and holds %3; the curve holds %4")
                             .arg(model.campaigns)
                             .arg(model.with_level)
                             .arg(model.holds_with_level)
                             .arg(curve.holds);
    QVERIFY2(curve.with_level == 0 && model.carried == model.campaigns, qPrintable(told));
    QVERIFY2(honestLevel(model.holds_with_level, model.with_level), qPrintable(told));
    QVERIFY2(3 * model.with_level >= 2 * model.campaigns, qPrintable(told));
  }
  /// The table of the help page has every condition of the bench.
  void theHelpPageHasEveryCondition() {
    QFile page(QString(kSourceDir) + "/resources/help/face.md");
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(page.readAll());
    for (const FaceCondition& condition : faceConditions())
      QVERIFY2(text.contains("| " + QString::fromStdString(condition.words()) + " |"), condition.words().c_str());
  }
};

HYB_SUITE(paper_insam_face, PaperInsamFace)
#include "insam_face.moc"
