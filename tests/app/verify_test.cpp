/// `verify`, and what every other command says of a run or study of which a bit has changed.
#include <QProcess>
#include <QTemporaryDir>
#include <cmath>
#include <fstream>
#include <random>

#include "core/record/run_file_reader.h"
#include "core/study/study_file.h"
#include "tests/support/program_test.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;
namespace fs = std::filesystem;

namespace {

bool says(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

}  // namespace

class VerifyCommandTest : public ProgramTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void aDamagedRunIsNeverWhole() {
    record("run.h5");
    const Outcome whole = call({"verify", "run.h5", "--json"});
    QCOMPARE(whole.code, 0);
    QCOMPARE(whole.json()["state"].get<std::string>(), std::string("whole"));
    QVERIFY(whole.json()["columns"].get<int>() > 10);
    const Outcome figures = call({"metrics", "run.h5", "--json"});
    QVERIFY2(figures.code == 0 && figures.err.empty(), figures.err.c_str());
    QCOMPARE(figures.json()["verdict"]["data"].get<std::string>(), std::string("whole"));

    const double before = RunFileReader(file("run.h5")).read("acquisition/gap_1", 3000, 1).front();
    flipIn("run.h5", "acquisition/gap_1", 3000);
    QVERIFY(RunFileReader(file("run.h5")).read("acquisition/gap_1", 3000, 1).front() != before);
    const Outcome damaged = call({"verify", "run.h5", "--json"});
    QCOMPARE(damaged.code, 3);
    QCOMPARE(damaged.json()["state"].get<std::string>(), std::string("damaged"));
    QVERIFY2(says(damaged.json()["damage"][0].get<std::string>(), "gap_1, rows "), damaged.out.c_str());
    const Outcome words = call({"verify", "run.h5"});
    QVERIFY2(says(words.out, "Use a copy of the file"), words.out.c_str());

    const Outcome metrics = call({"metrics", "run.h5", "--json"});
    QCOMPARE(metrics.code, 3);
    QVERIFY2(says(metrics.err, "warning: run.h5: Damaged after it was written: gap_1, rows "), metrics.err.c_str());
    QVERIFY2(says(metrics.json()["verdict"]["data"].get<std::string>(), "damaged after the test: gap_1"),
             metrics.out.c_str());
    QCOMPARE(metrics.json()["verdict"]["test"].get<std::string>(), std::string("unknown"));
    QCOMPARE(metrics.json()["integrity"]["state"].get<std::string>(), std::string("damaged"));

    const Outcome replayed = call({"replay", "run.h5", "--json"});
    QCOMPARE(replayed.code, 3);
    QVERIFY2(says(replayed.err, "gap_1, rows "), replayed.err.c_str());
    const Outcome identified = call({"identify", "run.h5", "--json"});
    QCOMPARE(identified.code, 3);
    QVERIFY2(says(identified.err, "gap_1, rows "), identified.err.c_str());
    const Outcome adopted = call({"identify", "run.h5", "--write", "mine.json"});
    QCOMPARE(adopted.code, 3);
    QVERIFY2(says(adopted.err, "is not written into a project") && !QFile::exists(path("mine.json")),
             adopted.err.c_str());
    const Outcome recovered = call({"recover", "run.h5", "--json"});
    QCOMPARE(recovered.code, 3);
    QVERIFY2(says(recovered.err, "gap_1, rows ") && recovered.json()["damaged"].get<bool>(), recovered.err.c_str());
    const Outcome goes_on = call({"run", "three-mass", "--go-on", "run.h5", "-o", "next.h5"});
    QVERIFY2(goes_on.code == 3 && says(goes_on.err, "gap_1, rows "), goes_on.err.c_str());
    const Outcome begins = call({"run", "three-mass", "--begin-with", "run.h5", "-o", "next.h5"});
    QVERIFY2(begins.code == 3 && says(begins.err, "gap_1, rows "), begins.err.c_str());
  }

