#include "core/loop/realtime.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace hyb {
namespace {

constexpr std::array<std::string_view, 5> kRealtime = {"unknown", "free-run", "granted", "not-granted", "replay"};

std::string refusal(const std::string& what, int error, const std::string& remedy) {
  return what + " (" + std::strerror(error) + ": " + remedy + ")";
}

/// Touches the pages of the stack now, so that they do not fault in the first tick.
void touchStack() noexcept {
  volatile unsigned char stack[256 * 1024];
  for (std::size_t i = 0; i < sizeof stack; i += 4096) stack[i] = 0;
}

}  // namespace

std::string_view name(Realtime realtime) noexcept { return kRealtime[static_cast<std::size_t>(realtime)]; }

Realtime realtimeNamed(std::string_view name) noexcept {
  const auto found = std::find(kRealtime.begin(), kRealtime.end(), name);
  return found == kRealtime.end() ? Realtime::unknown : static_cast<Realtime>(found - kRealtime.begin());
}

std::int64_t monotonicNs() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

std::string RealtimeReport::summary() const {
  std::string text = refused.empty() ? "granted" : "not granted: ";
  for (std::size_t r = 0; r < refused.size(); ++r) text += (r > 0 ? "; " : "") + refused[r];
  return text.substr(0, 255);
}

namespace {

/// Locks the present and future memory of the process. Returns errno, 0 on success.
int lockMemory() {
  // The limit applies to the whole process. Raise it as far as allowed before the request.
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0) {
    const rlimit wanted{RLIM_INFINITY, RLIM_INFINITY};
    if (setrlimit(RLIMIT_MEMLOCK, &wanted) != 0) {
      limit.rlim_cur = limit.rlim_max;
      setrlimit(RLIMIT_MEMLOCK, &limit);
    }
  }
  return mlockall(MCL_CURRENT | MCL_FUTURE) == 0 ? 0 : errno;
}

}  // namespace

RealtimeReport enterRealtime(const RealtimeRequest& request) {
  RealtimeReport report;
  if (request.lock_memory) {
    static const int error = lockMemory();  // once: it covers all later mappings and takes time
    report.memory = error == 0;
    if (!report.memory)
      report.refused.push_back(refusal("locked memory", error, "raise memlock in /etc/security/limits.conf"));
  }
  touchStack();
  if (request.cpu >= 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (request.cpu < CPU_SETSIZE) CPU_SET(static_cast<unsigned>(request.cpu), &set);
    const int error = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    report.affinity = error == 0;
    if (error != 0)
      report.refused.push_back(
          refusal("CPU " + std::to_string(request.cpu), error, "choose a CPU of this machine in /loop/cpu"));
  }
  if (request.fifo_priority > 0) {
    sched_param param{};
    param.sched_priority = request.fifo_priority;
    const int error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
    report.fifo = error == 0;
    if (error != 0)
      report.refused.push_back(refusal("SCHED_FIFO", error, "give this user rtprio in /etc/security/limits.conf"));
  }
  return report;
}

}  // namespace hyb
