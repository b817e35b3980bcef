#pragma once
#include <QTemporaryDir>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/project/rig_legs.h"
#include "core/record/run_file_reader.h"
#include "core/run/build.h"
#include "core/run/test_run.h"
#include "hardware/drivers.h"
#include "tests/support/passing_device.h"
#include "tests/support/served_polled.h"
#include "tests/support/set_clock.h"

namespace hyb::test {

/// The clock of the served rig goes one period on with each command of the bench.
class TimedDevice final : public PassingDevice {
 public:
  TimedDevice(std::unique_ptr<Device> device, SetClock& clock, double period_s)
      : PassingDevice(std::move(device)), clock_(clock), period_s_(period_s) {}
  RigStatus write(std::uint64_t tick, std::span<const double> outputs) noexcept override {
    clock_.pass(period_s_);
    return PassingDevice::write(tick, outputs);
  }

 private:
  SetClock& clock_;
  double period_s_;
};

/// Three masses whose commands do not depend on the readings, so that a reading of a tick before is only that.
inline Json openThreeMass(double rate_hz) {
  Json document = templateDocument("three-mass");
  document["loop"]["force_source"] = "emulated";
  document["loop"]["rate_hz"] = rate_hz;
  document["loop"]["duration_s"] = 1000.0 / rate_hz;
  document["loop"]["soft_start_s"] = document["loop"]["soft_end_s"] = 0.2;
  document["analysis"] = {{"start_s", 0.3}};
  document["compensation"] = {{"method", "none"}};
  document["rig"]["displacement_sensor"] = document["rig"]["force_sensor"] = Json::object();
  document["safety"]["limits"] = Json::array();
  return document;
}

/// One channel of each kind for two interfaces, in the order of rigChannels(); `own(name, output)`: settings of the
/// protocol.
template <typename Own>
Json polledChannels(const Own& own) {
  Json channels = Json::array();
  for (const ChannelSpec& channel : rigChannels({}, 2)) {
    static const std::vector<std::string> kRoles = {"command", "command-rate", "displacement", "force"};
    const std::size_t kind = channels.size() / 2;
    Json json = {{"name", channel.name},   {"role", kRoles[kind]}, {"interface", channel.interface},
                 {"units", channel.units}, {"raw_min", -1e6},      {"raw_max", 1e6}};
    json.update(own(channel.name, isOutput(channel.role)));
    channels.push_back(json);
  }
  return channels;
}

/// Columns of a run with the rig of the project.
struct PolledRun {
  RunResult result;
  std::vector<std::vector<double>> readings;  // measured_1, measured_2, force_1, force_2; [row]
};
inline PolledRun polledRun(const Json& document, DeviceFactory devices = {}) {
  const QTemporaryDir folder;
  RunOptions options;
  options.pace = Pace::free_run;
  options.file = std::filesystem::path(folder.path().toStdString()) / "run.h5";
  options.devices = std::move(devices);
  PolledRun all;
  {
    TestRun run(parseProject(document), options);
    run.arm();
    run.start();
    all.result = run.finish();
  }
  const RunFileReader file(options.file);
  for (const char* name : {"measured_1", "measured_2", "force_1", "force_2"})
    all.readings.push_back(file.read(std::string("acquisition/") + name));
  return all;
}

/// Largest difference of the readings to those of the twin one tick before, in parts of the largest reading of the
/// kind; and the log of the server. `rig`: connection and channels of the project, without address.
struct ServedRunFindings {
  RunResult result;
  double off = 1.0, largest_m = 0.0;
  std::size_t rows = 0;
  std::string log;
};
inline ServedRunFindings runServed(const Json& rig, const std::string& listen, double rate_hz = 1000.0) {
  Json document = openThreeMass(rate_hz);
  const PolledRun here = polledRun(document);
  document["rig"].update(rig);
  document["rig"]["connection"]["address"] =
      isSerial(listen) ? "serial:/dev/ttyUSB0" : "tcp://127.0.0.1:1";  // of no one
  const Project project = parseProject(document);
  const Partition partition = buildPartition(project);
  SetClock clock;
  ServedPolled served(project.rig, listen, clock, buildRawTwin(project, partition),
                      [&](RigServerSpec& spec) { spec.rate_hz = rate_hz; });
  document["rig"]["use"] = "rig";
  document["rig"]["connection"]["address"] = served.address();
  const PolledRun there = polledRun(document, [&](const RigSpec& spec, const DeviceChannels& channels) {
    return std::make_unique<TimedDevice>(makeDevice(spec, channels), clock, 1.0 / rate_hz);
  });
  ServedRunFindings found;
  found.result = there.result;
  found.log = served.log();
  found.rows = std::min(here.readings[0].size(), there.readings[0].size());
  found.off = 0.0;
  for (std::size_t c = 0; c < 4; ++c) {
    double largest = 0.0, off = 0.0;
    for (std::size_t k = 1; k < found.rows; ++k) {
      largest = std::max(largest, std::abs(here.readings[c][k - 1]));
      off = std::max(off, std::abs(there.readings[c][k] - here.readings[c][k - 1]));
    }
    if (c < 2) found.largest_m = std::max(found.largest_m, largest);
    found.off = std::max(found.off, off / largest);
  }
  return found;
}

}  // namespace hyb::test
