/// `import`: an exported test comes back with the same figures, and what is asked wrongly is told.
#include <QTemporaryDir>
#include <fstream>

#include "tests/support/program_test.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

class ImportCommandTest : public ProgramTest {
  Q_OBJECT
  void text(const char* name, const std::string& content) const {
    std::ofstream(path(name).toStdString(), std::ios::binary) << content;
  }

 private Q_SLOTS:
  void initTestCase() {
    folder_ = std::make_unique<QTemporaryDir>();
    QCOMPARE(call({"new", "three-mass", "-o", "p.json"}).code, 0);
    Json project = Json::parse(std::ifstream(path("p.json").toStdString()));
    project["loop"]["duration_s"] = 14.0;
    text("p.json", project.dump());
    QCOMPARE(call({"run", "p.json", "-o", "run.h5"}).code, 0);
  }

  /// With its project a record has the figures of the test, whichever way it went.
  void figuresComeBack_data() {
    QTest::addColumn<QString>("file");
    for (const char* file : {"a.csv", "a.mat", "a.uff", "a.npz", "a.h5"}) QTest::newRow(file) << file;
  }
  void figuresComeBack() {
    QFETCH(QString, file);
    QCOMPARE(call({"export", "run.h5", "-o", file}).code, 0);
    const Outcome outcome = call({"import", file, "-o", "back-" + file + ".h5", "--project", "p.json", "--json"});
    QVERIFY2(outcome.code == 0, outcome.err.c_str());
    QCOMPARE(outcome.json()["rate_hz"].get<double>(), 1000.0);
    const auto before = call({"metrics", "run.h5", "--json"}).json(),
               after = call({"metrics", "back-" + file + ".h5", "--json"}).json();
    for (std::size_t i = 0; i < before["interfaces"].size(); ++i)
      for (const char* figure : {"tracking_nrmse_percent", "gap_rms", "gap_peak"}) {
        const auto& was = before["interfaces"][i][figure];
        QVERIFY2(was.is_number(), figure);
        QCOMPARE(after["interfaces"][i][figure].get<double>(), was.get<double>());
      }
    QCOMPARE(after["verdict"]["ended"].get<std::string>(), std::string("imported"));
    QCOMPARE(call({"verify", "back-" + file + ".h5"}).code, 0);
    QCOMPARE(call({"analyse", "back-" + file + ".h5", "--spectrum", "gap_1"}).code, 0);
  }

  void thePreviewWritesNothing() {
    text("lab.csv", "Time [ms];Command [mm];Load [kN]\n0;1,5;-2\n1;1,6;-3\n2;1,7;-4\n");
    const Outcome shown = call(
        {"import", "lab.csv", "--channel", "target_1=Command", "--channel", "force_1=3", "--invert", "Load", "--json"});
    QVERIFY2(shown.code == 0, shown.err.c_str());
    QCOMPARE(shown.json()["channels"][1]["column"].get<std::string>(), std::string("Load"));
    QCOMPARE(QDir(folder_->path()).entryList({"lab*"}).size(), 1);
    const Outcome made = call({"import", "lab.csv", "-o", "lab.h5", "--channel", "target_1=Command", "--channel",
                               "force_1=Load", "--invert", "Load"});
    QVERIFY2(made.code == 0, made.err.c_str());
    QCOMPARE(call({"export", "lab.h5", "-o", "out.csv", "--channels", "target_1,force_1"}).code, 0);
    std::ifstream out(path("out.csv").toStdString());
    std::string line;
    for (int k = 0; k < 3; ++k) std::getline(out, line);
    QCOMPARE(line, std::string("0,0.0015,2000"));
  }

  void whatIsAskedWrongly() {
    text("lab.csv", "Time [s];Command [mm]\n0;1,5\n1;1,6\n2;1,7\n");
    const auto refused = [&](QStringList arguments, const char* words) {
      const Outcome outcome = call(QStringList{"import", "lab.csv", "-o", "no.h5"} + arguments);
      return outcome.code == 2 && outcome.err.find(words) != std::string::npos;
    };
    QVERIFY(refused({"--channel", "target_1=Comand"}, "Did you mean \"Command\"?"));
    QVERIFY(refused({"--channel", "target_1"}, "is not NAME=COLUMN"));
    QVERIFY(refused({"--unit", "Command=furlong"}, "no known unit"));
    QVERIFY(
        refused({"--unit", "Command=kN", "--channel", "target_1=Command", "--project", "p.json"}, "runs at 1000 Hz"));
    QVERIFY(refused({"--table", "2"}, "has 1 table"));
    QVERIFY(refused({"--format", "xls"}, "--format"));
    QVERIFY(!QFile::exists(path("no.h5")));
    QCOMPARE(call({"import", "run.h5", "-o", "no.h5"}).code, 2);  // it is one already
  }
};

HYB_SUITE(import_command, ImportCommandTest)
#include "import_test.moc"
