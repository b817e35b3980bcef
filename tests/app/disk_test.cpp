#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <QProcess>
#include <QTest>
#include <fstream>
#include <iterator>

#include "core/record/run_file_reader.h"
#include "core/record/run_file_writer.h"
#include "tests/support/program_test.h"
#include "tests/support/send_signal.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

namespace fs = std::filesystem;

std::string bytesOf(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Nothing that a terminal would act on.
bool harmless(const Outcome& outcome) {
  const std::string all = outcome.out + outcome.err;
  return std::none_of(
             all.begin(), all.end(),
             [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f; }) &&
         all.find("\xc2\x9b") == std::string::npos;
}

/// A short run.
const QStringList kRun = {"run", "three-mass", "--duration", "6", "-o", "run.h5"};

}  // namespace

/// What the program says and keeps when files, streams and the disk do not behave.
class DiskTest : public ProgramTest {
  Q_OBJECT

  fs::path file(const char* name) const { return path(name).toStdString(); }
  QProcessEnvironment watched() const {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("LD_PRELOAD", QString(kPlugIns) + "/watched_disk.so");
    environment.insert("HYB_WATCHED", QDir(folder_->path()).canonicalPath());
    return environment;
  }
  static QProcessEnvironment headless() {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* variable : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) environment.remove(variable);
    return environment;
  }
  Outcome call(const QStringList& arguments, const QProcessEnvironment& environment,
               const std::function<void()>& in_child = {}) const {
    QProcess process;
    process.setProcessEnvironment(environment);
    if (in_child) process.setChildProcessModifier(in_child);
    start(process, arguments);
    return finished(process);
  }
  Outcome call(const QStringList& arguments, const std::function<void()>& in_child = {}) const {
    return call(arguments, QProcessEnvironment::systemEnvironment(), in_child);
  }
  std::vector<std::string> callsOf(const QStringList& arguments, Outcome& outcome) const {
    QProcessEnvironment environment = watched();
    environment.insert("HYB_CALLS", path("calls.log"));
    outcome = call(arguments, environment);
    std::ifstream log(file("calls.log"));
    std::vector<std::string> calls;
    for (std::string line; std::getline(log, line);) calls.push_back(line);
    return calls;
  }
  static std::ptrdiff_t last(const std::vector<std::string>& calls, const std::string& call) {
    const auto found = std::find(calls.rbegin(), calls.rend(), call);
    return found == calls.rend() ? -1 : calls.rend() - found - 1;
  }
  static std::ptrdiff_t first(const std::vector<std::string>& calls, const std::string& call) {
    const auto found = std::find(calls.begin(), calls.end(), call);
    return found == calls.end() ? -1 : found - calls.begin();
  }

  /// An endless run in real time, started and recording.
  void startRecording(QProcess& process) const {
    start(process, {"run", "three-mass", "--real-time", "--set", "/loop/duration_s=0", "--set",
                    "/recording/flush_s=0.1", "-o", "a.h5", "--json"});
    const auto recording = [&] {
      try {
        return fs::exists(file("a.h5")) && RunFileReader(file("a.h5")).info().rows > 0;
      } catch (const DeviceError&) {
        return false;  // it is being made
      }
    };
    QTRY_VERIFY_WITH_TIMEOUT(recording(), kHangs_ms);
  }
  /// Waits for these words on standard error.
  static bool says(QProcess& process, const char* words, std::string& said) {
    process.setReadChannel(QProcess::StandardError);
    while (said.find(words) == std::string::npos) {
      if (!process.waitForReadyRead(kHangs_ms)) return false;
      said += process.readAllStandardError().toStdString();
    }
    return true;
  }

 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void closedStandardStreams_data() {
    QTest::addColumn<int>("closed");
    QTest::addColumn<bool>("json");
    for (int closed = 0; closed < 8; ++closed)
      for (const bool json : {false, true}) QTest::addRow("%d%s", closed, json ? " json" : "") << closed << json;
  }
  void closedStandardStreams() {
    QFETCH(int, closed);
    QFETCH(bool, json);
    QProcessEnvironment environment = watched();
    environment.insert("HYB_CALLS", path("calls.log"));
    const Outcome run = call(json ? kRun + QStringList{"--json"} : kRun, environment, [closed] {
      for (int descriptor = 0; descriptor < 3; ++descriptor)
        if ((closed >> descriptor & 1) != 0) ::close(descriptor);
    });
    const bool nobody_listens = (closed & 2) != 0;
    QCOMPARE(run.code, nobody_listens ? 3 : 0);
    QCOMPARE(bytesOf(file("run.h5")).substr(0, 8), std::string("\x89HDF\r\n\x1a\n"));
    // What is said would be written over a file that took the descriptor of a stream.
    QVERIFY(bytesOf(file("calls.log")).find("write run.h5") != std::string::npos);
    QVERIFY(bytesOf(file("calls.log")).find("stream run.h5") == std::string::npos);
    const RunFileReader reader(file("run.h5"));
    QVERIFY(reader.info().complete && reader.info().valid && reader.info().rows > 100);
    if (nobody_listens && (closed & 4) == 0)
      QVERIFY2(run.err.find("standard output: cannot be written") != std::string::npos, run.err.c_str());
  }

  /// | head
  void readerThatHasReadEnough() {
    for (const QStringList& arguments :
         {kRun, QStringList{"run", "three-mass", "--duration", "6", "-o", "b.h5", "--json"}, QStringList{"schema"},
          QStringList{"--help"}, QStringList{"templates"}}) {
      const Outcome outcome = call(arguments, [] {
        int ends[2];
        if (::pipe(ends) != 0) ::_exit(99);
        ::close(ends[0]);
        ::dup2(ends[1], STDOUT_FILENO);
      });
      QVERIFY2(outcome.code == 0 && outcome.err.find("error") == std::string::npos, outcome.err.c_str());
    }
    QVERIFY(RunFileReader(file("run.h5")).info().complete);
  }

  void fullOutputIsStillAnError() {
    const Outcome outcome = call({"schema"}, [] {
      const int full = ::open("/dev/full", O_WRONLY);
      ::dup2(full, STDOUT_FILENO);
    });
    QCOMPARE(outcome.code, 3);
    QVERIFY(outcome.err.find("standard output") != std::string::npos);
  }

  void fileThatIsMovedDuringTheRun() {
    QCOMPARE(call({"run", "three-mass", "--duration", "14", "-o", "old.h5"}).code, 0);
    const std::string old = bytesOf(file("old.h5"));
    QProcess process;
    startRecording(process);
    if (QTest::currentTestFailed()) return;
    fs::rename(file("a.h5"), file("mine.h5"));
    fs::rename(file("old.h5"), file("a.h5"));
    std::string said;
    QVERIFY2(says(process, "was moved during the test to", said), said.c_str());
    sendSignal(process, SIGINT);
    const Outcome run = finished(process);
    QVERIFY2(run.code == 0, run.err.c_str());
    QVERIFY(bytesOf(file("a.h5")) == old);
    QCOMPARE(run.json()["file"].get<std::string>(), fs::canonical(file("mine.h5")).string());
    QCOMPARE(run.json()["verdict"]["missing"].size() == 0, run.json()["missed_periods"] == 0);
    const RunFileReader mine(file("mine.h5"));
    QVERIFY(!mine.info().live && mine.info().valid && mine.info().rows > 0);
    const Json result = run.json();
    QCOMPARE(static_cast<std::int64_t>(mine.info().rows),
             result["ticks"].get<std::int64_t>() - result["missed_periods"].get<std::int64_t>());
  }

  void fileThatIsDeletedDuringTheRun() {
    QProcess process;
    startRecording(process);
    if (QTest::currentTestFailed()) return;
    fs::remove(file("a.h5"));
    std::string said;
    QVERIFY2(says(process, "a.h5 was deleted during the test", said), said.c_str());
    sendSignal(process, SIGINT);
    const Outcome run = finished(process);
    QCOMPARE(run.code, 3);
    QVERIFY(run.err.find("a.h5: the run file was deleted") != std::string::npos);
    const Json result = run.json();
    QCOMPARE(result["verdict"]["data"].get<std::string>(), std::string("not recorded"));
    QCOMPARE(result["verdict"]["test"].get<std::string>(), std::string("unknown"));
    QVERIFY(!result["valid"].get<bool>() && result["metrics"].is_null());
    QVERIFY(!fs::exists(file("a.h5")));
  }

  void refusedWrites_data() {
    QTest::addColumn<QString>("mode");
    QTest::newRow("one write") << QString();
    QTest::newRow("all from it on") << QString("+");
  }
  /// Each of them is refused to the writer itself in the suite held_file; this is what the program makes of those that
  /// make the file, of some of the rows, and of all that end it. How many there are depends on the flushes of a run.
  void refusedWrites() {
    QFETCH(QString, mode);
    Outcome whole;
    const auto all = std::ranges::count(callsOf(kRun, whole), "write run.h5");
    QVERIFY2(whole.code == 0 && all > 100, whole.err.c_str());
    for (auto n = 1 + 0 * all; n <= all; n += n < 20 || n >= all - 12 ? 1 : n < all - 43 ? 31 : all - 12 - n) {
      fs::remove(file("run.h5"));
      fs::remove(file("calls.log"));
      QProcessEnvironment environment = watched();
      environment.insert("HYB_CALLS", path("calls.log"));
      environment.insert("HYB_REFUSE_WRITE", QString::number(n) + mode);
      const Outcome run = call(kRun, environment);
      const std::string where = std::to_string(n) + " of " + std::to_string(all) + ": " + run.err;
      if (bytesOf(file("calls.log")).find("refused run.h5") == std::string::npos) {  // it needed fewer this time
        QVERIFY2(run.code == 0 && n > 20, where.c_str());
        continue;
      }
      QVERIFY2(run.code == 3, where.c_str());
      QVERIFY2(run.err.find("error: run.h5: ") != std::string::npos &&
                   run.err.find("Input/output error") != std::string::npos,
               where.c_str());
      QVERIFY2(run.out.find("data: whole") == std::string::npos, where.c_str());
    }
  }

  void finishedRunIsOnTheDiskBeforeItIsTold() {
    Outcome run;
    const std::vector<std::string> calls = callsOf(kRun, run);
    QVERIFY2(run.code == 0, run.err.c_str());
    QVERIFY(last(calls, "write run.h5") >= 0);
    QVERIFY(last(calls, "sync run.h5") > last(calls, "write run.h5"));
    QVERIFY(last(calls, "sync .") > last(calls, "write run.h5"));
    QVERIFY(first(calls, "print") > last(calls, "sync run.h5") && first(calls, "print") > last(calls, "sync ."));
  }

  void finishedStudyIsOnTheDiskBeforeItsJournalGoes() {
    std::ofstream(file("study.json"))
        << R"({"format": "hybridbench-study", "version": 1, "title": "two", "project": "three-mass",
               "vary": [{"pointer": "/compensation/alpha", "values": [0.1, 0.2]}]})";
    Outcome study;
    const std::vector<std::string> calls = callsOf({"study", "study.json", "-o", "s.h5", "--jobs", "1"}, study);
    QVERIFY2(study.code == 0, study.err.c_str());
    const auto renamed = first(calls, "rename s.h5.writing s.h5"), removed = first(calls, "remove s.h5.part");
    QVERIFY(renamed >= 0 && removed > renamed);
    QVERIFY(first(calls, "sync s.h5.writing") > last(calls, "write s.h5.writing"));
    QVERIFY(first(calls, "sync s.h5.writing") < renamed);
    const auto folder = std::find(calls.begin() + renamed, calls.end(), "sync .") - calls.begin();
    QVERIFY(folder < removed);
  }

  void refusedWritesOfAStudy() {
    std::ofstream(file("study.json"))
        << R"({"format": "hybridbench-study", "version": 1, "title": "two", "project": "three-mass",
               "vary": [{"pointer": "/compensation/alpha", "values": [0.1, 0.2]}]})";
    for (const char* which : {"1", "2", "3", "4", "5", "6", "8", "1+", "4+", "6+"}) {
      QProcessEnvironment environment = watched();
      environment.insert("HYB_REFUSE_WRITE", which);
      const Outcome study = call({"study", "study.json", "-o", "s.h5", "--jobs", "1"}, environment);
      QVERIFY2(study.code == 3, (which + (" " + study.err)).c_str());
      QVERIFY2(study.err.find("error: s.h5") != std::string::npos &&
                   study.err.find("Input/output error") != std::string::npos,
               study.err.c_str());
      QVERIFY(!fs::exists(file("s.h5")) && !fs::exists(file("s.h5.writing")));
    }
    QCOMPARE(call({"study", "study.json", "-o", "s.h5", "--jobs", "1"}).code, 0);  // takes up what was kept
    QVERIFY(!fs::exists(file("s.h5.part")));
  }

  void displayThatIsNotThere() {
    if (const Outcome opened = call({"three-mass"}, headless()); opened.err.find("no window") != std::string::npos)
      QSKIP("no window in this build");
    QProcessEnvironment environment = headless();
    environment.insert("DISPLAY", ":9977");
    const Outcome outcome = call({"three-mass"}, environment);
    QVERIFY2(outcome.code == 3, outcome.err.c_str());
    QVERIFY2(outcome.err.starts_with("error: ") && outcome.err.find("DISPLAY=:9977") != std::string::npos,
             outcome.err.c_str());
    QCOMPARE(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
  }

  void namesAreNoOrders() {
    const std::string evil =
        "\x1b[31m\x9b"
        "2J\xc2\x9b"
        "5m\x07\x7f";
    const std::string name = "p\x1b[2J.json";
    std::string project = bytesOf(file("p.json"));
    QCOMPARE(call({"new", "three-mass", "-o", "p.json"}).code, 0);
    project = bytesOf(file("p.json"));
    project.insert(project.find('{') + 1, "\"x\\u001b[31m\\u009b2Jy\": 1, ");
    std::ofstream(file(name.c_str())) << project;
    for (const QStringList& arguments :
         {QStringList{"check", QString::fromStdString(name)},
          QStringList{"check", QString::fromStdString(name), "--json"},
          QStringList{"metrics", QString::fromStdString(name)}, QStringList{"run", QString::fromStdString(name)},
          QStringList{QString::fromLatin1(evil.c_str())},
          QStringList{"run", "three-mass", QString::fromLatin1(evil.c_str())}}) {
      const Outcome outcome = call(arguments);
      QVERIFY2(outcome.code == 2 || outcome.code == 3, outcome.err.c_str());
      QVERIFY2(harmless(outcome), (outcome.out + outcome.err).c_str());
    }
    QCOMPARE(call(kRun).code, 0);
    const Outcome json = call({"metrics", "run.h5", "--json"});
    QVERIFY2(json.code == 0 && harmless(json) && json.json().is_object(), json.err.c_str());
  }

  /// Texts in a run file are as foreign as those of a project.
  void textsInRunFilesAreNoOrders() {
    const std::string evil =
        "a\x1b[31m\xc2\x9b"
        "2Jb\x07\r\x7f<b>c</b>";
    Json project = templateDocument("three-mass");
    for (const char* text : {"title", "description", "operator"}) project["meta"][text] = evil;
    project["structure"]["masses"][0]["name"] = evil;
    // Written by another program: the project of one is not even a project.
    const auto write = [&](const char* name, const Json& of) {
      RunFileHeader header;
      header.title = header.operator_name = evil;
      header.rate_hz = 1000.0;
      header.project_json = of.dump();
      const RowLayout layout{2, {{"walls", "m", evil, 0}}, true, {}};
      RunFileWriter writer(file(name), header, layout, {}, 64);
      writer.append(std::vector<double>(64 * layout.width(), 0.5));
      Event event{.tick = 3, .code = EventCode::operator_note};
      event.setText(evil);
      writer.append(event);
      writer.close({.complete = true, .valid = true, .stop_reason = evil, .ended = EndReason::completed});
    };
    write("foreign.h5", Json{{"format", "hybridbench-project"}, {evil, evil}});
    write("named.h5", project);
    bool shown = false;
    for (const char* const name : {"foreign.h5", "named.h5"})
      for (const QStringList& arguments :
           {QStringList{"metrics", name}, QStringList{"metrics", name, "--json"}, QStringList{"verify", name},
            QStringList{"verify", name, "--json"}, QStringList{"replay", name}, QStringList{"replay", name, "--json"},
            QStringList{"identify", name}, QStringList{"identify", name, "--json"}, QStringList{"recover", name},
            QStringList{"recover", name, "--json"}, QStringList{"gait", name}, QStringList{"check", name},
            QStringList{"run", "three-mass", "--go-on", name, "-o", "next.h5"},
            QStringList{"run", "three-mass", "--begin-with", name, "-o", "other.h5"}}) {
        const Outcome outcome = call(arguments);
        QVERIFY2(outcome.code >= 0 && harmless(outcome), qPrintable(arguments.join(' ')));
        shown = shown || (outcome.out + outcome.err).find("[31m") != std::string::npos;
      }
    QVERIFY(shown);  // made harmless, not only left away
    // A damaged file is named by its parts.
    std::string bytes = bytesOf(file("foreign.h5"));
    bytes[bytes.size() / 2] ^= 1;
    std::ofstream(file("foreign.h5"), std::ios::binary) << bytes;
    for (const char* command : {"metrics", "verify", "replay"}) {
      const Outcome outcome = call({command, "foreign.h5"});
      QVERIFY2(outcome.code > 0 && harmless(outcome), command);
    }
  }

  /// Whatever a command writes: a disk that takes nothing, a folder that is missing, a device that is full.
  void refusedExports_data() {
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<bool>("old_stays");  // a file of that name is put out of the way by a new one
    QTest::newRow("points of a path as CSV") << QStringList{"continuation", "duffing-continuation", "-o"} << true;
    QTest::newRow("project") << QStringList{"new", "three-mass", "-o"} << false;
    QTest::newRow("replayed run") << QStringList{"replay", "run.h5", "-o"} << false;
    QTest::newRow("recovered run") << QStringList{"recover", "killed.h5", "-o"} << false;
    QTest::newRow("study") << QStringList{"study", "study.json", "-o"} << false;
    QTest::newRow("worked example of a plug-in") << QStringList{"plug-in"} << false;
  }
  void refusedExports() {
    QFETCH(QStringList, command);
    QFETCH(bool, old_stays);
    QCOMPARE(call(kRun).code, 0);
    std::ofstream(file("study.json"))
        << R"({"format": "hybridbench-study", "version": 1, "title": "two", "project": "three-mass",
               "vary": [{"pointer": "/compensation/alpha", "values": [0.1, 0.2]}]})";
    {
      RunFileHeader header;
      header.rate_hz = 1000.0;
      header.project_json = templateDocument("three-mass").dump();
      const RowLayout layout{2, {{"walls", "m", "", 0}}, true, {}};
      RunFileWriter writer(file("live.h5"), header, layout, {}, 64);
      writer.append(std::vector<double>(64 * layout.width(), 0.5));
      writer.flush();
      fs::copy_file(file("live.h5"), file("killed.h5"));
    }
    QProcessEnvironment environment = watched();
    environment.insert("HYB_REFUSE_WRITE", "1+");
    const Outcome refused = call(command + QStringList{"made"}, environment);
    QVERIFY2(refused.code == 3 && refused.err.starts_with("error: ") && refused.err.find("made") != std::string::npos,
             refused.err.c_str());
    QVERIFY2(refused.err.find("cannot be written") != std::string::npos ||
                 refused.err.find("Input/output error") != std::string::npos,
             refused.err.c_str());
    QVERIFY(!fs::is_regular_file(file("made")));  // never a part of it
    std::ofstream(file("blocks")) << "a file, no folder";
    const Outcome nowhere = call(command + QStringList{"blocks/made"});
    QVERIFY2(nowhere.code == 3 && nowhere.err.find("blocks/made") != std::string::npos, nowhere.err.c_str());
    if (!old_stays) return;
    std::ofstream(file("made")) << "old";
    QCOMPARE(call(command + QStringList{"made"}, environment).code, 3);
    QCOMPARE(bytesOf(file("made")), std::string("old"));
    const Outcome full = call(command + QStringList{"/dev/full"});
    QVERIFY2(full.code == 3 && full.err.find("No space left on device") != std::string::npos, full.err.c_str());
    QCOMPARE(call(command + QStringList{"made"}).code, 0);
    QVERIFY(bytesOf(file("made")) != "old");
  }
};

HYB_SUITE(disk, DiskTest)
#include "disk_test.moc"
