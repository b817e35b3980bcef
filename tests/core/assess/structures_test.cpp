#include <QTemporaryDir>
#include <QTest>
#include <filesystem>

#include "core/assess/stability_report.h"
#include "core/record/run_file_reader.h"
#include "core/run/build.h"
#include "core/run/test_run.h"
#include "core/structure/modes.h"
#include "tests/core/project/mutation.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

std::string fileOf(const QString& name) {
  return std::string(hyb::test::kSourceDir) + "/tests/data/structures/" + name.toStdString() + ".json";
}

}  // namespace

/// Complete projects of every kind of structure and cut: each is sound, assembles to what its source says, can be
/// analysed and built into a loop.
class StructuresTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void projects_data();
  void projects();
  void everyFileIsTested();
  void mapOfTheCantilever();
  void matricesHaveNoMap();
  void locusFollowsTheDelay();
  void largeBeamsNeedAReducedTwin();
  void aFineMeshIsOfferedTheModesThatFit();
  void runFilesSayWhatWasUsed();
};

void StructuresTest::projects_data() {
  QTest::addColumn<double>("lowest_hz");  // of the uncut structure
  QTest::addColumn<int>("interfaces");
  QTest::newRow("force-shear-building") << 8.0192 << 1;
  QTest::newRow("lumped-aff") << 21.460 << 1;
  QTest::newRow("two-beams-aff") << 34.429 << 2;
  QTest::newRow("cantilever-iterative") << 2.957 << 2;
  QTest::newRow("face-linear") << 5.5346 << 1;      // sqrt(12090/10) / (2 pi)
  QTest::newRow("contact-ilc") << 5.0271 << 1;      // near sqrt(1e4/10) / (2 pi): the spring yields a little
  QTest::newRow("prosthetic-foot") << 2.3064 << 1;  // sqrt((5400 + 900)/30) / (2 pi) with the legs in series
}

void StructuresTest::projects() {
  QFETCH(double, lowest_hz);
  QFETCH(int, interfaces);
  const std::string file = fileOf(QTest::currentDataTag());
  std::filesystem::path folder;
  const auto issues = validate(loadDocument(file, &folder), folder);
  QVERIFY2(issues.empty(), qPrintable(test::listing(issues)));
  const Project project = loadProject(file);
  const Partition partition = buildPartition(project);
  QCOMPARE(static_cast<int>(partition.interface.size()), interfaces);
  const double found_hz = lowestModes(partition.reference, 1).frequency_hz[0];
  QVERIFY2(std::abs(found_hz / lowest_hz - 1.0) < 1e-3, qPrintable(QString::number(found_hz, 'g', 8)));

  const Json report = stabilityReport(project);
  for (const char* key : {"critical_delay_s", "crossing_hz", "entry", "psi", "crossings", "stable", "roots",
                          "roots_counted", "natural_frequencies_hz", "damping_ratios", "actuator_critical_delays_s",
                          "margin_s", "without_compensation", "discrete", "left_out", "notes"})
    QVERIFY2(report.contains(key), key);
  QCOMPARE(report["roots"].size(), report["roots_counted"].get<std::size_t>());
  QVERIFY2(report["discrete"].is_object(), report.value("discrete_fault", std::string()).c_str());
  QCOMPARE(report.contains("phase_margins"), interfaces == 1);
  QVERIFY(buildLoop(project) != nullptr);
}

void StructuresTest::everyFileIsTested() {
  projects_data();
  const auto files = std::filesystem::directory_iterator(std::string(hyb::test::kSourceDir) + "/tests/data/structures");
  QCOMPARE(std::distance(files, {}), 7);
}

/// The longer the part on the rig, the lower its clamped frequency; the map's place of the project's own cut says the
/// same as the report.
void StructuresTest::mapOfTheCantilever() {
  const Project project = loadProject(fileOf("cantilever-iterative"));
  std::size_t calls = 0;
  const Json map = interfaceMap(project, 9, 500.0, 1, [&](std::size_t done, std::size_t total) {
    ++calls;
    return done <= total;
  });
  QCOMPARE(map.size(), 9);
  QVERIFY(calls > 0);
  for (std::size_t i = 1; i < map.size(); ++i) {
    QVERIFY(map[i]["position_m"].get<double>() > map[i - 1]["position_m"].get<double>());
    QVERIFY(map[i]["fault"].is_null());
    QVERIFY(map[i]["physical_clamped_hz"].get<double>() > map[i - 1]["physical_clamped_hz"].get<double>());
    if (i > 1)  // the first piece is one element without inner DOF
      QVERIFY(map[i]["numerical_clamped_hz"].get<double>() < map[i - 1]["numerical_clamped_hz"].get<double>());
  }
  const std::vector<double> places = mapPositions(buildModel(project.structure), false, 1000);
  QCOMPARE(places.size(), std::size_t{52});
  QVERIFY(std::abs(places.front() - 0.01) < 1e-12 && std::abs(places.back() - 0.52) < 1e-12);
}

void StructuresTest::matricesHaveNoMap() {
  try {
    interfaceMap(parseProject(templateDocument("benchmark-2020-sample")), 9);
    QFAIL("there is no place to cut at");
  } catch (const InputError& error) {
    QCOMPARE(error.issues().at(0).where, std::string("/structure/kind"));
  }
}

