#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "core/assess/metrics.h"
#include "core/study/memory_run.h"
#include "core/study/run_study.h"
#include "core/study/study_file.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
namespace fs = std::filesystem;

namespace {

/// Two workers have at most kWaiting runs waiting for the journal, and as many more once it has taken those. A study
/// that is cancelled when the journal has some has at most twice that many more then: one of kManyRuns can be cancelled
/// kCancels times.
constexpr int kWaiting = 2 * (static_cast<int>(kHeldRuns) + 1);
const int kCancels = test::kThorough ? 2 : 1;
const int kManyRuns = 2 * kCancels * kWaiting + 1;
constexpr int kSomeRuns = kWaiting + 1;  // of one worker: can be cancelled once

/// 8 times `seeds` short runs of the three-mass test: without compensation it runs away, so some end at a limit.
Json smallStudy(int seeds = 3) {
  const Json method = {
      {"name", "method"}, {"pointer", "/compensation/method"}, {"values", {"none", "adaptive-forward-prediction"}}};
  const Json stroke = {{"name", "stroke"},
                       {"pointer", "/excitation/signals/0/amplitude_m"},
                       {"range", {{"from", 0.001}, {"to", 0.003}, {"count", 4}}}};
  Json document = {{"format", "hybridbench-study"}, {"version", 1}, {"title", "small"}, {"project", "three-mass"}};
  document["set"] = {
      {"/loop/duration_s", 2}, {"/loop/soft_start_s", 0.5}, {"/loop/soft_end_s", 0.5}, {"/analysis/start_s", 1}};
  document["vary"] = {method, stroke};
  document["seeds"] = seeds;
  return document;
}

/// Runs of a tenth of a second, with the traces of two channels or none.
Json manySeeds(bool traces, int runs = kManyRuns) {
  Json document = smallStudy(runs);
  document["set"] = {
      {"/loop/duration_s", 0.1}, {"/loop/soft_start_s", 0}, {"/loop/soft_end_s", 0}, {"/analysis/start_s", 0}};
  document["vary"] = Json::array();
  if (traces) document["traces"] = {"time", "gap_2"};
  return document;
}

/// Frequencies of a sweep.
const std::size_t kFrequencies = test::kThorough ? 2 : 1;

/// Two sweeps of so many frequencies, on short averages. None has a duration: it ends with its last point.
Json sweptStudy() {
  Json document = {{"format", "hybridbench-study"}, {"version", 1}, {"project", "cantilever-iterative"}};
  document["set"] = {{"/coupling/sweep", {{"from_hz", 17}, {"to_hz", 18}, {"count", kFrequencies}}},
                     {"/coupling/average/periods", 4},
                     {"/coupling/residual/tolerance", 0.05},
                     {"/coupling/residual/steadiness", 0.05}};
  document["vary"] = {{{"name", "force"}, {"pointer", "/coupling/loads/0/amplitude_n"}, {"values", {0.04, 0.08}}}};
  return document;
}

bool same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)); }

bool same(const std::vector<StudyTable::Column>& a, const std::vector<StudyTable::Column>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t c = 0; c < a.size(); ++c) {
    if (a[c].name != b[c].name || a[c].units != b[c].units || a[c].words != b[c].words) return false;
    if (!std::equal(a[c].numbers.begin(), a[c].numbers.end(), b[c].numbers.begin(), b[c].numbers.end(),
                    [](double x, double y) { return same(x, y); }))
      return false;
  }
  return true;
}

/// To the last bit, but for times.
bool same(const StudyTable& a, const StudyTable& b) {
  return a.complete == b.complete && a.study == b.study && a.project == b.project && same(a.plan, b.plan) &&
         same(a.figures, b.figures) && a.status == b.status && a.seed == b.seed && a.message == b.message;
}

const StudyTable::Column& column(const std::vector<StudyTable::Column>& columns, const std::string& name) {
  for (const StudyTable::Column& c : columns)
    if (c.name == name) return c;
  throw std::runtime_error("no column " + name);
}

