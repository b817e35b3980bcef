/// What is said of the start of a project's walker, and of a better one.
#include "core/assess/gait_report.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

class GaitReportTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Without a rolling foot the template's start is a gait already, to the digits it is printed with.
  void findsTheStartOfTheTestSet() {
    Json document = templateDocument("prosthetic-foot");
    document["coupling"]["roll"] = Json::object();
    const Json report = gaitReport(parseProject(document));
    QVERIFY(report["project"]["gait"].get<bool>() && report["found"]["gait"].get<bool>());
    QVERIFY(report["found"]["deviation"].get<double>() < 1e-2 * report["project"]["deviation"].get<double>());
    QVERIFY(report == gaitReport(parseProject(document)));
    document["coupling"]["start"] = report["found"]["start"];
    QVERIFY2(validate(document).empty(), qPrintable(shown(validate(document))));
  }

  void saysWhereThereIsNone() {
    const Json report = gaitReport(parseProject(templateDocument("prosthetic-foot")));
    QVERIFY(!report["found"]["gait"].get<bool>() && report["found"]["steps"].get<int>() < 50);
    QVERIFY(report["sentence"].get<std::string>().find("another speed") != std::string::npos);
  }

  void whereNobodyWalks() {
    EXPECT_ISSUE(issuesOf([] { gaitReport(parseProject(templateDocument("contact-ilc"))); }), "/coupling/scheme",
                 "nobody walks");
    EXPECT_ISSUE(issuesOf([] {
                   gaitReport(parseProject(templateDocument("prosthetic-foot")), {-1.0, 1});
                 }),
                 "/coupling/start/speed_m_per_s", "above 0");
  }
};

HYB_SUITE(gait_report, GaitReportTest)
#include "gait_report_test.moc"
