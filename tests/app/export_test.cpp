/// `export`: channels of a run for other programs, and what cannot be exported.
#include <QDir>
#include <QTemporaryDir>
#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/exchange/format.h"
#include "core/record/run_file_reader.h"
#include "tests/support/program_test.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

std::vector<std::string> csvLines(const std::string& file) {
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool errs(const Outcome& outcome, const char* words) { return outcome.err.find(words) != std::string::npos; }

}  // namespace

class ExportCommandTest : public ProgramTest {
  Q_OBJECT
  std::string file(const char* name) const { return path(name).toStdString(); }

 private Q_SLOTS:
  void initTestCase() {
    folder_ = std::make_unique<QTemporaryDir>();
    QCOMPARE(call({"run", "three-mass", "--duration", "4", "-o", "run.h5"}).code, 0);
  }

  void chosenChannelsOfAStretch() {
    const Outcome outcome = call(
        {"export", "run.h5", "-o", "a.csv", "--channels", "gap_2,force_1", "--from", "1", "--to", "1.01", "--json"});
    QVERIFY2(outcome.code == 0, outcome.err.c_str());
    QCOMPARE(outcome.json()["rows"].get<int>(), 10);
    QCOMPARE(outcome.json()["format"].get<std::string>(), std::string("csv"));
    const std::vector<std::string> lines = csvLines(file("a.csv"));
    QCOMPARE(lines.size(), std::size_t{12});
    QCOMPARE(lines[0], std::string("time,gap_2,force_1"));
    QCOMPARE(lines[1], std::string("s,m,N"));
    const RunFileReader run(file("run.h5"));
    for (std::uint64_t row = 0; row < 10; ++row) {
      double time = 0.0, gap = 0.0, force = 0.0;
      QCOMPARE(std::sscanf(lines[2 + row].c_str(), "%lf,%lf,%lf", &time, &gap, &force), 3);
      QCOMPARE(time, 1.0 + 1e-3 * static_cast<double>(row));
      QCOMPARE(gap, run.read("acquisition/gap_2", 1000 + row, 1).front());
      QCOMPARE(force, run.read("acquisition/force_1", 1000 + row, 1).front());
    }
  }

  void anotherRateAndEveryEnding() {
    for (const char* name : {"b.csv", "b.mat", "b.uff", "b.npz", "b.h5"}) {
      const Outcome outcome = call({"export", "run.h5", "-o", name, "--rate", "100", "--json"});
      QVERIFY2(outcome.code == 0, outcome.err.c_str());
      QCOMPARE(outcome.json()["rate_hz"].get<double>(), 100.0);
      QVERIFY(QFile(path(name)).size() > 1000);
    }
    QVERIFY(call({"export", "run.h5", "-o", "text.uff", "--format", "uff-text"}).code == 0);
    QVERIFY(call({"export", "run.h5", "-o", "bare.csv", "--no-units", "--channels", "gap_1"}).code == 0);
    QVERIFY(csvLines(file("bare.csv"))[1].starts_with("0,"));
  }

  void whatCannotBeExportedIsASentence() {
    const Outcome unknown = call({"export", "run.h5", "-o", "c.csv", "--channels", "gap_9"});
    QCOMPARE(unknown.code, 2);
    QVERIFY2(errs(unknown, "gap_9") && errs(unknown, "gap_1"), unknown.err.c_str());
    const Outcome ending = call({"export", "run.h5", "-o", "c.xls"});
    QCOMPARE(ending.code, 2);
    QVERIFY2(errs(ending, ".csv"), ending.err.c_str());
    const Outcome itself = call({"export", "run.h5", "-o", "./run.h5"});
    QCOMPARE(itself.code, 2);
    QVERIFY2(errs(itself, "the run file itself"), itself.err.c_str());
    const Outcome nowhere = call({"export", "run.h5", "-o", "no/folder/c.csv"});
    QCOMPARE(nowhere.code, 3);
    QVERIFY2(errs(nowhere, "cannot be written"), nowhere.err.c_str());
    const Outcome empty = call({"export", "run.h5", "-o", "c.csv", "--from", "100"});
    QCOMPARE(empty.code, 2);
    QVERIFY2(errs(empty, "no rows"), empty.err.c_str());
    const Outcome slow = call({"export", "run.h5", "-o", "c.csv", "--rate", "0"});
    QCOMPARE(slow.code, 2);
    QVERIFY2(errs(slow, "rate above 0 Hz"), slow.err.c_str());
    std::ofstream(file("foreign.h5")) << "not a run";
    QCOMPARE(call({"export", "foreign.h5", "-o", "c.csv"}).code, 3);
    QVERIFY(!QFile::exists(path("c.csv")));
  }

  void diskThatIsFull_data() {
    QTest::addColumn<QString>("format");
    for (const ExchangeFormat& format : exchangeFormats())
      if (format.write != nullptr)
        QTest::newRow(std::string(format.name).c_str()) << QString::fromStdString(std::string(format.name));
  }
  /// A file that may not grow beyond so many blocks: the export is refused, and the file of before is untouched.
  void diskThatIsFull() {
    QFETCH(QString, format);
    const QStringList command = {"export", "run.h5", "--format", format, "--to", "1", "-o", "made"};
    QFile::remove(path("made"));
    QCOMPARE(call(command).code, 0);
    const qint64 blocks = (QFile(path("made")).size() - 1) / 1024;  // one block less than it needs
    QVERIFY(blocks > 20);
    std::ofstream(file("made")) << "old";
    const QStringList before = QDir(folder_->path()).entryList(QDir::Files | QDir::Hidden);
    for (const qint64 allowed : {qint64{0}, qint64{1}, blocks / 2, blocks - 1, blocks}) {
      QProcess process;
      process.setWorkingDirectory(folder_->path());
      // Where the coverage is measured, its file would be too large as well.
      process.start("bash", QStringList{"-c", "ulimit -f $0 && LLVM_PROFILE_FILE=/dev/null exec \"$@\"",
                                        QString::number(allowed), kProgram} +
                                command);
      QVERIFY(process.waitForFinished(kHangs_ms));
      const std::string said = process.readAllStandardError().toStdString();
      QVERIFY2(process.exitStatus() == QProcess::NormalExit && process.exitCode() == 3, said.c_str());
      QVERIFY2(said.starts_with("error: made: ") && std::count(said.begin(), said.end(), '\n') == 1, said.c_str());
      QCOMPARE(csvLines(file("made")), std::vector<std::string>{"old"});
      QCOMPARE(QDir(folder_->path()).entryList(QDir::Files | QDir::Hidden), before);
    }
  }
};

HYB_SUITE(export_command, ExportCommandTest)
#include "export_test.moc"
