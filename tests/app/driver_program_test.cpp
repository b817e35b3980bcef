/// Drivers as plug-ins with the program as a whole: the help page word by word, and a bench that is killed.
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <csignal>

#include "core/record/run_file_reader.h"
#include "resources/resources.h"
#include "tests/support/paths.h"
#include "tests/support/program_test.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

class DriverProgramTest : public ProgramTest {
  Q_OBJECT

  bool cmake(const QStringList& arguments) const {
    QProcess process;
    process.setWorkingDirectory(folder_->path());
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(QStringLiteral("cmake"), arguments);
    const bool done = process.waitForFinished(kHangs_ms) && process.exitCode() == 0;
    if (!done) qWarning("%s", process.readAll().constData());
    return done;
  }
  /// Three-mass with the block of the help page, saved as "p.json". Nothing here depends on the speed of the computer.
  Json project() const {
    const std::string page(resourceText("help/connection/driver.md"));
    const std::size_t start = page.find("\"use\": \"rig\""), end = page.find("\n```", start);
    Json document = templateDocument("three-mass");
    document["rig"].update(Json::parse("{" + page.substr(start, end - start) + "}"));
    document["rig"]["connection"]["reply_s"] = document["rig"]["connection"]["max_age_s"] = 20.0;
    document["compensation"] = {{"method", "none"}};
    document["safety"]["limits"] = Json::array();
    document["loop"]["duration_s"] = 1.0;
    document["loop"]["soft_start_s"] = document["loop"]["soft_end_s"] = 0.2;
    document["analysis"]["start_s"] = 0.2;
    return document;
  }
  void save(const Json& document) const { saveDocument(document, path("p.json").toStdString()); }
  /// A rig on the driver of the tests that tells its calls in the file "told".
  Json faulty(const char* fault) const {
    Json document = project();
    document["rig"]["connection"]["library"] = kPlugIns + std::string("/faulty.so");
    document["rig"]["connection"]["settings"] = {{"told", path("told").toStdString()}, {"fault", fault}};
    document["rig"]["channels"] = Json::array();
    for (int i = 1; i <= 2; ++i)
      for (const auto& [role, own] : {std::pair("command", i == 1 ? "out" : "out2"), std::pair("displacement", "sent"),
                                      std::pair("force", "sent")})
        document["rig"]["channels"].push_back(
            {{"name", role + std::to_string(i)}, {"role", role}, {"interface", i}, {"driver_channel", own}});
    document["safety"]["limits"] = Json::parse(R"([{"quantity": "link-lost", "action": "stop"}])");
    return document;
  }
  bool told(const char* call) const {
    QFile file(path("told"));
    return file.open(QIODevice::ReadOnly) && file.readAll().contains(call);
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    qputenv("XDG_CONFIG_HOME", path("settings").toUtf8());
  }
  void cleanup() { qunsetenv("XDG_CONFIG_HOME"); }

  void fromNothingToAReplay() {
    QCOMPARE(call({"plug-in", "my-driver"}).code, 0);
    QVERIFY(cmake({"-S", "my-driver", "-B", "my-driver/build"}));
    QVERIFY(cmake({"--build", "my-driver/build"}));
    save(project());
    Outcome ended = call({"check", "p.json"});
    QVERIFY2(ended.code == 0, ended.err.c_str());
    const QStringList run{"run", "p.json", "--real-time", "-o", "r.h5"};
    ended = call(run);
    QCOMPARE(ended.code, 2);
    QVERIFY2(ended.err.find("actuator.so\" is a program that you have not accepted yet") != std::string::npos,
             ended.err.c_str());
    ended = call(run + QStringList{"--accept-plug-in"});
    QVERIFY2(ended.code == 0, (ended.out + ended.err).c_str());
    const RunFileReader file(path("r.h5").toStdString());
    QCOMPARE(file.attribute("config", "rig_driver_sha256").size(), std::size_t{64});
    // The force is that of the spring at the measured place.
    const std::vector<double> motion = file.read("acquisition/measured_1"), force = file.read("acquisition/force_1");
    double moved = 0.0;
    for (std::size_t k = 0; k < motion.size(); ++k) {
      QVERIFY(std::abs(force[k] - 1000.0 * motion[k]) <= 1e-9);
      moved = std::max(moved, std::abs(motion[k]));
    }
    QVERIFY(moved > 1e-5);
    // What is recorded needs the driver no more.
    QVERIFY(QFile::remove(path("my-driver/build/actuator.so")));
    for (const QStringList& later : {QStringList{"metrics", "r.h5"}, QStringList{"replay", "r.h5"}}) {
      ended = call(later);
      QVERIFY2(ended.code == 0, ended.err.c_str());
    }
    QCOMPARE(call(run).code, 2);
  }

  /// Nobody else is there to stop the device.
  void aKilledBenchStopsTheDevice() {
    Json document = faulty("none");
    document["loop"]["duration_s"] = 600.0;
    save(document);
    QProcess process;
    start(process, {"run", "p.json", "--real-time", "--accept-plug-in", "-o", "r.h5"});
    QTRY_VERIFY2(told("arm") || process.state() == QProcess::NotRunning, process.readAllStandardError().constData());
    QVERIFY2(process.state() == QProcess::Running, process.readAllStandardError().constData());
    process.kill();
    QVERIFY(process.waitForFinished(kHangs_ms));
    QTRY_VERIFY(told("close"));
    QVERIFY(told("stop"));
  }

  void aCrashEndsTheTestWithItsReason() {
    Json document = faulty("crash");
    document["rig"]["connection"]["settings"]["from"] = 300;
    document["loop"]["duration_s"] = 60.0;
    save(document);
    const Outcome ended = call({"run", "p.json", "--real-time", "--accept-plug-in", "-o", "r.h5"});
    QVERIFY2(ended.code == 1, (ended.out + ended.err).c_str());
    const RunFileReader run(path("r.h5").toStdString());
    QVERIFY(!run.info().live && !run.info().complete);
    const std::string& why = run.info().stop_reason;
    QVERIFY2(why.find("the driver crashed in exchange(): signal 6 (Aborted)") != std::string::npos, why.c_str());
    QVERIFY2(why.find("the device confirmed the stop") != std::string::npos, why.c_str());
  }
};

HYB_SUITE(driver_program, DriverProgramTest)
#include "driver_program_test.moc"
