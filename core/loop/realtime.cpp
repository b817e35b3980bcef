#include "core/loop/realtime.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace hyb {
namespace {

std::string refusal(const std::string& what, int error, const std::string& remedy) {
  return what + " (" + std::strerror(error) + ": " + remedy + ")";
}

/// Faults the pages of the stack in now, not in tick 1.
void touchStack() noexcept {
  volatile unsigned char stack[256 * 1024];
  for (std::size_t i = 0; i < sizeof stack; i += 4096) stack[i] = 0;
}

/// Latency 0 asked of the kernel's power management; withdrawn when the file is closed.
std::shared_ptr<void> keepAwake() {
  const int file = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  const std::int32_t latency_us = 0;
  if (write(file, &latency_us, sizeof latency_us) != sizeof latency_us) {
    close(file);
    return nullptr;
  }
  return {new int(file), [](void* held) {
            close(*static_cast<int*>(held));
            delete static_cast<int*>(held);
          }};
}

}  // namespace

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

RealtimeReport enterRealtime(const RealtimeRequest& request) {
  RealtimeReport report;
  if (request.lock_memory) {
    // The limit counts the whole process; raise it as far as we may before asking.
    rlimit limit{};
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0) {
      const rlimit wanted{RLIM_INFINITY, RLIM_INFINITY};
      if (setrlimit(RLIMIT_MEMLOCK, &wanted) != 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_MEMLOCK, &limit);
      }
    }
    report.memory = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    if (!report.memory)
      report.refused.push_back(refusal("locked memory", errno, "raise memlock in /etc/security/limits.conf"));
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
  report.awake = keepAwake();
  if (!report.awake)
    report.hint = std::string("the processor may sleep between ticks (/dev/cpu_dma_latency: ") + std::strerror(errno) +
                  "); give this user write access to it";
  return report;
}

}  // namespace hyb
