#include "core/rig/faulty_rig.h"

#include "tests/support/rig_contract.h"
#include "tests/support/suite.h"
#include "tests/support/twin_bench.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// Two actuators; sample k reads k on all displacements and 1000 + k on all forces. Remembers what it is told.
class CountingRig final : public Rig {
 public:
  std::size_t interfaces() const noexcept override { return 2; }
  std::string description() const override { return "counting"; }
  void open() override { now = 0; }
  RigStatus read(RigState& state, std::int64_t elapsed) noexcept override {
    now += elapsed;
    state.measured.setConstant(static_cast<double>(now));
    state.force.setConstant(1000.0 + static_cast<double>(now));
    return stopped ? RigStatus::fault : RigStatus::ok;
  }
  RigStatus write(const Command& command) noexcept override {
    last = command;
    ++writes;
    return RigStatus::ok;
  }
  void safeStop() noexcept override { stopped = true; }

  std::int64_t now = 0;
  int writes = 0;
  bool stopped = false;
  Command last{Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero()};
};

constexpr double kStep = 1e-3;

struct FaultBench {
  explicit FaultBench(std::uint64_t seed = 1, bool simulated = true) {
    auto owned = std::make_unique<CountingRig>();
    beneath = owned.get();
    rig = makeFaultyRig(std::move(owned), kStep, seed, simulated);
    rig->open();
    state = {Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero()};
    command = {Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero()};
  }
  /// Sample `now`, then a command of 0.1 now on both actuators.
  RigStatus tick() {
    const RigStatus status = rig->read(state, first ? 0 : 1);
    first = false;
    command.position.setConstant(0.1 * static_cast<double>(beneath->now));
    command.rate.setConstant(100.0);
    (void)rig->write(command);
    return status;
  }
  void ticks(int count) {
    for (int k = 0; k < count; ++k) (void)tick();
  }
  std::uint64_t lost() const { return rig->link()->lost.load(); }
  std::uint64_t corrupt() const { return rig->link()->corrupt.load(); }
  std::uint64_t outOfOrder() const { return rig->link()->out_of_order.load(); }

  CountingRig* beneath;
  std::unique_ptr<Rig> rig;
  RigState state;
  Command command;
  bool first = true;
};

FaultSpec fault(FaultKind kind, double value = 0.0, int interface = 0, FaultSensor sensor = FaultSensor::displacement) {
  return {kind, 0.0, 0.0, interface, sensor, value};
}

}  // namespace

class FaultyRigTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyKindHasItsNameAndFacts() {
    QCOMPARE(faultKinds().size(), std::size_t{15});
    for (const FaultFacts& facts : faultKinds()) {
      QVERIFY(faultKind(facts.name) == facts.kind);
      QVERIFY(facts.usual[0] >= facts.min && facts.usual[0] <= facts.max);
      QVERIFY(QString(facts.what).endsWith('.'));
    }
    QVERIFY(!faultKind("earthquake"));
  }

  /// Two tables of the same rig: readings on one sensor of one interface go wrong, all others stay.
  void sensorsGoWrong_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<double>("value");
    QTest::addColumn<double>("at_11");  // first faulty sample; the fault begins after sample 10
    QTest::addColumn<double>("at_61");
    const auto row = [](FaultKind kind, double value, double first, double later) {
      QTest::newRow(name(kind).data()) << static_cast<int>(kind) << value << first << later;
    };
    row(FaultKind::stuck_sensor, 0.0, 10.0, 10.0);
    row(FaultKind::spike, 5.0, 16.0, 61.0);
    row(FaultKind::drift, 100.0, 11.1, 66.1);  // 100 m/s, 1 and 51 ms after it began
    row(FaultKind::saturation, 20.0, 11.0, 20.0);
    row(FaultKind::not_a_number, 0.0, NAN, NAN);
  }
  void sensorsGoWrong() {
    QFETCH(int, kind);
    QFETCH(double, value);
    QFETCH(double, at_11);
    QFETCH(double, at_61);
    const auto close = [](double a, double b) { return std::isnan(b) ? std::isnan(a) : std::abs(a - b) < 1e-9; };
    for (const FaultSensor sensor : {FaultSensor::displacement, FaultSensor::force}) {
      FaultBench bench;
      bench.ticks(11);
      const FaultSpec spec = fault(static_cast<FaultKind>(kind), value, 2, sensor);
      const bool force = sensor == FaultSensor::force;
      const double base = force && spec.kind != FaultKind::saturation ? 1000.0 : 0.0;
      const auto reading = [&] { return force ? bench.state.force[1] : bench.state.measured[1]; };
      QVERIFY(bench.rig->inject(spec, true));
      bench.ticks(1);
      if (force && spec.kind == FaultKind::saturation) at_11 = 20.0;
      QVERIFY2(close(reading(), base + at_11), qPrintable(QString::number(reading())));
      bench.ticks(50);
      QVERIFY2(close(reading(), base + at_61), qPrintable(QString::number(reading())));
      QCOMPARE(bench.tick() == RigStatus::saturated, spec.kind == FaultKind::saturation);
      QCOMPARE(bench.state.measured[0], 62.0);
      QCOMPARE(bench.state.force[0], 1062.0);
      QCOMPARE(force ? bench.state.measured[1] : bench.state.force[1], force ? 62.0 : 1062.0);
      QVERIFY(bench.rig->inject(spec, false));
      QVERIFY(bench.tick() == RigStatus::ok);
      QCOMPARE(bench.state.measured[1], 63.0);
      QCOMPARE(bench.state.force[1], 1063.0);
    }
  }

  void aSpikeComesEveryHundredthReading() {
    FaultBench bench;
    bench.ticks(5);
    QVERIFY(bench.rig->inject(fault(FaultKind::spike, -7.0), true));
    std::vector<std::int64_t> spikes;
    for (int k = 0; k < 250; ++k) {
      bench.ticks(1);
      const auto truth = static_cast<double>(bench.beneath->now);
      if (bench.state.measured[0] != truth) {
        QCOMPARE(bench.state.measured[0], truth - 7.0);
        spikes.push_back(bench.beneath->now);
      }
    }
    QCOMPARE(spikes, (std::vector<std::int64_t>{5, 105, 205}));
  }

  /// Lost, damaged and overtaken samples: the last one stays, the tick is stale, each cause is counted apart.
  void samplesThatDoNotArrive_data() {
    QTest::addColumn<int>("kind");
    for (const FaultKind kind : {FaultKind::frame_loss, FaultKind::corruption, FaultKind::reorder})
      QTest::newRow(name(kind).data()) << static_cast<int>(kind);
  }
  void samplesThatDoNotArrive() {
    QFETCH(int, kind);
    FaultBench bench;
    bench.ticks(3);
    QVERIFY(bench.rig->inject(fault(static_cast<FaultKind>(kind), 0.25), true));
    int stale = 0;
    double last = 2.0;
    for (int k = 3; k < 4003; ++k) {
      if (bench.tick() == RigStatus::stale)
        ++stale;
      else
        last = k;
      QCOMPARE(bench.state.measured[0], last);
      QCOMPARE(bench.state.force[1], 1000.0 + last);
    }
    // 4000 draws of 0.25: 1000 +- 27; five of those.
    QVERIFY2(std::abs(stale - 1000) < 137, qPrintable(QString::number(stale)));
    const auto count = static_cast<std::uint64_t>(stale);
    QCOMPARE(bench.lost(), static_cast<FaultKind>(kind) == FaultKind::frame_loss ? count : 0);
    QCOMPARE(bench.corrupt(), static_cast<FaultKind>(kind) == FaultKind::corruption ? count : 0);
    QCOMPARE(bench.outOfOrder(), static_cast<FaultKind>(kind) == FaultKind::reorder ? count : 0);
    QCOMPARE(bench.rig->link()->received.load(), std::uint64_t{4003} - count);
    QVERIFY(bench.rig->inject(fault(static_cast<FaultKind>(kind), 0.25), false));
    for (int k = 0; k < 100; ++k) QVERIFY(bench.tick() == RigStatus::ok);
  }

  void latencyDelaysEverySample() {
    FaultBench bench;
    bench.ticks(10);
    QVERIFY(bench.rig->inject(fault(FaultKind::latency, 0.007), true));
    for (int k = 10; k < 17; ++k) {  // nothing arrives meanwhile
      QVERIFY(bench.tick() == RigStatus::stale);
      QCOMPARE(bench.state.measured[0], 9.0);
    }
    for (int k = 17; k < 100; ++k) {
      QVERIFY(bench.tick() == RigStatus::ok);
      QCOMPARE(bench.state.measured[0], static_cast<double>(k - 7));
    }
    QVERIFY(bench.rig->inject(fault(FaultKind::latency, 0.007), false));
    QVERIFY(bench.tick() == RigStatus::ok);
    QCOMPARE(bench.state.measured[0], 100.0);
    for (int k = 101; k < 120; ++k) {  // those under way never come before a newer one
      QVERIFY(bench.tick() == RigStatus::ok);
      QCOMPARE(bench.state.measured[0], static_cast<double>(k));
    }
  }

  void jitterNeverGoesBackInTime() {
    FaultBench bench;
    bench.ticks(10);
    QVERIFY(bench.rig->inject(fault(FaultKind::jitter, 0.010), true));
    double last = 9.0, oldest = 0.0;
    for (int k = 10; k < 2010; ++k) {
      const RigStatus status = bench.tick();
      const double sample = bench.state.measured[0];
      QVERIFY(status == RigStatus::stale ? sample == last : sample > last);
      oldest = std::max(oldest, k - sample);
      last = sample;
    }
    QVERIFY2(oldest >= 2.0 && oldest <= 10.0, qPrintable(QString::number(oldest)));
    QVERIFY(bench.outOfOrder() > 100);
    QCOMPARE(bench.lost(), std::uint64_t{0});
  }

  void missedPeriodsPassInFlight() {
    FaultBench bench;
    bench.ticks(10);
    QVERIFY(bench.rig->inject(fault(FaultKind::latency, 0.004), true));
    bench.ticks(10);
    QVERIFY(bench.rig->read(bench.state, 3) == RigStatus::ok);  // period 22: 18 has arrived, 19 is under way
    QCOMPARE(bench.state.measured[0], 18.0);
    QVERIFY(bench.rig->read(bench.state, 500) == RigStatus::ok);
    QCOMPARE(bench.state.measured[0], 22.0);
  }

  void aLostLinkStaysLost() {
    FaultBench bench;
    bench.ticks(10);
    const int writes = bench.beneath->writes;
    QVERIFY(bench.rig->inject(fault(FaultKind::link_loss), true));
    QVERIFY(bench.beneath->stopped);
    QVERIFY(bench.tick() == RigStatus::link_lost);
    QVERIFY(bench.rig->inject(fault(FaultKind::link_loss), false));
    QVERIFY(bench.tick() == RigStatus::link_lost);
    QCOMPARE(bench.state.measured[0], 9.0);
    QCOMPARE(bench.beneath->writes, writes);
    QVERIFY(bench.rig->write(bench.command) == RigStatus::link_lost);
    QCOMPARE(bench.rig->failure(), std::string("the link was lost by a deliberate fault"));
    bench.beneath->stopped = false;
    bench.rig->open();
    bench.first = true;
    QVERIFY(bench.tick() == RigStatus::ok);
    QVERIFY(bench.rig->failure().empty());
  }

  void aFrozenActuatorKeepsItsCommand() {
    FaultBench bench;
    bench.ticks(10);
    QVERIFY(bench.rig->inject(fault(FaultKind::actuator_freeze, 0.0, 1), true));
    bench.ticks(20);
    QCOMPARE(bench.beneath->last.position[0], 0.1 * 9);
    QCOMPARE(bench.beneath->last.rate[0], 0.0);
    QCOMPARE(bench.beneath->last.position[1], 0.1 * 29);
    QVERIFY(bench.rig->inject(fault(FaultKind::actuator_freeze, 0.0, 1), false));
    bench.ticks(1);
    QCOMPARE(bench.beneath->last.position[0], 0.1 * 30);
  }

  void aRunawayMovesOnAtItsSpeed() {
    FaultBench bench;
    bench.ticks(10);
    QVERIFY(bench.rig->inject(fault(FaultKind::runaway, -0.5, 2), true));
    bench.ticks(40);
    QVERIFY(std::abs(bench.beneath->last.position[1] - (0.1 * 9 - 0.5 * 40 * kStep)) < 1e-12);
    QCOMPARE(bench.beneath->last.rate[1], -0.5);
    QCOMPARE(bench.beneath->last.position[0], 0.1 * 49);
    FaultBench real(1, false);
    QVERIFY(!real.rig->inject(fault(FaultKind::runaway, 0.01), true));
    QVERIFY(real.rig->inject(fault(FaultKind::actuator_freeze), true));
  }

  void powerStaysOff() {
    const auto rig = makeFaultyRig(makeTwin(cut(threeMass(), threeMassPartition()), twoActuators(), kStep), kStep, 1);
    rig->open();
    RigState state{Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero()};
    const Command command{Eigen::Vector2d::Constant(1e-3), Eigen::Vector2d::Zero()};
    for (int k = 0; k < 10; ++k) {
      (void)rig->read(state, k == 0 ? 0 : 1);
      (void)rig->write(command);
    }
    const Eigen::VectorXd before = state.measured;  // on its way to 1 mm
    QVERIFY(before[0] > 1e-5 && before[0] < 9e-4);
    QVERIFY(rig->inject(fault(FaultKind::power_off), true));
    QVERIFY(rig->inject(fault(FaultKind::power_off), false));
    for (int k = 0; k < 100; ++k) {
      QVERIFY(rig->read(state, 1) == RigStatus::fault);
      QCOMPARE(state.measured, before);
      QVERIFY(rig->write(command) == RigStatus::fault);
    }
    QVERIFY(!rig->failure().empty());
    rig->open();
    QVERIFY(rig->read(state, 0) == RigStatus::ok);
  }

  void anInterlockOpensAndCloses() {
    FaultBench bench;
    QCOMPARE(bench.rig->interlocks(), std::vector<std::string>{"simulated interlock"});
    bench.ticks(10);
    QCOMPARE(bench.rig->interlocksOpen(), std::uint32_t{0});
    QVERIFY(bench.rig->inject(fault(FaultKind::interlock), true));
    QVERIFY(bench.tick() == RigStatus::interlock);
    QCOMPARE(bench.rig->interlocksOpen(), std::uint32_t{1});
    QVERIFY(bench.rig->inject(fault(FaultKind::interlock), false));
    QVERIFY(bench.tick() == RigStatus::ok);
    QCOMPARE(bench.rig->interlocksOpen(), std::uint32_t{0});
  }

  void whatMakesNoSenseIsRefused() {
    FaultBench bench;
    bench.ticks(2);
    QVERIFY(!bench.rig->inject(fault(FaultKind::spike, NAN), true));
    QVERIFY(!bench.rig->inject(fault(FaultKind::frame_loss, 1.5), true));
    QVERIFY(!bench.rig->inject(fault(FaultKind::latency, 10.0), true));
    QVERIFY(!bench.rig->inject(fault(FaultKind::spike, 1.0, 3), true));
    QVERIFY(!bench.rig->inject(fault(FaultKind::spike, 1.0, -1), true));
    QVERIFY(!bench.rig->inject(fault(FaultKind::spike, 1.0), false));  // has not begun
    for (int k = 0; k < 32; ++k) QVERIFY(bench.rig->inject(fault(FaultKind::drift, 1.0), true));
    QVERIFY(!bench.rig->inject(fault(FaultKind::drift, 1.0), true));
    for (int k = 0; k < 32; ++k) QVERIFY(bench.rig->inject(fault(FaultKind::drift, 1.0), false));
    QVERIFY(bench.tick() == RigStatus::ok);
    QCOMPARE(bench.state.measured[0], 2.0);
  }

  void theSameSeedGivesTheSameFaults() {
    const auto samples = [](std::uint64_t seed) {
      FaultBench bench(seed);
      (void)bench.rig->inject(fault(FaultKind::frame_loss, 0.3), true);
      (void)bench.rig->inject(fault(FaultKind::jitter, 0.004), true);
      std::vector<double> list;
      for (int k = 0; k < 500; ++k) {
        bench.ticks(1);
        list.push_back(bench.state.measured[0]);
      }
      return list;
    };
    QVERIFY(samples(7) == samples(7));
    QVERIFY(samples(7) != samples(8));
  }

  void aTickWithFaultsAllocatesNothing() {
    FaultBench bench;
    bench.ticks(3);
    const AllocationGuard guard;
    for (const bool begin : {true, false})
      for (const FaultFacts& facts : faultKinds()) {
        if (facts.kind != FaultKind::link_loss && facts.kind != FaultKind::power_off)
          (void)bench.rig->inject(fault(facts.kind, facts.usual[0]), begin);
        bench.ticks(20);
      }
    QCOMPARE(guard.count(), std::uint64_t{0});
  }
};

/// While no fault is active, it is the rig beneath.
class FaultyTwinContract : public RigContract {
  Q_OBJECT
 protected:
  std::unique_ptr<Rig> makeRig() override {
    return makeFaultyRig(makeTwin(cut(threeMass(), threeMassPartition()), twoActuators(), kStep), kStep, 1);
  }
 private Q_SLOTS:
  void readingsAreThoseOfTheRigBeneath() {
    const auto faulty = makeRig(), plain = makeTwin(cut(threeMass(), threeMassPartition()), twoActuators(), kStep);
    faulty->open();
    plain->open();
    QVERIFY(drive(*faulty, 500) == drive(*plain, 500));
    QCOMPARE(faulty->description(), plain->description());
  }
};

HYB_SUITE(faulty_rig, FaultyRigTest, FaultyTwinContract)
HYB_THREADS(faulty_rig)
#include "faulty_rig_test.moc"
