#include "hardware/modbus_server.h"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/checks.h"
#include "core/base/error.h"
#include "core/rig/device_channels.h"
#include "core/rig/modbus_map.h"

namespace hyb {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kRegisterCount = 65536, kMbap = 7, kLongestPdu = 253, kLongestRtu = 256, kShortestRtu = 4;
enum ModbusFault : std::uint8_t {
  kModbusNoFunction = 1,
  kModbusNoAddress,
  kModbusNoCount,
  kModbusNoDevice,
  kModbusNoTarget = 11
};

std::size_t wordAt(std::span<const std::uint8_t> bytes, std::size_t at) noexcept {
  return static_cast<std::size_t>(bytes[at] << 8 | bytes[at + 1]);
}
void appendWord(Bytes& bytes, std::size_t word) {
  bytes.push_back(static_cast<std::uint8_t>(word >> 8));
  bytes.push_back(static_cast<std::uint8_t>(word));
}

/// CRC-16 of Modbus: reflected polynomial 0xA001, start 0xFFFF; "123456789" gives 0x4B37.
std::uint16_t rtuSum(std::span<const std::uint8_t> bytes) noexcept {
  std::uint16_t sum = 0xFFFF;
  for (const std::uint8_t byte : bytes) {
    sum ^= byte;
    for (int bit = 0; bit < 8; ++bit) sum = static_cast<std::uint16_t>(sum >> 1 ^ ((sum & 1) != 0 ? 0xA001 : 0));
  }
  return sum;
}
bool hasSum(std::span<const std::uint8_t> frame) noexcept {
  const std::uint16_t sum = rtuSum(frame.first(frame.size() - 2));
  return frame[frame.size() - 2] == (sum & 0xFF) && frame.back() == sum >> 8;
}

/// Bytes of a request, unit to checksum; nothing: unknown, or not yet known.
std::optional<std::size_t> rtuSize(std::span<const std::uint8_t> frame) noexcept {
  if (frame.size() < 2) return std::nullopt;
  switch (frame[1]) {
    case 3:
    case 4:
    case 6:
      return 8;
    case 16:
      return frame.size() > 6 ? std::optional<std::size_t>(9 + frame[6]) : std::nullopt;
    case 23:
      return frame.size() > 10 ? std::optional<std::size_t>(13 + frame[10]) : std::nullopt;
    default:
      return std::nullopt;
  }
}

struct ModbusTable {
  std::vector<std::uint16_t> words = std::vector<std::uint16_t>(kRegisterCount);
  std::bitset<kRegisterCount> known;
};

class ModbusResponder final : public Responder {
 public:
  ModbusResponder(const RigSpec& project, ServedRig& rig)
      : rig_(rig), spec_(settingsOf<ModbusSpec>(project.connection.protocol.get())) {
    (void)planRegisters(project.channels, spec_.channels, false);  // with the faults of the map
    (void)planRegisters(project.channels, spec_.channels, true);
    for (std::size_t c = 0; c < project.channels.size(); ++c) {
      const ModbusSpec::Channel& own = spec_.channels[c];
      (isOutput(project.channels[c].role) ? outputs_ : inputs_).push_back(own);
      for (std::size_t r = 0; r < size(own); ++r) table(own.table).known.set(place(own) + r);
    }
    for (const auto& [address, value] : spec_.stop_registers) holding_.known.set(static_cast<std::size_t>(address));
    values_.resize(inputs_.size());
  }

  void begin() override {
    std::ranges::fill(holding_.words, std::uint16_t{0});
    std::ranges::fill(input_.words, std::uint16_t{0});
  }

  std::size_t take(std::span<const std::uint8_t> received, Bytes& answer) override {
    return rig_.spec().listen.kind == Address::Kind::serial ? takeRtu(received, answer) : takeTcp(received, answer);
  }