  void whatVerifyCannotRead() {
    QCOMPARE(call({"verify", "none.h5"}).code, 3);
    std::ofstream(file("text.h5")) << "no run";
    const Outcome text = call({"verify", "text.h5"});
    QVERIFY2(text.code == 3 && says(text.err, "it is not HDF5"), text.err.c_str());
  }

  /// Cancelled studies whose journal or traces have a damaged bit end with the numbers of an undamaged one, and say
  /// what was run again; the study file itself is sealed.
  void aDamagedJournalChangesNoNumber() {
    const Json seed = {{"pointer", "/compensation/alpha"}, {"values", {0.1, 0.2}}};
    Json study = {{"format", "hybridbench-study"}, {"version", 1}, {"project", "three-mass"}, {"seeds", 20}};
    study["set"] = {{"/loop/duration_s", 5}, {"/analysis/start_s", 4}};
    study["vary"] = Json::array({seed});
    study["traces"] = {"gap_1"};
    std::ofstream(file("s.json")) << study.dump();
    QCOMPARE(call({"study", "s.json", "-o", "whole.h5"}).code, 0);
    QCOMPARE(call({"verify", "whole.h5"}).code, 0);

    QProcess victim;
    start(victim, {"study", "s.json", "-o", "s.h5", "--jobs", "1"});
    QTRY_VERIFY_WITH_TIMEOUT(lines("s.h5.part") > 4, kHangs_ms);
    victim.kill();
    QVERIFY(victim.waitForFinished(kHangs_ms));
    QCOMPARE(call({"verify", "s.h5.part"}).code, 0);
    fs::copy_file(file("s.h5.part"), file("kept.part"));
    fs::copy_file(file("s.h5.traces"), file("kept.traces"));
    const StudyTable whole = readStudyFile(file("whole.h5"));
    std::mt19937 random(36);
    for (int k = 0; k < 6; ++k) {
      fs::remove(file("s.h5"));
      fs::copy_file(file("kept.part"), file("s.h5.part"), fs::copy_options::overwrite_existing);
      fs::copy_file(file("kept.traces"), file("s.h5.traces"), fs::copy_options::overwrite_existing);
      const char* const hit = k % 2 == 0 ? "s.h5.part" : "s.h5.traces";
      // Not in the traces of a run whose line never came.
      flip(hit, random() % (k % 2 == 0 ? fs::file_size(file(hit)) : 5000 * sizeof(double)),
           static_cast<int>(random() % 8));
      if (k == 0) QCOMPARE(call({"verify", "s.h5.part", "--json"}).code, 3);
      const Outcome rest = call({"study", "s.json", "-o", "s.h5", "--json"});
      QVERIFY2(rest.code == 0, rest.err.c_str());
      QVERIFY2(rest.json()["damaged_lines"].get<int>() == 1 && says(rest.err, "their runs were repeated"),
               rest.err.c_str());
      const StudyTable table = readStudyFile(file("s.h5"));
      QVERIFY(table.complete && table.notice.empty());
      for (std::size_t c = 0; c < whole.figures.size(); ++c)
        for (std::size_t r = 0; r < whole.status.size(); ++r) {
          const double x = whole.figures[c].numbers[r], y = table.figures[c].numbers[r];
          QVERIFY2(x == y || (std::isnan(x) && std::isnan(y)), whole.figures[c].name.c_str());
        }
      QCOMPARE(rowsOf(readStudyTables(file("s.h5"), kStudyTraces, {0, 7, 39})[1]),
               rowsOf(readStudyTables(file("whole.h5"), kStudyTraces, {0, 7, 39})[1]));
    }

    // The finished file: 100 bits anywhere, each found, and reading ends with a table and a notice, or with a sentence.
    const std::uint64_t size = fs::file_size(file("s.h5"));
    for (int k = 0; k < 100; ++k) {
      const std::uint64_t at = random() % size;
      const int bit = static_cast<int>(random() % 8);
      flip("s.h5", at, bit);
      try {
        QVERIFY2(!readStudyFile(file("s.h5")).notice.empty(), std::to_string(at).c_str());
        readStudyTables(file("s.h5"), kStudyTraces, {0, 7, 39});
      } catch (const DeviceError&) {
      }
      flip("s.h5", at, bit);
    }
    QVERIFY(readStudyFile(file("s.h5")).notice.empty());
    flip("s.h5", size / 2, 1);
    const Outcome damaged = call({"verify", "s.h5", "--json"});
    QCOMPARE(damaged.code, 3);
    QCOMPARE(damaged.json()["kind"].get<std::string>(), std::string("study"));
  }

