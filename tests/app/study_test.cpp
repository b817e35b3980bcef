/// The command `study` as a process: killed at a random moment or interrupted, then given again, it ends with the same
/// numbers as in one go.
#include <signal.h>

#include <QProcess>
#include <QTemporaryDir>
#include <cmath>
#include <fstream>

#include "core/study/study_file.h"
#include "tests/support/program_test.h"
#include "tests/support/send_signal.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;
namespace fs = std::filesystem;

class StudyCommandTest : public ProgramTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    const Json alpha = {{"pointer", "/compensation/alpha"}, {"values", {0.1, 0.2, 0.3}}};
    Json study = {{"format", "hybridbench-study"}, {"version", 1}, {"project", "three-mass"}, {"seeds", 40}};
    study["set"] = {{"/loop/duration_s", 10}, {"/analysis/start_s", 4}};
    study["vary"] = Json::array({alpha});
    std::ofstream(path("s.json").toStdString()) << study.dump();
  }

  /// Two machines with one study: each is cancelled, their journals become one, and the study goes on from it.
  void journalsArePrintedExportedAndMerged() {
    for (const char* name : {"one", "two"}) {
      QProcess victim;
      const QString part = QString(name) + ".h5.part";
      start(victim, {"study", "s.json", "-o", QString(name) + ".h5", "--jobs", "1"});
      QTRY_VERIFY_WITH_TIMEOUT(lines(qPrintable(part)) > 6, hyb::test::kHangs_ms);
      sendSignal(victim, SIGKILL);
      QVERIFY(victim.waitForFinished(hyb::test::kHangs_ms));
    }
    const Outcome merged =
        call({"study", "journal", "merge", "one.h5.part", "two.h5.part", "-o", "s.h5.part", "--json"});
    QVERIFY2(merged.code == 0, merged.err.c_str());
    QVERIFY(merged.json()["conflicts"].empty() && merged.json()["same"].get<int>() >= 5);
    const int runs = merged.json()["runs"].get<int>();
    const Outcome told = call({"study", "journal", "print", "s.h5.part"});
    QVERIFY2(told.code == 0, told.err.c_str());
    QVERIFY2(told.out.find(std::to_string(runs) + " of 120 runs are finished") != std::string::npos, told.out.c_str());
    const Outcome csv = call({"study", "journal", "export", "s.h5.part"});
    QCOMPARE(csv.code, 0);
    QCOMPARE(std::count(csv.out.begin(), csv.out.end(), '\n'), runs + 1);
    QVERIFY(csv.out.starts_with("study,run,status,complete,valid,seed,"));
    QCOMPARE(call({"study", "journal", "merge", "one.h5.part", "-o", "s.h5.part"}).code, 3);  // it is there
    QCOMPARE(call({"study", "journal", "print", "s.json"}).code, 2);                          // not a journal
    QCOMPARE(call({"study", "journal"}).code, 2);
    const Outcome rest = call({"study", "s.json", "-o", "s.h5", "--json"});
    QVERIFY2(rest.code == 0, rest.err.c_str());
    QCOMPARE(rest.json()["resumed"].get<int>(), runs);
    const Outcome shared = call({"study", "s.json", "-o", "t.h5", "--journal", "one.h5.part", "--json"});
    QVERIFY2(shared.code == 0 && shared.json()["resumed"].get<int>() >= 5, shared.err.c_str());
    QVERIFY(QFile::exists(path("one.h5.part")));
  }

  void endedEarlyAndTakenUp_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("kill -9") << SIGKILL;
    QTest::newRow("Ctrl-C") << SIGINT;
  }
  void endedEarlyAndTakenUp() {
    QFETCH(int, signal);
    Outcome whole = call({"study", "s.json", "-o", "whole.h5", "--json"});
    QCOMPARE(whole.code, 0);
    QCOMPARE(whole.json()["runs"].get<int>(), 120);
    QCOMPARE(whole.json()["done"].get<int>(), 120);

    QProcess victim;
    start(victim, {"study", "s.json", "-o", "s.h5", "--json"});
    QTRY_VERIFY_WITH_TIMEOUT(lines("s.h5.part") > 6, hyb::test::kHangs_ms);
    sendSignal(victim, signal);
    QVERIFY(victim.waitForFinished(hyb::test::kHangs_ms));
    if (signal == SIGKILL) {
      QCOMPARE(victim.exitStatus(), QProcess::CrashExit);
      QVERIFY(!QFile::exists(path("s.h5")));
    } else {
      QCOMPARE(victim.exitCode(), 1);
      const Json said = Json::parse(victim.readAllStandardOutput().toStdString());
      QVERIFY(said["cancelled"].get<bool>() && said["pending"].get<int>() > 0);
      QVERIFY(victim.readAllStandardError().contains("Run the same command again to continue"));
      QVERIFY(!readStudyFile(path("s.h5").toStdString()).complete);
    }
    const Outcome rest = call({"study", "s.json", "-o", "s.h5", "--jobs", "1", "--json"});
    QVERIFY2(rest.code == 0, rest.err.c_str());
    QVERIFY(rest.json()["resumed"].get<int>() >= 5 && rest.json()["resumed"].get<int>() < 120);

    const StudyTable a = readStudyFile(path("whole.h5").toStdString()), b = readStudyFile(path("s.h5").toStdString());
    QVERIFY(a.complete && b.complete && a.figures.size() == b.figures.size());
    for (std::size_t c = 0; c < a.figures.size(); ++c)
      for (std::size_t r = 0; r < 120; ++r) {
        const double x = a.figures[c].numbers[r], y = b.figures[c].numbers[r];
        QVERIFY2(x == y || (std::isnan(x) && std::isnan(y)), a.figures[c].name.c_str());
      }
    QVERIFY(QDir(folder_->path()).entryList({"s.h5.*"}, QDir::Files).isEmpty());

    const Outcome again = call({"study", "s.json", "-o", "s.h5"});  // finished: not touched
    QCOMPARE(again.code, 3);
    QVERIFY2(again.err.find("exists already") != std::string::npos, again.err.c_str());
  }

  void faultsAreToldBeforeTheFirstRun() {
    std::ofstream(path("bad.json").toStdString())
        << "{\"format\": \"hybridbench-study\", \"version\": 1, \"project\": \"three-mass\",\n"
           " \"vary\": [{\"pointer\": \"/loop/rate_hz\", \"values\": [1000, -5]}]}";
    const Outcome bad = call({"study", "bad.json", "-o", "bad.h5"});
    QCOMPARE(bad.code, 2);
    QVERIFY2(bad.err.find("/loop/rate_hz (run 1, loop.rate_hz -5): is -5 Hz") != std::string::npos, bad.err.c_str());
    std::ofstream(path("torn.json").toStdString()) << "{\"format\": \"hybridbench-study\",\n";
    const Outcome torn = call({"study", "torn.json"});
    QCOMPARE(torn.code, 2);
    QVERIFY2(torn.err.find("torn.json:2") != std::string::npos, torn.err.c_str());
    QCOMPARE(call({"study", "none.json"}).code, 3);
    QVERIFY(!QFile::exists(path("bad.h5")) && !QFile::exists(path("bad.h5.part")));
  }
};

HYB_SUITE(study_command, StudyCommandTest)
#include "study_test.moc"
