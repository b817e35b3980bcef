#include "hardware/udp_socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/base/error.h"

namespace hyb {
namespace {

const sockaddr_in& four(const sockaddr_storage& address) noexcept {
  return reinterpret_cast<const sockaddr_in&>(address);
}
const sockaddr_in6& six(const sockaddr_storage& address) noexcept {
  return reinterpret_cast<const sockaddr_in6&>(address);
}

}  // namespace

std::uint16_t UdpPeer::port() const noexcept {
  return ntohs(address.ss_family == AF_INET6 ? six(address).sin6_port : four(address).sin_port);
}

bool UdpPeer::sameHost(const UdpPeer& other) const noexcept {
  if (address.ss_family != other.address.ss_family) return false;
  if (address.ss_family == AF_INET6)
    return std::memcmp(&six(address).sin6_addr, &six(other.address).sin6_addr, sizeof(in6_addr)) == 0;
  return four(address).sin_addr.s_addr == four(other.address).sin_addr.s_addr;
}

bool UdpPeer::loopback() const noexcept {
  if (address.ss_family == AF_INET6) return IN6_IS_ADDR_LOOPBACK(&six(address).sin6_addr) != 0;
  return ntohl(four(address).sin_addr.s_addr) >> 24 == 127;
}

std::string UdpPeer::text() const {
  std::array<char, INET6_ADDRSTRLEN> words{};
  if (address.ss_family == AF_INET6)
    ::inet_ntop(AF_INET6, &six(address).sin6_addr, words.data(), words.size());
  else
    ::inet_ntop(AF_INET, &four(address).sin_addr, words.data(), words.size());
  return Address{Address::Kind::udp, words.data(), port(), {}}.text();
}

UdpPeer UdpPeer::resolve(const Address& address) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_DGRAM;
  wanted.ai_flags = AI_NUMERICSERV;
  const int error = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &wanted, &found);
  if (error != 0)
    throw DeviceError(address.text() + ": " + ::gai_strerror(error) + "; check the name or the address of the host.");
  UdpPeer peer;
  std::memcpy(&peer.address, found->ai_addr, found->ai_addrlen);
  peer.size = found->ai_addrlen;
  ::freeaddrinfo(found);
  return peer;
}

UdpPeer UdpPeer::anyLocal(const UdpPeer& partner, std::uint16_t port) noexcept {
  UdpPeer local;
  local.size = partner.size;
  local.address.ss_family = partner.address.ss_family;  // the address of all zeros is "any"
  if (local.address.ss_family == AF_INET6)
    reinterpret_cast<sockaddr_in6&>(local.address).sin6_port = htons(port);
  else
    reinterpret_cast<sockaddr_in&>(local.address).sin_port = htons(port);
  return local;
}

UdpSocket::UdpSocket(const UdpPeer& local) : local_(local) {
  fd_ = ::socket(local.address.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const auto* const name = reinterpret_cast<const sockaddr*>(&local.address);
  if (fd_ < 0 || ::bind(fd_, name, local.size) != 0) {
    const std::string why = std::strerror(errno);
    if (fd_ >= 0) ::close(fd_);
    throw DeviceError(local.text() + ": cannot receive here: " + why +
                      "; choose another local port, or end the program that uses this one.");
  }
  local_.size = sizeof local_.address;
  ::getsockname(fd_, reinterpret_cast<sockaddr*>(&local_.address), &local_.size);
  // Without it, an unconnected socket does not learn that no program listens at the other end.
  const int on = 1;
  const bool v6 = local.address.ss_family == AF_INET6;
  ::setsockopt(fd_, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_RECVERR : IP_RECVERR, &on, sizeof on);
}

UdpSocket::~UdpSocket() { ::close(fd_); }

UdpSocket::Result UdpSocket::receive(std::span<std::uint8_t> into, UdpPeer& from) noexcept {
  from.size = sizeof from.address;
  ssize_t got;
  do
    got = ::recvfrom(fd_, into.data(), into.size(), MSG_DONTWAIT | MSG_TRUNC,
                     reinterpret_cast<sockaddr*>(&from.address), &from.size);
  while (got < 0 && errno == EINTR);
  if (got >= 0) return {Got::datagram, static_cast<std::size_t>(got)};
  if (errno == EAGAIN || errno == EWOULDBLOCK) return {};
  // The reports of the network are kept apart from the datagrams, and would fill the memory of the socket.
  std::array<std::uint8_t, 512> control;
  msghdr report{};
  report.msg_control = control.data();
  report.msg_controllen = control.size();
  while (::recvmsg(fd_, &report, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0) report.msg_controllen = control.size();
  return {Got::refused, 0};
}

std::int64_t UdpSocket::ageNs() noexcept {
  timespec came{}, now{};
  if (::ioctl(fd_, SIOCGSTAMPNS, &came) != 0 || ::clock_gettime(CLOCK_REALTIME, &now) != 0) return 0;
  // The clock of the stamps may be set meanwhile.
  return std::clamp<std::int64_t>((now.tv_sec - came.tv_sec) * 1'000'000'000 + now.tv_nsec - came.tv_nsec, 0,
                                  1'000'000'000);
}

bool UdpSocket::send(std::span<const std::uint8_t> bytes, const UdpPeer& to) noexcept {
  // An error is often the report on an earlier datagram, after which this one is still to be sent.
  for (int attempt = 0; attempt < 2; ++attempt) {
    const ssize_t put = ::sendto(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                                 reinterpret_cast<const sockaddr*>(&to.address), to.size);
    if (put >= 0) return static_cast<std::size_t>(put) == bytes.size();
    if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
  }
  return false;
}

bool UdpSocket::waitReadable(std::chrono::nanoseconds wait) noexcept {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::max(wait, std::chrono::nanoseconds(0)));
  const timespec limit{static_cast<std::time_t>(seconds.count()),
                       static_cast<long>((std::max(wait, std::chrono::nanoseconds(0)) - seconds).count())};
  pollfd request{fd_, POLLIN, 0};
  return ::ppoll(&request, 1, &limit, nullptr) > 0;
}

}  // namespace hyb
