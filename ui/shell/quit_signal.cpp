#include "ui/shell/quit_signal.h"

#include <fcntl.h>
#include <unistd.h>

#include <QSocketNotifier>
#include <array>
#include <csignal>

namespace hyb::ui {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
std::array<int, 2> pipe_ends = {-1, -1};
std::array<struct sigaction, kSignals.size()> old_actions;

extern "C" void onQuitSignal(int) {
  const char byte = 0;
  [[maybe_unused]] const auto written = ::write(pipe_ends[1], &byte, 1);  // a full pipe already holds a signal
}

}  // namespace

QuitSignal::QuitSignal(QObject* parent) : QObject(parent) {
  if (::pipe2(pipe_ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) qFatal("no pipe for signals");
  notifier_ = new QSocketNotifier(pipe_ends[0], QSocketNotifier::Read, this);
  connect(notifier_, &QSocketNotifier::activated, this, [this] {
    char bytes[16];
    while (::read(pipe_ends[0], bytes, sizeof bytes) > 0) {
    }
    Q_EMIT received();
  });
  struct sigaction action {};
  action.sa_handler = onQuitSignal;
  action.sa_flags = SA_RESTART;
  for (std::size_t s = 0; s < kSignals.size(); ++s) ::sigaction(kSignals[s], &action, &old_actions[s]);
}

QuitSignal::~QuitSignal() {
  for (std::size_t s = 0; s < kSignals.size(); ++s) ::sigaction(kSignals[s], &old_actions[s], nullptr);
  notifier_->setEnabled(false);
  for (const int end : pipe_ends) ::close(end);
}

}  // namespace hyb::ui
