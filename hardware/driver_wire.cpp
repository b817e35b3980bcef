#include "hardware/driver_wire.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace hyb {

std::string_view name(DriverCall call) noexcept {
  constexpr std::array<std::string_view, 6> names = {"loading", "open()", "arm()", "exchange()", "stop()", "close()"};
  return names[static_cast<std::size_t>(call)];
}

bool sendMessage(int socket, const DriverHead& head, std::span<const double> values, std::string_view text) noexcept {
  DriverHead sent = head;
  sent.values = static_cast<std::uint32_t>(values.size());
  std::array<iovec, 3> parts{{{&sent, sizeof sent},
                              {const_cast<double*>(values.data()), values.size_bytes()},
                              {const_cast<char*>(text.data()), text.size()}}};
  const std::size_t size = sizeof sent + values.size_bytes() + text.size();
  if (size > kLargestDriverMessage) return false;
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  ssize_t done = -1;
  do done = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  while (done < 0 && errno == EINTR);
  return done == static_cast<ssize_t>(size);
}

bool receiveMessage(int socket, DriverMessage& message) {
  thread_local std::vector<char> bytes(kLargestDriverMessage);
  ssize_t got = -1;
  do got = ::recv(socket, bytes.data(), bytes.size(), 0);
  while (got < 0 && errno == EINTR);
  if (got < static_cast<ssize_t>(sizeof message.head)) return false;
  std::memcpy(&message.head, bytes.data(), sizeof message.head);
  const std::size_t rest = static_cast<std::size_t>(got) - sizeof message.head,
                    numbers = message.head.values * sizeof(double);
  if (numbers > rest || message.head.call > DriverCall::close) return false;
  const char* const from = bytes.data() + sizeof message.head;
  message.values.resize(message.head.values);
  if (numbers > 0) std::memcpy(message.values.data(), from, numbers);
  message.text.assign(from + numbers, rest - numbers);
  return true;
}

}  // namespace hyb
