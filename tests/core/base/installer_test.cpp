// What the installer says of how far it is.
#include <QProcess>
#include <QTemporaryDir>

#include "tests/support/paths.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"

using namespace hyb::test;

class InstallerTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  /// Lines on standard error of a function of installer/setup.sh that reads `input`.
  QStringList told(const QString& function, const QByteArray& input) const {
    QProcess shell;
    shell.setWorkingDirectory(folder_.path());
    shell.start("bash", {"-c", "source \"$0/installer/setup.sh\"; " + function, kSourceDir});
    shell.write(input);
    shell.closeWriteChannel();
    if (!shell.waitForFinished(kHangs_ms) || shell.exitCode() != 0) return {"exit code", shell.readAllStandardError()};
    return QString::fromUtf8(shell.readAllStandardError()).split('\n', Qt::SkipEmptyParts);
  }
  QByteArray logged() const {
    QFile log(folder_.filePath("log"));
    return log.open(QIODevice::ReadOnly) ? log.readAll() : QByteArray();
  }

 private Q_SLOTS:
  void cleanup() { QFile::remove(folder_.filePath("log")); }

  void buildsTellHowManyOfHowMany() {
    QByteArray lines;
    for (int k = 1; k <= 30; ++k) lines += "[" + QByteArray::number(k) + "/31] Building CXX object a.cpp.o\n";
    lines += "[31/31] Linking CXX executable a\n";
    const QStringList said = told("hyb_progress log 30 'Building C'", lines);
    QCOMPARE(said.size(), 10);
    for (int tenth = 1; tenth <= 10; ++tenth)
      QVERIFY2(said[tenth - 1].startsWith(QStringLiteral("  %1 of 30 compiled, about ").arg(3 * tenth)),
               qPrintable(said[tenth - 1]));
    QVERIFY(said.last().endsWith("about 0:00 to go"));
    QCOMPARE(logged(), lines);
  }

  void packagesTellHowFarTheyAre() {
    QByteArray lines;
    for (int k = 0; k <= 50; ++k)
      lines += "dlstatus:" + QByteArray::number(k) + ":" + QByteArray::number(2 * k) + ".0000:Retrieving file\n";
    lines += "Selecting previously unselected package zlib1g:amd64.\n";
    for (int k = 0; k <= 50; ++k) lines += "pmstatus:zlib1g:" + QByteArray::number(2 * k) + ".0000:Unpacking zlib1g\n";
    const QStringList said = told("hyb_apt_progress log", lines);
    QCOMPARE(said.size(), 20);
    QVERIFY2(said[0].startsWith("  10 % of the packages fetched, about "), qPrintable(said[0]));
    QVERIFY2(said[10].startsWith("  10 % of the packages installed, about "), qPrintable(said[10]));
    QCOMPARE(said.last(), QStringLiteral("  100 % of the packages installed, about 0:00 to go"));
    QCOMPARE(logged(), QByteArray("Selecting previously unselected package zlib1g:amd64.\n"));
  }

  /// What stands on the way is shown, and the installer stops.
  void whatFailsIsShown() {
    const QStringList said = told(
        "hyb_as_root() { echo 'E: Unable to locate package nothing'; return 100; };"
        "hyb_apt_install nothing || exit 0; exit 1",
        {});
    QCOMPARE(said, QStringList{"E: Unable to locate package nothing"});
  }
};

HYB_SUITE(installer, InstallerTest)
#include "installer_test.moc"
