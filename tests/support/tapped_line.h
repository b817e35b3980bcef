#pragma once
#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hardware/port.h"
#include "tests/support/patience.h"

namespace hyb::test {

/// Stands between a bench and a rig, passes everything on, and writes down what the bench said. For one connection.
class TappedLine {
 public:
  explicit TappedLine(std::string rig)
      : listener_(parseAddress("tcp://127.0.0.1:0", "listen"), {}), thread_([this, rig = std::move(rig)] {
          const auto bench = listener_.accept(std::chrono::milliseconds(kHangs_ms));
          const auto to_rig = openPort(parseAddress(rig, "rig"), {}, 1e-3 * kHangs_ms);
          while (bench && !ended_)
            if (!pass(*bench, *to_rig, true) || !pass(*to_rig, *bench, false)) return;
        }) {}
  ~TappedLine() { end(); }
  void end() {
    ended_ = true;
    if (thread_.joinable()) thread_.join();
  }
  const std::string& address() const { return listener_.address(); }
  std::vector<std::uint8_t> heard() {
    const std::lock_guard lock(mutex_);
    return heard_;
  }

 private:
  /// False: one of them is gone.
  bool pass(Port& from, Port& to, bool keeps) {
    if (!from.waitReadable(std::chrono::microseconds(200))) return true;
    std::array<std::uint8_t, 4096> bytes;
    const Port::Result got = from.read(bytes);
    if (keeps) {
      const std::lock_guard lock(mutex_);
      heard_.insert(heard_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(got.bytes));
    }
    return to.writeAll(std::span(bytes).first(got.bytes), std::chrono::milliseconds(kHangs_ms)) && !got.closed;
  }

  Listener listener_;
  std::atomic<bool> ended_{false};
  std::mutex mutex_;
  std::vector<std::uint8_t> heard_;
  std::thread thread_;
};

}  // namespace hyb::test
