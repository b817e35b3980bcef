/// The time of a test that a rig leads: readings as they come, lost, late, in bursts, after pauses, and at a wrong
/// rate.
#include "core/rig/lead.h"

#include <random>

#include "core/base/allocation_guard.h"
#include "core/loop/pacing.h"
#include "loop_bench.h"
#include "tests/support/set_clock.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr std::int64_t kPeriod = 1'000'000;  // ns

/// A line on which readings arrive when the test says so. Times in periods.
class Line {
 public:
  Line() { lead_.begin(0); }
  /// `count` new numbers come; periods of the tick that they begin, 0: none.
  std::int64_t comes(double at, std::int64_t count = 1) {
    const std::int64_t own_before = silentUntil(at);
    own += own_before;
    const std::int64_t elapsed = lead_.reading(count, ns(at));
    total += elapsed + own_before;
    return elapsed;
  }
  std::int64_t own = 0, total = 0;  // ticks that the bench made by itself; periods of all ticks
  LeadClock& clock() { return lead_; }
  static std::int64_t ns(double periods) { return std::llround(periods * kPeriod); }

 private:
  std::int64_t silentUntil(double at) {
    std::int64_t ticks = 0;
    while (lead_.dueNs() < ns(at)) ticks += lead_.silence(lead_.dueNs());
    return ticks;
  }
  LeadClock lead_{1000.0};
};

/// Beats in a list; then each period, as if in time.
class ScriptedLead final : public Lead {
 public:
  Beat await() noexcept override { return next < beats.size() ? beats[next++] : Beat{}; }
  std::vector<Beat> beats;
  std::size_t next = 0;
};

}  // namespace

class LeadTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void eachReadingBeginsATick() {
    Line line;
    for (int k = 1; k <= 5000; ++k) QCOMPARE(line.comes(k + (k % 3 == 0 ? 0.3 : 0.0)), std::int64_t{1});
    QCOMPARE(line.own, std::int64_t{0});
    QVERIFY(line.clock().agrees());
  }

  void lostReadingsCostNoTick() {
    Line line;
    line.comes(1);
    line.comes(2);
    QCOMPARE(line.comes(6, 4), std::int64_t{1});  // 3, 4 and 5 never came
    QCOMPARE(line.own, std::int64_t{3});
    QCOMPARE(line.comes(7), std::int64_t{1});
    QCOMPARE(line.total, std::int64_t{7});
  }

  void aLateReadingBeginsNoSecondTick() {
    Line line;
    line.comes(1);
    QCOMPARE(line.comes(2.8), std::int64_t{0});  // the bench has ticked at 2.5
    QCOMPARE(line.comes(3), std::int64_t{1});
    QCOMPARE(line.total, std::int64_t{3});
  }

  /// The line held the readings back: the bench goes on by itself, and they come one by one or all at once.
  void aBurstMakesUpForItsOwnTicks() {
    for (const bool at_once : {false, true}) {
      Line line;
      line.comes(1);
      if (at_once) {
        line.comes(11.1, 10);
      } else {
        for (int k = 0; k < 10; ++k) line.comes(11.1 + 0.02 * k);
      }
      for (int k = 12; k <= 40; ++k) QCOMPARE(line.comes(k), std::int64_t{1});
      QVERIFY2(std::abs(line.total - 40) <= 1, qPrintable(QString::number(line.total)));
    }
  }

  /// It did not count meanwhile, and goes on at any phase.
  void afterAPauseItLeadsAgain() {
    for (const double phase : {0.0, 0.1, 0.3, 0.45, 0.6, 0.9}) {
      Line line;
      line.comes(1);
      line.comes(101 + phase);
      const std::int64_t own = line.own;
      int begun = 0;
      for (int k = 1; k <= 50; ++k) begun += line.comes(101 + phase + k) == 1;
      QCOMPARE(line.own, own);
      QCOMPARE(begun, 50);
      QVERIFY(std::abs(static_cast<double>(line.total) - (151 + phase)) <= 1.0);
    }
  }

  /// The bench itself was away: the newest of all that wait counts.
  void aBacklogIsMissedPeriods() {
    Line line;
    line.comes(1);
    LeadClock& lead = line.clock();
    QCOMPARE(lead.reading(7, Line::ns(8)), std::int64_t{7});
    QCOMPARE(lead.reading(1, Line::ns(9)), std::int64_t{1});
  }

  void silenceGoesByTheOwnClock() {
    Line line;
    line.comes(1);
    LeadClock& lead = line.clock();
    QCOMPARE(lead.dueNs(), Line::ns(2.5));
    QCOMPARE(lead.silence(Line::ns(2.5)), std::int64_t{1});
    QCOMPARE(lead.dueNs(), Line::ns(3.5));
    QCOMPARE(lead.silence(Line::ns(7.6)), std::int64_t{5});  // late by four periods
    QCOMPARE(lead.dueNs(), Line::ns(8.5));
  }

  /// A target was held up before the test, and sends what it owes in its first half second.
  void catchingUpIsNoOtherRate() {
    for (const int owed : {25, 100, 400}) {
      Line line;
      double at = 0.0;
      while (at < 500) line.comes(at += 500.0 / (500.0 + owed));
      while (at < 5000) line.comes(at += 1.0);
      QVERIFY2(line.clock().agrees(), qPrintable(QString::number(owed)));
    }
  }

  void anotherRateIsFound() {
    for (const double period : {0.5, 0.97, 0.99, 1.0, 1.01, 1.03, 1.4}) {
      Line line;
      for (double at = period; at < 3000; at += period) line.comes(at);
      QCOMPARE(line.clock().agrees(), std::abs(1.0 / period - 1.0) < LeadClock::kRateTolerance);
      if (!line.clock().agrees())
        QVERIFY2(std::abs(line.clock().wrongRate_hz() * period - 1000.0) < 5.0,
                 qPrintable(QString::number(line.clock().wrongRate_hz())));
    }
  }

  /// Whatever the line does to a rig at the right rate, the time of the test stays that of the rig, and nothing is
  /// taken for another rate.
  void timeIsKeptOnABadLine() {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> jitter(0.0, 0.4), chance(0.0, 1.0);
    for (int test = 0; test < 20; ++test) {
      Line line;
      std::int64_t skipped = 0;
      double free_at = 0.0;  // the line delivers nothing before
      for (int k = 1; k <= 20'000; ++k) {
        if (chance(random) < 0.002) free_at = k + 30.0 * chance(random);
        if (chance(random) < 0.05) {
          ++skipped;
          continue;
        }
        const double at = std::max({static_cast<double>(k) + jitter(random), free_at});
        free_at = std::max(free_at, at) + 1e-3;
        line.comes(at, 1 + std::exchange(skipped, 0));
      }
      QVERIFY(line.clock().agrees());
      QVERIFY2(std::abs(line.total - 20'000) <= 60, qPrintable(QString::number(line.total)));
    }
  }

  void theLoopGoesByTheBeats() {
    Bench bench;
    ScriptedLead lead;
    lead.beats = {{1, 0}, {1, 5000}, {4, 7000}, {1, 0}};
    bench.rig->leader = &lead;
    bench.start();
    SetClock clock;
    const std::uint64_t looks = clock.asked();
    bench.rig->on_read = [&] {
      if (bench.rig->reads == 10) bench.loop->requestImmediateStop();
    };
    QCOMPARE(runPaced(*bench.loop, clock), 0);
    QCOMPARE(clock.asked(), looks);  // the clock of the bench paces nothing
    QCOMPARE(bench.loop->status().late_ticks.load(), std::uint64_t{1});
    QCOMPARE(bench.loop->status().missed_periods.load(), std::uint64_t{3});
  }

  void itAllocatesNothing() {
    LeadClock lead(1000.0);
    const AllocationGuard guard;
    lead.begin(0);
    for (int k = 1; k < 2000; ++k) (void)lead.reading(1 + k % 3, k * kPeriod);
    (void)lead.silence(lead.dueNs());
    QVERIFY(!AllocationGuard::active() || guard.count() == 0);
  }
};

HYB_SUITE(lead, LeadTest)
#include "lead_test.moc"
