#include "core/rig/modbus_map.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "core/base/checks.h"
#include "core/base/error.h"
#include "core/rig/device_channels.h"

namespace hyb {
namespace {

constexpr int kMostRead = 125, kMostWritten = 123;  // registers of one request
constexpr int kRegisters = 65536;

/// Registers as one number, the most significant first.
std::uint64_t joined(std::span<const std::uint16_t> registers, WordOrder order) noexcept {
  const bool words_turned = order == WordOrder::cdab || order == WordOrder::dcba;
  const bool bytes_turned = order == WordOrder::badc || order == WordOrder::dcba;
  std::uint64_t bits = 0;
  for (std::size_t w = 0; w < registers.size(); ++w) {
    const std::uint16_t word = registers[words_turned ? registers.size() - 1 - w : w];
    bits = bits << 16 | (bytes_turned ? static_cast<std::uint16_t>(word << 8 | word >> 8) : word);
  }
  return bits;
}

void split(std::uint64_t bits, WordOrder order, std::span<std::uint16_t> registers) noexcept {
  const bool words_turned = order == WordOrder::cdab || order == WordOrder::dcba;
  const bool bytes_turned = order == WordOrder::badc || order == WordOrder::dcba;
  for (std::size_t w = registers.size(); w-- > 0; bits >>= 16) {
    const auto word = static_cast<std::uint16_t>(bits);
    registers[words_turned ? registers.size() - 1 - w : w] =
        bytes_turned ? static_cast<std::uint16_t>(word << 8 | word >> 8) : word;
  }
}

template <typename Whole>
Whole rounded(double value) noexcept {
  using Limits = std::numeric_limits<Whole>;
  if (std::isnan(value)) return 0;
  return static_cast<Whole>(
      std::clamp(std::nearbyint(value), static_cast<double>(Limits::min()), static_cast<double>(Limits::max())));
}

struct RequestedChannel {
  std::size_t channel, place;
};

}  // namespace

int registerCount(RegisterType type) noexcept {
  constexpr std::array<int, 6> counts = {1, 1, 2, 2, 2, 4};
  return counts[static_cast<std::size_t>(type)];
}

double decodeRegisters(std::span<const std::uint16_t> registers, RegisterType type, WordOrder order) noexcept {
  const std::uint64_t bits = joined(registers, order);
  switch (type) {
    case RegisterType::int16:
      return static_cast<std::int16_t>(bits);
    case RegisterType::uint16:
      return static_cast<std::uint16_t>(bits);
    case RegisterType::int32:
      return static_cast<std::int32_t>(bits);
    case RegisterType::uint32:
      return static_cast<std::uint32_t>(bits);
    case RegisterType::float32:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case RegisterType::float64:
      break;
  }
  return std::bit_cast<double>(bits);
}

void encodeRegisters(double value, RegisterType type, WordOrder order, std::span<std::uint16_t> registers) noexcept {
  std::uint64_t bits = 0;
  switch (type) {
    case RegisterType::int16:
      bits = static_cast<std::uint16_t>(rounded<std::int16_t>(value));
      break;
    case RegisterType::uint16:
      bits = rounded<std::uint16_t>(value);
      break;
    case RegisterType::int32:
      bits = static_cast<std::uint32_t>(rounded<std::int32_t>(value));
      break;
    case RegisterType::uint32:
      bits = rounded<std::uint32_t>(value);
      break;
    case RegisterType::float32:
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
      break;
    case RegisterType::float64:
      bits = std::bit_cast<std::uint64_t>(value);
      break;
  }
  split(bits, order, registers);
}

RegisterPlan planRegisters(std::span<const ChannelSpec> channels, std::span<const ModbusSpec::Channel> registers,
                           bool writing) {
  Checks checks;
  const auto end = [](const ModbusSpec::Channel& r) { return r.address + registerCount(r.type); };
  std::vector<RequestedChannel> wanted;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (isOutput(channels[c].role) != writing) continue;
    wanted.push_back({c, wanted.size()});
    if (registers[c].address < 0 || end(registers[c]) > kRegisters)
      checks.fault(channelPlace(c, "address"),
                   "extends beyond register 65535; give the protocol address, which counts from 0.");
    if (writing && registers[c].table == Register::input)
      checks.fault(channelPlace(c, "register"),
                   "is \"input\", which is read-only, but this channel is an output; use \"holding\".");
  }
  std::stable_sort(wanted.begin(), wanted.end(), [&](const RequestedChannel& a, const RequestedChannel& b) {
    const ModbusSpec::Channel &x = registers[a.channel], &y = registers[b.channel];
    return x.table != y.table ? x.table < y.table : x.address < y.address;
  });

  RegisterPlan plan;
  plan.places.resize(wanted.size());
  const int most = writing ? kMostWritten : kMostRead;
  const RequestedChannel* last = nullptr;
  for (const RequestedChannel& w : wanted) {
    const ModbusSpec::Channel& own = registers[w.channel];
    const bool same_table = last != nullptr && registers[last->channel].table == own.table;
    if (writing && same_table && own.address < end(registers[last->channel]))
      checks.fault(channelPlace(w.channel, "address"), "register " + std::to_string(own.address) + " belongs to \"" +
                                                           channels[last->channel].name +
                                                           "\" already; give each output its own registers.");
    RegisterBlock* block = plan.blocks.empty() ? nullptr : &plan.blocks.back();
    const bool joins = block != nullptr && same_table && own.address <= block->address + block->count &&
                       end(own) - block->address <= most;
    if (!joins) block = &plan.blocks.emplace_back(RegisterBlock{own.table, own.address, 0});
    block->count = std::max(block->count, end(own) - block->address);
    plan.places[w.place] = {plan.blocks.size() - 1, static_cast<std::size_t>(own.address - block->address), own.type,
                            own.order};
    last = &w;
  }
  checks.throwIfAny();
  return plan;
}

double busTime_s(const RegisterPlan& inputs, const RegisterPlan& outputs, const SerialSpec& serial) noexcept {
  const int bits = 1 + serial.data_bits + (serial.parity == Parity::none ? 0 : 1) + serial.stop_bits;
  const double character_s = static_cast<double>(bits) / serial.baud;
  const double silence_s = serial.baud > 19200 ? 1.75e-3 : 3.5 * character_s;
  double time_s = 0.0;
  for (const RegisterBlock& block : inputs.blocks)  // request 8 bytes; reply 5 and the registers
    time_s += (13.0 + 2.0 * block.count) * character_s + 2.0 * silence_s;
  for (const RegisterBlock& block : outputs.blocks)  // request 9 and the registers; reply 8 bytes
    time_s += (17.0 + 2.0 * block.count) * character_s + 2.0 * silence_s;
  return time_s;
}

std::string busLimitSentence(double rate_hz, double bus_time_s) {
  if (rate_hz * bus_time_s <= 1.0) return {};
  return Checks::text(rate_hz, "Hz") + " exceeds the capacity of the serial bus: one exchange of all registers takes " +
         Checks::text(1e3 * bus_time_s, "ms") + ", so at most " + Checks::text(std::floor(1.0 / bus_time_s), "Hz") +
         "; lower the rate, raise /rig/connection/serial/baud, or use fewer registers.";
}

}  // namespace hyb
