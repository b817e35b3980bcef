#pragma once
#include <QtTest>
#include <cmath>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "core/base/allocation_guard.h"
#include "core/rig/device.h"
#include "tests/support/patience.h"

namespace hyb::test {

/// What DeviceRig relies on, whatever protocol a device speaks. Run it by deriving a test class per device and
/// connection:
///
///   class TestMyDevice : public DeviceContract { Q_OBJECT protected: std::unique_ptr<Device> makeDevice() override; };
///
/// makeDevice() gives a device that is not open yet; its partner plays a rig of one or more actuators whose outputs are
/// position commands (then, perhaps, rates) and whose inputs begin with as many displacements, all in m; at rest at 0.
class DeviceContract : public QObject {
  Q_OBJECT
 protected:
  virtual std::unique_ptr<Device> makeDevice() = 0;
  virtual DeviceChannels channels() const = 0;
  std::size_t actuators = 2;
  double step_m = 1e-3;   // a command that is safe to jump to
  double noise_m = 1e-6;  // what a reading may be off
  bool jumps = false;     // the clock of the test jumps over datagrams, which count as lost

  std::vector<double> outputs(double position_m) const {
    std::vector<double> values(channels().outputs.size(), 0.0);
    std::fill_n(values.begin(), actuators, position_m);
    return values;
  }
  std::vector<double> inputs(double value) const { return std::vector<double>(channels().inputs.size(), value); }

  /// Ticks, a millisecond or so each, until `done(status, inputs)`; false: not in time.
  template <typename Done>
  bool tickUntil(Device& device, double position_m, Done done) {
    std::vector<double> read = inputs(99.0);
    const std::vector<double> out = outputs(position_m);
    return comesTrue([&] {
      const RigStatus status = device.read(read);
      if (done(status, read)) return true;
      (void)device.write(tick_++, out);
      return false;
    });
  }
  bool settlesAt(Device& device, double position_m) {
    return tickUntil(device, position_m, [&](RigStatus status, const std::vector<double>& read) {
      bool there = status == RigStatus::ok;
      for (std::size_t i = 0; i < actuators; ++i)
        there = there && std::abs(read[i] - position_m) <= noise_m + 1e-3 * step_m;
      return there;
    });
  }

 private Q_SLOTS:
  void init() { tick_ = 0; }

  void openingMovesNothing() {
    const auto device = makeDevice();
    QVERIFY(!device->description().empty());
    device->open();
    QVERIFY(settlesAt(*device, 0.0));
    QCOMPARE(device->failure(), std::string());
  }

  /// Readings are live, and the histogram of round trips fills, while the rig is set up and before it is armed.
  void roundTripsAreMeasuredBeforeTheFirstCommand() {
    const auto device = makeDevice();
    device->open();
    std::vector<double> read = inputs(99.0);
    const std::uint64_t received = device->link().received.load(), errors = device->link().errors();
    QVERIFY(comesTrue([&] {
      return device->read(read) == RigStatus::ok && device->link().roundTripNs(0.5) > 0.0 &&
             device->link().received.load() > received + 3;
    }));
    for (std::size_t i = 0; i < actuators; ++i) QVERIFY(std::abs(read[i]) <= noise_m + 1e-3 * step_m);
    if (!jumps) QCOMPARE(device->link().errors(), errors);
    QVERIFY(settlesAt(*device, step_m));
  }

  void commandsMoveTheRig() {
    const auto device = makeDevice();
    device->open();
    QVERIFY(settlesAt(*device, step_m));
    QVERIFY(settlesAt(*device, -step_m));
    QVERIFY(device->link().sent.load() > 0 && device->link().received.load() > 0);
    QVERIFY(device->link().roundTripNs(0.5) > 0.0);
  }

  void commandsThatAreNoNumbersAreRefused() {
    const auto device = makeDevice();
    device->open();
    QVERIFY(settlesAt(*device, step_m));
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
      QVERIFY(device->write(tick_++, outputs(bad)) == RigStatus::fault);
    QVERIFY(settlesAt(*device, step_m));
  }

  /// Twice, and from another thread; afterwards commands are refused and the status says so.
  void safeStopIsFinalAndIdempotent() {
    const auto device = makeDevice();
    device->open();
    QVERIFY(settlesAt(*device, step_m));
    std::thread([&] { device->safeStop(); }).join();
    device->safeStop();
    std::vector<double> read = inputs(0.0);
    for (int k = 0; k < 20; ++k) {
      QVERIFY(device->read(read) == RigStatus::fault);
      QVERIFY(device->write(tick_++, outputs(-step_m)) == RigStatus::fault);
    }
    for (std::size_t i = 0; i < actuators; ++i) QVERIFY(read[i] > -0.1 * step_m);
  }

  void openingAgainWorks() {
    const auto device = makeDevice();
    for (int round = 0; round < 2; ++round) {
      device->open();
      QVERIFY(settlesAt(*device, 0.5 * step_m));
      device->safeStop();
    }
  }

  void aTickAllocatesNothing() {
    const auto device = makeDevice();
    device->open();
    QVERIFY(settlesAt(*device, 0.0));
    std::vector<double> read = inputs(0.0);
    std::vector<double> out = outputs(0.0);
    const AllocationGuard guard;
    for (int k = 0; k < 100; ++k) {
      (void)device->read(read);
      std::fill_n(out.begin(), actuators, step_m * std::sin(0.05 * k));
      (void)device->write(tick_++, out);
    }
    device->safeStop();
    (void)device->read(read);
    QCOMPARE(guard.count(), std::uint64_t{0});
  }

 private:
  std::uint64_t tick_ = 0;
};

}  // namespace hyb::test
