#include <cmath>

#include "core/base/allocation_guard.h"
#include "tests/core/loop/loop_bench.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

std::string words(const Bench& bench, const Event& event) { return message(event, bench.loop->eventNames()); }

/// A rig that answers every command `growth` times as large as the one before: position and force swing at 8 Hz with
/// an amplitude that grows, while its displacement lags or leads the command.
class SwingingRig final : public Rig {
 public:
  SwingingRig(double growth_per_s, double lag_rad) : growth_per_s_(growth_per_s), lag_rad_(lag_rad) {}
  std::size_t interfaces() const noexcept override { return 1; }
  std::string description() const override { return "swinging"; }
  void open() override { tick_ = 0; }
  RigStatus read(RigState& state, std::int64_t elapsed) noexcept override {
    tick_ += elapsed;
    const double t = 1e-3 * static_cast<double>(tick_), phase = 2.0 * M_PI * 8.0 * t;
    state.measured[0] = 1e-3 * std::exp(growth_per_s_ * t) * std::sin(phase - lag_rad_);
    state.force[0] = -1000.0 * state.measured[0];
    return RigStatus::ok;
  }
  RigStatus write(const Command&) noexcept override { return RigStatus::ok; }
  void safeStop() noexcept override {}

 private:
  double growth_per_s_, lag_rad_;
  std::int64_t tick_ = 0;
};

/// Asks for a motion that grows at `growth_per_s`, whatever it measures.
class SwingingScheme final : public CouplingScheme {
 public:
  explicit SwingingScheme(double growth_per_s) : growth_per_s_(growth_per_s) {}
  std::size_t interfaces() const noexcept override { return 1; }
  void reset() override { tick_ = 0; }
  void restart() noexcept override {}
  void update(const RigState&, const ExcitationValue&, CouplingOutput& output) noexcept override {
    const double t = 1e-3 * static_cast<double>(++tick_);
    output.target[0] = 1e-3 * std::exp(growth_per_s_ * t) * std::sin(2.0 * M_PI * 8.0 * t);
    output.command.position = output.target;
  }

 private:
  double growth_per_s_;
  std::int64_t tick_ = 0;
};

/// Largest growth that the limit saw over 3 s.
double growthSeen(double growth_per_s, double lag_rad) {
  LoopConfig config;
  config.duration_s = 10.0;
  config.soft_start_s = 0.2;
  config.stop_ramp_s = 0.0;
  Loop loop(config, std::make_unique<SwingingRig>(growth_per_s, lag_rad),
            std::make_unique<SwingingScheme>(growth_per_s), Excitation({}, {}, 0, 0),
            {{limitQuantity("energy-growth"), 0, 1e3, Action::indicate}});
  loop.arm();
  loop.post({Request::Kind::start, -1, 0.0, {}});
  for (int k = 0; k < 3000; ++k) loop.tick(1);
  return loop.safety().monitors()[0].peak.load();
}

}  // namespace

class LoopRigTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void columnsOfTheRigStandInEveryRow() {
    Bench bench;
    const RowLayout& layout = bench.loop->layout();
    QCOMPARE(layout.furtherChannels(), std::size_t{1});
    QCOMPARE(layout.channels().back().name, std::string("raw_oil"));
    bench.start();
    for (int k = 0; k < 20; ++k) {
      bench.rig->oil = k;
      bench.loop->tick(1);
    }
    const auto rows = bench.takeRows();
    for (std::size_t k = 0; k < rows.size(); ++k) QCOMPARE(rows[k][layout.furtherColumn(0)], static_cast<double>(k));
  }

  void lossAndInterlockTakeTheDeclaredAction_data() {
    QTest::addColumn<int>("status");
    QTest::addColumn<int>("action");  // none: not declared
    QTest::addColumn<int>("state");   // in the tick of the loss
    QTest::addColumn<int>("reason");  // in the end
    for (const RigStatus status : {RigStatus::link_lost, RigStatus::interlock}) {
      const std::string name = status == RigStatus::link_lost ? "link lost: " : "interlock: ";
      const EndReason own = status == RigStatus::link_lost ? EndReason::link_lost : EndReason::interlock;
      const auto row = [&](const char* what, Action action, State state, EndReason reason) {
        QTest::newRow((name + what).c_str()) << static_cast<int>(status) << static_cast<int>(action)
                                             << static_cast<int>(state) << static_cast<int>(reason);
      };
      row("undeclared", Action::none, State::fault, own);
      row("stop", Action::stop, State::fault, own);
      row("ramp", Action::ramp, State::stopping, own);
      row("hold", Action::hold, State::holding, EndReason::operator_stop);
      row("indicate", Action::indicate, State::running, EndReason::completed);
    }
  }
  void lossAndInterlockTakeTheDeclaredAction() {
    QFETCH(int, status);
    QFETCH(int, action);
    QFETCH(int, state);
    QFETCH(int, reason);
    const bool link = static_cast<RigStatus>(status) == RigStatus::link_lost;
    std::vector<Limit> limits;
    if (static_cast<Action>(action) != Action::none)
      limits.push_back(
          {link ? limitQuantity("link-lost") : limitQuantity("interlock"), 0, 0.0, static_cast<Action>(action)});
    Bench bench(limits);
    bench.start();
    bench.run(500);
    bench.rig->status = static_cast<RigStatus>(status);
    bench.rig->interlocks_open = link ? 0u : 2u;
    bench.run(1);
    QCOMPARE(static_cast<int>(bench.state()), state);
    if (bench.state() == State::holding) bench.loop->requestStop();
    bench.run();
    QCOMPARE(static_cast<int>(bench.loop->endReason()), reason);
    QVERIFY(bench.rig->safe);
  }

  void openInterlocksAreNamed() {
    Bench bench({{limitQuantity("interlock"), 0, 0.0, Action::indicate}});
    bench.start();
    bench.run(10);
    bench.rig->status = RigStatus::interlock;
    bench.rig->interlocks_open = 3u;
    bench.run(1);
    Event event;
    int named = 0;
    while (bench.events.pop(event))
      if (event.code == EventCode::rig_status || event.code == EventCode::limit_hit) {
        QVERIFY2(words(bench, event).ends_with(": e-stop, door"), words(bench, event).c_str());
        ++named;
      }
    QCOMPARE(named, 2);
    QCOMPARE(bench.loop->status().interlocks_open.load(), 3u);
  }

  /// Errors of the last second alone count.
  void linkErrorsCountOverASecond() {
    Bench bench({{limitQuantity("link-errors"), 0, 5.0, Action::ramp}}, 5.0);
    bench.rig->figures.lost = 100;  // of an earlier run
    bench.start();
    bench.run(500);
    bench.rig->figures.lost += 3;
    bench.rig->figures.corrupt += 1;
    bench.run(1);
    QCOMPARE(bench.loop->safety().monitors()[0].value.load(), 4.0);
    bench.run(999);
    QCOMPARE(bench.loop->safety().monitors()[0].value.load(), 0.0);
    QCOMPARE(bench.state(), State::running);
    bench.rig->figures.out_of_order += 5;
    bench.run(1);
    QCOMPARE(bench.state(), State::stopping);
    bench.run();
    QCOMPARE(bench.loop->endReason(), EndReason::limit);
  }

  void aStatusThatFlickersIsToldOnceASecond() {
    Bench bench({}, 5.0);
    bench.start();
    for (int k = 0; k < 2500; ++k) {
      bench.rig->status = k % 2 == 0 ? RigStatus::stale : RigStatus::ok;
      bench.run(1);
    }
    bench.rig->status = RigStatus::ok;
    bench.run(1100);
    const auto told = bench.takeEvents(EventCode::rig_status);
    QVERIFY(told.size() >= 2 && told.size() <= 5);
    QVERIFY(told.front().index == static_cast<int>(RigStatus::stale));
    QVERIFY(told.back().index == static_cast<int>(RigStatus::ok));
  }

  void theImmediateStopReachesTheRigInTheNextTick() {
    Bench bench;
    bench.start();
    bench.run(500);
    const int writes = bench.rig->writes;
    bench.loop->requestImmediateStop();
    QVERIFY(!bench.loop->tick(1));
    QCOMPARE(bench.rig->writes, writes);  // no ramp
    QVERIFY(bench.rig->safe);
    QCOMPARE(bench.loop->endReason(), EndReason::operator_stop);
    QCOMPARE(bench.state(), State::ready);
    const auto told = bench.takeEvents(EventCode::operator_stop);
    QCOMPARE(told.size(), std::size_t{1});
    QVERIFY2(words(bench, told.front()).find("at once") != std::string::npos, words(bench, told.front()).c_str());
  }

  void theStopTokenReachesTheLoopInTheNextTick() {
    StopToken stop;
    Bench bench;
    bench.loop->follow(&stop);
    bench.start();
    bench.run(500);
    QCOMPARE(bench.state(), State::running);
    stop.press();
    stop.request();  // no second press
    bench.run(1);
    QCOMPARE(bench.state(), State::stopping);
    const int writes = bench.rig->writes;
    stop.press();
    QVERIFY(!bench.loop->tick(1));
    QCOMPARE(bench.rig->writes, writes);  // no more of the ramp
    QVERIFY(bench.rig->safe);
    QCOMPARE(bench.loop->endReason(), EndReason::operator_stop);
  }

  void faultsOfTheProjectKeepTheirTimes() {
    FaultSpec spike;
    spike.from_s = 0.1;
    spike.duration_s = 0.05;
    spike.interface = 2;
    spike.value = 0.001;
    FaultSpec freeze;
    freeze.kind = FaultKind::actuator_freeze;
    freeze.from_s = 0.12;
    Bench bench({}, 1.0, 0.002, {spike, freeze});
    bench.start();
    std::vector<int> active;
    for (int k = 0; k <= 200; ++k) {
      bench.run(1);
      active.push_back(bench.rig->active_faults);
    }
    for (int k = 0; k <= 200; ++k)
      QCOMPARE(active[static_cast<std::size_t>(k)], (k >= 100 && k < 150 ? 1 : 0) + (k >= 120 ? 1 : 0));
    const auto begun = bench.takeEvents(EventCode::fault_injected);
    QCOMPARE(begun.size(), std::size_t{2});
    QCOMPARE(begun[0].tick, std::uint64_t{100});
    QCOMPARE(words(bench, begun[0]), std::string("fault on purpose: spike, displacement 2, 1 mm"));
    QCOMPARE(words(bench, begun[1]), std::string("fault on purpose: actuator-freeze"));
  }

  void faultsByCommandBeginAndEndAtOnce() {
    Bench bench;
    bench.start();
    bench.run(10);
    FaultSpec drift;
    drift.kind = FaultKind::drift;
    drift.sensor = FaultSensor::force;
    drift.value = 2.0;
    bench.loop->post({Request::Kind::fault, -1, 1.0, {}, drift});
    bench.run(1);
    QCOMPARE(bench.rig->active_faults, 1);
    bench.loop->post({Request::Kind::fault, -1, 0.0, {}, drift});
    FaultSpec runaway;
    runaway.kind = FaultKind::runaway;
    bench.loop->post({Request::Kind::fault, -1, 1.0, {}, runaway});
    bench.run(1);
    QCOMPARE(bench.rig->active_faults, 0);
    Event event;
    std::vector<std::string> told;
    while (bench.events.pop(event))
      if (event.code >= EventCode::fault_injected) told.push_back(words(bench, event));
    QCOMPARE(told.size(), std::size_t{3});
    QCOMPARE(told[0], std::string("fault on purpose: drift, force, 2 N/s"));
    QCOMPARE(told[1], std::string("end of the fault on purpose: drift, force"));
    QVERIFY2(told[2].find("refused") != std::string::npos, told[2].c_str());
  }

  /// Grows at 1.5 /s while the rig lags (adds energy): seen. A rig that leads takes energy out, and steady motion does
  /// not grow: silent.
  void energyGrowthIsSeen() {
    const double seen = growthSeen(1.5, 0.3);
    QVERIFY2(std::abs(seen - 1.5) < 0.15, qPrintable(QString::number(seen)));
    QCOMPARE(growthSeen(1.5, -0.3), 0.0);
    QVERIFY(growthSeen(0.0, 0.3) < 0.05);
  }

  void theTickAllocatesNothing() {
    FaultSpec fault;
    fault.from_s = 0.05;
    Bench bench({{limitQuantity("interlock"), 0, 0.0, Action::indicate},
                 {limitQuantity("energy-growth"), 0, 1e6, Action::indicate},
                 {limitQuantity("link-errors"), 0, 1e6, Action::indicate}},
                1.0, 0.002, {fault});
    bench.start();
    const AllocationGuard guard;
    for (int k = 0; k < 600; ++k) {
      bench.rig->status = k % 7 == 3 ? RigStatus::interlock : RigStatus::ok;
      bench.rig->interlocks_open = k % 7 == 3 ? 3u : 0u;
      bench.loop->tick(1);
    }
    bench.loop->requestImmediateStop();
    bench.loop->tick(1);
    QCOMPARE(guard.count(), std::uint64_t{0});
  }
};

HYB_SUITE(loop_rig, LoopRigTest)
#include "loop_rig_test.moc"
