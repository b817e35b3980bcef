#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hyb {

/// Messages between the bench and the host of a driver, over a pair of local sockets that keeps their limits
/// (SOCK_SEQPACKET): a head, then numbers or a text. A closed end tells either side that the other one is gone.
enum class DriverCall : std::uint32_t { load, open, arm, exchange, stop, close };
/// Name of the function of the driver, "exchange()"; for load the loading of the library.
std::string_view name(DriverCall call) noexcept;

struct DriverHead {
  DriverCall call = DriverCall::load;
  std::uint32_t number = 0;  // of the request; the reply repeats it
  std::int32_t result = 0;   // HYB_... in a reply
  std::uint32_t values = 0;  // doubles that follow; the rest is text
  double deadline_s = 0.0;
};

/// A message, with its memory reserved for the largest one of a connection.
struct DriverMessage {
  DriverHead head;
  std::vector<double> values;
  std::string text;
};

constexpr std::size_t kLargestDriverMessage = 1u << 16u;  // bytes

/// False: the other end is gone, or the message does not fit.
bool sendMessage(int socket, const DriverHead& head, std::span<const double> values, std::string_view text) noexcept;
/// Waits for nothing longer than its arrival. False: the other end is gone, or what came is no message.
bool receiveMessage(int socket, DriverMessage& message);

}  // namespace hyb
