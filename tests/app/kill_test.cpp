/// The plug pulled twenty times: paced runs killed at random moments; `recover` brings back all rows but the last
/// second's.
#include <signal.h>

#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "core/base/error.h"
#include "core/record/run_file_reader.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"
#include "tests/support/send_signal.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {
constexpr int kAtOnce = 5;
constexpr double kRateHz = 1000.0, kFlush_s = 1.0;
// A program that waits for a processor or a disk writes later; a fault in what is flushed costs seconds in every run.
constexpr double kBusy_s = 2.0, kUsual_s = 0.3;

struct Victim {
  QProcess process;
  QString file;
  QElapsedTimer watched;  // since its first rows were seen
  double first_s = 0.0;   // time of the test at that moment
  qint64 kill_after_ms = 0;
  std::uint64_t seen_rows = 0;  // by a reader, shortly before the kill
  double ran_s = 0.0;           // time of the test at the kill
  double lost_s = 0.0;          // what of it recover did not bring back
};

struct Seen {
  std::uint64_t rows = 0;
  double time_s = 0.0;
};
/// What another program sees of the file of a run that goes on.
Seen look(const QString& file) {
  try {
    const RunFileReader run(file.toStdString());
    const std::uint64_t rows = run.info().rows;
    return rows == 0 ? Seen() : Seen{rows, run.read("acquisition/tick", rows - 1).back() / kRateHz};
  } catch (const DeviceError&) {  // not there yet
    return {};
  }
}
}  // namespace

class KillTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void killedRunsComeBack() {
    QTemporaryDir folder;
    std::mt19937 random(20);
    std::uniform_int_distribution<int> moment_ms(200, 3200);
    std::vector<double> lost_s;
    // tests/thorough asks for more.
    const int asked = qEnvironmentVariableIntValue("HYB_KILLS");
    const int kills = asked > 0 ? asked : 20;
    for (int first = 0; first < kills; first += kAtOnce) {
      std::vector<std::unique_ptr<Victim>> victims;
      for (int v = 0; v < kAtOnce; ++v) {
        auto victim = std::make_unique<Victim>();
        victim->file = folder.filePath(QString("kill-%1.h5").arg(first + v));
        victim->kill_after_ms = moment_ms(random);
        // Five at a time come late on a small computer; that must not end them.
        const QString limits = "/safety/limits=[{\"quantity\": \"not-a-number\", \"action\": \"stop\"}]";
        victim->process.start(hyb::test::kProgram, {"run", "three-mass", "--real-time", "--duration", "600", "--set",
                                                    limits, "-o", victim->file});
        victims.push_back(std::move(victim));
      }
      QTRY_VERIFY(std::all_of(victims.begin(), victims.end(), [](const auto& victim) { return pursue(*victim); }));
      for (const auto& victim : victims) {
        QTRY_COMPARE(victim->process.state(), QProcess::NotRunning);
        QCOMPARE(victim->process.exitStatus(), QProcess::CrashExit);
        checkRecovery(*victim);
        lost_s.push_back(victim->lost_s);
      }
    }
    std::sort(lost_s.begin(), lost_s.end());
    const double median = lost_s[lost_s.size() / 2];
    qInfo("%zu kills; lost at the end: %.2f to %.2f s, median %.2f s", lost_s.size(), lost_s.front(), lost_s.back(),
          median);
    QVERIFY2(median < kFlush_s + kUsual_s, qPrintable(QString::number(median)));
  }

 private:
  /// Watches a victim and kills it when its moment has come; true: it is dead.
  static bool pursue(Victim& victim) {
    if (victim.ran_s > 0.0) return true;
    const Seen seen = look(victim.file);
    if (!victim.watched.isValid()) {
      if (seen.rows == 0) return false;
      victim.watched.start();
      victim.first_s = seen.time_s;
    }
    victim.seen_rows = std::max(victim.seen_rows, seen.rows);
    if (victim.watched.elapsed() < victim.kill_after_ms) return false;
    test::sendSignal(victim.process, SIGKILL);
    victim.ran_s = victim.first_s + 1e-3 * static_cast<double>(victim.watched.elapsed());
    return true;
  }

  static void checkRecovery(Victim& victim) {
    QProcess recover;
    recover.start(hyb::test::kProgram, {"recover", victim.file, "--json"});
    QVERIFY(recover.waitForFinished(test::kHangs_ms));
    QVERIFY2(recover.exitCode() == 0, recover.readAllStandardError());
    const RunFileReader run(victim.file.toStdString());
    QVERIFY(run.info().recovered && !run.info().complete && !run.info().valid);
    QVERIFY(run.info().rows >= victim.seen_rows);  // what anyone has seen comes back
    const auto ticks = run.read("acquisition/tick");
    QVERIFY(!ticks.empty());
    victim.lost_s = victim.ran_s - ticks.back() / kRateHz;
    QVERIFY2(victim.lost_s < kFlush_s + kBusy_s,
             qPrintable(QString("%1 ticks of %2 s").arg(ticks.back()).arg(victim.ran_s)));
    for (const std::string& name : run.info().acquisition) {
      const auto values = run.read("acquisition/" + name);
      QCOMPARE(values.size(), ticks.size());
      for (std::size_t k = 0; k < values.size(); ++k) QVERIFY2(std::isfinite(values[k]), name.c_str());
    }
    for (std::size_t k = 1; k < ticks.size(); ++k) QVERIFY(ticks[k] > ticks[k - 1]);
  }
};

HYB_SUITE(kill, KillTest)
#include "kill_test.moc"
