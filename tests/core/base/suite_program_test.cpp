/// What a suite's own program does where a test cannot go on: it ends at once, with one sentence.
#include <sys/resource.h>

#include <QProcess>
#include <stdexcept>
#include <thread>

#include "tests/support/patience.h"
#include "tests/support/pseudo_terminals.h"
#include "tests/support/suite.h"

using namespace hyb::test;

// Suites of the child: not named to CMake.

class ThrowsInATest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void throws() { throw std::runtime_error("a broken object"); }
  void neverRuns() { std::fprintf(stderr, "went on\n"); }
};
class ThrowsBeforeTheTests : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { throw 7; }
  void neverRuns() { std::fprintf(stderr, "went on\n"); }
};
class ThrowsInAThread : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void throws() {
    std::thread([] { throw std::runtime_error("a broken thread"); }).join();
  }
};
class LacksTerminals : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    const rlimit none{3, 3};  // files: nothing more can be opened
    ::setrlimit(RLIMIT_NOFILE, &none);
    requirePseudoTerminals();
  }
  void neverRuns() { std::fprintf(stderr, "went on\n"); }
};
class LacksMotions : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void needsThem() { HYB_SKIP("no motions"); }
};
static const Suite kThrowing[] = {{"throws_in_a_test", &suiteOf<ThrowsInATest>},
                                  {"throws_before_the_tests", &suiteOf<ThrowsBeforeTheTests>},
                                  {"throws_in_a_thread", &suiteOf<ThrowsInAThread>},
                                  {"lacks_terminals", &suiteOf<LacksTerminals>},
                                  {"lacks_motions", &suiteOf<LacksMotions>}};

class SuiteProgramTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void endsAtOnceWithOneSentence_data() {
    QTest::addColumn<QString>("suite");
    QTest::addColumn<bool>("no_skips");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("said");
    QTest::newRow("exception") << "throws_in_a_test" << false << 3
                               << "An exception left the test ThrowsInATest: a broken object\n";
    QTest::newRow("of an unknown kind")
        << "throws_before_the_tests" << false << 3
        << "The program ended in the test ThrowsBeforeTheTests: exception of an unknown kind\n";
    QTest::newRow("in a thread") << "throws_in_a_thread" << false << 3
                                 << "An exception left the test ThrowsInAThread::throws: a broken thread\n";
    const QString lacks =
        "SKIP: this machine has no pseudo-terminals (/dev/ptmx with devpts on /dev/pts); mount them.\n";
    QTest::newRow("no pseudo-terminals") << "lacks_terminals" << false << kSkipped << lacks;
    QTest::newRow("no pseudo-terminals, all asked for") << "lacks_terminals" << true << kSkipped << lacks;
    QTest::newRow("skipped") << "lacks_motions" << false << kSkipped << "";
    QTest::newRow("nor leave to skip") << "lacks_motions" << true << 1
                                       << "A test was skipped where HYB_NO_SKIPS asks for all of them.\n";
  }
  void endsAtOnceWithOneSentence() {
    QFETCH(QString, suite);
    QFETCH(bool, no_skips);
    QFETCH(int, code);
    QFETCH(QString, said);
    QProcess child;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.remove("HYB_NO_SKIPS");
    if (no_skips) environment.insert("HYB_NO_SKIPS", "1");
    child.setProcessEnvironment(environment);
    child.start(QCoreApplication::applicationFilePath(), {suite});
    QVERIFY(child.waitForFinished(kHangs_ms));
    QVERIFY(child.exitStatus() == QProcess::NormalExit);
    QCOMPARE(QString::fromUtf8(child.readAllStandardError()).trimmed(), said.trimmed());
    QCOMPARE(child.exitCode(), code);
  }
};

// Not HYB_THREADS: its thread does nothing but throw.
HYB_SUITE(suite_program, SuiteProgramTest)
#include "suite_program_test.moc"
