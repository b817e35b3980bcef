/// Every fault on purpose in every mode: the declared action comes within a tick of what asks for it, the event is in
/// the file, the actuators end in their safe state, and no row is lost. The matrix is printed.
#include <QTemporaryDir>
#include <cmath>
#include <map>

#include "core/loop/pacing.h"
#include "core/record/recorder.h"
#include "core/record/run_file_reader.h"
#include "core/run/build.h"
#include "core/run/test_run.h"
#include "tests/support/suite.h"
#include "tests/support/twin_device.h"

using namespace hyb;
using namespace hyb::test;

namespace {

namespace fs = std::filesystem;

enum class Mode { free, paced, shadow, rig };
constexpr std::array<const char*, 4> kModes = {"free", "paced twin", "shadow", "rig"};

constexpr double kFaultFrom_s = 0.8, kRamp_s = 0.1;

/// What a fault has to lead to: the limit that decides and its action; no limit: the status of the rig itself.
struct Expected {
  FaultKind kind;
  double value;
  const char* limit;
  Action action;
};

constexpr std::array<Expected, 15> kExpected = {{
    {FaultKind::link_loss, 0.0, "link-lost", Action::stop},
    {FaultKind::frame_loss, 1.0, "stale-data", Action::ramp},
    {FaultKind::corruption, 1.0, "stale-data", Action::ramp},
    {FaultKind::reorder, 1.0, "stale-data", Action::ramp},
    {FaultKind::latency, 0.05, "stale-data", Action::ramp},
    {FaultKind::jitter, 0.5, "stale-data", Action::ramp},
    {FaultKind::stuck_sensor, 0.0, "gap", Action::ramp},
    {FaultKind::spike, 0.1, "displacement", Action::stop},
    {FaultKind::drift, 0.2, "gap", Action::ramp},
    {FaultKind::not_a_number, 0.0, "not-a-number", Action::stop},
    {FaultKind::saturation, 1e-4, "gap", Action::ramp},
    {FaultKind::actuator_freeze, 0.0, "gap", Action::ramp},
    {FaultKind::runaway, 0.2, "gap", Action::ramp},
    {FaultKind::power_off, 0.0, "", Action::stop},
    {FaultKind::interlock, 0.0, "interlock", Action::stop},
}};

Project projectOf(const Expected& expected, Mode mode) {
  Json document = templateDocument("three-mass");
  document["loop"]["duration_s"] = 3.0;
  document["loop"]["soft_start_s"] = 0.4;
  document["loop"]["soft_end_s"] = 0.1;
  document["analysis"]["start_s"] = 0.4;
  document["safety"] = Json::parse(R"({"limits": [
      {"quantity": "displacement", "threshold_m": 0.05, "action": "stop"},
      {"quantity": "gap", "threshold_m": 0.001, "action": "ramp"},
      {"quantity": "stale-data", "threshold_ticks": 5, "action": "ramp"},
      {"quantity": "link-lost", "action": "stop"},
      {"quantity": "interlock", "action": "stop"},
      {"quantity": "not-a-number", "action": "stop"}]})");
  document["safety"]["stop_ramp_s"] = kRamp_s;
  Json fault = {{"kind", name(expected.kind)}, {"from_s", kFaultFrom_s}};
  if (faultFacts(expected.kind).max > faultFacts(expected.kind).min) fault["value"] = expected.value;
  document["rig"]["faults"] = Json::array({fault});
  if (mode == Mode::shadow || mode == Mode::rig) {
    document["rig"]["use"] = mode == Mode::rig ? "rig" : "shadow";
    document["rig"]["connection"] = {{"protocol", "frames"}, {"address", "tcp://127.0.0.1:1"}};
  }
  return parseProject(document);
}

/// A clock that costs no time; every 97th wake-up is two periods late.
class FakeClock final : public Clock {
 public:
  std::int64_t nowNs() noexcept override { return now_ns_; }
  int sleepUntilNs(std::int64_t wake_ns) noexcept override {
    now_ns_ = wake_ns + (++sleeps_ % 97 == 0 ? 2'100'000 : 20'000);
    return 0;
  }

 private:
  std::int64_t now_ns_ = 1'000'000'000;
  int sleeps_ = 0;
};

/// Passes everything on and remembers how it ended.
class WatchedRig final : public Rig {
 public:
  WatchedRig(std::unique_ptr<Rig> rig, int& safe_stops) : rig_(std::move(rig)), safe_stops_(safe_stops) {}
  std::size_t interfaces() const noexcept override { return rig_->interfaces(); }
  std::string description() const override { return rig_->description(); }
  void open() override { rig_->open(); }
  RigStatus read(RigState& state, std::int64_t elapsed) noexcept override { return rig_->read(state, elapsed); }
  RigStatus write(const Command& command) noexcept override { return rig_->write(command); }
  void safeStop() noexcept override {
    ++safe_stops_;
    rig_->safeStop();
  }
  std::vector<Channel> channels() const override { return rig_->channels(); }
  void readChannels(std::span<double> values) const noexcept override { rig_->readChannels(values); }
  const LinkFigures* link() const noexcept override { return rig_->link(); }
  std::vector<std::string> interlocks() const override { return rig_->interlocks(); }
  std::uint32_t interlocksOpen() const noexcept override { return rig_->interlocksOpen(); }
  bool inject(const FaultSpec& fault, bool begin) noexcept override { return rig_->inject(fault, begin); }
  std::string failure() const override { return rig_->failure(); }

