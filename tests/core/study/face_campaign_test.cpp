/// FACE campaigns on the template's twin: plan, safe order, resume, file.
#include <QTemporaryDir>
#include <cmath>
#include <fstream>
#include <set>

#include "core/assess/stability_report.h"
#include "core/loop/stop_token.h"
#include "core/project/schema.h"
#include "core/record/run_file_reader.h"
#include "core/study/face_campaign.h"
#include "core/study/face_file.h"
#include "core/study/face_job.h"
#include "core/study/face_test.h"
#include "core/study/memory_run.h"
#include "core/tick/event.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
namespace fs = std::filesystem;

namespace {

constexpr double kNoise_m = 6.5e-5;  // 1 % of the largest motion

/// The spring specimen, 2 s, noise on its sensors.
Json springDocument() {
  Json document = templateDocument("face-linear");
  setValue(document, "/loop/duration_s=2");
  setValue(document, "/loop/soft_end_s=0.2");
  setValue(document, "/rig/displacement_sensor={\"noise_rms_m\": " + std::to_string(kNoise_m) + "}");
  setValue(document, "/analysis/face/bootstraps=100");
  return document;
}
/// With so little damping the spring has a delay at which the loop becomes unstable.
Json lessDamped() {
  Json document = springDocument();
  setValue(document, "/structure/links/0/damping_n_s_per_m=140");
  return document;
}
Project project(const Json& document) { return parseProject(document); }
Json withoutTimes(const FaceReport& report) { return faceJson(report); }

}  // namespace

