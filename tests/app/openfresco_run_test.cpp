#include <QProcess>
#include <QTest>
#include <memory>

#include "core/project/project.h"
#include "core/record/run_file_reader.h"
#include "resources/resources.h"
#include "tests/support/led_run.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

Json springForOpenFresco() {
  return hyb::test::springThatIsLed(
      {{"scheme", "openfresco"}, {"step_ticks", 10}, {"length_factor", 0.001}, {"force_factor", 1000}});
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
    bench_ = std::make_unique<hyb::test::LedRun>();
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
    QVERIFY(bench_->ends());
    QVERIFY2(bench_->exitCode() == 0, bench_->log().constData());
    QVERIFY2(bench_->log().contains("note: client connected: OpenFresco with 1 displacement"),
             bench_->log().constData());
    QVERIFY2(bench_->log().contains("init file"), bench_->log().constData());
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
    QVERIFY2(bench_->told("note: the model is late: no target for "), bench_->log().constData());
    model_->write("\n");
    QVERIFY(modelEnds());
    QVERIFY2(model_->exitCode() == 0, model_->readAllStandardError().constData());
    QVERIFY(bench_->ends());
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
    QVERIFY(bench_->ends());
    QCOMPARE(bench_->exitCode(), 0);
    QVERIFY2(bench_->log().contains("target of interface 1 refused: 1 m, allowed 0.01 m"), bench_->log().constData());
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
    if (mode == "code") QVERIFY2(bench_->told("client is out of step"), bench_->log().constData());
    if (mode != "half") model_->kill();
    QVERIFY(modelEnds());
    QVERIFY(bench_->ends());
    QVERIFY2(bench_->log().contains(said.toUtf8()), bench_->log().constData());
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
    QVERIFY2(bench_->told("client refused: its numbers are big-endian"), bench_->log().constData());
    bench_->terminate();
    QVERIFY(bench_->ends());
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
  QString path(const char* name) const { return bench_->path(name); }
  /// Starts bench and model; false: the bench does not listen.
  bool start(const QString& pace, int steps, const QString& mode) {
    const QString port = bench_->start(pace);
    model_ = std::make_unique<QProcess>();
    if (!port.isEmpty())
      model_->start("python3", {QString(hyb::test::kSourceDir) + "/tests/hardware/openfresco_client.py", port,
                                QString::number(steps), mode});
    return !port.isEmpty();
  }
  bool modelEnds() { return model_->state() == QProcess::NotRunning || model_->waitForFinished(hyb::test::kHangs_ms); }

  std::unique_ptr<hyb::test::LedRun> bench_;
  std::unique_ptr<QProcess> model_;
};

HYB_SUITE(openfresco_run, TestOpenFrescoRun)
#include "openfresco_run_test.moc"