void StructuresTest::locusFollowsTheDelay() {
  const Json locus = locusReport(loadProject(fileOf("face-linear")), 0.0, 0.01, 6);
  QCOMPARE(locus.size(), 6);
  QCOMPARE(locus[0]["delay_s"].get<double>(), 0.0);
  QCOMPARE(locus[5]["delay_s"].get<double>(), 0.01);
  // Without delay: the root of the whole structure, -20/20 1/s.
  QVERIFY(std::abs(locus[0]["roots"][0]["re"].get<double>() + 1.0) < 1e-4);
}

void StructuresTest::largeBeamsNeedAReducedTwin() {
  const int elements = test::kThorough ? 1000 : 400;
  std::filesystem::path folder;
  Json document = loadDocument(fileOf("cantilever-iterative"), &folder);
  document["structure"]["segments"][0]["elements"] = elements;
  document["structure"]["segments"][1]["elements"] = elements;
  document["excitation"]["loads"][0]["dof"] = "root/" + std::to_string(elements / 2) + ".y";
  document["partition"]["reduction"]["numerical"] = Json{{"method", "craig-bampton"}, {"modes", 10}};
  QVERIFY2(validate(document, folder).empty(), qPrintable(test::listing(validate(document, folder))));
  document["partition"].erase("reduction");
  QVERIFY(test::names(validate(document, folder), "/partition/reduction/physical", "craig-bampton"));
}

/// A mesh that the twin could carry, but whose fastest motion no tick follows: the message offers a reduction, and with
/// that the project is sound.
void StructuresTest::aFineMeshIsOfferedTheModesThatFit() {
  for (const int elements : {100, 1000}) {
    if (!test::kThorough && elements > 100) continue;
    std::filesystem::path folder;
    Json document = loadDocument(fileOf("cantilever-iterative"), &folder);
    for (Json& segment : document["structure"]["segments"]) segment["elements"] = elements;
    document["excitation"]["loads"][0]["dof"] = "root/" + std::to_string(elements / 2) + ".y";
    document["partition"]["reduction"] = {{"numerical", {{"method", "craig-bampton"}, {"modes", 10}}}};
    const std::vector<Issue> issues = validate(document, folder);
    QCOMPARE(issues.size(), std::size_t{1});
    QCOMPARE(issues[0].where, std::string("/partition/reduction/physical"));
    const std::size_t from = issues[0].message.find('{'), to = issues[0].message.rfind('}');
    QVERIFY2(from != std::string::npos, issues[0].message.c_str());
    document["partition"]["reduction"]["physical"] = Json::parse(issues[0].message.substr(from, to - from + 1));
    QVERIFY2(validate(document, folder).empty(), qPrintable(test::listing(validate(document, folder))));
  }
}

/// Kind, reductions and solver, in words and as attributes, in the file of a run; a reduction's basis has a column for
/// each coordinate.
void StructuresTest::runFilesSayWhatWasUsed() {
  QTemporaryDir runs;
  const auto recorded = [&](const Project& project, const char* name) {
    const std::filesystem::path file = std::filesystem::path(runs.path().toStdString()) / name;
    TestRun run(project, {Pace::free_run, file, {}, {}, false, {}});
    run.arm();
    run.start();
    run.finish();
    return file;
  };
  const auto shorten = [](Json& document) {
    document["loop"].update(Json{{"duration_s", 0.2}, {"soft_start_s", 0.0}, {"soft_end_s", 0.0}});
    document["analysis"]["start_s"] = 0.0;
  };
  const auto used = [](const RunFileReader& of, const char* name) {
    return QString::fromStdString(of.attribute("config", name));
  };
  std::filesystem::path folder;
  Json document = loadDocument(fileOf("cantilever-iterative"), &folder);
  document["partition"]["reduction"]["numerical"] = Json{{"method", "craig-bampton"}, {"modes", 3}};
  shorten(document);
  const Project project = parseProject(document, folder);
  const RunFileReader beams(recorded(project, "beams.h5"));
  QVERIFY(beams.info().rows > 0);
  QCOMPARE(used(beams, "structure_kind"), QString("beam"));
  QCOMPARE(used(beams, "reduction_numerical"), QString("craig-bampton"));
  QCOMPARE(used(beams, "solver"), QString::fromStdString(std::string(name(project.integrator.scheme))));
  QVERIFY(used(beams, "structure_description").startsWith("Euler-Bernoulli beam of "));
  QVERIFY(used(beams, "reduction_description").contains("and 3 clamped-interface modes"));
  const Partition partition = buildPartition(project);
  const std::size_t coordinates = partition.interface.size() + 3;
  const std::vector<double> basis = beams.read("config/matrices/reduction");
  QVERIFY(!basis.empty() && basis.size() % coordinates == 0 && basis.size() > coordinates * coordinates);
  for (const auto& [key, text] : buildHeader(project).designsafe)
    QVERIFY2(text.find("lumped") == std::string::npos && text.find("unreduced") == std::string::npos, text.c_str());

  Json masses_document = templateDocument("three-mass");
  shorten(masses_document);
  const Project masses_project = parseProject(masses_document);
  const RunFileReader masses(recorded(masses_project, "masses.h5"));
  QCOMPARE(used(masses, "structure_kind"), QString("lumped"));
  QCOMPARE(used(masses, "reduction_numerical"), QString("none"));
  QCOMPARE(used(masses, "solver"), QString::fromStdString(std::string(name(masses_project.integrator.scheme))));
  QVERIFY(used(masses, "structure_description").startsWith("3 lumped masses"));
  QVERIFY(used(masses, "reduction_description").contains("computed side: none: as assembled"));
}

// Not HYB_THREADS: its threads are those of test_run.
HYB_SUITE(structures, StructuresTest)
#include "structures_test.moc"
