#include <bit>

#include "core/base/allocation_guard.h"
#include "core/compensation/adaptive_forward_prediction.h"
#include "tests/core/loop/loop_bench.h"
#include "tests/support/suite.h"
#include "tests/support/values.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr int kTrial = 1000, kPause = 300, kRamp = 100;  // ticks, of the bench

TrialSpec someTrials(int count) { return {count, 1.0, 0.3, 0, 0.0}; }

bool sameBits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// One trial of `director` with this error of its one interface, begun with `learnt`.
void runTrial(TrialDirector& director, int trial, double error_percent, double learnt) {
  director.begin(trial, 0);
  director.learnt()[0] = learnt;
  director.add(1, Eigen::VectorXd::Constant(1, 1.0), Eigen::VectorXd::Constant(1, 1.0 + 0.01 * error_percent));
  if (std::isnan(error_percent)) director.spoil();
  director.finish();
}

std::unique_ptr<Compensator> adaptivePrediction() {
  AdaptiveForwardPredictionParams params;
  params.prediction.points = 8;
  params.prediction.order = 2;
  params.prediction.prediction_ticks = Eigen::Vector2d(0.5, 0.5);
  params.prediction.gain = Eigen::Vector2d::Ones();
  params.prediction.max_prediction_ticks = 20.0;
  return makeAdaptiveForwardPrediction(params, 1e-3);
}

}  // namespace

class TrialsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void oneSegmentEndsAsTheDurationSays_data() {
    QTest::addColumn<double>("rate_hz");
    QTest::addColumn<double>("duration_s");
    for (const double rate_hz : {10.0, 1000.0, 1024.0, 4096.0, 19999.0})
      for (const double duration_s : {0.1, 1.0 / 3.0, 1.0, 2.0005, 29.99995, 604800.0})
        QTest::addRow("%g Hz %g s", rate_hz, duration_s) << rate_hz << duration_s;
  }
  void oneSegmentEndsAsTheDurationSays() {
    QFETCH(double, rate_hz);
    QFETCH(double, duration_s);
    const double step_s = 1.0 / rate_hz;
    const Programme programme(step_s, duration_s, {});
    const auto about = static_cast<std::int64_t>(duration_s * rate_hz);
    for (std::int64_t n = std::max<std::int64_t>(0, about - 3); n < about + 4; ++n)
      QCOMPARE(programme.over(n), static_cast<double>(n) * step_s > duration_s + 0.5 * step_s);
    QVERIFY(!Programme(step_s, 0.0, {}).over(std::int64_t{1} << 60));
  }

  void segmentsFollowOneAnother() {
    Programme programme(1e-3, 0.0, {3, 0.010, 0.004, 0, 0.0});
    QVERIFY(!programme.over(10 + 4 + 10 + 4 + 10) && programme.over(10 + 4 + 10 + 4 + 10 + 1));
    std::vector<int> trials;
    std::vector<bool> begins;
    for (int n = 1; n <= 38; ++n) {
      if (programme.advance()) begins.push_back(programme.now().at_rest);
      trials.push_back(programme.now().at_rest ? -programme.now().trial : programme.now().trial);
    }
    QCOMPARE(begins, (std::vector<bool>{true, false, true, false}));
    std::vector<int> expected(10, 1);
    for (const auto& [count, trial] : {std::pair(4, -1), std::pair(10, 2), std::pair(4, -2), std::pair(10, 3)})
      expected.insert(expected.end(), static_cast<std::size_t>(count), trial);
    QCOMPARE(trials, expected);
    QVERIFY(programme.atEndOfSegment() && programme.over(1) && !programme.over(0));
  }

  void errorsAreWhatTheyAreCalled() {
    TrialDirector director(someTrials(2), 2, 0);
    director.begin(1, 7);
    director.add(8, Eigen::Vector2d(3.0, 0.0), Eigen::Vector2d(3.375, 1.0));
    director.add(9, Eigen::Vector2d(4.0, 0.0), Eigen::Vector2d(3.5, 0.0));
    const TrialResult& result = director.finish();
    QCOMPARE(result.first_tick, std::uint64_t{7});
    QCOMPARE(result.last_tick, std::uint64_t{9});
    std::vector<double> row(trialColumns({"m", "m"}, {}).size());
    fillTrialRow(result, row);
    const double rest[] = {row[4], row[5], row[7], row[8], row[9], row[10]};
    const double expected[] = {12.5, 12.5, 0.625 / std::sqrt(2.0), 1.0 / std::sqrt(2.0), 0.5, 1.0};  // 0.625 of 5
    for (std::size_t c = 0; c < std::size(expected); ++c) QVERIFY(std::abs(rest[c] - expected[c]) < 1e-15);
    QVERIFY(std::isnan(row[6]));  // without a target there is no share of it
    QVERIFY(result.whole && !director.over());
  }

  void risesEndThemAndTheBestIsKept() {
    TrialSpec spec = someTrials(20);
    spec.stop_after_rises = 2;
    TrialDirector director(spec, 1, 1);
    const double errors[] = {20.0, 10.0, 12.0, 8.0, 9.0, kNan, 9.5};
    for (int t = 1; t <= 7; ++t) {
      QVERIFY(!director.over());
      runTrial(director, t, errors[t - 1], 100.0 + t);
    }
    QVERIFY(director.over());
    QCOMPARE(director.stop(), TrialStop::rises);
    QCOMPARE(director.stopValue(), 2.0);
    QCOMPARE(director.best(), 4);
    QVERIFY(std::abs(director.bestError_percent() - 8.0) < 1e-12);
    QVERIFY(director.worthRestoring());
    QCOMPARE(director.bestLearnt()[0], 104.0);
  }

  /// What has settled wavers by less than a hundredth.
  void settledTrialsGoOn() {
    TrialSpec spec = someTrials(20);
    spec.stop_after_rises = 2;
    TrialDirector director(spec, 1, 1);
    int t = 0;
    for (const double error : {20.0, 8.0, 8.01, 8.02, 8.05, 8.07}) {
      runTrial(director, ++t, error, 0.0);
      QVERIFY(!director.over());
    }
    runTrial(director, ++t, 8.10, 0.0);  // slowly, but it rises
    QVERIFY(!director.over());
    runTrial(director, ++t, 8.13, 0.0);
    QVERIFY(director.over() && director.stop() == TrialStop::rises);
  }

  void aSmallErrorEndsThemAndNothingIsPutBack() {
    TrialSpec spec = someTrials(20);
    spec.stop_below_percent = 9.0;
    TrialDirector director(spec, 1, 1);
    runTrial(director, 1, 9.5, 1.0);
    QVERIFY(!director.over());
    runTrial(director, 2, 8.5, 2.0);
    QVERIFY(director.over() && director.stop() == TrialStop::below && director.stopValue() == 9.0);
    QVERIFY(!director.worthRestoring());  // nothing was learnt after it
  }

  void theLastTrialEndsThemWithoutARule() {
    TrialDirector director(someTrials(2), 1, 1);
    runTrial(director, 1, 5.0, 1.0);
    runTrial(director, 2, 6.0, 2.0);
    QVERIFY(director.over() && director.stop() == TrialStop::none && director.worthRestoring());
    QCOMPARE(director.bestLearnt()[0], 1.0);
  }

  void oneTrialIsTheOrdinaryTestBitForBit() {
    Bench ordinary, trial({}, 1.0, 0.002, {}, {1, 1.0, 0.0, 0, 0.0});
    for (Bench* bench : {&ordinary, &trial}) {
      bench->rig->position = Eigen::Vector2d(1e-3, -2e-3);
      bench->start();
      bench->run(400);
      bench->loop->post({Request::Kind::hold, -1, 0.0, {}});
      bench->run(50);
      bench->loop->post({Request::Kind::resume, -1, 0.0, {}});
      bench->run();
    }
    const auto one = ordinary.takeRows(), other = trial.takeRows();
    QCOMPARE(one.size(), other.size());
    for (std::size_t k = 0; k < one.size(); ++k)
      for (std::size_t c = 0; c < one[k].size(); ++c) QVERIFY(sameBits(one[k][c], other[k][c]));
    QCOMPARE(trial.loop->endReason(), EndReason::completed);
  }

  void eachTrialIsTheSameTestFromRest() {
    Bench bench({}, 3.6, 0.002, {}, someTrials(3));
    bench.start();
    QCOMPARE(bench.run(), 3 * kTrial + 2 * kPause + 1 + kRamp - 1);
    QCOMPARE(bench.loop->endReason(), EndReason::completed);
    const RowLayout& layout = bench.loop->layout();
    const auto rows = bench.takeRows();
    for (std::size_t t = 1; t < 3; ++t)
      for (std::size_t k = 1; k <= kTrial; ++k)
        for (const std::size_t column : {layout.excitation(), layout.target(0), layout.target(1), layout.command(0),
                                         layout.measured(0), layout.gap(1), layout.reference(0)})
          QVERIFY(sameBits(rows[k][column], rows[t * (kTrial + kPause) + k][column]));
    double moved = 0.0;
    for (const auto& row : rows) moved = std::max(moved, std::abs(row[layout.target(0)]));
    QVERIFY(moved > 1e-3);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::size_t local = k % (kTrial + kPause);
      const bool pause = k < 3 * kTrial + 2 * kPause && (local > kTrial || (local == 0 && k > 0));
      const auto flags = static_cast<std::uint32_t>(rows[k][RowLayout::kFlags]);
      QCOMPARE((flags & kFlagBetweenTrials) != 0, pause);
      if (!pause) continue;
      QCOMPARE(rows[k][layout.excitation()], 0.0);
      QCOMPARE(rows[k][layout.reference(1)], 0.0);
      for (std::size_t i = 0; i < 2; ++i) {
        QVERIFY(sameBits(rows[k][layout.target(i)], rows[k][layout.command(i)]));
        QVERIFY(std::abs(rows[k][layout.command(i)]) <= std::abs(rows[k - 1][layout.command(i)]));
        if (local == 0 || local >= kTrial + kRamp) QCOMPARE(rows[k][layout.command(i)], 0.0);
      }
    }
  }

  void whatIsKeptOfATrialIsWhatItsRowsSay() {
    Bench bench({}, 3.6, 0.002, {}, someTrials(3));
    bench.start();
    bench.run();
    const RowLayout& layout = bench.loop->layout();
    const auto rows = bench.takeRows(), kept = Bench::take(*bench.segments);
    QCOMPARE(kept.size(), std::size_t{3});
    QCOMPARE(layout.mostSegments(), std::size_t{3});
    QCOMPARE(layout.segmentColumns()[5].name, std::string("tracking_nrmse_percent_1"));
    for (std::size_t t = 0; t < 3; ++t) {
      const double begins = t == 0 ? 0.0 : static_cast<double>(t * (kTrial + kPause) + 1);
      const double ends = static_cast<double>(t * (kTrial + kPause) + kTrial);
      QCOMPARE(std::vector<double>(kept[t].begin(), kept[t].begin() + 4),
               (std::vector<double>{static_cast<double>(t + 1), begins, ends, 1.0}));
      double largest = 0.0;
      for (std::size_t i = 0; i < 2; ++i) {
        double gaps = 0.0, targets = 0.0, peak = 0.0;
        for (auto k = static_cast<std::size_t>(ends) - kTrial + 1; k <= static_cast<std::size_t>(ends); ++k) {
          gaps += rows[k][layout.gap(i)] * rows[k][layout.gap(i)];
          targets += rows[k][layout.target(i)] * rows[k][layout.target(i)];
          peak = std::max(peak, std::abs(rows[k][layout.gap(i)]));
        }
        const double percent = 100.0 * std::sqrt(gaps / targets);
        largest = std::max(largest, percent);
        QVERIFY(percent > 1.0);
        QVERIFY(sameBits(kept[t][5 + i], percent));
        QVERIFY(sameBits(kept[t][7 + i], std::sqrt(gaps / kTrial)));
        QVERIFY(sameBits(kept[t][9 + i], peak));
      }
      QVERIFY(sameBits(kept[t][4], largest));
    }
    const auto done = bench.takeEvents(EventCode::trial_done);
    QCOMPARE(done.size(), std::size_t{3});
    QCOMPARE(done[1].index, 2);
    QCOMPARE(done[1].value, kept[1][4]);
    QCOMPARE(done[1].tick, static_cast<std::uint64_t>(kept[1][2]));
  }

  void theDisplayGetsTheSame() {
    Bench bench({}, 2.3, 0.002, {}, someTrials(2));
    RowRing shown(bench.loop->layout().segmentColumns().size(), 2);
    bench.loop->attachDisplay(bench.rows.get(), &bench.events, &shown);
    bench.start();
    bench.run();
    const auto kept = Bench::take(*bench.segments);
    QCOMPARE(kept.size(), std::size_t{2});
    QCOMPARE(Bench::take(shown), kept);
  }

  void aTestBeginsWithWhatItIsGiven() {
    Bench fresh({}, 2.3, 0.002, {}, someTrials(2), adaptivePrediction()),
        given({}, 2.3, 0.002, {}, someTrials(2), adaptivePrediction());
    const std::vector<double> learnt{2.5, 1.1, 3.5, 0.9};
    given.loop->beginWith(learnt);
    for (Bench* bench : {&fresh, &given}) {
      bench->start();
      bench->run();
      QCOMPARE(bench->loop->endReason(), EndReason::completed);
    }
    const auto of_fresh = Bench::take(*fresh.segments), of_given = Bench::take(*given.segments);
    const std::size_t adapted = of_given[0].size() - 4;
    QCOMPARE(std::vector<double>(of_given[0].begin() + static_cast<std::ptrdiff_t>(adapted), of_given[0].end()),
             learnt);
    QCOMPARE(of_fresh[0][adapted], 0.5);
    const auto best = given.loop->bestTrial();
    QVERIFY(best.has_value());
    const auto t = static_cast<std::ptrdiff_t>(best->trial - 1);
    const std::vector<double>& row = of_given[static_cast<std::size_t>(t)];
    QCOMPARE(best->learnt, std::vector<double>(row.begin() + static_cast<std::ptrdiff_t>(adapted), row.end()));
    QCOMPARE(best->error_percent, row[4]);
    bool refused = false;
    try {
      fresh.loop->beginWith({1.0});
    } catch (const InputError&) {
      refused = true;
    }
    QVERIFY(refused);
    Bench ordinary;
    QVERIFY(!ordinary.loop->bestTrial());
  }

  void missedPeriodsCarryOverEnds() {
    Bench punctual({}, 3.6, 0.002, {}, someTrials(3)), late({}, 3.6, 0.002, {}, someTrials(3));
    punctual.start();
    punctual.run();
    const auto rows = punctual.takeRows();
    const RowLayout& layout = punctual.loop->layout();
    late.start();
    late.run(kTrial - 9);  // ticks 0..990
    QVERIFY(late.loop->tick(30));
    auto seen = late.takeRows();
    QCOMPARE(seen.back()[RowLayout::kTick], kTrial + 20.0);  // 20 ticks into the pause, from where the command was
    QVERIFY((static_cast<std::uint32_t>(seen.back()[RowLayout::kFlags]) & kFlagBetweenTrials) != 0);
    const double share = 1.0 - cosineFade(0.020, 0.1).value;
    QVERIFY(std::abs(seen.back()[layout.command(0)] - share * seen[kTrial - 10][layout.command(0)]) < 1e-15);
    late.run(kPause - 30);
    QVERIFY(late.loop->tick(20));  // 10 ticks into the second trial
    seen = late.takeRows();
    QCOMPARE(seen.back()[RowLayout::kTick], kTrial + kPause + 10.0);
    QVERIFY(sameBits(seen.back()[layout.target(0)], rows[10][layout.target(0)]));
    late.run(kTrial - 20);
    QVERIFY(late.loop->tick(10 + kPause + 5));  // over a whole pause
    seen = late.takeRows();
    QVERIFY(sameBits(seen.back()[layout.target(0)], rows[5][layout.target(0)]));
    late.run(kTrial - 10);
    QVERIFY(late.loop->tick(50));  // beyond the last one
    late.run();
    QCOMPARE(late.loop->endReason(), EndReason::completed);
    const auto kept = Bench::take(*late.segments);
    QCOMPARE(kept.size(), std::size_t{3});
    const double ends[] = {kTrial - 10.0, 2.0 * kTrial + kPause - 10.0, 3.0 * kTrial + 2.0 * kPause - 5.0};
    for (std::size_t t = 0; t < 3; ++t) {
      QCOMPARE(kept[t][2], ends[t]);
      QCOMPARE(kept[t][3], 1.0);
    }
    QCOMPARE(kept[1][1], kTrial + kPause + 10.0);
  }

  void aTrialThatWasHeldOrCutShortDoesNotCount() {
    Bench bench({}, 3.6, 0.002, {}, someTrials(3));
    bench.start();
    bench.run(kTrial + kPause + 500);
    bench.loop->post({Request::Kind::hold, -1, 0.0, {}});
    bench.run(40);
    QCOMPARE(bench.state(), State::holding);
    bench.loop->post({Request::Kind::resume, -1, 0.0, {}});
    bench.run(kRamp + 500 + kPause + 400);  // the excitation's clock stood meanwhile
    QCOMPARE(bench.loop->status().trial.load(), 3);
    bench.loop->requestStop();
    bench.run();
    QCOMPARE(bench.loop->endReason(), EndReason::operator_stop);
    const auto kept = Bench::take(*bench.segments);
    QCOMPARE(kept.size(), std::size_t{3});
    QCOMPARE((std::vector<double>{kept[0][3], kept[1][3], kept[2][3]}), (std::vector<double>{1.0, 0.0, 0.0}));
    const auto done = bench.takeEvents(EventCode::trial_done);
    QVERIFY(!std::isnan(done[0].value) && std::isnan(done[1].value) && std::isnan(done[2].value));
    QCOMPARE(done[2].severity, Severity::warning);
  }

  void aHoldInAPauseGoesOnWithIt() {
    Bench bench({}, 2.3, 0.002, {}, someTrials(2));
    bench.start();
    bench.run(kTrial + 31);  // 30 ticks into the pause, on the way to rest
    bench.loop->post({Request::Kind::hold, -1, 0.0, {}});
    bench.run(40);
    bench.loop->post({Request::Kind::resume, -1, 0.0, {}});
    bench.run();
    QCOMPARE(bench.loop->endReason(), EndReason::completed);
    const auto kept = Bench::take(*bench.segments);
    QCOMPARE(kept.size(), std::size_t{2});
    QVERIFY(kept[0][3] == 1.0 && kept[1][3] == 1.0);
    const auto rows = bench.takeRows();
    const std::size_t second = static_cast<std::size_t>(kept[1][1]);
    QCOMPARE(rows[second - 1][bench.loop->layout().command(0)], 0.0);
    for (std::size_t k = 0; k < kTrial; ++k)
      QVERIFY(sameBits(rows[second + k][bench.loop->layout().target(1)], rows[1 + k][bench.loop->layout().target(1)]));
  }

  /// A compensator that learns, all the way to putting back the best; nothing is allocated in any tick.
  void learntIsKeptAndPutBackWithoutAllocating() {
    TrialSpec trials = someTrials(9);
    trials.stop_after_rises = 1;
    Bench bench({}, trials.duration_s(), 0.002, {}, trials, adaptivePrediction());
    bench.start();
    std::uint64_t allocations = 0;
    {
      const AllocationGuard guard;
      while (bench.loop->tick(1)) {
      }
      allocations = guard.count();
    }
    QCOMPARE(allocations, std::uint64_t{0});
    QCOMPARE(bench.loop->endReason(), EndReason::completed);
    const auto kept = Bench::take(*bench.segments);
    const auto rows = bench.takeRows();
    const RowLayout& layout = bench.loop->layout();
    QVERIFY(kept.size() > 1);
    const std::size_t first_adapted = kept[0].size() - layout.adapted().size();
    QCOMPARE(layout.segmentColumns()[first_adapted].name, std::string("prediction_1"));
    QCOMPARE(kept[0][first_adapted], 0.5);
    for (std::size_t t = 1; t < kept.size(); ++t)  // begins with what the one before it ended with
      for (std::size_t a = 0; a < layout.adapted().size(); ++a)
        QCOMPARE(kept[t][first_adapted + a], rows[static_cast<std::size_t>(kept[t - 1][2])][layout.adaptedColumn(a)]);
    const auto best =
        std::min_element(kept.begin(), kept.end(), [](const auto& a, const auto& b) { return a[4] < b[4]; });
    QVERIFY2(best != kept.end() - 1, "the last trial was to be worse: it ends the test");
    for (std::size_t a = 0; a < layout.adapted().size(); ++a)
      QCOMPARE(rows.back()[layout.adaptedColumn(a)], (*best)[first_adapted + a]);
  }
};

HYB_SUITE(trials, TrialsTest)
#include "trials_test.moc"
