#pragma once
#include <QtTest>
#include <functional>
#include <memory>
#include <vector>

#include "tests/support/three_mass_run.h"

namespace hyb::test {

/// A rig that obeys at once and does what the test tells it: wrong values, lost link, stale data.
class ScriptedRig final : public Rig {
 public:
  std::size_t interfaces() const noexcept override { return 2; }
  std::string description() const override { return "scripted"; }
  void open() override { safe = false; }
  RigStatus read(RigState& state, std::int64_t elapsed) noexcept override {
    elapsed_seen = elapsed;
    ++reads;
    if (on_read) on_read();
    state.measured = position;
    state.force = force;
    return status;
  }
  RigStatus write(const Command& command) noexcept override {
    ++writes;
    if (!safe) position = command.position;
    return RigStatus::ok;
  }
  void safeStop() noexcept override { safe = true; }
  std::vector<Channel> channels() const override { return {{"raw_oil", "V", "oil temperature", 0}}; }
  void readChannels(std::span<double> values) const noexcept override { values[0] = oil; }
  const LinkFigures* link() const noexcept override { return &figures; }
  Lead* lead() noexcept override { return leader; }
  std::vector<std::string> interlocks() const override { return {"e-stop", "door"}; }
  std::uint32_t interlocksOpen() const noexcept override { return interlocks_open; }
  bool inject(const FaultSpec& fault, bool begin) noexcept override {
    if (fault.kind == FaultKind::runaway) return false;
    active_faults += begin ? 1 : -1;
    return true;
  }
  std::string failure() const override { return why; }

  Eigen::VectorXd position = Eigen::Vector2d::Zero(), force = Eigen::Vector2d::Zero();
  RigStatus status = RigStatus::ok;
  std::int64_t elapsed_seen = -1;
  LinkFigures figures;
  double oil = 0.0;
  std::uint32_t interlocks_open = 0;
  Lead* leader = nullptr;
  std::function<void()> on_read;
  int reads = 0, writes = 0, active_faults = 0;
  bool safe = false;
  std::string why;
};

struct Bench {
  explicit Bench(std::vector<Limit> limits = {}, double duration_s = 1.0, double wall_m = 0.002,
                 std::vector<FaultSpec> faults = {}, TrialSpec trials = {},
                 std::unique_ptr<Compensator> compensator = makeNoCompensator()) {
    const Partition partition = cut(threeMass(), threeMassPartition());
    auto owned = std::make_unique<ScriptedRig>();
    rig = owned.get();
    LoopConfig config;
    config.duration_s = duration_s;
    config.trials = trials;
    config.soft_start_s = config.soft_end_s = 0.2;
    config.stop_ramp_s = 0.1;
    Excitation excitation({{"walls", "m", makeSine({wall_m, 8.0, 0.0})}},
                          {{0, LoadTarget::support_motion, 0, 1.0}, {0, LoadTarget::support_motion, 1, -1.0}}, 2, 3);
    loop = std::make_unique<Loop>(config, std::move(owned),
                                  makeTracking(partition, IntegratorSpec{}, 1e-3, std::move(compensator)),
                                  std::move(excitation), std::move(limits), std::move(faults));
    rows = std::make_unique<RowRing>(loop->layout().width(), 100000);
    if (const std::size_t columns = loop->layout().segmentColumns().size(); columns > 0) {
      segments = std::make_unique<RowRing>(columns, loop->layout().mostSegments());
      loop->attachSegments(segments.get());
    }
    loop->attachDisplay(rows.get(), &events);
  }
  void start() {
    loop->arm();
    QVERIFY(loop->post({Request::Kind::start, -1, 0.0, {}}));
  }
  /// Ticks until the end or `ticks`; returns how many.
  int run(int ticks = 1000000) {
    int done = 0;
    while (done < ticks && loop->tick(1)) ++done;
    return done;
  }
  State state() const { return loop->status().state.load(); }
  std::vector<Event> takeEvents(EventCode code) {
    std::vector<Event> found;
    Event event;
    while (events.pop(event))
      if (event.code == code) found.push_back(event);
    return found;
  }
  static std::vector<std::vector<double>> take(RowRing& ring) {
    std::vector<double> flat;
    std::vector<std::vector<double>> result;
    const std::size_t count = ring.pop(flat, 100000);
    for (std::size_t r = 0; r < count; ++r)
      result.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(r * ring.width()),
                          flat.begin() + static_cast<std::ptrdiff_t>((r + 1) * ring.width()));
    return result;
  }
  std::vector<std::vector<double>> takeRows() { return take(*rows); }
  ScriptedRig* rig = nullptr;
  std::unique_ptr<Loop> loop;
  std::unique_ptr<RowRing> rows, segments;
  EventRing events;
};

}  // namespace hyb::test
