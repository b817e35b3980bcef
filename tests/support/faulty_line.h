#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/loop/realtime.h"
#include "hardware/cobs.h"
#include "hardware/frame.h"
#include "hardware/port.h"
#include "hardware/wire_faults.h"
#include "tests/support/patience.h"

namespace hyb::test {

/// A line between a bench and a device of the rig protocol, with faults on purpose. Serves one bench.
class FaultyLine {
 public:
  FaultyLine(const std::string& device, const std::string& listen)
      : device_(openPort(parseAddress(device, "device"), {}, 1e-3 * kHangs_ms)),
        listener_(parseAddress(listen, "listen"), {}),
        from_device_([this] { passAnswers(); }),
        from_bench_([this] { passQuestions(); }) {}
  ~FaultyLine() {
    ended_ = true;
    from_device_.join();
    from_bench_.join();
  }
  const std::string& address() const { return listener_.address(); }
  /// False: the fault belongs elsewhere.
  bool set(const FaultSpec& fault, bool begin) {
    const std::lock_guard lock(mutex_);
    return faults_.set(fault, begin);
  }
  /// Answers to commands that have come from the device and been dealt with.
  std::uint64_t answers() const { return answers_; }

 private:
  static constexpr std::uint64_t kLookTick = ~std::uint64_t{0};

  void passQuestions() {
    std::array<std::uint8_t, 4096> bytes;
    while (!ended_ && !bench_) {
      std::unique_ptr<Port> bench = listener_.accept(std::chrono::milliseconds(5));
      const std::lock_guard lock(mutex_);
      bench_ = std::move(bench);
    }
    while (!ended_) {
      if (!bench_->waitReadable(std::chrono::milliseconds(5))) continue;
      const Port::Result got = bench_->read(bytes);
      if (!cut()) (void)device_->writeAll(std::span(bytes).first(got.bytes), std::chrono::milliseconds(kHangs_ms));
      if (got.closed) return;
    }
  }

  void passAnswers() {
    FrameStream stream(device_->serial() ? FrameStream::Coding::cobs : FrameStream::Coding::plain);
    std::vector<std::uint8_t> plain(kMaxFrame), coded(cobsBound(kMaxFrame) + 1);
    while (!ended_) {
      if (device_->waitReadable(std::chrono::microseconds(500))) {
        const Port::Result got = device_->read(stream.room());
        stream.filled(got.bytes);
        if (got.closed) return;
      }
      Frame frame;
      while (stream.next(frame) == FrameStream::Next::frame) {
        std::span<const std::uint8_t> bytes = std::span(plain).first(encodeFrame(frame.header, frame.payload, plain));
        if (device_->serial()) {
          const std::size_t end = cobsEncode(bytes, coded.data());
          coded[end] = 0;
          bytes = std::span(coded).first(end + 1);
        }
        pass(bytes);
        if (frame.header.type == FrameType::measurement && frame.header.tick != kLookTick) ++answers_;
      }
      pass({});
    }
  }

  /// A frame, if there is one, and those that are due.
  void pass(std::span<const std::uint8_t> frame) {
    const std::lock_guard lock(mutex_);
    if (!bench_) return;
    if (!frame.empty()) faults_.add(frame, monotonicNs());
    for (auto due = faults_.due(monotonicNs()); !due.empty(); due = faults_.due(monotonicNs()))
      (void)bench_->writeAll(due, std::chrono::milliseconds(kHangs_ms));
  }
  bool cut() {
    const std::lock_guard lock(mutex_);
    return faults_.cut();
  }

  std::mutex mutex_;
  WireFaults faults_{1};
  std::atomic<std::uint64_t> answers_{0};
  std::atomic<bool> ended_{false};
  std::unique_ptr<Port> device_, bench_;
  Listener listener_;
  std::thread from_device_, from_bench_;
};

}  // namespace hyb::test
