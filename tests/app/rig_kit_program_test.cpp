/// The rig kit as its help page describes it, from nothing to a run on a device of one's own.
#include <QDir>

#include "core/record/run_file_reader.h"
#include "tests/support/program_test.h"
#include "tests/support/pseudo_terminals.h"
#include "tests/support/served_device.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

class RigKitProgramTest : public ProgramTest {
  Q_OBJECT

  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

 private Q_SLOTS:
  void initTestCase() { requirePseudoTerminals(); }
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void nothingIsReplacedUnasked() {
    const Outcome first = call({"rig-kit", "kit"});
    QVERIFY2(first.code == 0 && has(first.out, "kit/c/hyb_rig.h\n"), first.err.c_str());
    QFile own(path("kit/c/hyb_rig.h"));
    QVERIFY(own.open(QIODevice::WriteOnly) && own.write("mine") == 4);
    own.close();
    QVERIFY(QFile::remove(path("kit/python/hyb_rig.py")));
    const Outcome again = call({"rig-kit", "kit"});
    QCOMPARE(again.code, 2);
    QVERIFY2(has(again.err, "kit/c/hyb_rig.h") && has(again.err, "--overwrite"), again.err.c_str());
    QVERIFY(!has(again.err, "hyb_rig.py") && !QFile::exists(path("kit/python/hyb_rig.py")));
    QVERIFY(own.open(QIODevice::ReadOnly) && own.readAll() == "mine");
    own.close();
    const Outcome replaced = call({"rig-kit", "kit", "--overwrite"});
    QVERIFY2(replaced.code == 0 && has(replaced.err, "replaced: "), replaced.err.c_str());
    QVERIFY(own.open(QIODevice::ReadOnly) && own.readAll().contains("hyb_rig_poll"));
    QCOMPARE(call({"rig-kit", "/proc/nowhere"}).code, 3);
  }

  /// Byte for byte what lies in the sources, with every file.
  void everyFileIsWritten() {
    QCOMPARE(call({"rig-kit", "kit"}).code, 0);
    const QDir source(QString::fromUtf8(kSourceDir) + "/resources/rig-kit");
    int files = 0;
    for (const char* folder : {"c", "c/hyb_rig_arduino", "python"})
      for (const QFileInfo& entry : QDir(source.filePath(folder)).entryInfoList(QDir::Files)) {
        QFile one(entry.filePath()), other(path("kit/") + source.relativeFilePath(entry.filePath()));
        QVERIFY2(one.open(QIODevice::ReadOnly) && other.open(QIODevice::ReadOnly), qPrintable(entry.filePath()));
        QVERIFY(one.readAll() == other.readAll());
        ++files;
      }
    QCOMPARE(files, 6);
  }

  void theHelpPageWordByWord_data() {
    QTest::addColumn<QString>("language");
    QTest::newRow("Python") << "Python";
    QTest::newRow("C") << "C";
  }
  void theHelpPageWordByWord() {
    QFETCH(QString, language);
    QCOMPARE(call({"rig-kit", "my-rig"}).code, 0);
    std::unique_ptr<KitDevice> device;
    if (language == "Python") {
      device = std::make_unique<KitDevice>("python3", QStringList{"-B", path("my-rig/python/example_rig.py")},
                                           "tcp://127.0.0.1:0");
    } else {
      QProcess compiler;
      compiler.setWorkingDirectory(folder_->path());
      compiler.start("cc", {"-std=c99", "-O2", "-o", "linux_rig", "my-rig/c/linux_rig.c", "my-rig/c/hyb_rig.c", "-lm"});
      QVERIFY(compiler.waitForFinished(kHangs_ms));
      QVERIFY2(compiler.exitCode() == 0, compiler.readAllStandardError().constData());
      device = std::make_unique<KitDevice>(path("linux_rig"), QStringList(), "serial:pty");
    }
    const QString address = QString::fromStdString(device->address());
    const Outcome conforms = call({"conform", address, "--rule", "watchdog", "--rule", "stop"});
    QVERIFY2(conforms.code == 0 && has(conforms.out, "3 kept, 0 broken, 0 not tried"), conforms.out.c_str());
    const Outcome json = call({"conform", address, "--rule", "arming", "--json"});
    QVERIFY2(json.code == 0, json.err.c_str());
    QVERIFY(json.json().at("conforms").get<bool>() && json.json().at("rules").size() == 2);
    QCOMPARE(json.json().at("rules").at(1).at("result").get<std::string>(), std::string("kept"));
    QCOMPARE(call({"new", "three-mass", "-o", "mine.json"}).code, 0);
    const Json link = {
        {"protocol", "frames"}, {"address", device->address()}, {"timeout_ticks", 5000}, {"connect_s", 30}};
    const QString connection = "/rig/connection=" + QString::fromStdString(link.dump());
    const Outcome ran = call({"run", "mine.json", "--free-run", "--duration", "6", "-o", "mine.h5", "--set",
                              "/rig/use=rig", "--set", connection});
    QVERIFY2(ran.code == 0, (ran.out + ran.err + device->log()).c_str());
    const auto moved = RunFileReader(path("mine.h5").toStdString()).read("acquisition/measured_1");
    QVERIFY(*std::max_element(moved.begin(), moved.end()) > 1e-4);
    QTRY_VERIFY_WITH_TIMEOUT(device->said("at rest: "), kHangs_ms);
  }

  void whatConformCannotTry() {
    QCOMPARE(call({"conform", "nowhere"}).code, 2);
    QCOMPARE(call({"conform", "tcp://127.0.0.1:1", "--rule", "no-such-rule"}).code, 2);
    QCOMPARE(call({"conform", "tcp://127.0.0.1:1", "--project", "no-such-project"}).code, 2);
    QCOMPARE(call({"conform", "tcp://127.0.0.1:1", "--wait", "0.5"}).code, 3);
  }
};

HYB_SUITE(rig_kit_program, RigKitProgramTest)
#include "rig_kit_program_test.moc"