 private:
  std::unique_ptr<Rig> rig_;
  int& safe_stops_;
};

struct Outcome {
  EndReason reason = EndReason::running;
  State state = State::ready;
  std::string sentence;
  std::uint64_t ticks = 0, dropped = 0;  // ticks of the loop from Run on; rows that did not reach the file
  int safe_stops = 0;                    // before the loop was destroyed
  bool stands = true;                    // the actuators, 50 ticks after the end
};

/// One run from Run to its end, recorded.
Outcome runOnce(const Project& project, Mode mode, const fs::path& file) {
  const Partition partition = buildPartition(project);
  const double step_s = 1.0 / project.loop.rate_hz;
  const DeviceFactory devices = [&](const RigSpec&, const DeviceChannels&) {
    return std::make_unique<TwinDevice>(buildTwin(project, partition), step_s);
  };
  Outcome outcome;
  auto watched =
      std::make_unique<WatchedRig>(buildRig(project, partition, devices, mode == Mode::paced), outcome.safe_stops);
  Rig& rig = *watched;
  const std::unique_ptr<Loop> loop = buildLoop(project, std::move(watched));
  Recorder recorder(file, buildHeader(project), loop->layout(), loop->eventNames(), project.loop.rate_hz,
                    project.loop.duration_s, project.recording.flush_s);
  loop->attachRecorder(&recorder.rows(), &recorder.events(), &recorder.failedFlag());
  loop->arm();
  loop->post({Request::Kind::start, -1, 0.0, {}});
  if (mode == Mode::paced) {
    FakeClock clock;
    (void)runPaced(*loop, clock);
  } else {
    while (loop->tick(1)) {
    }
  }
  outcome.reason = loop->endReason();
  outcome.state = loop->status().state.load();
  outcome.sentence = endSentence(*loop);
  outcome.ticks = loop->status().tick.load() + 1 - loop->status().missed_periods.load();
  recorder.close({outcome.reason == EndReason::completed, true, outcome.sentence});
  outcome.dropped = recorder.lostRows();
  // The rig is in its safe state now: what it says does not get better, and commands do not get through.
  const auto n = static_cast<Eigen::Index>(rig.interfaces());
  RigState state{Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
  for (int k = 0; k < 50; ++k) {
    const RigStatus read = rig.read(state, 1);
    const RigStatus written = rig.write({Eigen::VectorXd::Constant(n, 1e-3), Eigen::VectorXd::Zero(n)});
    outcome.stands = outcome.stands && (read == RigStatus::fault || read == RigStatus::link_lost) &&
                     (written == RigStatus::fault || written == RigStatus::link_lost);
  }
  return outcome;
}

const RecordedEvent* find(const std::vector<RecordedEvent>& events, EventCode code, const std::string& text = {}) {
  for (const RecordedEvent& event : events)
    if (event.code == static_cast<int>(code) && event.message.find(text) != std::string::npos) return &event;
  return nullptr;
}

/// First row, from the recorded values alone, in which what the limit watches is beyond its threshold.
std::size_t firstRowBeyond(const RunFileReader& run, const std::string& limit) {
  const auto flags = run.read("acquisition/flags");
  const auto anyBeyond = [&](const char* channel, auto&& beyond) {
    std::size_t first = flags.size();
    for (const char* i : {"1", "2"}) {
      const auto values = run.read("acquisition/" + std::string(channel) + i);
      for (std::size_t k = 0; k < first; ++k)
        if (beyond(values[k])) first = k;
    }
    return first;
  };
  if (limit == "gap") return anyBeyond("gap_", [](double gap) { return std::abs(gap) > 0.001; });
  if (limit == "displacement") return anyBeyond("measured_", [](double x) { return std::abs(x) > 0.05; });
  if (limit == "not-a-number") return anyBeyond("measured_", [](double x) { return std::isnan(x); });
  if (limit == "stale-data") {
    int in_a_row = 0;
    for (std::size_t k = 0; k < flags.size(); ++k) {
      in_a_row = (static_cast<std::uint32_t>(flags[k]) & kFlagStaleInput) != 0 ? in_a_row + 1 : 0;
      if (in_a_row == 5) return k;
    }
    return flags.size();
  }
  return flags.size() - 1;  // states of the rig stop the test in the tick that sees them
}

}  // namespace

class FaultMatrixTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::map<FaultKind, std::array<QString, 4>> matrix_;

