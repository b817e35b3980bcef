/// The program as `cmake --install` puts it on a computer: from a folder of its own, without the source tree.
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

#include "tests/support/program_test.h"
#include "tests/support/suite.h"

using namespace hyb::test;

class InstalledTest : public ProgramTest {
  Q_OBJECT

  QString installed(const char* file) const { return folder_->filePath("moved/") + file; }
  QByteArray bytes(const char* name) const {
    QFile file(installed(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  Outcome run(const QString& program, const QStringList& arguments) const {
    QProcess process;
    process.setWorkingDirectory(folder_->filePath("work"));
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("PATH", installed("bin") + ":/usr/bin:/bin");
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    return finished(process);
  }
  Outcome program(const QStringList& arguments) const { return run(installed("bin/hybridbench"), arguments); }
  QStringList subcommands() const {
    const QString help = QString::fromStdString(program({"--help"}).out);
    const QString listed = help.section("Subcommands:", 1).section("\n\n", 0, 0);
    QStringList names;
    for (const QRegularExpression line("(?m)^  ([a-z][a-z-]*) "); const auto& match : line.globalMatch(listed))
      names += match.captured(1);
    return names;
  }

 private Q_SLOTS:
  /// Installs into one folder and moves it to another: nothing of the program knows where it was put.
  void initTestCase() {
    folder_ = std::make_unique<QTemporaryDir>();
    QVERIFY(QDir(folder_->path()).mkdir("work"));
    QProcess install;
    install.start("cmake", {"--install", QFileInfo(kProgram).path(), "--prefix", folder_->filePath("here")});
    QVERIFY(install.waitForFinished(kHangs_ms));
    QVERIFY2(install.exitCode() == 0, install.readAllStandardError().constData());
    QVERIFY(QDir().rename(folder_->filePath("here"), folder_->filePath("moved")));
  }

  void everythingHasItsPlace_data() {
    QTest::addColumn<QString>("words");
    QTest::newRow("bin/hybridbench") << "";
    QTest::newRow("lib/hybridbench/libhyb_minimiser.so") << "";
    QTest::newRow("include/hybridbench/hybridbench_compensator.h") << "hyb_compensator";
    QTest::newRow("include/hybridbench/hybridbench_driver.h") << "hyb_driver";
    QTest::newRow("libexec/hybridbench/hybridbench-driver-host") << "";
    QTest::newRow("share/doc/hybridbench/README.md") << "HybridBench";
    QTest::newRow("share/doc/hybridbench/CHANGELOG.md") << "Added";
    QTest::newRow("share/doc/hybridbench/copyright") << "MIT";
    QTest::newRow("share/doc/hybridbench/help/run-files.md") << "#";
    QTest::newRow("share/doc/hybridbench/templates/three-mass.json") << "hybridbench";
    QTest::newRow("share/doc/hybridbench/examples/plug-in/hybridbench_compensator.h") << "";
    QTest::newRow("include/hybridbench/hyb_rig.h") << "hyb_rig_poll";
    QTest::newRow("share/doc/hybridbench/examples/rig-kit/c/hyb_rig.c") << "hyb_rig_poll";
    QTest::newRow("share/doc/hybridbench/examples/rig-kit/c/linux_rig.c") << "hyb_rig_init";
    QTest::newRow("share/doc/hybridbench/examples/rig-kit/c/hyb_rig_arduino/hyb_rig_arduino.ino") << "hyb_rig_init";
    QTest::newRow("share/doc/hybridbench/examples/rig-kit/python/hyb_rig.py") << "class Rig";
    QTest::newRow("share/doc/hybridbench/examples/rig-kit/python/example_rig.py") << "serve(";
    QTest::newRow("share/applications/hybridbench.desktop") << "Exec=hybridbench %f";
    QTest::newRow("share/mime/packages/hybridbench.xml") << "application/x-hybridbench-project";
    QTest::newRow("share/icons/hicolor/scalable/apps/hybridbench.svg") << "<svg";
    QTest::newRow("share/bash-completion/completions/hybridbench") << "complete";
    QTest::newRow("share/man/man1/hybridbench.1") << ".TH HYBRIDBENCH 1";
  }
  void everythingHasItsPlace() {
    QFETCH(QString, words);
    const QByteArray content = bytes(QTest::currentDataTag());
    QVERIFY(!content.isEmpty());
    QVERIFY(content.contains(words.toUtf8()));
  }

  void aTestRunsFromAnotherFolder() {
    const Outcome ran = program({"run", "three-mass", "-o", "run.h5"});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    QCOMPARE(program({"verify", "run.h5"}).code, 0);
    const Outcome version = program({"--version"});
    QVERIFY2(version.code == 0 && version.out.starts_with("hybridbench "), version.out.c_str());
    QCOMPARE(program({"plug-in", "mine"}).code, 0);
    QCOMPARE(program({"rig-kit", "kit"}).code, 0);
  }

  /// The search loads a library of its own, which lies beside the program in a build and in lib/ here.
  void theSearchFindsItsLibrary() {
    const Outcome found = program({"gait", "prosthetic-foot", "--json"});
    QVERIFY2(found.code == 0, found.err.c_str());
    QVERIFY(QFile::rename(installed("lib/hybridbench"), installed("lib/away")));
    const Outcome missing = program({"gait", "prosthetic-foot", "--json"});
    QVERIFY(QFile::rename(installed("lib/away"), installed("lib/hybridbench")));
    QVERIFY2(missing.code == 3 && missing.err.find("Install HybridBench again") != std::string::npos,
             missing.err.c_str());
  }

  void manualAndCompletionKnowEverySubcommand() {
    const QStringList names = subcommands();
    QVERIFY(names.size() > 15 && names.contains("run") && names.contains("export"));
    const QByteArray manual = bytes("share/man/man1/hybridbench.1");
    for (const QString& name : names)
      QVERIFY2(manual.contains(".SS " + QString(name).replace("-", "\\-").toUtf8() + "\n"), qPrintable(name));
    const Outcome offered = run("bash", {"-c",
                                         "source $0; COMP_WORDS=(hybridbench ''); COMP_CWORD=1; _hybridbench; "
                                         "printf '%s\\n' \"${COMPREPLY[@]}\"",
                                         installed("share/bash-completion/completions/hybridbench")});
    const QStringList words = QString::fromStdString(offered.out).split('\n');
    for (const QString& name : names) QVERIFY2(words.contains(name), qPrintable(name));
    for (const char* word : {"three-mass", "--version"}) QVERIFY2(words.contains(word), word);
    const Outcome options = run("bash", {"-c",
                                         "source $0; COMP_WORDS=(hybridbench run --d); COMP_CWORD=2; _hybridbench; "
                                         "printf '%s\\n' \"${COMPREPLY[@]}\"",
                                         installed("share/bash-completion/completions/hybridbench")});
    QVERIFY2(options.out.starts_with("--duration\n"), options.out.c_str());
  }
};

HYB_SUITE(installed, InstalledTest)
#include "installed_test.moc"
