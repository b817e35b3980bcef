/// Random settings of a study: plan, runs, statistics in the file, and what is refused.
#include <QTemporaryDir>
#include <algorithm>
#include <set>

#include "core/record/hdf5.h"
#include "core/study/run_study.h"
#include "core/study/study_file.h"
#include "core/study/study_statistics.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

Json randomStudy(const char* rest) {
  Json document = {{"format", "hybridbench-study"}, {"version", 1}, {"project", "three-mass"}};
  document.update(Json::parse(rest));
  return document;
}
std::string faultsOfRandom(const char* rest) {
  try {
    parseStudy(randomStudy(rest));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

constexpr const char* kTwoRandom = R"({
    "set": {"/loop/duration_s": 0.5, "/loop/soft_start_s": 0.1, "/loop/soft_end_s": 0.1, "/analysis/start_s": 0.1},
    "vary": [{"name": "alpha", "pointer": "/compensation/alpha", "values": [0.1, 0.2]}],
    "random": [
      {"name": "mass", "pointer": ["/structure/masses/0/mass_kg", "/structure/masses/1/mass_kg"], "factor": true,
       "distribution": {"kind": "uniform", "from": 0.8, "to": 1.2}},
      {"name": "delay", "pointer": "/rig/actuators/0/delay_s", "distribution": {"kind": "triangular", "from": 0, "peak": 0.001, "to": 0.002}}],
    "samples": {"count": 8, "seed": 5}, "measures": ["gap_rms"]})";

}  // namespace

class RandomPlanTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyCombinationHasTheSameSamples() {
    const Study s = parseStudy(randomStudy(kTwoRandom));
    QCOMPARE(s.runs(), std::size_t{16});
    std::set<double> masses;
    for (std::size_t r = 0; r < 8; ++r) {
      const Json one = s.project(r), other = s.project(r + 8), plain = s.nominal(0);
      QCOMPARE(one["compensation"]["alpha"].get<double>(), 0.1);
      QCOMPARE(other["compensation"]["alpha"].get<double>(), 0.2);
      QVERIFY(one["structure"] == other["structure"] && one["rig"] == other["rig"]);  // the seed of the noise, too
      const double factor = one["structure"]["masses"][0]["mass_kg"].get<double>() /
                            plain["structure"]["masses"][0]["mass_kg"].get<double>();
      QVERIFY(factor > 0.8 && factor < 1.2);
      compareRelative(one["structure"]["masses"][1]["mass_kg"].get<double>() /
                          plain["structure"]["masses"][1]["mass_kg"].get<double>(),
                      factor, 1e-15, "the same factor");
      masses.insert(factor);
    }
    QCOMPARE(masses.size(), std::size_t{8});
    QVERIFY(s.project(0)["rig"]["seed"] != s.project(1)["rig"]["seed"]);
    QVERIFY(parseStudy(randomStudy(kTwoRandom)).project(11) == s.project(11));
  }

  void statisticsAreInTheFile() {
    QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath("s.h5").toStdString();
    const Study s = parseStudy(randomStudy(kTwoRandom));
    const StudySummary summary = runStudy(s, file, 1);
    QCOMPARE(summary.done, std::size_t{16});
    const StudyTable table = readStudyFile(file);
    QCOMPARE(table.plan.size(), std::size_t{3});
    QCOMPARE(table.plan[1].numbers[3], table.plan[1].numbers[11]);
    const std::vector<FigureStatistics> all =
        studyStatistics(s, table.status, table.figures.size(),
                        [&](std::size_t c, std::size_t r) { return table.figures[c].numbers[r]; });
    QCOMPARE(all.size(), 2 * table.figures.size());
    double sum = 0.0;
    for (std::size_t r = 8; r < 16; ++r) sum += table.figures[0].numbers[r];
    compareRelative(all[table.figures.size()].sample.mean.value, sum / 8.0, 1e-14, "mean");
    const h5::Handle hdf = h5::own(H5Fopen(file.c_str(), H5F_ACC_RDONLY, h5::fileAccess()), "file");
    for (const StatisticColumn& column : statisticColumns())
      QVERIFY2(H5Lexists(hdf, (std::string("/statistics/") + column.name).c_str(), H5P_DEFAULT) > 0, column.name);
    QVERIFY(H5Lexists(hdf, "/indices", H5P_DEFAULT) <= 0);
  }

  /// A sample that makes no valid project is a result, counted; the others are run.
  void invalidSamplesAreResults() {
    QTemporaryDir folder;
    const Study s = parseStudy(randomStudy(R"({
        "set": {"/loop/duration_s": 0.5, "/loop/soft_start_s": 0.1, "/loop/soft_end_s": 0.1, "/analysis/start_s": 0.1},
        "random": [{"name": "delay", "pointer": "/rig/actuators/0/delay_s",
                    "distribution": {"kind": "uniform", "from": -0.001, "to": 0.001}}],
        "samples": {"count": 6}, "measures": ["gap_rms"]})"));
    const StudySummary summary = runStudy(s, folder.filePath("s.h5").toStdString(), 1);
    QCOMPARE(summary.failed, std::size_t{3});
    QCOMPARE(summary.done, std::size_t{3});
    const StudyTable table = readStudyFile(folder.filePath("s.h5").toStdString());
    QVERIFY(std::ranges::any_of(table.message, [](const std::string& m) { return m.find("delay_s") != m.npos; }));
  }

  void indicesHaveTheirRuns() {
    Json document = randomStudy(kTwoRandom);
    document["samples"] = {{"count", 16}, {"design", "sobol"}, {"indices", true}, {"replicates", 3}};
    const Study s = parseStudy(document);
    QCOMPARE(s.random.samples(), std::size_t{3 * 16 * 4});
    // Points A and B, then A with the first and with the second number of B.
    const auto& d = s.random.drawn;
    QVERIFY(d(2, 0) == d(1, 0) && d(2, 1) == d(0, 1) && d(3, 0) == d(0, 0) && d(3, 1) == d(1, 1));
    QVERIFY(s.notes.empty());
    document["samples"]["count"] = 100;
    QVERIFY(parseStudy(document).notes.front().find("64 or 128") != std::string::npos);
  }
  /// A million runs are planned at once.
  void aMillionRunsArePlanned() {
    Json document = randomStudy(kTwoRandom);
    document["samples"] = {{"count", 500000}};
    const Study s = parseStudy(document);
    QCOMPARE(s.runs(), std::size_t{1000000});
    QVERIFY(s.project(999999) != s.project(999998));
  }

  void faultsNamePlaceAndRemedy_data() {
    QTest::addColumn<QString>("rest");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const char* rest, const char* words) {
      QTest::newRow(name) << QString(rest) << QString(words);
    };
    row("no samples",
        R"({"random": [{"pointer": "/loop/duration_s", "distribution": {"kind": "uniform", "from": 1, "to": 2}}]})",
        "/samples: is missing");
    row("nothing to draw", R"({"samples": {"count": 3}})", "/samples: has nothing to draw");
    row("crossed bounds",
        R"({"samples": {"count": 3}, "random": [{"pointer": "/loop/duration_s", "distribution": {"kind": "uniform", "from": 2, "to": 1}}]})",
        "/random/0/distribution/to");
    row("unknown kind",
        R"({"samples": {"count": 3}, "random": [{"pointer": "/loop/duration_s", "distribution": {"kind": "gaussian"}}]})",
        "/random/0/distribution/kind");
    row("varied twice", R"({"samples": {"count": 3}, "vary": [{"pointer": "/loop/duration_s", "values": [1]}],
        "random": [{"name": "d", "pointer": "/loop/duration_s", "distribution": {"kind": "uniform", "from": 1, "to": 2}}]})",
        "/random/0/pointer");
    row("hardware by chance", R"({"samples": {"count": 3}, "random": [{"pointer": "/rig/use",
        "distribution": {"kind": "discrete", "values": ["twin", "rig"]}}]})",
        "may select hardware by chance");
    row("weights", R"({"samples": {"count": 3}, "random": [{"pointer": "/loop/duration_s",
        "distribution": {"kind": "discrete", "values": [1, 2], "weights": [1]}}]})",
        "one weight for each value");
    row("unknown correlation", R"({"samples": {"count": 3}, "correlations": [{"of": ["a", "c"], "coefficient": 0.5}],
        "random": [{"name": "a", "pointer": "/loop/duration_s", "distribution": {"kind": "uniform", "from": 1, "to": 2}}]})",
        "\"c\" is not a random setting");
    row("not positive definite", R"({"samples": {"count": 3},
        "correlations": [{"of": ["a", "b"], "coefficient": 0.9}, {"of": ["b", "c"], "coefficient": 0.9},
                         {"of": ["a", "c"], "coefficient": -0.9}],
        "random": [
          {"name": "a", "pointer": "/loop/duration_s", "distribution": {"kind": "uniform", "from": 1, "to": 2}},
          {"name": "b", "pointer": "/compensation/alpha", "distribution": {"kind": "uniform", "from": 1, "to": 2}},
          {"name": "c", "pointer": "/compensation/beta", "distribution": {"kind": "uniform", "from": 1, "to": 2}}]})",
        "not positive definite");
    row("too many", R"({"samples": {"count": 1000000, "indices": true},
        "random": [{"pointer": "/loop/duration_s", "distribution": {"kind": "uniform", "from": 1, "to": 2}}]})",
        "at most 1,000,000 runs");
  }
  void faultsNamePlaceAndRemedy() {
    QFETCH(QString, rest);
    QFETCH(QString, words);
    const std::string text = faultsOfRandom(qPrintable(rest));
    QVERIFY2(text.find(words.toStdString()) != std::string::npos, text.c_str());
  }
  /// Before the first run: a factor on what is no number.
  void aFactorNeedsANumber() {
    QTemporaryDir folder;
    const Study s = parseStudy(randomStudy(R"({"random": [{"pointer": "/compensation/method", "factor": true,
        "distribution": {"kind": "uniform", "from": 1, "to": 2}}], "samples": {"count": 2}})"));
    try {
      runStudy(s, folder.filePath("s.h5").toStdString(), 1);
      QFAIL("it ran");
    } catch (const InputError& error) {
      QVERIFY2(std::string(error.what()).find("/compensation/method") != std::string::npos, error.what());
    }
  }
};

HYB_SUITE(study_random, RandomPlanTest)
HYB_THREADS(study_random, statisticsAreInTheFile)
#include "random_plan_test.moc"