std::string bytes(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

class RunStudyTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void jobsDoNotChangeTheResult() {
    const Study study = parseStudy(smallStudy());
    const StudySummary one = runStudy(study, file("1.h5"), 1), two = runStudy(study, file("2.h5"), 2),
                       many = runStudy(study, file("7.h5"), 7);
    QCOMPARE(one.runs, std::size_t{24});
    QCOMPARE(one.done + one.stopped, std::size_t{24});
    QVERIFY(!one.cancelled && one.failed == 0);
    const StudyTable table = readStudyFile(file("1.h5"));
    QVERIFY(table.complete);
    QVERIFY(same(table, readStudyFile(file("2.h5"))));
    QVERIFY(same(table, readStudyFile(file("7.h5"))));
    QCOMPARE(two.stopped, many.stopped);
    QVERIFY(!fs::exists(StudyJournal::part(file("1.h5"))) && !fs::exists(tracesOf(StudyJournal::part(file("1.h5")))));
    QCOMPARE(column(table.plan, "method").words[0], std::string("\"none\""));
    QCOMPARE(column(table.plan, "stroke").numbers[23], 0.003);
    QCOMPARE(column(table.plan, "stroke").units, std::string("m"));
    QCOMPARE(column(table.figures, "gap_rms_2").units, std::string("m"));
  }

  /// The figures of a study are those of the same run on file, to the last bit.
  void figuresAreThoseOfARunFile() {
    const Study study = parseStudy(smallStudy());
    runStudy(study, file("s.h5"), 2);
    const StudyTable table = readStudyFile(file("s.h5"));
    for (const std::size_t r : {std::size_t{2}, std::size_t{19}}) {
      RunOptions options;
      options.pace = Pace::free_run;
      options.file = file("r.h5");
      TestRun run(parseProject(study.project(r)), options);
      run.arm();
      run.start();
      const RunResult result = run.finish();
      const Json figures = metrics(RunFileReader(file("r.h5")), {});
      QCOMPARE(table.message[r], result.stop_reason);
      for (std::size_t i = 0; i < 2; ++i)
        for (const char* name :
             {"tracking_nrmse_percent", "delay_ms", "amplitude_ratio", "gap_peak", "reference_nrmse_percent"}) {
          const Json& expected = figures["interfaces"][i][name];
          const double kept = column(table.figures, name + ("_" + std::to_string(i + 1))).numbers[r];
          QVERIFY2(expected.is_null() ? std::isnan(kept) : same(kept, expected.get<double>()), name);
        }
      const Json& energy = figures["energy_error"];
      QVERIFY(energy.is_null() || same(column(table.figures, "energy_error").numbers[r], energy.get<double>()));
      fs::remove(file("r.h5"));
    }
  }

  void unstableRunsAreResults() {
    Json document = smallStudy();
    document["vary"][1]["values"] = {0.002};
    document["vary"][1].erase("range");
    document["seeds"] = 1;
    const Study study = parseStudy(document);
    const StudySummary summary = runStudy(study, file("s.h5"), 2);
    QCOMPARE(summary.stopped, std::size_t{1});
    QCOMPARE(summary.done, std::size_t{1});
    const StudyTable table = readStudyFile(file("s.h5"));
    QVERIFY(table.status[0] == RunStatus::stopped && table.status[1] == RunStatus::done);
    QVERIFY2(table.message[0].starts_with("limit: "), table.message[0].c_str());
    QVERIFY(column(table.figures, "limits_hit").numbers[0] > 0.0);
    QVERIFY(column(table.figures, "end_s").numbers[0] < column(table.figures, "end_s").numbers[1]);
    QCOMPARE(table.message[1], std::string("completed"));
  }

  /// A ground motion that vanishes while the study runs: the runs after that cannot be built, the study goes on.
  void runsThatCannotBeBuiltAreResults() {
    std::ofstream motion(file("quake.csv"));
    motion << "time_s,acceleration_g\n";
    for (int k = 0; k < 400; ++k) motion << 0.01 * k << "," << 0.01 * std::sin(0.5 * k) << "\n";
    motion.close();
    Json project = templateDocument("three-mass");
    project["excitation"]["signals"][0] = {
        {"name", "walls"}, {"kind", "ground-motion"}, {"file", "quake.csv"}, {"peak_m", 0.001}};
    saveDocument(project, file("mine.json"));
    Json document = manySeeds(false);
    document["project"] = "mine.json";
    const Study study = parseStudy(document, folder_->path().toStdString());
    const StudySummary summary = runStudy(study, file("s.h5"), 2, [&](const StudyProgress& progress) {
      if (!progress.checking && progress.done > 0) fs::remove(file("quake.csv"));
      return true;
    });
    QVERIFY(!summary.cancelled && summary.failed > 0 && summary.failed < summary.runs);
    const StudyTable table = readStudyFile(file("s.h5"));
    QVERIFY(table.complete && table.status.back() == RunStatus::failed);
    QVERIFY2(table.message.back().find("quake.csv") != std::string::npos, table.message.back().c_str());
    QVERIFY(std::isnan(column(table.figures, "delay_ms_1").numbers.back()));
  }

  /// Cancelled after a few runs and taken up again, kCancels times: the same numbers as in one go.
  void cancelAndResume_data() {
    QTest::addColumn<bool>("traces");
    if (test::kThorough) QTest::newRow("figures") << false;
    QTest::newRow("with traces") << true;
  }
  void cancelAndResume() {
    QFETCH(bool, traces);
    const Study study = parseStudy(manySeeds(traces));
    const fs::path whole = inOneGo(study).file;
    std::size_t kept = 0;
    QVERIFY(!fs::exists(StudyJournal::part(whole)));
    for (int turn = 0; turn < kCancels; ++turn) {
      const StudySummary part = runStudy(study, file("s.h5"), 2, [&](const StudyProgress& progress) {
        return progress.checking || progress.done <= kept;
      });
      QVERIFY(part.cancelled);
      QCOMPARE(part.resumed, kept);
      kept = part.done + part.stopped;
      QVERIFY(!readStudyFile(file("s.h5")).complete);  // what there is can be read
    }
    const StudySummary rest = runStudy(study, file("s.h5"), 2);
    QVERIFY(!rest.cancelled);
    QCOMPARE(rest.resumed, kept);
    QVERIFY(same(readStudyFile(whole), readStudyFile(file("s.h5"))));
    QCOMPARE(fs::file_size(whole), fs::file_size(file("s.h5")));
  }

  /// A longer study, and one with other values, take the runs that they share with an earlier one from its journal,
  /// also when they are cancelled: the numbers and tables are those of a study without it.
  void studiesShareAJournal_data() {
    QTest::addColumn<unsigned>("jobs");
    QTest::newRow("one job") << 1u;
    QTest::newRow("two jobs") << 2u;
  }
  void studiesShareAJournal() {
    QFETCH(unsigned, jobs);
    Json document = manySeeds(true, 4);
    document["vary"] = {{{"pointer", "/compensation/alpha"}, {"values", {0.1, 0.2}}}};
    const fs::path journal = file("all.journal");
    const auto run = [&](const char* name, const StudyWatch& watch = {}) {
      return runStudy(parseStudy(document), file(name), jobs, watch, {}, nullptr, journal);
    };
    const StudySummary first = run("first.h5");
    QVERIFY(first.runs == 8 && first.reused == 0 && first.resumed == 0 && fs::exists(journal));

    document["vary"][0]["values"] = {0.2, 0.3, 0.1};
    document["seeds"] = 40;
    const auto early = [](const StudyProgress& progress) { return progress.checking || progress.done < 9; };
    const StudySummary part = run("longer.h5", early);
    QVERIFY(part.cancelled && part.reused == 8 && part.resumed == 0);
    const StudySummary rest = run("longer.h5");
    QVERIFY(!rest.cancelled && rest.reused == 8 && rest.runs == 120);
    QCOMPARE(rest.resumed, part.done + part.stopped - 8);
    const fs::path alone = inOneGo(parseStudy(document)).file;
    QVERIFY(same(readStudyFile(alone), readStudyFile(file("longer.h5"))));
    std::vector<std::size_t> all(120);
    std::iota(all.begin(), all.end(), std::size_t{0});
    const std::vector<Table> own = readStudyTables(alone, kStudyTraces, all),
                             taken = readStudyTables(file("longer.h5"), kStudyTraces, all);
    for (const std::size_t r : all) QVERIFY(rowsOf(own[r]) == rowsOf(taken[r]));

    QVERIFY_THROWS_EXCEPTION(DeviceError, run("longer.h5"));  // it is complete
    document["set"]["/excitation/signals/0/amplitude_m"] = 0.0011;
    QCOMPARE(run("other.h5").reused, std::size_t{0});
    document["set"].erase("/excitation/signals/0/amplitude_m");
    document["traces"] = {"time"};
    QCOMPARE(run("less.h5").reused, std::size_t{0});  // a run keeps what its study asked for
  }

  /// What a sweep finds at each frequency is kept without being asked for, as its run file would have it.
  void pointsOfSweepsAreKept() {
    const Study study = parseStudy(sweptStudy());
    const auto& [summary, whole] = inOneGo(study);
    QCOMPARE(summary.done, std::size_t{2});
    QCOMPARE(summary.segments, 2 * kFrequencies);
    const StudyTable table = readStudyFile(whole);
    QVERIFY(table.segments && !table.traces);
    const std::vector<Table> kept = readStudyTables(whole, kStudySegments, {1, 0});
    RunOptions options;
    options.pace = Pace::free_run;
    options.file = file("r.h5");
    TestRun run(parseProject(study.project(1)), options);
    run.arm();
    run.start();
    run.finish();
    const RunFileReader recorded(file("r.h5"));
    QCOMPARE(kept[0].channels.size(), recorded.info().segments.size());
    QCOMPARE(kept[0].rows, kFrequencies);
    for (std::size_t c = 0; c < kept[0].channels.size(); ++c) {
      const Channel& channel = kept[0].channels[c];
      const std::vector<double> values = recorded.read("segments/" + channel.name);
      QCOMPARE(channel.units, recorded.attribute("segments/" + channel.name, "units"));
      QCOMPARE(channel.description, recorded.attribute("segments/" + channel.name, "description"));
      const std::vector<double> column = kept[0].column(c);
      QVERIFY2(std::equal(values.begin(), values.end(), column.begin(), column.end(),
                          [](double x, double y) { return same(x, y); }),
               channel.name.c_str());
    }
    const std::vector<Table> two = readStudyTables(whole, kStudySegments, {1, 17}, {"frequency", "motion_1_h1"});
    QCOMPARE(two[0].channels.size(), std::size_t{2});
    QCOMPARE(two[0].rows, kFrequencies);
    QCOMPARE(two[1].rows, std::size_t{0});  // there is no such run
    QVERIFY(readStudyTables(whole, kStudyTraces, {0})[0].channels.empty());
  }

  /// Cancelled after its first sweep and taken up again; then with a journal whose points never arrived on the disk.
  void pointsOfSweepsOutliveTheProgram() {
    const Study study = parseStudy(sweptStudy());
    const auto points = [](const fs::path& name) {
      std::vector<double> all;
      for (const Table& table : readStudyTables(name, kStudySegments, {0, 1}))
        for (std::size_t c = 0; c < table.channels.size(); ++c) {
          const std::vector<double> column = table.column(c);
          all.insert(all.end(), column.begin(), column.end());
        }
      return all;
    };
    std::string lines, tables;  // the journal, from its first run on: a kill leaves it like this
    const auto keep = [&](const StudyProgress& progress) {
      if (progress.checking || !progress.done) return true;
      lines = bytes(StudyJournal::part(file("whole.h5")));
      tables = bytes(tracesOf(StudyJournal::part(file("whole.h5"))));
      return true;
    };
    QCOMPARE(runStudy(study, file("whole.h5"), 1, keep).segments, 2 * kFrequencies);
    std::size_t end = 0;  // of header, study and one run
    for (int line = 0; line < 3; ++line) {
      end = lines.find('\n', end) + 1;
      QVERIFY(end > 0);
    }
    lines.resize(end);
    const auto takenUp = [&](const std::string& kept, unsigned jobs) {
      fs::remove(file("s.h5"));
      std::ofstream(StudyJournal::part(file("s.h5")), std::ios::binary) << lines;
      if (!kept.empty()) std::ofstream(tracesOf(StudyJournal::part(file("s.h5"))), std::ios::binary) << kept;
      return runStudy(study, file("s.h5"), jobs);
    };
    const auto alike = [&] {
      const std::vector<double> a = points(file("whole.h5")), b = points(file("s.h5"));
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) { return same(x, y); });
    };
    const StudySummary rest = takenUp(tables, 1);
    QCOMPARE(rest.resumed, std::size_t{1});
    QCOMPARE(rest.segments, 2 * kFrequencies);
    QVERIFY(alike());
    if (!test::kThorough) return;

    QCOMPARE(takenUp({}, 2).resumed, std::size_t{0});
    QVERIFY(alike());
  }

  /// A list of channels keeps those, and a name that no run has is told before the first one.
  void tracesOfSomeChannels() {
    Json document = smallStudy(1);
    document["vary"] = Json::array();
    document["traces"] = {"gap_2", "time", "alpha_1"};
    const auto said = [&]() -> std::string {
      try {
        runStudy(parseStudy(document), file("s.h5"), 1);
      } catch (const InputError& error) {
        return error.what();
      }
      return {};
    };
    QVERIFY2(said().find("/traces/2") != std::string::npos, said().c_str());
    document["traces"] = {"gap_2", "time"};
    QCOMPARE(said(), std::string());
    Json whole = document;
    whole["traces"] = true;
    runStudy(parseStudy(whole), file("whole.h5"), 1);
    const Table some = readStudyTables(file("s.h5"), kStudyTraces, {0}).front(),
                all = readStudyTables(file("whole.h5"), kStudyTraces, {0}, {"gap_2", "time"}).front();
    QCOMPARE(some.channels.size(), std::size_t{2});
    QVERIFY(some.rows > 0 && rowsOf(some) == rowsOf(all));
    QVERIFY(fs::file_size(file("s.h5")) * 3 < fs::file_size(file("whole.h5")));
  }

  /// A journal that a kill left with half a line, or with a line whose trace never arrived.
  void halfWrittenJournal() {
    const Study study = parseStudy(manySeeds(true, kSomeRuns));
    const StudyTable whole = readStudyFile(inOneGo(study).file);
    const StudySummary part = runStudy(
        study, file("s.h5"), 1, [](const StudyProgress& progress) { return progress.checking || !progress.done; });
    QVERIFY(part.cancelled);
    const fs::path lines = StudyJournal::part(file("s.h5"));
    const std::string text = bytes(lines);
    std::ofstream(lines, std::ios::binary | std::ios::app) << "{\"run\": 12, \"status\": 1, \"comp";
    std::ofstream(tracesOf(StudyJournal::part(file("s.h5"))), std::ios::binary | std::ios::app) << "rubbish";
    QCOMPARE(runStudy(study, file("s.h5"), 2).resumed, part.done + part.stopped);
    QVERIFY(same(whole, readStudyFile(file("s.h5"))));
    if (!test::kThorough) return;

    fs::remove(file("s.h5"));
    std::ofstream(lines, std::ios::binary) << text;  // the traces are gone: those runs are done again
    fs::remove(tracesOf(StudyJournal::part(file("s.h5"))));
    const StudySummary again = runStudy(study, file("s.h5"), 2);
    QCOMPARE(again.resumed, std::size_t{0});
    QVERIFY(same(whole, readStudyFile(file("s.h5"))));
  }

  void filesOfOthersAreKept() {
    const Study study = parseStudy(manySeeds(false, kSomeRuns));
    std::ofstream(file("s.h5")) << "mine";
    QVERIFY_THROWS_EXCEPTION(DeviceError, runStudy(study, file("s.h5"), 2));
    QCOMPARE(bytes(file("s.h5")), std::string("mine"));
    QVERIFY_THROWS_EXCEPTION(DeviceError, runStudy(study, file("none/s.h5"), 2));

    const auto atOnce = [](const StudyProgress& progress) { return progress.checking; };
    QVERIFY(runStudy(study, file("t.h5"), 1, atOnce).cancelled);
    Json other = manySeeds(false, kSomeRuns);
    other["seeds"] = kSomeRuns - 1;
    QVERIFY_THROWS_EXCEPTION(InputError, runStudy(parseStudy(other), file("t.h5"), 2));
    Json renamed = manySeeds(false, kSomeRuns);
    renamed["title"] = "another title, the same runs";
    QVERIFY(!runStudy(parseStudy(renamed), file("t.h5"), 2).cancelled);

    std::ofstream(StudyJournal::part(file("u.h5"))) << "a diary\n";
    QVERIFY_THROWS_EXCEPTION(InputError, runStudy(study, file("u.h5"), 2));
    QVERIFY(!fs::exists(tracesOf(StudyJournal::part(file("u.h5")))));
    std::ofstream(StudyJournal::part(file("v.h5"))) << "a diary without an end";
    QVERIFY_THROWS_EXCEPTION(InputError, runStudy(study, file("v.h5"), 2));
    QCOMPARE(bytes(StudyJournal::part(file("v.h5"))), std::string("a diary without an end"));
  }

  void pacedRunsComeOneAfterTheOther() {
    Json document = smallStudy();
    document["pace"] = "real-time";
    document["pause_s"] = 0.2;
    document["set"]["/loop/duration_s"] = 1.2;
    document["set"]["/analysis/start_s"] = 0.5;
    document["set"]["/loop/soft_end_s"] = 0.2;
    document["set"]["/safety/limits"] = Json::array();
    document["vary"] = Json::array();
    document["seeds"] = 2;
    const StudySummary summary = runStudy(parseStudy(document), file("s.h5"), 8);
    QCOMPARE(summary.done, std::size_t{2});
    QVERIFY2(summary.elapsed_s > 2 * 1.2 + 0.2, qPrintable(QString::number(summary.elapsed_s)));
  }

  void measuresChooseTheColumns() {
    Json document = smallStudy();
    document["measures"] = {"energy_error", "delay_ms"};
    document["vary"] = Json::array();
    runStudy(parseStudy(document), file("s.h5"), 1);
    QCOMPARE(readStudyFile(file("s.h5")).figures.size(), std::size_t{3});
  }

  /// One actuator stands for all: each interface keeps its figures all the same.
  void oneActuatorForAllKeepsEveryInterface() {
    Json document = smallStudy();
    document["measures"] = {"gap_peak"};
    document["vary"] = Json::array();
    Json one = templateDocument("three-mass")["rig"]["actuators"];
    one.erase(1);
    document["set"]["/rig/actuators"] = one;
    runStudy(parseStudy(document), file("one.h5"), 1);
    const StudyTable table = readStudyFile(file("one.h5"));
    QCOMPARE(table.figures.size(), std::size_t{2});
    for (const StudyTable::Column& column : table.figures)
      QVERIFY2(column.numbers.size() == table.status.size() && column.numbers.front() > 0.0, column.name.c_str());
  }

  /// Storeys that are only computed: all three move alike in this building, so their errors are of one size.
  void measuresOfTheComputedStoreys() {
    Json document = templateDocument("benchmark-2020-sample");
    const StopToken stop;
    const auto measuresOf = [&] {
      return runInMemory(parseProject(document), Pace::free_run, false, stop, true).metrics;
    };
    const Json metrics = measuresOf();
    const Json& first = metrics["interfaces"][0]["measures"];
    for (const auto& [upper, lowest] : {std::pair{"j6", "reference_nrmse_percent"},
                                        {"j7", "reference_nrmse_percent"},
                                        {"storey_2_shear_percent", "reference_nrmse_percent"},
                                        {"storey_3_shear_percent", "reference_nrmse_percent"},
                                        {"j8", "reference_peak_percent"},
                                        {"j9", "reference_peak_percent"}}) {
      QVERIFY2(first.contains(upper) && first[upper].is_number(), upper);
      const double ratio = first[upper].get<double>() / metrics["interfaces"][0][lowest].get<double>();
      QVERIFY2(ratio > 0.2 && ratio < 2.0, qPrintable(QString("%1: %2").arg(upper).arg(ratio)));
    }
    const double strain = metrics["measures"]["hsem_strain"].get<double>();
    const double input = metrics["measures"]["hsem_input"].get<double>();
    QVERIFY(std::abs(input) < std::abs(strain) && input * strain > 0.0);
    // On emulated forces the computed side saw other forces than the record holds: they are there, and not known.
    document["loop"]["force_source"] = "emulated";
    QVERIFY(measuresOf().at("interfaces")[0].at("measures").at("j6").is_null());
  }

  void hardwareIsNotRunFreely() {
    Json document = smallStudy();
    document["vary"] = Json::array();
    document["set"]["/rig/use"] = "rig";
    document["set"]["/rig/connection"] = {{"protocol", "frames"}, {"address", "tcp://127.0.0.1:9"}};
    EXPECT_ISSUE(test::issuesOf([&] { runStudy(parseStudy(document), file("rig.h5"), 1); }), "/rig/use (run 0)",
                 "real-time");
    QVERIFY(!fs::exists(file("rig.h5.part")));
  }

  /// Nobody can press Resume: a limit that holds ends the run as one that ramps does, and says so.
  void limitsThatHoldEndTheRun() {
    Json document = smallStudy(1);
    document["vary"] = Json::array();
    document["set"]["/safety/limits/0/threshold_m"] = 0.0005;
    document["set"]["/safety/limits/0/action"] = "hold";
    runStudy(parseStudy(document), file("hold.h5"), 1);
    const StudyTable table = readStudyFile(file("hold.h5"));
    QVERIFY(table.status.front() == RunStatus::stopped);
    const QString why = QString::fromStdString(table.message.front());
    QVERIFY2(why.contains("displacement") && why.contains("nobody can resume"), qPrintable(why));
  }

  void stoppedFreeRunEndsAsTheOperatorWouldEndIt() {
    const Study study = parseStudy(smallStudy(1));
    const StopToken stop(1);
    const MemoryRun run = runInMemory(parseProject(study.project(4)), Pace::free_run, true, stop);
    QVERIFY(run.reason == EndReason::operator_stop && !run.complete);
    QVERIFY(run.trace.rows < 1000);
  }

 private:
  struct Whole {
    StudySummary summary;
    fs::path file;
  };
  /// A study that nothing interrupts, run once for all tests that look at it.
  const Whole& inOneGo(const Study& study) {
    const auto [at, missing] = whole_.try_emplace(study.document.dump());
    if (missing) {
      at->second.file = fs::path(kept_.path().toStdString()) / (std::to_string(whole_.size()) + ".h5");
      at->second.summary = runStudy(study, at->second.file, 2);
    }
    return at->second;
  }
  fs::path file(const char* name) const { return fs::path(folder_->path().toStdString()) / name; }
  const QTemporaryDir kept_;
  std::map<std::string, Whole> whole_;
  std::unique_ptr<QTemporaryDir> folder_;
};

HYB_SUITE(study_run, RunStudyTest)
HYB_THREADS(study_run, cancelAndResume, jobsDoNotChangeTheResult, pacedRunsComeOneAfterTheOther, pointsOfSweepsAreKept)
#include "run_study_test.moc"
