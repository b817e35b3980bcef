#include "app/stop_signal.h"

#include <array>
#include <csignal>

#include "core/loop/stop_token.h"

namespace hyb::app {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

StopToken pressed;

extern "C" void onStopSignal(int) { pressed.press(); }

void install(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

}  // namespace

StopSignal::StopSignal() {
  pressed.clear();
  install(&onStopSignal);
}

StopSignal::~StopSignal() { install(SIG_DFL); }

StopToken& StopSignal::token() const noexcept { return pressed; }

bool StopSignal::received() const noexcept { return pressed.asked(); }

}  // namespace hyb::app
