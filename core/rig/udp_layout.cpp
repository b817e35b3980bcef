#include "core/rig/udp_layout.h"

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

std::uint64_t bitsAt(const std::uint8_t* bytes, std::size_t size, bool big_endian) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < size; ++k) bits = bits << 8 | bytes[big_endian ? k : size - 1 - k];
  return bits;
}
void putBits(std::uint64_t bits, std::size_t size, bool big_endian, std::uint8_t* bytes) noexcept {
  for (std::size_t k = 0; k < size; ++k, bits >>= 8)
    bytes[big_endian ? size - 1 - k : k] = static_cast<std::uint8_t>(bits);
}

template <typename Whole>
std::uint64_t wholeBits(double value) noexcept {
  using Limits = std::numeric_limits<Whole>;
  if (std::isnan(value)) return 0;
  return static_cast<std::uint64_t>(static_cast<Whole>(
      std::clamp(std::nearbyint(value), static_cast<double>(Limits::min()), static_cast<double>(Limits::max()))));
}

constexpr std::array<std::uint32_t, 256> crcTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t k = 0; k < 256; ++k) {
    std::uint32_t rest = k;
    for (int bit = 0; bit < 8; ++bit) rest = (rest & 1u) != 0 ? rest >> 1 ^ 0xEDB88320u : rest >> 1;
    table[k] = rest;
  }
  return table;
}

bool isFloat(FieldType type) noexcept { return type == FieldType::float32 || type == FieldType::float64; }
bool isUnsigned(FieldType type) noexcept {
  return type == FieldType::uint8 || type == FieldType::uint16 || type == FieldType::uint32;
}
bool isUsual(double value) noexcept { return std::abs(value) > 1e-12 && std::abs(value) < 1e12; }
/// No sensor gives such a number; 0 is no evidence.
bool isAbsurd(double value, FieldType type) noexcept {
  const double large = type == FieldType::float32 ? 1e25 : 1e60;
  return value != 0.0 && !(std::abs(value) > 1.0 / large && std::abs(value) < large);
}

}  // namespace

std::size_t sizeOf(FieldType type) noexcept {
  constexpr std::array<std::size_t, 8> sizes = {1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

double largestWhole(FieldType type) noexcept {
  constexpr std::array<double, 8> largest = {127.0,        255.0,        32767.0,    65535.0,
                                             2147483647.0, 4294967295.0, 16777216.0, 9007199254740992.0};
  return largest[static_cast<std::size_t>(type)];
}

double decodeField(const std::uint8_t* bytes, FieldType type, bool big_endian) noexcept {
  const std::uint64_t bits = bitsAt(bytes, sizeOf(type), big_endian);
  switch (type) {
    case FieldType::int8:
      return static_cast<std::int8_t>(bits);
    case FieldType::int16:
      return static_cast<std::int16_t>(bits);
    case FieldType::int32:
      return static_cast<std::int32_t>(bits);
    case FieldType::uint8:
    case FieldType::uint16:
    case FieldType::uint32:
      return static_cast<double>(bits);
    case FieldType::float32:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case FieldType::float64:
      break;
  }
  return std::bit_cast<double>(bits);
}

void encodeField(double value, FieldType type, bool big_endian, std::uint8_t* bytes) noexcept {
  std::uint64_t bits = 0;
  switch (type) {
    case FieldType::int8:
      bits = wholeBits<std::int8_t>(value);
      break;
    case FieldType::uint8:
      bits = wholeBits<std::uint8_t>(value);
      break;
    case FieldType::int16:
      bits = wholeBits<std::int16_t>(value);
      break;
    case FieldType::uint16:
      bits = wholeBits<std::uint16_t>(value);
      break;
    case FieldType::int32:
      bits = wholeBits<std::int32_t>(value);
      break;
    case FieldType::uint32:
      bits = wholeBits<std::uint32_t>(value);
      break;
    case FieldType::float32: {
      constexpr double kLargestFloat = std::numeric_limits<float>::max();
      const double within = std::isnan(value) ? value : std::clamp(value, -kLargestFloat, kLargestFloat);
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(within));
      break;
    }
    case FieldType::float64:
      bits = std::bit_cast<std::uint64_t>(value);
      break;
  }
  putBits(bits, sizeOf(type), big_endian, bytes);
}

std::uint32_t checksumOf(std::span<const std::uint8_t> bytes, ChecksumKind kind) noexcept {
  static constexpr std::array<std::uint32_t, 256> kTable = crcTable();
  std::uint32_t sum = 0, rest = 0xFFFFFFFFu;
  for (const std::uint8_t byte : bytes) {
    sum += byte;
    rest = rest >> 8 ^ kTable[(rest ^ byte) & 0xFFu];
  }
  return kind == ChecksumKind::sum ? sum : ~rest;
}

DatagramLayout::DatagramLayout(const std::vector<DatagramField>& fields, const std::vector<std::string>& channels,
                               bool big_endian, int alignment, const std::string& where)
    : channels_(channels.size()), big_endian_(big_endian) {
  Checks checks;
  const auto at = [&](std::size_t field, const char* key) {
    return where + "/" + std::to_string(field) + (*key != '\0' ? std::string("/") + key : std::string());
  };
  std::vector<int> uses(channels.size(), 0);
  std::size_t end = 0;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const DatagramField& field = fields[f];
    const auto unit = static_cast<std::size_t>(std::max(1, alignment));
    Place place{field, field.joined ? end : (end + unit - 1) / unit * unit, 0};
    end = place.offset + sizeOf(field.type);
    if (field.content == FieldContent::channel) {
      const auto found = std::find(channels.begin(), channels.end(), field.channel);
      place.channel = static_cast<std::size_t>(found - channels.begin());
      if (found == channels.end())
        checks.fault(at(f, "channel"), "is \"" + field.channel +
                                           "\", which is no channel of this direction. Enter the name of a channel of "
                                           "the rig: commands are sent, all other channels are received.");
      else if (++uses[place.channel] > 1)
        checks.fault(at(f, "channel"), "is \"" + field.channel + "\", which has a field already; remove one of them.");
    } else if (field.content != FieldContent::fixed && find(field.content) != nullptr) {
      checks.fault(at(f, "content"), "occurs twice in this datagram; remove one of them.");
    }
    if (field.content == FieldContent::checksum && !isUnsigned(field.type))
      checks.fault(at(f, "type"), "must be uint8, uint16 or uint32 for a checksum.");
    if (field.content == FieldContent::checksum && field.checksum == ChecksumKind::crc_32 &&
        field.type != FieldType::uint32)
      checks.fault(at(f, "type"), "must be uint32 for a CRC-32.");
    if (field.content == FieldContent::fixed) {
      std::array<std::uint8_t, 8> bytes{};
      encodeField(field.value, field.type, big_endian, bytes.data());
      const double kept = decodeField(bytes.data(), field.type, big_endian);
      if (!isFloat(field.type) && kept != field.value)
        checks.fault(at(f, "value"), "does not fit into its type; enter a whole number in the range of the type.");
    }
    places_.push_back(std::move(place));
  }
  size_ = end;
  for (std::size_t c = 0; c < channels.size(); ++c)
    if (uses[c] == 0)
      checks.fault(where, "has no field for the channel \"" + channels[c] + "\"; add one, or remove the channel.");
  if (size_ > kLargestDatagram)
    checks.fault(where, "needs " + std::to_string(size_) + " bytes. A datagram in one Ethernet frame has at most " +
                            std::to_string(kLargestDatagram) + " bytes; use fewer fields, or float32.");
  checks.throwIfAny();
}

