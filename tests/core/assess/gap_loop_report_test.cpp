/// What `stability` says of schemes that close the gap beside the rig: errors of the response they bear.
#include "core/assess/gap_loop_report.h"

#include <cmath>
#include <numbers>

#include "core/base/json.h"
#include "core/run/build.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

Json gapLoopWith(const Json& adaption, const char* name = "lumped-aff", const Json& identification = {}) {
  Json document = templateDocument(name);
  document["coupling"]["adaption"] = adaption;
  if (!identification.is_null()) document["coupling"]["identification"] = identification;
  const Project project = parseProject(document);
  return gapLoopReport(project, buildPartition(project));
}

bool says(const Json& report, const char* part) {
  for (const std::string& sentence : gapLoopSentences(report))
    if (sentence.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

class GapLoopReportTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// With small steps every motion of the filter decays by cos(turn)/(ratio T): steps go with 1/|response taken|^2.
  void smallStepsBearNinetyDegrees() {
    constexpr double learning_s = 1000.0;
    const Json report = gapLoopWith({{"law", "lms"}, {"learning_time_s", learning_s}});
    QVERIFY(report.at("stable").get<bool>());
    QVERIFY2(std::abs(report.at("phase_from_deg").get<double>() + 90.0) < 0.5 &&
                 std::abs(report.at("phase_to_deg").get<double>() - 90.0) < 0.5,
             report.dump().c_str());
    QVERIFY(report.at("largest_gain_factor").get<double>() > 1.0);
    const Json& errors = report.at("errors");
    const auto turns = errors.at("phase_errors_deg").get<std::vector<double>>(),
               ratios = errors.at("amplitude_ratios").get<std::vector<double>>();
    for (std::size_t t = 0; t < turns.size(); ++t)
      for (std::size_t f = 0; f < ratios.size(); ++f) {
        const double expected = -std::cos(turns[t] * std::numbers::pi / 180.0) / (ratios[f] * learning_s),
                     found = errors.at("growth_per_s").at(t).at(f).get<double>();
        QVERIFY2(std::abs(found - expected) < 0.02 / (ratios[f] * learning_s),
                 qPrintable(QStringLiteral("%1 deg, %2: %3").arg(turns[t]).arg(ratios[f]).arg(found)));
      }
    QVERIFY(says(report, "feeds the gap back") && says(report, "phase errors"));
  }

  /// A response that is turned on purpose is what the test would run with.
  void aWrongResponseIsToldBeforeTheTest() {
    const Json adaption{{"law", "lms"}, {"learning_time_s", 100}};
    Json identification{{"from", "model"}, {"duration_s", 0}, {"rest_s", 0}, {"turn_deg", 80}};
    QVERIFY(gapLoopWith(adaption, "lumped-aff", identification).at("stable").get<bool>());
    identification["turn_deg"] = 100;
    const Json report = gapLoopWith(adaption, "lumped-aff", identification);
    QVERIFY(!report.at("stable").get<bool>() && says(report, "grows"));
    QVERIFY(report.at("phase_to_deg").get<double>() < 95.0);  // errors are those of the right response
  }

  void leastSquaresLeaveAnErrorOrNone() {
    const Json sequential = gapLoopWith({{"law", "rls-sequential"}});
    QVERIFY(sequential.at("stable").get<bool>() && sequential.at("growth_per_s").is_null());
    const Json& errors = sequential.at("errors");
    for (std::size_t t = 0; t < errors.at("phase_errors_deg").size(); ++t) {
      const double turn = errors.at("phase_errors_deg").at(t).get<double>() * std::numbers::pi / 180.0;
      // With the right amplitude the chord between 1 and the turn: 2 sin(turn/2).
      QVERIFY(std::abs(errors.at("gap_left").at(t).at(3).get<double>() - std::abs(2.0 * std::sin(0.5 * turn))) < 1e-12);
    }
    const Json simultaneous = gapLoopWith({{"law", "rls-simultaneous"}});
    QVERIFY(simultaneous.at("errors").is_null() && says(simultaneous, "during the test"));
    QVERIFY(gapLoopReport(parseProject(templateDocument("three-mass")),
                          buildPartition(parseProject(templateDocument("three-mass"))))
                .empty());
  }

  /// Two actuators, and steps that are too large.
  void twoAxes() {
    const Json report = gapLoopWith({{"law", "lms"}, {"gain_n2_per_m2", 1e6}}, "two-beams-aff");
    QVERIFY(!report.at("stable").get<bool>());
    QVERIFY2(std::abs(report.at("largest_gain_factor").get<double>() - 0.104) < 0.002, report.dump().c_str());
    QVERIFY(report.at("phase_from_deg").is_null());
  }
};

HYB_SUITE(gap_loop_report, GapLoopReportTest)
#include "gap_loop_report_test.moc"
