/// What a trial of a recorded run began with, for another test: found again by a replay.
#include "core/run/learnt_start.h"

#include <QTemporaryDir>

#include "core/record/run_file_reader.h"
#include "core/run/test_run.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

Json learning(int trials) {
  Json document = templateDocument("contact-ilc");
  document["loop"]["trials"]["count"] = trials;
  document["analysis"]["start_s"] = 0;
  return document;
}

RunResult recorded(const Json& document, const std::string& file, const BeginWith& begin_with = {}) {
  RunOptions options;
  options.pace = Pace::free_run;
  options.file = file;
  options.begin_with = begin_with;
  TestRun run(parseProject(document), options);
  run.arm();
  run.start();
  return run.finish();
}

std::string whyNot(const std::string& file, int trial) {
  try {
    learntStartOf(file, trial);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

class LearntStartTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void anyTrialOfAFileCanBeBegunWith() {
    const QTemporaryDir folder;
    const std::string file = folder.filePath("first.h5").toStdString(), next = folder.filePath("next.h5").toStdString();
    const RunResult first = recorded(learning(4), file);
    QVERIFY(first.best_trial);
    const LearntStart best = learntStartOf(file);
    QCOMPARE(best.of.trial, first.best_trial->trial);
    QVERIFY(best.of.learnt == first.best_trial->learnt);  // to the last bit
    const LearntStart third = learntStartOf(file, 3);
    QCOMPARE(third.from, std::string("trial 3 of first.h5"));
    QVERIFY(startFault(third, parseProject(learning(2))).empty());
    recorded(learning(2), next, {third.of.learnt, third.from});
    const std::vector<double> before = RunFileReader(file).read("segments/tracking_nrmse_percent"),
                              after = RunFileReader(next).read("segments/tracking_nrmse_percent");
    // But for what the trial before has left of motion.
    test::compareRelative(after[0], before[2], 1e-4, "error of the first trial");
    test::compareRelative(after[1], before[3], 1e-4, "error of the second trial");
    // And of the file of the test that began so.
    QVERIFY(learntStartOf(next, 1).of.learnt == third.of.learnt);
  }

  void whatDoesNotFitIsTold() {
    const QTemporaryDir folder;
    const std::string file = folder.filePath("run.h5").toStdString(), once = folder.filePath("once.h5").toStdString();
    recorded(learning(2), file);
    recorded(templateDocument("contact-passivity"), once);
    QVERIFY2(whyNot(file, 7).find("no trial 7") != std::string::npos, whyNot(file, 7).c_str());
    QVERIFY2(whyNot(once, 0).find("ran once") != std::string::npos, whyNot(once, 0).c_str());
    Json other = learning(2);
    other["compensation"]["additions"][0]["cutoff_hz"] = 3;
    const std::string fault = startFault(learntStartOf(file), parseProject(other));
    QVERIFY2(fault.find("/compensation differs") != std::string::npos, fault.c_str());
  }

  /// A filter that lets through what grows (V-33): the rule ends the trials before a limit is hit, the file holds all
  /// of them, and the best is offered.
  void aDivergingCampaignIsStoppedByItsRule() {
    const QTemporaryDir folder;
    const std::string file = folder.filePath("run.h5").toStdString();
    Json document = learning(30);
    document["rig"]["actuators"][0]["velocity_feedforward"] = false;
    Json& addition = document["compensation"]["additions"][0];
    addition["proportional"] = 0.8;
    addition["derivative_s"] = 0.05;
    addition["cutoff_hz"] = 12;
    document["loop"]["trials"]["stop_after_rises"] = 2;
    const RunResult result = recorded(document, file);
    QVERIFY2(result.reason == EndReason::completed, result.stop_reason.c_str());
    QVERIFY2(result.stop_reason.find("the error rose 2 times in a row") != std::string::npos,
             result.stop_reason.c_str());
    const RunFileReader run(file);
    for (const RecordedEvent& event : run.events()) QVERIFY(event.code != static_cast<int>(EventCode::limit_hit));
    const std::vector<double> errors = run.read("segments/tracking_nrmse_percent");
    QVERIFY(errors.size() >= 3 && errors.size() < 30);
    QVERIFY(errors.back() > errors[errors.size() - 2]);
    const LearntStart best = learntStartOf(file);
    QCOMPARE(best.of.error_percent, *std::ranges::min_element(errors));
    QVERIFY(result.best_trial && best.of.learnt == result.best_trial->learnt);
  }
};

HYB_SUITE(learnt_start, LearntStartTest)
HYB_THREADS(learnt_start)
#include "learnt_start_test.moc"
