#include <algorithm>
#include <array>

#include "tests/fuzz/fuzz_modbus.h"
#include "tests/fuzz/fuzz_server.h"

namespace {

/// Answers each request of a Modbus client with the next piece of the input, under the transaction and unit of the
/// request.
void answerModbus(int client, std::span<const std::uint8_t> rest) {
  std::array<std::uint8_t, 260> request;
  while (!rest.empty()) {
    const ssize_t got = ::recv(client, request.data(), request.size(), 0);
    if (got < 8) break;
    const std::size_t piece = std::min<std::size_t>(rest.size(), 1 + std::size_t{rest[0]} * 2);
    std::vector<std::uint8_t> reply(rest.begin() + 1, rest.begin() + static_cast<std::ptrdiff_t>(piece));
    rest = rest.subspan(piece);
    if (reply.size() >= 2 && rest.size() % 4 != 0) std::copy_n(request.begin(), 2, reply.begin());
    if (reply.size() >= 4 && rest.size() % 4 != 0) reply[2] = reply[3] = 0;
    if (reply.size() >= 7 && rest.size() % 4 != 0) reply[6] = request[6];
    if (::send(client, reply.data(), reply.size(), MSG_NOSIGNAL) < 0) break;
  }
}

}  // namespace

/// What a Modbus device answers over TCP to the first reading and to a write: values, or a sentence.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static hyb::fuzz::FuzzServer& server = *new hyb::fuzz::FuzzServer(answerModbus);
  static const hyb::fuzz::ModbusClient client("tcp://127.0.0.1:" + std::to_string(server.port()));
  server.answer({data, size}, [] { client.ask(); });
  return 0;
}
