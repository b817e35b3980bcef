#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <fstream>

#include "core/project/project.h"
#include "core/record/run_file_reader.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

QString clientScript() { return QString(hyb::test::kSourceDir) + "/tests/hardware/generic_client.py"; }

/// A spring of 2 kN/m on the rig, in the hands of a program that computes a mass of 10 kg.
Json springOnTheRig() {
  Json document = Json::parse(R"({
    "format": "hybridbench-project", "version": 2, "meta": {"title": "Spring for another program"},
    "structure": {"kind": "lumped", "masses": [{"name": "z", "mass_kg": 10}], "supports": [{"name": "ground"}],
      "links": [{"name": "tested", "from": "ground", "to": "z", "stiffness_n_per_m": 2000},
                {"name": "computed", "from": "ground", "to": "z", "stiffness_n_per_m": 1000}]},
    "partition": {"physical": ["tested"]},
    "excitation": {"signals": [], "loads": []},
    "coupling": {"scheme": "external", "listen": "", "ramp_ticks": 5, "settle_ticks": 3,
      "length_factor": 0.001, "force_factor": 1000, "time_factor": 1, "stiffness_n_per_m": [2000]},
    "compensation": {"method": "none"},
    "rig": {"kind": "twin", "actuators": [{"model": "ideal"}]},
    "safety": {"stop_ramp_s": 0.1, "limits": [{"quantity": "command", "threshold_m": 0.01, "action": "stop"}]},
    "loop": {"rate_hz": 1000, "duration_s": 0, "soft_start_s": 0, "soft_end_s": 0}
  })");
  document["coupling"]["listen"] = "tcp://127.0.0.1:0";  // moc takes the slashes for a comment in there
  return document;
}

}  // namespace

/// Another program computes the rest of the structure, through the program as users run it.
class TestOpenSeesRun : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    saveDocument(springOnTheRig(), path("p.json").toStdString());
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
    const int port = start({pace});
    QVERIFY(port > 0);
    QProcess client;
    client.start("python3", {clientScript(), QString::number(port), QString::number(steps)});
    QVERIFY2(client.waitForFinished(hyb::test::kHangs_ms), "python3");
    QVERIFY2(client.exitCode() == 0, client.readAllStandardError().constData());
    QVERIFY(bench_->waitForFinished(hyb::test::kHangs_ms));
    QVERIFY2(bench_->exitCode() == 0, log_.constData());
    const RunFileReader file(path("r.h5").toStdString());
    QCOMPARE(file.info().stop_reason, std::string("completed"));
    bool connected = false;
    for (const auto& event : file.events()) connected = connected || event.message.find("client connected") == 0;
    QVERIFY(connected);
  }

  /// A limit stops the test; the client gets no number and is not left hanging.
  void aLimitEndsTheTestAndTheClientLearnsIt() {
    Json document = springOnTheRig();
    document["safety"]["limits"][0]["threshold_m"] = 0.001;
    saveDocument(document, path("p.json").toStdString());
    const int port = start({"--free-run"});
    QVERIFY(port > 0);
    QProcess client;
    client.start("python3", {clientScript(), QString::number(port), "10"});
    QVERIFY(client.waitForFinished(hyb::test::kHangs_ms));
    QCOMPARE(client.exitCode(), 1);
    QVERIFY2(client.readAllStandardError().contains("force nan"), "the reply is not a number");
    QVERIFY(bench_->waitForFinished(hyb::test::kHangs_ms));
    QCOMPARE(bench_->exitCode(), 1);
  }

  /// A program that crashes has not completed the test.
  void aClientThatDiesIsNoCompletedTest() {
    const int port = start({"--free-run"});
    QVERIFY(port > 0);
    QProcess client;
    client.start("python3", {clientScript(), QString::number(port), "100000000"});
    QVERIFY2(client.waitForReadyRead(hyb::test::kHangs_ms), "it says that it got its first force");
    client.kill();
    QVERIFY(client.waitForFinished(hyb::test::kHangs_ms));
    QVERIFY(bench_->waitForFinished(hyb::test::kHangs_ms));
    QCOMPARE(bench_->exitCode(), 1);
    const RunFileReader file(path("r.h5").toStdString());
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
  QString path(const char* name) const { return folder_->filePath(name); }

  /// Starts the bench; the port at which it listens, or 0.
  int start(QStringList options) {
    bench_ = std::make_unique<QProcess>();
    log_.clear();
    bench_->start(hyb::test::kProgram, QStringList{"run", path("p.json"), "-o", path("r.h5")} + options);
    const QRegularExpression place("tcp://127\\.0\\.0\\.1:(\\d+)");
    for (QDeadlineTimer patience(hyb::test::kHangs_ms); !patience.hasExpired();) {
      bench_->waitForReadyRead(100);
      log_ += bench_->readAllStandardError();
      const QRegularExpressionMatch match = place.match(QString::fromUtf8(log_));
      if (match.hasMatch()) return match.captured(1).toInt();
      if (bench_->state() == QProcess::NotRunning) break;
    }
    qWarning("%s", log_.constData());
    return 0;
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<QProcess> bench_;
  QByteArray log_;
};

HYB_SUITE(opensees_run, TestOpenSeesRun)
#include "opensees_run_test.moc"
