/// Every fault on purpose in every mode: the declared action comes in the tick in which what asks for it was read, the
/// event is in the file, the actuators truly end in their safe state, and no row is lost. The matrix is printed.
#include <QTemporaryDir>
#include <cmath>
#include <map>
#include <numbers>

#include "core/loop/pacing.h"
#include "core/record/recorder.h"
#include "core/record/run_file_reader.h"
#include "core/run/build.h"
#include "core/run/test_run.h"
#include "tests/hardware/fault_matrix_peers.h"
#include "tests/support/pseudo_terminals.h"
#include "tests/support/suite.h"
#include "tests/support/twin_device.h"

using namespace hyb;
using namespace hyb::test;
using namespace hyb::test::matrix;

namespace {

namespace fs = std::filesystem;

constexpr std::array<Column, 12> kColumns = {{{"free", RunMode::free},
                                              {"paced twin", RunMode::paced},
                                              {"shadow", RunMode::shadow},
                                              {"rig", RunMode::rig},
                                              {"TCP shadow", RunMode::linked_shadow},
                                              {"TCP rig", RunMode::linked_rig},
                                              {"UDP leads", RunMode::linked_rig, "UDP that leads"},
                                              {"UDP rig", RunMode::linked_rig, "UDP"},
                                              {"C TCP", RunMode::linked_rig, "C kit"},
                                              {"C pty", RunMode::linked_rig, "C kit", "serial:pty"},
                                              {"Python TCP", RunMode::linked_rig, "Python kit"},
                                              {"Python pty", RunMode::linked_rig, "Python kit", "serial:pty"}}};

/// Under a sanitizer half of them: what a shadow does a rig does, too, and "paced twin" what "free" does.
bool tried(std::size_t column) {
  return (test::kThorough || column % 2 == 1) && (!kColumns[column].kit() || triesKits());
}

constexpr double kFaultFrom_s = 0.8, kRamp_s = 0.1, kServerRamp_s = 0.2, kAnswerWait_s = 0.01;
constexpr int kStaleTicks = 5, kTimeoutTicks = 4, kTicksAfter = 50;

/// What a fault has to lead to.
struct Outlook {
  std::vector<const char*> limits;  // one of these decides; "the rig": its own status does; empty: it goes on
  Action action;
};
struct Expected {
  FaultKind kind;
  double value;
  Outlook inside;  // where rig and bench are one program
  Outlook tcp;     // over a link, where the bench waits for each answer
};

const std::array<Expected, 15>& expectations() {
  const Outlook stale{{"stale-data"}, Action::ramp}, gap{{"gap"}, Action::ramp}, lost{{"link-lost"}, Action::stop};
  static const std::array<Expected, 15> all = {{
      {FaultKind::link_loss, 0.0, lost, lost},
      {FaultKind::frame_loss, 1.0, stale, stale},
      {FaultKind::corruption, 1.0, stale, lost},             // TCP repeats nothing that it took for whole
      {FaultKind::reorder, 1.0, stale, {{}, Action::none}},  // each second answer comes, and is the newest
      {FaultKind::latency, 0.5, stale, stale},
      {FaultKind::jitter, 0.5, stale, stale},
      {FaultKind::stuck_sensor, 0.0, gap, gap},
      {FaultKind::spike, 0.1, {{"displacement"}, Action::stop}, {{"displacement"}, Action::stop}},
      {FaultKind::drift, 0.2, gap, gap},
      {FaultKind::not_a_number, 0.0, {{"not-a-number"}, Action::stop}, stale},  // never taken from the wire
      {FaultKind::saturation, 1e-4, gap, gap},
      {FaultKind::actuator_freeze, 0.0, gap, gap},
      {FaultKind::runaway, 0.2, gap, gap},
      {FaultKind::power_off, 0.0, {{"the rig"}, Action::stop}, {{"the rig"}, Action::stop}},
      {FaultKind::interlock, 0.0, {{"interlock"}, Action::stop}, {{"interlock"}, Action::stop}},
  }};
  return all;
}

const Outlook& outlookOf(const Expected& expected, const Column& column) {
  const bool repairs = column.serial() && expected.kind == FaultKind::corruption;  // damage costs one frame
  const bool by_bench = column.udp() || (column.kit() && faultFacts(expected.kind).place != FaultPlace::connection);
  return linked(column.mode) && !repairs && !by_bench ? expected.tcp : expected.inside;
}
/// A bench has no way to let the actuators of a device that is no simulation run away or saturate.
bool applies(const Expected& expected, const Column& column) {
  return !(column.kit() || column.udp()) ||
         (expected.kind != FaultKind::runaway && expected.kind != FaultKind::saturation);
}

/// A kit's twin follows less closely than the project's: while data are stale, its gap grows further.
double gapLimit_m(const Column& column) { return column.kit() ? 0.0015 : 0.001; }

/// Where the actuators may stand at the end of a ramp. A kit's twin lags by 3 ms and is switched off with the end of
/// the command's cosine: at most a/2 (pi lag/ramp)^2 from zero, for an amplitude a of 20 mm.
double restLimit_m(const Column& column) {
  const double share = std::numbers::pi * 0.003 / kRamp_s;
  return column.kit() ? 0.01 * share * share : 1e-4;
}

/// The actuators do something else than they are told. An interlock is only told of.
bool astray(FaultKind kind) { return faultFacts(kind).place == FaultPlace::rig && kind != FaultKind::interlock; }

Project projectOf(const Expected& expected, const Column& column, const std::string& address) {
  const RunMode mode = column.mode;
  Json document = templateDocument("three-mass");
  document["loop"]["duration_s"] = linked(mode) ? 1.5 : 3.0;
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
  document["safety"]["limits"][1]["threshold_m"] = gapLimit_m(column);
  document["safety"]["stop_ramp_s"] = kRamp_s;
  Json fault = {{"kind", name(expected.kind)}, {"from_s", kFaultFrom_s}};
  if (faultFacts(expected.kind).max > faultFacts(expected.kind).min) fault["value"] = expected.value;
  document["rig"]["faults"] = Json::array({fault});
  if (mode != RunMode::free && mode != RunMode::paced) {
    document["rig"]["use"] = mode == RunMode::rig || mode == RunMode::linked_rig ? "rig" : "shadow";
    document["rig"]["connection"] = {{"protocol", "frames"}, {"address", address}};
    // A cut cable shows before the data count as stale; nothing else takes so long.
    document["rig"]["connection"]["timeout_ticks"] = expected.kind == FaultKind::link_loss ? kTimeoutTicks : 10'000;
    document["rig"]["connection"]["connect_s"] = 20;
    document["rig"]["connection"]["silence_s"] = 0.1;
    document["rig"]["connection"]["ramp_s"] = kServerRamp_s;
  }
  return parseProject(document);
}

/// A clock that costs no time; every 97th wake-up is two periods late. It waits where the recorder is behind.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(Recorder& recorder) : recorder_(recorder) {}
  std::int64_t nowNs() noexcept override { return now_ns_; }
  int sleepUntilNs(std::int64_t wake_ns) noexcept override {
    while (recorder_.rows().freeRows() == 0) std::this_thread::yield();
    now_ns_ = wake_ns + (++sleeps_ % 97 == 0 ? 2'100'000 : 20'000);
    return 0;
  }

 private:
  Recorder& recorder_;
  std::int64_t now_ns_ = 1'000'000'000;
  int sleeps_ = 0;
};

struct Outcome {
  EndReason reason = EndReason::running;
  State state = State::ready;
  std::string sentence;
  std::uint64_t ticks = 0, dropped = 0;  // ticks of the loop from Run on; rows that did not reach the file
  WatchedRig::Seen seen;                 // up to the end of the loop
  bool came_to_rest = false;             // and lived through the ticks after the end
  bool refuses = true;                   // what the rig and the twin itself say and take in these
  double end_m = 0.0, moved_m = 0.0;     // largest true position at the end; how far it moved in the ticks after
};

/// One run from Run to its end, recorded.
Outcome runOnce(const Expected& expected, const Column& column, const fs::path& file) {
  const RunMode mode = column.mode;
  const auto path = std::make_shared<TruePath>();
  std::unique_ptr<Server> server;
  std::unique_ptr<Kit> kit;
  if (column.kit()) {
    kit = std::make_unique<Kit>(column);
  } else if (linked(mode)) {
    const Project served = projectOf(expected, kColumns[0], "");
    server = std::make_unique<Server>(column, path,
                                      std::make_unique<WatchedTwin>(buildTwin(served, buildPartition(served)), path));
  }
  Partner* const partner = server ? static_cast<Partner*>(server.get()) : kit.get();
  const Project project =
      projectOf(expected, column, partner != nullptr && !column.udp() ? partner->address() : "tcp://127.0.0.1:1");
  const Partition partition = buildPartition(project);
  const double step_s = 1.0 / project.loop.rate_hz;
  Rig* physical = nullptr;  // the twin itself, where no server thread drives it
  const auto twin = [&] {
    auto made = std::make_unique<WatchedTwin>(buildTwin(project, partition), path);
    physical = made.get();
    return made;
  };
  const DeviceFactory devices = [&](const RigSpec& rig, const DeviceChannels& given) -> std::unique_ptr<Device> {
    if (partner == nullptr) return std::make_unique<TwinDevice>(twin(), step_s);
    DeviceChannels channels = given;
    channels.answer_wait_s = kAnswerWait_s;
    return std::make_unique<InStep>(server ? server->device(rig, channels) : makeFramesDevice(rig.connection, channels),
                                    *partner);
  };
  std::unique_ptr<Rig> chain = project.rig.use == RigUse::twin ? makeFaultyRig(twin(), step_s, project.twin.seed)
                                                               : buildRig(project, partition, devices, column.leads());
  Outcome outcome;
  auto watched = std::make_unique<WatchedRig>(std::move(chain), outcome.seen);
  Rig& rig = *watched;
  const std::unique_ptr<Loop> loop = buildLoop(project, std::move(watched));
  Recorder recorder(file, buildHeader(project), loop->layout(), loop->eventNames(), project.loop.rate_hz,
                    project.loop.duration_s, project.recording.flush_s);
  loop->attachRecorder(&recorder.rows(), &recorder.events(), &recorder.failedFlag());
  loop->arm();
  loop->post({Request::Kind::start, -1, 0.0, {}});
  if (mode == RunMode::paced) {
    FakeClock clock(recorder);
    (void)runPaced(*loop, clock);
  } else {
    Beat beat;
    do {
      while (recorder.rows().freeRows() == 0) std::this_thread::yield();
      if (Lead* const lead = loop->lead()) beat = lead->await();
    } while (loop->tick(beat.elapsed, beat.late_ns));
  }
  outcome.reason = loop->endReason();
  outcome.state = loop->status().state.load();
  outcome.sentence = endSentence(*loop);
  outcome.ticks = loop->status().tick.load() + 1 - loop->status().missed_periods.load();
  recorder.close({outcome.reason == EndReason::completed, true, outcome.sentence});
  outcome.dropped = recorder.lostRows();

  // The safe state: a device takes its time for it, told by the bench or because commands have ceased.
  if (partner != nullptr && !QTest::qWaitFor([&] { return partner->atRest(); }, kHangs_ms)) return outcome;
  const auto n = static_cast<Eigen::Index>(rig.interfaces());
  RigState state{Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
  const Command elsewhere{Eigen::VectorXd::Constant(n, 1e-3), Eigen::VectorXd::Zero(n)};
  const std::size_t readings = outcome.seen.statuses.size();
  const std::uint64_t answers = kit ? kit->answers() : 0;
  const Eigen::VectorXd end = kit ? Eigen::VectorXd::Constant(1, kit->end_m()) : path->now();
  const auto ask = [&](Rig& asked, RigState& told) {
    for (const RigStatus status : {asked.read(told, 1), asked.write(elsewhere)})
      outcome.refuses = outcome.refuses && (status == RigStatus::fault || status == RigStatus::link_lost);
  };
  // The twin's time goes on, whoever asks; behind a server that is done with it, nobody would.
  for (int k = 0; k < kTicksAfter; ++k) {
    ask(rig, state);
    if (physical != nullptr) ask(*physical, state);
  }
  outcome.came_to_rest = !server || server->withTheTwin([&](Rig& served) {
    RigState there{Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
    for (int k = 0; k < kTicksAfter; ++k) ask(served, there);
  });
  outcome.end_m = end.cwiseAbs().maxCoeff();
  if (kit)
    outcome.refuses = outcome.refuses && kit->answers() == answers;  // nothing more is followed
  else
    outcome.moved_m = (path->now() - end).cwiseAbs().maxCoeff();
  outcome.seen.statuses.resize(readings);
  return outcome;
}

const RecordedEvent* find(const std::vector<RecordedEvent>& events, EventCode code, const std::string& text = {}) {
  for (const RecordedEvent& event : events)
    if (event.code == static_cast<int>(code) && event.message.find(text) != std::string::npos) return &event;
  return nullptr;
}

/// First row, from the recorded values and from what the loop was told alone, that asks for what the limit does.
std::size_t firstRowBeyond(const RunFileReader& run, const std::vector<RigStatus>& told, const std::string& limit,
                           double gap_m) {
  const auto first = [&](RigStatus status, int in_a_row = 1) {
    int seen = 0;
    for (std::size_t k = 0; k < told.size(); ++k) {
      seen = told[k] == status ? seen + 1 : 0;
      if (seen == in_a_row) return k;
    }
    return told.size();
  };
  const auto anyBeyond = [&](const char* channel, auto&& beyond) {
    std::size_t row = told.size();
    for (const char* i : {"1", "2"}) {
      const auto values = run.read("acquisition/" + std::string(channel) + i);
      for (std::size_t k = 0; k < std::min(row, values.size()); ++k)
        if (beyond(values[k])) row = k;
    }
    return row;
  };
  if (limit == "gap") return anyBeyond("gap_", [&](double gap) { return std::abs(gap) > gap_m; });
  if (limit == "displacement") return anyBeyond("measured_", [](double x) { return std::abs(x) > 0.05; });
  if (limit == "not-a-number") return anyBeyond("measured_", [](double x) { return std::isnan(x); });
  if (limit == "stale-data") return first(RigStatus::stale, kStaleTicks);
  if (limit == "link-lost") return first(RigStatus::link_lost);
  if (limit == "interlock") return first(RigStatus::interlock);
  return first(RigStatus::fault);
}

}  // namespace

class FaultMatrixTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::map<FaultKind, std::array<QString, kColumns.size()>> matrix_;

 private Q_SLOTS:
  void initTestCase() { requirePseudoTerminals(); }

  void everyFaultInEveryMode_data() {
    QTest::addColumn<int>("row");
    QTest::addColumn<int>("column");
    for (std::size_t e = 0; e < expectations().size(); ++e)
      for (std::size_t c = 0; c < kColumns.size(); ++c)
        if (tried(c) && applies(expectations()[e], kColumns[c]))
          QTest::addRow("%s, %s", name(expectations()[e].kind).data(), kColumns[c].name)
              << static_cast<int>(e) << static_cast<int>(c);
  }

  void everyFaultInEveryMode() {
    QFETCH(int, row);
    QFETCH(int, column);
    const Expected& expected = expectations()[static_cast<std::size_t>(row)];
    const Column& at_column = kColumns[static_cast<std::size_t>(column)];
    const RunMode where = at_column.mode;
    const Outlook& outlook = outlookOf(expected, at_column);
    const fs::path file =
        fs::path(folder_.path().toStdString()) / (std::to_string(row) + "-" + std::to_string(column) + ".h5");
    const Outcome outcome = runOnce(expected, at_column, file);
    const RunFileReader run(file);
    const auto ticks = run.read("acquisition/tick");
    const auto events = run.events();

    // No row lost: one for each tick of the loop, and one reading for each row.
    QCOMPARE(outcome.dropped, std::uint64_t{0});
    QCOMPARE(run.info().rows, outcome.ticks);
    QCOMPARE(static_cast<std::uint64_t>(outcome.seen.statuses.size()), outcome.ticks);

    // The fault began when the project says, and the file says so.
    const RecordedEvent* const begun = find(events, EventCode::fault_injected);
    QVERIFY(begun != nullptr);
    QVERIFY2(std::abs(static_cast<double>(begun->tick) - kFaultFrom_s * 1000.0) <= 3.0,
             qPrintable(QString::number(begun->tick)));
    QVERIFY2(begun->message.find(name(expected.kind)) != std::string::npos, begun->message.c_str());

    QString& cell = matrix_[expected.kind][static_cast<std::size_t>(column)];
    if (outlook.limits.empty()) {
      QVERIFY2(outcome.reason == EndReason::completed, outcome.sentence.c_str());
      const auto& told = outcome.seen.statuses;
      const auto stale = std::count(told.begin(), told.end(), RigStatus::stale);
      QVERIFY(stale > 100);
      cell = QString("%1 stale").arg(stale);
      checkSafeState(expected, at_column, outlook, outcome);
      return;
    }

    // What asks for the action, from the rows and the readings; it was decided in that very tick.
    std::size_t seen = ticks.size();
    std::string limit;
    for (const char* candidate : outlook.limits)
      if (const std::size_t k = firstRowBeyond(run, outcome.seen.statuses, candidate, gapLimit_m(at_column)); k < seen)
        seen = k, limit = candidate;
    QVERIFY2(seen < ticks.size(), outcome.sentence.c_str());
    const double at = ticks[seen];
    QVERIFY2(at > static_cast<double>(begun->tick), qPrintable(QString::number(at)));
    const RecordedEvent* const hit = limit == "the rig"
                                         ? find(events, EventCode::rig_status)
                                         : find(events, EventCode::limit_hit, words(*limitQuantity(limit)));
    QVERIFY2(hit != nullptr, outcome.sentence.c_str());
    // What the rig says is told before the tick counts on: with the number of the last one.
    QCOMPARE(static_cast<double>(hit->tick), limit == "the rig" ? ticks[seen - 1] : at);
    const auto flags = run.read("acquisition/flags");
    QVERIFY((static_cast<std::uint32_t>(flags[seen]) & kFlagStopping) != 0 || seen + 1 == ticks.size());

    // From the fault to what the loop reads of it: a tick, or as many as count before it is believed.
    const auto begun_row = static_cast<std::size_t>(
        std::lower_bound(ticks.begin(), ticks.end(), static_cast<double>(begun->tick)) - ticks.begin());
    const std::size_t after = seen - begun_row;
    if (limit == "the rig" || limit == "interlock" || limit == "not-a-number" || limit == "displacement")
      QCOMPARE(after, std::size_t{1});
    if (limit == "link-lost") QVERIFY2(after <= (linked(where) ? kTimeoutTicks + 1 : 1), qPrintable(cell));
    if (limit == "stale-data")
      // A kit's line has its own time: some of its late answers come in between.
      QVERIFY2(
          after >= kStaleTicks && (after <= kStaleTicks + 1 || (at_column.kit() && expected.kind == FaultKind::jitter)),
          qPrintable(QString::number(after)));

    // The declared action.
    if (outlook.action == Action::stop) {
      QCOMPARE(seen + 1, ticks.size());
    } else {
      QVERIFY(std::abs(ticks.back() - at - kRamp_s * 1000.0) <= 4.0);
      for (const char* channel : {"acquisition/command_1", "acquisition/command_2"})
        QVERIFY(std::abs(run.read(channel).back()) < 1e-9);  // at zero
    }
    QVERIFY(outcome.reason != EndReason::completed && outcome.reason != EndReason::operator_stop);
    QCOMPARE(outcome.state, State::fault);
    QVERIFY2(limit == "the rig" || outcome.reason != EndReason::limit ||
                 outcome.sentence.find(words(*limitQuantity(limit))) != std::string::npos,
             outcome.sentence.c_str());
    checkSafeState(expected, at_column, outlook, outcome);
    cell = QString("%1 +%2").arg(outlook.action == Action::stop ? "stop" : "ramp").arg(after);
  }

  void cleanupTestCase() {
    QString text = QString("%1").arg("fault", -16);
    for (const Column& column : kColumns) text += QString(" %1").arg(column.name, -11);
    for (const Expected& expected : expectations()) {
      text += QString("\n%1").arg(name(expected.kind).data(), -16);
      for (std::size_t c = 0; c < kColumns.size(); ++c) {
        const QString& cell = matrix_[expected.kind][c];
        text += QString(" %1").arg(!tried(c) || !applies(expected, kColumns[c]) ? "-"
                                   : cell.isEmpty()                             ? "FAILED"
                                                                                : cell,
                                   -11);
      }
    }
    qInfo().noquote() << "Action and ticks from the fault to it\n" + text;
  }

 private:
  /// The actuators truly stand still, and where the bench (a ramp) or the rig by itself (behind a server, which always
  /// does) could still bring them back, they stand at zero.
  static void checkSafeState(const Expected& expected, const Column& column, const Outlook& outlook,
                             const Outcome& outcome) {
    QVERIFY(outcome.seen.safe_stops > 0);
    QVERIFY(outcome.came_to_rest);
    QVERIFY(outcome.refuses);
    QVERIFY2(outcome.moved_m == 0.0, qPrintable(QString::number(outcome.moved_m)));
    const bool ramps_itself = linked(column.mode) && !column.udp();  // a UDP target is switched off where it stands
    if ((outlook.action == Action::ramp || ramps_itself) && !astray(expected.kind))
      QVERIFY2(outcome.end_m < restLimit_m(column), qPrintable(QString::number(outcome.end_m)));
  }
};

HYB_SUITE(fault_matrix, FaultMatrixTest)
HYB_THREADS(fault_matrix)
#include "fault_matrix_test.moc"
