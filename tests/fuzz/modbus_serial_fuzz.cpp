#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <thread>

#include "tests/fuzz/fuzz_modbus.h"
#include "tests/support/pseudo_terminals.h"

namespace {

using Bytes = std::vector<std::uint8_t>;

/// Of Modbus RTU, lower byte first.
std::uint16_t checksum(const Bytes& bytes) {
  std::uint16_t sum = 0xFFFF;
  for (const std::uint8_t byte : bytes) {
    sum ^= byte;
    for (int bit = 0; bit < 8; ++bit) sum = static_cast<std::uint16_t>((sum & 1) != 0 ? sum >> 1 ^ 0xA001 : sum >> 1);
  }
  return sum;
}

/// A Modbus device on a serial line that answers each request with the next piece of the input, mostly from the unit
/// asked and with a sound checksum.
class Answers {
 public:
  Answers() : terminal_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    if (terminal_ < 0 || ::grantpt(terminal_) != 0 || ::unlockpt(terminal_) != 0 ||
        ::ptsname_r(terminal_, name_.data(), name_.size()) != 0)
      std::abort();
    line_ = ::open(name_.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);  // so that nothing hangs up between two inputs
    termios raw{};
    if (line_ < 0 || ::tcgetattr(line_, &raw) != 0) std::abort();
    ::cfmakeraw(&raw);
    ::tcsetattr(line_, TCSANOW, &raw);
    std::thread([this] { serve(); }).detach();
  }
  std::string address() const { return "serial:" + std::string(name_.data()); }
  /// From now on; what was still on the line is gone.
  void answer(std::span<const std::uint8_t> input) {
    const std::lock_guard lock(guard_);
    ::tcflush(line_, TCIOFLUSH);
    rest_.assign(input.begin(), input.end());
  }

 private:
  void serve() {
    std::array<std::uint8_t, 260> request;
    for (;;) {
      const ssize_t got = ::read(terminal_, request.data(), request.size());
      const std::lock_guard lock(guard_);
      if (got < 4 || rest_.empty()) continue;
      const std::size_t piece = std::min<std::size_t>(rest_.size(), 1 + std::size_t{rest_[0]});
      Bytes reply(rest_.begin() + 1, rest_.begin() + static_cast<std::ptrdiff_t>(piece));
      rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(piece));
      if (!reply.empty() && rest_.size() % 4 != 0) reply[0] = request[0];
      if (rest_.size() % 4 != 1) {
        const std::uint16_t sum = checksum(reply);
        reply.insert(reply.end(), {static_cast<std::uint8_t>(sum & 0xFF), static_cast<std::uint8_t>(sum >> 8)});
      }
      (void)!::write(terminal_, reply.data(), reply.size());
    }
  }
  int terminal_, line_ = -1;
  std::array<char, 64> name_{};
  std::mutex guard_;
  Bytes rest_;
};

}  // namespace

/// What a Modbus device answers on a serial line to the first reading and to a write: values, or a sentence.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool terminals = (hyb::test::requirePseudoTerminals(), true);
  (void)terminals;
  static Answers answers;
  static const hyb::fuzz::ModbusClient client(answers.address());
  answers.answer({data, size});
  client.ask();
  return 0;
}
