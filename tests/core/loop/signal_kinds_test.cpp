#include <QtTest>
#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/loop/loop.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

/// The first axis asks for a displacement and commands a voltage, the second asks for a force and commands a
/// displacement.
class MixedScheme final : public CouplingScheme {
 public:
  std::size_t interfaces() const noexcept override { return 2; }
  void reset() override {}
  void restart() noexcept override {}
  void update(const RigState& state, const ExcitationValue&, CouplingOutput& output) noexcept override {
    ++updates_;
    seen = state.measured;
    const double t = 0.01 * updates_;
    output.target = Eigen::Vector2d(1e-3 * std::sin(t), 5.0 + std::sin(3.0 * t));
    output.target_rate.setZero();
    output.command.position = Eigen::Vector2d(2.0 + std::sin(t), 4e-3 * std::sin(t));
    output.command.rate.setZero();
  }
  std::vector<AxisSignals> axisSignals() const override {
    using enum SignalKind;
    return {{"coil", displacement, displacement, voltage}, {"spring", displacement, force, displacement}};
  }
  std::vector<Channel> channels() const override { return {{"updates", "", "how often it was asked", 0}}; }
  void readChannels(std::span<double> values) const noexcept override { values[0] = updates_; }

  Eigen::VectorXd seen;

 private:
  int updates_ = 0;
};

/// Stands at 3 and 2 mm; a volt moves the first axis by 1 mm, the second obeys; a force that depends on both.
class MixedRig final : public Rig {
 public:
  std::size_t interfaces() const noexcept override { return 2; }
  std::string description() const override { return "mixed"; }
  void open() override {}
  RigStatus read(RigState& state, std::int64_t) noexcept override {
    state.measured = position;
    state.force = Eigen::Vector2d(-800.0 * position[0], 7.0 - 500.0 * position[1]);
    return RigStatus::ok;
  }
  RigStatus write(const Command& command) noexcept override {
    written = command.position;
    position = Eigen::Vector2d(3e-3 + 1e-3 * command.position[0], command.position[1]);
    return RigStatus::ok;
  }
  void safeStop() noexcept override {}
  std::vector<Channel> channels() const override { return {{"oil", "V", "oil temperature", 0}}; }
  void readChannels(std::span<double> values) const noexcept override { values[0] = -1.0; }

  Eigen::VectorXd position = Eigen::Vector2d(3e-3, 2e-3), written;
};

struct MixedBench {
  explicit MixedBench(std::vector<Limit> limits = {}) {
    auto owned_rig = std::make_unique<MixedRig>();
    auto owned_scheme = std::make_unique<MixedScheme>();
    rig = owned_rig.get();
    scheme = owned_scheme.get();
    LoopConfig config;
    config.duration_s = 0.0;
    config.soft_start_s = 0.1;
    config.stop_ramp_s = 0.1;
    loop = std::make_unique<Loop>(config, std::move(owned_rig), std::move(owned_scheme), Excitation({}, {}, 0, 0),
                                  std::move(limits));
    rows = std::make_unique<RowRing>(loop->layout().width(), 10000);
    loop->attachDisplay(rows.get(), &events);
    loop->arm();
  }
  void start() { QVERIFY(loop->post({Request::Kind::start, -1, 0.0, {}})); }
  std::vector<std::vector<double>> takeRows() {
    std::vector<double> flat;
    std::vector<std::vector<double>> all;
    const std::size_t count = rows->pop(flat, 10000), width = rows->width();
    for (std::size_t r = 0; r < count; ++r)
      all.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(r * width),
                       flat.begin() + static_cast<std::ptrdiff_t>((r + 1) * width));
    return all;
  }
  MixedRig* rig;
  MixedScheme* scheme;
  std::unique_ptr<Loop> loop;
  std::unique_ptr<RowRing> rows;
  EventRing events;
};

}  // namespace

class SignalKindsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyKindHasItsOwnWords() {
    std::set<std::string_view> units, keys, names;
    for (std::size_t k = 0; k < kSignalKinds.size(); ++k) {
      const auto kind = static_cast<SignalKind>(k);
      const SignalKindFacts& f = facts(kind);
      QVERIFY(names.insert(f.name).second && units.insert(f.unit).second && units.insert(f.rate_unit).second);
      QVERIFY(keys.insert(f.threshold).second && keys.insert(f.rate_threshold).second);
      QVERIFY(f.rate_threshold == std::string(f.threshold) + "_per_s");
      QVERIFY(signalKind(f.unit) == kind);
      QVERIFY(facts(f.partner).partner == kind);
      QVERIFY(f.shown_span > 0.0);
    }
    QVERIFY(signalKind("kg/s") == SignalKind::displacement);
  }

  void unitsOfTheRowsFollowTheKinds() {
    const RowLayout layout(3, {}, true, {},
                           {motionSignals("y", SignalKind::displacement),
                            motionSignals("phi", SignalKind::rotation),
                            {"spring", SignalKind::displacement, SignalKind::force, SignalKind::voltage}});
    const auto row = [&](std::size_t i) {
      return std::vector<std::string>{layout.units(layout.target(i)),   layout.units(layout.command(i)),
                                      layout.units(layout.measured(i)), layout.units(layout.force(i)),
                                      layout.units(layout.gap(i)),      layout.units(layout.velocity(i)),
                                      layout.units(layout.reference(i))};
    };
    QCOMPARE(row(0), (std::vector<std::string>{"m", "m", "m", "N", "m", "m/s", "m"}));
    QCOMPARE(row(1), (std::vector<std::string>{"rad", "rad", "rad", "N m", "rad", "rad/s", "rad"}));
    QCOMPARE(row(2), (std::vector<std::string>{"N", "V", "m", "N", "N", "m/s", "N"}));
    const auto description = [&](std::size_t column) {
      return layout.channels()[column - RowLayout::kFirstChannel].description;
    };
    QCOMPARE(description(layout.target(0)),
             std::string("y: z: interface displacement that the numerical substructure asks for, positive along +x"));
    QVERIFY(description(layout.gap(2)).find("f - z") != std::string::npos);
    QVERIFY(description(layout.command(2)).find("voltage command") != std::string::npos);
  }

  /// A displacement command takes the actuator over where it stands; a voltage begins at 0.
  void atRestAVoltageIsZero() {
    MixedBench bench;
    for (int k = 0; k < 5; ++k) {
      QVERIFY(bench.loop->tick(1));
      QCOMPARE(bench.rig->written[0], 0.0);
      QCOMPARE(bench.rig->written[1], 2e-3);
    }
    bench.start();
    QVERIFY(bench.loop->tick(1));
    QCOMPARE(bench.rig->written[0], 0.0);
    QCOMPARE(bench.rig->written[1], 2e-3);
    // The first update: only what a displacement command starts from fades out, and the scheme does not see it.
    QVERIFY(bench.loop->tick(1));
    QCOMPARE(bench.rig->written[0], 2.0 + std::sin(0.01));
    QCOMPARE(bench.scheme->seen[0], 3e-3);
    QVERIFY(std::abs(bench.scheme->seen[1]) < 1e-5);
  }

  void gapAndEnergyAreThoseOfTheTrackedPair() {
    MixedBench bench;
    bench.start();
    for (int k = 0; k < 400; ++k) QVERIFY(bench.loop->tick(1));
    const RowLayout& layout = bench.loop->layout();
    const auto rows = bench.takeRows();
    QCOMPARE(rows.size(), std::size_t{400});
    double energy = 0.0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto at = [&](std::size_t row, std::size_t column) { return rows[row][column]; };
      QCOMPARE(at(k, layout.gap(0)), at(k, layout.measured(0)) - at(k, layout.target(0)));
      QCOMPARE(at(k, layout.gap(1)), at(k, layout.force(1)) - at(k, layout.target(1)));
      if (k == 0) continue;
      energy -= 0.5 * (at(k, layout.force(0)) + at(k - 1, layout.force(0))) *
                (at(k, layout.gap(0)) - at(k - 1, layout.gap(0)));
      energy -= 0.5 * (at(k, layout.gap(1)) + at(k - 1, layout.gap(1))) *
                (at(k, layout.measured(1)) - at(k - 1, layout.measured(1)));
    }
    QVERIFY(std::abs(energy) > 1e-4);
    QVERIFY(std::abs(bench.loop->status().energy_error_j.load() - energy) < 1e-12);
  }

  /// Held, each command stays; stopped, each goes to zero; nothing is asked for, so no gap where the target is another
  /// signal than the command.
  void holdsAndStopsEveryKind() {
    MixedBench bench;
    bench.start();
    for (int k = 0; k < 200; ++k) QVERIFY(bench.loop->tick(1));
    const Eigen::VectorXd before = bench.rig->written;
    QVERIFY(before[0] > 1.0);
    QVERIFY(bench.loop->post({Request::Kind::hold, -1, 0.0, {}}));
    for (int k = 0; k < 10; ++k) QVERIFY(bench.loop->tick(1));
    QVERIFY(bench.rig->written == before);
    const RowLayout& layout = bench.loop->layout();
    const std::vector<double> held = bench.takeRows().back();
    QCOMPARE(held[layout.gap(0)], 0.0);
    QCOMPARE(held[layout.gap(1)], 0.0);
    QCOMPARE(held[layout.target(1)], held[layout.force(1)]);
    bench.loop->requestStop();
    while (bench.loop->tick(1)) {
    }
    QVERIFY(bench.loop->endReason() == EndReason::operator_stop);
    QVERIFY(bench.rig->written.cwiseAbs().maxCoeff() < 1e-12);
  }

  void columnsOfTheSchemeStandBeforeTheRigs() {
    MixedBench bench;
    const RowLayout& layout = bench.loop->layout();
    QCOMPARE(layout.furtherChannels(), std::size_t{2});
    QCOMPARE(layout.channels()[layout.furtherColumn(0) - RowLayout::kFirstChannel].name, std::string("updates"));
    bench.start();
    for (int k = 0; k < 20; ++k) QVERIFY(bench.loop->tick(1));
    const auto rows = bench.takeRows();
    for (std::size_t k = 0; k < rows.size(); ++k) {
      QCOMPARE(rows[k][layout.furtherColumn(0)], static_cast<double>(k));
      QCOMPARE(rows[k][layout.furtherColumn(1)], -1.0);
    }
  }

  /// 2.5 V are beyond a limit in volts, and mean nothing to one in metres, on whichever axis.
  void limitsCountForTheirKind() {
    Limit volts{limitQuantity("command"), 0, 1.0, Action::indicate, SignalKind::voltage};
    Limit metres{limitQuantity("command"), 0, 0.1, Action::stop, SignalKind::displacement};
    Limit gap_m{limitQuantity("gap"), 0, 0.1, Action::stop, SignalKind::displacement};
    QVERIFY(volts.unit() == "V" && volts.thresholdKey() == "threshold_v");
    MixedBench bench({volts, metres, gap_m});
    bench.start();
    for (int k = 0; k < 150; ++k) QVERIFY(bench.loop->tick(1));
    const auto& monitors = bench.loop->safety().monitors();
    QVERIFY(monitors[0].latched.load() && monitors[0].peak.load() > 2.0);
    QVERIFY(!monitors[1].latched.load() && monitors[1].peak.load() < 5e-3);
    QVERIFY(!monitors[2].latched.load() && monitors[2].peak.load() > 0.0);
    QCOMPARE(bench.loop->eventNames().limit_units, (std::vector<std::string>{"V", "m", "m"}));
  }

  /// On a column of the scheme and on one of the rig, in the tick in which it is crossed.
  void limitsOnFurtherColumns() {
    Limit updates{limitQuantity("signal"), 0, 49.5, Action::stop};
    updates.channel = "updates";
    Limit oil{limitQuantity("signal"), 0, 0.5, Action::indicate};
    oil.channel = "oil";
    MixedBench bench({oil, updates});
    QCOMPARE(bench.loop->eventNames().limits, (std::vector<std::string>{"signal oil", "signal updates"}));
    QCOMPARE(bench.loop->eventNames().limit_units, (std::vector<std::string>{"V", ""}));
    bench.start();
    while (bench.loop->tick(1)) {
    }
    QVERIFY(bench.loop->endReason() == EndReason::limit);
    QCOMPARE(bench.loop->status().deciding_limit.load(), 1);
    const std::vector<double> last = bench.takeRows().back();
    QCOMPARE(last[bench.loop->layout().furtherColumn(0)], 50.0);
    QVERIFY(bench.loop->safety().monitors()[0].active.load());
    QCOMPARE(bench.loop->safety().monitors()[0].value.load(), 1.0);
    updates.channel = "nothing";
    QVERIFY_THROWS_EXCEPTION(InputError, MixedBench({updates}));
  }
};

HYB_SUITE(signal_kinds, SignalKindsTest)
#include "signal_kinds_test.moc"