 private:
  static std::size_t size(const ModbusSpec::Channel& value) {
    return static_cast<std::size_t>(registerCount(value.type));
  }
  static std::size_t place(const ModbusSpec::Channel& value) { return static_cast<std::size_t>(value.address); }
  ModbusTable& table(Register kind) noexcept { return kind == Register::holding ? holding_ : input_; }

  std::size_t takeTcp(std::span<const std::uint8_t> received, Bytes& answer) {
    if (received.size() < kMbap + 1) return 0;
    const std::size_t length = wordAt(received, 4);  // unit and request
    if (wordAt(received, 2) != 0 || length < 2 || length > kLongestPdu + 1) {
      ignore("a header that is not Modbus TCP");
      return received.size();
    }
    if (received.size() < kMbap - 1 + length) return 0;
    const std::span<const std::uint8_t> request = received.subspan(kMbap, length - 1);
    const Bytes reply = received[6] == spec_.unit_id ? obey(request) : exception(request, kModbusNoTarget);
    answer.insert(answer.end(), received.begin(), received.begin() + 4);
    appendWord(answer, reply.size() + 1);
    answer.push_back(received[6]);
    answer.insert(answer.end(), reply.begin(), reply.end());
    return kMbap - 1 + length;
  }

  /// The first whole frame with a right checksum, wherever it begins: damaged bytes before it are left out.
  std::size_t takeRtu(std::span<const std::uint8_t> received, Bytes& answer) {
    for (std::size_t begin = 0; begin + kShortestRtu <= received.size(); ++begin) {
      std::span<const std::uint8_t> frame = received.subspan(begin);
      if (const auto known = rtuSize(frame)) {
        if (*known > frame.size()) continue;
        frame = frame.first(*known);
      }
      if (!hasSum(frame)) continue;
      if (begin > 0) ignore("bytes without a right checksum");
      const std::span<const std::uint8_t> request = frame.subspan(1, frame.size() - 3);
      if (frame[0] == spec_.unit_id || frame[0] == 0) {
        const Bytes reply = obey(request);
        if (frame[0] != 0) {  // a broadcast gets no answer
          answer.push_back(frame[0]);
          answer.insert(answer.end(), reply.begin(), reply.end());
          const std::uint16_t sum = rtuSum(answer);
          answer.push_back(static_cast<std::uint8_t>(sum));
          answer.push_back(static_cast<std::uint8_t>(sum >> 8));
        }
      }
      return begin + frame.size();
    }
    return received.size() < kLongestRtu ? 0 : received.size() - kLongestRtu + 1;
  }

  void ignore(const char* what) {
    if (++ignored_ == 1) rig_.say(std::string("ignored: ") + what);
  }

  static Bytes exception(std::span<const std::uint8_t> request, std::uint8_t code) {
    return {static_cast<std::uint8_t>(request[0] | 0x80), code};
  }

  /// The answer to a request, both from the function code on.
  Bytes obey(std::span<const std::uint8_t> request) {
    const std::uint8_t function = request[0];
    std::uint8_t fault = 0;
    Bytes reply = {function};
    switch (function) {
      case 3:
      case 4:
        rig_.hear(true);
        fault = request.size() != 5
                    ? std::uint8_t{kModbusNoCount}
                    : read(function == 3 ? holding_ : input_, wordAt(request, 1), wordAt(request, 3), reply);
        break;
      case 6:
        fault = request.size() != 5 ? std::uint8_t{kModbusNoCount}
                                    : write(wordAt(request, 1), request.subspan(3), rig_.hear(false));
        reply.assign(request.begin(), request.end());
        break;
      case 16:
        if (request.size() < 6 || request[5] != request.size() - 6 || request[5] != 2 * wordAt(request, 3)) {
          fault = kModbusNoCount;
          break;
        }
        fault = write(wordAt(request, 1), request.subspan(6), rig_.hear(false));
        reply.assign(request.begin(), request.begin() + 5);
        break;
      case 23: {
        if (request.size() < 10 || request[9] != request.size() - 10 || request[9] != 2 * wordAt(request, 7)) {
          fault = kModbusNoCount;
          break;
        }
        fault = write(wordAt(request, 5), request.subspan(10), rig_.hear(true));
        if (fault == 0) fault = read(holding_, wordAt(request, 1), wordAt(request, 3), reply);
        break;
      }
      default:
        fault = kModbusNoFunction;
    }
    return fault == 0 ? reply : exception(request, fault);
  }

