#include "hardware/modbus_device.h"

#include <modbus.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/rig/address.h"
#include "core/rig/modbus_map.h"
#include "core/rig/modbus_protocol.h"
#include "hardware/polled_device.h"

namespace hyb {
namespace {

constexpr int kStopAttempts = 3;
constexpr int kLargestSocket = 1023;  // libmodbus waits with select()

struct Seconds {
  std::uint32_t s, us;
};
Seconds split(double time_s) noexcept {
  const double whole = std::floor(time_s);
  return {static_cast<std::uint32_t>(whole), static_cast<std::uint32_t>((time_s - whole) * 1e6)};
}

class ModbusInstrument final : public Instrument {
 public:
  ModbusInstrument(ConnectionSpec connection, const std::vector<ChannelSpec>& channels)
      : connection_(std::move(connection)),
        spec_(settingsOf<ModbusSpec>(connection_.protocol.get())),
        address_(parseAddress(connection_.address, "/rig/connection/address")),
        inputs_(planRegisters(channels, spec_.channels, false)),
        outputs_(planRegisters(channels, spec_.channels, true)),
        // One request a tick instead of two, where everything lies together.
        combined_(inputs_.blocks.size() == 1 && outputs_.blocks.size() == 1 &&
                  inputs_.blocks.front().table == Register::holding &&
                  outputs_.blocks.front().count <= MODBUS_MAX_WR_WRITE_REGISTERS) {}
  ~ModbusInstrument() override { disconnect(); }

  std::string description() const override {
    return "Modbus unit " + std::to_string(spec_.unit_id) + " at " + connection_.address;
  }

  void connect() override {
    disconnect();
    const std::string port = std::to_string(address_.port);
    constexpr std::array<char, 3> parities = {'N', 'E', 'O'};
    const SerialSpec& serial = connection_.serial;
    context_ = address_.kind == Address::Kind::tcp ? ::modbus_new_tcp_pi(address_.host.c_str(), port.c_str())
                                                   : ::modbus_new_rtu(address_.path.c_str(), serial.baud,
                                                                      parities[static_cast<std::size_t>(serial.parity)],
                                                                      serial.data_bits, serial.stop_bits);
    if (context_ == nullptr) throw DeviceError(description() + ": " + ::modbus_strerror(errno));
    if (::modbus_set_slave(context_, spec_.unit_id) != 0) {
      disconnect();
      throw InputError("/rig/connection/unit_id", "is " + std::to_string(spec_.unit_id) +
                                                      "; a serial bus has units 1 to 247, Modbus TCP also 255.");
    }
    ::modbus_set_error_recovery(context_, MODBUS_ERROR_RECOVERY_NONE);  // it would sleep and reconnect inside a call
    setTimeout(connection_.connect_s);
    if (::modbus_connect(context_) != 0) {
      const std::string reason = ::modbus_strerror(errno);
      disconnect();
      throw DeviceError(description() + ": cannot connect: " + reason +
                        "; check that the device is on and the address right.");
    }
    if (::modbus_get_socket(context_) > kLargestSocket) {
      disconnect();
      throw DeviceError(description() + ": this program has too many files open for Modbus.");
    }
    setTimeout(spec_.reply_s);
    ::modbus_flush(context_);
  }

  Exchange exchange(std::span<const double> outputs, std::span<double> inputs) override {
    if (!outputs.empty()) {
      fill(outputs);
      if (combined_) {
        const RegisterBlock &to = outputs_.blocks.front(), &from = inputs_.blocks.front();
        const bool done = ::modbus_write_and_read_registers(context_, to.address, to.count, written_.data(),
                                                            from.address, from.count, read_.data()) == from.count;
        if (done) {
          decode(0, inputs);
          return Exchange::ok;
        }
        if (errno != EMBXILFUN) return failed("write and read", from);
        combined_ = false;  // the device does not know function 23
      }
      for (std::size_t b = 0; b < outputs_.blocks.size(); ++b) {
        const RegisterBlock& block = outputs_.blocks[b];
        fill(outputs, b);
        if (::modbus_write_registers(context_, block.address, block.count, written_.data()) != block.count)
          return failed("write", block);
      }
    }
    for (std::size_t b = 0; b < inputs_.blocks.size(); ++b) {
      const RegisterBlock& block = inputs_.blocks[b];
      const auto reading = block.table == Register::holding ? ::modbus_read_registers : ::modbus_read_input_registers;
      if (reading(context_, block.address, block.count, read_.data()) != block.count) return failed("read", block);
      decode(b, inputs);
    }
    return Exchange::ok;
  }

