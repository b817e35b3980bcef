#include "core/coupling/openfresco.h"

#include <cmath>
#include <limits>

#include "core/base/allocation_guard.h"
#include "core/compensation/compensator.h"
#include "core/coupling/target_path.h"
#include "tests/core/loop/loop_bench.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kLedStiffness = 2000.0, kLedStep_s = 1e-3;
constexpr int kLedTicks = 10;

/// A spring that obeys one tick after the command.
class LedSpring final : public Rig {
 public:
  std::size_t interfaces() const noexcept override { return 1; }
  std::string description() const override { return "spring"; }
  void open() override {}
  RigStatus read(RigState& state, std::int64_t) noexcept override {
    state.measured[0] = position;
    state.force[0] = -kLedStiffness * position;
    return RigStatus::ok;
  }
  RigStatus write(const Command& command) noexcept override {
    fastest = std::max(fastest, std::abs(command.position[0] - position));
    position = command.position[0];
    return RigStatus::ok;
  }
  void safeStop() noexcept override { ++stops; }

  double position = 0.0, fastest = 0.0;  // m; m per tick
  int stops = 0;
};

/// A model of one degree of freedom that leads, at rest and answered at zero.
struct LedModel {
  explicit LedModel(OpenFrescoPath path = {.step_ticks = kLedTicks}, TargetReach reach = {},
                    std::vector<Limit> limits = {})
      : exchange(std::make_shared<TargetExchange>(1)) {
    LoopConfig config;
    config.duration_s = 0.0;
    config.soft_start_s = config.soft_end_s = config.stop_ramp_s = 0.0;
    auto made = std::make_unique<LedSpring>();
    rig = made.get();
    loop = std::make_unique<Loop>(
        config, std::move(made),
        makeOpenFresco(std::vector<Dof>(1), path, kLedStep_s, makeNoCompensator(), exchange, {reach}),
        Excitation({}, {}, 0, 0), std::move(limits));
    loop->attachDisplay(nullptr, &events);
    loop->arm();
    loop->post({Request::Kind::start, -1, 0.0, {}});
    for (int t = 0; t < 2 * kLedTicks; ++t) loop->tick(1);
  }

  void ask(double target_m) {
    exchange->targets.draft() = {{target_m}, ++number};
    exchange->targets.publish();
    exchange->asked = number;
  }
  bool answered() const { return exchange->answered.load() == number; }
  /// Ticks until the newest target has been answered.
  int waitTicks(std::int64_t elapsed = 1) {
    int ticks = 0;
    for (; !answered() && ticks < 10'000; ++ticks) loop->tick(elapsed);
    exchange->answers.receive();
    return ticks;
  }
  double measured() const { return exchange->answers.value().displacement_m[0]; }
  double force() const { return exchange->answers.value().force_n[0]; }
  /// Steps of 1 mm at constant speed.
  void walk(int steps) {
    for (int step = 0; step < steps; ++step) {
      ask(1e-3 * ++walked);
      waitTicks();
    }
  }
  int count(EventCode code) {
    for (Event event; events.pop(event);) seen.push_back(event);
    return static_cast<int>(std::ranges::count(seen, code, &Event::code));
  }
  std::string said(EventCode code) {
    count(code);
    const auto found = std::ranges::find(seen, code, &Event::code);
    return found == seen.end() ? std::string() : message(*found, loop->eventNames());
  }

  std::shared_ptr<TargetExchange> exchange;
  std::unique_ptr<Loop> loop;
  LedSpring* rig = nullptr;
  EventRing events;
  std::vector<Event> seen;
  std::uint64_t number = 1;
  int walked = 0;
};

}  // namespace

