#pragma once
#include <fcntl.h>
#include <modbus.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>

#include "core/rig/modbus_map.h"

namespace hyb::test {

/// The other end of a Modbus connection: an ideal actuator on a spring of 1000 N/m, of which one may ask more than
/// good manners. Holding registers from 0: command (float32); from 10: displacement (float32) and force (float64);
/// input register 0: 7. A 1 in holding register 30 stops it.
class ModbusPartner {
 public:
  enum class Mode { good, silent, reset_in_reply, exception };
  static constexpr double kStiffness = 1000.0;
  static constexpr int kUnit = 5;

  explicit ModbusPartner(bool serial) {
    serial ? openTerminal() : listen();
    mapping_ = ::modbus_mapping_new(0, 0, 40, 4);
    mapping_->tab_input_registers[0] = 7;
    ::modbus_set_slave(context_, kUnit);
    ::modbus_set_indication_timeout(context_, 0, 50'000);
    thread_ = std::thread([this] { work(); });
  }
  ~ModbusPartner() {
    closing_ = true;
    thread_.join();
    ::modbus_mapping_free(mapping_);
    ::modbus_free(context_);
    if (server_ >= 0) ::close(server_);
    if (terminal_ >= 0) ::close(terminal_);
  }
  ModbusPartner(const ModbusPartner&) = delete;
  ModbusPartner& operator=(const ModbusPartner&) = delete;

  const std::string& address() const { return address_; }
  std::atomic<Mode> mode{Mode::good};
  std::atomic<int> exception{1};
  std::atomic<bool> knows_function_23{true};
  std::atomic<int> refuses_23_with{MODBUS_EXCEPTION_ILLEGAL_FUNCTION};  // when it does not; 0: silence
  std::atomic<bool> resets_once{false};                                 // mode reset_in_reply ends with the first
  std::atomic<bool> stopped{false};
  std::atomic<bool> broken_sensor{false};  // the displacement is not a number
  std::atomic<int> requests{0};

 private:
  void listen() {
    context_ = ::modbus_new_tcp("127.0.0.1", 0);
    server_ = ::modbus_tcp_listen(context_, 1);
    sockaddr_in name{};
    socklen_t size = sizeof name;
    if (server_ < 0 || ::getsockname(server_, reinterpret_cast<sockaddr*>(&name), &size) != 0)
      throw std::runtime_error("cannot listen");
    address_ = "tcp://127.0.0.1:" + std::to_string(ntohs(name.sin_port));
  }
  void openTerminal() {
    terminal_ = ::posix_openpt(O_RDWR | O_NOCTTY);
    char name[64];
    if (terminal_ < 0 || ::grantpt(terminal_) != 0 || ::unlockpt(terminal_) != 0 ||
        ::ptsname_r(terminal_, name, sizeof name) != 0)
      throw std::runtime_error("no pseudo-terminal");
    address_ = std::string("serial:") + name;
    context_ = ::modbus_new_rtu(name, 115200, 'N', 8, 1);
    ::modbus_set_socket(context_, terminal_);
  }

  bool waits(int descriptor) const {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(descriptor, &set);
    timeval limit{0, 20'000};
    return ::select(descriptor + 1, &set, nullptr, nullptr, &limit) > 0;
  }

  void work() {
    while (!closing_) {
      if (server_ >= 0) {
        if (!waits(server_)) continue;
        int server = server_;
        if (::modbus_tcp_accept(context_, &server) < 0) continue;
      }
      while (!closing_ && serveOne()) continue;
      if (server_ >= 0) ::modbus_close(context_);
    }
  }

  /// False: the client is gone.
  bool serveOne() {
    const int descriptor = ::modbus_get_socket(context_);
    if (!waits(descriptor)) return true;
    std::array<std::uint8_t, MODBUS_TCP_MAX_ADU_LENGTH> query{};
    const int length = ::modbus_receive(context_, query.data());
    if (length < 0) {
      if (server_ < 0) ::usleep(20'000);  // nobody holds the other end of the terminal
      return server_ < 0 || errno == ETIMEDOUT;
    }
    if (length == 0) return true;
    ++requests;
    const int function = query[static_cast<std::size_t>(::modbus_get_header_length(context_))];
    if (function == MODBUS_FC_READ_HOLDING_REGISTERS && held_) {  // after a stop, who reads begins anew: at home
      std::fill_n(mapping_->tab_registers, 40, std::uint16_t{0});
      held_ = false;
    }
    switch (mode.load()) {
      case Mode::silent:
        return true;
      case Mode::exception:
        return ::modbus_reply_exception(context_, query.data(), static_cast<unsigned>(exception.load())) >= 0;
      case Mode::reset_in_reply: {
        if (resets_once) mode = Mode::good;
        const linger at_once{1, 0};
        ::setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        ::send(descriptor, query.data(), 5, MSG_NOSIGNAL);
        return false;
      }
      case Mode::good:
        break;
    }
    if (function == MODBUS_FC_WRITE_AND_READ_REGISTERS && !knows_function_23)
      return refuses_23_with == 0 ||
             ::modbus_reply_exception(context_, query.data(), static_cast<unsigned>(refuses_23_with.load())) >= 0;
    // Written values count before what the same request reads: apply, and move, by replying twice from one mapping.
    const bool combined = function == MODBUS_FC_WRITE_AND_READ_REGISTERS;
    if (combined) takeCombined(query);
    const bool sent = ::modbus_reply(context_, query.data(), length, mapping_) >= 0;
    move();
    return sent;
  }

  /// The write half of function 23, so that the read half sees the motion.
  void takeCombined(const std::array<std::uint8_t, MODBUS_TCP_MAX_ADU_LENGTH>& query) {
    const auto at = static_cast<std::size_t>(::modbus_get_header_length(context_)) + 5;
    const int address = query[at] << 8 | query[at + 1], count = query[at + 2] << 8 | query[at + 3];
    for (int r = 0; r < count && address + r < mapping_->nb_registers; ++r) {
      const std::size_t byte = at + 5 + 2 * static_cast<std::size_t>(r);
      mapping_->tab_registers[address + r] = static_cast<std::uint16_t>(query[byte] << 8 | query[byte + 1]);
    }
    move();
  }

  void move() {
    std::uint16_t* registers = mapping_->tab_registers;
    if (registers[30] == 1) stopped = held_ = true;
    registers[30] = 0;
    if (held_) return;
    const double x = decodeRegisters(std::span(registers, 2), RegisterType::float32, WordOrder::cdab);
    encodeRegisters(broken_sensor ? std::nan("") : x, RegisterType::float32, WordOrder::cdab,
                    std::span(registers + 10, 2));
    encodeRegisters(-kStiffness * x, RegisterType::float64, WordOrder::abcd, std::span(registers + 12, 4));
  }

  modbus_t* context_ = nullptr;
  modbus_mapping_t* mapping_ = nullptr;
  int server_ = -1, terminal_ = -1;
  std::string address_;
  bool held_ = false;
  std::atomic<bool> closing_{false};
  std::thread thread_;
};

/// The rig section that fits: one command, displacement, force, and a monitor.
inline RigSpec modbusRig(const std::string& address) {
  RigSpec rig;
  rig.use = RigUse::rig;
  rig.connection.address = address;
  ModbusSpec modbus{ModbusPartner::kUnit, 5.0, 10.0, {{30, 1}}, {}};
  const auto channel = [&](const char* name, ChannelRole role, int at, RegisterType type, WordOrder order) {
    ChannelSpec spec;
    spec.name = name;
    spec.role = role;
    spec.interface = role == ChannelRole::monitor ? 0 : 1;
    modbus.channels.push_back({Register::holding, at, type, order});
    if (role == ChannelRole::command) spec.raw_min = -1.0, spec.raw_max = 1.0;
    rig.channels.push_back(spec);
  };
  channel("force", ChannelRole::force, 12, RegisterType::float64, WordOrder::abcd);
  channel("command", ChannelRole::command, 0, RegisterType::float32, WordOrder::cdab);
  channel("displacement", ChannelRole::displacement, 10, RegisterType::float32, WordOrder::cdab);
  rig.connection.protocol = protocolOf(modbus);
  return rig;
}

}  // namespace hyb::test
