/// Libraries of the user, as the program as a whole takes them: who loads them, and how a test ends where one breaks
/// the rules.
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <csignal>

#include "core/record/run_file_reader.h"
#include "tests/support/paths.h"
#include "tests/support/program_test.h"
#include "tests/support/send_signal.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

class PlugInProgramTest : public ProgramTest {
  Q_OBJECT

  QString file(const QString& name) const { return folder_->filePath(name); }
  bool has(const std::string& text, const std::string& part) const { return text.find(part) != std::string::npos; }
  static QString library(const QString& name) { return QString::fromUtf8(kPlugIns) + QLatin1Char('/') + name; }
  /// three-mass with a library of the tests, as a file "NAME.json".
  void write(const QString& name, const std::string& path) const {
    Json project = templateDocument("three-mass");
    project["compensation"] = {{"method", "plug-in"}, {"library", path}};
    project["safety"]["limits"] = Json::array();
    project["loop"]["duration_s"] = 10.0;
    project["analysis"]["start_s"] = 2.0;
    saveDocument(project, file(name).toStdString());
  }
  /// FACE on the spring specimen with a library of the tests, as a project "NAME.json".
  void writeFace(const QString& name, const std::string& path) const {
    Json project = templateDocument("face-linear");
    project["compensation"] = {{"method", "plug-in"}, {"library", path}};
    project["loop"]["duration_s"] = 2.0;
    project["loop"]["soft_end_s"] = 0.2;
    project["analysis"]["face"]["values"] = {0.0, 0.002, 0.004, 0.006};
    project["analysis"]["face"]["bootstraps"] = 100;
    saveDocument(project, file(name).toStdString());
  }
  void writeStudy(const QString& name) const {
    const Json study = {{"format", "hybridbench-study"},
                        {"version", 1},
                        {"project", "p.json"},
                        {"vary", {{{"pointer", "/loop/duration_s"}, {"values", {9.0, 10.0}}}}}};
    saveDocument(study, file(name).toStdString());
  }
  std::string marks() const { return file(QStringLiteral("mark")).toStdString(); }
  /// The library has been loaded since the last call.
  bool loaded() const { return QFile::remove(file(QStringLiteral("mark"))); }
  std::string accepted() const {
    QFile list(file(QStringLiteral("settings/hybridbench/accepted-plug-ins")));
    return list.open(QIODevice::ReadOnly) ? list.readAll().toStdString() : std::string();
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    qputenv("XDG_CONFIG_HOME", file(QStringLiteral("settings")).toUtf8());
    qputenv("HYB_TEST_MARK", marks().c_str());
  }
  void cleanup() {
    qunsetenv("XDG_CONFIG_HOME");
    qunsetenv("HYB_TEST_MARK");
  }

  void onlyTestsReplaysAndStudiesLoadIt();
  void aLibraryIsAcceptedBeforeItRuns();
  void aTestEndsWhereALibraryBreaksTheRules_data();
  void aTestEndsWhereALibraryBreaksTheRules();
  void inRealTimeToo();
  void oneThatNeverComesBackIsRefusedBeforeTheRigIsArmed();
  void aStudyEndsWithTheName();
  void aReplayEndsWithTheName();
  void twoStopsEndTheWaitForItsSetUp_data();
  void twoStopsEndTheWaitForItsSetUp();
  void aFaceCampaignAsksAndRuns();
};

void PlugInProgramTest::onlyTestsReplaysAndStudiesLoadIt() {
  QVERIFY(QFile::copy(library("marks.so"), file("mine.so")));
  write("p.json", "mine.so");
  Outcome ended = call({"run", "p.json", "--accept-plug-in", "-o", "r.h5"});
  QVERIFY2(ended.code == 0, ended.err.c_str());
  QVERIFY(loaded());
  const auto quiet = [&](const QStringList& arguments, const std::string& sentence) {
    const Outcome one = call(arguments);
    const bool well = one.code == 0 && !loaded() && has(one.out + one.err, sentence);
    if (!well)
      qWarning("%s: code %d\n%s%s", qPrintable(arguments.join(' ')), one.code, one.out.c_str(), one.err.c_str());
    return well;
  };
  const std::string named = "\"mine.so\" is not loaded here";
  QVERIFY(quiet({"check", "p.json"}, named));
  QVERIFY(quiet({"check", "p.json", "--json"}, "is not loaded here"));
  QVERIFY(quiet({"check", "p.json", "--preflight"}, "Without the compensation"));
  QVERIFY(quiet({"stability", "p.json"}, named));
  QVERIFY(quiet({"plant", "p.json"}, ""));
  QVERIFY(quiet({"metrics", "r.h5"}, "(\"mine.so\"), which is not loaded for figures"));
  QVERIFY(quiet({"recover", "r.h5"}, ""));
  QVERIFY(quiet({"identify", "r.h5"}, ""));
  QVERIFY(call({"metrics", "r.h5", "--json"}).json().at("left_out").size() == 1);

  QVERIFY(call({"replay", "r.h5"}).code == 0 && loaded());
  const Json study = {{"format", "hybridbench-study"},
                      {"version", 1},
                      {"project", "p.json"},
                      {"vary", {{{"pointer", "/loop/duration_s"}, {"values", {5.0, 6.0}}}}}};
  saveDocument(study, file("s.json").toStdString());
  ended = call({"study", "s.json"});
  QVERIFY2(ended.code == 0 && loaded(), ended.err.c_str());
  // Figures of a run do not need it at all.
  QVERIFY(QFile::remove(file("mine.so")));
  QVERIFY(quiet({"metrics", "r.h5"}, "which is not loaded for figures"));
  QCOMPARE(call({"check", "p.json"}).code, 2);
}

