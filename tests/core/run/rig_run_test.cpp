#include <QTemporaryDir>

#include "core/assess/stability_report.h"
#include "core/record/run_file_reader.h"
#include "core/rig/device_channels.h"
#include "core/run/build.h"
#include "core/run/test_run.h"
#include "tests/core/rig/loopback_device.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// Three masses for 3 s, on `use`, without compensation: the loop-back device follows at once.
Json document(const char* use) {
  Json made = templateDocument("three-mass");
  made["compensation"] = {{"method", "none"}};
  made["rig"]["use"] = use;
  made["rig"]["connection"] = {{"protocol", "frames"}, {"address", "tcp://10.0.0.5:7410"}};
  made["loop"]["duration_s"] = 3.0;
  made["loop"]["soft_start_s"] = made["loop"]["soft_end_s"] = 0.5;
  made["analysis"]["start_s"] = 1.0;
  made["safety"]["limits"] = {{{"quantity", "displacement"}, {"threshold_m", 0.018}, {"action", "ramp"}},
                              {{"quantity", "link-lost"}, {"action", "stop"}}};
  return made;
}

}  // namespace

class RigRunTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  LoopbackDevice* device_ = nullptr;
  DeviceChannels asked_;

  std::filesystem::path file(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }
  DeviceFactory devices() {
    return [this](const RigSpec& rig, const DeviceChannels& channels) {
      asked_ = channels;
      auto device = std::make_unique<LoopbackDevice>(rigChannels(rig, 2));
      device_ = device.get();
      return device;
    };
  }
  RunOptions options(const char* name) {
    RunOptions made;
    made.pace = Pace::free_run;
    made.file = file(name);
    made.devices = devices();
    return made;
  }

 private Q_SLOTS:
  void aRigNeedsADriver() {
    try {
      TestRun run(parseProject(document("rig")), {Pace::free_run, {}, {}, {}, false});
      QFAIL("built without a driver");
    } catch (const InputError& error) {
      QCOMPARE(error.issues().front().where, std::string("/rig/use"));
    }
  }

  /// The same project on the rig, and on the rig with its shadow: the same commands, and the raw values in the file.
  void theRigAndItsShadowTakeTheSameCommands() {
    std::vector<double> commands;
    for (const char* use : {"rig", "shadow"}) {
      const std::string name = std::string(use) + ".h5";
      TestRun run(parseProject(document(use)), options(name.c_str()));
      QVERIFY(!asked_.paced);
      QCOMPARE(asked_.outputs.size(), std::size_t{4});
      run.arm();
      run.start();
      const RunResult result = run.finish();
      QVERIFY2(result.reason == EndReason::completed, result.stop_reason.c_str());
      QCOMPARE(device_->closes.load(), 1);  // others may have it, though this run is still looked at
      const RunFileReader reader(file(name.c_str()));
      const std::vector<double> written = reader.read("acquisition/command_1");
      QVERIFY(reader.read("acquisition/raw_measured_1") == reader.read("acquisition/measured_1"));
      QVERIFY(*std::max_element(written.begin(), written.end()) > 1e-3);
      if (commands.empty()) commands = written;
      QVERIFY(written == commands);
      if (std::string(use) == "rig") continue;
      const auto gap = reader.read("acquisition/shadow_gap_2"), x = reader.read("acquisition/measured_2"),
                 twin = reader.read("acquisition/twin_measured_2");
      for (std::size_t k = 0; k < gap.size(); ++k) QCOMPARE(gap[k], x[k] - twin[k]);
      QVERIFY(*std::max_element(gap.begin(), gap.end()) > 1e-4);  // the twin's servos lag, the device does not
    }
  }

  /// The black box holds the last seconds of every column, and says why.
  void anAbortLeavesABlackBox() {
    Json changed = document("rig");
    changed["recording"]["black_box_s"] = 0.5;
    TestRun run(parseProject(changed), options("lost.h5"));
    run.arm();
    device_->why = "the cable is out";
    device_->lost_from_tick = 1000;
    run.start();
    const RunResult result = run.finish();
    QCOMPARE(result.reason, EndReason::link_lost);
    QCOMPARE(result.stop_reason, std::string("the link to the rig was lost: the cable is out"));
    QVERIFY(device_->stops > 0);
    const RunFileReader reader(file("lost.h5"));
    const std::uint64_t rows = reader.info().rows;
    for (std::string name : reader.info().acquisition) {
      const auto whole = reader.read("acquisition/" + name, rows - 500), box = reader.read("black_box/" + name);
      QCOMPARE(box.size(), std::size_t{500});
      QVERIFY2(box == whole, name.c_str());
    }
    QCOMPARE(reader.read("black_box/compute_ns").size(), std::size_t{500});
    QCOMPARE(reader.attribute("black_box", "reason"), result.stop_reason);
    QCOMPARE(reader.attribute("black_box", "tick"),
             std::to_string(static_cast<std::uint64_t>(reader.read("acquisition/tick").back())));
    QCOMPARE(reader.attribute("black_box/command_1", "units"), std::string("m"));
  }

  void aStopByTheOperatorLeavesNone() {
    TestRun run(parseProject(document("rig")), options("stopped.h5"));
    run.arm();
    run.start();
    run.requestStop();
    run.finish();
    const RunFileReader reader(file("stopped.h5"));
    QVERIFY_THROWS_EXCEPTION(DeviceError, reader.read("black_box/time"));
  }

  void aRigThatCannotBeOpenedLeavesNoFile() {
    RunOptions made = options("none.h5");
    made.devices = [](const RigSpec& rig, const DeviceChannels&) {
      class Absent : public LoopbackDevice {
       public:
        using LoopbackDevice::LoopbackDevice;
        void open() override { throw DeviceError("nobody answers"); }
      };
      return std::make_unique<Absent>(rigChannels(rig, 2));
    };
    TestRun run(parseProject(document("rig")), made);
    QVERIFY_THROWS_EXCEPTION(DeviceError, run.arm());
    QVERIFY(!std::filesystem::exists(file("none.h5")));
  }

  void faultsOfTheProjectBecomeEvents() {
    Json changed = document("twin");
    changed["rig"].erase("connection");
    changed["rig"]["faults"] = {{{"kind", "link-loss"}, {"from_s", 1.0}}};
    RunOptions made = options("fault.h5");
    made.devices = {};
    TestRun run(parseProject(changed), made);
    run.arm();
    run.start();
    QCOMPARE(run.finish().reason, EndReason::link_lost);
    bool told = false;
    for (const RecordedEvent& event : RunFileReader(file("fault.h5")).events())
      told = told || (event.tick == 1000 && event.message == "fault on purpose: link-loss");
    QVERIFY(told);
  }

  /// The measured delay of the link is part of the loop's delay.
  void stabilityCountsTheLink() {
    Json changed = document("rig");
    const double without_s = stabilityReport(parseProject(changed))["delay_s"].get<double>();
    changed["rig"]["connection"]["delay_s"] = 0.0015;
    const double with_s = stabilityReport(parseProject(changed))["delay_s"].get<double>();
    QVERIFY2(std::abs(with_s - without_s - 0.0015) < 1e-9, qPrintable(QString::number(with_s - without_s)));
    changed["rig"]["use"] = "twin";
    QCOMPARE(stabilityReport(parseProject(changed))["delay_s"].get<double>(), without_s);
  }
};

HYB_SUITE(rig_run, RigRunTest)
HYB_THREADS(rig_run)
#include "rig_run_test.moc"
