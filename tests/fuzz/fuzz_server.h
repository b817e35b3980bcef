#pragma once
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace hyb::fuzz {

/// A device on TCP that talks to one caller after the other, and hangs up when it has said the input of the fuzzer. It
/// lives as long as the process.
class FuzzServer {
 public:
  /// Says the input to a caller, until that has hung up or the input has ended.
  using Talk = std::function<void(int client, std::span<const std::uint8_t> input)>;

  explicit FuzzServer(Talk talk) : talk_(std::move(talk)), server_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof name;
    if (::bind(server_, reinterpret_cast<sockaddr*>(&name), length) != 0 || ::listen(server_, 8) != 0 ||
        ::getsockname(server_, reinterpret_cast<sockaddr*>(&name), &length) != 0)
      std::abort();
    port_ = ntohs(name.sin_port);
    std::thread([this] { serve(); }).detach();
  }
  int port() const { return port_; }

  /// One input: `call` connects, hears it, and hangs up. Returns when that connection has come to its end, so that the
  /// next caller meets the next input. On a busy machine the time to connect may run out before a caller is heard: then
  /// after some seconds.
  void answer(std::span<const std::uint8_t> input, const std::function<void()>& call) {
    std::unique_lock lock(guard_);
    input_.assign(input.begin(), input.end());
    const int before = served_;
    lock.unlock();
    call();
    lock.lock();
    ended_.wait_for(lock, std::chrono::seconds(5), [&] { return served_ > before; });
  }

 private:
  void serve() {
    for (;;) {
      const int client = ::accept4(server_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) continue;
      const std::vector<std::uint8_t> input = [this] {
        const std::lock_guard lock(guard_);
        return input_;
      }();
      talk_(client, input);
      ::shutdown(client, SHUT_WR);
      std::array<std::uint8_t, 512> unread;
      while (::recv(client, unread.data(), unread.size(), 0) > 0) continue;
      ::close(client);
      const std::lock_guard lock(guard_);
      ++served_;
      ended_.notify_all();
    }
  }

  Talk talk_;
  int server_, port_ = 0;
  std::mutex guard_;
  std::vector<std::uint8_t> input_;
  std::condition_variable ended_;
  int served_ = 0;
};

}  // namespace hyb::fuzz
