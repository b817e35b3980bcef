#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hyb {

struct RealtimeRequest {
  int fifo_priority = 80;  // 1..99; 0: do not request
  int cpu = -1;            // bind the loop thread to this CPU; -1: any CPU
  bool lock_memory = true;
};

/// Pacing of the ticks of a run. Its names are a contract with readers of run files (attribute `pace`).
enum class Realtime : std::uint8_t { unknown, free_run, granted, refused, replay };
std::string_view name(Realtime realtime) noexcept;  // "unknown", "free-run", "granted", "not-granted", "replay"
/// The value with this name; unknown for any other word.
Realtime realtimeNamed(std::string_view name) noexcept;

/// The value with a text for people.
struct RealtimeOutcome {
  Realtime state = Realtime::unknown;
  std::string summary;
};

/// What was requested and what the system granted. Each entry of `refused` states what failed, why, and the remedy.
struct RealtimeReport {
  bool fifo = false, memory = false, affinity = false;
  std::vector<std::string> refused;
  /// "granted", or "not granted: SCHED_FIFO (operation not permitted: ...); ..." ASCII, at most 255 bytes.
  std::string summary() const;
  RealtimeOutcome outcome() const { return {refused.empty() ? Realtime::granted : Realtime::refused, summary()}; }
};

/// First call on the loop thread. It never fails: without real time the run continues and reports it.
RealtimeReport enterRealtime(const RealtimeRequest& request);

/// CLOCK_MONOTONIC in ns.
std::int64_t monotonicNs() noexcept;

}  // namespace hyb
