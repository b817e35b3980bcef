/// Silva et al. 2020, RTHS benchmark: the sample controller of its definition, PI behind a phase lead, from project to
/// J1 to J9 in the four cases of the partition; and islands of stability over an added delay (section 16 of the note on
/// Araya 2023). The ground motions are looked for in the folder HYB_GROUND_MOTIONS.
#include <cmath>

#include "core/assess/stability_report.h"
#include "core/project/schema.h"
#include "tests/support/compare.h"
#include "tests/support/family_example.h"
#include "tests/support/silva.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

Json sampleController() { return exampleOf(branchOf("compensation", "phase-lead-pi")); }

struct SampleCase {
  const char* record;
  double mass_kg, ratio;
};

Project withAddedDelay(const Json& compensation, double delay_s) {
  Json document = benchmarkWith(compensation);
  document["compensation"]["added_delay_s"] = delay_s;
  return parseProject(document);
}
bool growsFromTickToTick(const Json& compensation, double delay_s) {
  const Json report = stabilityReport(withAddedDelay(compensation, delay_s));
  return report.at("discrete").at("below_cutoff").at("grows").get<bool>();
}

}  // namespace

class SilvaSample : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void criteria_data() {
    QTest::addColumn<QString>("record");
    QTest::addColumn<double>("mass_kg");
    QTest::addColumn<double>("ratio");
    const SampleCase cases[] = {{"1", 1000.0, 0.05}, {"2", 1100.0, 0.04}, {"3", 1300.0, 0.03}, {"4", 1000.0, 0.03}};
    for (const char* record : {"el-centro-1940", "kobe-1995", "morgan-hill-1984"})
      for (const SampleCase& one : cases)
        QTest::addRow("%s, case %s", record, one.record) << QString(record) << one.mass_kg << one.ratio;
  }
  void criteria() {
    if (qEnvironmentVariableIsEmpty("HYB_GROUND_MOTIONS")) HYB_SKIP("HYB_GROUND_MOTIONS is not set");
    QFETCH(QString, record);
    QFETCH(double, mass_kg);
    QFETCH(double, ratio);
    const std::string file = record.toStdString() + ".csv";
    const TemplateRun run(benchmarkUnder(file.c_str(), sampleController(), mass_kg, ratio));
    QVERIFY2(run.ended() == EndReason::completed, run.sentence().c_str());
    const Json &all = run.figures(), &first = all.at("interfaces")[0];
    const auto j = [&](const char* name) {
      for (const Json* owner : {&first, &all})
        for (const Json& figures : {*owner, owner->value("measures", Json::object())})
          if (figures.contains(name) && figures[name].is_number()) return figures[name].get<double>();
      return std::nan("");
    };
    QString row = QString(QTest::currentDataTag());
    for (const char* name : {"delay_ms", "tracking_nrmse_percent", "tracking_peak_percent", "reference_nrmse_percent",
                             "reference_peak_percent", "j6", "j7", "j8", "j9"})
      row += QString(" %1").arg(j(name), 0, 'f', 3);
    qInfo("%s", qPrintable(row));
  }

  /// What the continuous analysis says of the loop with the controller's own inside, the loop from tick to tick does.
  void marginIsThatOfTheRunningLoop() {
    const Json report = stabilityReport(parseProject(benchmarkWith(sampleController())));
    QVERIFY(report.at("stable").get<bool>());
    QVERIFY(report.at("discrete").at("compensated").get<bool>());
    const double margin_s = report.at("margin_s").get<double>();
    qInfo("margin %.3f ms, phase margin %s", 1e3 * margin_s, report.at("phase_margin").dump().c_str());
    QVERIFY(!growsFromTickToTick(sampleController(), 0.95 * margin_s));
    QVERIFY(growsFromTickToTick(sampleController(), 1.05 * margin_s));
    // The rightmost roots are those of the running loop, but for what a tick is.
    const Json root = report.at("roots").at(0), mode = report.at("discrete").at("below_cutoff");
    compare(root.at("re").get<double>(), mode.at("growth_per_s").get<double>(), 0.05, "decay, 1/s");
  }

  /// With an inverse of third order there is a band of added delays that is unstable, a stable one above it, and
  /// instability again.
  void islandsOfTheInverseModel() {
    const Json report = stabilityReport(parseProject(benchmarkWith(exactInverse())));
    const Json& intervals = report.at("stable_added_delays_s");
    qInfo("%s", intervals.dump().c_str());
    QVERIFY(intervals.size() >= 2);
    QCOMPARE(intervals[0].at("from").get<double>(), 0.0);
    compareRelative(intervals[0].at("to").get<double>(), report.at("margin_s").get<double>(), 1e-9, "margin, s");
    double last_s = 0.0;
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      const double from_s = intervals[i].at("from").get<double>(), to_s = intervals[i].at("to").get<double>();
      if (i > 0) QVERIFY(growsFromTickToTick(exactInverse(), 0.5 * (last_s + from_s)));
      QVERIFY(!growsFromTickToTick(exactInverse(), 0.5 * (from_s + to_s)));
      last_s = to_s;
    }
  }
};

HYB_SUITE(paper_silva_sample, SilvaSample)
#include "silva_sample.moc"
