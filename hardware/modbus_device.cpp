#include "hardware/modbus_device.h"

#include <modbus.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/rig/address.h"
#include "core/rig/modbus_map.h"
#include "core/rig/modbus_protocol.h"
#include "hardware/modbus_link.h"
#include "hardware/polled_device.h"

namespace hyb {
namespace {

using namespace std::chrono_literals;

constexpr int kStopAttempts = 3;
constexpr auto kReopenInterval = 50ms;
constexpr double kReopenWait_s = 0.2;  // of one attempt, so that an interrupt is noticed

int readFunction(Register table) noexcept {
  return table == Register::holding ? MODBUS_FC_READ_HOLDING_REGISTERS : MODBUS_FC_READ_INPUT_REGISTERS;
}

/// One register of a block of several: its answer is shorter than that of any other reading of the plan.
std::optional<ModbusRequest> shortReading(const RegisterPlan& plan) {
  for (const RegisterBlock& block : plan.blocks) {
    const auto alike = [&](const RegisterBlock& b) { return b.table == block.table && b.count == 1; };
    if (!std::ranges::any_of(plan.blocks, alike))
      return ModbusRequest::read(readFunction(block.table), block.address, 1);
  }
  return std::nullopt;
}

class ModbusInstrument final : public Instrument {
 public:
  ModbusInstrument(ConnectionSpec connection, const std::vector<ChannelSpec>& channels)
      : connection_(std::move(connection)),
        spec_(settingsOf<ModbusSpec>(connection_.protocol.get())),
        address_(parseAddress(connection_.address, "/rig/connection/address")),
        reply_wait_(std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(spec_.reply_s))),
        inputs_(planRegisters(channels, spec_.channels, false)),
        outputs_(planRegisters(channels, spec_.channels, true)),
        // One request per tick instead of two, if all registers are adjacent.
        combined_(spec_.function_23 && inputs_.blocks.size() == 1 && outputs_.blocks.size() == 1 &&
                  inputs_.blocks.front().table == Register::holding &&
                  outputs_.blocks.front().count <= MODBUS_MAX_WR_WRITE_REGISTERS) {
    const bool serial = address_.kind == Address::Kind::serial;
    if (spec_.unit_id < (serial ? 1 : 0) || spec_.unit_id > (serial ? 247 : 255))
      throw InputError("/rig/connection/unit_id", "is " + std::to_string(spec_.unit_id) +
                                                      "; a serial bus has units 1 to 247, Modbus TCP 0 to 255.");
  }

  std::string description() const override {
    return "Modbus unit " + std::to_string(spec_.unit_id) + " at " + connection_.address;
  }

  /// Boards that restart when their port is opened miss the first questions: repeats them until `connect_s`.
  void connect() override {
    disconnect();
    interrupted_.store(false, std::memory_order_relaxed);
    const auto until = Clock::now() + std::chrono::duration<double>(connection_.connect_s);
    open(connection_.connect_s);
    if (inputs_.blocks.empty()) return;
    const RegisterBlock& block = inputs_.blocks.front();
    Link::Answer answer;
    do answer = link_->ask(ModbusRequest::read(readFunction(block.table), block.address, block.count));
    while ((answer == Link::Answer::late || answer == Link::Answer::wrong) && Clock::now() < until &&
           !interrupted_.load(std::memory_order_relaxed));
    if (answer == Link::Answer::ok || answer == Link::Answer::exception) return;
    failed("read", block);
    disconnect();
    throw DeviceError(description() + ": " + complaint_ + ".");
  }

  Exchange exchange(std::span<const double> outputs, std::span<double> inputs) override {
    if (!link_) return Exchange::broken;
    const bool combined = combined_ && !outputs.empty();
    if (combined) {
      const RegisterBlock &to = outputs_.blocks.front(), &from = inputs_.blocks.front();
      fill(outputs, 0);
      const Link::Answer answer =
          link_->ask(ModbusRequest::writeAndRead(to.address, words(to.count), from.address, from.count));
      if (answer == Link::Answer::ok) {
        knows_function_23_ = true;
        decode(0, inputs);
        return Exchange::ok;
      }
      // A device without an answer to function 23 may not support it; some show this by silence or a wrong exception.
      const bool other_way = !knows_function_23_ && (answer == Link::Answer::late || refusesFunction(answer));
      if (other_way) combined_ = false;
      if (!other_way || answer == Link::Answer::late) return failed(answer, "write and read", from);
    }
    for (std::size_t b = 0; b < outputs_.blocks.size() && !outputs.empty(); ++b) {
      const RegisterBlock& block = outputs_.blocks[b];
      fill(outputs, b);
      const Link::Answer answer = link_->ask(ModbusRequest::write(block.address, words(block.count)));
      if (answer != Link::Answer::ok) return failed(answer, "write", block);
    }
    for (std::size_t b = 0; b < inputs_.blocks.size(); ++b) {
      const RegisterBlock& block = inputs_.blocks[b];
      const Link::Answer answer =
          link_->ask(ModbusRequest::read(readFunction(block.table), block.address, block.count));
      if (answer != Link::Answer::ok) return failed(answer, "read", block);
      decode(b, inputs);
    }
    return Exchange::ok;
  }