class FaceCampaignSuite final : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void planStaysBelowTheStabilityLimit_data() {
    QTest::addColumn<QString>("base");
    QTest::addColumn<QString>("set");
    if (test::kThorough) {
      QTest::newRow("a leg") << "face-linear"
                             << "/structure/links/0/damping_n_s_per_m=140";
      QTest::newRow("unequal delays") << "three-mass"
                                      << "/rig/actuators/1/delay_s=0.003";
      QTest::newRow("servo-hydraulic") << "benchmark-2020-sample"
                                       << "/rig/seed=2";
    }
    QTest::newRow("a delay of the project") << "three-mass"
                                            << "/compensation/added_delay_s=0.002";
  }
  /// The added delays come to that of each actuator, whatever it is, and in place of the project's own: up to half of
  /// what `stability` says that the loop bears. What adds as much is not run.
  void planStaysBelowTheStabilityLimit() {
    QFETCH(QString, base);
    QFETCH(QString, set);
    Json document = templateDocument(base.toStdString());
    setValue(document, "/loop/duration_s=2");
    setValue(document, "/loop/soft_start_s=0.2");
    setValue(document, "/loop/soft_end_s=0.2");
    setValue(document, "/analysis/start_s=0.3");
    setValue(document, "/analysis/face={\"quantity\": {\"kind\": \"peak\", \"channel\": \"measured_1\"}}");
    setValue(document, set.toStdString());
    Json best = document;
    best["compensation"]["added_delay_s"] = 0.0;
    const double margin_s = stabilityReport(project(best))["margin_s"].get<double>();

    const FacePlan plan = planFace(project(document));
    QCOMPARE(plan.margin_s, margin_s);
    QCOMPARE(plan.values.size(), std::size_t{12});
    QCOMPARE(plan.values.front(), 0.0);
    QVERIFY(std::is_sorted(plan.values.begin(), plan.values.end()));
    QCOMPARE(plan.values.back(), 0.5 * margin_s);
    QCOMPARE(plan.units, std::string("s"));

    document["analysis"]["face"]["values"] = {0.0, 0.3 * margin_s, 1.001 * margin_s};
    const FaceReport report = runFace(project(document), file("limit.h5")).report;
    QVERIFY2(report.tests[1].status == RunStatus::done, report.tests[1].message.c_str());
    QVERIFY(report.tests[2].status == RunStatus::failed);
    QVERIFY2(QString::fromStdString(report.tests[2].message).contains("stability limit"),
             report.tests[2].message.c_str());
  }
  /// 200 N s/m of damping is more than the spring takes out at any delay: 8650 / omega at the most.
  void planWithoutStabilityLimitStillEnds() {
    Json document = springDocument();
    document["analysis"]["face"].erase("values");
    const FacePlan plan = planFace(project(document));
    QVERIFY(!plan.margin_s);
    QCOMPARE(plan.values.back(), stabilityReport(project(document))["delay_s"].get<double>());  // above ten ticks
  }

  void faultsAreSaidWhereTheyCanBeMended_data() {
    QTest::addColumn<QString>("set");
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("says");
    const QString face = "/analysis/face";
    QTest::newRow("channel") << face + "/quantity/channel=measured_7" << face + "/quantity/channel"
                             << "measured_1";
    QTest::newRow("expression") << face + "/quantity={\"kind\": \"expression\", \"expression\": \"max(measured_1\"}"
                                << face + "/quantity/expression"
                                << "bracket";
    QTest::newRow("not in the record") << face + "/quantity={\"kind\": \"expression\", \"expression\": \"max(strain)\"}"
                                       << face + "/quantity/expression"
                                       << "strain";
    QTest::newRow("window") << face + "/quantity/to_s=50" << face + "/quantity/to_s"
                            << "end of the test";
    QTest::newRow("interface") << face + "/interface=3" << face + "/interface"
                               << "no interface 3";
    QTest::newRow("powers") << face + "/powers=[0,2,1]" << face + "/powers"
                            << "ascend,";
    QTest::newRow("pointer") << face + "/pointers=[\"/rig/nothing\"]" << face + "/pointers/0"
                             << "/rig/nothing";
    QTest::newRow("twice") << face + "/values=[0,0.001,0.001,0.002]" << face + "/values"
                           << "twice";
    QTest::newRow("gain without values") << face + "/pointers=[\"/rig/actuators/0/position_gain_per_s\"]"
                                         << face + "/values"
                                         << "needed";
    QTest::newRow("added delay is no error") << face + "/axis=varied" << face + "/axis"
                                             << "sensitivity only";
    QTest::newRow("inverse of a delay") << face + "/axis=inverse" << face + "/axis"
                                        << "sensitivity only";
    QTest::newRow("from the worst gain")
        << face +
               "={\"quantity\": {\"kind\": \"peak\"}, \"axis\": \"inverse\", \"values\": "
               "[40, 60, 80, 90], \"pointers\": "
               "[\"/rig/actuators/0/position_gain_per_s\"]}"
        << face + "/axis"
        << "sensitivity only";
  }
  void faultsAreSaidWhereTheyCanBeMended() {
    QFETCH(QString, set);
    QFETCH(QString, where);
    QFETCH(QString, says);
    Json document = springDocument();
    if (where.endsWith("/values") && says == "needed") document["analysis"]["face"].erase("values");
    setValue(document, set.toStdString());
    EXPECT_ISSUE(validate(document), where.toStdString(), says.toStdString());
  }
  void projectWithoutFaceIsRefused() {
    Json document = springDocument();
    document["analysis"].erase("face");
    EXPECT_ISSUE(test::issuesOf([&] { planFace(project(document)); }), "/analysis/face", "is missing");
  }

  /// The form offers the axes by the names that plots and tables give them.
  void axesAreCalledTheSameEverywhere() {
    const Json& node = schemaOf(springDocument(), "/analysis/face/axis");
    for (std::size_t a = 0; a < kFaceAxes; ++a) {
      const FaceAxisWords& axis = words(static_cast<FaceAxis>(a));
      QCOMPARE(node["enum"][a].get<std::string>(), std::string(axis.name));
      QCOMPARE(node["x-enum-titles"][a].get<std::string>(), std::string(axis.title));
    }
  }

  void predictionBeatsTheBestTest() {
    std::size_t most = 0;
    const FaceSummary summary = runFace(project(springDocument()), file("a.h5"), {}, [&](const FaceProgress& progress) {
      most = std::max(most, progress.done);
      return progress.report != nullptr && progress.report->tests.size() == progress.total;
    });
    const FaceReport& report = summary.report;
    QVERIFY(report.complete && !summary.cancelled && most == report.tests.size());
    QVERIFY2(report.curve.prediction.carried, report.curve.sentence.c_str());
    QVERIFY(report.reference && report.curve.prediction.error_percent && report.curve.true_error_percent);
    QVERIFY(*report.curve.prediction.error_percent < *report.curve.true_error_percent);
    QVERIFY2(report.model.carried, report.model.why_not.c_str());
    QVERIFY(report.model.error_percent && *report.model.error_percent < 10.0);
    QVERIFY(report.missing.empty());
    QVERIFY(!fs::exists(file("a.h5.part")));

    FaceReport read = readFaceFile(file("a.h5"));
    QCOMPARE(withoutTimes(read).dump(2), withoutTimes(report).dump(2));
    read.tests[3].dropped = "someone leaned on the table";
    read.spec.settings.tolerance_percent = 500.0;
    assess(read);
    QVERIFY(read.curve.rests_on_model && read.curve.verdict == FaceVerdict::accepted);
    QVERIFY(read.curve.prediction.value != report.curve.prediction.value);
    saveFaceFile(file("a.h5"), read);
    QCOMPARE(withoutTimes(readFaceFile(file("a.h5"))).dump(2), withoutTimes(read).dump(2));
  }

  /// Noise of its own in every test, the same when the campaign is run again; another campaign has another.
  void everyTestHasASeedOfItsOwn() {
    Json document = springDocument();
    setValue(document, "/analysis/face/values=[0, 0.002, 0.004, 0.006]");
    setValue(document, "/analysis/face/seeds=2");
    const FaceReport first = runFace(project(document), file("s1.h5")).report;
    std::set<std::uint64_t> seeds;
    for (std::size_t t = 0; t < first.tests.size(); ++t) {
      seeds.insert(first.tests[t].seed);
      QCOMPARE(first.tests[t].seed, seedOfRun(1, t));
    }
    QCOMPARE(seeds.size(), std::size_t{8});
    QVERIFY(first.tests[0].quantity != first.tests[1].quantity);
    QCOMPARE(readFaceFile(file("s1.h5")).tests[5].seed, first.tests[5].seed);
    QCOMPARE(seedOfRun(1, 0), std::uint64_t{0x910A2DEC89025CC1ULL >> 11});  // SplitMix64 from 1, first output
    setValue(document, "/rig/seed=2");
    const FaceReport second = runFace(project(document), file("s2.h5")).report;
    for (const FaceCampaignTest& test : second.tests) QVERIFY(!seeds.contains(test.seed));
  }

  /// The journal of a campaign that was cut short names the seed of each test.
  void seedsStandInTheJournal() {
    const Project spring = project(springDocument());
    runFace(spring, file("j.h5"), {}, [](const FaceProgress& progress) { return progress.done < 3; });
    std::size_t tests = 0;
    for (const JournalRun& entry : readJournal(file("j.h5.part")).runs) QCOMPARE(entry.run.seed, seedOfRun(1, tests++));
    QVERIFY(tests >= 3);
  }

  /// With noise the model has a level; the shipped template has no noise, and its intervals are called ranges.
  void levelsAreGivenOrNot() {
    const FaceReport noisy_report = runFace(project(springDocument()), file("noisy.h5")).report;
    const Json noisy = faceJson(noisy_report);
    QCOMPARE(noisy.at("model").at("level"), Json(0.95));
    QVERIFY(!noisy.at("model").contains("range_because"));
    QVERIFY(noisy.at("prediction").at("level").is_null());
    QCOMPARE(noisy.at("rests_on"), Json("model"));
    QCOMPARE(noisy.at("reasons").size(), std::size_t{2});
    const QString both = QString::fromStdString(noisy_report.curve.text());
    QVERIFY2(both.contains("at the interface, equal in all tests") && both.contains("95 % confidence interval") &&
                 both.contains("a range, not a confidence interval: no fit can determine"),
             qPrintable(both));
    const FaceReport quiet_report = runFace(project(templateDocument("face-linear")), file("quiet.h5")).report;
    const Json quiet = faceJson(quiet_report);
    for (const char* way : {"prediction", "model"}) {
      QVERIFY(quiet.at(way).at("level").is_null());
      const QString why = QString::fromStdString(quiet.at(way).at("range_because").get<std::string>());
      QVERIFY2(why.startsWith("a range, not a confidence interval: "), qPrintable(why));
    }
    QCOMPARE(quiet.at("rests_on"), Json("curve"));
    const QString text = QString::fromStdString(quiet_report.curve.text());
    QVERIFY2(text.contains("rests on the curve") && text.contains("assumes that the varied value is the only error") &&
                 text.count("a range, not a confidence interval: ") == 2,
             qPrintable(text));
    // One sentence of verdict, at most three lines of reasons, in the units of the plot.
    QCOMPARE(quiet_report.curve.sentence.find('.', 0) != std::string::npos, true);
    QVERIFY(quiet_report.curve.reasons.size() <= 3 && quiet_report.curve.reasons[0].find(" mm") != std::string::npos);
    QVERIFY2(quiet_report.curve.text().find(" m ") == std::string::npos, qPrintable(text));
  }

  /// Without noise the model gives the reference to 1e-5 with every actuator, whose law shapes the rows: its equations
  /// are those of the rows, not of a continuous motion.
  void theModelHasNoBias_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("set");
    QTest::newRow("spring") << "face-linear"
                            << "/rig/seed=2";
    QTest::newRow("mass") << "face-linear-mass"
                          << "/rig/seed=2";
    QTest::newRow("mass and spring") << "face-linear-general"
                                     << "/rig/seed=2";
    QTest::newRow("mass, ramp of the load") << "face-linear-mass"
                                            << R"({"integrator": {"load": "ramp"}, "coupling": {"ahead": false}})";
    const QString actuator = R"({"rig": {"actuators": [%1]}})";
    QTest::newRow("mass, servo")
        << "face-linear-mass"
        << actuator.arg(R"({"model": "servo", "natural_frequency_hz": 20, "damping_ratio": 0.7, "delay_s": 0.0023})");
    QTest::newRow("mass, lag") << "face-linear-mass"
                               << actuator.arg(R"({"model": "first-order", "lag_s": 0.008, "delay_s": 0.0014})");
  }
  void theModelHasNoBias() {
    QFETCH(QString, name);
    QFETCH(QString, set);
    Json document = templateDocument(name.toStdString());
    if (set.startsWith('/'))
      setValue(document, set.toStdString());
    else
      document.merge_patch(Json::parse(set.toStdString()));
    setValue(document, "/analysis/face/values=[0, 0.002, 0.004, 0.006, 0.008]");
    const FaceReport report = runFace(project(document), file("bias.h5")).report;
    QVERIFY2(report.model.carried, report.model.why_not.c_str());
    const double off = report.model.value / report.reference.value() - 1.0;
    QVERIFY2(std::abs(off) < 1e-5, qPrintable(QString::number(off)));
    QVERIFY(!report.model.level);
  }

  /// Computed side and specimen coupled without error are the uncut structure, row for row.
  void theStructureOfTheModelIsTheUncutOne() {
    for (const auto& [name, ahead, specimen] : {std::tuple{"face-linear", true, FaceSpecimen{8650.0, 0.0, 0.0}},
                                                {"face-linear", false, FaceSpecimen{8650.0, 0.0, 0.0}},
                                                {"face-linear-mass", true, FaceSpecimen{0.0, 0.0, 0.5}},
                                                {"face-linear-general", true, FaceSpecimen{710.0, 0.0, 2.0}}}) {
      Json document = templateDocument(name);
      document["coupling"]["ahead"] = ahead;
      const Project whole = project(document);
      std::string why;
      const auto structure = FaceStructure::make(whole, why);
      QVERIFY2(structure, why.c_str());
      const StopToken stop;
      const Table trace = runInMemory(whole, Pace::free_run, true, stop).trace;
      const std::optional<std::vector<double>> reference = values(trace, "reference_1");
      QVERIFY(reference);
      const std::vector<double> motion = structure->motion(specimen, 5000);
      QCOMPARE(motion.size(), std::size_t{5000});
      for (std::size_t k = 0; k < motion.size(); ++k) QVERIFY(std::abs(motion[k] - (*reference)[k]) < 1e-12);
      QVERIFY(structure->motion({0.0, 0.0, -100.0}, 10).empty());  // no mass left
    }
    std::string why;
    QVERIFY(!FaceStructure::make(project(templateDocument("three-mass")), why));
    QVERIFY2(QString::fromStdString(why).contains("2 interface DOF"), why.c_str());
  }

  /// The error of a loop with its own delay is not 0 where none is added: a flat curve would accept anything.
  void addedDelayItselfIsNoErrorToExtrapolate() {
    FaceReport report = runFace(project(springDocument()), file("axis.h5")).report;
    report.spec.axis = FaceAxis::varied;
    report.spec.settings.tolerance_percent = 500.0;
    assess(report);
    QVERIFY(!report.curve.prediction.carried && report.curve.verdict == FaceVerdict::none);
    QVERIFY2(QString::fromStdString(report.curve.sentence).contains("sensitivity only"), report.curve.sentence.c_str());
    report.spec.axis = FaceAxis::delay;
    assess(report);
    QVERIFY(report.curve.prediction.carried);
  }

  void oneOddErrorCostsOnePoint() {
    FaceReport report = runFace(project(springDocument()), file("odd.h5")).report;
    const auto delay = static_cast<std::size_t>(FaceAxis::delay);
    report.tests[0].errors[delay] = -1e-4;
    report.tests[4].errors[delay] = std::nan("");
    assess(report);
    QVERIFY2(report.curve.prediction.carried, report.curve.sentence.c_str());
    QCOMPARE(report.missing.size(), std::size_t{2});
    QVERIFY2(QString::fromStdString(report.missing[0]).contains("below 0"), report.missing[0].c_str());
    QVERIFY2(QString::fromStdString(report.missing[1]).contains("cannot be determined"), report.missing[1].c_str());
    const Json tests = faceJson(report).at("tests");
    QVERIFY(!tests[0]["counts"].get<bool>() && tests[1]["counts"].get<bool>() && !tests[4]["counts"].get<bool>());
    QCOMPARE(report.curve.measured, report.tests[1].quantity);
  }

  void referenceIsThatOfAWholeTest() {
    std::vector<StudyRun> runs(2);
    for (StudyRun& run : runs) run.figures.assign(kFaceFigures, 1.0);
    runs[0].status = RunStatus::stopped;
    runs[1].status = RunStatus::done;
    runs[1].figures[kFaceReference] = 2.0;
    FaceReport report;
    setReference(report, runs);
    QVERIFY(report.reference);
    QCOMPARE(*report.reference, 2.0);
  }

  void modelSaysWhatItCannotGive() {
    Json document = springDocument();
    setValue(document, "/analysis/face/quantity={\"kind\": \"peak\", \"channel\": \"force_1\"}");
    const FaceReport report = runFace(project(document), file("force.h5")).report;
    QVERIFY(!report.model.carried);
    QVERIFY2(QString::fromStdString(report.model.why_not).contains("interface 1, but"), report.model.why_not.c_str());
  }

  /// The fourth variation overshoots far enough for the displacement limit; the others go on.
  void limitAtOneVariationIsNotTheEnd() {
    Json document = springDocument();
    setValue(document, "/analysis/face/values=[0, 0.001, 0.003, 0.011, 0.004, 0.005, 0.007]");
    // Two places: not the added delay alone, so not sorted.
    setValue(document, "/analysis/face/pointers=[\"/compensation/added_delay_s\", \"/compensation/added_delay_s\"]");
    const FaceReport free = runFace(project(document), file("free.h5")).report;
    QCOMPARE(free.missing.size(), std::size_t{0});
    setValue(document, "/analysis/face/quantity={\"kind\": \"peak\"}");
    const FaceReport peaks = runFace(project(document), file("peaks.h5")).report;
    const double threshold_m = 0.5 * (peaks.tests[3].quantity + peaks.tests[6].quantity);
    setValue(document, "/safety/limits/0/threshold_m=" + std::to_string(threshold_m));
    const FaceReport report = runFace(project(document), file("limit.h5")).report;
    QVERIFY(report.complete);
    QCOMPARE(report.missing.size(), std::size_t{1});
    QVERIFY2(QString::fromStdString(report.missing.front()).contains("0.011"), report.missing.front().c_str());
    QVERIFY(report.tests[3].status == RunStatus::stopped && report.tests[6].measured());
    QVERIFY2(report.curve.prediction.carried, report.curve.sentence.c_str());
    QCOMPARE(readFaceFile(file("limit.h5")).missing, report.missing);
  }

  void beyondTheStabilityLimitNothingIsRun() {
    Json document = lessDamped();
    setValue(document, "/analysis/face/values=[0, 0.0005, 0.001, 0.0015, 0.5]");
    const FaceReport report = runFace(project(document), file("far.h5")).report;
    QVERIFY(report.tests[4].status == RunStatus::failed);
    const QString message = QString::fromStdString(report.tests[4].message);
    QVERIFY2(message.contains("stability limit"), qPrintable(message));
    QVERIFY2(report.tests[3].measured(), report.tests[3].fault.c_str());
    QCOMPARE(report.missing.size(), std::size_t{1});
  }

  void tooFewTestsGiveNoPrediction() {
    Json document = springDocument();
    setValue(document, "/analysis/face/values=[0, 0.002, 0.004]");
    const FaceReport report = runFace(project(document), file("few.h5")).report;
    QVERIFY(!report.curve.prediction.carried && !report.model.carried);
    QVERIFY(QString::fromStdString(report.curve.sentence).contains("at least 4"));
  }

  void cancelledAndTakenUp() {
    const Project spring = project(springDocument());
    const FaceReport whole = runFace(spring, file("whole.h5")).report;
    const FaceSummary part =
        runFace(spring, file("part.h5"), {}, [](const FaceProgress& progress) { return progress.done < 5; });
    QVERIFY(part.cancelled && !part.report.complete);
    QVERIFY(fs::exists(file("part.h5.part")));
    const FaceSummary rest = runFace(spring, file("part.h5"));
    QVERIFY(!rest.cancelled && rest.resumed >= 5 && rest.report.complete);
    QCOMPARE(withoutTimes(rest.report).dump(2), withoutTimes(whole).dump(2));
    QVERIFY_THROWS_EXCEPTION(DeviceError, runFace(spring, file("part.h5")));  // finished: not touched
  }

  /// The compensation adapts to an added delay, so it is held back from going as far as it would.
  void threeMassesToo() {
    if (!test::kThorough) return;  // as one mass
    Json document = templateDocument("three-mass");
    setValue(document, "/loop/duration_s=14");
    document["analysis"]["face"] = {
        {"quantity", {{"kind", "amplitude"}, {"channel", "measured_2"}, {"frequency_hz", 8}, {"from_s", 10}}},
        {"pointers",
         {"/compensation/horizon_max_ticks", "/compensation/prediction_ticks/0", "/compensation/prediction_ticks/1"}},
        {"values", {10, 9, 8.5, 8, 7.5, 7, 6.5, 6}},
        {"interface", 2},
        {"axis", "tracking-by-max"}};
    const FaceReport report = runFace(project(document), file("three.h5")).report;
    QVERIFY2(report.curve.prediction.carried, report.curve.sentence.c_str());
    QVERIFY(report.curve.verdict == FaceVerdict::accepted);
    QVERIFY(report.reference && report.curve.prediction.interval.holds(*report.reference));
    QVERIFY(!report.model.carried && report.missing.empty());  // forced: nothing swings freely
  }

  void hardwareIsNotRunFreely() {
    Json document = springDocument();
    document["rig"]["use"] = "rig";
    document["rig"]["connection"] = {{"protocol", "frames"}, {"address", "tcp://127.0.0.1:9"}};
    const auto issues = test::issuesOf([&] { runFace(project(document), file("rig.h5")); });
    EXPECT_ISSUE(issues, "/rig/use", "real-time");
  }

  void runFilesOfOthersAreKept() {
    Json document = springDocument();
    setValue(document, "/analysis/face/values=[0, 0.002, 0.004, 0.006]");
    FaceOptions options;
    options.runs = file("shared");
    const FaceReport first = runFace(project(document), file("first.h5"), options).report;
    try {
      runFace(project(document), file("second.h5"), options);
      QFAIL("written over");
    } catch (const DeviceError& error) {
      QVERIFY2(QString(error.what()).contains("test-000.h5"), error.what());
    }
    QVERIFY(fs::exists(first.tests[0].file) && !fs::exists(file("second.h5.part")));
    // Taken up again, the campaign goes on in the folder it began in, and in no other.
    options.runs = file("own");
    QVERIFY(runFace(project(document), file("third.h5"), options, [](const FaceProgress& p) {
              return p.done < 2;
            }).cancelled);
    FaceOptions other = options;
    other.runs = file("shared");
    QVERIFY_THROWS_EXCEPTION(InputError, runFace(project(document), file("third.h5"), other));
    const FaceReport rest = runFace(project(document), file("third.h5"), options).report;
    QVERIFY(rest.complete && fs::exists(rest.tests[3].file));
  }

  void addedDelaysAreRunFromTheLeast() {
    Json document = springDocument();
    setValue(document, "/analysis/face/values=[0.004, 0, 0.002, 0.001]");
    const std::vector<double> expected = {0.0, 0.001, 0.002, 0.004};
    QCOMPARE(planFace(project(document)).values, expected);
  }
  void gainsInAWrongOrderAreTold() {
    Json document = springDocument();
    setValue(document, "/analysis/face/pointers=[\"/rig/actuators/0/position_gain_per_s\"]");
    setValue(document, "/analysis/face/values=[50, 90, 80, 70]");
    const FaceReport report = runFace(project(document), file("order.h5")).report;
    QCOMPARE(report.missing.size(), std::size_t{1});
    QVERIFY2(QString::fromStdString(report.missing.front()).contains("less error"), report.missing.front().c_str());
  }

  /// The first STOP ramps, the second ends the test that runs in the rig's own safe state; no test comes after it.
  void theSecondStopEndsTheRunningTestAtOnce() {
    Json document = springDocument();
    setValue(document, "/loop/duration_s=300");
    setValue(document, "/safety/stop_ramp_s=60");
    setValue(document, "/recording/flush_s=0.1");
    setValue(document, "/analysis/face/values=[0, 0.002, 0.004, 0.006]");
    StopToken stop;
    FaceOptions options;
    options.paced = true;
    options.runs = file("stopped-runs");
    options.stop = &stop;
    const auto ticks = [&] {  // a STOP before the first tick ends the test without a ramp
      try {
        return RunFileReader(options.runs / "test-000.h5").info().rows > 0;
      } catch (const DeviceError&) {
        return false;
      }
    };
    const FaceSummary summary = runFace(project(document), file("stopped.h5"), options, [&](const FaceProgress&) {
      if (stop.presses() == 1 || (stop.presses() == 0 && ticks())) stop.press();
      return true;
    });
    QVERIFY(summary.cancelled);
    QCOMPARE(stop.presses(), 2);
    const RunFileReader run(options.runs / "test-000.h5");
    std::vector<int> stops;
    for (const RecordedEvent& event : run.events())
      if (event.code == static_cast<int>(EventCode::operator_stop)) stops.push_back(event.index);
    QVERIFY2(std::ranges::count(stops, kStopAtOnce) == 1, run.info().stop_reason.c_str());
    QVERIFY(!fs::exists(options.runs / "test-001.h5"));
  }

  /// Nobody can press Resume: a limit that holds would hold the campaign for ever.
  void limitsThatHoldEndTheTest() {
    Json document = springDocument();
    setValue(document, "/analysis/face/values=[0, 0.002, 0.004, 0.006]");
    setValue(document, "/safety/limits/0/threshold_m=0.003");
    setValue(document, "/safety/limits/0/action=hold");
    const FaceReport memory = runFace(project(document), file("held.h5")).report;
    FaceOptions options;
    options.runs = file("held-runs");
    const FaceReport kept = runFace(project(document), file("held-kept.h5"), options).report;
    for (const FaceReport* report : {&memory, &kept}) {
      QVERIFY(report->complete && report->tests.front().status == RunStatus::stopped);
      const QString why = QString::fromStdString(report->tests.front().message);
      QVERIFY2(why.contains("displacement") && why.contains("nobody can resume"), qPrintable(why));
    }
  }

  void runFilesGiveTheSameNumbers() {
    Json document = springDocument();
    setValue(document, "/analysis/face/values=[0, 0.002, 0.004, 0.006]");
    FaceOptions options;
    options.runs = file("runs");
    const FaceReport kept = runFace(project(document), file("kept.h5"), options).report;
    const FaceReport memory = runFace(project(document), file("memory.h5")).report;
    QCOMPARE(kept.tests.size(), std::size_t{4});
    for (std::size_t t = 0; t < 4; ++t) {
      QVERIFY(fs::exists(kept.tests[t].file));
      QCOMPARE(kept.tests[t].quantity, memory.tests[t].quantity);
      QCOMPARE(kept.tests[t].errors[0], memory.tests[t].errors[0]);
    }
  }

 private:
  fs::path file(const char* name) const { return fs::path(folder_->path().toStdString()) / name; }
  std::unique_ptr<QTemporaryDir> folder_;
};

HYB_SUITE(study_face, FaceCampaignSuite)
HYB_THREADS(study_face, cancelledAndTakenUp, runFilesOfOthersAreKept)
#include "face_campaign_test.moc"
