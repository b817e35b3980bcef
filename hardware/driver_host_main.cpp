/// Process of a driver: hybridbench starts it for each one, with its end of the sockets as descriptor 3 and the file of
/// the library as descriptor 4. If the bench is gone, it ends after the driver was stopped.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "hardware/driver_host.h"

namespace {

constexpr int kSocket = 3, kLibrary = 4;
constexpr unsigned kGrace_s = 10;  // for the driver to return and to stop, once the bench is gone

/// A driver that never returns must not outlive the bench.
void endWithBench() {
  pollfd end{kSocket, POLLRDHUP, 0};
  while (::poll(&end, 1, -1) <= 0) continue;
  ::sleep(kGrace_s);
  std::_Exit(EXIT_FAILURE);
}

}  // namespace

int main() {
  if (::fcntl(kSocket, F_GETFD) < 0 || ::fcntl(kLibrary, F_GETFD) < 0) return EXIT_FAILURE;  // started by hand
  // The bench decides on the end: Ctrl+C goes to both.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_IGN);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);  // the standard output belongs to the bench
  std::thread(endWithBench).detach();
  hyb::serveDriver(kSocket, kLibrary);
  std::_Exit(EXIT_SUCCESS);  // the watching thread still exists
}