 private Q_SLOTS:
  void everyFaultInEveryMode_data() {
    QTest::addColumn<int>("row");
    QTest::addColumn<int>("mode");
    for (std::size_t e = 0; e < kExpected.size(); ++e)
      for (std::size_t m = 0; m < kModes.size(); ++m)
        QTest::addRow("%s, %s", name(kExpected[e].kind).data(), kModes[m])
            << static_cast<int>(e) << static_cast<int>(m);
  }

  void everyFaultInEveryMode() {
    QFETCH(int, row);
    QFETCH(int, mode);
    const Expected& expected = kExpected[static_cast<std::size_t>(row)];
    const Project project = projectOf(expected, static_cast<Mode>(mode));
    const fs::path file = fs::path(folder_.path().toStdString()) / (std::to_string(row) + std::to_string(mode) + ".h5");
    const Outcome outcome = runOnce(project, static_cast<Mode>(mode), file);
    const RunFileReader run(file);
    const auto ticks = run.read("acquisition/tick");
    const auto events = run.events();

    // No row lost: one for each tick of the loop.
    QCOMPARE(outcome.dropped, std::uint64_t{0});
    QCOMPARE(run.info().rows, outcome.ticks);

    // The fault began when the project says, and the file says so.
    const RecordedEvent* const begun = find(events, EventCode::fault_injected);
    QVERIFY(begun != nullptr);
    QVERIFY2(std::abs(static_cast<double>(begun->tick) - kFaultFrom_s * 1000.0) <= 3.0,
             qPrintable(QString::number(begun->tick)));
    QVERIFY2(begun->message.find(name(expected.kind)) != std::string::npos, begun->message.c_str());

    // It was seen where the rows show it, within a tick.
    const std::size_t seen = firstRowBeyond(run, expected.limit);
    QVERIFY(seen < ticks.size() && ticks[seen] > static_cast<double>(begun->tick));
    const RecordedEvent* const hit = *expected.limit != '\0' ? find(events, EventCode::limit_hit, expected.limit)
                                                             : find(events, EventCode::rig_status);
    QVERIFY2(hit != nullptr, outcome.sentence.c_str());
    const double before = ticks[seen - 1], at = ticks[seen];
    QVERIFY2(static_cast<double>(hit->tick) >= before && static_cast<double>(hit->tick) <= at,
             qPrintable(QString("event at %1, row at %2").arg(hit->tick).arg(at)));

    // The declared action, in that very row.
    const auto flags = run.read("acquisition/flags");
    QVERIFY((static_cast<std::uint32_t>(flags[seen]) & kFlagStopping) != 0 || seen + 1 == ticks.size());
    if (expected.action == Action::stop) {
      QCOMPARE(seen + 1, ticks.size());
    } else {
      QVERIFY(std::abs(ticks.back() - at - kRamp_s * 1000.0) <= 4.0);
      for (const char* channel : {"acquisition/command_1", "acquisition/command_2"})
        QVERIFY(std::abs(run.read(channel).back()) < 1e-9);  // at zero
    }
    QVERIFY(outcome.reason != EndReason::completed && outcome.reason != EndReason::operator_stop);
    QCOMPARE(outcome.state, State::fault);
    QVERIFY2(*expected.limit == '\0' || outcome.reason != EndReason::limit ||
                 outcome.sentence.find(expected.limit) != std::string::npos,
             outcome.sentence.c_str());

    // The actuators are in their safe state.
    QVERIFY(outcome.safe_stops > 0);
    QVERIFY(outcome.stands);

    matrix_[expected.kind][static_cast<std::size_t>(mode)] = QString("%1 +%2")
                                                                 .arg(expected.action == Action::stop ? "stop" : "ramp")
                                                                 .arg(at - static_cast<double>(begun->tick));
  }

  void cleanupTestCase() {
    QString text = QString("%1 %2").arg("fault", -16).arg("decided by", -13);
    for (const char* mode : kModes) text += QString(" %1").arg(mode, -11);
    for (const Expected& expected : kExpected) {
      const char* limit = *expected.limit != '\0' ? expected.limit : "the rig";
      text += QString("\n%1 %2").arg(name(expected.kind).data(), -16).arg(limit, -13);
      for (const QString& cell : matrix_[expected.kind])
        text += QString(" %1").arg(cell.isEmpty() ? "FAILED" : cell, -11);
    }
    qInfo().noquote() << "Action and ticks from the fault to it\n" + text;
  }
};

HYB_SUITE(fault_matrix, FaultMatrixTest)
#include "fault_matrix_test.moc"
