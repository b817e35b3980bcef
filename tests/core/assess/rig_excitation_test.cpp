// Tests that excite a rig to identify it: made from any project, refused before anything moves, and what they record is
// enough to find the twin's actuator again.
#include "core/assess/rig_excitation.h"
#include "core/assess/adopt_model.h"
#include "core/assess/preflight.h"
#include "core/assess/stability_report.h"
#include "core/identification/simulate.h"
#include "core/run/test_run.h"
#include "core/run/verdict.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

class RigExcitationTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Every template whose actuators are commanded a motion takes what is proposed for it, of every kind; of the others
  /// a sentence says why not.
  void everyTemplateCanBeExcited() {
    int excited = 0;
    for (const Template& entry : templates()) {
      const Project project = parseProject(templateDocument(entry.name));
      const AxisSignals& axis = project.axes.front();
      if (axis.command != SignalKind::displacement || axis.motion != SignalKind::displacement) {
        QVERIFY2(refusalOf(project, RigExcitation()).find("actuator") == 0, entry.name.c_str());
        continue;
      }
      RigExcitation asked = proposedExcitation(project, 0);
      QVERIFY2(asked.to_hz >= std::min(20.0, 0.05 * project.loop.rate_hz), entry.name.c_str());
      for (asked.kind = 0; asked.kind < rigExcitationKinds().size(); ++asked.kind) {
        RigExcitation once = asked;
        once.duration_s = 2.0 * once.period_s;
        const ExcitingTest test = excitingTest(project, once);
        const std::vector<Issue> issues = validate(test.document, project.folder);
        QVERIFY2(issues.empty(), issues.empty() ? "" : (entry.name + issues[0].where + issues[0].message).c_str());
        if (asked.kind != 0) continue;
        const RigForecast found = forecast(parseProject(test.document, project.folder), once);
        QVERIFY2(found.refusals.empty(), found.refusals.empty() ? "" : (entry.name + found.refusals[0]).c_str());
        QVERIFY2(found.used < 0.5, entry.name.c_str());
        ++excited;
      }
    }
    QVERIFY(excited >= 4);
  }

  void whatGoesTooFarIsRefusedBeforeItMoves() {
    const Project project = parseProject(templateDocument("force-shear-building"));
    const RigExcitation fine = proposedExcitation(project, 0);
    const auto refused = [&](RigExcitation asked, const char* words) {
      const RigForecast found = forecast(parseProject(excitingTest(project, asked).document), asked);
      std::string all;
      for (const std::string& sentence : found.refusals) all += sentence + "\n";
      QVERIFY2(all.find(words) != std::string::npos, (all + " lacks " + words).c_str());
    };
    RigExcitation far = fine, fast = fine, strong = fine;
    far.amplitude = 0.07;
    refused(far, "mm of stroke and has 63 mm");
    fast.amplitude = 0.02;
    refused(fast, "mm/s of velocity and has 300 mm/s");
    strong.to_hz = 1.0;
    strong.from_hz = 0.25;
    strong.amplitude = 0.025;
    refused(strong, "N of force and has 8900 N");
    refused(far, "This test ends early on the twin: limit:");

    const auto wrong = [&](auto&& change, const char* words) {
      RigExcitation asked = fine;
      change(asked);
      const std::string sentence = refusalOf(project, asked);
      QVERIFY2(sentence.find(words) != std::string::npos, sentence.c_str());
    };
    wrong([](RigExcitation& asked) { asked.to_hz = 3000.0; }, "band is 0.5 to 3000 Hz");
    wrong([](RigExcitation& asked) { asked.from_hz = 30.0; }, "band");
    wrong([](RigExcitation& asked) { asked.amplitude = 0.0; }, "amplitude is 0 mm; give more than 0 mm.");
    wrong([](RigExcitation& asked) { asked.axis = 1; }, "actuator is number 2, but the cut has 1");
    wrong([](RigExcitation& asked) { asked.duration_s = 0.0; }, "duration");
    wrong([](RigExcitation& asked) { asked.period_s = 0.01; }, "period");
    wrong([](RigExcitation& asked) { asked.period_s = 100.0; }, "period");
    const auto stepped = [&](auto&& change) {
      return [&](RigExcitation& asked) {
        while (!rigExcitationKinds()[asked.kind].steps) ++asked.kind;
        change(asked);
      };
    };
    wrong(stepped([](RigExcitation& asked) { asked.count = 1; }), "frequencies is 1, but the band has two ends");
    wrong(stepped([](RigExcitation& asked) { asked.periods = 1; }), "measured periods");
    wrong(stepped([](RigExcitation& asked) { asked.settle_s = 300.0; }), "duration is 6");
    bool asked_once = false;
    const RigForecast given_up = forecast(parseProject(excitingTest(project, fine).document), fine, [&] {
      asked_once = true;
      return false;
    });
    QVERIFY(asked_once && given_up.refusals.size() == 1);
  }

  /// The limits of the project watch it, save those on the gap and on columns of the scheme, which are named; nothing
  /// of the project's own test is left, and no loop is closed.
  void theTestKeepsTheLimitsOfTheProject() {
    Json document = templateDocument("force-shear-building");
    document["loop"]["force_source"] = "emulated";
    document["rig"]["faults"] = Json::array({{{"kind", "drift"}, {"value", 0.001}}});
    const Project project = parseProject(document);
    const ExcitingTest test = excitingTest(project, proposedExcitation(project, 0));
    QCOMPARE(test.unwatched, (std::vector<std::string>{"gap", "signal piston_target_1", "energy growth"}));
    QCOMPARE(test.document["safety"]["limits"].size(), document["safety"]["limits"].size() - 3);
    QVERIFY(!test.document["rig"].contains("faults") && !test.document["loop"].contains("force_source"));
    const Project exciting = parseProject(test.document);
    QCOMPARE(exciting.loop.rate_hz, project.loop.rate_hz);
    QVERIFY(exciting.rig.use == project.rig.use);
    const Json stability = stabilityReport(exciting);
    PreflightInput input{
        exciting, std::chrono::year_month_day{std::chrono::year{2026}, std::chrono::month{1}, std::chrono::day{1}}};
    input.stability = &stability;
    for (const PreflightItem& item : preflight(input))
      if (item.name == "stability") {
        QVERIFY(item.state == CheckState::ok);
        QVERIFY2(item.sentence.find("Nothing is computed from the measured values") == 0, item.sentence.c_str());
      }
  }

  void theSchemeSaysWhatIsWrong() {
    const Project project = parseProject(templateDocument("three-mass"));
    const Json sound = excitingTest(project, RigExcitation()).document;
    const auto wrong = [&](const char* pointer, const Json& value, const char* where, const char* words) {
      Json document = sound;
      document[Json::json_pointer(pointer)] = value;
      bool said = false;
      std::string all;
      for (const Issue& issue : validate(document)) {
        all += issue.where + " " + issue.message + "\n";
        said = said || (issue.where == where && issue.message.find(words) != std::string::npos);
      }
      QVERIFY2(said, all.c_str());
    };
    QVERIFY(validate(sound).empty());
    wrong("/coupling/interface", 3, "/coupling/interface", "is 3, but the cut has 2");
    wrong("/coupling/signal", 2, "/coupling/signal", "is 2, but /excitation/signals has 1");
    wrong("/compensation", project.document["compensation"], "/compensation", "set the method to \"none\"");
    wrong("/excitation/signals/0", {{"name", "push"}, {"kind", "sine"}, {"amplitude_n", 1}, {"frequency_hz", 1}},
          "/coupling/signal", "is a signal in N, but the command of");
  }

  /// From the excitation to the model in the project: the twin of three-mass finds its own servo again.
  void findsWhatItExcites() {
    const QTemporaryDir folder;
    const Project project = parseProject(templateDocument("three-mass"));
    RigExcitation asked = proposedExcitation(project, 1);
    asked.duration_s = 6.0 * asked.period_s;
    RunOptions options;
    options.pace = Pace::free_run;
    options.file = folder.filePath("excited.h5").toStdString();
    TestRun run(parseProject(excitingTest(project, asked).document), options);
    run.arm();
    run.start();
    const RunResult result = run.finish();
    QVERIFY(result.reason == EndReason::completed && result.verdict.test == Grade::unknown);
    QVERIFY2(result.verdict.reasons.front().find("excites the rig") != std::string::npos,
             result.verdict.reasons.front().c_str());
    const RunFileReader reader(options.file);
    // Once the fade is over that takes the other actuator from where it stood.
    const auto after = static_cast<std::uint64_t>(1.1 * project.loop.rate_hz), rows = after;
    const std::vector<double> command = reader.read("acquisition/command_2", after, rows);
    QCOMPARE(command, reader.read("acquisition/excitation_1", after, rows));
    QCOMPARE(command, reader.read("acquisition/target_2", after, rows));
    QCOMPARE(reader.read("acquisition/command_1", after, rows), std::vector<double>(rows, 0.0));
    IdentifyRun wanted;
    wanted.input = "command_2";
    wanted.output = "measured_2";
    if (!kThorough) wanted.spec.poles = 2;  // not looked for
    const RunIdentification found = identifyRun(recordOf(reader, folder.path().toStdString()), wanted);
    QVERIFY(found.found.method == ResponseMethod::periods && found.found.model.has_value());
    const double w = std::sqrt(found.found.model->denominator.front());
    compareRelative(w / (2.0 * std::numbers::pi), 26.6, 5e-3, "natural frequency, Hz");

    // Only what is chosen gets the model.
    Json other = project.document;
    other["rig"]["actuators"][1]["natural_frequency_hz"] = 45;
    const AdoptedModel twin = adoptModel(other, {}, found, {true, false}),
                       none = adoptModel(other, {}, found, {false, true});
    QVERIFY(!twin.changes.empty() && twin.changes.front().pointer.starts_with("/rig/actuators/1/"));
    QVERIFY(none.changes.empty() && none.document == other);
    QVERIFY(!modelFigures(found.found).empty());

    // A watch ends it, whatever it is about to do.
    int steps = 0;
    bool shares = true;
    IdentifyRun watched = wanted;
    watched.spec.watch = [&](double done) {
      shares = shares && done >= 0.0 && done <= 1.0;
      return ++steps < 20;
    };
    QVERIFY_THROWS_EXCEPTION(IdentificationCancelled,
                             identifyRun(recordOf(reader, folder.path().toStdString()), watched));
    QVERIFY(steps == 20 && shares);
  }

  /// A sprung actuator stays one.
  void theSpringOfTheTwinStays() {
    if (!kThorough) return;  // the way is that of what it excites
    const QTemporaryDir folder;
    const Project project = parseProject(templateDocument("force-shear-building"));
    RigExcitation asked = proposedExcitation(project, 0);
    asked.duration_s = 6.0 * asked.period_s;
    RunOptions options;
    options.pace = Pace::free_run;
    options.file = folder.filePath("excited.h5").toStdString();
    TestRun run(parseProject(excitingTest(project, asked).document), options);
    run.arm();
    run.start();
    QVERIFY(run.finish().reason == EndReason::completed);
    const RunFileReader reader(options.file);
    const RunIdentification found = identifyRun(recordOf(reader, folder.path().toStdString()), {});
    const AdoptedModel adopted = adoptModel(project.document, {}, found);
    const Json& actuator = adopted.document["rig"]["actuators"][0];
    QVERIFY(actuator["model"] != "servo-hydraulic");
    QVERIFY(actuator["spring"] == project.document["rig"]["actuators"][0]["spring"]);
    // The published model of the plant, section 4.3.5, is about as good an inverse.
    const Json& found_model = adopted.document["compensation"];
    QVERIFY(found_model["denominator"] != project.document["compensation"]["denominator"]);
    const double gain = found_model["numerator"].get<double>() / found_model["denominator"].back().get<double>();
    compare(gain, 0.99, 0.01, "gain at rest");
  }

 private:
  static std::string refusalOf(const Project& project, const RigExcitation& asked) {
    try {
      excitingTest(project, asked);
    } catch (const InputError& error) {
      return error.issues().front().where + " " + error.issues().front().message;
    }
    return "";
  }
};

// Not HYB_THREADS: its threads are those of test_run.
HYB_SUITE(rig_excitation, RigExcitationTest)
#include "rig_excitation_test.moc"
