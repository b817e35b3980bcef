#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hardware/port.h"

namespace hyb::test {

/// Stands between a bench and a device that answers requests over a stream, a connection or a serial line. What it does
/// to the answers depends on their number alone, so that it is the same on every machine.
class StreamProxy {
 public:
  enum class Fate : std::uint8_t {
    whole,
    lost,
    late,     // comes with the next answer, before it
    doubled,  // comes twice
    damaged,  // its first byte is another one
    cut,      // its second half never comes
    closed,   // its first half comes, then the connection is closed
    flood,    // thousands of other bytes come before it
    echoed,   // the request comes back before it
  };
  /// Bytes of the answer at the front of these; 0: it is not complete.
  using Whole = std::function<std::size_t(std::span<const std::uint8_t>)>;

  StreamProxy(std::string device, const char* listen, Whole whole)
      : device_(std::move(device)),
        whole_(std::move(whole)),
        listener_(parseAddress(listen, ""), SerialSpec()),
        thread_([this] {
          while (!ended_) serve();
        }) {}
  ~StreamProxy() {
    ended_ = true;
    thread_.join();
  }
  const std::string& address() const { return listener_.address(); }
  /// So many answers from now on; below 0: all.
  void play(Fate fate, int answers) {
    const std::lock_guard lock(guard_);
    fate_ = fate;
    left_ = answers;
  }
  std::atomic<int> played{0};  // answers that had a fate

 private:
  using Bytes = std::vector<std::uint8_t>;
  static constexpr auto kPatience = std::chrono::seconds(60);
  static constexpr auto kLook = std::chrono::milliseconds(5);

  /// One bench, until it or the device closes.
  void serve() {
    const std::unique_ptr<Port> bench = listener_.accept(std::chrono::milliseconds(20));
    if (!bench) return;
    const std::unique_ptr<Port> device = openPort(parseAddress(device_, ""), SerialSpec(), 60.0);
    std::atomic<bool> open{true};
    std::thread answers([&] {
      Bytes received;
      while (open && !ended_) {
        if (!take(*device, received)) break;
        for (std::size_t size; open && (size = whole_(received)) > 0;) {
          // Never opens what the other thread has closed meanwhile: the join below would wait for ever.
          if (!answer(*bench, Bytes(received.begin(), received.begin() + static_cast<std::ptrdiff_t>(size))))
            open = false;
          received.erase(received.begin(), received.begin() + static_cast<std::ptrdiff_t>(size));
        }
      }
      open = false;
    });
    Bytes request;
    while (open && !ended_) {
      request.clear();
      if (!take(*bench, request)) break;
      if (request.empty()) continue;
      {
        const std::lock_guard lock(guard_);
        request_ = request;
      }
      if (!device->writeAll(request, kPatience)) break;
    }
    open = false;
    answers.join();
  }
  /// False: closed.
  static bool take(Port& port, Bytes& into) {
    if (!port.waitReadable(kLook)) return true;
    std::array<std::uint8_t, 4096> chunk;
    const Port::Result got = port.read(chunk);
    into.insert(into.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(got.bytes));
    return !got.closed;
  }

  /// False: the connection is to be closed.
  bool answer(Port& bench, Bytes bytes) {
    const std::lock_guard lock(guard_);
    const Fate fate = left_ != 0 ? fate_ : Fate::whole;
    if (left_ > 0) --left_;
    if (fate != Fate::whole) ++played;
    Bytes out = std::exchange(owed_, {});
    const auto add = [&out](const Bytes& more) { out.insert(out.end(), more.begin(), more.end()); };
    switch (fate) {
      case Fate::lost:
        break;
      case Fate::late:
        owed_ = bytes;
        break;
      case Fate::damaged:
        bytes.front() ^= 0x10u;
        add(bytes);
        break;
      case Fate::cut:
      case Fate::closed:
        bytes.resize(bytes.size() / 2);
        add(bytes);
        break;
      case Fate::flood:
        out.insert(out.end(), 8192, '7');
        add(bytes);
        break;
      case Fate::echoed:
        add(request_);
        add(bytes);
        break;
      case Fate::doubled:
        add(bytes);
        add(bytes);
        break;
      case Fate::whole:
        add(bytes);
        break;
    }
    return bench.writeAll(out, kPatience) && fate != Fate::closed;
  }

  const std::string device_;
  const Whole whole_;
  Listener listener_;
  std::mutex guard_;
  Fate fate_ = Fate::whole;
  int left_ = 0;
  Bytes request_, owed_;
  std::atomic<bool> ended_{false};
  std::thread thread_;  // last member: it uses all others
};

}  // namespace hyb::test
