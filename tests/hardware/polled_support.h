#pragma once
#include <QtTest>
#include <array>
#include <memory>

#include "core/base/allocation_guard.h"
#include "core/rig/device_channels.h"
#include "tests/support/patience.h"

namespace hyb::test {

constexpr double kPolledRate_hz = 50.0;

/// Ticks of a device with one command and, in this order of the inputs, force and displacement (or the other way
/// round).
inline DeviceChannels channelsOf(const RigSpec& rig, bool paced = false) {
  DeviceChannels channels = deviceChannels(rig.channels, kPolledRate_hz);
  channels.paced = paced;
  return channels;
}

struct Reading {
  RigStatus status;
  std::array<double, 2> values;
};
inline Reading readFrom(Device& device) {
  Reading reading{};
  reading.status = device.read(reading.values);
  return reading;
}
inline RigStatus writeTo(Device& device, double command) {
  return device.write(1, std::span<const double>(&command, 1));
}

/// A thousand ticks and a stop of a paced device whose instrument gives no answer: had one of them waited for it, the
/// time for a reply would have run out.
inline void ticksNeitherAllocateNorWait(Device& device) {
  const AllocationGuard guard;
  for (int k = 0; k < 1000; ++k) {
    (void)readFrom(device);
    (void)writeTo(device, 1e-3 * k);
  }
  device.safeStop();
  QCOMPARE(guard.count(), std::uint64_t{0});
  QCOMPARE(device.link().lost.load(), std::uint64_t{0});
}

/// Ticks until the device gives `status`; false if that takes for ever.
inline bool ticksUntil(Device& device, RigStatus status) {
  return comesTrue([&] {
    if (readFrom(device).status == status) return true;
    (void)writeTo(device, 0.0);
    return false;
  });
}

}  // namespace hyb::test