void PlugInProgramTest::aLibraryIsAcceptedBeforeItRuns() {
  write("p.json", library("marks.so").toStdString());
  const QStringList run{"run", "p.json", "--duration", "4", "-o", "r.h5"};
  const Outcome refused = call(run);
  QCOMPARE(refused.code, 2);
  QVERIFY2(has(refused.err, library("marks.so").toStdString() + "\" is a program that you have not accepted yet"),
           refused.err.c_str());
  QVERIFY(!loaded() && !QFile::exists(file("r.h5")) && accepted().empty());
  const std::string option = "--accept-plug-in=";
  const std::size_t at = refused.err.find(option);
  QVERIFY(at != std::string::npos);
  const QString sha256 = QString::fromStdString(refused.err.substr(at + option.size(), 64));
  const QString other(64, QLatin1Char('0'));
  QCOMPARE(call(run + QStringList{"--accept-plug-in", other}).code, 2);
  QCOMPARE(call(run + QStringList{"--accept-plug-in", "yes"}).code, 2);
  QVERIFY(!loaded());
  QCOMPARE(call(run + QStringList{"--accept-plug-in", sha256}).code, 0);
  QVERIFY(loaded() && has(accepted(), sha256.toStdString() + "  "));
  QFile::remove(file("r.h5"));
  QCOMPARE(call(run).code, 0);  // once is enough
  QVERIFY(loaded());
  // A file without a list to write to is accepted for the call.
  QFile::remove(file("r.h5"));
  qputenv("XDG_CONFIG_HOME", "/proc/nowhere");
  QCOMPARE(call(run).code, 2);
  QCOMPARE(call(QStringList{"run", "--accept-plug-in", "p.json"} + run.mid(2)).code, 0);
}

void PlugInProgramTest::aTestEndsWhereALibraryBreaksTheRules_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QString>("sentence");
  QTest::newRow("never returns") << "late_stuck.so"
                                 << "did not return from update() within";
  // Too slow, or given up before it came back: whatever is seen first.
  QTest::newRow("30 ms") << "late_slow.so"
                         << "";
  QTest::newRow("exit(0)") << "late_exit.so"
                           << "called exit() in update()";
  QTest::newRow("command") << "late_no_number.so"
                           << "returned a command that is not a number (interface 1)";
  QTest::newRow("rate") << "late_no_number_rate.so"
                        << "returned a command rate that is not a number (interface 1)";
  QTest::newRow("exception") << "throws.so"
                             << "threw a C++ exception out of update()";
}

/// Exit code 1, the name, and a file that is closed and says it.
void PlugInProgramTest::aTestEndsWhereALibraryBreaksTheRules() {
  QFETCH(QString, name);
  QFETCH(QString, sentence);
  write("p.json", library(name).toStdString());
  const Outcome ended = call({"run", "p.json", "--accept-plug-in", "-o", "r.h5"});
  QVERIFY2(ended.code == 1, (ended.out + ended.err).c_str());
  const std::string said = name.toStdString() + "\" " + sentence.toStdString();
  QVERIFY2(has(ended.out, said), ended.out.c_str());
  const RunFileReader run(file("r.h5").toStdString());
  QVERIFY(!run.info().live && !run.info().complete);
  QVERIFY2(has(run.info().stop_reason, said), run.info().stop_reason.c_str());
  QVERIFY(run.info().rows > 500);
  bool told = false;
  for (const RecordedEvent& event : run.events())
    told = told ||
           (event.code == static_cast<int>(EventCode::plug_in_failed) && has(event.message, sentence.toStdString()));
  QVERIFY(told);
  QVERIFY(has(ended.out, "ended: plug-in"));
}

