#include <QProcess>
#include <QTemporaryDir>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "core/assess/metrics.h"
#include "core/base/allocation_guard.h"
#include "core/record/recorder.h"
#include "core/run/build.h"
#include "core/run/director_thread.h"
#include "core/run/replay.h"
#include "core/run/test_run.h"
#include "tests/support/issues.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"
#include "tests/support/streamed_run.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

namespace fs = std::filesystem;

std::string projectFile() { return std::string(kSourceDir) + "/tests/data/projects/three-mass-trials.json"; }

/// From the first pause on a sensor drifts: each trial is worse than the one before.
constexpr const char* kDriftsAway = R"(/rig/faults=[{"kind": "drift", "from_s": 2.5, "value": 5e-5, "interface": 1}])";

Json documentWith(const std::vector<std::string>& changes) {
  Json document = loadDocument(projectFile());
  for (const std::string& change : changes) setValue(document, change);
  return document;
}
Project projectWith(const std::vector<std::string>& changes) { return parseProject(documentWith(changes)); }

/// Three trials of the template whose compensation learns from one to the next.
Json learningDocument() {
  Json document = templateDocument("contact-ilc");
  document["loop"]["trials"]["count"] = 3;
  document["analysis"]["start_s"] = 0;
  return document;
}

RunResult record(const Project& project, const fs::path& file, const BeginWith& begin_with = {}) {
  RunOptions options{Pace::free_run, file, {}, {}, false, {}};
  options.begin_with = begin_with;
  TestRun run(project, options);
  run.arm();
  run.start();
  return run.finish();
}

std::vector<double> column(const RunFileReader& run, const std::string& name) { return run.read("segments/" + name); }

std::vector<RecordedEvent> eventsOf(const RunFileReader& run, EventCode code) {
  std::vector<RecordedEvent> found;
  for (const RecordedEvent& event : run.events())
    if (event.code == static_cast<int>(code)) found.push_back(event);
  return found;
}

/// The last value of an adapted quantity up to a tick.
double adaptedAt(const RunFileReader& run, const std::string& name, double tick) {
  const auto ticks = run.read("adaptation/" + name + "/tick"), values = run.read("adaptation/" + name + "/value");
  double value = std::nan("");
  for (std::size_t k = 0; k < ticks.size() && ticks[k] <= tick; ++k) value = values[k];
  return value;
}

/// As another program sees a file that may not be there yet: all that was recorded up to the fourth trial.
bool threeTrialsAreIn(const fs::path& file) {
  try {
    const RunFileReader run(file);
    const auto hold = [&](const std::vector<std::string>& names, const std::string& group, std::size_t count) {
      return !names.empty() && std::ranges::all_of(names, [&](const std::string& name) {
        return run.read(group + name).size() >= count;
      });
    };
    return hold(run.info().acquisition, "acquisition/", 5200) && hold(run.info().segments, "segments/", 3);
  } catch (const DeviceError&) {
    return false;
  }
}

/// Runs into the fourth trial and stays there, until it is killed.
int runIntoTheFourthTrial(const char* project_file, const char* path) {
  const Project project = parseProject(loadDocument(project_file));
  const std::unique_ptr<Loop> loop = buildLoop(project);
  Recorder recorder(path, buildHeader(project), loop->layout(), loop->eventNames(), project.loop.rate_hz, 60.0, 0.05);
  loop->attachRecorder(&recorder.rows(), &recorder.events(), &recorder.failedFlag());
  loop->attachSegments(&recorder.segments());
  loop->arm();
  loop->post({Request::Kind::start, -1, 0.0, {}});
  for (int k = 0; k < 5500; ++k) {
    while (recorder.rows().freeRows() == 0) std::this_thread::yield();
    if (!loop->tick(1)) return 1;
  }
  (void)std::getchar();  // nobody writes
  return 1;
}
const ChildJob fourth_trial("--fourth-trial", [](int argc, char** argv) {
  return argc == 4 ? runIntoTheFourthTrial(argv[2], argv[3]) : 2;
});

}  // namespace

class TrialsRunTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  fs::path file(const std::string& name) const { return fs::path(folder_.path().toStdString()) / name; }

 private Q_SLOTS:
  void theErrorFallsWhileWhatWasLearntIsKept() {
    const RunResult result = record(projectWith({}), file("falls.h5"));
    QCOMPARE(result.reason, EndReason::completed);
    QCOMPARE(result.stop_reason, std::string("completed"));
    QVERIFY(result.complete && result.valid);
    const RunFileReader run(file("falls.h5"));
    QCOMPARE(column(run, "trial"), (std::vector<double>{1, 2, 3, 4, 5}));
    QCOMPARE(column(run, "whole"), std::vector<double>(5, 1.0));
    QCOMPARE(column(run, "first_tick"), (std::vector<double>{0, 3001, 6001, 9001, 12001}));
    QCOMPARE(column(run, "last_tick"), (std::vector<double>{2000, 5000, 8000, 11000, 14000}));
    const auto errors = column(run, "tracking_nrmse_percent");
    // The second begins with what the first has learnt, and there is hardly more to learn.
    for (std::size_t t = 1; t < 5; ++t) QVERIFY2(errors[t] < 0.5 * errors[0], qPrintable(QString::number(errors[t])));
    const auto begins = column(run, "prediction_1"), ends = column(run, "last_tick");
    for (std::size_t t = 1; t < 5; ++t) QCOMPARE(begins[t], adaptedAt(run, "prediction_1", ends[t - 1]));
    QVERIFY(begins[0] == 6.0 && begins[4] > 7.0);
    // Once more from the rows themselves.
    for (std::size_t t = 0; t < 5; ++t)
      for (const char* i : {"1", "2"}) {
        const auto from = static_cast<std::uint64_t>(t == 0 ? 1 : column(run, "first_tick")[t]);
        const auto gap = run.read(std::string("acquisition/gap_") + i, from, 2000),
                   target = run.read(std::string("acquisition/target_") + i, from, 2000);
        double gaps = 0.0, targets = 0.0;
        for (std::size_t k = 0; k < 2000; ++k) gaps += gap[k] * gap[k], targets += target[k] * target[k];
        const double percent = 100.0 * std::sqrt(gaps / targets);
        QVERIFY(std::abs(column(run, std::string("tracking_nrmse_percent_") + i)[t] - percent) < 1e-9 * percent);
      }
    for (const std::string& name : run.info().segments)
      QVERIFY2(!run.attribute("segments/" + name, "long_name").empty() &&
                   !run.attribute("segments/" + name, "description").empty(),
               name.c_str());
    QCOMPARE(run.attribute("segments/gap_rms_2", "units"), std::string("m"));
    QCOMPARE(run.attribute("segments/prediction_1", "units"), std::string("ticks"));
  }

  void risesEndTheTrialsAndTheBestIsPutBack() {
    const Project project = projectWith({kDriftsAway, "/loop/trials/stop_after_rises=2", "/loop/trials/count=9"});
    const RunResult result = record(project, file("rises.h5"));
    QCOMPARE(result.reason, EndReason::completed);
    QVERIFY(result.complete);
    QCOMPARE(result.stop_reason, std::string("completed after trial 3 of 9: the error rose 2 times in a row"));
    const RunFileReader run(file("rises.h5"));
    const auto errors = column(run, "tracking_nrmse_percent");
    QVERIFY(errors.size() == 3 && errors[0] < errors[1] && errors[1] < errors[2]);
    const auto stopped = eventsOf(run, EventCode::trials_stopped), restored = eventsOf(run, EventCode::learnt_restored);
    QCOMPARE(stopped.size(), std::size_t{1});
    QCOMPARE(stopped[0].index, static_cast<int>(TrialStop::rises));
    QCOMPARE(stopped[0].tick, std::uint64_t{8000});
    QCOMPARE(restored.size(), std::size_t{1});
    QCOMPARE(restored[0].index, 1);
    QCOMPARE(restored[0].value, errors[0]);
    for (const char* name : {"prediction_1", "prediction_2"}) {
      QVERIFY(adaptedAt(run, name, 7999.0) != column(run, name)[0]);
      QCOMPARE(adaptedAt(run, name, 1e9), column(run, name)[0]);
    }
    const Json figures = metrics(run, {});
    QCOMPARE(figures.at("best_trial").get<int>(), 1);
    QCOMPARE(figures.at("trials").size(), std::size_t{3});
    QCOMPARE(figures["trials"][2]["tracking_nrmse_percent"].get<double>(), errors[2]);
    QCOMPARE(figures["trials"][2]["last_tick"].get<int>(), 8000);
    QCOMPARE(figures["verdict"]["ended"].get<std::string>(), std::string("as-planned"));
    for (const Json& reason : figures["verdict"]["reasons"])
      QVERIFY(reason.get<std::string>().find("cut short") == std::string::npos);
  }

  void aSmallErrorEndsTheTrials() {
    record(projectWith({}), file("all.h5"));
    const auto errors = column(RunFileReader(file("all.h5")), "tracking_nrmse_percent");
    const double bound = 0.5 * (errors[0] + errors[1]);
    const RunResult result =
        record(projectWith({"/loop/trials/stop_below_percent=" + std::to_string(bound)}), file("below.h5"));
    QVERIFY(QString::fromStdString(result.stop_reason).startsWith("completed after trial 2 of 5: its error is below"));
    const RunFileReader run(file("below.h5"));
    QCOMPARE(column(run, "tracking_nrmse_percent"), std::vector<double>(errors.begin(), errors.begin() + 2));
    QVERIFY(eventsOf(run, EventCode::learnt_restored).empty());  // the last was the best
  }

  void theNextTestBeginsWithTheBest() {
    const RunResult result = record(projectWith({}), file("learns.h5"));
    const RunFileReader run(file("learns.h5"));
    const auto errors = column(run, "tracking_nrmse_percent");
    QVERIFY(result.best_trial.has_value());
    const BestTrial& best = *result.best_trial;
    const auto t = static_cast<std::size_t>(best.trial - 1);
    QCOMPARE(best.error_percent, errors[t]);
    QCOMPARE(best.error_percent, *std::min_element(errors.begin(), errors.end()));
    QVERIFY(t > 0);
    QCOMPARE(best.learnt, (std::vector<double>{column(run, "prediction_1")[t], column(run, "gain_1")[t],
                                               column(run, "prediction_2")[t], column(run, "gain_2")[t]}));
    const RunResult next = record(projectWith({}), file("next.h5"), {best.learnt, "trial 9 of learns.h5"});
    QCOMPARE(next.reason, EndReason::completed);
    const RunFileReader after(file("next.h5"));
    QVERIFY(after.info().begun_with_learnt && !run.info().begun_with_learnt);
    QCOMPARE(after.read("config/learnt"), best.learnt);
    QCOMPARE(after.attribute("config", "begun_with"), std::string("trial 9 of learns.h5"));
    for (const char* name : {"prediction_1", "gain_1", "prediction_2", "gain_2"})
      QCOMPARE(column(after, name)[0], column(run, name)[t]);
    // Its first trial is the best one of before, but for the noise of the sensors and how the specimen stood.
    QVERIFY(std::abs(column(after, "tracking_nrmse_percent")[0] - errors[t]) < 0.1 * errors[t]);
    const ReplayReport report = replay(after, {{}, {}, file("next-again.h5")});
    QVERIFY2(report.exact(), report.early_end.c_str());
    QCOMPARE(RunFileReader(file("next-again.h5")).read("config/learnt"), best.learnt);
    EXPECT_ISSUE(issuesOf([&] {
                   record(projectWith({}), file("never.h5"), {{1.0, 2.0}, "another compensation"});
                 }),
                 "/compensation", "4 numbers");
    QVERIFY(!fs::exists(file("never.h5")));
  }

  void additionsArePutBackToo() {
    const RunResult result =
        record(projectWith({R"(/compensation={"method":"none","additions":[{"addition":"fir","taps":7}]})",
                            "/loop/trials/count=2"}),
               file("fir.h5"));
    QVERIFY(result.best_trial.has_value());
    QCOMPARE(result.best_trial->learnt.size(), std::size_t{14});
    QCOMPARE(result.best_trial->trial, 2);
    QVERIFY(std::any_of(result.best_trial->learnt.begin(), result.best_trial->learnt.end(),
                        [](double value) { return value != 0.0; }));
  }

  /// Learning and passivity control together, through a whole trial that uses what was learnt.
  void ticksOfTheTemplateAllocateNothing() {
    StreamedRun run(learningDocument());
    QVERIFY(run.runTo(5.5));
    QVERIFY(run["ilc_largest_1"] > 0.0);
    const AllocationGuard guard;
    for (int k = 0; k < 3000; ++k) run.loop().tick(1);
    QCOMPARE(guard.count(), std::uint64_t{0});
  }

  void replayIsExact() {
    const Project project = projectWith({kDriftsAway, "/loop/trials/stop_after_rises=2"});
    record(project, file("once.h5"));
    const RunFileReader once(file("once.h5"));
    const ReplayReport report = replay(once, {{}, {}, file("again.h5")});
    QVERIFY2(report.exact(), report.early_end.c_str());
    QCOMPARE(report.rows, once.info().rows);
    const RunFileReader again(file("again.h5"));
    QVERIFY(!once.info().segments.empty());
    QCOMPARE(again.info().segments, once.info().segments);
    for (const std::string& name : once.info().segments) QCOMPARE(column(again, name), column(once, name));
    const auto events = once.events(), replayed = again.events();
    QCOMPARE(replayed.size(), events.size());
    for (std::size_t e = 0; e < events.size(); ++e) {
      QCOMPARE(replayed[e].tick, events[e].tick);
      QCOMPARE(replayed[e].message, events[e].message);
    }
  }

  void oneTrialIsTheOrdinaryTestBitForBit() {
    Json plain = documentWith({});
    plain["loop"].erase("trials");
    plain["loop"]["duration_s"] = 2;
    record(parseProject(plain), file("plain.h5"));
    record(projectWith({"/loop/trials/count=1", "/loop/trials/pause_s=0"}), file("one.h5"));
    const RunFileReader ordinary(file("plain.h5")), one(file("one.h5"));
    QVERIFY(ordinary.info().segments.empty());
    QCOMPARE(one.info().acquisition, ordinary.info().acquisition);
    for (const std::string& name : ordinary.info().acquisition) {
      const auto a = ordinary.read("acquisition/" + name), b = one.read("acquisition/" + name);
      QCOMPARE(a.size(), b.size());
      for (std::size_t k = 0; k < a.size(); ++k)
        QVERIFY2(std::bit_cast<std::uint64_t>(a[k]) == std::bit_cast<std::uint64_t>(b[k]), name.c_str());
    }
    QCOMPARE(column(one, "trial").size(), std::size_t{1});
  }

  /// What is worked out beside the ticks makes the next trial wait where it is late, and the same trial in the end.
  void aLateLessonMakesTheNextTrialWait() {
    const Project project = parseProject(learningDocument());
    const auto run = [&](const char* name, bool late, bool teacher) {
      const std::unique_ptr<Loop> loop = buildLoop(project);
      Recorder recorder(file(name), buildHeader(project), loop->layout(), loop->eventNames(), project.loop.rate_hz,
                        60.0, 1.0);
      loop->attachRecorder(&recorder.rows(), &recorder.events(), &recorder.failedFlag());
      loop->attachSegments(&recorder.segments());
      loop->arm();
      loop->post({Request::Kind::start, -1, 0.0, {}});
      std::optional<DirectorThread> beside;
      if (teacher)
        beside.emplace(*loop);
      else if (late)
        loop->workElsewhere();
      for (int k = 0; loop->tick(1); ++k) {
        while (recorder.rows().freeRows() == 0) std::this_thread::yield();
        // The pauses are over at 5000 and 10,301; each trial begins 300 later.
        if (late && (k == 5300 || k == 10'600)) loop->workForDirector();
      }
      recorder.close({true, true, "completed"});
      return loop->endReason();
    };
    QCOMPARE(run("ready.h5", false, false), EndReason::completed);
    QCOMPARE(run("late.h5", true, false), EndReason::completed);
    QCOMPARE(run("beside.h5", false, true), EndReason::completed);
    const RunFileReader ready(file("ready.h5"));
    QVERIFY(eventsOf(ready, EventCode::trial_late).empty());
    const auto errors = column(ready, "tracking_nrmse_percent");
    QVERIFY(errors.size() == 3 && errors[2] < 0.5 * errors[0]);
    for (const char* name : {"late.h5", "beside.h5"}) {
      const RunFileReader waited(file(name));
      const auto found = column(waited, "tracking_nrmse_percent");
      QCOMPARE(found.size(), errors.size());  // the rig has rested for longer: not the very same
      for (std::size_t t = 0; t < errors.size(); ++t) QVERIFY(std::abs(found[t] / errors[t] - 1.0) < 1e-4);
      QCOMPARE(eventsOf(waited, EventCode::trial_late).size(), eventsOf(waited, EventCode::trial_ready).size());
      const ReplayReport again = replay(waited);
      QVERIFY2(again.exact(), again.early_end.c_str());
      QCOMPARE(again.rows, waited.info().rows);
    }
    const RunFileReader late(file("late.h5"));
    const auto waits = eventsOf(late, EventCode::trial_late), begins = eventsOf(late, EventCode::trial_ready);
    QVERIFY(waits.size() == 2 && waits[0].index == 2 && waits[1].index == 3);
    for (std::size_t e = 0; e < 2; ++e) {
      QVERIFY(begins[e].value > 0.0);
      QCOMPARE(static_cast<double>(begins[e].tick - waits[e].tick), begins[e].value);
      QCOMPARE(static_cast<double>(begins[e].tick), column(late, "first_tick")[e + 1]);
    }
    // It waits at rest.
    for (const double command : late.read("acquisition/command_1", waits[0].tick, 100)) QCOMPARE(command, 0.0);
  }

  void whatDoesNotFitIsNamed() {
    const auto issues = [](const std::vector<std::string>& changes) { return validate(documentWith(changes)); };
    QVERIFY(issues({}).empty());
    QVERIFY(issues({"/loop/duration_s=14"}).empty());
    EXPECT_ISSUE(issues({"/loop/duration_s=30"}), "/loop/duration_s", "14 s");
    EXPECT_ISSUE(issues({"/loop/trials/pause_s=0.4"}), "/loop/trials/pause_s", "0.5 s");
    EXPECT_ISSUE(issues({"/loop/trials/length_s=0.9"}), "/loop/soft_end_s", "/loop/trials/length_s");
    EXPECT_ISSUE(issues({"/loop/trials/length_s=0.01", "/loop/soft_start_s=0", "/loop/soft_end_s=0"}),
                 "/loop/trials/length_s", "16 ticks");
    EXPECT_ISSUE(issues({R"(/analysis/face={"quantity":{"kind":"peak"}})"}), "/loop/trials", "FACE");
    EXPECT_ISSUE(issues({"/loop/trials/count=0"}), "/loop/trials/count", "");
    EXPECT_ISSUE(issues({"/analysis/start_s=14"}), "/analysis/start_s", "14 s");
    EXPECT_ISSUE(issues({"/loop/measured_from_s=3"}), "/loop/measured_from_s", "/loop/trials/length_s");
    QVERIFY(issues({"/analysis/start_s=13", "/loop/measured_from_s=1"}).empty());
    EXPECT_ISSUE(issuesOf([] {
                   TestRun(projectWith({}), {Pace::free_run, {}, {}, 3.0, false, {}});
                 }),
                 "/loop/duration_s", "/loop/trials");
  }
};

/// Apart: the thread sanitizer bears no new process beside threads.
class TrialsKilledTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  fs::path file(const std::string& name) const { return fs::path(folder_.path().toStdString()) / name; }

 private Q_SLOTS:
  void aKilledRunKeepsTheTrialsThatWereDone() {
    const fs::path path = file("killed.h5"), project_file = file("long.json");
    saveDocument(documentWith({"/loop/trials/count=1000", "/loop/trials/length_s=1.2", "/loop/trials/pause_s=0.5"}),
                 project_file);
    QProcess victim;
    victim.start(
        QCoreApplication::applicationFilePath(),
        {"--fourth-trial", QString::fromStdString(project_file.string()), QString::fromStdString(path.string())});
    QVERIFY(comesTrue([&] { return threeTrialsAreIn(path); }));
    victim.kill();
    QVERIFY(victim.waitForFinished(kHangs_ms));
    QCOMPARE(victim.exitStatus(), QProcess::CrashExit);
    QVERIFY(recover(path).needed);
    const RunFileReader run(path);
    const auto trials = column(run, "trial"), ends = column(run, "last_tick");
    QCOMPARE(trials.size(), std::size_t{3});
    QVERIFY(ends.back() <= run.read("acquisition/tick").back());
    for (std::size_t t = 0; t < trials.size(); ++t) {
      QCOMPARE(trials[t], static_cast<double>(t + 1));
      QCOMPARE(ends[t], 1200.0 + 1700.0 * static_cast<double>(t));
    }
    for (const std::string& name : run.info().segments) QCOMPARE(column(run, name).size(), trials.size());
    record(projectWith({"/loop/trials/count=3", "/loop/trials/length_s=1.2", "/loop/trials/pause_s=0.5"}),
           file("whole.h5"));
    const auto whole = column(RunFileReader(file("whole.h5")), "tracking_nrmse_percent");
    const auto kept = column(run, "tracking_nrmse_percent");
    QVERIFY(std::equal(whole.begin(), whole.end(), kept.begin()));
    QVERIFY(replay(run).exact());
    QCOMPARE(metrics(run, {}).at("trials").size(), trials.size());
  }
};

HYB_SUITE(trials_run, TrialsRunTest)
HYB_THREADS(trials_run)
// Not HYB_THREADS: the thread sanitizer does not bear the child that is killed.
HYB_SUITE(trials_killed, TrialsKilledTest)
#include "trials_run_test.moc"
