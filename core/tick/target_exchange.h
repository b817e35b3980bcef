#pragma once
#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/tick/event.h"
#include "core/tick/mailbox.h"

namespace hyb {

/// A target from another program, [i], m. The first target, at rest in zero, has number 1 and need not be sent.
struct ExternalTargetPoint {
  std::vector<double> displacement_m;
  std::uint64_t number = 1;
};
/// Measured values at a target.
struct ExternalAnswer {
  std::vector<double> displacement_m, force_n;  // [i], +x positive, force of the PS on the NS
  double time_s = 0.0;                          // since Run
  std::uint64_t number = 0;
};

/// Exchange between the tick and the server thread that serves another program. Neither waits for the other.
struct TargetExchange {
  explicit TargetExchange(std::size_t interfaces)
      : targets({std::vector<double>(interfaces, 0.0)}),
        answers({std::vector<double>(interfaces, 0.0), std::vector<double>(interfaces, 0.0)}) {}

  Mailbox<ExternalTargetPoint> targets;    // server to tick
  Mailbox<ExternalAnswer> answers;         // tick to server
  std::atomic<std::uint64_t> asked{1};     // number of the newest target
  std::atomic<std::uint64_t> answered{0};  // number of the newest answer
  std::atomic<bool> finished{false};       // the client has gone, so the test ends
  std::atomic<bool> abandoned{false};      // the client left without announcing it; set before finished
  std::atomic<bool> over{false};           // the test has ended
  std::atomic<std::uint32_t> changes{0};   // changes of answered and over; the server waits on it
  boost::lockfree::spsc_queue<Event, boost::lockfree::capacity<64>> remarks;  // server to tick

  /// The client is computing: nothing moves until it asks for the next target.
  bool idle() const noexcept {
    return answered.load(std::memory_order_acquire) == asked.load(std::memory_order_acquire) &&
           !finished.load(std::memory_order_acquire) && remarks.read_available() == 0;
  }
  /// Wakes the server. Real-time safe.
  void changed() noexcept {
    changes.fetch_add(1, std::memory_order_acq_rel);
    changes.notify_all();
  }
};

}  // namespace hyb
