#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "core/project/project.h"
#include "core/record/run_file_reader.h"
#include "resources/resources.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

/// A spring of 2 kN/m on the rig, for an OpenFresco model that computes a mass of 10 kg.
Json springForOpenFresco() {
  Json document = Json::parse(R"({
    "format": "hybridbench-project", "version": 2, "meta": {"title": "Spring for an OpenFresco model"},
    "structure": {"kind": "lumped", "masses": [{"name": "z", "mass_kg": 10}], "supports": [{"name": "ground"}],
      "links": [{"name": "tested", "from": "ground", "to": "z", "stiffness_n_per_m": 2000},
                {"name": "computed", "from": "ground", "to": "z", "stiffness_n_per_m": 1000}]},
    "partition": {"physical": ["tested"]},
    "excitation": {"signals": [], "loads": []},
    "coupling": {"scheme": "openfresco", "listen": "", "step_ticks": 10, "length_factor": 0.001, "force_factor": 1000},
    "compensation": {"method": "none"},
    "rig": {"kind": "twin", "actuators": [{"model": "ideal"}]},
    "safety": {"stop_ramp_s": 0.1, "limits": [{"quantity": "command", "threshold_m": 0.01, "action": "stop"}]},
    "loop": {"rate_hz": 1000, "duration_s": 0, "soft_start_s": 0, "soft_end_s": 0}
  })");
  document["coupling"]["listen"] = "tcp://127.0.0.1:0";  // moc takes the slashes for a comment in there
  return document;
}

Json standingForOpenFresco() {
  Json document = springForOpenFresco();
  document["coupling"]["order"] = 0;
  document["coupling"]["settle_ticks"] = 2;
  return document;
}

}  // namespace

