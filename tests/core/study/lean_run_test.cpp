/// Runs of a study cost little more than their ticks, and nothing that is left out changes a figure.
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "core/assess/metrics.h"
#include "core/project/project_series.h"
#include "core/study/run_study.h"
#include "core/study/study_file.h"
#include "tests/support/suite.h"
#include "tests/support/thorough.h"

using namespace hyb;
namespace fs = std::filesystem;

namespace {

bool sameBits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)); }

std::vector<std::string> everyFigure() {
  std::vector<std::string> names;
  for (const FigureKind& kind : figureKinds()) names.emplace_back(kind.name);
  return names;
}

/// The figure in the output of `metrics --json`; NaN if it has none.
double figureIn(const Json& figures, const FigureColumn& column) {
  const Json& owner =
      column.interface == 0 ? figures : figures.at("interfaces").at(static_cast<std::size_t>(column.interface) - 1);
  const Json* found = readingIn(owner, *column.kind->measure);
  return found != nullptr && found->is_number() ? found->get<double>() : std::nan("");
}

/// The figure of a run in the result of a study.
double figureIn(const StudyTable& table, const FigureColumn& column, std::size_t run) {
  const auto found = std::ranges::find(table.figures, column.name(), &StudyTable::Column::name);
  if (found == table.figures.end()) throw std::runtime_error("no column " + column.name());
  return found->numbers[run];
}

Json recordedFigures(const Json& document, const fs::path& file) {
  TestRun run(parseProject(document), {Pace::free_run, file, {}, {}, false, false});
  run.arm();
  run.start();
  run.finish();
  return metrics(RunFileReader(file), {});
}

/// Three buildings in which also the noise, the shaking and a gain differ.
Json drawnStudy() {
  return Json::parse(R"({"format": "hybridbench-study", "version": 1, "project": "force-shear-building",
    "set": {"/loop/duration_s": 1.5, "/loop/soft_start_s": 0.2, "/loop/soft_end_s": 0.2, "/analysis/start_s": 0.2},
    "vary": [{"name": "gain", "pointer": "/rig/actuators/0/gain", "values": [1, 1.02]}],
    "random": [
      {"name": "mass", "pointer": "/structure/storeys/1/mass_kg", "factor": true,
       "distribution": {"kind": "discrete", "values": [0.9, -1, 1.1]}},
      {"name": "shaking", "pointer": "/excitation/signals/0/amplitude_mps2", "factor": true,
       "distribution": {"kind": "uniform", "from": 0.8, "to": 1.2}}],
    "samples": {"count": 6}, "seeds": 2, "measures": ["gap_rms", "reference_nrmse_percent", "piston_nrmse_percent"]})");
}

}  // namespace

class LeanRunTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  /// Each figure alone, and all together, are those of the same test on file, to the last bit.
  void figuresAreThoseOfARecordedRun_data() {
    QTest::addColumn<QString>("name");
    for (const Template& one : templates()) QTest::newRow(one.name.c_str()) << QString::fromStdString(one.name);
  }
  void figuresAreThoseOfARecordedRun() {
    QFETCH(QString, name);
    const Json document = templateDocument(name.toStdString());
    const Json recorded = recordedFigures(document, file("run.h5"));
    const Study study = parseStudy({{"format", "hybridbench-study"},
                                    {"version", 1},
                                    {"project", name.toStdString()},
                                    {"measures", everyFigure()}});
    runStudy(study, file("study.h5"), 1);
    const StudyTable table = readStudyFile(file("study.h5"));
    const std::vector<FigureColumn> columns = figureColumns(everyFigure(), recorded.at("interfaces").size());
    QCOMPARE(table.figures.size(), columns.size());
    RunMemory memory;
    std::vector<std::optional<double>> alone;  // of each template some of them in turn, which is quicker
    memory.run(parseProject(document), Pace::free_run, false, StopToken(), {}, [&](const RunRecord& run) {
      for (const std::string& measure : everyFigure()) {
        const std::vector<FigureColumn> own = figureColumns({measure}, recorded.at("interfaces").size());
        if (test::kThorough || turn_++ % 5 == 0)
          std::ranges::copy(figureValues(run, own), std::back_inserter(alone));
        else
          alone.resize(alone.size() + own.size());
      }
    });
    std::size_t known = 0;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const double expected = figureIn(recorded, columns[c]), studied = figureIn(table, columns[c], 0);
      QVERIFY2(sameBits(studied, expected) && sameBits(alone[c].value_or(studied), expected),
               qPrintable(QString("%1: recorded %2, study %3, alone %4")
                              .arg(QString::fromStdString(columns[c].name()))
                              .arg(expected, 0, 'g', 17)
                              .arg(studied, 0, 'g', 17)
                              .arg(alone[c].value_or(studied), 0, 'g', 17)));
      known += std::isfinite(expected) ? 1 : 0;
    }
    QVERIFY(known >= 5);
  }

  /// What is parsed once gives the runs of projects that are parsed alone, also after one that is not valid.
  void patchedProjectsAreThoseParsedAlone() {
    const Study study = parseStudy(drawnStudy());
    runStudy(study, file("study.h5"), 1);  // so that runs follow that differ in the seed alone
    const StudyTable table = readStudyFile(file("study.h5"));
    const StopToken stop;
    std::size_t failed = 0;
    for (std::size_t r = 0; r < study.runs(); ++r) {
      try {
        const Json figures = runInMemory(parseProject(study.project(r)), Pace::free_run, false, stop, true).metrics;
        const std::vector<FigureColumn> columns = figureColumns(study.measures, 1);
        for (std::size_t c = 0; c < columns.size(); ++c)
          QVERIFY2(sameBits(figureIn(table, columns[c], r), figureIn(figures, columns[c])), columns[c].kind->name);
        QVERIFY(table.status[r] == RunStatus::done);
      } catch (const InputError& error) {
        QCOMPARE(table.message[r], std::string(error.what()));
        QVERIFY(table.status[r] == RunStatus::failed);
        ++failed;
      }
    }
    QCOMPARE(failed, study.runs() / 3);
  }

  /// The seed alone: the noise is another one, and the document says so.
  void aNewSeedIsNewNoise() {
    Json document = templateDocument("three-mass");
    ProjectSeries projects({});
    const auto first = projects.next(document);
    setValue(document, "/rig/seed=7");
    const auto second = projects.next(document);
    QCOMPARE(second->twin.seed, std::uint64_t{7});
    QVERIFY(first->twin.seed != 7 && second->document == document);
    setValue(document, "/rig/seed=-1");
    QVERIFY_THROWS_EXCEPTION(InputError, projects.next(document));
    setValue(document, "/rig/seed=8");
    QCOMPARE(projects.next(document)->twin.seed, std::uint64_t{8});
  }

  /// Rows of a short run after a long one, in the same memory.
  void memoryIsUsedAgain() {
    Json document = templateDocument("three-mass");
    const StopToken stop;
    RunMemory memory;
    const auto rows = [&](RunMemory& used, const char* duration) {
      setValue(document, duration);
      const MemoryRun run = used.run(parseProject(document), Pace::free_run, true, stop, {});
      return rowsOf(run.trace);
    };
    rows(memory, "/loop/duration_s=20");
    RunMemory fresh;
    const auto again = rows(memory, "/loop/duration_s=12");
    QVERIFY(again.size() > 12000 && again == rows(fresh, "/loop/duration_s=12"));
  }

 private:
  fs::path file(const char* name) const { return fs::path(folder_->path().toStdString()) / name; }
  std::unique_ptr<QTemporaryDir> folder_;
  int turn_ = 0;
};

HYB_SUITE(study_lean_run, LeanRunTest)
// Not HYB_THREADS: the suite study_run tries the same jobs under the thread sanitizer in a fraction of the time.
#include "lean_run_test.moc"
