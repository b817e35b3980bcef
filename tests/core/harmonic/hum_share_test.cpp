// What hum leaves in an average over whole periods: bounds against averages of simulated records, and the source's
// figures.
#include <random>

#include "core/assess/hum_report.h"
#include "core/assess/preflight.h"
#include "core/base/numbers.h"
#include "core/harmonic/harmonic_average.h"
#include "core/harmonic/hum_share.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// The amplitude of a harmonic as the scheme averages it, of hum with amplitude 1.
double averagedHum(double hum_hz, double phase, double frequency_hz, int harmonic, int periods, bool hann,
                   double rate_hz) {
  HarmonicAverage average(1, 1, hann);
  average.begin(periods * rate_hz / frequency_hz);
  Eigen::VectorXcd turn(1);
  for (std::int64_t k = 0;; ++k) {
    const double t = static_cast<double>(k) / rate_hz;
    turn[0] = std::polar(1.0, kTwoPi * harmonic * frequency_hz * t);
    if (average.add(turn, [&](Eigen::Index) { return std::sin(kTwoPi * hum_hz * t + phase); })) break;
  }
  return std::abs(average.harmonics()(0, 0));
}

Json withHum(const Json& hum) {
  Json document = templateDocument("cantilever-iterative");
  document["coupling"]["sweep"] = {{"from_hz", 16}, {"to_hz", 19}, {"count", 7}};
  document["coupling"]["average"]["hum"] = hum;
  return document;
}

}  // namespace

class HumShareTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Eq. 26 and its Hann counterpart, as the note gives them for 1.4 mm of 50 Hz.
  void figuresOfTheSource() {
    const double hz[] = {16.0, 17.5, 19.0}, rectangle_mm[] = {0.01059, 0.01185, 0.01320}, hann_nm[] = {2.0, 2.9, 4.1};
    for (int k = 0; k < 3; ++k) {
      compareRelative(1.4 * humShare(50.0, hz[k], 1, 30, false, 5000.0), rectangle_mm[k], 1e-3, "rectangle");
      compare(1.4e6 * humShare(50.0, hz[k], 1, 30, true, 5000.0), hann_nm[k], 0.05, "Hann");
      const double r = 50.0 / hz[k], n = 30.0;
      compareRelative(humShare(50.0, hz[k], 1, 30, false, 1e6), 2.0 / (n * kPi) * r / (r * r - 1.0), 1e-6,
                      "closed form");
      const auto part = [&](double x) { return 1.0 / (x * (n * n * x * x - 1.0)); };
      compareRelative(humShare(50.0, hz[k], 1, 30, true, 1e6), (part(r - 1.0) + part(r + 1.0)) / (n * kPi), 1e-6,
                      "closed form");
    }
  }

  void boundHolds_data() {
    QTest::addColumn<bool>("hann");
    QTest::newRow("rectangle") << false;
    QTest::newRow("Hann") << true;
  }
  /// Drawn frequencies, periods, harmonics, rates and phases: hum above, below and near the harmonic.
  void boundHolds() {
    QFETCH(bool, hann);
    std::mt19937_64 random(hann ? 2 : 1);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    double nearest = 0.0;
    for (int draw = 0; draw < 2000; ++draw) {
      const double rate_hz = 500.0 * std::pow(20.0, uniform(random)), hum_hz = uniform(random) < 0.5 ? 50.0 : 60.0;
      const int harmonic = 1 + static_cast<int>(3.0 * uniform(random)),
                periods = 3 + static_cast<int>(40.0 * uniform(random));
      const double hz = hum_hz * std::pow(10.0, uniform(random) * 1.3 - 1.1) / harmonic;
      if (!(hz * harmonic < 0.25 * rate_hz)) continue;
      const double found = averagedHum(hum_hz, kTwoPi * uniform(random), hz, harmonic, periods, hann, rate_hz),
                   bound = humShare(hum_hz, hz, harmonic, periods, hann, rate_hz);
      QVERIFY2(found <= bound,
               qPrintable(QStringLiteral("%1 above %2: %3 Hz, harmonic %4, %5 periods, %6 1/s, hum %7 Hz")
                              .arg(found)
                              .arg(bound)
                              .arg(hz)
                              .arg(harmonic)
                              .arg(periods)
                              .arg(rate_hz)
                              .arg(hum_hz)));
      nearest = std::max(nearest, found / bound);
    }
    qInfo("largest share of the bound %.4f", nearest);
    QVERIFY(nearest > 0.9);  // no wider than needed
  }

  /// A project that states its hum is told what it leaves, against the tolerance of its residual.
  void projectsAreTold() {
    QVERIFY(humReport(parseProject(templateDocument("three-mass"))).is_null());
    QVERIFY(humReport(parseProject(withHum(Json::object()))).is_null());
    Json document = withHum({{"motion_m", 0.0014}});
    document["coupling"]["average"].update({{"periods", 30}, {"window", "rectangle"}});
    document["coupling"]["residual"] = {{"of", "displacement"}, {"tolerance_m", 2e-5}, {"steadiness_m", 1.3e-5}};
    const Json report = humReport(parseProject(document));
    compareRelative(report["error_m"].get<double>(), 1.32e-5, 2e-3, "the source's 0.013 mm");
    QCOMPARE(report["frequency_hz"].get<double>(), 19.0);
    QVERIFY(report["error_n"].is_null() && !humExceeds(report));
    QVERIFY(humSentence(report).find("at most 0.0132 mm") != std::string::npos);
    document["coupling"]["average"]["periods"] = 10;
    const Json ten = humReport(parseProject(document));
    QVERIFY(humExceeds(ten) && humSentence(ten).find("exceeds the tolerance") != std::string::npos);
    document["coupling"]["average"].update({{"window", "hann"}, {"hum", {{"frequency_hz", 50}, {"force_n", 0.1343}}}});
    const Json force = humReport(parseProject(document));
    QVERIFY(force["error_m"].is_null() && force["error_n"].get<double>() < 1e-4 * 0.1343);
    // Continuation over a range that contains the hum: nothing is rejected there.
    Json range = templateDocument("duffing-continuation");
    range["coupling"]["average"]["hum"] = {{"frequency_hz", 6}, {"motion_m", 1e-4}};
    range["coupling"]["range"]["from_hz"] = 5;
    range["coupling"]["range"]["to_hz"] = 8;
    const Json inside = humReport(parseProject(range));
    compare(inside["frequency_hz"].get<double>(), 6.0, 1.2, "a frequency in the main lobe of 12 periods");
    QVERIFY(inside["error_m"].get<double>() >= 1e-4);
  }
};

HYB_SUITE(hum_share, HumShareTest)
#include "hum_share_test.moc"
