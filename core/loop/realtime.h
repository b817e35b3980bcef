#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace hyb {

struct RealtimeRequest {
  int fifo_priority = 80;  // 1..99; 0 = do not ask
  int cpu = -1;            // bind the loop thread to this CPU; -1 = leave it
  bool lock_memory = true;
};

/// What was asked for and what the machine granted. Each entry of `refused` says what failed, why, and the remedy.
struct RealtimeReport {
  bool fifo = false, memory = false, affinity = false;
  std::vector<std::string> refused;
  /// "granted", or "not granted: SCHED_FIFO (operation not permitted: ...); ..." ASCII, at most 255 bytes.
  std::string summary() const;
};

/// First call on the loop thread. Tries, never fails; the run goes on degraded and says so.
RealtimeReport enterRealtime(const RealtimeRequest& request);

/// CLOCK_MONOTONIC in ns.
std::int64_t monotonicNs() noexcept;

}  // namespace hyb
