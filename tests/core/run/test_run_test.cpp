#include <QTemporaryDir>
#include <cmath>
#include <fstream>

#include "core/assess/metrics.h"
#include "core/assess/stability_report.h"
#include "core/record/run_file_reader.h"
#include "core/run/build.h"
#include "core/run/test_run.h"
#include "tests/support/patient_clock.h"
#include "tests/support/suite.h"
#include "tests/support/template_run.h"

using namespace hyb;
using hyb::test::TemplateRun;

namespace {

constexpr double kAny = -1.0;  // a value that is not compared

Project threeMassTest(const std::vector<std::string>& changes = {}) {
  Json document = templateDocument("three-mass");
  for (const std::string& change : changes) setValue(document, change);
  return parseProject(document);
}

RunResult runToTheEnd(TestRun& run) {
  run.arm();
  run.start();
  return run.finish();
}

}  // namespace

class TestRunTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::filesystem::path file(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }

 private Q_SLOTS:
  void freeRunsAreBitIdentical() {
    std::vector<std::filesystem::path> files = {file("a.h5"), file("b.h5")};
    for (const auto& path : files) {
      TestRun run(threeMassTest(), {Pace::free_run, path, {}, {}, false});
      const RunResult result = runToTheEnd(run);
      QCOMPARE(result.reason, EndReason::completed);
      QVERIFY(result.complete && result.valid);
    }
    const RunFileReader a(files[0]), b(files[1]);
    QCOMPARE(a.info().rows, b.info().rows);
    QCOMPARE(a.info().rows, std::uint64_t{30000 + 1 + 500});  // 30 s, then the ramp of 0.5 s
    for (const std::string& name : a.info().acquisition)
      QVERIFY2(a.read("acquisition/" + name) == b.read("acquisition/" + name), name.c_str());
    TestRun other(threeMassTest(), {Pace::free_run, file("c.h5"), 7, {}, false});
    runToTheEnd(other);
    QVERIFY(RunFileReader(file("c.h5")).read("acquisition/measured_1") != a.read("acquisition/measured_1"));
  }

  void theFirstRowHasTheExcitationOfTimeZero_data() {
    QTest::addColumn<QString>("signal");
    QTest::addColumn<double>("soft_start_s");
    QTest::addColumn<double>("first");
    QTest::addColumn<double>("second");
    const double turn = 6.283185307179586 * 8.0 * 1e-3;
    const char* cosine = R"({"name":"walls","kind":"sine","amplitude_m":1e-4,"frequency_hz":8,"phase_deg":90})";
    QTest::newRow("cosine") << cosine << 0.0 << 1e-4 << 1e-4 * std::cos(turn);
    QTest::newRow("cosine after a soft start") << cosine << 2.0 << 0.0 << kAny;
    QTest::newRow("smooth step") << R"({"name":"walls","kind":"step","amplitude_m":1e-5,"rise_s":0.1})" << 0.0 << 0.0
                                 << kAny;
    QTest::newRow("no amplitude")
        << R"({"name":"walls","kind":"sine","amplitude_m":0,"frequency_hz":8,"phase_deg":-90})" << 0.0 << 0.0 << kAny;
    QTest::newRow("sines")
        << R"({"name":"walls","kind":"multi-sine","components":[{"amplitude_m":1e-4,"frequency_hz":8,"phase_deg":90},{"amplitude_m":2e-4,"frequency_hz":3,"phase_deg":-90}]})"
        << 0.0 << -1e-4 << kAny;
  }
  void theFirstRowHasTheExcitationOfTimeZero() {
    QFETCH(QString, signal);
    QFETCH(double, soft_start_s);
    QFETCH(double, first);
    QFETCH(double, second);
    const Json document = threeMassTest({"/excitation/signals/0=" + signal.toStdString(), "/safety/limits=[]",
                                         "/loop/soft_start_s=" + std::to_string(soft_start_s), "/loop/soft_end_s=0",
                                         "/analysis/start_s=0.1", "/loop/duration_s=3"})
                              .document;
    const std::vector<double> rows = TemplateRun(document).channel("excitation_1");
    QVERIFY(rows.size() > 100);
    QVERIFY2(std::abs(rows[0] - first) <= 1e-12 * std::abs(first), qPrintable(QString::number(rows[0])));
    QVERIFY(first != 0.0 || (rows[0] == 0.0 && !std::signbit(rows[0])));  // the same bits as at rest
    if (second != kAny) QVERIFY2(std::abs(rows[1] - second) <= 1e-12, qPrintable(QString::number(rows[1])));
  }

  /// The template as shipped: a weight that acts from the start.
  void theFirstRowHasTheForceOfAStep() {
    Json document = templateDocument("face-linear");
    document["loop"]["duration_s"] = 1.5;
    document["analysis"]["start_s"] = 0.1;
    const std::vector<double> rows = TemplateRun(document).channel("excitation_1");
    QVERIFY(rows.size() > 2);
    QCOMPARE(rows[0], document["excitation"]["signals"][0]["amplitude_n"].get<double>());
    QCOMPARE(rows[1], rows[0]);
  }

  /// The ground motion of a file that begins in the middle of a record.
  void aRecordMayBeginOffZero() {
    const std::filesystem::path record = file("record.csv");
    std::ofstream stream(record);
    for (int k = 0; k < 200; ++k) stream << 0.5 * std::cos(0.06 * k) << "\n";
    stream.close();
    Json document = templateDocument("force-shear-building");
    document["excitation"]["signals"][0] = {{"name", "shaking"}, {"kind", "ground-motion"}, {"file", record.string()},
                                            {"unit", "m/s2"},    {"step_s", 0.01},          {"output", "acceleration"}};
    document["loop"]["soft_start_s"] = document["loop"]["soft_end_s"] = 0.0;
    document["loop"]["duration_s"] = 1.5;
    document["analysis"]["start_s"] = 0.1;
    const std::vector<double> rows = TemplateRun(document).channel("excitation_1");
    QVERIFY(!rows.empty());
    QVERIFY2(std::abs(rows[0] - 0.5) < 1e-12, qPrintable(QString::number(rows[0])));
  }

  void metricsOfTheTemplate() {
    const RunFileReader run(file("a.h5"));
    const Json figures = metrics(run, {});
    QCOMPARE(figures["interfaces"].size(), std::size_t{2});
    for (const Json& interface : figures["interfaces"]) {
      QVERIFY2(interface["tracking_nrmse_percent"].get<double>() < 2.0, figures.dump(2).c_str());
      QVERIFY(std::abs(interface["delay_ms"].get<double>()) < 0.3);
    }
    QCOMPARE(figures["stop_reason"].get<std::string>(), std::string("completed"));
    QVERIFY(figures["complete"].get<bool>() && figures["valid"].get<bool>());
  }

  void theFileRecordsWhatWasReallyRun() {
    TestRun run(threeMassTest(), {Pace::free_run, file("short.h5"), 42, 12.0, false});
    QCOMPARE(runToTheEnd(run).reason, EndReason::completed);
    const Json recorded = Json::parse(RunFileReader(file("short.h5")).projectJson());
    QCOMPARE(recorded["rig"]["seed"].get<int>(), 42);
    QCOMPARE(recorded["loop"]["duration_s"].get<double>(), 12.0);
  }

  void pacedRunKeepsTime() {
    // Lateness is counted, not judged: a busy computer passes too.
    TestRun run(
        threeMassTest({"/loop/soft_start_s=0.2", "/loop/soft_end_s=0.2", "/analysis/start_s=0.2", "/safety/limits=[]"}),
        {Pace::real_time, file("paced.h5"), {}, 1.0, true});
    QElapsedTimer timer;
    run.arm();
    QVERIFY(!run.realtimeSummary().empty());
    timer.start();
    run.start();
    const RunResult result = run.finish();
    QCOMPARE(result.reason, EndReason::completed);
    QVERIFY(timer.elapsed() >= 1490);  // 1 s and the ramp
    const RunFileReader reader(file("paced.h5"));
    QCOMPARE(reader.info().realtime, run.realtimeSummary());
    QCOMPARE(reader.attribute("timing", "late_ticks"), std::to_string(result.late_ticks));
    const auto ticks = reader.read("acquisition/tick");
    QCOMPARE(ticks.size() + result.missed_periods, std::size_t{1501});
    QVERIFY(run.displayRows().freeRows() < 3000);  // rows wait for the screen
  }

  void everyChangeIsAnEventInTheFile() {
    TestRun run(threeMassTest({"/loop/duration_s=0"}), {Pace::free_run, file("changes.h5"), {}, {}, false});
    run.arm();
    run.tune(0, run.tunables()[0].max);
    run.note("bolt checked");
    run.setLimit(0, 0.017);
    run.setForceSource(ForceSource::emulated);
    QVERIFY_THROWS_EXCEPTION(InputError, run.tune(0, 1e9));
    QVERIFY_THROWS_EXCEPTION(InputError, run.tune(1000, 0.0));
    QVERIFY_THROWS_EXCEPTION(InputError, run.setLimit(0, -1.0));
    run.start();
    while (run.status().tick.load() < 2000) std::this_thread::yield();
    run.requestStop();
    const RunResult result = run.finish();
    QCOMPARE(result.reason, EndReason::operator_stop);
    QVERIFY(result.complete);  // an open-ended test ends by STOP
    QString all;
    for (const RecordedEvent& event : RunFileReader(file("changes.h5")).events())
      all += QString::fromStdString(event.message) + "\n";
    for (const char* part : {"bolt checked", "alpha", "displacement"}) QVERIFY2(all.contains(part), qPrintable(all));
  }

  void aLimitEndsTheTestAndSaysWhy() {
    TestRun run(threeMassTest({R"(/compensation={"method":"none"})"}),
                {Pace::free_run, file("limit.h5"), {}, {}, false});
    const RunResult result = runToTheEnd(run);
    QCOMPARE(result.reason, EndReason::limit);
    QVERIFY(!result.complete && result.valid);
    QVERIFY2(result.stop_reason.find("limit: ") == 0, result.stop_reason.c_str());
    const RunFileReader reader(file("limit.h5"));
    QCOMPARE(reader.info().stop_reason, result.stop_reason);
    QVERIFY(metrics(reader, {})["limits_hit"].get<int>() > 0);
  }

  void disarmingLeavesNoFile() {
    TestRun run(threeMassTest(), {Pace::real_time, file("never.h5"), {}, {}, false});
    run.arm();
    QVERIFY(std::filesystem::exists(file("never.h5")));
    run.requestStop();
    QCOMPARE(run.finish().reason, EndReason::operator_stop);
    QVERIFY(!std::filesystem::exists(file("never.h5")));
  }

  /// What nobody starts is disarmed, also where so much has been asked of it that it takes no more.
  void whatIsNotStartedIsDisarmed() {
    for (const bool full : {false, true}) {
      TestRun run(threeMassTest(), {Pace::free_run, {}, {}, {}, false});
      run.arm();
      const auto fill = [&] {
        for (int n = 0; n < 100'000; ++n) run.note("and again");
      };
      if (full) QVERIFY_THROWS_EXCEPTION(DeviceError, fill());
      run.disarm(60.0);
      const RunResult result = run.finish();
      QCOMPARE(result.reason, EndReason::operator_stop);
      QCOMPARE(result.stop_reason, std::string("disarmed before it was started"));
    }
  }

  void whatATunableRefusesIsToldInOneUnit() {
    TestRun run(threeMassTest(), {Pace::free_run, {}, {}, {}, false});
    for (std::size_t k = 0; k < run.tunables().size(); ++k) {
      const Tunable& tunable = run.tunables()[k];
      if (tunable.units != "m") continue;
      try {
        run.tune(k, 10.0 * tunable.max);
        QFAIL("taken");
      } catch (const InputError& error) {
        const QString told = QString::fromUtf8(error.what());
        const bool thousandths = told.contains(" mm");
        QVERIFY2(told.count(thousandths ? " mm" : " m") == 3, qPrintable(told));
      }
      return;
    }
    QFAIL("three-mass has a tunable in metres");
  }

  void destructionEndsARunningTest() {
    const test::PatientPacing pacing;
    {
      TestRun run(threeMassTest({"/loop/duration_s=0"}), {Pace::real_time, file("dropped.h5"), {}, {}, false});
      run.arm();
      run.start();
      while (run.status().tick.load() < 50) std::this_thread::yield();
    }
    QCOMPARE(RunFileReader(file("dropped.h5")).info().stop_reason, std::string("stopped by the operator"));
  }

  void anExistingFileIsRefused() {
    TestRun run(threeMassTest(), {Pace::free_run, file("a.h5"), {}, {}, false});
    QVERIFY_THROWS_EXCEPTION(DeviceError, run.arm());
    QVERIFY(RunFileReader(file("a.h5")).info().complete);  // and left whole
  }

  void stabilityOfTheTemplate() {
    const Json report = stabilityReport(threeMassTest());
    QVERIFY(std::abs(report["critical_delay_s"].get<double>() - 6.475e-3) < 6.475e-6);
    QVERIFY(std::abs(report["crossing_hz"].get<double>() - 14.396) < 0.0144);
    QCOMPARE(report["without_compensation"]["stable"].get<bool>(), false);  // this rig lags more than that
    QCOMPARE(report["stable"].get<bool>(), true);
    QCOMPARE(stabilityReport(threeMassTest(), 0.005)["stable"].get<bool>(), true);
    QVERIFY(std::abs(stabilityReport(threeMassTest(), 0.005)["roots"][0]["re"].get<double>() + 3.109) < 0.01);
  }
};

HYB_SUITE(test_run, TestRunTest)
HYB_THREADS(test_run)
#include "test_run_test.moc"