  Stopped stop() override {
    if (spec_.stop_registers.empty()) return Stopped::unknown_how;
    Stopped worst = Stopped::confirmed;
    for (const auto& [address, value] : spec_.stop_registers)
      worst = std::max(worst, stopBy(address, static_cast<std::uint16_t>(value)));
    return worst;
  }

  void disconnect() noexcept override { link_.reset(); }
  void interrupt() noexcept override { interrupted_.store(true, std::memory_order_relaxed); }
  const std::string& complaint() const noexcept override { return complaint_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Link = ModbusLink;

  void open(double wait_s) {
    link_.emplace(openPort(address_, connection_.serial, wait_s), spec_.unit_id, reply_wait_, shortReading(inputs_),
                  interrupted_);
  }

  bool opened() {
    try {
      open(std::min(kReopenWait_s, connection_.connect_s));
      return true;
    } catch (const DeviceError&) {
      return false;
    }
  }
  /// TCP: reopens a broken link within `connect_s`. False: it remains broken.
  bool reopen(bool for_stop) {
    link_.reset();
    if (address_.kind != Address::Kind::tcp) return false;
    const auto until = Clock::now() + std::chrono::duration<double>(connection_.connect_s);
    do {
      if (opened()) return true;
      std::this_thread::sleep_for(kReopenInterval);
    } while (Clock::now() < until && (for_stop || !interrupted_.load(std::memory_order_relaxed)));
    return false;
  }

  Stopped stopBy(int address, std::uint16_t value) {
    const ModbusRequest request = ModbusRequest::write(address, std::span(&value, 1));
    Stopped heard = Stopped::unsent;
    for (int attempt = 0; attempt < kStopAttempts; ++attempt) {
      if (!link_ && !reopen(true)) break;
      switch (link_->askForStop(request)) {
        case Link::Answer::ok:
          return Stopped::confirmed;
        case Link::Answer::exception:
          heard = Stopped::refused;
          break;
        case Link::Answer::closed:
          link_.reset();
          break;
        case Link::Answer::late:
        case Link::Answer::wrong:
        case Link::Answer::interrupted:
          if (heard == Stopped::unsent) heard = Stopped::unconfirmed;
          break;
      }
    }
    return heard;
  }

  bool refusesFunction(Link::Answer answer) const noexcept {
    const int code = link_->exceptionCode();
    return answer == Link::Answer::exception &&
           (code == MODBUS_EXCEPTION_ILLEGAL_FUNCTION || code == MODBUS_EXCEPTION_ILLEGAL_DATA_ADDRESS ||
            code == MODBUS_EXCEPTION_ILLEGAL_DATA_VALUE);
  }

  std::span<const std::uint16_t> words(int count) const noexcept {
    return std::span(written_).first(static_cast<std::size_t>(count));
  }
  void fill(std::span<const double> outputs, std::size_t block) noexcept {
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const RegisterPlace& place = outputs_.places[o];
      if (place.block == block)
        encodeRegisters(outputs[o], place.type, place.order,
                        std::span(written_).subspan(place.offset, registers(place)));
    }
  }
  /// Reads the inputs from the answer, whose registers start at its third byte.
  void decode(std::size_t block, std::span<double> inputs) noexcept {
    const std::span<const std::uint8_t> bytes = link_->answer().subspan(2);
    for (std::size_t r = 0; 2 * r + 1 < bytes.size() && r < read_.size(); ++r)
      read_[r] = static_cast<std::uint16_t>(bytes[2 * r] << 8 | bytes[2 * r + 1]);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const RegisterPlace& place = inputs_.places[i];
      if (place.block == block)
        inputs[i] = decodeRegisters(std::span(read_).subspan(place.offset, registers(place)), place.type, place.order);
    }
  }
  static std::size_t registers(const RegisterPlace& place) noexcept {
    return static_cast<std::size_t>(registerCount(place.type));
  }

  void failed(const char* what, const RegisterBlock& block) {
    complaint_ = std::string("cannot ") + what + " " + std::to_string(block.count) + " registers from " +
                 (block.table == Register::holding ? "holding" : "input") + " register " +
                 std::to_string(block.address) + " on: " + link_->complaint();
  }
  Exchange failed(Link::Answer answer, const char* what, const RegisterBlock& block) {
    if (answer == Link::Answer::interrupted) return Exchange::lost;
    failed(what, block);
    if (answer == Link::Answer::closed) return reopen(false) ? Exchange::corrupt : Exchange::broken;
    return answer == Link::Answer::late ? Exchange::lost : Exchange::corrupt;
  }

  const ConnectionSpec connection_;
  const ModbusSpec& spec_;  // of connection_
  const Address address_;
  const std::chrono::milliseconds reply_wait_;
  const RegisterPlan inputs_, outputs_;
  bool combined_, knows_function_23_ = false;
  std::atomic<bool> interrupted_{false};
  std::optional<Link> link_;
  std::array<std::uint16_t, MODBUS_MAX_READ_REGISTERS> read_{};
  std::array<std::uint16_t, MODBUS_MAX_WRITE_REGISTERS> written_{};
  std::string complaint_;
};

}  // namespace

std::unique_ptr<Device> makeModbusDevice(const RigSpec& rig, const DeviceChannels& channels) {
  if (rig.channels.empty())
    throw InputError("/rig/channels",
                     "a Modbus device needs channels; enter the register address and type of each channel.");
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
