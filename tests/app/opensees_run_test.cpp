#include <QProcess>
#include <QTest>
#include <memory>

#include "core/project/project.h"
#include "core/record/run_file_reader.h"
#include "tests/support/led_run.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

QString clientScript() { return QString(hyb::test::kSourceDir) + "/tests/hardware/generic_client.py"; }

Json springOnTheRig() {
  return hyb::test::springThatIsLed({{"scheme", "external"},
                                     {"ramp_ticks", 5},
                                     {"settle_ticks", 3},
                                     {"length_factor", 0.001},
                                     {"force_factor", 1000},
                                     {"time_factor", 1},
                                     {"stiffness_n_per_m", {2000}}});
}

}  // namespace

/// Another program computes the rest of the structure, through the program as users run it.
class TestOpenSeesRun : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    bench_ = std::make_unique<hyb::test::LedRun>();
    saveDocument(springOnTheRig(), bench_->path("p.json").toStdString());
  }
  void cleanup() { bench_.reset(); }

  void oneDegreeOfFreedomFollowsTheClosedForm_data() {
    QTest::addColumn<QString>("pace");
    QTest::addColumn<int>("steps");
    QTest::newRow("free run") << "--free-run" << 500;
    QTest::newRow("real time") << "--real-time" << 50;
  }
  void oneDegreeOfFreedomFollowsTheClosedForm() {
    QFETCH(QString, pace);
    QFETCH(int, steps);
    const QString port = bench_->start(pace);
    QVERIFY2(!port.isEmpty(), bench_->log().constData());
    QProcess client;
    client.start("python3", {clientScript(), port, QString::number(steps)});
    QVERIFY2(client.waitForFinished(hyb::test::kHangs_ms), "python3");
    QVERIFY2(client.exitCode() == 0, client.readAllStandardError().constData());
    QVERIFY(bench_->ends());
    QVERIFY2(bench_->exitCode() == 0, bench_->log().constData());
    const RunFileReader file(bench_->path("r.h5").toStdString());
    QCOMPARE(file.info().stop_reason, std::string("completed"));
    bool connected = false;
    for (const auto& event : file.events()) connected = connected || event.message.find("client connected") == 0;
    QVERIFY(connected);
  }

  /// A limit stops the test; the client gets no number and is not left hanging.
  void aLimitEndsTheTestAndTheClientLearnsIt() {
    Json document = springOnTheRig();
    document["safety"]["limits"][0]["threshold_m"] = 0.001;
    saveDocument(document, bench_->path("p.json").toStdString());
    const QString port = bench_->start("--free-run");
    QVERIFY2(!port.isEmpty(), bench_->log().constData());
    QProcess client;
    client.start("python3", {clientScript(), port, "10"});
    QVERIFY(client.waitForFinished(hyb::test::kHangs_ms));
    QCOMPARE(client.exitCode(), 1);
    QVERIFY2(client.readAllStandardError().contains("force nan"), "the reply is not a number");
    QVERIFY(bench_->ends());
    QCOMPARE(bench_->exitCode(), 1);
  }

  /// A program that crashes has not completed the test.
  void aClientThatDiesIsNoCompletedTest() {
    const QString port = bench_->start("--free-run");
    QVERIFY2(!port.isEmpty(), bench_->log().constData());
    QProcess client;
    client.start("python3", {clientScript(), port, "100000000"});
    QVERIFY2(client.waitForReadyRead(hyb::test::kHangs_ms), "it says that it got its first force");
    client.kill();
    QVERIFY(client.waitForFinished(hyb::test::kHangs_ms));
    QVERIFY(bench_->ends());
    QCOMPARE(bench_->exitCode(), 1);
    const RunFileReader file(bench_->path("r.h5").toStdString());
    QVERIFY(!file.info().complete);
    QVERIFY2(file.info().stop_reason.find("without ending the test") != std::string::npos,
             file.info().stop_reason.c_str());
  }

  void projectsThatDoNotFitAreRefused() {
    const auto said = [](Json document) {
      std::string text;
      for (const Issue& issue : validate(document)) text += issue.where + ": " + issue.message + "\n";
      return text;
    };
    QCOMPARE(said(springOnTheRig()), std::string());
    Json document = springOnTheRig();
    document["coupling"].erase("listen");  // has a default
    QCOMPARE(said(document), std::string());
    document["coupling"]["listen"] = "8090";
    QVERIFY(said(document).find("/coupling/listen: is \"8090\", which is not an address") == 0);
    document = springOnTheRig();
    document["coupling"]["scheme"] = "tracking";
    QVERIFY(said(document).find("/coupling/ramp_ticks: \"ramp_ticks\" is not known here") != std::string::npos);
    document = springOnTheRig();
    document["coupling"]["stiffness_n_per_m"] = {1, 2};
    QVERIFY(said(document).find("/coupling/stiffness_n_per_m: has 2 entries; give 1") == 0);
    document["coupling"].erase("force_factor");
    QVERIFY(said(document).find("force_factor") != std::string::npos);
  }

 private:
  std::unique_ptr<hyb::test::LedRun> bench_;
};

HYB_SUITE(opensees_run, TestOpenSeesRun)
#include "opensees_run_test.moc"