  static bool covers(const ModbusTable& registers, std::size_t address, std::size_t count) {
    if (address + count > kRegisterCount) return false;
    for (std::size_t r = 0; r < count; ++r)
      if (!registers.known[address + r]) return false;
    return true;
  }

  std::uint8_t read(const ModbusTable& registers, std::size_t address, std::size_t count, Bytes& reply) {
    constexpr std::size_t kMost = 125;
    if (count < 1 || count > kMost) return kModbusNoCount;
    if (!covers(registers, address, count)) return kModbusNoAddress;
    rig_.inputs(values_);
    for (std::size_t k = 0; k < inputs_.size(); ++k)
      encodeRegisters(values_[k], inputs_[k].type, inputs_[k].order,
                      std::span(table(inputs_[k].table).words).subspan(place(inputs_[k]), size(inputs_[k])));
    reply.push_back(static_cast<std::uint8_t>(2 * count));
    for (std::size_t r = 0; r < count; ++r) appendWord(reply, registers.words[address + r]);
    return 0;
  }

  /// `words`: two bytes each.
  std::uint8_t write(std::size_t address, std::span<const std::uint8_t> words, double periods) {
    constexpr std::size_t kMost = 123;
    const std::size_t count = words.size() / 2;
    if (count < 1 || count > kMost) return kModbusNoCount;
    if (!covers(holding_, address, count)) return kModbusNoAddress;
    const auto written = [&](const ModbusSpec::Channel& value) {  // registers of it
      const std::size_t first = std::max(place(value), address),
                        end = std::min(place(value) + size(value), address + count);
      return end > first ? end - first : 0;
    };
    if (std::ranges::any_of(outputs_, [&](const auto& output) { return written(output) % size(output) != 0; }))
      return kModbusNoAddress;
    for (std::size_t r = 0; r < count; ++r)
      holding_.words[address + r] = static_cast<std::uint16_t>(wordAt(words, 2 * r));
    for (const auto& [at, value] : spec_.stop_registers) {
      const auto stop = static_cast<std::size_t>(at);
      if (stop < address || stop >= address + count || holding_.words[stop] != static_cast<std::uint16_t>(value))
        continue;
      if (std::ranges::any_of(outputs_, [&](const auto& o) { return stop >= place(o) && stop < place(o) + size(o); }))
        continue;  // a command as any other
      rig_.stop("the bench stopped it", false);
      return 0;
    }
    bool any = false;
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      if (written(outputs_[k]) == 0) continue;
      any = true;
      const double raw =
          decodeRegisters(std::span<const std::uint16_t>(holding_.words).subspan(place(outputs_[k]), size(outputs_[k])),
                          outputs_[k].type, outputs_[k].order);
      if (!rig_.take(k, raw, periods)) return kModbusNoDevice;
    }
    if (any) rig_.write();
    return any && !rig_.following() ? std::uint8_t{kModbusNoDevice} : std::uint8_t{0};
  }

  ServedRig& rig_;
  const ModbusSpec& spec_;  // of the project, which outlives this
  std::vector<ModbusSpec::Channel> outputs_, inputs_;
  ModbusTable holding_, input_;
  std::vector<double> values_;  // [inputs]
  std::uint64_t ignored_ = 0;
};

}  // namespace

std::unique_ptr<Responder> makeModbusResponder(const RigSpec& project, ServedRig& rig) {
  return std::make_unique<ModbusResponder>(project, rig);
}

}  // namespace hyb
