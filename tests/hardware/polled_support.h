#pragma once
#include <QtTest>
#include <array>
#include <chrono>
#include <memory>
#include <thread>

#include "core/loop/device_channels.h"
#include "tests/support/allocation_guard.h"

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
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (std::chrono::steady_clock::now() < deadline) {
    if (readFrom(device).status == status) return true;
    (void)writeTo(device, 0.0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace hyb::test