  /// Ground motions beside the project, run files in a folder of their own: the run knows where its project stood.
  /// Where that folder is gone, the folder of the run file counts, and --folder names another.
  void relativeFilesOfARunElsewhere() {
    fs::create_directories(file("project"));
    fs::create_directories(file("runs"));
    {
      std::ofstream motion(file("project/quake.csv"));
      motion << "time_s,acceleration_m_per_s2\n";
      for (int k = 0; k < 300; ++k) motion << 0.02 * k << "," << std::sin(0.3 * k) << "\n";
    }
    Json project = templateDocument("benchmark-2020-sample");
    project["excitation"]["signals"] = {{{"name", "quake"},
                                         {"kind", "ground-motion"},
                                         {"file", "quake.csv"},
                                         {"unit", "m/s2"},
                                         {"output", "acceleration"},
                                         {"scale", 0.01}}};
    project["excitation"]["loads"][0]["signal"] = "quake";
    project["loop"]["duration_s"] = 2;
    saveDocument(project, file("project/p.json"));
    const Outcome ran = call({"run", "project/p.json", "-o", "runs/r.h5", "--json"});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    const auto measures = [&] { return call({"metrics", "runs/r.h5", "--json"}); };
    const Outcome here = measures();
    QCOMPARE(here.code, 0);
    QCOMPARE(here.json()["measures"], ran.json()["metrics"]["measures"]);
    QCOMPARE(call({"replay", "runs/r.h5"}).code, 0);

    fs::rename(file("project"), file("moved"));
    const Outcome gone = call({"replay", "runs/r.h5"});
    QVERIFY2(gone.code == 2 && says(gone.err, "--folder"), gone.err.c_str());
    QCOMPARE(call({"replay", "runs/r.h5", "--folder", "moved"}).code, 0);
    fs::copy_file(file("moved/quake.csv"), file("runs/quake.csv"));
    QCOMPARE(call({"replay", "runs/r.h5"}).code, 0);
  }

 private:
  fs::path file(const char* name) const { return path(name).toStdString(); }

  void record(const char* name) const {
    const Outcome ran = call({"run", "three-mass", "--duration", "6", "-o", name});
    QVERIFY2(ran.code == 0, ran.err.c_str());
  }

  void flip(const char* name, std::uint64_t at, int bit) const {
    std::fstream stream(file(name), std::ios::binary | std::ios::in | std::ios::out);
    stream.seekg(static_cast<std::streamoff>(at));
    const auto changed = static_cast<char>(stream.get() ^ (1 << bit));
    stream.seekp(static_cast<std::streamoff>(at));
    stream.put(changed);
  }

  /// The lowest bit but a few of one value of a column: nothing that a plot would show.
  void flipIn(const char* name, const char* column, std::uint64_t row) const {
    const std::vector<double> values = RunFileReader(file(name)).read(column, row, 16);
    std::ifstream stream(file(name), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(values.data()), 16 * sizeof(double)));
    QVERIFY(at != std::string::npos);
    flip(name, at, 4);
  }
};

HYB_SUITE(verify_command, VerifyCommandTest)
#include "verify_test.moc"
