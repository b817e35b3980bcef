#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <set>

#include "core/study/run_study.h"
#include "core/study/search.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

Json study(const char* rest) {
  Json document = {{"format", "hybridbench-study"}, {"version", 1}, {"project", "three-mass"}};
  document.update(Json::parse(rest));
  return document;
}

std::string faults(const Json& document) {
  try {
    parseStudy(document);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace

class StudyPlanTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// In few words, and no two alike.
  void valuesHaveLabels() {
    const auto labels = [](const char* values) {
      Json document = study(R"({"vary": [{"name": "law", "pointer": "/coupling/adaption"}]})");
      document["vary"][0]["values"] = Json::parse(values);
      const Study s = parseStudy(document);
      QStringList all;
      for (std::size_t c = 0; c < s.combinations(); ++c) all << QString::fromStdString(s.words(c));
      return all;
    };
    QCOMPARE(labels(R"([0.1, 2])"), (QStringList{"law 0.1", "law 2"}));
    QCOMPARE(labels(R"(["none", "lms"])"), (QStringList{"law none", "law lms"}));
    QCOMPARE(labels(R"([true, false])"), (QStringList{"law", "without law"}));
    QCOMPARE(
        labels(R"([{"law": "lms", "gain_n2_per_m2": 1, "hold_s": 2}, {"law": "lms", "gain_n2_per_m2": 10, "hold_s": 2},
                        {"law": "rls", "hold_s": 2}])"),
        (QStringList{"lms, gain 1", "lms, gain 10", "rls"}));
    QCOMPARE(labels(R"([[], [{"addition": "fir"}], [{"addition": "ilc", "at": "velocity"}],
                        [{"addition": "ilc"}, {"addition": "fir"}]])"),
             (QStringList{"without law", "fir", "ilc", "ilc + fir"}));
    // What only one of them has, where nothing else tells them apart.
    QCOMPARE(labels(R"([{"law": "lms"}, {"law": "lms", "velocity_feedforward": true}])"),
             (QStringList{"lms", "lms, velocity feedforward true"}));
    const QStringList same = labels(R"([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
                                        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20]])");
    QVERIFY2(same[0] != same[1] && same[0].size() < 60, qPrintable(same.join(QLatin1Char('\n'))));
  }

  void gridHasEveryCombinationOnce() {
    const Study s = parseStudy(study(R"({"vary": [
        {"name": "alpha", "pointer": "/compensation/alpha", "values": [0.1, 0.2, 0.3]},
        {"pointer": ["/rig/actuators/0/delay_s", "/rig/actuators/1/delay_s"],
         "range": {"from": 0, "to": 0.004, "count": 5}}], "seeds": 2})"));
    QCOMPARE(s.combinations(), std::size_t{15});
    QCOMPARE(s.runs(), std::size_t{30});
    QCOMPARE(s.variations[1].name, std::string("rig.actuators.0.delay_s"));
    std::set<std::string> different;
    for (std::size_t r = 0; r < s.runs(); ++r) different.insert(s.project(r).dump());
    QCOMPARE(different.size(), std::size_t{30});
    const Json last = s.project(29);  // the seed changes fastest, then the last variation
    QCOMPARE(last["compensation"]["alpha"].get<double>(), 0.3);
    QCOMPARE(last["rig"]["actuators"][0]["delay_s"].get<double>(), 0.004);
    QCOMPARE(last["rig"]["actuators"][1]["delay_s"].get<double>(), 0.004);
    QCOMPARE(last["rig"]["seed"].get<int>(), 2);
    const Json third = s.project(2);
    QCOMPARE(third["compensation"]["alpha"].get<double>(), 0.1);
    QCOMPARE(third["rig"]["actuators"][0]["delay_s"].get<double>(), 0.001);
    QCOMPARE(third["rig"]["seed"].get<int>(), 1);
  }

  void togetherGoesSideBySide() {
    const Study s = parseStudy(study(R"({"combine": "together", "seeds": [7, 3], "set": {"/loop/duration_s": 5},
        "vary": [{"pointer": "/compensation/alpha", "values": [0.1, 0.2]},
                 {"pointer": "/compensation/method", "values": ["none", "adaptive-forward-prediction"]}]})"));
    QCOMPARE(s.runs(), std::size_t{4});
    const Json second = parseStudy(study(R"({"combine": "together", "seeds": [7, 3],
        "vary": [{"pointer": "/compensation/alpha", "values": [0.1, 0.2]},
                 {"pointer": "/compensation/beta", "values": [1, 2]}]})"))
                            .project(3);
    QCOMPARE(second["compensation"]["alpha"].get<double>(), 0.2);
    QCOMPARE(second["compensation"]["beta"].get<int>(), 2);
    QCOMPARE(second["rig"]["seed"].get<int>(), 3);
    QCOMPARE(s.base["loop"]["duration_s"].get<int>(), 5);
    QCOMPARE(s.seed(2), std::uint64_t{7});
  }

  void rangesMeetBothEnds() {
    const Study s = parseStudy(study(R"({"vary": [
        {"name": "a", "pointer": "/compensation/alpha", "range": {"from": 0.1, "to": 0.7, "count": 4}},
        {"name": "b", "pointer": "/compensation/beta",
         "range": {"from": 0.001, "to": 1, "count": 4, "spacing": "logarithmic"}},
        {"name": "n", "pointer": "/compensation/points", "range": {"from": 4, "to": 8, "count": 5}}]})"));
    QCOMPARE(s.variations[0].values.back().get<double>(), 0.7);
    QVERIFY(qAbs(s.variations[0].values[1].get<double>() - 0.3) < 1e-15);
    QVERIFY(qAbs(s.variations[1].values[2].get<double>() - 0.1) < 1e-15);
    QCOMPARE(s.variations[1].values.back().get<double>(), 1.0);
    for (int i = 0; i < 5; ++i) QVERIFY(s.variations[2].values[static_cast<std::size_t>(i)] == 4 + i);
  }

  void oneRunWithoutAnyVariation() {
    const Study s = parseStudy(study("{}"));
    QCOMPARE(s.runs(), std::size_t{1});
    QCOMPARE(s.seed(0), std::uint64_t{1});  // the project's own
  }

  /// By name, where there is no such file: all of their runs are sound, and those of the multi-axial benchmark are the
  /// nominal plant and 20 different ones.
  void shippedStudiesAreSound() {
    QVERIFY(shippedStudies().size() >= 2);
    for (const ShippedStudy& shipped : shippedStudies()) {
      Study s = loadStudy(shipped.name);
      if (s.search) Search{s};  // proposes its first candidates
      QVERIFY2(!shipped.title.empty() && !s.measures.empty() && s.notes.empty(), shipped.name.c_str());
      const bool marths = shipped.name.starts_with("marths");
      std::set<double> poles;
      for (std::size_t run = 0; run < s.known() * s.runsOfCombination(); run += marths ? 1 : 17) {
        const Json project = s.project(run);
        QVERIFY2(validate(project, s.folder).empty(), shipped.name.c_str());
        if (marths) poles.insert(transferOf(parseProject(project).twin.actuators[0]).denominator[1]);
      }
      if (marths) QVERIFY(s.runs() == 21 && poles.size() == 21);
    }
    QVERIFY(shippedStudy("no such study") == nullptr);
  }

  void theProjectIsLookedForBesideTheStudy() {
    QTemporaryDir folder;
    const std::filesystem::path place = folder.path().toStdString();
    Json own = templateDocument("three-mass");
    own["meta"]["title"] = "mine";
    saveDocument(own, place / "mine.json");
    Json document = study("{}");
    document["project"] = "mine.json";
    std::ofstream(place / "s.json") << document.dump();
    const Study s = loadStudy(place / "s.json");
    QCOMPARE(s.base["meta"]["title"].get<std::string>(), std::string("mine"));
    QVERIFY(std::filesystem::equivalent(s.folder, place));
  }

  void badInput_data() {
    QTest::addColumn<QByteArray>("rest");
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char* name, const char* rest, const char* words) {
      QTest::newRow(name) << QByteArray(rest) << QByteArray(words);
    };
    row("no study", R"({"format": "hybridbench-project"})", "this is not a study");
    row("newer version", R"({"version": 2})", "/version");
    row("no such project", R"({"project": "none.json"})", "none.json");
    row("no such template", R"({"project": "three-mas"})", "Did you mean \"three-mass\"");
    row("unknown key", R"({"varry": []})", "Did you mean \"vary\"");
    row("no pointer", R"({"vary": [{"pointer": "alpha", "values": [1]}]})", "not a JSON pointer");
    row("assignment as pointer", R"({"vary": [{"pointer": "/a=1", "values": [1]}]})", "not a JSON pointer");
    row("broken escape", R"({"vary": [{"pointer": "/a~2", "values": [1]}]})", "not a JSON pointer");
    row("empty list", R"({"vary": [{"pointer": "/loop/duration_s", "values": []}]})", "too few entries");
    row("neither values nor range", R"({"vary": [{"pointer": "/loop/duration_s"}]})", "needs \"values\"");
    row("both", R"({"vary": [{"pointer": "/a", "values": [1], "range": {"from": 0, "to": 1, "count": 2}}]})",
        "cannot stand beside");
    row("ratios through zero",
        R"({"vary": [{"pointer": "/a", "range": {"from": 0, "to": 1, "count": 2, "spacing": "logarithmic"}}]})",
        "above 0");
    row("one of two ends", R"({"vary": [{"pointer": "/a", "range": {"from": 0, "to": 1, "count": 1}}]})", "2 or more");
    row("no count", R"({"vary": [{"pointer": "/a", "range": {"from": 0, "to": 1, "count": 0}}]})", "count");
    row("two columns", R"({"vary": [{"pointer": "/a", "values": [1]}, {"pointer": "/a", "values": [1]}]})",
        "second column");
    row("place twice",
        R"({"vary": [{"name": "a", "pointer": "/a", "values": [1]}, {"name": "b", "pointer": "/a", "values": [1]}]})",
        "varies /a a second time");
    row("name with a slash", R"({"vary": [{"name": "a/b", "pointer": "/a", "values": [1]}]})", "/vary/0/name");
    row("unequal lists",
        R"({"combine": "together", "vary": [{"pointer": "/a", "values": [1]}, {"pointer": "/b", "values": [1, 2]}]})",
        "has 2 values, but the first variation has 1");
    row("seed varied", R"({"vary": [{"pointer": "/rig/seed", "values": [1, 2]}]})", "give \"seeds\"");
    row("no seeds", R"({"seeds": 0})", "/seeds");
    row("seed twice", R"({"seeds": [1, 1]})", "twice");
    row("too many runs",
        R"({"vary": [{"pointer": "/a", "range": {"from": 0, "to": 1, "count": 1000000}}], "seeds": 2})",
        "leads to 2000000 runs");
    row("far too many",
        R"({"vary": [{"pointer": "/a", "range": {"from": 0, "to": 1, "count": 1000}},
                     {"pointer": "/b", "range": {"from": 0, "to": 1, "count": 1000}},
                     {"pointer": "/c", "range": {"from": 0, "to": 1, "count": 1000}},
                     {"pointer": "/d", "range": {"from": 0, "to": 1, "count": 1000}},
                     {"pointer": "/e", "range": {"from": 0, "to": 1, "count": 1000}},
                     {"pointer": "/f", "range": {"from": 0, "to": 1, "count": 1000}},
                     {"pointer": "/g", "range": {"from": 0, "to": 1, "count": 1000}}]})",  // 10^21, beyond 64 bits
        "more than 1,000,000");
    row("unknown figure", R"({"measures": ["delay"]})", "Did you mean \"delay_ms\"");
    row("no channel", R"({"traces": []})", "/traces");
    row("set of no place", R"({"set": {"/loop/rate": 5}})", "rate_hz");
    row("set as a list", R"({"set": [1]})", "must be an object");
  }
  void badInput() {
    QFETCH(QByteArray, rest);
    QFETCH(QByteArray, words);
    const std::string said = faults(study(rest.constData()));
    QVERIFY2(said.find(words.toStdString()) != std::string::npos, said.c_str());
  }

  /// What breaks in some runs is told before the first one, each fault once with the first run it is in.
  void faultyCombinationsAreNamed_data() {
    QTest::addColumn<QByteArray>("rest");
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char* name, const char* rest, const char* words) {
      QTest::newRow(name) << QByteArray(rest) << QByteArray(words);
    };
    row("value out of bounds", R"({"vary": [{"name": "duration", "pointer": "/loop/duration_s", "values": [20, -1]},
        {"name": "alpha", "pointer": "/compensation/alpha", "values": [0.1, 0.2]}], "seeds": 3})",
        "/loop/duration_s (run 6, duration -1, alpha 0.1, and 1 more of 4 combinations): is -1");
    row("no such place", R"({"vary": [{"pointer": "/loop/rate", "values": [1000]}]})", "rate_hz");
    row("place of another variant", R"({"vary": [
        {"name": "method", "pointer": "/compensation/method", "values": ["adaptive-forward-prediction", "none"]},
        {"name": "alpha", "pointer": "/compensation/alpha", "values": [0.1]}]})",
        "/compensation/alpha (run 1, method none, alpha 0.1)");
    row("without an end", R"({"vary": [{"pointer": "/loop/duration_s", "values": [30, 0]}]})", "test without an end");
    row("meaning", R"({"vary": [{"pointer": "/partition/physical", "values": [["m3"], ["m9"]]}]})", "m9");
  }
  void faultyCombinationsAreNamed() {
    QFETCH(QByteArray, rest);
    QFETCH(QByteArray, words);
    QTemporaryDir folder;
    const std::filesystem::path file = std::filesystem::path(folder.path().toStdString()) / "s.h5";
    std::string said;
    try {
      runStudy(parseStudy(study(rest.constData())), file, 2);
    } catch (const InputError& error) {
      said = error.what();
    }
    QVERIFY2(said.find(words.toStdString()) != std::string::npos, said.c_str());
    QVERIFY(std::filesystem::is_empty(file.parent_path()));
  }

  void identityKnowsTheFilesOfTheProject() {
    QTemporaryDir folder;
    const std::string file = folder.filePath("quake.csv").toStdString();
    std::ofstream(file) << "0,1\n";
    Study study;
    study.folder = folder.path().toStdString();
    study.document = Json::object();
    study.base = {{"excitation", {{"signals", {{{"file", "quake.csv"}}}}}}};
    study.seeds = {1};
    const std::string before = study.identity();
    QCOMPARE(study.identity(), before);
    std::ofstream(file) << "0,2\n";
    QVERIFY(study.identity() != before);
  }
};

HYB_SUITE(study_plan, StudyPlanTest)
HYB_THREADS(study_plan)
#include "plan_test.moc"
