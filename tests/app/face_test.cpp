/// FACE as a process: needs no hand, and killed half-way and given again it ends with the same numbers.
#include <signal.h>

#include <QProcess>
#include <QTemporaryDir>
#include <fstream>

#include "core/project/project.h"
#include "tests/support/program_test.h"
#include "tests/support/send_signal.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

class FaceCommandTest : public ProgramTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    Json study = {{"format", "hybridbench-study"}, {"version", 1}, {"kind", "face"}, {"project", "face-linear"}};
    study["set"] = {{"/loop/duration_s", 2},
                    {"/loop/soft_end_s", 0.2},
                    {"/rig/displacement_sensor", {{"noise_rms_m", 6.5e-5}}},  // 1 % of the largest motion
                    {"/rig/force_sensor", {{"noise_rms_n", 0.5}}},
                    {"/analysis/face/seeds", 4},
                    {"/analysis/face/bootstraps", 100}};
    std::ofstream(path("f.json").toStdString()) << study.dump();
  }

  void killedAndTakenUp() {
    Outcome whole = call({"study", "f.json", "-o", "whole.h5", "--json"});
    QVERIFY2(whole.code == 0, whole.err.c_str());
    Json a = whole.json();
    QVERIFY(a["complete"].get<bool>() && a["missing"].empty());
    QVERIFY2(a["prediction"]["carried"].get<bool>(), a["sentence"].get<std::string>().c_str());
    QVERIFY(a["prediction"]["error_percent"].get<double>() < a["true_error_percent"].get<double>());
    QVERIFY(a["model"]["carried"].get<bool>());
    QCOMPARE(a["model"]["level"].get<double>(), 0.95);
    QVERIFY(a["prediction"]["level"].is_null() && a["rests_on"] == "model");
    QVERIFY(!a["sentence"].get<std::string>().empty());

    QProcess victim;
    start(victim, {"study", "f.json", "-o", "f.h5", "--json"});
    QVERIFY(victim.waitForStarted(hyb::test::kHangs_ms));
    QTRY_VERIFY_WITH_TIMEOUT(lines("f.h5.part") > 5 || victim.state() == QProcess::NotRunning, hyb::test::kHangs_ms);
    QVERIFY2(sendSignal(victim, SIGKILL), "the campaign was faster than the kill: give it more tests");
    QVERIFY(victim.state() == QProcess::NotRunning || victim.waitForFinished(hyb::test::kHangs_ms));
    QVERIFY(!QFile::exists(path("f.h5")));

    const Outcome rest = call({"study", "f.json", "-o", "f.h5", "--json"});
    QVERIFY2(rest.code == 0, rest.err.c_str());
    Json b = rest.json();
    QVERIFY(b["resumed"].get<int>() >= 3);
    for (const char* key : {"file", "resumed", "elapsed_s"}) {
      a.erase(key);
      b.erase(key);
    }
    QCOMPARE(QString::fromStdString(b.dump(2)), QString::fromStdString(a.dump(2)));
  }

  void projectsAreTakenAsTheyAre() {
    const Outcome text = call({"study", "face-linear", "-o", "t.h5"});
    QVERIFY2(text.code == 0, text.err.c_str());
    QVERIFY2(text.out.find("error-free test, curve:") != std::string::npos, text.out.c_str());
    QVERIFY2(text.out.find("a range, not a confidence interval: no fit can determine") != std::string::npos,
             text.out.c_str());
    QVERIFY2(text.out.find("rests on the curve") != std::string::npos, text.out.c_str());
    QVERIFY(QFile::exists(path("t.h5")));
    const Outcome none = call({"study", "benchmark-2020-sample", "-o", "n.h5"});
    QCOMPARE(none.code, 2);
    QVERIFY2(none.err.find("/analysis/face") != std::string::npos, none.err.c_str());
    std::ofstream(path("v.json").toStdString())
        << R"({"format": "hybridbench-study", "version": 1, "kind": "face", "project": "face-linear", "vary": []})";
    const Outcome vary = call({"study", "v.json", "-o", "v.h5"});
    QCOMPARE(vary.code, 2);
    QVERIFY2(vary.err.find("/analysis/face") != std::string::npos, vary.err.c_str());
  }
};

HYB_SUITE(face_command, FaceCommandTest)
#include "face_test.moc"
