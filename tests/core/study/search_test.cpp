/// Search of a study: each method alone, and through runStudy().
#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "core/campaign/differential.h"
#include "core/campaign/evolution.h"
#include "core/campaign/swarm.h"
#include "core/study/run_study.h"
#include "core/study/search.h"
#include "core/study/study_file.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

SwarmSpec sphereSwarm(std::uint64_t seed) {
  SwarmSpec spec;
  spec.least = Eigen::Vector4d(2.0, 0.0, -2.0, -4.0);
  spec.most = Eigen::Vector4d(10.0, 8.0, 6.0, 4.0);
  spec.seed = seed;
  return spec;
}

Json searchStudy() {
  return Json::parse(R"({"format": "hybridbench-study", "version": 1, "project": "three-mass",
    "set": {"/loop/duration_s": 0.5, "/loop/soft_start_s": 0.1, "/loop/soft_end_s": 0.1, "/analysis/start_s": 0.1},
    "search": {
      "settings": [{"name": "delay", "pointer": ["/rig/actuators/0/delay_s", "/rig/actuators/1/delay_s"], "from": 0, "to": 0.002}],
      "goal": {"figure": "gap_rms", "interface": 1}, "method": {"kind": "particle-swarm", "particles": 4, "generations": 4}},
    "random": [{"name": "stiffness", "pointer": "/structure/links/0/stiffness_n_per_m", "factor": true,
                "distribution": {"kind": "uniform", "from": 0.95, "to": 1.05}}],
    "samples": {"count": 2}, "measures": ["gap_rms"]})");
}

/// What a search leaves, but for times.
std::vector<std::vector<double>> numbersOf(const std::filesystem::path& file) {
  const StudyTable table = readStudyFile(file);
  std::vector<std::vector<double>> all;
  for (const auto* columns : {&table.plan, &table.figures})
    for (const StudyTable::Column& column : *columns) all.push_back(column.numbers);
  return all;
}

}  // namespace

class SearchTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Araya (2023), row 38: sphere in four dimensions, 30 particles, 30 generations.
  void theSwarmFindsTheSphere() {
    const Eigen::Vector4d middle(7.0, 3.0, 1.0, -1.0);
    int close = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const SwarmSpec spec = sphereSwarm(seed);
      Swarm swarm(spec);
      double before = swarm.best();
      for (int generation = 0; generation < 30; ++generation) {
        std::vector<double> values;
        for (Eigen::Index p = 0; p < swarm.positions().rows(); ++p) {
          const Eigen::VectorXd x = swarm.positions().row(p);
          QVERIFY(((x - spec.least).array() >= 0.0).all() && ((spec.most - x).array() >= 0.0).all());
          values.push_back((x - middle).squaredNorm());
        }
        swarm.take(values);
        QVERIFY(swarm.best() <= before);
        before = swarm.best();
        compare((swarm.bestPosition() - middle).squaredNorm(), swarm.best(), 0.0, "value of the best position");
      }
      QVERIFY2(swarm.best() < 1e-2, qPrintable(QString("seed %1: %2").arg(seed).arg(swarm.best())));
      close += swarm.best() < 1e-5;
    }
    QVERIFY2(close >= 10, qPrintable(QString::number(close)));
  }
  void missingValuesAreNeverTheBest() {
    Swarm swarm(sphereSwarm(1));
    swarm.take(std::vector<double>(30, kNoValue));
    QVERIFY(std::isinf(swarm.best()));
    std::vector<double> values(30, kNoValue);
    values[7] = 5.0;
    const Eigen::VectorXd seventh = swarm.positions().row(7);
    swarm.take(values);
    QVERIFY(swarm.best() == 5.0 && swarm.bestPosition() == seventh);
  }

  /// One valley, a long one, a bent one, and one at the corner of the bounds; each with ten seeds.
  void evolutionFindsKnownMinima_data() {
    QTest::addColumn<QString>("method");
    QTest::addColumn<QString>("function");
    for (const char* method : {"cma-es", "differential-evolution"})
      for (const char* function : {"sphere", "ellipsoid", "rosenbrock", "corner"})
        QTest::addRow("%s, %s", method, function) << method << function;
  }
  void evolutionFindsKnownMinima() {
    QFETCH(QString, method);
    QFETCH(QString, function);
    const auto value = [&](const Eigen::VectorXd& x) {
      double sum = 0.0;
      for (Eigen::Index i = 0; i < x.size(); ++i) {
        const double away = x[i] - 1.0, scale = std::pow(1e6, static_cast<double>(i) / 3.0);
        if (function == "sphere") sum += away * away;
        if (function == "ellipsoid") sum += scale * away * away;
        if (function == "corner") sum += x[i] + 1.0;
        if (function == "rosenbrock" && i < 3) sum += 100.0 * std::pow(x[i + 1] - x[i] * x[i], 2) + away * away;
      }
      return sum;
    };
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const SearchSpace space{Eigen::VectorXd::Constant(4, -1.0), Eigen::VectorXd::Constant(4, 2.0), seed};
      const std::unique_ptr<Optimiser> optimiser =
          method == "cma-es" ? std::unique_ptr<Optimiser>(std::make_unique<Evolution>(EvolutionSpec{space}))
                             : std::make_unique<DifferentialEvolution>(DifferentialSpec{space});
      for (int generation = 0; generation < 300; ++generation) {
        std::vector<double> values;
        for (Eigen::Index c = 0; c < optimiser->positions().rows(); ++c) {
          const Eigen::VectorXd x = optimiser->positions().row(c);
          QVERIFY(((x - space.least).array() >= 0.0).all() && ((space.most - x).array() >= 0.0).all());
          values.push_back(generation == 7 || c == 2 ? kNoValue : value(x));  // some never have a value
        }
        optimiser->take(values);
      }
      compare(value(optimiser->bestPosition()), optimiser->best(), 0.0, "value of the best position");
      found += optimiser->best() < 1e-8;
    }
    QVERIFY2(found >= 9, qPrintable(QString::number(found)));  // the bent valley has a second minimum
  }

  /// Cancelled anywhere and continued, with one job or two: the same candidates and figures.
  void anInterruptedSearchEndsWithTheSameNumbers_data() {
    QTest::addColumn<QString>("method");
    QTest::newRow("swarm") << R"({"kind": "particle-swarm", "particles": 4, "generations": 4})";
    QTest::newRow("cma-es") << R"({"kind": "cma-es", "candidates": 4, "generations": 4})";
    QTest::newRow("differential") << R"({"kind": "differential-evolution", "candidates": 4, "generations": 4})";
  }
  void anInterruptedSearchEndsWithTheSameNumbers() {
    QFETCH(QString, method);
    Json document = searchStudy();
    document["search"]["method"] = Json::parse(method.toStdString());
    QTemporaryDir folder;
    const auto path = [&](const char* name) { return std::filesystem::path(folder.filePath(name).toStdString()); };
    const Study study = parseStudy(document);
    QCOMPARE(study.runs(), std::size_t{4 * 4 * 2});
    const StudySummary whole = runStudy(study, path("whole.h5"), 1);
    QVERIFY(!whole.cancelled && whole.done == 32);
    const StudySummary two = runStudy(study, path("two.h5"), 2);
    StudySummary part;
    std::size_t calls = 0;
    do {
      part = runStudy(study, path("part.h5"), 1,
                      [&](const StudyProgress& p) { return p.checking || p.done < 5 + 9 * calls; });
    } while (part.cancelled && ++calls < 20);
    QVERIFY(!part.cancelled);
    QVERIFY(numbersOf(path("two.h5")) == numbersOf(path("whole.h5")));
    QVERIFY(numbersOf(path("part.h5")) == numbersOf(path("whole.h5")));
    QVERIFY(whole.best && part.best == whole.best && part.best_value == whole.best_value && two.best == whole.best);
    const StudyTable table = readStudyFile(path("whole.h5"));
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < 16; ++c)
      least = std::min(least, 0.5 * (table.figures[0].numbers[2 * c] + table.figures[0].numbers[2 * c + 1]));
    QCOMPARE(whole.best_value, least);
    const Study found = studyOf(table, {});
    const auto delay = [&](std::size_t c) { return found.variations[0].values[c].get<double>(); };
    QCOMPARE(found.known(), std::size_t{16});
    QVERIFY(found.project(31)["rig"]["actuators"][0]["delay_s"] == delay(15));
  }
  /// A cancelled search is a file with the candidates so far.
  void aCancelledSearchLeavesItsCandidates() {
    QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath("s.h5").toStdString();
    Json document = searchStudy();
    document["set"]["/loop/duration_s"] = 20;  // the first look is long before the last run
    const StudySummary part =
        runStudy(parseStudy(document), file, 1, [](const StudyProgress& progress) { return progress.checking; });
    QVERIFY(part.cancelled && !part.file.empty());
    const StudyTable table = readStudyFile(file);
    QVERIFY(!std::isnan(table.plan[0].numbers[0]) && std::isnan(table.plan[0].numbers[31]));
    QVERIFY(studyOf(table, {}).known() < 16);
  }

  void faultsNamePlaceAndRemedy_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const char* pointer, const char* value, const char* words) {
      QTest::newRow(name) << QString(pointer) << QString(value) << QString(words);
    };
    row("varied too", "/vary", R"([{"pointer": "/compensation/alpha", "values": [1]}])", "cannot be combined");
    row("crossed", "/search/settings/0/to", "-1", "/search/settings/0/to");
    row("figure", "/search/goal/figure", "\"gap\"", "is not a figure of a run");
    row("too many", "/search/method", R"({"kind": "particle-swarm", "particles": 10000, "generations": 10000})",
        "at most 1,000,000");
    row("interface", "/search/goal/interface", "3", "fewer interfaces");
    row("method", "/search/method/kind", "\"annealing\"", "particle-swarm");
    row("place", "/search/settings/0/pointer", "\"/rig/delay\"", "/rig/delay");
  }
  void faultsNamePlaceAndRemedy() {
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(QString, words);
    QTemporaryDir folder;
    Json document = searchStudy();
    document[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
    try {
      runStudy(parseStudy(document), folder.filePath("s.h5").toStdString(), 1);
      QFAIL("it ran");
    } catch (const InputError& error) {
      QVERIFY2(QString::fromUtf8(error.what()).contains(words), error.what());
    }
  }
};

HYB_SUITE(study_search, SearchTest)
HYB_THREADS(study_search, aCancelledSearchLeavesItsCandidates)
#include "search_test.moc"
