#pragma once
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <thread>

#include "core/rig/driver_protocol.h"
#include "hardware/driver_wire.h"

namespace hyb {

/// Ends the waiting for a driver, from any thread. Real-time safe.
class DriverWake {
 public:
  DriverWake();  // throws DeviceError
  ~DriverWake();
  DriverWake(const DriverWake&) = delete;
  DriverWake& operator=(const DriverWake&) = delete;
  void interrupt() noexcept;
  void clear() noexcept;
  bool interrupted() const noexcept { return interrupted_.load(std::memory_order_acquire); }
  int event() const noexcept { return event_; }  // readable while interrupted

 private:
  int event_;
  std::atomic<bool> interrupted_{false};
};

/// A running driver, in its own process or on a thread of this one, and the requests to it. One thread at a time.
class DriverLink {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Answer : std::uint8_t {
    answered,     // reply(): its result may be any
    late,         // the driver did not return in time; its answer will be dropped
    interrupted,  // by the wake; likewise
    ended,        // the process has ended
  };

  /// Starts the host of the driver; loads nothing yet. Throws DeviceError.
  DriverLink(const DriverFile& driver, bool own_process, const DriverWake& wake);
  /// Ends the driver: at once if a request is outstanding, otherwise it is closed first. A thread that does not return
  /// is given up, with all that it uses.
  ~DriverLink();
  DriverLink(const DriverLink&) = delete;
  DriverLink& operator=(const DriverLink&) = delete;

  /// Sends a request and waits for its reply. An outstanding reply to an earlier one is awaited first, and dropped. For
  /// a stop it waits on after an interrupt.
  Answer ask(DriverCall call, double deadline_s, double wait_s, bool for_stop = false,
             std::span<const double> values = {}, std::string_view text = {});
  const DriverMessage& reply() const noexcept { return reply_; }
  /// After `late` and `ended`: "did not return from exchange() within 50 ms", "crashed in exchange(): signal 11
  /// (Segmentation fault)".
  const std::string& complaint() const noexcept { return complaint_; }

  /// True if the thread of any driver was given up since the program started: it still exists.
  static bool anyGivenUp() noexcept;

 private:
  Answer wait(Clock::time_point until, bool heeds);
  Answer ended();

  const DriverWake& wake_;
  int socket_ = -1;
  pid_t process_ = 0;
  std::thread thread_;
  std::shared_ptr<std::atomic<bool>> returned_;  // the thread has left the driver
  DriverHead asked_;                             // last request
  bool outstanding_ = false;                     // its reply is missing
  bool gone_ = false;
  DriverMessage reply_;
  std::string complaint_;
};

}  // namespace hyb
