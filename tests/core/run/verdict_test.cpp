/// Three words about a run: how it ended, whether its data are whole, whether it was a good test.
#include <QTemporaryDir>
#include <algorithm>
#include <atomic>
#include <thread>

#include "core/assess/metrics.h"
#include "core/record/finish.h"
#include "core/record/run_file_reader.h"
#include "core/run/test_run.h"
#include "core/run/verdict.h"
#include "tests/support/set_clock.h"
#include "tests/support/suite.h"
#include "tests/support/uncompensated.h"

using namespace hyb;

namespace {

Project project(const char* name, const std::vector<std::string>& changes = {}) {
  Json document = templateDocument(name);
  for (const std::string& change : changes) setValue(document, change);
  return parseProject(document);
}

QString text(const Verdict& verdict) { return QString::fromStdString(verdictJson(verdict).dump(2)); }

bool says(const Verdict& verdict, const char* word) {
  return std::any_of(verdict.reasons.begin(), verdict.reasons.end(),
                     [&](const std::string& reason) { return reason.find(word) != std::string::npos; });
}

/// A clock that costs no time up to where the test holds it.
class HeldClock final : public Clock {
 public:
  std::int64_t nowNs() noexcept override { return now_ns_; }
  int sleepUntilNs(std::int64_t wake_ns) noexcept override {
    for (std::int64_t end = end_ns_; end < wake_ns; end = end_ns_) end_ns_.wait(end);
    now_ns_ = std::max(now_ns_.load(), wake_ns);
    return 0;
  }
  void goOnFor(double seconds) {
    end_ns_ += std::llround(1e9 * seconds);
    end_ns_.notify_all();
  }

 private:
  std::atomic<std::int64_t> now_ns_{1'000'000'000}, end_ns_{now_ns_.load()};
};

}  // namespace

class VerdictTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::filesystem::path file(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }
  RunResult run(const Project& asked, const char* name) {
    TestRun test(asked, {Pace::free_run, file(name), {}, {}, false, false});
    test.arm();
    test.start();
    return test.finish();
  }

 private Q_SLOTS:
  void threeMassAsShippedIsGood() {
    const RunResult result = run(project("three-mass"), "good.h5");
    QVERIFY2(result.verdict.test == Grade::good, qPrintable(text(result.verdict)));
    QCOMPARE(result.verdict.ended, EndReason::completed);
    QVERIFY(result.verdict.whole());
    QVERIFY(says(result.verdict, "stays within the tolerance"));
  }

  /// At its end little more than the noise of the sensors is left of the motion, and its removed part is not its
  /// specimen, which makes the error against the uncut structure one of the cut.
  void twoActuatorsAsShippedAreGood() {
    const Verdict verdict = run(project("marths"), "two.h5").verdict;
    QVERIFY2(verdict.test == Grade::good && says(verdict, "which is not judged"), qPrintable(text(verdict)));
  }

  /// It runs away and yet ends as planned, with whole data: what one word hid.
  void anUncompensatedBenchmarkIsPoor() {
    const RunResult result = run(parseProject(test::uncompensatedBenchmark()), "poor.h5");
    const Verdict& verdict = result.verdict;
    QCOMPARE(verdict.ended, EndReason::completed);
    QCOMPARE(QString::fromStdString(verdict.data()), QString("whole"));
    QVERIFY2(verdict.test == Grade::poor, qPrintable(text(verdict)));
    for (const char* word : {"mm, tolerance", "(J2)", "(J4)", "the loop is unstable"})
      QVERIFY2(says(verdict, word), qPrintable(word + text(verdict)));
  }