const DatagramLayout::Place* DatagramLayout::find(FieldContent content) const noexcept {
  for (const Place& place : places_)
    if (place.field.content == content) return &place;
  return nullptr;
}

std::uint64_t DatagramLayout::largestSequence() const noexcept {
  const Place* const place = find(FieldContent::sequence);
  return place != nullptr ? static_cast<std::uint64_t>(largestWhole(place->field.type)) : 0;
}

double DatagramLayout::timePeriod_s() const noexcept {
  const Place* const place = find(FieldContent::time);
  return place != nullptr && !isFloat(place->field.type)
             ? (largestWhole(place->field.type) + 1.0) * place->field.scale_s
             : 0.0;
}

double DatagramLayout::value(std::span<const std::uint8_t> bytes, const Place& place) const noexcept {
  return decodeField(&bytes[place.offset], place.field.type, big_endian_);
}

void DatagramLayout::encode(const Head& head, std::span<const double> values,
                            std::span<std::uint8_t> bytes) const noexcept {
  std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
  for (const Place& place : places_) {
    double value = 0.0;
    switch (place.field.content) {
      case FieldContent::channel:
        value = values[place.channel];
        break;
      case FieldContent::sequence:
        value = head.sequence;
        break;
      case FieldContent::echo:
        value = head.echo;
        break;
      case FieldContent::tick:  // wraps like a sequence number
        value = std::fmod(head.tick, largestWhole(place.field.type) + 1.0);
        break;
      case FieldContent::time:
        value = head.time_s / place.field.scale_s;
        if (!isFloat(place.field.type)) value = std::fmod(std::floor(value), largestWhole(place.field.type) + 1.0);
        break;
      case FieldContent::fixed:
        value = place.field.value;
        break;
      case FieldContent::enable:
        value = head.enable ? 1.0 : 0.0;
        break;
      case FieldContent::enabled:
        value = head.enabled ? 1.0 : 0.0;
        break;
      case FieldContent::fault:
        value = head.fault ? 1.0 : 0.0;
        break;
      case FieldContent::checksum:
        putBits(checksumOf(bytes.first(place.offset), place.field.checksum), sizeOf(place.field.type), big_endian_,
                &bytes[place.offset]);
        continue;
    }
    encodeField(value, place.field.type, big_endian_, &bytes[place.offset]);
  }
}

