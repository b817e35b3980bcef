#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/fuzz/fuzz_modbus.h"

namespace {

using Bytes = std::vector<std::uint8_t>;

/// A Modbus device that answers each request with the next piece of the input, under the transaction and unit of the
/// request, and then hangs up.
class Answers {
 public:
  Answers() : server_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
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
  /// What the next caller hears.
  void answer(std::span<const std::uint8_t> input) {
    const std::lock_guard lock(guard_);
    input_.assign(input.begin(), input.end());
  }
  /// The connections that came to their end so far.
  int served() {
    const std::lock_guard lock(guard_);
    return served_;
  }
  /// Returns once `count` connections came to their end. On a busy machine the time to connect may run out before a
  /// caller is heard: then after some seconds.
  void await(int count) {
    std::unique_lock lock(guard_);
    ended_.wait_for(lock, std::chrono::seconds(5), [&] { return served_ >= count; });
  }

 private:
  void serve() {
    for (;;) {
      const int client = ::accept4(server_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) continue;
      std::array<std::uint8_t, 260> request;
      const Bytes input = [this] {
        const std::lock_guard lock(guard_);
        return input_;
      }();
      std::span<const std::uint8_t> rest = input;
      while (!rest.empty()) {
        const ssize_t got = ::recv(client, request.data(), request.size(), 0);
        if (got < 8) break;
        const std::size_t piece = std::min<std::size_t>(rest.size(), 1 + std::size_t{rest[0]} * 2);
        Bytes reply(rest.begin() + 1, rest.begin() + static_cast<std::ptrdiff_t>(piece));
        rest = rest.subspan(piece);
        if (reply.size() >= 2 && rest.size() % 4 != 0) std::copy_n(request.begin(), 2, reply.begin());
        if (reply.size() >= 4 && rest.size() % 4 != 0) reply[2] = reply[3] = 0;
        if (reply.size() >= 7 && rest.size() % 4 != 0) reply[6] = request[6];
        if (::send(client, reply.data(), reply.size(), MSG_NOSIGNAL) < 0) break;
      }
      ::shutdown(client, SHUT_WR);
      while (::recv(client, request.data(), request.size(), 0) > 0) continue;
      ::close(client);
      const std::lock_guard lock(guard_);
      ++served_;
      ended_.notify_all();
    }
  }
  int server_, port_ = 0;
  std::mutex guard_;
  Bytes input_;
  std::condition_variable ended_;
  int served_ = 0;
};

}  // namespace

/// What a Modbus device answers over TCP to the first reading and to a write: values, or a sentence.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Answers answers;
  static const hyb::fuzz::ModbusClient client("tcp://127.0.0.1:" + std::to_string(answers.port()));
  answers.answer({data, size});
  const int before = answers.served();
  client.ask();
  answers.await(before + 1);  // the device is gone; the next input must not meet its server
  return 0;
}
