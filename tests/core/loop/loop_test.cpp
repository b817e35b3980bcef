#include <limits>

#include "core/base/allocation_guard.h"
#include "core/base/error.h"
#include "core/loop/pacing.h"
#include "core/loop/realtime.h"
#include "tests/core/loop/loop_bench.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// A clock on which `late` ticks oversleep; each sleep costs nothing.
class FakeClock final : public Clock {
 public:
  std::int64_t nowNs() noexcept override { return now_ns; }
  int sleepUntilNs(std::int64_t wake_ns) noexcept override {
    now_ns = wake_ns + (++sleeps % 100 == 0 ? late_ns : 20'000);
    return sleeps >= fail_at ? EINVAL : 0;
  }
  std::int64_t now_ns = 1'000'000'000, late_ns = 0;
  int sleeps = 0, fail_at = std::numeric_limits<int>::max();
};

}  // namespace

class LoopTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void nothingMovesOrIsRecordedBeforeRun() {
    Bench bench;
    QCOMPARE(bench.state(), State::ready);
    bench.rig->position = Eigen::Vector2d(1e-3, -2e-3);
    bench.loop->arm();
    QCOMPARE(bench.state(), State::armed);
    for (int k = 0; k < 50; ++k) QVERIFY(bench.loop->tick(1));
    QCOMPARE(bench.rig->position[0], 1e-3);  // held where it stood
    QCOMPARE(bench.rig->position[1], -2e-3);
    QVERIFY(bench.takeRows().empty());
  }

  void startsWithoutAJumpFromWhereTheActuatorsStand() {
    Bench bench({}, 1.0, 0.0);
    bench.rig->position = Eigen::Vector2d(1e-3, -2e-3);
    bench.start();
    bench.run(300);
    const auto rows = bench.takeRows();
    QCOMPARE(rows[0][bench.loop->layout().command(0)], 1e-3);
    for (std::size_t k = 1; k < rows.size(); ++k)
      QVERIFY(std::abs(rows[k][bench.loop->layout().command(1)] - rows[k - 1][bench.loop->layout().command(1)]) < 2e-4);
  }

  void runsToItsEndAndComesToRest() {
    Bench bench;
    bench.start();
    const int ticks = bench.run();
    QCOMPARE(bench.loop->endReason(), EndReason::completed);
    QCOMPARE(bench.state(), State::ready);
    QVERIFY(bench.rig->safe);
    QCOMPARE(ticks, 1000 + 1 + 100 - 1);  // ticks 0..1000, then the ramp; its last tick returns false
    QVERIFY(bench.rig->position.norm() < 1e-12);
    const auto rows = bench.takeRows();
    for (std::size_t k = 0; k < rows.size(); ++k) QCOMPARE(rows[k][RowLayout::kTick], static_cast<double>(k));
    QVERIFY(!bench.loop->tick(1));  // stays ended
  }

  void rowsKeepTheOrderOfTheTick() {
    Bench bench;
    bench.start();
    bench.run();
    const auto rows = bench.takeRows();
    const RowLayout& layout = bench.loop->layout();
    for (std::size_t k = 1; k < 1000; ++k)
      for (std::size_t i = 0; i < 2; ++i) {
        QCOMPARE(rows[k][layout.measured(i)], rows[k - 1][layout.command(i)]);  // x_k is what u_{k-1} did
        QCOMPARE(rows[k][layout.gap(i)], rows[k][layout.measured(i)] - rows[k][layout.target(i)]);
      }
  }

  void eachActionActsInTheTickOfItsLimit_data() {
    QTest::addColumn<int>("action");
    QTest::addColumn<int>("state");
    QTest::newRow("indicate") << static_cast<int>(Action::indicate) << static_cast<int>(State::running);
    QTest::newRow("hold") << static_cast<int>(Action::hold) << static_cast<int>(State::holding);
    QTest::newRow("ramp") << static_cast<int>(Action::ramp) << static_cast<int>(State::stopping);
    QTest::newRow("stop") << static_cast<int>(Action::stop) << static_cast<int>(State::fault);
  }
  void eachActionActsInTheTickOfItsLimit() {
    QFETCH(int, action);
    QFETCH(int, state);
    Bench bench({{limitQuantity("force"), 2, 10.0, static_cast<Action>(action)}}, 5.0);
    bench.start();
    bench.run(500);
    QCOMPARE(bench.state(), State::running);
    bench.rig->force[0] = 50.0;  // interface 1 is not concerned
    bench.run(10);
    QCOMPARE(bench.state(), State::running);
    bench.rig->force[1] = -50.0;
    const std::uint64_t before = bench.loop->status().tick.load();
    bench.loop->tick(1);
    QCOMPARE(static_cast<int>(bench.state()), state);
    const auto hits = bench.takeEvents(EventCode::limit_hit);
    QCOMPARE(hits.size(), std::size_t{1});
    QCOMPARE(hits[0].tick, before + 1);
    QCOMPARE(hits[0].value, 50.0);
    QVERIFY(bench.loop->safety().monitors()[0].latched.load());
    if (static_cast<Action>(action) == Action::stop) QVERIFY(bench.rig->safe);
    if (static_cast<Action>(action) == Action::ramp) {
      bench.run();
      QCOMPARE(bench.loop->endReason(), EndReason::limit);
      QCOMPARE(bench.state(), State::fault);
      QVERIFY(bench.rig->position.norm() < 1e-12);
      bench.loop->resetFault();
      QCOMPARE(bench.state(), State::ready);
    }
  }

  void anOscillationOverALimitIsOneEvent() {
    Bench bench({{limitQuantity("displacement"), 0, 5e-4, Action::indicate}}, 3.0);
    bench.start();
    bench.run();
    QCOMPARE(bench.takeEvents(EventCode::limit_hit).size(), std::size_t{1});
  }

  void aNotANumberNeverReachesTheRig() {
    Bench bench;
    bench.start();
    bench.run(200);
    const int writes = bench.rig->writes;
    bench.rig->force[0] = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(!bench.loop->tick(1));
    QCOMPARE(bench.rig->writes, writes);
    QVERIFY(bench.rig->safe);
    QCOMPARE(bench.loop->endReason(), EndReason::not_a_number);
  }

  void aLostLinkEndsInFault() {
    Bench bench;
    bench.start();
    bench.run(100);
    bench.rig->status = RigStatus::link_lost;
    QVERIFY(!bench.loop->tick(1));
    QCOMPARE(bench.loop->endReason(), EndReason::link_lost);
    QCOMPARE(bench.state(), State::fault);
  }

  void staleDataCounts() {
    Bench bench({{limitQuantity("stale-data"), 0, 3.0, Action::ramp}});
    bench.start();
    bench.run(100);
    bench.rig->status = RigStatus::stale;
    bench.run(2);
    QCOMPARE(bench.state(), State::running);
    bench.run(1);
    QCOMPARE(bench.state(), State::stopping);
  }

  void stopRampsToZeroFromAnyState() {
    for (const bool held : {false, true}) {
      Bench bench({}, 10.0);
      bench.start();
      bench.run(777);
      if (held) {
        QVERIFY(bench.loop->post({Request::Kind::hold, -1, 0.0, {}}));
        bench.run(10);
      }
      const double before = bench.rig->position.norm();
      QVERIFY(before > 1e-5);
      bench.loop->requestStop();
      const int ticks = bench.run();
      QVERIFY(ticks >= 99 && ticks <= 101);
      QVERIFY(bench.rig->position.norm() < 1e-12);
      QCOMPARE(bench.loop->endReason(), EndReason::operator_stop);
      QCOMPARE(bench.state(), State::ready);
    }
  }

  void stopWhileArmedMovesNothing() {
    Bench bench;
    bench.rig->position = Eigen::Vector2d(1e-3, 1e-3);
    bench.loop->arm();
    bench.run(5);
    bench.loop->requestStop();
    QVERIFY(!bench.loop->tick(1));
    QCOMPARE(bench.rig->position[0], 1e-3);
    QCOMPARE(bench.state(), State::ready);
  }

  void holdFreezesAndResumeStartsSoftly() {
    Bench bench({}, 10.0, 5e-4);
    bench.start();
    bench.run(777);
    QVERIFY(bench.loop->post({Request::Kind::hold, -1, 0.0, {}}));
    bench.run(2);
    const Eigen::VectorXd frozen = bench.rig->position;
    bench.run(200);
    QCOMPARE(bench.rig->position, frozen);
    QCOMPARE(bench.state(), State::holding);
    bench.takeRows();
    QVERIFY(bench.loop->post({Request::Kind::resume, -1, 0.0, {}}));
    bench.run(1000);
    QCOMPARE(bench.state(), State::running);
    const auto rows = bench.takeRows();
    double last = frozen[0];
    for (const auto& row : rows) {
      QVERIFY(std::abs(row[bench.loop->layout().command(0)] - last) < 2e-4);  // no jump: below 0.2 m/s
      last = row[bench.loop->layout().command(0)];
    }
  }

  void resumeKeepsWhatWasAdapted() {
    ThreeMassSetup setup;
    setup.method = ThreeMassSetup::Method::adaptive;
    setup.duration_s = 20.0;
    const std::unique_ptr<Loop> loop = setup.build();
    RowRing ring(loop->layout().width(), 30000);
    loop->attachDisplay(&ring, nullptr);
    loop->arm();
    QVERIFY(loop->post({Request::Kind::start, -1, 0.0, {}}));
    for (int k = 0; k < 8030; ++k) QVERIFY(loop->tick(1));  // not at a zero of the motion
    QVERIFY(loop->post({Request::Kind::hold, -1, 0.0, {}}));
    for (int k = 0; k < 500; ++k) QVERIFY(loop->tick(1));
    std::vector<double> rows;
    ring.pop(rows, 30000);
    const std::size_t width = ring.width(), last = rows.size() - width;
    QVERIFY(std::abs(rows[last + loop->layout().command(0)]) > 2e-4);
    const std::vector<double> before(rows.begin() + static_cast<std::ptrdiff_t>(last), rows.end());
    QVERIFY(loop->post({Request::Kind::resume, -1, 0.0, {}}));
    for (int k = 0; k < 4000; ++k) QVERIFY(loop->tick(1));
    ring.pop(rows, 30000);
    for (std::size_t a = 0; a < loop->layout().adapted().size(); ++a) {
      const std::size_t column = loop->layout().adaptedColumn(a);
      // Within the reach of the transient of a soft start: half a tick, 3 % of gain.
      const double reach = loop->layout().adapted()[a].units == "ticks" ? 0.5 : 0.03;
      for (std::size_t at = column; at < rows.size(); at += width)
        QVERIFY2(std::abs(rows[at] - before[column]) < reach,
                 qPrintable(QString("%1 %2 at %3").arg(a).arg(rows[at]).arg(at / width)));
    }
  }

  void missedPeriodsAreCaughtUpAndTold() {
    Bench on_time({}, 2.0), late({}, 2.0);
    on_time.start();
    late.start();
    on_time.run(401);
    late.run(398);                // ticks 0..397
    QVERIFY(late.loop->tick(3));  // tick 400 comes three periods after 397
    QCOMPARE(late.rig->elapsed_seen, std::int64_t{3});
    const auto a = on_time.takeRows(), b = late.takeRows();
    QCOMPARE(b.back()[RowLayout::kTick], 400.0);
    QCOMPARE(static_cast<std::uint32_t>(b.back()[RowLayout::kFlags]) & kFlagLate, std::uint32_t{kFlagLate});
    // The NS has taken the missed steps too (no force acts here): same target as on time.
    QCOMPARE(b.back()[late.loop->layout().target(0)], a.back()[on_time.loop->layout().target(0)]);
    QCOMPARE(late.loop->status().late_ticks.load(), std::uint64_t{1});
    QCOMPARE(late.loop->status().missed_periods.load(), std::uint64_t{2});
    late.run(300);
    QCOMPARE(late.takeEvents(EventCode::late_ticks).size(), std::size_t{1});
  }

  void pacingKeepsThePhase() {
    Bench bench({}, 2.0);
    bench.start();
    FakeClock clock;
    clock.late_ns = 2'500'000;  // every hundredth tick comes 2.5 periods late
    QCOMPARE(runPaced(*bench.loop, clock), 0);
    QCOMPARE(bench.loop->endReason(), EndReason::completed);
    const auto rows = bench.takeRows();
    int flagged = 0;
    for (std::size_t k = 1; k < rows.size(); ++k) {
      const double step = rows[k][RowLayout::kTick] - rows[k - 1][RowLayout::kTick];
      QVERIFY(step == 1.0 || step == 3.0);
      if (step == 3.0) ++flagged;
      QCOMPARE((static_cast<std::uint32_t>(rows[k][RowLayout::kFlags]) & kFlagLate) != 0, step == 3.0);
    }
    QVERIFY(flagged > 15);
    QCOMPARE(static_cast<int>(bench.loop->status().late_ticks.load()), flagged);
  }

  void aClockThatFailsStillEndsSafely() {
    Bench bench({}, 2.0);
    bench.start();
    FakeClock clock;
    clock.fail_at = 500;
    QCOMPARE(runPaced(*bench.loop, clock), EINVAL);
    QVERIFY(bench.rig->safe);  // at once: a ramp without a clock would be a jump
    QCOMPARE(bench.rig->writes, 499);
    QVERIFY(bench.loop->endReason() == EndReason::operator_stop);
  }

  void lateTicksCanStopTheTest() {
    Bench bench({{limitQuantity("missed-ticks"), 0, 20.0, Action::stop}}, 5.0);
    bench.start();
    bench.run(100);
    QVERIFY(bench.loop->tick(20));   // 19 missed
    QVERIFY(!bench.loop->tick(21));  // 20 missed
    QCOMPARE(bench.loop->endReason(), EndReason::limit);
  }

  void aFailedRecorderEndsTheTest() {
    Bench bench({}, 5.0);
    std::atomic<bool> failed{false};
    RowRing rows(bench.loop->layout().width(), 100000);
    EventRing events;
    bench.loop->attachRecorder(&rows, &events, &failed);
    bench.start();
    bench.run(100);
    failed = true;
    bench.run();
    QCOMPARE(bench.loop->endReason(), EndReason::recorder_failed);
    QVERIFY(bench.rig->position.norm() < 1e-12);
  }

  void aFullRecorderRingIsTold() {
    Bench bench;
    RowRing rows(bench.loop->layout().width(), 10);
    EventRing events;
    bench.loop->attachRecorder(&rows, &events, nullptr);
    bench.start();
    bench.run(50);
    QCOMPARE(rows.dropped(), std::uint64_t{40});
    QCOMPARE(bench.takeEvents(EventCode::recorder_overrun).size(), std::size_t{1});
  }

  void wrongNumberOfActuatorsIsRefused() {
    const Partition partition = cut(threeMass(), threeMassPartition());
    ThreeMassSetup setup;
    Partition one = partition;
    one.interface.pop_back();
    one.interface_in_numerical.pop_back();
    one.interface_in_physical.pop_back();
    one.interface_in_reference.pop_back();
    QVERIFY_THROWS_EXCEPTION(
        InputError,
        Loop({}, std::make_unique<ScriptedRig>(), makeTracking(one, IntegratorSpec{}, 1e-3, makeNoCompensator()),
             Excitation({{"w", "m", makeSine({})}}, {{0, LoadTarget::support_motion, 0, 1.0}}, 2, 3), {}));
  }

  void aTickAllocatesNothing_data() {
    QTest::addColumn<int>("method");
    QTest::newRow("none") << static_cast<int>(ThreeMassSetup::Method::none);
    QTest::newRow("forward prediction") << static_cast<int>(ThreeMassSetup::Method::fixed);
    QTest::newRow("adaptive forward prediction") << static_cast<int>(ThreeMassSetup::Method::adaptive);
  }
  void aTickAllocatesNothing() {
    QFETCH(int, method);
    for (const Scheme scheme : allSchemes()) {
      if (!test::kThorough && scheme != Scheme::newmark && scheme != Scheme::rk4) continue;
      ThreeMassSetup setup;
      setup.method = static_cast<ThreeMassSetup::Method>(method);
      setup.scheme = scheme;
      setup.setNoise();
      setup.duration_s = 3.0;
      setup.force_source = ForceSource::emulated;
      setup.twin.actuators[0].velocity_limit_m_per_s = 0.02;  // limits act as well
      const std::unique_ptr<Loop> loop = setup.build({{limitQuantity("displacement"), 0, 1e-4, Action::indicate}});
      RowRing rows(loop->layout().width(), 10000);
      EventRing events;
      std::atomic<bool> failed{false};
      loop->attachRecorder(&rows, &events, &failed);
      loop->arm();
      QVERIFY(loop->post({Request::Kind::start, -1, 0.0, {}}));
      int ticks = 0;
      std::uint64_t allocations = 0;
      {
        const AllocationGuard guard;
        while (loop->tick(ticks % 50 == 49 ? 3 : 1, 0, &monotonicNs)) {
          if (++ticks == 500) loop->post({Request::Kind::hold, -1, 0.0, {}});
          if (ticks == 600) loop->post({Request::Kind::resume, -1, 0.0, {}});
          if (ticks == 700) loop->post({Request::Kind::set_force_source, 0, 0.0, {}});
          if (ticks == 800) loop->post({Request::Kind::tune, 0, 0.15, {}});
        }
        allocations = guard.count();
      }
      QVERIFY(ticks > 1000);
      QCOMPARE(allocations, std::uint64_t{0});
    }
  }
};

HYB_SUITE(loop, LoopTest)
#include "loop_test.moc"
