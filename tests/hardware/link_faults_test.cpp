/// Every fault of a link on every link to a device that answers requests: text instruments, Modbus, ADS, drivers as
/// plug-ins. Each cell is a test from project to file. It ends as the table says, with the reason and with what is
/// known of the stop, the device is in its safe state, no row is lost, no wrong value is taken, and the next test runs.
/// The matrix is printed. Faults on purpose of the rig protocol and of UDP: fault_matrix_test.cpp; programs that lead:
/// led_faults_test.cpp.
#include <QTemporaryDir>
#include <cmath>
#include <map>

#include "core/project/project.h"
#include "core/record/run_file_reader.h"
#include "core/run/test_run.h"
#include "hardware/drivers.h"
#include "tests/support/at_tick.h"
#include "tests/support/link_peers.h"
#include "tests/support/patience.h"
#include "tests/support/pseudo_terminals.h"
#include "tests/support/suite.h"
#include "tests/support/thorough.h"

using namespace hyb;
using namespace hyb::test;

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kFaultFrom = 100, kFaultyTicks = 300;
constexpr double kLinkRate_hz = 50.0;

/// What a fault leads to. A test that goes on is completed, and has counted it.
enum class LinkEnd : std::uint8_t { goes_on, unnoticed, stale, link_lost, fault };
constexpr std::array<const char*, 5> kEndWords = {"goes on", "unnoticed", "stale", "link lost", "fault"};

struct LinkExpected {
  LinkEnd end;
  const char* reason;  // part of the sentence with which the test ended; "": any
};
/// A row. `but`: columns, by a part of their names, where it is another end.
struct LinkRow {
  const char* name;
  LinkFault fault;
  LinkExpected expected;
  std::vector<std::pair<const char*, LinkExpected>> but = {};
};

using StreamFate = StreamProxy::Fate;
using Lapse = LinkFault::Lapse;

const std::vector<LinkRow>& linkRows() {
  constexpr int kAll = -1;
  static const std::vector<LinkRow> rows = {
      {"lost once", {.fate = StreamFate::lost, .answers = 1}, {LinkEnd::goes_on, ""}},
      {"late once",
       {.fate = StreamFate::late, .answers = 1},
       {LinkEnd::goes_on, ""},
       {{"ADS", {LinkEnd::unnoticed, ""}}}},  // it asks twice at once, and either may be answered first
      {"doubled once", {.fate = StreamFate::doubled, .answers = 1}, {LinkEnd::unnoticed, ""}},
      {"doubled", {.fate = StreamFate::doubled, .answers = kAll}, {LinkEnd::unnoticed, ""}},
      {"damaged once", {.fate = StreamFate::damaged, .answers = 1}, {LinkEnd::goes_on, ""}},
      {"cut once", {.fate = StreamFate::cut, .answers = 1}, {LinkEnd::goes_on, ""}},
      {"flood once", {.fate = StreamFate::flood, .answers = 1}, {LinkEnd::goes_on, ""}},
      {"closed once",
       {.fate = StreamFate::closed, .answers = 1},
       {LinkEnd::goes_on, ""},
       {{"text", {LinkEnd::link_lost, "the connection was closed by the other side"}}}},
      {"echoed", {.fate = StreamFate::echoed, .answers = kAll}, {LinkEnd::unnoticed, ""}},
      {"silence",
       {.fate = StreamFate::lost, .answers = kAll},
       {LinkEnd::link_lost, "no answer"},
       {{"driver, process", {LinkEnd::link_lost, "did not return from exchange()"}}}},
      {"damaged", {.fate = StreamFate::damaged, .answers = kAll}, {LinkEnd::link_lost, ""}},
      {"one behind", {.fate = StreamFate::late, .answers = kAll}, {LinkEnd::link_lost, "no answer"}},
      {"refuses",
       {.lapse = Lapse::refuses},
       {LinkEnd::link_lost, ""},
       {{"text confirmed", {LinkEnd::link_lost, "refused \"MOV"}},
        {"Modbus", {LinkEnd::link_lost, "cannot"}},
        {"ADS", {LinkEnd::link_lost, "cannot write"}}}},
      {"reports a fault",
       {.lapse = Lapse::reports_fault},
       {LinkEnd::fault, ""},
       {{"text", {LinkEnd::fault, "reports a fault"}}, {"ADS", {LinkEnd::fault, "is in"}}}},
      {"not a number", {.lapse = Lapse::not_a_number}, {LinkEnd::stale, ""}},
      {"restarts",
       {.lapse = Lapse::restarts},
       {LinkEnd::fault, "started again"},
       {{"driver", {LinkEnd::link_lost, "ended in exchange() with exit code 5"}}}},
      {"crashes", {.lapse = Lapse::crashes}, {LinkEnd::link_lost, "crashed in exchange(): signal 6"}},
  };
  return rows;
}