DatagramCheck DatagramLayout::decode(std::span<const std::uint8_t> bytes, Head& head,
                                     std::span<double> values) const noexcept {
  if (bytes.size() != size_) return DatagramCheck::wrong_size;
  for (const Place& place : places_) {
    const FieldType type = place.field.type;
    if (place.field.content == FieldContent::fixed) {
      std::array<std::uint8_t, 8> wanted{};
      encodeField(place.field.value, type, big_endian_, wanted.data());
      const std::uint8_t* const found = &bytes[place.offset];
      const std::size_t size = sizeOf(type);
      if (std::equal(found, found + size, wanted.begin())) continue;
      return std::equal(found, found + size, std::make_reverse_iterator(wanted.begin() + static_cast<int>(size)))
                 ? DatagramCheck::wrong_byte_order
                 : DatagramCheck::wrong_fixed;
    }
    if (place.field.content == FieldContent::checksum) {
      const std::uint64_t all = sizeOf(type) == 4 ? 0xFFFFFFFFu : (std::uint64_t{1} << 8 * sizeOf(type)) - 1;
      if ((checksumOf(bytes.first(place.offset), place.field.checksum) & all) !=
          bitsAt(&bytes[place.offset], sizeOf(type), big_endian_))
        return DatagramCheck::wrong_checksum;
    }
  }
  for (const Place& place : places_) {
    const double found = value(bytes, place);
    switch (place.field.content) {
      case FieldContent::channel:
        values[place.channel] = found;
        break;
      case FieldContent::sequence:
        head.sequence = found;
        break;
      case FieldContent::echo:
        head.echo = found;
        break;
      case FieldContent::tick:
        head.tick = found;
        break;
      case FieldContent::time:
        head.time_s = found * place.field.scale_s;
        break;
      case FieldContent::enable:
        head.enable = found != 0.0;
        break;
      case FieldContent::enabled:
        head.enabled = found != 0.0;
        break;
      case FieldContent::fault:
        head.fault = found != 0.0;
        break;
      case FieldContent::fixed:
      case FieldContent::checksum:
        break;
    }
  }
  return DatagramCheck::ok;
}

std::vector<double> DatagramLayout::restValues() const {
  std::vector<double> values(channels_, 0.0);
  for (const Place& place : places_)
    if (place.field.content == FieldContent::channel) values[place.channel] = place.field.value;
  return values;
}

bool DatagramLayout::looksSwapped(std::span<const std::uint8_t> bytes) const noexcept {
  bool swapped = false;
  for (const Place& place : places_) {
    const FieldType type = place.field.type;
    const double own = value(bytes, place), other = decodeField(&bytes[place.offset], type, !big_endian_);
    if (place.field.content == FieldContent::channel && isFloat(type)) {
      if (isUsual(own)) return false;
      swapped = swapped || (isAbsurd(own, type) && isUsual(other));
    } else if (place.field.content == FieldContent::sequence && sizeOf(type) == 4 && !isFloat(type)) {
      swapped = swapped || (std::abs(own) >= 1 << 24 && other >= 0.0 && other < 1 << 24);
    }
  }
  return swapped;
}

namespace {

std::vector<std::string> namesOf(std::span<const ChannelSpec> channels, bool outputs) {
  std::vector<std::string> names;
  for (const ChannelSpec& channel : channels)
    if (isOutput(channel.role) == outputs) names.push_back(channel.name);
  return names;
}

}  // namespace

UdpLayouts::UdpLayouts(const UdpSpec& spec, std::span<const ChannelSpec> channels)
    : sends(spec.sends, namesOf(channels, true), spec.byte_order == ByteOrder::big, spec.alignment,
            "/rig/connection/sends"),
      receives(spec.receives, namesOf(channels, false), spec.byte_order == ByteOrder::big, spec.alignment,
               "/rig/connection/receives") {}

SequenceTracker::Judgement SequenceTracker::judge(std::uint64_t number) noexcept {
  const std::uint64_t period = largest_ + 1;
  if (!known_) {
    known_ = true;
    newest_ = number;
    seen_ = 1;
    missing_ = 0;
    return {};
  }
  const std::uint64_t ahead = number >= newest_ ? number - newest_ : number + period - newest_;
  const std::uint64_t behind = ahead == 0 ? 0 : period - ahead;
  // A short counter wraps soon: half of its numbers count as old.
  const auto memory = std::min<std::uint64_t>(kMemory, period / 2);
  if (behind < memory) {
    const std::uint64_t bit = std::uint64_t{1} << behind;
    const bool before = (seen_ & bit) != 0;
    seen_ |= bit;
    if (before) return {Verdict::doubled};
    return {Verdict::reordered, 0, (missing_ & bit) != 0};
  }
  constexpr std::uint64_t kFar = 100'000;
  const bool restarted = ahead > std::min<std::uint64_t>(kFar, period / 2);
  const bool near = ahead < kMemory && !restarted;
  const std::uint64_t between = near ? (std::uint64_t{1} << ahead) - 2 : ~std::uint64_t{1};
  seen_ = (near ? seen_ << ahead : 0) | 1u;
  missing_ = restarted ? 0 : (near ? missing_ << ahead : 0) | between;
  newest_ = number;
  return restarted ? Judgement{Verdict::restarted} : Judgement{Verdict::next, ahead - 1};
}

}  // namespace hyb
