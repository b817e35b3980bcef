#include "hardware/port.h"

#include <fcntl.h>
#include <linux/serial.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/serial_port.hpp>
#include <cerrno>
#include <filesystem>
#include <variant>

#include "core/base/error.h"
#include "hardware/baud_rate.h"

namespace hyb {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using tcp = asio::ip::tcp;
using SteadyClock = std::chrono::steady_clock;

[[noreturn]] void fail(const Address& address, const std::string& what, const std::string& remedy) {
  throw DeviceError(address.text() + ": " + what + "; " + remedy);
}

/// Datagrams are no stream of bytes: they have a socket of their own, udp_socket.h.
void refuseDatagrams(const Address& address) {
  if (address.kind == Address::Kind::udp)
    fail(address, "UDP does not suit this protocol", "give tcp://HOST:PORT or serial:PATH");
}

/// Sends small frames at once, and detects a vanished partner after some seconds.
void prepare(tcp::socket& socket) {
  socket.set_option(tcp::no_delay(true));
  socket.set_option(asio::socket_base::keep_alive(true));
  for (const auto& [option, value] : {std::pair{TCP_KEEPIDLE, 3}, {TCP_KEEPINTVL, 1}, {TCP_KEEPCNT, 3}})
    ::setsockopt(socket.native_handle(), IPPROTO_TCP, option, &value, sizeof value);
  socket.native_non_blocking(true);
}

void configure(asio::serial_port& port, const SerialSpec& spec) {
  using Serial = asio::serial_port_base;
  port.set_option(Serial::character_size(static_cast<unsigned>(spec.data_bits)));
  port.set_option(Serial::stop_bits(spec.stop_bits == 2 ? Serial::stop_bits::two : Serial::stop_bits::one));
  port.set_option(Serial::parity(spec.parity == Parity::none   ? Serial::parity::none
                                 : spec.parity == Parity::even ? Serial::parity::even
                                                               : Serial::parity::odd));
  port.set_option(Serial::flow_control(spec.flow == FlowControl::none       ? Serial::flow_control::none
                                       : spec.flow == FlowControl::hardware ? Serial::flow_control::hardware
                                                                            : Serial::flow_control::software));
  const int fd = port.native_handle();
  setBaudRate(fd, spec.baud);
  // TIOCEXCL would persist on a pseudo-terminal whose other end stays open.
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) throw boost::system::system_error(EBUSY, boost::system::system_category());
  ::tcflush(fd, TCIFLUSH);  // drops earlier input; earlier output, such as the stop of a test, must still arrive
  serial_struct driver{};   // adapters delay short replies by default; kept if this is refused
  if (::ioctl(fd, TIOCGSERIAL, &driver) == 0) {
    driver.flags |= ASYNC_LOW_LATENCY;
    ::ioctl(fd, TIOCSSERIAL, &driver);
  }
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

bool wait(int fd, short events, std::chrono::nanoseconds duration) noexcept {
  const auto until = SteadyClock::now() + duration;
  for (;;) {
    const auto left = std::max<std::chrono::nanoseconds>(until - SteadyClock::now(), std::chrono::nanoseconds(0));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec limit{static_cast<time_t>(seconds.count()), static_cast<long>((left - seconds).count())};
    pollfd request{fd, events, 0};
    const int ready = ::ppoll(&request, 1, &limit, nullptr);
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

/// True for a serial line whose adapter or far end is gone: it reads as empty forever.
bool hungUp(int fd) noexcept {
  pollfd request{fd, POLLIN, 0};
  return ::poll(&request, 1, 0) > 0 && (request.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

std::string text(const tcp::endpoint& end) {
  return Address{Address::Kind::tcp, end.address().to_string(), end.port(), {}}.text();
}

}  // namespace

struct Port::Impl {
  asio::io_context io{1};
  std::variant<std::monostate, tcp::socket, asio::serial_port, asio::posix::stream_descriptor> object;
  int fd = -1;
  bool socket = false;
  std::string name;
};

Port::Port(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Port::~Port() = default;
bool Port::serial() const noexcept { return !impl_->socket; }
const std::string& Port::name() const noexcept { return impl_->name; }
std::string Port::localHost() const {
  const auto* const socket = std::get_if<tcp::socket>(&impl_->object);
  error_code error;
  const tcp::endpoint end = socket != nullptr ? socket->local_endpoint(error) : tcp::endpoint();
  return socket != nullptr && !error ? end.address().to_string() : std::string();
}

Port::Result Port::read(std::span<std::uint8_t> into) noexcept {
  if (into.empty()) return {};
  ssize_t got;
  do
    got = impl_->socket ? ::recv(impl_->fd, into.data(), into.size(), MSG_DONTWAIT)
                        : ::read(impl_->fd, into.data(), into.size());
  while (got < 0 && errno == EINTR);
  if (got > 0) return {static_cast<std::size_t>(got), false};
  if (got == 0) return {0, impl_->socket || hungUp(impl_->fd)};
  return {0, errno != EAGAIN && errno != EWOULDBLOCK};
}

Port::Result Port::write(std::span<const std::uint8_t> bytes) noexcept {
  if (bytes.empty()) return {};
  ssize_t put;
  do
    put = impl_->socket ? ::send(impl_->fd, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL)
                        : ::write(impl_->fd, bytes.data(), bytes.size());
  while (put < 0 && errno == EINTR);
  if (put >= 0) return {static_cast<std::size_t>(put), false};
  return {0, errno != EAGAIN && errno != EWOULDBLOCK};
}

bool Port::waitReadable(std::chrono::nanoseconds duration) noexcept { return wait(impl_->fd, POLLIN, duration); }

bool Port::writeAll(std::span<const std::uint8_t> bytes, std::chrono::milliseconds duration) noexcept {
  const auto until = SteadyClock::now() + duration;
  while (!bytes.empty()) {
    const Result result = write(bytes);
    if (result.closed) return false;
    bytes = bytes.subspan(result.bytes);
    if (result.bytes == 0 && !wait(impl_->fd, POLLOUT, until - SteadyClock::now())) return false;
  }
  return true;
}

void Port::hangUp(std::chrono::milliseconds duration) noexcept {
  if (!impl_->socket || ::shutdown(impl_->fd, SHUT_WR) != 0) return;
  std::array<std::uint8_t, 4096> unread;
  const auto until = SteadyClock::now() + duration;
  for (auto left = duration; left.count() > 0 && wait(impl_->fd, POLLIN, left) && !read(unread).closed;)
    left = std::chrono::duration_cast<std::chrono::milliseconds>(until - SteadyClock::now());
}

void Port::acknowledgeAtOnce() noexcept {
  const int on = 1;
  if (impl_->socket) ::setsockopt(impl_->fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}

std::unique_ptr<Port> openPort(const Address& address, const SerialSpec& spec, double connect_s) {
  refuseDatagrams(address);
  auto impl = std::make_unique<Port::Impl>();
  impl->name = address.text();
  try {
    if (address.kind == Address::Kind::serial) {
      auto& port = impl->object.emplace<asio::serial_port>(impl->io);
      port.open(address.path);
      configure(port, spec);
      impl->fd = port.native_handle();
      return std::unique_ptr<Port>(new Port(std::move(impl)));
    }
    auto& socket = impl->object.emplace<tcp::socket>(impl->io);
    tcp::resolver resolver(impl->io);
    error_code outcome = asio::error::timed_out;
    resolver.async_resolve(address.host, std::to_string(address.port),
                           [&](const error_code& error, const tcp::resolver::results_type& found) {
                             outcome = error;
                             if (error) return;
                             outcome = asio::error::timed_out;
                             asio::async_connect(socket, found,
                                                 [&](const error_code& end, const tcp::endpoint&) { outcome = end; });
                           });
    impl->io.run_for(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(connect_s)));
    if (outcome) {
      // The handlers refer to this frame, so they must finish first.
      error_code ignored;
      const std::string why = outcome.message();
      resolver.cancel();
      socket.close(ignored);
      impl->io.restart();
      impl->io.run();
      fail(address, "no connection: " + why, "check the address, the cable, and that the rig is listening");
    }
    prepare(socket);
    impl->fd = socket.native_handle();
    impl->socket = true;
  } catch (const DeviceError& error) {  // of the baud rate
    if (address.kind != Address::Kind::serial) throw;
    throw DeviceError(address.text() + ": " + error.what() + ".");
  } catch (const boost::system::system_error& error) {
    fail(address, error.code().message(),
         address.kind == Address::Kind::serial ? "check the name, the settings, and your permission (group dialout)"
                                               : "check the address and the cable");
  }
  return std::unique_ptr<Port>(new Port(std::move(impl)));
}

struct Listener::Impl {
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  std::unique_ptr<Port> line;  // serial: stays open, partners use their own handle
  int terminal = -1;  // the far end of a pseudo-terminal: kept open, otherwise it would hang up between two partners
  std::string address;
};

Listener::Listener(const Address& address, const SerialSpec& spec) : impl_(std::make_unique<Impl>()) {
  refuseDatagrams(address);
  Impl& self = *impl_;
  if (address.kind == Address::Kind::serial && address.path != "pty") {
    self.line = openPort(address, spec, 0.0);
    self.address = address.text();
    return;
  }
  try {
    if (address.kind == Address::Kind::serial) {
      auto impl = std::make_unique<Port::Impl>();
      impl->fd = ::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
      if (impl->fd < 0) fail(address, "no pseudo-terminal available", "close other terminals");
      impl->object.emplace<asio::posix::stream_descriptor>(impl->io, impl->fd);
      char name[128];
      if (::grantpt(impl->fd) != 0 || ::unlockpt(impl->fd) != 0 || ::ptsname_r(impl->fd, name, sizeof name) != 0)
        fail(address, "no pseudo-terminal available", "close other terminals");
      self.terminal = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
      termios raw{};
      if (self.terminal < 0 || ::tcgetattr(self.terminal, &raw) != 0)
        fail(address, std::string(name) + " cannot be opened", "check your permissions on /dev/pts");
      ::cfmakeraw(&raw);
      ::tcsetattr(self.terminal, TCSANOW, &raw);
      self.address = std::string("serial:") + name;
      impl->name = self.address;
      self.line.reset(new Port(std::move(impl)));
      return;
    }
    tcp::resolver resolver(self.io);
    const tcp::endpoint end =
        resolver.resolve(address.host, std::to_string(address.port), tcp::resolver::passive).begin()->endpoint();
    self.acceptor.open(end.protocol());
    self.acceptor.set_option(tcp::acceptor::reuse_address(true));
    self.acceptor.bind(end);
    self.acceptor.listen();
    self.acceptor.native_non_blocking(true);
    self.address = text(self.acceptor.local_endpoint());
  } catch (const boost::system::system_error& error) {
    fail(address, "cannot listen here: " + error.code().message(), "choose another port (0 takes a free one)");
  }
}

Listener::~Listener() {
  if (impl_->terminal >= 0) ::close(impl_->terminal);
}

const std::string& Listener::address() const noexcept { return impl_->address; }

bool Listener::onThisComputerOnly() const {
  if (impl_->line) return true;
  const asio::ip::address address = impl_->acceptor.local_endpoint().address();
  return address.is_loopback() || (address.is_v6() && address.to_v6().is_v4_mapped() &&
                                   asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback());
}

std::unique_ptr<Port> Listener::accept(std::chrono::milliseconds duration) {
  if (!wait(impl_->line ? impl_->line->impl_->fd : impl_->acceptor.native_handle(), POLLIN, duration)) return nullptr;
  auto impl = std::make_unique<Port::Impl>();
  error_code error;
  if (impl_->line) {
    impl->name = impl_->address;
    impl->fd = ::fcntl(impl_->line->impl_->fd, F_DUPFD_CLOEXEC, 0);
    if (impl->fd < 0) return nullptr;
    impl->object.emplace<asio::posix::stream_descriptor>(impl->io, impl->fd);
    return std::unique_ptr<Port>(new Port(std::move(impl)));
  }
  auto& socket = impl->object.emplace<tcp::socket>(impl->io);
  tcp::endpoint partner;
  impl_->acceptor.accept(socket, partner, error);
  if (error) return nullptr;  // closed before it was accepted
  try {
    prepare(socket);
  } catch (const boost::system::system_error&) {
    return nullptr;
  }
  impl->name = text(partner);
  impl->fd = socket.native_handle();
  impl->socket = true;
  return std::unique_ptr<Port>(new Port(std::move(impl)));
}

std::vector<std::string> serialPorts() {
  namespace fs = std::filesystem;
  std::vector<std::string> by_id, others;
  std::error_code error;
  for (fs::directory_iterator it("/dev/serial/by-id", error), end; !error && it != end; it.increment(error))
    by_id.push_back(it->path().string());
  error.clear();
  for (fs::directory_iterator it("/dev", error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with("ttyUSB") || name.starts_with("ttyACM") || name.starts_with("ttyAMA"))
      others.push_back(it->path().string());
  }
  std::sort(by_id.begin(), by_id.end());
  std::sort(others.begin(), others.end());
  by_id.insert(by_id.end(), others.begin(), others.end());
  return by_id;
}

}  // namespace hyb