  /// What a newcomer of that community sees first is a good test, in each case of the partition.
  void theBenchmarkAsShippedIsGood() {
    for (const char* name :
         {"benchmark-2020", "benchmark-2020-case-2", "benchmark-2020-case-3", "benchmark-2020-case-4"}) {
      const RunResult result = run(project(name), name);
      QVERIFY2(result.verdict.test == Grade::good, qPrintable(text(result.verdict)));
      const Json figures = metrics(RunFileReader(file(name)), {});
      QVERIFY(figures["interfaces"][0]["tracking_nrmse_percent"].get<double>() <
              3.0);  // 16 um of noise are 1.5 to 2.3 %
    }
  }
  /// Its sample controller keeps it stable, with less damping: it swings longer, and does not run away.
  void aBenchmarkWithItsControllerDoesNotRunAway() {
    const Verdict verdict = run(project("benchmark-2020-sample"), "late.h5").verdict;
    QVERIFY2(verdict.test == Grade::poor && says(verdict, "its damping is too low"), qPrintable(text(verdict)));
    QVERIFY2(!says(verdict, "the loop is unstable"), qPrintable(text(verdict)));
  }
  /// One that ran away until the actuator was as fast as it can be is not said to be damped less alone.
  void whatALimitHoldsMayHaveRunAway() {
    Json document = test::uncompensatedBenchmark();
    document["rig"]["actuators"][0]["velocity_limit_m_per_s"] = 0.05;
    document["safety"]["limits"] = Json::parse(  // else the command would be bounded
        R"([{"quantity": "command-rate", "threshold_m_per_s": 10, "action": "indicate"},
            {"quantity": "command-step", "threshold_m": 1, "action": "indicate"}])");
    document["loop"]["duration_s"] = 20.0;
    const Verdict verdict = run(parseProject(document), "held.h5").verdict;
    QVERIFY2(
        verdict.test == Grade::poor && (says(verdict, "a limit holds it") || says(verdict, "the loop is unstable")),
        qPrintable(text(verdict)));
  }

  /// The file, metrics and the result of the test say the same.
  void allPlacesSayTheSame() {
    for (const char* name : {"good.h5", "poor.h5"}) {
      const RunFileReader reader(file(name));
      const Verdict stored = reader.info().verdict;
      QCOMPARE(QString::fromStdString(metrics(reader, {})["verdict"].dump()),
               QString::fromStdString(verdictJson(stored).dump()));
      QCOMPARE(QString::fromStdString(reader.attribute("/", "ended")), QString("as-planned"));
    }
  }

  /// The masses swing to 1.46 mm. What there is to analyse before they reach the limit, at 1.8 s, is good.
  void limitsMakeItPoor() {
    const Verdict verdict =
        run(project("three-mass",
                    {R"(/safety/limits/0={"quantity":"displacement","threshold_m":0.0014,"action":"ramp"})",
                     "/analysis/start_s=1"}),
            "limit.h5")
            .verdict;
    QCOMPARE(verdict.ended, EndReason::limit);
    QVERIFY(verdict.whole());
    QVERIFY2(verdict.test == Grade::poor && says(verdict, "displacement"), qPrintable(text(verdict)));
    QVERIFY2(says(verdict, "stays within the tolerance"), qPrintable(text(verdict)));
    const Verdict stored = RunFileReader(file("limit.h5")).info().verdict;
    QVERIFY(stored.ended == EndReason::limit && stored.reasons == verdict.reasons);
  }

  void whatIsCutShortIsFairAtBest() {
    HeldClock clock;
    const test::SetPacing pacing(clock);
    TestRun test(project("three-mass"), {Pace::real_time, file("stopped.h5"), {}, {}, false, false});
    test.arm();
    test.start();
    clock.goOnFor(20.0);  // not a tick more before the stop has been asked for: the template lasts longer
    while (test.status().tick.load() < 19'900) std::this_thread::yield();
    test.requestStop();
    clock.goOnFor(60.0);
    const Verdict verdict = test.finish().verdict;
    QCOMPARE(verdict.ended, EndReason::operator_stop);
    QVERIFY2(verdict.test == Grade::fair && says(verdict, "cut short"), qPrintable(text(verdict)));
  }

  void aRunBeforeItsAnalysisSaysSo() {
    const Project asked =
        project("three-mass", {R"(/safety/limits/0={"quantity":"displacement","threshold_m":0.0005,"action":"stop"})"});
    const RunResult result = run(asked, "early.h5");
    QCOMPARE(result.reason, EndReason::limit);
    QVERIFY2(says(result.verdict, "Analysis > Start: 10 s"), qPrintable(text(result.verdict)));
    const Json figures = metrics(RunFileReader(file("early.h5")), {});
    QVERIFY(figures.at("too_short").get<std::string>().find("10 s") != std::string::npos);
    QVERIFY(figures["interfaces"][0]["tracking_nrmse_percent"].is_null());
    QVERIFY(!metrics(RunFileReader(file("good.h5")), {}).contains("too_short"));
  }

  /// Without a row nothing is known of the motion, whatever ended the test while it was armed.
  void aRunWithoutRowsIsUnknown() {
    const RunFileReader reader(file("good.h5"));
    RunRecord rows = recordOf(reader, {});
    rows.table.rows = 0;
    rows.ended = EndReason::limit;
    rows.stop_reason = "limit: force 1";
    const Verdict limited = judge(rows);
    QVERIFY2(limited.test == Grade::unknown && says(limited, "no row") && says(limited, "force 1"),
             qPrintable(text(limited)));
  }

  /// Without a reference nothing but growth and gap tell: here the gap is allowed, the growth is not missed.
  void growthCountsWhereNoReferenceIsKnown() {
    const RunFileReader reader(file("poor.h5"));
    RunRecord rows = recordOf(reader, {});
    rows.table.channels[placeOf(rows.table, ColumnRole::reference, 1)].role = ColumnRole::further;
    rows.project["analysis"]["gap_tolerance_m"] = 0.1;
    const Verdict verdict = judge(rows);
    QVERIFY2(says(verdict, "still grows"), qPrintable(text(verdict)));
    QVERIFY(!says(verdict, "(J4)"));
  }

  /// What a campaign found of the run counts like the run's own findings: the worst decides, FACE's sentence stands.
  void whatFaceFoundCounts() {
    const RunFileReader reader(file("good.h5"));
    RunRecord rows = recordOf(reader, {});
    QVERIFY(!says(judge(rows), "FACE"));
    for (const Grade grade : {Grade::good, Grade::fair, Grade::poor}) {
      rows.face = {grade, "the error-free test would give 1 mm."};
      const Verdict verdict = judge(rows);
      QVERIFY2(verdict.test == grade, qPrintable(text(verdict)));
      QVERIFY2(says(verdict, "FACE: the error-free test would give 1 mm."), qPrintable(text(verdict)));
    }
    // In the file too; a run that is poor by itself stays poor.
    for (const auto& [name, grade] : {std::pair{"good.h5", Grade::fair}, {"poor.h5", Grade::poor}}) {
      const std::filesystem::path judged = file("judged.h5");
      std::filesystem::copy_file(file(name), judged, std::filesystem::copy_options::overwrite_existing);
      recordFace(judged, {name == std::string("good.h5") ? Grade::fair : Grade::good, "not certain."});
      judgeFile(judged, {});
      const Verdict stored = RunFileReader(judged).info().verdict;
      QVERIFY2(stored.test == grade && says(stored, "FACE: not certain."), qPrintable(text(stored)));
    }
  }

  void missedPeriodsAndLostRowsAreNotWhole() {
    const RunFileReader reader(file("good.h5"));
    RunRecord rows = recordOf(reader, {});
    rows.rows_lost = 3;
    const std::size_t tick = placeOf(rows.table, ColumnRole::tick);
    rows.table.read = [tick, read = rows.table.read](std::size_t channel, std::uint64_t first, std::uint64_t count) {
      std::vector<double> values = read(channel, first, count);
      if (channel == tick)
        for (std::size_t k = 0; k < values.size(); ++k)
          if (first + k >= 15000) values[k] += 2.0;
      return values;
    };
    const Verdict verdict = judge(rows);
    QCOMPARE(QString::fromStdString(verdict.data()), QString("3 rows lost; 2 missed periods"));
    QVERIFY2(verdict.test == Grade::good, qPrintable(text(verdict)));
  }

  /// What is stored can be replaced; figures are judged anew.
  void storedVerdictsAreReplaced() {
    recordVerdict(file("limit.h5"), Verdict{});
    const Verdict replaced = RunFileReader(file("limit.h5")).info().verdict;
    QVERIFY(replaced.test == Grade::unknown && !replaced.whole());  // none is as planned before it is judged
    QVERIFY(metrics(RunFileReader(file("limit.h5")), {})["verdict"]["test"] == "poor");
  }
};

// Not HYB_THREADS: its threads are those of test_run.
HYB_SUITE(verdict, VerdictTest)
#include "verdict_test.moc"
