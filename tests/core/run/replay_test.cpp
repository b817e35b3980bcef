#include "core/run/replay.h"

#include <hdf5.h>
#include <signal.h>
#include <unistd.h>

#include <QProcess>
#include <QTemporaryDir>
#include <functional>
#include <thread>

#include "core/record/recorder.h"
#include "core/rig/faulty_rig.h"
#include "core/run/build.h"
#include "core/run/test_run.h"
#include "core/run/verdict.h"
#include "tests/support/patience.h"
#include "tests/support/patient_clock.h"
#include "tests/support/suite.h"
#include "tests/support/wired_device.h"

using namespace hyb;

namespace {

namespace fs = std::filesystem;

Project projectOf(const std::string& name, const std::vector<std::string>& changes = {}) {
  Json document = templateDocument(name);
  for (const std::string& change : changes) setValue(document, change);
  return parseProject(document);
}

/// Three masses for 3 s with short fades.
Project shortTest(std::vector<std::string> changes = {}) {
  changes.insert(changes.begin(),
                 {"/loop/duration_s=3", "/loop/soft_start_s=0.5", "/loop/soft_end_s=0.2", "/analysis/start_s=0.5"});
  return projectOf("three-mass", changes);
}

/// A test driven tick by tick into a file. `before`: called before each tick k, gives the elapsed periods.
using Driver = std::function<std::int64_t(int k, Loop& loop, Rig& rig)>;

std::uint64_t record(const Project& project, const fs::path& file, const Driver& before, int armed_ticks = 0) {
  std::unique_ptr<Rig> owned =
      makeFaultyRig(buildTwin(project, buildPartition(project)), 1.0 / project.loop.rate_hz, project.twin.seed);
  Rig& rig = *owned;
  const std::unique_ptr<Loop> loop = buildLoop(project, std::move(owned));
  Recorder recorder(file, buildHeader(project), loop->layout(), loop->eventNames(), project.loop.rate_hz,
                    project.loop.duration_s, project.recording.flush_s);
  loop->attachRecorder(&recorder.rows(), &recorder.events(), &recorder.failedFlag());
  loop->arm();
  for (int k = 0; k < armed_ticks; ++k)
    if (!loop->tick(1)) break;
  loop->post({Request::Kind::start, -1, 0.0, {}});
  for (int k = 0;; ++k) {
    while (recorder.rows().freeRows() == 0) std::this_thread::yield();
    if (!loop->tick(before(k, *loop, rig))) break;
  }
  recorder.close({loop->endReason() == EndReason::completed, true, endSentence(*loop)});
  return recorder.writtenRows();
}

std::int64_t onTime(int, Loop&, Rig&) { return 1; }

/// Rows of a file that may not be there yet.
std::uint64_t rowsOf(const fs::path& file) {
  try {
    return RunFileReader(file).info().rows;
  } catch (const DeviceError&) {
    return 0;
  }
}

/// A copy of a run file in which every event tells the same nonsense.
fs::path inOtherWords(const fs::path& file) {
  const fs::path copy = file.parent_path() / (file.stem().string() + "-words.h5");
  fs::copy_file(file, copy, fs::copy_options::overwrite_existing);
  const hid_t opened = H5Fopen(copy.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t words = H5Dopen2(opened, "events/message", H5P_DEFAULT), space = H5Dget_space(words);
  const hid_t type = H5Dget_type(words);
  const std::size_t bytes = H5Tget_size(type);
  std::vector<char> nonsense(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)) * bytes);
  for (std::size_t k = 0; k < nonsense.size(); k += bytes) nonsense[k] = 'x';
  const bool written = H5Dwrite(words, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, nonsense.data()) >= 0;
  H5Tclose(type), H5Sclose(space), H5Dclose(words);
  if (H5Fclose(opened) < 0 || !written) throw DeviceError(copy.string() + ": the words stayed");
  return copy;
}

