/// The plug pulled twenty times: paced runs killed at random moments; `recover` brings back all rows but the last
/// second's.
#include <signal.h>

#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <memory>
#include <random>
#include <vector>

#include "core/record/run_file_reader.h"
#include "tests/support/paths.h"
#include "tests/support/send_signal.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {
constexpr int kKills = 20, kAtOnce = 5, kPatienceMs = 30'000;
constexpr double kRateHz = 1000.0;

struct Victim {
  QProcess process;
  QString file;
  QElapsedTimer recording;  // since its file was first seen
  qint64 kill_after_ms = 0;
  double recorded_s = 0.0;  // at the moment of the kill
};
}  // namespace

class KillTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void killedRunsComeBack() {
    QTemporaryDir folder;
    std::mt19937 random(20);
    std::uniform_int_distribution<int> moment_ms(1200, 4200);
    for (int first = 0; first < kKills; first += kAtOnce) {
      std::vector<std::unique_ptr<Victim>> victims;
      for (int v = 0; v < kAtOnce; ++v) {
        auto victim = std::make_unique<Victim>();
        victim->file = folder.filePath(QString("kill-%1.h5").arg(first + v));
        victim->kill_after_ms = moment_ms(random);
        // Five at a time come late on a small computer; that must not end them.
        const QString limits = "/safety/limits=[{\"quantity\": \"not-a-number\", \"action\": \"stop\"}]";
        victim->process.start(hyb::test::kProgram, {"run", "three-mass", "--real-time", "--duration", "60", "--set",
                                                    limits, "-o", victim->file});
        victims.push_back(std::move(victim));
      }
      const auto all_killed = [&victims] {
        bool all = true;
        for (const auto& victim : victims) {
          if (!victim->recording.isValid() && QFile::exists(victim->file)) victim->recording.start();
          if (victim->recorded_s == 0.0 && victim->recording.isValid() &&
              victim->recording.elapsed() >= victim->kill_after_ms) {
            test::sendSignal(victim->process, SIGKILL);
            victim->recorded_s = 1e-3 * static_cast<double>(victim->recording.elapsed());
          }
          all = all && victim->recorded_s > 0.0;
        }
        return all;
      };
      QTRY_VERIFY_WITH_TIMEOUT(all_killed(), kPatienceMs);
      for (const auto& victim : victims) {
        QTRY_COMPARE_WITH_TIMEOUT(victim->process.state(), QProcess::NotRunning, kPatienceMs);
        QCOMPARE(victim->process.exitStatus(), QProcess::CrashExit);
        checkRecovery(*victim);
      }
    }
  }

 private:
  static void checkRecovery(const Victim& victim) {
    QProcess recover;
    recover.start(hyb::test::kProgram, {"recover", victim.file, "--json"});
    QVERIFY(recover.waitForFinished(kPatienceMs));
    QVERIFY2(recover.exitCode() == 0, recover.readAllStandardError());
    const RunFileReader run(victim.file.toStdString());
    QVERIFY(run.info().recovered && !run.info().complete && !run.info().valid);
    const auto ticks = run.read("acquisition/tick");
    const double last_tick = ticks.empty() ? 0.0 : ticks.back();
    // One second between flushes; 0.3 s for what passes between creating the file and the first tick.
    QVERIFY2(last_tick > (victim.recorded_s - 1.3) * kRateHz,
             qPrintable(QString("%1 ticks of %2 s").arg(last_tick).arg(victim.recorded_s)));
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