void PlugInProgramTest::inRealTimeToo() {
  write("p.json", library("late_stuck.so").toStdString());
  const Outcome ended = call({"run", "p.json", "--real-time", "--accept-plug-in", "-o", "r.h5", "--json"});
  QVERIFY2(ended.code == 1, (ended.out + ended.err).c_str());
  QVERIFY(has(ended.json().at("stop_reason"), "late_stuck.so\" did not return from update()"));
  QVERIFY(!RunFileReader(file("r.h5").toStdString()).info().live);
}

void PlugInProgramTest::oneThatNeverComesBackIsRefusedBeforeTheRigIsArmed() {
  write("p.json", library("stuck.so").toStdString());
  const Outcome ended = call({"run", "p.json", "--accept-plug-in", "-o", "r.h5"});
  QVERIFY2(ended.code == 3, (ended.out + ended.err).c_str());
  QVERIFY2(has(ended.err, "stuck.so\" did not return from update()"), ended.err.c_str());
  QVERIFY(!QFile::exists(file("r.h5")));
}

void PlugInProgramTest::aStudyEndsWithTheName() {
  write("p.json", library("late_stuck.so").toStdString());
  writeStudy("s.json");
  const Outcome ended = call({"study", "s.json", "--accept-plug-in"});
  QVERIFY2(ended.code == 3, (ended.out + ended.err).c_str());
  QVERIFY2(has(ended.err, "late_stuck.so\" did not return from update()"), ended.err.c_str());
}

/// What it recorded until then is closed, and says why it ends there.
void PlugInProgramTest::aReplayEndsWithTheName() {
  write("p.json", library("stuck_at_will.so").toStdString());
  const Outcome run = call({"run", "p.json", "--accept-plug-in", "-o", "r.h5"});
  QVERIFY2(run.code == 0, (run.out + run.err).c_str());
  qputenv("HYB_TEST_STUCK", "1");
  const Outcome ended = call({"replay", "r.h5", "-o", "again.h5"});
  qunsetenv("HYB_TEST_STUCK");
  const std::string said = "stuck_at_will.so\" did not return from update() within";
  QVERIFY2(ended.code == 3 && has(ended.err, said), (ended.out + ended.err).c_str());
  const RunFileReader again(file("again.h5").toStdString());
  QVERIFY(!again.info().live && !again.info().complete && again.info().rows > 500);
  QVERIFY2(has(again.info().stop_reason, said), again.info().stop_reason.c_str());
}

void PlugInProgramTest::twoStopsEndTheWaitForItsSetUp_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::newRow("run") << QStringList{"run", "p.json"};
  QTest::newRow("study") << QStringList{"study", "s.json", "--jobs", "1"};
  QTest::newRow("FACE") << QStringList{"study", "f.json"};
}
/// The time that a set-up may take is not waited for. Two signals of one kind could come as one.
void PlugInProgramTest::twoStopsEndTheWaitForItsSetUp() {
  QFETCH(QStringList, arguments);
  const std::string stuck = library("create_stuck.so").toStdString();
  write("p.json", stuck);
  writeStudy("s.json");
  writeFace("f.json", stuck);
  QProcess process;
  start(process, arguments + QStringList{"--accept-plug-in", "-o", "r.h5"});
  QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path("mark")) || process.state() == QProcess::NotRunning, kHangs_ms);
  QVERIFY2(sendSignal(process, SIGINT) && sendSignal(process, SIGTERM), process.readAllStandardError().constData());
  QVERIFY(process.waitForFinished(kHangs_ms) && process.exitStatus() == QProcess::NormalExit);
  const std::string said = process.readAllStandardError().toStdString();
  QVERIFY2(has(said, "\"create_stuck.so\" was still in create() when STOP was pressed again"), said.c_str());
  QCOMPARE(process.exitCode(), 3);
  QVERIFY(!QFile::exists(file("r.h5")));
}

void PlugInProgramTest::aFaceCampaignAsksAndRuns() {
  writeFace("f.json", library("marks.so").toStdString());
  const QStringList campaign{"study", "f.json", "-o"};
  const Outcome refused = call(campaign + QStringList{"f.h5"});
  QCOMPARE(refused.code, 2);
  QVERIFY2(has(refused.err, "marks.so\" is a program that you have not accepted yet"), refused.err.c_str());
  QVERIFY(!loaded() && !QFile::exists(file("f.h5")) && accepted().empty());
  const Outcome ended = call(campaign + QStringList{"f.h5", "--accept-plug-in", "--json"});
  QVERIFY2(ended.code == 0 && loaded(), ended.err.c_str());
  QVERIFY2(ended.json().at("complete").get<bool>(), ended.out.c_str());
  QCOMPARE(call(campaign + QStringList{"again.h5"}).code, 0);  // once is enough
}

HYB_SUITE(plug_in_program, PlugInProgramTest)
#include "plug_in_test.moc"
