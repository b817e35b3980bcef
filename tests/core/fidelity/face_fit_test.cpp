/// Curves of FACE and what they refuse.
#include <cmath>

#include "core/base/error.h"
#include "core/base/minimum.h"
#include "core/base/student.h"
#include "core/fidelity/face.h"
#include "core/fidelity/resample.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

template <typename Curve>
std::vector<FacePoint> sampled(Curve&& curve, std::initializer_list<double> errors) {
  std::vector<FacePoint> points;
  for (const double e : errors) points.push_back({e, curve(e)});
  return points;
}
constexpr std::initializer_list<double> kErrors = {0.010, 0.011, 0.013, 0.014, 0.017, 0.020};

}  // namespace

class FaceFitTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void exactPolynomialsComeBack_data() {
    QTest::addColumn<QList<int>>("powers");
    QTest::newRow("1") << QList<int>{0, 1};
    QTest::newRow("2") << QList<int>{0, 1, 2};
    QTest::newRow("3") << QList<int>{0, 1, 2, 3};
    QTest::newRow("flat") << QList<int>{0, 2};
    QTest::newRow("flat, 3") << QList<int>{0, 2, 3};
  }
  void exactPolynomialsComeBack() {
    QFETCH(QList<int>, powers);
    const auto curve = [&](double e) {
      double value = 5.0;
      for (int p = 1; p < powers.size(); ++p) value -= std::pow(60.0 * e, powers[p]) / (p + 1.0);
      return value;
    };
    const FaceFit fit = fitFace(sampled(curve, kErrors), FaceScale::linear, {powers.begin(), powers.end()}, {});
    compare(fit.at(0.0), 5.0, 1e-9, "h(0)");
    compare(fit.at(0.015), curve(0.015), 1e-9, "between");
    compare(fit.slope(0.015), (curve(0.015 + 1e-6) - curve(0.015 - 1e-6)) / 2e-6, 1e-4, "slope");
  }

  void decibelsAreLevels() {
    const auto points = sampled([](double e) { return 3.0 * std::exp(-40.0 * e); }, kErrors);
    const FaceFit fit = fitFace(points, FaceScale::decibel, {0, 1}, {});
    compare(fit.at(0.0), 3.0, 1e-9, "h(0)");
    compare(fit.slope(0.01), -120.0 * std::exp(-0.4), 1e-6, "slope of the quantity");
    auto below = points;
    below[2].quantity = -1.0;
    QVERIFY_THROWS_EXCEPTION(InputError, fitFace(below, FaceScale::decibel, {0, 1}, {}));
  }

  void weightsCount() {  // one of two contradicting tests with a million times the weight
    std::vector<FacePoint> points;
    for (const double e : kErrors) {
      points.push_back({e, 2.0, 1e6});
      points.push_back({e, 5.0, 1.0});
    }
    compare(fitFace(points, FaceScale::linear, {0, 1}, {}).at(0.0), 2.0, 1e-4, "h(0)");
  }

  void rulesRefuse() {
    const auto wavy = sampled([](double e) { return std::pow(e - 0.014, 3) * 1e6; }, kErrors);
    QVERIFY(!fitFace(wavy, FaceScale::linear, {0, 1, 2, 3}, {}).admitted());
    const auto falling = sampled([](double e) { return std::exp(-100.0 * e); }, kErrors);
    FaceRules rules;
    rules.flatter_at_zero = true;
    QVERIFY(!fitFace(falling, FaceScale::decibel, {0, 1}, rules).admitted());
    const auto growing = sampled([](double e) { return std::exp(100.0 * e); }, kErrors);
    QVERIFY(fitFace(growing, FaceScale::decibel, {0, 1}, rules).admitted());
    rules = {true, false};
    QVERIFY(!fitFace(growing, FaceScale::linear, {0, 1, 2}, rules).admitted());
    QVERIFY(
        !fitFace(sampled([](double e) { return e; }, {0.010, 0.011, 0.012, 0.013}), FaceScale::linear, {0, 1, 2, 3}, {})
             .admitted());  // as many coefficients as errors
  }

  void badPointsAreSaid_data() {
    QTest::addColumn<QList<double>>("errors");
    QTest::addColumn<QString>("word");
    QTest::newRow("none") << QList<double>{} << "at least 4";
    QTest::newRow("three") << QList<double>{1, 2, 3} << "at least 4";
    QTest::newRow("coinciding") << QList<double>{1, 1.001, 1.002, 1.003, 2} << "coincide";
    QTest::newRow("below 0") << QList<double>{-1, 1, 2, 3} << "below 0";
    QTest::newRow("no number") << QList<double>{1, 2, std::nan(""), 3} << "not a number";
  }
  void badPointsAreSaid() {
    QFETCH(QList<double>, errors);
    QFETCH(QString, word);
    std::vector<FacePoint> points;
    for (const double e : errors) points.push_back({e, 1.0 + e});
    const FaceAssessment result = assessFace(points, {});
    QVERIFY(!result.prediction.carried && result.verdict == FaceVerdict::none);
    const QString sentence = QString::fromStdString(result.text());
    QVERIFY2(sentence.contains(word), qPrintable(sentence));
    QVERIFY_THROWS_EXCEPTION(InputError, fitFace(points, FaceScale::linear, {0, 1}, {}));
  }

  void forbiddenCurveGivesNoPrediction() {
    FaceSettings settings;
    settings.powers = {0, 1, 2, 3};
    const FaceAssessment result =
        assessFace(sampled([](double e) { return 1.0 + std::pow(e - 0.014, 3) * 1e6; }, kErrors), settings);
    QVERIFY(!result.prediction.carried);
    QVERIFY(result.fit && !result.fit->admitted());
    QVERIFY(QString::fromStdString(result.text()).contains("curvature"));
  }

  void verdictsFollowTheTolerance() {
    const auto points = sampled([](double e) { return 10.0 + 2.0 * e; }, {0.1, 0.5, 1.0, 1.5, 2.0, 3.0});
    FaceSettings settings;
    settings.powers = {0, 1};
    settings.tolerance_percent = 5.0;
    FaceAssessment result = assessFace(points, settings);
    compare(result.prediction.value, 10.0, 1e-9, "prediction");
    compare(result.error_percent, 2.0, 1e-6, "error of the best test, %");
    QVERIFY2(result.verdict == FaceVerdict::accepted, result.sentence.c_str());
    settings.tolerance_percent = 1.0;
    result = assessFace(sampled([](double e) { return 10.0 + 2.0 * e; }, {1.0, 1.5, 2.0, 2.5, 3.0, 4.0}), settings);
    QVERIFY2(result.verdict == FaceVerdict::rejected, result.sentence.c_str());
    auto noisy = points;
    for (std::size_t i = 0; i < noisy.size(); ++i) noisy[i].quantity += i % 2 == 0 ? 0.3 : -0.3;
    settings.tolerance_percent = 2.0;
    result = assessFace(noisy, settings);
    QVERIFY(result.verdict == FaceVerdict::undecided);
    QVERIFY(result.prediction.interval.holds(10.0));
    const FaceAssessment again = assessFace(noisy, settings);  // seeded
    QCOMPARE(again.prediction.bootstrap.low, result.prediction.bootstrap.low);
    QCOMPARE(again.sentence, result.sentence);
  }

  void longExtrapolationIsSaid() {
    FaceSettings settings;
    settings.powers = {0, 1};
    const FaceAssessment result =
        assessFace(sampled([](double e) { return 10.0 + 2.0 * e; }, {2.0, 2.2, 2.4, 2.6, 2.8}), settings);
    compare(result.reach, 2.5, 1e-9, "reach");
    QVERIFY(result.low_confidence && !result.prediction.carried && result.verdict == FaceVerdict::none);
    QVERIFY(QString::fromStdString(result.text()).contains("Long extrapolation, low confidence"));
  }

  /// A straight line without any scatter, well within the tolerance: the reach alone keeps it from being accepted.
  void doubtsKeepFromAccepting() {
    FaceSettings settings;
    settings.powers = {0, 1};
    settings.tolerance_percent = 30.0;
    const auto points = sampled([](double e) { return 10.0 + 1.0 * e; }, {2.0, 2.2, 2.4, 2.6, 2.8, 3.4});
    const FaceAssessment result = assessFace(points, settings);
    QVERIFY(result.prediction.carried && result.prediction.interval.high < 11.0 && result.low_confidence);
    QVERIFY2(result.verdict == FaceVerdict::undecided, result.sentence.c_str());
    const QString sentence = QString::fromStdString(result.text());
    QVERIFY2(sentence.contains("too uncertain") && sentence.contains("Long extrapolation, low confidence"),
             qPrintable(sentence));
    settings.tolerance_percent = 5.0;
    QVERIFY(assessFace(points, settings).verdict == FaceVerdict::rejected);
  }

  void spreadIsToldInFull() {
    const auto points = sampled([](double e) { return 10.0 + 3.0 * e * e; }, {0.2, 0.5, 1.0, 1.5, 2.0, 2.5});
    FaceSettings settings;
    settings.powers = {0, 1, 2};
    settings.tolerance_percent = 1.0;
    const FaceAssessment result = assessFace(points, settings);
    const FaceInterval& spread = result.prediction.spread;
    const double percent = std::round(100.0 * (spread.high - spread.low) / result.prediction.value);
    QVERIFY(percent > 1.0);
    const QString said = QString("up to %1 %").arg(percent);
    QVERIFY2(QString::fromStdString(result.text()).contains(said), result.sentence.c_str());
  }

  void anotherWayThatContradictsIsADoubt() {
    const auto points = sampled([](double e) { return 10.0 + 0.5 * e; }, {0.1, 0.5, 1.0, 1.5, 2.0, 3.0});
    FaceSettings settings;
    settings.powers = {0, 1};
    FacePrediction model;
    model.carried = true;
    model.value = 12.0;
    model.interval = {11.5, 12.5};
    QVERIFY(assessFace(points, settings).verdict == FaceVerdict::accepted);
    FaceAssessment result = assessFace(points, settings, &model);
    QVERIFY(result.verdict == FaceVerdict::undecided);
    QVERIFY2(QString::fromStdString(result.text()).contains("contradicts"), result.sentence.c_str());
    model.interval = {9.0, 12.5};
    result = assessFace(points, settings, &model);
    QVERIFY(!result.rests_on_model && result.prediction.interval.holds(12.4));
    QVERIFY2(QString::fromStdString(result.text()).contains("rests on the curve"), result.sentence.c_str());
    QVERIFY2(QString::fromStdString(result.text()).contains("a range, not a confidence interval"),
             result.sentence.c_str());
  }

  /// With a level the model decides, whatever the doubts of the curve; the range of the curve holds its interval.
  void theVerdictRestsOnAModelWithALevel() {
    const auto points = sampled([](double e) { return 10.0 + 1.0 * e; }, {2.0, 2.2, 2.4, 2.6, 2.8, 3.4});
    FaceSettings settings;
    settings.powers = {0, 1};
    FacePrediction model;
    model.carried = true;
    model.value = 10.2;
    model.interval = {9.9, 10.5};
    model.level = kFaceLevel;
    settings.tolerance_percent = 25.0;  // the best test gives 12
    FaceAssessment result = assessFace(points, settings, &model);
    QVERIFY2(result.rests_on_model && result.verdict == FaceVerdict::accepted, result.sentence.c_str());
    QVERIFY(result.low_confidence);
    compare(result.error_percent, 100.0 * (12.0 / 10.2 - 1.0), 1e-9, "error of the best test, %");
    QVERIFY(result.prediction.interval.low <= 9.9 && result.prediction.interval.high >= 10.5);
    const QString sentence = QString::fromStdString(result.text());
    QVERIFY2(sentence.contains("rests on the structural model (95 % confidence interval)"), qPrintable(sentence));
    settings.tolerance_percent = 12.0;
    QVERIFY(assessFace(points, settings, &model).verdict == FaceVerdict::rejected);
    settings.tolerance_percent = 18.0;
    QVERIFY(assessFace(points, settings, &model).verdict == FaceVerdict::undecided);
  }

  void fewTestsHaveAnIntervalToo_data() {
    QTest::addColumn<int>("tests");
    QTest::addColumn<QList<int>>("powers");
    QTest::addColumn<bool>("resampled");
    QTest::newRow("4, line") << 4 << QList<int>{0, 1} << true;
    QTest::newRow("4, parabola") << 4 << QList<int>{0, 1, 2} << false;
    QTest::newRow("5, line") << 5 << QList<int>{0, 1} << true;
    QTest::newRow("5, parabola") << 5 << QList<int>{0, 1, 2} << false;
  }
  void fewTestsHaveAnIntervalToo() {
    QFETCH(int, tests);
    QFETCH(QList<int>, powers);
    QFETCH(bool, resampled);
    std::vector<FacePoint> points;
    for (int i = 0; i < tests; ++i) points.push_back({0.5 + i, 10.0 + 0.4 * i + 0.1 * i * i + (i % 2 ? 0.05 : -0.05)});
    FaceSettings settings;
    settings.powers = {powers.begin(), powers.end()};
    settings.tolerance_percent = 100.0;
    const FaceAssessment result = assessFace(points, settings);
    QVERIFY2(result.prediction.carried, result.sentence.c_str());
    const FacePrediction& prediction = result.prediction;
    QCOMPARE(prediction.bootstrap.known(), resampled);
    QVERIFY(prediction.scatter.known() && !prediction.level && !prediction.range_because.empty());
    const bool said = QString::fromStdString(result.text()).contains("no resampling possible");
    QCOMPARE(said, !resampled);
    if (resampled) return;
    QVERIFY(result.verdict == FaceVerdict::undecided);
    QVERIFY(prediction.scatter.holds(prediction.value) && prediction.scatter.high > prediction.scatter.low);
    QVERIFY(prediction.interval.low <= prediction.scatter.low && prediction.interval.high >= prediction.scatter.high);
  }

  /// Textbook: y = 1, 3, 2 at x = 1, 2, 3 has the line 1 + 0.5 x, s^2 = 1.5, var(b0) = s^2 (1/3 + 4/2), t(1) = 12.7062.
  void scatterKnownAnswer() {
    const std::vector<FacePoint> all = {{1.0, 1.0}, {2.0, 3.0}, {3.0, 2.0}, {2.0, 2.0}};
    FaceFit fit = fitFace({{{1.0, 1.0}, {2.0, 3.0}, {3.0, 2.0}, {4.0, 2.5}}}, FaceScale::linear, {0, 1}, {});
    const std::vector<FacePoint> three(all.begin(), all.begin() + 3);
    fit.unit = 1.0;
    fit.coefficients = Eigen::Vector2d(1.0, 0.5);
    const auto [low, high] = scatterAtZero(three, fit);
    const double half = 12.7062047362 * std::sqrt(1.5 * (1.0 / 3.0 + 4.0 / 2.0));
    compare(low, 1.0 - half, 1e-9, "low");
    compare(high, 1.0 + half, 1e-9, "high");
    QVERIFY(std::isnan(scatterAtZero({{{1.0, 1.0}, {2.0, 3.0}}}, fit).first));
  }

  /// Any statistics textbook; the last ones lie beyond every printed table.
  void studentKnownAnswers() {
    for (const auto& [free, expected] : {std::pair{1.0, 12.7062}, {9.0, 2.2622}, {10.0, 2.2281}, {30.0, 2.0423}})
      compare(studentQuantile(free, 0.975), expected, 1e-4, "t");
    compare(studentQuantile(1e9, 0.975), 1.959964, 1e-5, "normal");
    compare(studentQuantile(4.5, 0.5), 0.0, 1e-12, "median");
  }

  void minimumIsFound() {
    const auto [at, value] = minimumOf([](double x) { return std::cos(x) + 2.0; }, 2.0, 5.0);
    compare(at, 3.14159265, 1e-6, "place");
    compare(value, 1.0, 1e-12, "value");
    compare(minimumOf([](double x) { return x; }, 2.0, 5.0).first, 2.0, 1e-6, "at the end");
  }

  /// Of a mean: s / sqrt(n).
  void jackknifeKnownAnswer() {
    const std::vector<double> values = {1.0, 2.0, 3.0, 10.0};
    const Figure mean = [&](const std::vector<std::size_t>& tests) {
      double sum = 0.0;
      for (const std::size_t t : tests) sum += values[t];
      return sum / static_cast<double>(tests.size());
    };
    const double half = studentQuantile(2.0, 0.975) * std::sqrt(50.0 / 3.0 / 4.0);
    const FaceInterval interval = jackknife(4, 4.0, mean);
    compare(interval.low, 4.0 - half, 1e-9, "low");
    compare(interval.high, 4.0 + half, 1e-9, "high");
    QVERIFY(!jackknife(2, 4.0, mean).known());
  }

  void resamplingKnownAnswers() {
    const std::vector<double> values = {1.0, 2.0, 3.0, 10.0};
    const Figure mean = [&](const std::vector<std::size_t>& tests) {
      double sum = 0.0;
      for (const std::size_t t : tests) sum += values[t];
      return sum / static_cast<double>(tests.size());
    };
    const FaceInterval out = leaveOneOut(4, mean);
    compare(out.low, 2.0, 1e-12, "without the largest");
    compare(out.high, 5.0, 1e-12, "without the smallest");
    const FaceInterval drawn = bootstrap(4, 1000, 7, mean);
    QVERIFY(drawn.low > 1.0 - 1e-12 && drawn.low < 2.5 && drawn.high > 5.5 && drawn.high < 10.0 + 1e-12);
  }
};

HYB_SUITE(fidelity_face_fit, FaceFitTest)
#include "face_fit_test.moc"
