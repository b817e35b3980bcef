/// Insam 2022 (dissertation), chapters 11 and 12: FACE, extrapolation to the error-free test. Rows V-42, V-48 to V-56
/// and V-59 of the note's table D18, on campaigns of the shipped templates; and how often the intervals hold the
/// reference.
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <cmath>
#include <vector>

#include "tests/support/compare.h"
#include "tests/support/face_coverage.h"
#include "tests/support/face_linear_run.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"

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
  /// A row of the table of the help page: holds, bias and width of the curve and of the model.
  struct PageRow {
    int holds;
    double bias_percent, width_percent;
  };
  static std::pair<PageRow, PageRow> ofTheHelpPage(const QString& name, const char* noise) {
    QFile page(QString(kSourceDir) + "/resources/help/face.md");
    if (!page.open(QIODevice::ReadOnly)) qFatal("no help page");
    const QStringList lines = QString::fromUtf8(page.readAll()).split('\n');
    const auto first = lines.indexOf(QRegularExpression("^\\| " + name + " \\| " + noise + " \\|.*"));
    if (first < 0 || first + 1 >= lines.size()) qFatal("the help page has no such row");
    const auto row = [&](qsizetype line) {
      const QStringList cells = lines[line].split('|');  // "", template, noise, way, holds, with a level, bias, width
      const auto percent = [](const QString& cell) { return cell.chopped(2).toDouble(); };
      return PageRow{cells.at(4).trimmed().section(' ', 0, 0).toInt(), percent(cells.at(6).trimmed()),
                     percent(cells.at(7).trimmed())};
    };
    return {row(first), row(first + 1)};
  }
  static QString told(const char* what, const FaceCoverage& way) {
    return QString("%1: of %2 carried %3, held %4, with a level %5 of %6, bias %7 %, width %8 %")
        .arg(what)
        .arg(way.campaigns)
        .arg(way.carried)
        .arg(way.holds)
        .arg(way.holds_with_level)
        .arg(way.with_level)
        .arg(way.bias())
        .arg(way.width());
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

  /// A few campaigns of each kind against the table of the help page, which hybridbench_face_bench wrote of a hundred.
  void coverage_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("noise");
    for (const std::string& name : kFaceTemplates)
      for (int n = 0; n < static_cast<int>(kFaceNoises.size()); ++n)
        QTest::addRow("%s, %s", name.c_str(), kFaceNoises[static_cast<std::size_t>(n)].name)
            << QString::fromStdString(name) << n;
  }
  void coverage() {
    constexpr int kCampaigns = 6;
    QFETCH(QString, name);
    QFETCH(int, noise);
    const FaceNoise& which = kFaceNoises[static_cast<std::size_t>(noise)];
    const int campaigns = noise == 0 ? 1 : kCampaigns;
    const auto [curve, model] =
        faceCoverage(noisyTemplate(name.toStdString(), which), 1, static_cast<std::uint64_t>(campaigns) + 1, 1,
                     folder_.path().toStdString());
    const auto [curve_page, model_page] = ofTheHelpPage(name, which.name);
    QVERIFY2(curve.carried == campaigns && model.carried == campaigns, qPrintable(told("all carry", curve)));
    QVERIFY2(curve.with_level == 0, qPrintable(told("curve", curve)));  // a range, and said to be one
    if (noise == 0) {                                                   // nothing is left to chance
      for (const auto& [way, page] : {std::pair(curve, curve_page), std::pair(model, model_page)}) {
        QVERIFY2(way.holds == page.holds && way.with_level == 0, qPrintable(told("without noise", way)));
        compare(way.bias(), page.bias_percent, 0.01, "bias, %");
        compare(way.width(), page.width_percent, 0.01, "width, %");
      }
      return;
    }
    // Who claims a level holds, and so do the ranges. One specimen with all its three at once lies so close to its
    // bounds that noise presses it against them now and then.
    QVERIFY2(curve.holds == campaigns, qPrintable(told("curve", curve)));
    QVERIFY2(model.holds >= campaigns - 1 && model.with_level >= campaigns / 2 &&
                 model.holds_with_level >= model.with_level - 1,
             qPrintable(told("model", model)));
    // An interval that holds 95 of 100 is four deviations of one campaign wide, ten of the mean of six: two of these.
    // The width of the curve is what its shape leaves open; that of the model comes from what its tests scatter.
    compare(curve.bias(), curve_page.bias_percent, 0.2 * curve_page.width_percent, "bias of the curve, %");
    compare(model.bias(), model_page.bias_percent, 0.2 * model_page.width_percent, "bias of the model, %");
    compare(curve.width(), curve_page.width_percent, 0.15 * curve_page.width_percent, "width of the curve, %");
    compare(std::log2(model.width()), std::log2(model_page.width_percent), 1.2, "width of the model, octaves");
  }
};

HYB_SUITE(paper_insam_face, PaperInsamFace)
#include "insam_face.moc"