std::string differenceOf(const ReplayReport& report) {
  if (!report.first) return report.early_end;
  return report.first->channel + " at tick " + std::to_string(report.first->tick) + " was " +
         std::to_string(report.first->recorded) + ", is " + std::to_string(report.first->replayed) + "; " +
         std::to_string(report.differing_rows) + " rows; " + report.early_end;
}

}  // namespace

#define VERIFY_EXACT(report, expected_rows)                         \
  do {                                                              \
    const ReplayReport seen = (report);                             \
    QVERIFY2(seen.exact(), differenceOf(seen).c_str());             \
    QCOMPARE(seen.rows, static_cast<std::uint64_t>(expected_rows)); \
  } while (false)
/// Comes out bit for bit with the same verdict, whatever its events say in words.
#define VERIFY_EXACT_IN_OTHER_WORDS(path, expected_rows)                              \
  do {                                                                                \
    const RunFileReader told(path), untold(inOtherWords(path));                       \
    const std::vector<RecordedEvent> events = untold.events();                        \
    QVERIFY(!events.empty() && events.front().message == "x");                        \
    VERIFY_EXACT(replay(untold), expected_rows);                                      \
    QCOMPARE(QString::fromStdString(verdictJson(judge(recordOf(untold, {}))).dump()), \
             QString::fromStdString(verdictJson(judge(recordOf(told, {}))).dump()));  \
  } while (false)

class ReplayTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  fs::path file(const std::string& name) const { return fs::path(folder_.path().toStdString()) / name; }

 private Q_SLOTS:
  void everyTemplateComesOutBitForBit_data() {
    QTest::addColumn<QString>("name");
    for (const Template& entry : templates()) {
      const LoopConfig loop = projectOf(entry.name).loop;
      if (!test::kThorough && loop.duration_s * loop.rate_hz > 1e5)
        continue;  // minutes, for what the short ones do too
      QTest::newRow(entry.name.c_str()) << QString::fromStdString(entry.name);
    }
  }
  void everyTemplateComesOutBitForBit() {
    QFETCH(QString, name);
    const std::string stem = name.toStdString();
    Json document = templateDocument(stem);
    const Json::json_pointer swept("/coupling/sweep/count"), path("/coupling/path");
    if (!test::kThorough && document.contains(swept)) document[swept] = 1;
    if (!test::kThorough && document.contains(path)) document[path]["points"] = 3;
    TestRun run(parseProject(document), {Pace::free_run, file(stem + ".h5"), {}, {}, false, {}});
    run.arm();
    run.start();
    QVERIFY(run.finish().valid);
    const RunFileReader recorded(file(stem + ".h5"));
    VERIFY_EXACT(replay(recorded, {{}, {}, file(stem + "-again.h5")}), recorded.info().rows);
    const RunFileReader again(file(stem + "-again.h5"));
    QCOMPARE(again.info().rows, recorded.info().rows);
    QCOMPARE(again.info().stop_reason, recorded.info().stop_reason);
    for (const char* channel : {"target_1", "command_1", "measured_1", "force_1", "gap_1", "flags"})
      QVERIFY2(
          again.read(std::string("acquisition/") + channel) == recorded.read(std::string("acquisition/") + channel),
          channel);
  }

  /// The voltage comes out of the file, not of a twin.
  void limitsOnSignalsComeOutBitForBit() {
    Json document = shortTest().document;
    document["rig"]["actuators"] = Json::parse(R"([{"model": "voice-coil", "moving_mass_kg": 0.2,
      "stiffness_n_per_m": 8000, "cubic_n_per_m3": 1e8, "offset_m": 0.0005, "damping_n_s_per_m": 10,
      "force_constant_n_per_a": 10, "resistance_ohm": 2, "position_gain_v_per_m": 6000,
      "integral_gain_v_per_m_s": 600000, "velocity_gain_v_s_per_m": 6, "voltage_limit_v": 50}])");
    document["safety"]["limits"] =
        Json::parse(R"([{"quantity": "signal", "channel": "voltage_1", "threshold": 3, "action": "ramp"}])");
    const Project project = parseProject(document);
    QVERIFY(project.limits[0].unit() == "V");
    TestRun run(project, {Pace::free_run, file("volts.h5"), {}, {}, false, {}});
    run.arm();
    run.start();
    const RunResult summary = run.finish();
    QVERIFY2(summary.stop_reason.find("signal voltage_1") != std::string::npos, summary.stop_reason.c_str());
    const RunFileReader recorded(file("volts.h5"));
    QCOMPARE(recorded.attribute("acquisition/voltage_1", "units"), std::string("V"));
    QCOMPARE(recorded.attribute("acquisition/current_2", "units"), std::string("A"));
    const std::vector<double> volts = recorded.read("acquisition/voltage_1");
    std::size_t crossed = 0;
    while (crossed < volts.size() && !(std::abs(volts[crossed]) > 3.0)) ++crossed;
    bool told = false;
    for (const RecordedEvent& event : recorded.events())
      if (event.code == static_cast<int>(EventCode::limit_hit)) {
        QCOMPARE(event.tick, static_cast<std::uint64_t>(crossed));
        told = true;
        break;
      }
    QVERIFY(told);
    VERIFY_EXACT(replay(recorded, {{}, {}, {}}), recorded.info().rows);
  }

  /// Files of hardware, whose actuators never stand quite where they are told to; a limit on speed sees no jump there.
  void rigsAndShadowsComeOutBitForBit_data() {
    QTest::addColumn<QString>("use");
    QTest::newRow("rig") << "rig";
    QTest::newRow("shadow") << "shadow";
  }
  void rigsAndShadowsComeOutBitForBit() {
    QFETCH(QString, use);
    const test::PatientPacing pacing;
    Json document = shortTest({"/loop/duration_s=1.2"}).document;
    document["rig"]["use"] = use.toStdString();
    document["rig"]["connection"] = {{"protocol", "frames"}, {"address", "tcp://127.0.0.1:1"}};
    document["safety"]["limits"] = {{{"quantity", "velocity"}, {"threshold_m_per_s", 1.5}, {"action", "stop"}}};
    const Project project = parseProject(document);
    const auto wires = std::make_shared<test::Wires>();
    wires->offset["measured_1"] = 4e-3;
    const std::string name = use.toStdString() + ".h5";
    RunOptions options;
    options.pace = Pace::real_time;
    options.file = file(name);
    options.devices = test::wiredDevices(project, wires);
    TestRun run(project, options);
    run.arm();
    QTRY_VERIFY_WITH_TIMEOUT(wires->written > 100, test::kHangs_ms);  // armed, it goes to where it reads that it stands
    run.start();
    const RunResult result = run.finish();
    QVERIFY2(result.complete, result.stop_reason.c_str());
    const RunFileReader recorded(file(name));
    QVERIFY(std::abs(recorded.read("acquisition/measured_1")[0] - recorded.read("acquisition/command_1")[0]) > 1e-3);
    VERIFY_EXACT(replay(recorded), recorded.info().rows);
    VERIFY_EXACT_IN_OTHER_WORDS(file(name), recorded.info().rows);
  }

  void aProjectOfVersionOneComesAgain() {
    Project project = shortTest();
    project.document["version"] = 1;  // what a file of an older program holds
    const auto rows = record(project, file("version_1.h5"), onTime);
    const RunFileReader recorded(file("version_1.h5"));
    QVERIFY(recorded.projectJson().find("\"version\": 1") != std::string::npos);
    VERIFY_EXACT(replay(recorded), rows);
  }

  void lateTicksComeLateAgain() {
    const auto rows = record(
        shortTest(), file("late.h5"),
        [](int k, Loop&, Rig&) -> std::int64_t { return k % 100 == 57 ? 4
                                                        : k == 1234   ? 30
                                                                      : 1; }, 5);
    const RunFileReader run(file("late.h5"));
    QVERIFY(run.read("acquisition/tick").back() > static_cast<double>(rows) + 60);
    VERIFY_EXACT(replay(run), rows);
  }

  void changesByTheOperatorComeAgain() {
    const auto rows = record(shortTest({"/loop/duration_s=0"}), file("changes.h5"), [](int k, Loop& loop, Rig&) {
      const auto post = [&](Request::Kind kind, int index = -1, double value = 0.0) {
        QVERIFY(loop.post({kind, index, value, {}}));
      };
      if (k == 700) post(Request::Kind::tune, 0, 1.0 / 7.0);  // more digits than words would keep
      if (k == 901) post(Request::Kind::set_limit, 0, 0.0123456789123);
      if (k == 1003) post(Request::Kind::hold);
      if (k == 1200) post(Request::Kind::resume);
      if (k == 1900) post(Request::Kind::set_force_source, static_cast<int>(ForceSource::emulated));
      if (k == 2100) post(Request::Kind::set_force_source, static_cast<int>(ForceSource::measured));
      if (k == 2601) loop.requestStop();
      return std::int64_t{1};
    });
    QVERIFY(rows > 2900);
    VERIFY_EXACT(replay(RunFileReader(file("changes.h5"))), rows);
    VERIFY_EXACT_IN_OTHER_WORDS(file("changes.h5"), rows);
  }

  void aChoiceBeforeRunComesAgain() {
    const auto rows = record(shortTest(), file("emulated.h5"), [](int k, Loop& loop, Rig&) {
      if (k == 0) loop.post({Request::Kind::set_force_source, static_cast<int>(ForceSource::emulated), 0.0, {}});
      return std::int64_t{1};
    });
    VERIFY_EXACT(replay(RunFileReader(file("emulated.h5"))), rows);
  }

  /// Faults change what is measured, not how it is answered: stale samples, a spike, saturation, and their ends.
  void faultsOfTheRigComeAgain() {
    const FaultSpec faults[] = {{FaultKind::saturation, 0, 0, 2, FaultSensor::displacement, 1e-4},
                                {FaultKind::frame_loss, 0, 0, 0, FaultSensor::displacement, 0.1},
                                {FaultKind::spike, 0, 0, 1, FaultSensor::force, 5.0}};
    // No other limit, so that all of them come to pass.
    const Project project = shortTest({R"(/safety/limits=[{"quantity": "not-a-number", "action": "stop"}])"});
    const auto rows = record(project, file("faults.h5"), [&](int k, Loop&, Rig& rig) {
      for (int f = 0; f < 3; ++f) {
        if (k == 800 + 300 * f) (void)rig.inject(faults[f], true);
        if (k == 850 + 300 * f) (void)rig.inject(faults[f], false);
      }
      return std::int64_t{1};
    });
    const RunFileReader run(file("faults.h5"));
    const auto flags = run.read("acquisition/flags");
    QVERIFY(std::any_of(flags.begin(), flags.end(),
                        [](double f) { return (static_cast<unsigned>(f) & kFlagStaleInput) != 0; }));
    QVERIFY(std::any_of(flags.begin(), flags.end(),
                        [](double f) { return (static_cast<unsigned>(f) & kFlagRigSaturated) != 0; }));
    VERIFY_EXACT(replay(run), rows);
    VERIFY_EXACT_IN_OTHER_WORDS(file("faults.h5"), rows);
  }

  /// Each of these ends the test in its own way, on the same tick again.
  void endsComeAgain_data() {
    QTest::addColumn<int>("kind");
    for (const FaultKind kind : {FaultKind::link_loss, FaultKind::power_off, FaultKind::interlock,
                                 FaultKind::not_a_number, FaultKind::runaway})
      QTest::newRow(name(kind).data()) << static_cast<int>(kind);
  }
  void endsComeAgain() {
    QFETCH(int, kind);
    const fs::path path = file(std::string(QTest::currentDataTag()) + ".h5");
    const FaultSpec fault{static_cast<FaultKind>(kind), 0, 0, 0, FaultSensor::displacement, 0.5};
    const auto rows = record(shortTest(), path, [&](int k, Loop&, Rig& rig) {
      if (k == 1500) (void)rig.inject(fault, true);
      return std::int64_t{1};
    });
    QVERIFY(rows > 1500 && rows < 3000);
    const RunFileReader run(path);
    VERIFY_EXACT(replay(run, {{}, {}, file(path.stem().string() + "-again.h5")}), rows);
    QCOMPARE(RunFileReader(file(path.stem().string() + "-again.h5")).info().rows, rows);
    VERIFY_EXACT_IN_OTHER_WORDS(path, rows);
  }

  void aChangedValueIsFoundOut() {
    const auto rows = record(shortTest(), file("original.h5"), onTime);
    const RunFileReader run(file("original.h5"));
    const ReplayReport report = replay(run, {{"/compensation/alpha=0.21"}, {}, {}});
    QVERIFY(!report.exact());
    QCOMPARE(report.rows, rows);
    QVERIFY(report.first.has_value());
    QVERIFY(report.first->channel.starts_with("command_") && report.first->recorded != report.first->replayed);
    // The first difference is the first row that differs.
    QVERIFY(report.first->tick > 0 && report.first->tick < rows && report.differing_rows <= rows - report.first->tick);
    const auto recorded = run.read("acquisition/" + report.first->channel, report.first->tick, 1);
    QCOMPARE(recorded.at(0), report.first->recorded);
    const ReplayReport shorter = replay(run, {{"/loop/duration_s=2"}, {}, {}});
    QVERIFY(!shorter.exact() && !shorter.early_end.empty());
    QVERIFY_THROWS_EXCEPTION(InputError, replay(run, {{"/loop/rate_hz=-1"}, {}, {}}));
  }

  void aRecoveredRunComesOutToItsLastRow() {
    const fs::path path = file("killed.h5");
    QProcess victim;
    victim.start(QCoreApplication::applicationFilePath(),
                 {"--run-until-killed", QString::fromStdString(path.string())});
    QTRY_VERIFY(rowsOf(path) >= 1000);  // as another program sees them
    victim.kill();
    QVERIFY(victim.waitForFinished(test::kHangs_ms));
    QCOMPARE(victim.exitStatus(), QProcess::CrashExit);
    QVERIFY_THROWS_EXCEPTION(DeviceError, replay(RunFileReader(path)));  // says to recover it first
    const RecoverReport recovered = recover(path);
    QVERIFY(recovered.rows >= 1000);
    VERIFY_EXACT(replay(RunFileReader(path)), recovered.rows);
  }

  void whatLacksRowsIsRefused() {
    const Project project = shortTest();
    const std::unique_ptr<Loop> loop = buildLoop(project);
    {
      RunFileWriter writer(file("holes.h5"), buildHeader(project), loop->layout(), loop->eventNames(), 1024);
      std::vector<double> row(loop->layout().width(), 0.0);
      for (const double tick : {0.0, 1.0, 5.0}) {
        row[RowLayout::kTick] = tick;
        writer.append(row);
      }
      writer.close({true, true, "completed"});
    }
    QVERIFY_THROWS_EXCEPTION(DeviceError, replay(RunFileReader(file("holes.h5"))));
  }
};

/// Records on and on, some rows at a time, until somebody kills it.
static int runUntilKilled(const char* path) {
  const Project project = shortTest({"/loop/duration_s=0", "/recording/flush_s=0.1"});
  const std::unique_ptr<Loop> loop = buildLoop(project);
  Recorder recorder(path, buildHeader(project), loop->layout(), loop->eventNames(), project.loop.rate_hz, 60.0,
                    project.recording.flush_s);
  loop->attachRecorder(&recorder.rows(), &recorder.events(), &recorder.failedFlag());
  loop->arm();
  loop->post({Request::Kind::start, -1, 0.0, {}});
  for (;;) {
    for (int k = 0; k < 50 && recorder.rows().freeRows() > 0; ++k) (void)loop->tick(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

static const hyb::test::ChildJob run_until_killed("--run-until-killed", [](int argc, char** argv) {
  return argc == 3 ? runUntilKilled(argv[2]) : 2;
});

// Not HYB_THREADS: its threads are those of test_run, at length.
HYB_SUITE(replay, ReplayTest)
#include "replay_test.moc"
