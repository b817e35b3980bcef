#include "hardware/driver_link.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "core/base/error.h"
#include "hardware/driver_host.h"

namespace hyb {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHost = "hybridbench-driver-host";
constexpr std::chrono::milliseconds kCloseWait(5000), kGlance(2);
std::atomic<bool> any_given_up{false};

/// The program that hosts drivers: beside this one, or where the package puts it.
fs::path hostProgram() {
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& place : {own / kHost, own.parent_path() / "libexec" / "hybridbench" / kHost})
    if (::access(place.c_str(), X_OK) == 0) return place;
  throw DeviceError("the program " + std::string(kHost) + ", which runs drivers, is missing beside " + own.string() +
                    "; install HybridBench again");
}

/// The process ends within `wait`; it is collected then.
bool endsWithin(pid_t process, std::chrono::steady_clock::duration wait, int& status) {
  const auto until = std::chrono::steady_clock::now() + wait;
  for (;;) {
    const pid_t got = ::waitpid(process, &status, WNOHANG);
    if (got == process || (got < 0 && errno != EINTR)) return true;
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(kGlance);
  }
}

/// Starts the host with these two descriptors as its third and fourth. Nothing with `errno` in `fault`.
pid_t startHost(const fs::path& host, const fs::path& driver, int socket, int library, int& fault) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  // Above the two numbers that the host expects, so that neither overwrites the other.
  const int end = ::fcntl(socket, F_DUPFD_CLOEXEC, 10), file = ::fcntl(library, F_DUPFD_CLOEXEC, 10);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, end, 3);
  ::posix_spawn_file_actions_adddup2(&actions, file, 4);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, 5);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const std::string title = driver.filename().string();
  std::array<char*, 3> arguments{const_cast<char*>(kHost), const_cast<char*>(title.c_str()), nullptr};
  pid_t process = 0;
  fault = end < 0 || file < 0 ? errno
                              : ::posix_spawn(&process, host.c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  ::close(end);
  ::close(file);
  return fault == 0 ? process : 0;
}

}  // namespace

DriverWake::DriverWake() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_ < 0) throw DeviceError(std::string("a driver cannot be started: ") + std::strerror(errno));
}
DriverWake::~DriverWake() { ::close(event_); }
void DriverWake::interrupt() noexcept {
  interrupted_.store(true, std::memory_order_release);
  const std::uint64_t one = 1;
  (void)!::write(event_, &one, sizeof one);
}
void DriverWake::clear() noexcept {
  interrupted_.store(false, std::memory_order_release);
  std::uint64_t count = 0;
  (void)!::read(event_, &count, sizeof count);
}

DriverLink::DriverLink(const DriverFile& driver, bool own_process, const DriverWake& wake) : wake_(wake) {
  const fs::path host = own_process ? hostProgram() : fs::path();
  std::array<int, 2> ends{-1, -1};
  const int library = copyInMemory(driver.read->bytes, "driver");
  int fault = library >= 0 && ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0 ? 0 : errno;
  socket_ = ends[0];
  if (fault == 0 && own_process) process_ = startHost(host, driver.read->of.file, ends[1], library, fault);
  if (fault == 0 && !own_process) {
    returned_ = std::make_shared<std::atomic<bool>>(false);
    thread_ = std::thread([end = ends[1], library, done = returned_] {
      serveDriver(end, library);
      done->store(true, std::memory_order_release);
    });
    return;
  }
  ::close(library);
  ::close(ends[1]);
  if (fault == 0) return;
  ::close(socket_);
  throw DeviceError("the driver " + driver.read->of.file.string() + " cannot be started: " + std::strerror(fault));
}

DriverLink::~DriverLink() {
  ::close(socket_);  // the host closes the driver and ends
  if (process_ > 0) {
    int status = 0;
    if (!outstanding_ && endsWithin(process_, kCloseWait, status)) return;
    ::kill(process_, SIGKILL);
    (void)::waitpid(process_, &status, 0);
  } else if (thread_.joinable()) {
    const auto until = Clock::now() + kCloseWait;
    while (!returned_->load(std::memory_order_acquire) && Clock::now() < until) std::this_thread::sleep_for(kGlance);
    if (returned_->load(std::memory_order_acquire)) {
      thread_.join();
    } else {
      any_given_up.store(true, std::memory_order_release);
      thread_.detach();
    }
  }
}

bool DriverLink::anyGivenUp() noexcept { return any_given_up.load(std::memory_order_acquire); }

DriverLink::Answer DriverLink::ask(DriverCall call, double deadline_s, double wait_s, bool for_stop,
                                   std::span<const double> values, std::string_view text) {
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(wait_s));
  const auto late = [&] {
    complaint_ =
        "did not return from " + std::string(name(asked_.call)) + " within " + Checks::text(1e3 * wait_s, "ms");
    return Answer::late;
  };
  if (gone_) return Answer::ended;
  if (outstanding_) {
    const Answer earlier = wait(until, !for_stop);
    if (earlier == Answer::late) return late();
    if (earlier != Answer::answered) return earlier;
  }
  asked_ = {call, asked_.number + 1, 0, 0, deadline_s};
  if (!sendMessage(socket_, asked_, values, text)) return ended();
  outstanding_ = true;
  const Answer answer = wait(until, !for_stop);
  return answer == Answer::late ? late() : answer;
}

/// For the reply to the last request.
DriverLink::Answer DriverLink::wait(Clock::time_point until, bool heeds) {
  std::array<pollfd, 2> events{{{socket_, POLLIN, 0}, {wake_.event(), POLLIN, 0}}};
  for (;;) {
    if (heeds && wake_.interrupted()) return Answer::interrupted;
    const auto left = std::chrono::ceil<std::chrono::nanoseconds>(until - Clock::now());
    const std::int64_t left_ns = std::max<std::int64_t>(0, left.count());
    const timespec time{left_ns / 1'000'000'000, left_ns % 1'000'000'000};
    const int ready = ::ppoll(events.data(), heeds ? 2 : 1, &time, nullptr);
    if (ready < 0 && errno != EINTR) return ended();
    if (ready == 0) return Answer::late;
    if (ready < 0 || events[0].revents == 0) continue;
    if (!receiveMessage(socket_, reply_)) return ended();
    if (reply_.head.number != asked_.number) continue;
    outstanding_ = false;
    return Answer::answered;
  }
}

DriverLink::Answer DriverLink::ended() {
  gone_ = true;
  complaint_ = "ended in " + std::string(name(asked_.call));
  int status = 0;
  if (process_ > 0 && endsWithin(process_, kCloseWait, status)) {
    process_ = 0;
    if (WIFSIGNALED(status))
      complaint_ = "crashed in " + std::string(name(asked_.call)) + ": signal " + std::to_string(WTERMSIG(status)) +
                   " (" + strsignal(WTERMSIG(status)) + ")";
    else
      complaint_ += " with exit code " + std::to_string(WEXITSTATUS(status));
  }
  return Answer::ended;
}

}  // namespace hyb
