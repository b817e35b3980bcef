/// A sweep of frequencies that is stopped in the middle by Ctrl-C or by kill -9, and gone on with by the command.
#include <signal.h>

#include <QProcess>
#include <QTemporaryDir>

#include "core/base/error.h"
#include "core/record/run_file_reader.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"
#include "tests/support/send_signal.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

std::size_t measuredIn(const QString& file) {
  try {
    return RunFileReader(file.toStdString()).read("segments/frequency").size();
  } catch (const DeviceError&) {  // not there yet
    return 0;
  }
}

}  // namespace

class GoOnTest : public QObject {
  Q_OBJECT

  /// Two frequencies, so often that nobody waits for the end.
  static QStringList arguments(const QString& file, const QStringList& more = {}) {
    return QStringList{"run",   "cantilever-iterative",
                       "-o",    file,
                       "--set", R"(/coupling/sweep={"from_hz": 16.8, "to_hz": 17, "count": 2})",
                       "--set", R"(/coupling/campaign={"repeats": 1000})"} +
           more;
  }

 private Q_SLOTS:
  void stoppedInTheMiddle_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("Ctrl-C") << SIGINT;
    QTest::newRow("kill -9") << SIGKILL;
  }
  void stoppedInTheMiddle() {
    QFETCH(int, signal);
    QTemporaryDir folder;
    const QString stopped = folder.filePath("stopped.h5"), rest = folder.filePath("rest.h5");
    QProcess run;
    run.start(test::kProgram, arguments(stopped));
    const auto seen = [&](std::size_t more) { return measuredIn(stopped) > more; };
    QTRY_VERIFY_WITH_TIMEOUT(seen(0), test::kHangs_ms);
    // What a killed program had not flushed, rows among it, is lost, and with rows their frequency.
    const std::size_t flushed = measuredIn(stopped);
    if (signal == SIGKILL) QTRY_VERIFY_WITH_TIMEOUT(seen(flushed), test::kHangs_ms);
    QVERIFY(test::sendSignal(run, signal));
    QVERIFY(run.waitForFinished(test::kHangs_ms));
    if (signal == SIGKILL) {
      QProcess recover;
      recover.start(test::kProgram, {"recover", stopped});
      QVERIFY(recover.waitForFinished(test::kHangs_ms));
      QCOMPARE(recover.exitCode(), 0);
    }
    const std::size_t measured = measuredIn(stopped);
    QVERIFY(measured > 0 && measured < 2000);

    QProcess go_on;
    go_on.start(test::kProgram, arguments(rest, {"--duration", "40", "--go-on", stopped}));
    QVERIFY(go_on.waitForFinished(test::kHangs_ms));
    QVERIFY2(go_on.exitCode() == 0, go_on.readAllStandardError());
    const RunFileReader whole(rest.toStdString()), part(stopped.toStdString());
    const std::vector<double> taken = whole.read("segments/taken_over"), size = whole.read("segments/motion_1_h1");
    QVERIFY(size.size() > measured);
    QCOMPARE(static_cast<std::size_t>(std::count(taken.begin(), taken.end(), 1.0)), measured);
    QCOMPARE(std::vector<double>(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(measured)),
             part.read("segments/motion_1_h1"));
    // None twice and none left out.
    const std::vector<double> hz = whole.read("segments/frequency"), good = whole.read("segments/converged");
    for (std::size_t k = 0; k < hz.size(); ++k) QVERIFY(hz[k] == (k % 2 == 0 ? 16.8 : 17.0) && good[k] == 1.0);
  }
};

HYB_SUITE(go_on, GoOnTest)
#include "go_on_test.moc"