/// An OpenFresco model leads, through the program as users run it.
class TestOpenFrescoRun : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    saveDocument(springForOpenFresco(), path("p.json").toStdString());
  }
  void cleanup() {
    model_.reset();
    bench_.reset();
  }

  void theModelLeads_data() {
    QTest::addColumn<QString>("pace");
    QTest::addColumn<int>("steps");
    QTest::addColumn<QString>("mode");
    QTest::newRow("free run") << "--free-run" << 500 << "motion";
    QTest::newRow("free run, standing") << "--free-run" << 500 << "rest";
    QTest::newRow("real time, standing") << "--real-time" << 50 << "rest";
  }
  void theModelLeads() {
    QFETCH(QString, pace);
    QFETCH(int, steps);
    QFETCH(QString, mode);
    if (mode == "rest") saveDocument(standingForOpenFresco(), path("p.json").toStdString());
    QVERIFY(start(pace, steps, mode));
    QVERIFY(modelEnds());
    QVERIFY2(model_->exitCode() == 0, model_->readAllStandardError().constData());
    QVERIFY(benchEnds());
    QVERIFY2(bench_->exitCode() == 0, log_.constData());
    QVERIFY2(log_.contains("note: client connected: OpenFresco with 1 displacement"), log_.constData());
    QVERIFY2(log_.contains("init file"), log_.constData());
    const RunFileReader file(path("r.h5").toStdString());
    QVERIFY2(file.info().stop_reason.starts_with("completed"), file.info().stop_reason.c_str());
    QVERIFY(file.info().complete);
    // Rest, its repetition, ten steps to the start, and the test.
    const std::vector<double> numbers = file.read("acquisition/model_target", 0, file.info().rows);
    QCOMPARE(numbers.back(), 1.0 + 1.0 + 10.0 + steps);
  }

  /// In real time, whatever the machine does: the bench holds, says so, and goes on.
  void aLateModelIsHeldAndTold() {
    QVERIFY(start("--real-time", 10, "pause"));
    QVERIFY2(told("note: the model is late: no target for "), log_.constData());
    model_->write("\n");
    QVERIFY(modelEnds());
    QVERIFY2(model_->exitCode() == 0, model_->readAllStandardError().constData());
    QVERIFY(benchEnds());
    QCOMPARE(bench_->exitCode(), 0);
    const RunFileReader file(path("r.h5").toStdString());
    QVERIFY2(file.info().stop_reason.find("the model was late in ") != std::string::npos,
             file.info().stop_reason.c_str());
    const std::vector<double> phases = file.read("acquisition/model_phase", 0, file.info().rows);
    QVERIFY(std::ranges::find(phases, 3.0) != phases.end());
  }

  void aTargetBeyondTheLimitsIsAnswered() {
    saveDocument(standingForOpenFresco(), path("p.json").toStdString());
    QVERIFY(start("--free-run", 20, "beyond"));
    QVERIFY(modelEnds());
    QVERIFY2(model_->exitCode() == 0, model_->readAllStandardError().constData());
    QVERIFY(model_->readAllStandardOutput().contains("refused"));
    QVERIFY(benchEnds());
    QCOMPARE(bench_->exitCode(), 0);
    QVERIFY2(log_.contains("target of interface 1 refused: 1 m, allowed 0.01 m"), log_.constData());
    const RunFileReader file(path("r.h5").toStdString());
    QCOMPARE(file.info().stop_reason, std::string("completed: 1 target beyond the limits was refused"));
    for (const double command : file.read("acquisition/command_1", 0, file.info().rows)) QVERIFY(command < 0.0021);
  }

  void modelsThatFailLeaveTheRigSafe_data() {
    QTest::addColumn<QString>("mode");
    QTest::addColumn<QString>("said");
    QTest::newRow("half a block") << "half"
                                  << "in the middle of a block (8 bytes)";
    QTest::newRow("unknown codes") << "code"
                                   << "client is out of step";
    QTest::newRow("killed") << "kill"
                            << "client left without ending the session";
  }
  void modelsThatFailLeaveTheRigSafe() {
    QFETCH(QString, mode);
    QFETCH(QString, said);
    QVERIFY(start("--free-run", mode == "kill" ? 100'000'000 : 20, mode == "kill" ? "motion" : mode));
    QVERIFY2(model_->waitForReadyRead(hyb::test::kHangs_ms), "it says that it is under way");
    if (mode == "code") QVERIFY2(told("client is out of step"), log_.constData());
    if (mode != "half") model_->kill();
    QVERIFY(modelEnds());
    QVERIFY(benchEnds());
    QVERIFY2(log_.contains(said.toUtf8()), log_.constData());
    QCOMPARE(bench_->exitCode(), 1);
    const RunFileReader file(path("r.h5").toStdString());
    QVERIFY(!file.info().complete);
    QVERIFY2(file.info().stop_reason.find("disconnected without ending the test") != std::string::npos,
             file.info().stop_reason.c_str());
    const std::vector<double> commands = file.read("acquisition/command_1", 0, file.info().rows);
    QVERIFY2(std::abs(commands.back()) < 1e-4, "the command ramps to zero");
  }

  void aModelOfTheOtherByteOrderIsNamed() {
    QVERIFY(start("--free-run", 1, "big-endian"));
    QVERIFY(modelEnds());
    QCOMPARE(model_->exitCode(), 1);
    QVERIFY2(told("client refused: its numbers are big-endian"), log_.constData());
    bench_->terminate();
    QVERIFY(benchEnds());
  }

  void theProjectOfTheHelpPageIsGood() {
    const std::string page(resourceText("help/coupling/openfresco.md"));
    const std::size_t begin = page.find("{\n  \"format\""), end = page.find("\n}\n", begin);
    QVERIFY(begin != std::string::npos && end != std::string::npos);
    for (const Issue& issue : validate(Json::parse(page.substr(begin, end + 2 - begin))))
      QFAIL((issue.where + ": " + issue.message).c_str());
  }

  void projectsThatDoNotFitAreRefused() {
    const auto said = [](Json document) {
      std::string text;
      for (const Issue& issue : validate(document)) text += issue.where + ": " + issue.message + "\n";
      return text;
    };
    QCOMPARE(said(springForOpenFresco()), std::string());
    Json document = springForOpenFresco();
    document["coupling"]["listen"] = "8090";
    QVERIFY(said(document).find("/coupling/listen: is \"8090\", which is not an address") == 0);
    document = springForOpenFresco();
    document["coupling"]["settle_ticks"] = 5;
    QVERIFY2(said(document).find("/coupling/settle_ticks: is 5, but the bench does not stand at a target with order 2 "
                                 "(/coupling/order); set it to 0, or set the order to 0.") == 0,
             said(document).c_str());
    document["coupling"]["order"] = 0;
    QCOMPARE(said(document), std::string());
    document["coupling"].erase("step_ticks");
    QVERIFY(said(document).find("step_ticks") != std::string::npos);
  }

 private:
  QString path(const char* name) const { return folder_->filePath(name); }

  /// Starts bench and model; false: the bench does not listen.
  bool start(const QString& pace, int steps, const QString& mode) {
    bench_ = std::make_unique<QProcess>();
    log_.clear();
    bench_->start(hyb::test::kProgram, {"run", path("p.json"), "-o", path("r.h5"), pace});
    const QRegularExpression place("tcp://127\\.0\\.0\\.1:(\\d+)");
    if (!told("start the program")) return false;
    const QString port = place.match(QString::fromUtf8(log_)).captured(1);
    model_ = std::make_unique<QProcess>();
    model_->start("python3", {QString(hyb::test::kSourceDir) + "/tests/hardware/openfresco_client.py", port,
                              QString::number(steps), mode});
    return !port.isEmpty();
  }
  /// The bench says so on standard error.
  bool told(const char* words) {
    for (QDeadlineTimer patience(hyb::test::kHangs_ms); !log_.contains(words) && !patience.hasExpired();) {
      bench_->waitForReadyRead(100);
      log_ += bench_->readAllStandardError();
      if (bench_->state() == QProcess::NotRunning) break;
    }
    return log_.contains(words);
  }
  bool modelEnds() { return model_->state() == QProcess::NotRunning || model_->waitForFinished(hyb::test::kHangs_ms); }
  bool benchEnds() {
    const bool ended = bench_->state() == QProcess::NotRunning || bench_->waitForFinished(hyb::test::kHangs_ms);
    log_ += bench_->readAllStandardError();
    return ended;
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<QProcess> bench_, model_;
  QByteArray log_;
};

HYB_SUITE(openfresco_run, TestOpenFrescoRun)
#include "openfresco_run_test.moc"