  bool stop() override {
    bool told = context_ != nullptr;
    for (const auto& [address, value] : spec_.stop_registers) {
      const auto word = static_cast<std::uint16_t>(value);
      bool done = false;
      for (int attempt = 0; context_ != nullptr && attempt < kStopAttempts && !done; ++attempt) {
        ::modbus_flush(context_);
        done = ::modbus_write_registers(context_, address, 1, &word) == 1;
      }
      told = told && done;
    }
    return told;
  }

  void disconnect() noexcept override {
    if (context_ == nullptr) return;
    ::modbus_close(context_);
    ::modbus_free(context_);
    context_ = nullptr;
  }

  const std::string& complaint() const noexcept override { return complaint_; }

 private:
  /// The whole reply must be there within this time: no byte time-out beside it.
  void setTimeout(double time_s) noexcept {
    const Seconds wait = split(std::max(time_s, 1e-3));
    ::modbus_set_response_timeout(context_, wait.s, wait.us);
    ::modbus_set_byte_timeout(context_, 0, 0);
  }

  void fill(std::span<const double> outputs, std::size_t block = 0) noexcept {
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const RegisterPlace& place = outputs_.places[o];
      if (place.block == block)
        encodeRegisters(outputs[o], place.type, place.order,
                        std::span(written_).subspan(place.offset, registers(place)));
    }
  }
  void decode(std::size_t block, std::span<double> inputs) const noexcept {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const RegisterPlace& place = inputs_.places[i];
      if (place.block == block)
        inputs[i] = decodeRegisters(std::span(read_).subspan(place.offset, registers(place)), place.type, place.order);
    }
  }
  static std::size_t registers(const RegisterPlace& place) noexcept {
    return static_cast<std::size_t>(registerCount(place.type));
  }

  Exchange failed(const char* what, const RegisterBlock& block) {
    const int error = errno;
    complaint_ = std::string("cannot ") + what + " " + std::to_string(block.count) + " registers from " +
                 (block.table == Register::holding ? "holding" : "input") + " register " +
                 std::to_string(block.address) + " on: " + ::modbus_strerror(error);
    if (error == EBADF || error == ECONNRESET || error == EPIPE || error == EIO || error == ENODEV)
      return Exchange::broken;
    ::modbus_flush(context_);
    return error == ETIMEDOUT ? Exchange::lost : Exchange::corrupt;
  }

  const ConnectionSpec connection_;
  const ModbusSpec& spec_;  // of connection_
  const Address address_;
  const RegisterPlan inputs_, outputs_;
  bool combined_;
  modbus_t* context_ = nullptr;
  std::array<std::uint16_t, MODBUS_MAX_READ_REGISTERS> read_{};
  std::array<std::uint16_t, MODBUS_MAX_WRITE_REGISTERS> written_{};
  std::string complaint_;
};

}  // namespace

std::unique_ptr<Device> makeModbusDevice(const RigSpec& rig, const DeviceChannels& channels) {
  if (rig.channels.empty())
    throw InputError("/rig/channels", "a Modbus device needs its channels: give each one's register address and type.");
  const auto& spec = settingsOf<ModbusSpec>(rig.connection.protocol.get());
  if (isSerial(rig.connection.address)) {
    const double bus_s = busTime_s(planRegisters(rig.channels, spec.channels, false),
                                   planRegisters(rig.channels, spec.channels, true), rig.connection.serial);
    const std::string refusal = busLimitSentence(channels.rate_hz, bus_s);
    if (!refusal.empty()) throw InputError("/loop/rate_hz", refusal);
  }
  return std::make_unique<PolledDevice>(std::make_unique<ModbusInstrument>(rig.connection, rig.channels), channels,
                                        spec.max_age_s);
}

}  // namespace hyb
