#include "core/coupling/external_target.h"

#include "core/compensation/compensator.h"
#include "tests/core/loop/loop_bench.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr int kRampTicks = 5, kSettleTicks = 3;
constexpr double kStiffness = 2000.0, kTarget_m = 1e-3;

/// A spring that obeys one tick after the command, as every rig does.
class SpringRig final : public Rig {
 public:
  std::size_t interfaces() const noexcept override { return 1; }
  std::string description() const override { return "spring"; }
  void open() override {}
  RigStatus read(RigState& state, std::int64_t) noexcept override {
    state.measured[0] = position_;
    state.force[0] = -kStiffness * position_;
    return RigStatus::ok;
  }
  RigStatus write(const Command& command) noexcept override {
    position_ = command.position[0];
    return RigStatus::ok;
  }
  void safeStop() noexcept override {}

 private:
  double position_ = 0.0;
};

/// A test whose target comes from outside, at rest and answered at zero.
struct Site {
  Site() : exchange(std::make_shared<TargetExchange>(1)) {
    LoopConfig config;
    config.duration_s = 0.0;
    config.soft_start_s = config.soft_end_s = config.stop_ramp_s = 0.0;
    loop = std::make_unique<Loop>(
        config, std::make_unique<SpringRig>(),
        makeExternalTarget(std::vector<Dof>(1), {kRampTicks, kSettleTicks}, 1e-3, makeNoCompensator(), exchange),
        Excitation({}, {}, 0, 0), std::vector<Limit>());
    loop->arm();
    started = loop->post({Request::Kind::start, -1, 0.0, {}});
    for (int t = 0; t < 2 * (kRampTicks + kSettleTicks); ++t) loop->tick(1);
  }
  void ask(double target_m) {
    exchange->targets.draft() = {{target_m}, ++number};
    exchange->targets.publish();
    exchange->asked = number;
  }
  bool answered() const { return exchange->answered.load() == number; }

  std::shared_ptr<TargetExchange> exchange;
  std::unique_ptr<Loop> loop;
  std::uint64_t number = 1;
  bool started = false;
};

}  // namespace

class TestExternalTarget : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theForceIsTakenAfterRampAndSettling() {
    Site site;
    QVERIFY(site.started && site.answered());
    site.ask(kTarget_m);
    int ticks = 0;
    while (!site.answered() && ticks < 100) {
      QVERIFY(site.loop->tick(1));
      ++ticks;
    }
    QCOMPARE(ticks, kRampTicks + kSettleTicks);
    QVERIFY(site.exchange->answers.receive());
    QCOMPARE(site.exchange->answers.value().displacement_m[0], kTarget_m);
    QCOMPARE(site.exchange->answers.value().force_n[0], -kStiffness * kTarget_m);
  }

  /// However late the ticks come: what goes back was measured with the actuators at the target, never on the way there.
  void lateTicksNeverAnswerOnTheWay_data() {
    QTest::addColumn<int>("late_at");
    QTest::addColumn<int>("elapsed");
    for (int at = 0; at < kRampTicks + kSettleTicks; ++at)
      for (const int elapsed : {2, 4, 7, 20}) QTest::addRow("%d periods in tick %d", elapsed, at) << at << elapsed;
  }
  void lateTicksNeverAnswerOnTheWay() {
    QFETCH(int, late_at);
    QFETCH(int, elapsed);
    Site site;
    site.ask(kTarget_m);
    for (int tick = 0; !site.answered() && tick < 100; ++tick) QVERIFY(site.loop->tick(tick == late_at ? elapsed : 1));
    QVERIFY(site.answered());
    QVERIFY(site.exchange->answers.receive());
    QCOMPARE(site.exchange->answers.value().displacement_m[0], kTarget_m);
    QCOMPARE(site.exchange->answers.value().force_n[0], -kStiffness * kTarget_m);
  }

  void aClientThatTookItsLeaveCompletesTheTest() {
    Site site;
    site.exchange->finished = true;
    while (site.loop->tick(1)) continue;
    QCOMPARE(site.loop->endReason(), EndReason::completed);
  }
  void aClientThatIsGoneDoesNot() {
    Site site;
    site.exchange->abandoned = site.exchange->finished = true;
    while (site.loop->tick(1)) continue;
    QCOMPARE(site.loop->endReason(), EndReason::client_lost);
    QVERIFY(site.loop->status().state == State::fault);
  }

  /// Every tick late: it takes longer, no more.
  void allTicksLate() {
    Site site;
    site.ask(kTarget_m);
    int ticks = 0;
    for (; !site.answered() && ticks < 100; ++ticks) QVERIFY(site.loop->tick(10));
    QCOMPARE(ticks, 1 + kSettleTicks);
    QVERIFY(site.exchange->answers.receive());
    QCOMPARE(site.exchange->answers.value().force_n[0], -kStiffness * kTarget_m);
  }
};

HYB_SUITE(external_target, TestExternalTarget)
#include "external_target_test.moc"
