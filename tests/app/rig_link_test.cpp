/// Bench and rig as two processes over loopback TCP: in step and paced, and what happens when either is killed.
#include <signal.h>

#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <utility>

#include "core/project/project.h"
#include "core/record/run_file_reader.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

/// `hybridbench rig` on a free port.
class RigProcess {
 public:
  explicit RigProcess(QStringList more = {}, const char* project = "three-mass") {
    process_.start(hyb::test::kProgram, QStringList{"rig", project, "--listen", "tcp://127.0.0.1:0", "--json"} + more);
    while (!out_.contains('}') && process_.waitForReadyRead(hyb::test::kHangs_ms))
      out_ += process_.readAllStandardOutput();
    address_ = Json::parse(out_.toStdString(), nullptr, false).value("address", "");
  }
  ~RigProcess() {
    if (process_.state() == QProcess::NotRunning) return;
    process_.kill();
    process_.waitForFinished(hyb::test::kHangs_ms);
  }
  const std::string& address() const { return address_; }
  QProcess& process() { return process_; }
  bool said(const char* words) {
    process_.waitForReadyRead(20);
    err_ += process_.readAllStandardError();
    return err_.contains(words);
  }
  const QByteArray& log() const { return err_; }
  /// What it says of the rest that it has come to.
  struct Rest {
    double after_s = -1.0;  // since the last command
    double away_m = 1.0;    // the actuator that is farthest from zero
  };
  Rest rest() const {
    static const QRegularExpression sentence("at rest: [^\n]*, ([-+.e0-9]+) s after the last command, at ([^\n]*)");
    const QRegularExpressionMatch match = sentence.match(QString::fromUtf8(err_));
    if (!match.hasMatch()) return {};
    Rest found{match.captured(1).toDouble(), 0.0};
    for (const QString& place : match.captured(2).split(", ")) {
      bool number = false;
      const double position = QString(place).remove(" m").toDouble(&number);
      found.away_m = number ? std::max(found.away_m, std::abs(position)) : 1.0;
    }
    return found;
  }

 private:
  QProcess process_;
  QByteArray out_, err_;
  std::string address_;
};

constexpr double kRamp_s = 0.2;  // of the rig by itself
constexpr double kNearZero_m = 1e-4;

QString connectionTo(const std::string& address, double silence_s, int timeout_ticks = 10'000) {
  const Json connection = {{"protocol", "frames"},           {"address", address},     {"connect_s", 30.0},
                           {"timeout_ticks", timeout_ticks}, {"silence_s", silence_s}, {"ramp_s", kRamp_s}};
  return QString::fromStdString("/rig/connection=" + connection.dump());
}

/// A paced test on that rig. A busy machine may be late; only what the rig does ends it.
QStringList benchArguments(const std::string& address, double seconds, const QString& file, double silence_s,
                           const char* project = "three-mass") {
  return {"run",
          project,
          "--real-time",
          "--duration",
          QString::number(seconds),
          "--set",
          "/rig/use=rig",
          "--set",
          connectionTo(address, silence_s),
          "--set",
          R"(/safety/limits=[{"quantity":"link-lost","action":"stop"}])",
          "-o",
          file,
          "--json"};
}

/// What the program called like that says of its test; null: it failed.
Json resultOf(const QStringList& arguments) {
  QProcess bench;
  bench.start(hyb::test::kProgram, arguments);
  const bool ended = bench.waitForFinished(hyb::test::kHangs_ms);
  if (!ended || bench.exitCode() != 0) qWarning("%s", bench.readAllStandardError().constData());
  return Json::parse(bench.readAllStandardOutput().toStdString(), nullptr, false);
}

void killHard(QProcess& process) {
  const auto pid = static_cast<pid_t>(process.processId());
  QVERIFY(pid > 0);
  ::kill(pid, SIGKILL);
  QVERIFY(process.waitForFinished(hyb::test::kHangs_ms));
}

}  // namespace

class RigLinkTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Paced, to its end, however late a busy machine makes it; in step synchronised as on the twin but for the link's
  /// delay. HYB_SECONDS=60 for the long one.
  void threeMassOverLoopback() {
    const char* asked = std::getenv("HYB_SECONDS");
    const double seconds = asked != nullptr ? std::max(5.0, std::atof(asked)) : 5.0;
    QTemporaryDir folder;
    RigProcess rig;
    QVERIFY(!rig.address().empty());
    for (const char* pace : {"--free-run", "--real-time"}) {
      QStringList arguments = benchArguments(rig.address(), seconds, folder.filePath("link.h5"), 10.0);
      arguments.replaceInStrings("--real-time", pace);
      const Json result = resultOf(arguments);
      QVERIFY2(result.value("stop_reason", "") == "completed", rig.log());
      for (const Json& face : result.at("metrics").at("interfaces")) {
        const double error = face.at("tracking_nrmse_percent").get<double>();
        qInfo("%s, %s: tracking error %.2f %%", pace, face.at("name").get<std::string>().c_str(), error);
        if (pace == QString("--free-run")) QVERIFY(error < 5.0);
      }
      const Json& trips = result.at("link").at("round_trip_ms");
      QVERIFY(trips.at("median").get<double>() > 0.0);
      QVERIFY(trips.at("p99").get<double>() >= trips.at("median").get<double>());
      QVERIFY(trips.at("p999").get<double>() >= trips.at("p99").get<double>());
      qInfo("%llu late ticks, link: %s", result.at("late_ticks").get<unsigned long long>(),
            result.at("link").dump().c_str());
      QVERIFY(QFile::remove(folder.filePath("link.h5")));
    }
    QTRY_VERIFY2_WITH_TIMEOUT(rig.said("at rest"), rig.log(), hyb::test::kHangs_ms);
  }

  /// Other computers need the key, unless the network is trusted. A project names its key file beside itself.
  void whoMayMoveTheRig() {
    QTemporaryDir folder;
    const auto program = [&folder](const QStringList& arguments) {
      QProcess process;
      process.setWorkingDirectory(folder.path());
      process.start(hyb::test::kProgram, arguments);
      (void)process.waitForFinished(hyb::test::kHangs_ms);
      return std::pair{process.exitCode(), process.readAllStandardError()};
    };
    const auto [refused, why] = program({"rig", "three-mass", "--listen", "tcp://0.0.0.0:0"});
    QCOMPARE(refused, 2);
    for (const char* words : {"move the rig", "--key-file", "--new-key", "--trust-network"})
      QVERIFY2(why.contains(words), why);
    QCOMPARE(program({"rig"}).first, 2);
    QCOMPARE(program({"rig", "--new-key", "rig.key"}).first, 0);
    QCOMPARE(program({"rig", "--new-key", "rig.key"}).first, 3);  // another key would lock its benches out
    QCOMPARE(program({"new", "three-mass", "-o", "test.json"}).first, 0);
    RigProcess rig({"--key-file", folder.filePath("rig.key")});
    QVERIFY(!rig.address().empty());
    QStringList test = benchArguments(rig.address(), 0.2, "link.h5", 10.0, "test.json");
    test << "--set"
         << "/loop/soft_start_s=0.05"
         << "--set"
         << "/loop/soft_end_s=0.05";
    const auto [kept_out, told] = program(test);
    QCOMPARE(kept_out, 2);
    QVERIFY2(told.contains("/rig/connection/key_file"), told);
    test << "--set"
         << "/rig/connection/key_file=rig.key";
    const auto [served, said] = program(test);
    QVERIFY2(served == 0, said);
    QVERIFY2(rig.said("taking commands"), rig.log());
  }

  /// The benchmark with adaptive model-based compensation, its twin served, at 4096 Hz, in step: it is tracked as in
  /// the free run.
  void benchmarkOverLoopbackTracksAsTheFreeRun() {
    QTemporaryDir folder;
    const QStringList test = {
        "run",
        "benchmark-2020-sample",
        "--json",
        "--free-run",
        "--set",
        "/excitation/signals/0/amplitude_mps2=1",
        "--set",
        R"(/compensation={"method":"adaptive-inverse-model","gain_exponents":[8.4,6.2,2.1,0.8],)"
        R"("coefficients":[0.9925416,0.02488939,1.066232e-4,3.856392e-7],"quantum_m":3.8147e-6})"};
    const auto j2 = [](const Json& result) {
      return result.at("metrics").at("interfaces")[0].at("tracking_nrmse_percent").get<double>();
    };
    const Json free_run = resultOf(test + QStringList{"-o", folder.filePath("free.h5")});
    QCOMPARE(free_run.value("stop_reason", ""), std::string("completed"));

    RigProcess rig({}, "benchmark-2020-sample");
    QVERIFY(!rig.address().empty());
    const QStringList over_link = {"--set", "/rig/use=rig",
                                   "--set", connectionTo(rig.address(), 10.0),
                                   "--set", R"(/safety/limits=[{"quantity":"link-lost","action":"stop"}])"};
    const Json in_step = resultOf(test + over_link + QStringList{"-o", folder.filePath("in-step.h5")});
    QVERIFY2(in_step.value("stop_reason", "") == "completed", rig.log());
    qInfo("J2 %.3f %% in step over the link, %.3f %% without", j2(in_step), j2(free_run));
    QVERIFY(std::abs(j2(in_step) - j2(free_run)) < 0.1 * j2(free_run));
  }

  /// One stride in step with the foot on another process: the hip goes where it goes in a free run on the twin, within
  /// half a per cent of the way (V-66 and V-67).
  void oneStrideOverLoopback() {
    QTemporaryDir folder;
    QVERIFY(resultOf({"run", "prosthetic-foot", "--free-run", "-o", folder.filePath("free.h5"), "--json"}).is_object());
    RigProcess rig({}, "prosthetic-foot");
    QVERIFY(!rig.address().empty());
    QStringList arguments = benchArguments(rig.address(), 1.12, folder.filePath("link.h5"), 10.0, "prosthetic-foot");
    arguments.replaceInStrings("--real-time", "--free-run");
    QVERIFY2(resultOf(arguments).value("stop_reason", "") == "completed", rig.log());
    const RunFileReader here(folder.filePath("free.h5").toStdString()), there(folder.filePath("link.h5").toStdString());
    const std::vector<double> x = here.read("acquisition/hip_x"), y = here.read("acquisition/hip_y"),
                              x_link = there.read("acquisition/hip_x"), y_link = there.read("acquisition/hip_y"),
                              tick = there.read("acquisition/tick");
    constexpr std::size_t kStride = 1120;  // ticks
    QVERIFY(x.size() >= kStride && x_link.size() >= kStride);
    double apart_m = 0.0;
    for (std::size_t k = 0; k < kStride; ++k) {
      QCOMPARE(tick[k], static_cast<double>(k));
      apart_m = std::max(apart_m, std::hypot(x_link[k] - x[k], y_link[k] - y[k]));
    }
    const double way_m = x[kStride - 1];
    qInfo("hip over the link at most %.3f mm off the free run, %.3f %% of %.3f m", 1e3 * apart_m,
          100.0 * apart_m / way_m, way_m);
    QVERIFY(apart_m < 0.005 * way_m);
  }

  /// 20 answers of 5000 come 50 ms late: too few to show in 99 of 100 round trips, too many for 999 of 1000.
  void rareLongRoundTripsAreReported() {
    QTemporaryDir folder;
    RigProcess rig;
    QVERIFY(!rig.address().empty());
    QStringList arguments = benchArguments(rig.address(), 5.0, folder.filePath("link.h5"), 10.0);
    arguments.replaceInStrings("--real-time", "--free-run");
    arguments << "--set"
              << R"(/rig/faults=[{"kind":"latency","from_s":2.5,"duration_s":0.02,"value":0.05}])";
    const Json result = resultOf(arguments);
    QVERIFY2(result.value("stop_reason", "") == "completed", rig.log());
    const Json& trips = result.at("link").at("round_trip_ms");
    qInfo("%s", trips.dump().c_str());
    QVERIFY(trips.at("p999").get<double>() >= 50.0);
  }

  void aKilledBenchLeavesTheRigSafe() {
    QTemporaryDir folder;
    RigProcess rig;
    QProcess bench;
    bench.start(hyb::test::kProgram, benchArguments(rig.address(), 60.0, folder.filePath("link.h5"), 10.0));
    QTRY_VERIFY_WITH_TIMEOUT(rig.said("taking commands"), hyb::test::kHangs_ms);
    killHard(bench);
    QTRY_VERIFY2_WITH_TIMEOUT(rig.said("ramped to zero"), rig.log(), hyb::test::kHangs_ms);
    QVERIFY2(rig.said("the bench closed the connection"), rig.log());
    QTRY_VERIFY2_WITH_TIMEOUT(rig.said("waiting at"), rig.log(), hyb::test::kHangs_ms);
    checkRest(rig, kRamp_s);
  }

  /// Its connection stays open, but commands cease: the watchdog.
  void aFrozenBenchLeavesTheRigSafe() {
    QTemporaryDir folder;
    RigProcess rig;
    QProcess bench;
    bench.start(hyb::test::kProgram, benchArguments(rig.address(), 60.0, folder.filePath("link.h5"), 1.0));
    QTRY_VERIFY_WITH_TIMEOUT(rig.said("taking commands"), hyb::test::kHangs_ms);
    const auto pid = static_cast<pid_t>(bench.processId());
    QVERIFY(pid > 0);
    ::kill(pid, SIGSTOP);
    QTRY_VERIFY2_WITH_TIMEOUT(rig.said("at rest"), rig.log(), hyb::test::kHangs_ms);
    QVERIFY2(rig.said("no command for 1 s"), rig.log());
    checkRest(rig, 1.0 + kRamp_s);
    killHard(bench);
  }

  /// In step, where each tick waits for its answer: how many go by without one depends on no computer.
  void aKilledRigStopsTheBench() {
    constexpr int kTimeoutTicks = 100;
    QTemporaryDir folder;
    RigProcess rig;
    QProcess bench;
    const QString file = folder.filePath("link.h5");
    QStringList arguments = benchArguments(rig.address(), 3600.0, file, 10.0);
    arguments.replaceInStrings("--real-time", "--free-run");
    arguments << "--set" << connectionTo(rig.address(), 10.0, kTimeoutTicks);
    bench.start(hyb::test::kProgram, arguments);
    QTRY_VERIFY_WITH_TIMEOUT(rig.said("taking commands"), hyb::test::kHangs_ms);
    killHard(rig.process());
    QVERIFY(bench.waitForFinished(hyb::test::kHangs_ms));
    QCOMPARE(bench.exitCode(), 1);
    const std::string reason = Json::parse(bench.readAllStandardOutput().toStdString()).at("stop_reason");
    QVERIFY2(reason.find("closed the connection") != std::string::npos, reason.c_str());
    const RunFileReader run(file.toStdString());
    QVERIFY(!run.info().complete);
    // A reading that no answer brought is the one before.
    const std::vector<double> first = run.read("acquisition/measured_1"), second = run.read("acquisition/measured_2");
    QVERIFY(!first.empty());
    std::size_t unanswered = 0;
    for (std::size_t k = first.size() - 1; k > 0 && first[k] == first[k - 1] && second[k] == second[k - 1]; --k)
      ++unanswered;
    qInfo("%zu ticks, the last %zu without an answer", first.size(), unanswered);
    QVERIFY(unanswered <= kTimeoutTicks);
  }

  void interruptedRigEndsSafely() {
    RigProcess rig;
    const auto pid = static_cast<pid_t>(rig.process().processId());
    QVERIFY(pid > 0);
    ::kill(pid, SIGINT);
    QVERIFY(rig.process().waitForFinished(hyb::test::kHangs_ms));
    QCOMPARE(rig.process().exitCode(), 0);
    QVERIFY2(rig.said("at rest"), rig.log());
  }

  void rigsThatCannotBeServed_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::newRow("no address") << QStringList{"three-mass", "--listen", "nowhere"} << 2;
    QTest::newRow("no project") << QStringList{"three-maas"} << 2;
    QTest::newRow("no device") << QStringList{"three-mass", "--listen", "serial:/dev/does-not-exist"} << 3;
  }
  void rigsThatCannotBeServed() {
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QProcess process;
    process.start(hyb::test::kProgram, QStringList{"rig"} + arguments);
    QVERIFY(process.waitForFinished(hyb::test::kHangs_ms));
    QCOMPARE(process.exitCode(), code);
  }

 private:
  /// The rig rests where it should, and not before `expected_s` after the last command; how soon after that, frames_rig
  /// holds to the tick, by a clock that no busy machine moves.
  static void checkRest(RigProcess& rig, double expected_s) {
    const RigProcess::Rest rest = rig.rest();
    qInfo("at rest %.3f s after the last command (%.1f s), %.1e m from zero", rest.after_s, expected_s, rest.away_m);
    QVERIFY2(rest.after_s >= expected_s - 0.002, rig.log());
    QVERIFY2(rest.away_m < kNearZero_m, rig.log());
  }
};

HYB_SUITE(rig_link, RigLinkTest)
#include "rig_link_test.moc"