class TestOpenFresco : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void eachTargetIsAnsweredAfterOneStep() {
    LedModel model;
    QVERIFY(model.answered());
    for (int step = 1; step <= 20; ++step) {
      model.ask(1e-3 * step);
      QCOMPARE(model.waitTicks(), kLedTicks);
      // The rig is one tick behind.
      QVERIFY(std::abs(model.measured() - 1e-3 * step) < 0.2e-3);
      QCOMPARE(model.force(), -kLedStiffness * model.measured());
    }
    QCOMPARE(model.count(EventCode::model_late), 0);
  }

  void aModelThatComputesForSomeTicksLosesNoTime() {
    LedModel model;
    model.walk(5);
    for (int step = 0; step < 5; ++step) {
      for (int tick = 0; tick < 6; ++tick) QVERIFY(model.loop->tick(1));
      model.ask(1e-3 * ++model.walked);
      QCOMPARE(model.waitTicks(), kLedTicks - 6);
      QVERIFY(std::abs(model.measured() - 1e-3 * model.walked) < 0.11e-3);
    }
    QCOMPARE(model.count(EventCode::model_late), 0);
  }

  void aStandingTestAnswersAtRest() {
    LedModel model({.step_ticks = kLedTicks, .order = 0, .settle_ticks = 3});
    for (int step = 1; step <= 5; ++step) {
      model.ask(1e-3 * step);
      QCOMPARE(model.waitTicks(), kLedTicks + 3);
      QCOMPARE(model.measured(), 1e-3 * step);
      QCOMPARE(model.force(), -kLedStiffness * 1e-3 * step);
    }
  }

  void aLateModelHoldsTheRigAndIsTold() {
    LedModel model;
    model.walk(5);
    for (int tick = 0; tick < 50; ++tick) QVERIFY(model.loop->tick(1));
    const double held = model.rig->position;
    for (int tick = 0; tick < 50; ++tick) QVERIFY(model.loop->tick(1));
    QCOMPARE(model.rig->position, held);
    QCOMPARE(model.said(EventCode::model_late), std::string("the model is late: no target for 10 ms; the bench holds"));
    QCOMPARE(model.count(EventCode::model_late), 1);
    model.walk(12);
    QVERIFY(std::abs(model.measured() - 17e-3) < 0.2e-3);
    QCOMPARE(model.said(EventCode::model_in_time),
             std::string("the model is in time again; it was late in 1 step, with 91 ms of hold"));
    model.exchange->finished = true;
    while (model.loop->tick(1)) continue;
    QCOMPARE(model.loop->summary(), std::string("the model was late in 1 of 17 steps"));
  }

  /// A model that computes nothing keeps nobody waiting: the rig stands at its target anyway.
  void aModelAtRestIsNotLate() {
    LedModel model;
    model.ask(0.0);
    model.waitTicks();
    for (int tick = 0; tick < 100; ++tick) QVERIFY(model.loop->tick(1));
    QCOMPARE(model.count(EventCode::model_late), 0);
  }

  void aLostModelEndsTheTest() {
    LedModel model({.step_ticks = kLedTicks, .silence_s = 0.5});
    model.walk(5);
    int ticks = 0;
    while (model.loop->tick(1) && ticks < 10'000) ++ticks;
    QVERIFY2(ticks >= 490 && ticks < 600, qPrintable(QString::number(ticks)));
    QCOMPARE(model.loop->endReason(), EndReason::client_lost);
    QVERIFY(model.loop->summary().starts_with("sent no target for 0.5 s"));
    QVERIFY(model.rig->stops > 0);
  }

  void targetsBeyondTheLimitsAreAnsweredWhereTheRigIs_data() {
    QTest::addColumn<double>("target");
    QTest::addColumn<QString>("said");
    QTest::newRow("too far") << 0.02 << "target of interface 1 refused: 20 mm, allowed 10 mm; the bench holds";
    QTest::newRow("too far back") << -0.5 << "target of interface 1 refused: -500 mm, allowed 10 mm; the bench holds";
    QTest::newRow("too fast") << 0.009 << "m/s, allowed 0.3 m/s; the bench holds";
  }
  void targetsBeyondTheLimitsAreAnsweredWhereTheRigIs() {
    QFETCH(double, target);
    QFETCH(QString, said);
    LedModel model({.step_ticks = kLedTicks}, {0.01, 0.3});
    model.walk(5);
    model.ask(target);
    QCOMPARE(model.waitTicks(), kLedTicks);
    QVERIFY(std::abs(model.measured() - 5e-3) < 0.1e-3);  // of the last target
    QCOMPARE(model.force(), -kLedStiffness * model.measured());
    QVERIFY2(QString::fromStdString(model.said(EventCode::target_refused)).endsWith(said),
             model.said(EventCode::target_refused).c_str());
    for (int tick = 0; tick < 100; ++tick) QVERIFY(model.loop->tick(1));
    QVERIFY(std::abs(model.rig->position - 5e-3) < 1e-12);
    model.ask(5.5e-3);  // the test goes on from there
    QCOMPARE(model.waitTicks(), kLedTicks);
    QVERIFY(std::abs(model.measured() - 5.5e-3) < 0.1e-3);
    QCOMPARE(model.loop->summary(), std::string("1 target beyond the limits was refused"));
  }

  void aTargetThatIsNoNumberStopsTheTestAtOnce() {
    for (const double target : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      LedModel model;
      model.walk(3);
      const double position = model.rig->position;
      model.ask(target);
      QVERIFY(!model.loop->tick(1));
      QCOMPARE(model.loop->endReason(), EndReason::not_a_number);
      QVERIFY(std::abs(model.rig->position - position) < 0.2e-3 && model.rig->stops > 0);
    }
  }

  void aModelThatLeavesEndsTheTest_data() {
    QTest::addColumn<bool>("abandoned");
    QTest::newRow("with its leave") << false;
    QTest::newRow("without") << true;
  }
  void aModelThatLeavesEndsTheTest() {
    QFETCH(bool, abandoned);
    LedModel model;
    model.walk(5);
    model.exchange->abandoned = abandoned;
    model.exchange->finished = true;
    while (model.loop->tick(1)) continue;
    QCOMPARE(model.loop->endReason(), abandoned ? EndReason::client_lost : EndReason::completed);
    QVERIFY(model.rig->stops > 0);
  }

  /// Missed periods stretch a step. The command never jumps.
  void lateTicksStretchTheStep() {
    LedModel model;
    model.walk(5);
    model.rig->fastest = 0.0;
    model.ask(6e-3);
    QCOMPARE(model.waitTicks(7), kLedTicks);
    QVERIFY(model.rig->fastest < 0.15e-3);
    QVERIFY(std::abs(model.measured() - 6e-3) < 0.2e-3);
  }

  /// After a hold the rig returns to the target no faster than half of what the limits allow.
  void aHoldOfTheOperatorEndsAtTheTarget() {
    LedModel model({.step_ticks = kLedTicks}, {0.01, 0.3});
    model.walk(5);
    model.ask(6e-3);
    model.loop->post({Request::Kind::hold, -1, 0.0, {}});
    for (int tick = 0; tick < 50; ++tick) QVERIFY(model.loop->tick(1));
    QVERIFY(!model.answered());
    model.loop->post({Request::Kind::resume, -1, 0.0, {}});
    model.loop->tick(1);
    for (int tick = 0; tick < 10'000 && model.loop->status().state.load() != State::running; ++tick)
      model.loop->tick(1);
    model.waitTicks();
    QVERIFY(model.answered());
    QVERIFY(std::abs(model.measured() - 6e-3) < 0.1e-3);
  }

  void itsColumnsNameThePhase() {
    const auto scheme = makeOpenFresco(std::vector<Dof>(1), {.step_ticks = kLedTicks}, kLedStep_s, makeNoCompensator(),
                                       std::make_shared<TargetExchange>(1));
    QCOMPARE(scheme->channels().size(), std::size_t{2});
    std::array<double, 2> values{-1.0, -1.0};
    scheme->readChannels(values);
    QCOMPARE(values[0], 0.0);
    QCOMPARE(values[1], 1.0);
  }

  void theTickAllocatesNothing() {
    const auto exchange = std::make_shared<TargetExchange>(1);
    const auto scheme = makeOpenFresco(std::vector<Dof>(1), {.step_ticks = kLedTicks}, kLedStep_s, makeNoCompensator(),
                                       exchange, {{0.01, 0.3}});
    scheme->reset();
    RigState state{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
    CouplingOutput output;
    output.target = output.target_rate = output.command.position = output.command.rate = state.measured;
    const ExcitationValue none;
    const AllocationGuard guard;
    for (int step = 1; step < 20; ++step) {
      exchange->targets.draft().displacement_m[0] = step < 15 ? 1e-3 * std::min(step, 8) : 1.0;
      exchange->targets.draft().number = static_cast<std::uint64_t>(step) + 1;
      exchange->targets.publish();
      for (int tick = 0; tick < kLedTicks + step; ++tick) {
        scheme->update(state, none, output);
        for (Event event; scheme->director()->takeEvent(event);) continue;
      }
    }
    QCOMPARE(guard.count(), std::uint64_t{0});
  }
};

HYB_SUITE(openfresco, TestOpenFresco)
#include "openfresco_test.moc"
