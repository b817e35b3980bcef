#include "app/stop_signal.h"

#include <array>
#include <atomic>
#include <csignal>

#include "core/run/test_run.h"

namespace hyb::app {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

// Lock-free atomics only: the handler may interrupt anything.
std::atomic<TestRun*> watched{nullptr};
std::atomic<bool> seen{false};
static_assert(std::atomic<TestRun*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

extern "C" void onStopSignal(int) {
  const bool again = seen.exchange(true);
  TestRun* const run = watched.load();
  if (run == nullptr) return;
  if (again)
    run->requestImmediateStop();
  else
    run->requestStop();
}

void install(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

}  // namespace

StopSignal::StopSignal() {
  seen.store(false);
  install(&onStopSignal);
}

StopSignal::~StopSignal() {
  watched.store(nullptr);
  install(SIG_DFL);
}

void StopSignal::watch(TestRun* run) noexcept {
  watched.store(run);
  if (run != nullptr && seen.load()) run->requestStop();  // came while the test was being built
}

bool StopSignal::received() const noexcept { return seen.load(); }

}  // namespace hyb::app