const LinkExpected& expectedOf(const LinkRow& row, const LinkKind& column) {
  for (const auto& [columns, expected] : row.but)
    if (std::string_view(column.name).find(columns) != std::string_view::npos) return expected;
  return row.expected;
}

/// A mass on two springs of which one is tested, driven by a slow force, at a rate that a serial bus keeps up with.
/// Free run: each reading waits for its answer.
Project linkProject(const RigSpec& rig, double duration_s) {
  Json document = Json::parse(R"({
    "format": "hybridbench-project", "version": 2, "meta": {"title": "Links"},
    "structure": {"kind": "lumped", "masses": [{"name": "z", "mass_kg": 10}], "supports": [{"name": "ground"}],
      "links": [{"name": "tested", "from": "ground", "to": "z", "stiffness_n_per_m": 1000},
                {"name": "computed", "from": "ground", "to": "z", "stiffness_n_per_m": 1000,
                 "damping_n_s_per_m": 100}]},
    "partition": {"physical": ["tested"]},
    "excitation": {"signals": [{"name": "push", "kind": "sine", "amplitude_n": 20, "frequency_hz": 0.5}],
                   "loads": [{"signal": "push", "dof": "z"}]},
    "compensation": {"method": "none"},
    "rig": {"kind": "twin", "actuators": [{"model": "ideal"}]},
    "safety": {"stop_ramp_s": 0.05, "limits": [
      {"quantity": "displacement", "threshold_m": 0.2, "action": "stop"},
      {"quantity": "stale-data", "threshold_ticks": 5, "action": "ramp"},
      {"quantity": "link-lost", "action": "stop"},
      {"quantity": "not-a-number", "action": "stop"}]},
    "loop": {"soft_start_s": 0, "soft_end_s": 0}
  })");
  document["loop"]["duration_s"] = duration_s;
  document["loop"]["rate_hz"] = kLinkRate_hz;
  Project project = parseProject(document);
  project.rig = rig;
  return project;
}

struct LinkOutcome {
  RunResult result;
  std::uint64_t rows = 0, errors = 0, told = 0;
  double wrong_n = 0.0;  // force beside the spring's in rows whose values are of one answer
};

LinkOutcome runLink(LinkPeer& peer, double duration_s, const fs::path& file, const std::function<void()>& begin) {
  fs::remove(file);
  RunOptions options;
  options.pace = Pace::free_run;
  options.file = file;
  options.devices = [&](const RigSpec& rig, const DeviceChannels& channels) -> std::unique_ptr<Device> {
    return std::make_unique<AtTick>(makeDevice(rig, channels), kFaultFrom, begin);
  };
  LinkOutcome outcome;
  TestRun run(linkProject(peer.rig(), duration_s), options);
  run.arm();
  run.start();
  if (!comesTrue([&] { return run.ended(); })) return outcome;
  outcome.errors = run.link()->errors();
  outcome.result = run.finish();
  const RunFileReader reader(file);
  outcome.rows = reader.info().rows;
  const std::vector<double> x = reader.read("acquisition/measured_1"), f = reader.read("acquisition/force_1");
  for (std::size_t k = 0; k < x.size(); ++k)
    outcome.wrong_n = std::max(outcome.wrong_n, std::abs(std::abs(f[k]) - std::abs(1000.0 * x[k])));
  return outcome;
}

bool told(const RunResult& result, const std::string& words) {
  return result.stop_reason.find(words) != std::string::npos;
}

}  // namespace

class LinkFaultsTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::map<std::string, std::map<std::string, QString>> matrix_;

  fs::path file(const char* name) const { return fs::path(folder_.path().toStdString()) / name; }

 private Q_SLOTS:
  void initTestCase() { requirePseudoTerminals(); }

  void everyFaultOnEveryLink_data() {
    QTest::addColumn<int>("row");
    QTest::addColumn<int>("column");
    for (std::size_t r = 0; r < linkRows().size(); ++r)
      for (std::size_t c = 0; c < linkKinds().size(); ++c) {
        if (!linkKinds()[c].plays(linkRows()[r].fault) || !(kThorough || (r + c) % 2 == 1)) continue;
        QTest::addRow("%s, %s", linkRows()[r].name, linkKinds()[c].name) << static_cast<int>(r) << static_cast<int>(c);
      }
  }

  void everyFaultOnEveryLink() {
    QFETCH(int, row);
    QFETCH(int, column);
    const LinkRow& asked = linkRows()[static_cast<std::size_t>(row)];
    const LinkKind& kind = linkKinds()[static_cast<std::size_t>(column)];
    const LinkExpected& expected = expectedOf(asked, kind);
    const bool ends = expected.end > LinkEnd::unnoticed;
    const std::unique_ptr<LinkPeer> peer = kind.make();
    peer->prepare(asked.fault, kFaultFrom);
    const LinkOutcome outcome = runLink(*peer, ends ? 86400.0 : kFaultyTicks / kLinkRate_hz, file("faulty.h5"),
                                        [&] { peer->begin(asked.fault); });
    const RunResult& result = outcome.result;
    const char* const why = result.stop_reason.c_str();

    // The defined end, and why.
    switch (expected.end) {
      case LinkEnd::goes_on:
      case LinkEnd::unnoticed:
        QVERIFY2(result.reason == EndReason::completed && result.complete, why);
        QVERIFY2((outcome.errors > 0) == (expected.end == LinkEnd::goes_on),
                 qPrintable(QString::number(outcome.errors)));
        break;
      case LinkEnd::stale:
        QVERIFY2(result.reason == EndReason::limit && told(result, "tale"), why);
        break;
      case LinkEnd::link_lost:
        QVERIFY2(result.reason == EndReason::limit || result.reason == EndReason::link_lost, why);
        QVERIFY2(told(result, peer->description()) && told(result, "ink"), why);
        break;
      case LinkEnd::fault:
        QVERIFY2(result.reason == EndReason::rig_fault && told(result, peer->description()), why);
        break;
    }
    QVERIFY2(told(result, expected.reason), why);
    QVERIFY2(ends == !result.complete, why);

    // Nothing lost, nothing wrong.
    QCOMPARE(outcome.rows, result.ticks);
    QVERIFY2(result.ticks > kFaultFrom || peer->beginsByItself(), qPrintable(QString::number(result.ticks)));
    QVERIFY2(outcome.wrong_n < 1e-3 || expected.end == LinkEnd::stale, qPrintable(QString::number(outcome.wrong_n)));

    // The safe state, and what is known of it: confirmed is not sent.
    const Stopped stop = peer->stopTold(asked.fault);
    const bool troubled = expected.end == LinkEnd::link_lost || expected.end == LinkEnd::fault;
    if (troubled) QVERIFY2(told(result, stopWords(stop)), why);
    if (peer->reachable(asked.fault)) QTRY_VERIFY2(peer->stopped(), why);
    matrix_[asked.name][kind.name] =
        QString(kEndWords[static_cast<std::size_t>(expected.end)]) + (troubled ? QString(", ") + stopName(stop) : "");

    // Armed again, it works as before.
    peer->mend();
    const LinkOutcome again = runLink(*peer, 120 / kLinkRate_hz, file("again.h5"), [] {});
    QVERIFY2(again.result.reason == EndReason::completed, again.result.stop_reason.c_str());
    QCOMPARE(again.errors, std::uint64_t{0});
  }

  void cleanupTestCase() {
    QString text = QString("%1").arg("fault", -16);
    for (const LinkKind& kind : linkKinds()) text += QString(" %1").arg(kind.name, -23);
    for (const LinkRow& row : linkRows()) {
      text += QString("\n%1").arg(row.name, -16);
      for (const LinkKind& kind : linkKinds()) {
        const QString& cell = matrix_[row.name][kind.name];
        text += QString(" %1").arg(!kind.plays(row.fault) ? "-" : cell.isEmpty() ? "FAILED" : cell, -23);
      }
    }
    qInfo().noquote() << "End, and what is known of the stop\n" + text;
  }
};

HYB_SUITE(link_faults, LinkFaultsTest)
HYB_THREADS(link_faults)
#include "link_faults_test.moc"
