#include "hardware/ads_frame.h"

#include <algorithm>
#include <string>

namespace hyb {
namespace {

constexpr std::uint16_t kAdsRequestFlags = 0x0004;

void appendAds16(AdsBytes& bytes, std::uint16_t value) {
  bytes.push_back(static_cast<std::uint8_t>(value & 0xFFu));
  bytes.push_back(static_cast<std::uint8_t>(value >> 8));
}

void appendAddress(AdsBytes& bytes, const AmsAddress& address) {
  bytes.insert(bytes.end(), address.net.bytes.begin(), address.net.bytes.end());
  appendAds16(bytes, address.port);
}

AmsAddress addressAt(std::span<const std::uint8_t> bytes, std::size_t at) noexcept {
  AmsAddress address;
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), 6, address.net.bytes.begin());
  address.port = ads16(bytes, at + 6);
  return address;
}

/// Places of the parts, 12 bytes each; returns the sum of their sizes.
std::uint32_t appendParts(AdsBytes& bytes, std::span<const AdsPart> parts) {
  std::uint32_t sum = 0;
  for (const AdsPart& part : parts) {
    appendAds32(bytes, {part.group, part.offset, part.size});
    sum += part.size;
  }
  return sum;
}

}  // namespace

std::uint16_t ads16(std::span<const std::uint8_t> bytes, std::size_t at) noexcept {
  return static_cast<std::uint16_t>(bytes[at] | bytes[at + 1] << 8);
}
std::uint32_t ads32(std::span<const std::uint8_t> bytes, std::size_t at) noexcept {
  return ads16(bytes, at) | static_cast<std::uint32_t>(ads16(bytes, at + 2)) << 16;
}
void appendAds32(AdsBytes& bytes, std::initializer_list<std::uint32_t> values) {
  for (const std::uint32_t value : values) {
    appendAds16(bytes, static_cast<std::uint16_t>(value & 0xFFFFu));
    appendAds16(bytes, static_cast<std::uint16_t>(value >> 16));
  }
}

AdsRequest AdsRequest::read(std::uint32_t group, std::uint32_t offset, std::uint32_t size) {
  AdsRequest request{AdsCommand::read, {}, size, 0};
  appendAds32(request.data, {group, offset, size});
  return request;
}
AdsRequest AdsRequest::readWrite(std::uint32_t group, std::uint32_t offset, std::uint32_t size,
                                 std::span<const std::uint8_t> data) {
  AdsRequest request{AdsCommand::read_write, {}, size, 0};
  appendAds32(request.data, {group, offset, size, static_cast<std::uint32_t>(data.size())});
  request.data.insert(request.data.end(), data.begin(), data.end());
  return request;
}
AdsRequest AdsRequest::sumRead(std::span<const AdsPart> parts) {
  AdsBytes places;
  const std::uint32_t values = appendParts(places, parts);
  const auto count = static_cast<std::uint32_t>(parts.size());
  return readWrite(kAdsSumRead, count, 4 * count + values, places);
}
AdsRequest AdsRequest::sumWrite(std::span<const AdsPart> parts, std::span<const std::uint8_t> values) {
  AdsBytes data;
  appendParts(data, parts);
  data.insert(data.end(), values.begin(), values.end());
  const auto count = static_cast<std::uint32_t>(parts.size());
  return readWrite(kAdsSumWrite, count, 4 * count, data);
}
AdsRequest AdsRequest::sumHandles(std::span<const std::string> names) {
  AdsBytes data;
  for (const std::string& name : names)
    appendAds32(data, {kAdsHandleByName, 0, 4, static_cast<std::uint32_t>(name.size() + 1)});
  for (const std::string& name : names) {
    data.insert(data.end(), name.begin(), name.end());
    data.push_back(0);
  }
  const auto count = static_cast<std::uint32_t>(names.size());
  return readWrite(kAdsSumReadWrite, count, 12 * count, data);
}

void appendAmsFrame(const AmsAddress& target, const AmsAddress& source, const AdsRequest& request,
                    std::uint32_t invoke_id, AdsBytes& bytes) {
  const auto length = static_cast<std::uint32_t>(request.data.size());
  appendAds16(bytes, 0);
  appendAds32(bytes, {length + static_cast<std::uint32_t>(kAmsHeader)});
  appendAddress(bytes, target);
  appendAddress(bytes, source);
  appendAds16(bytes, static_cast<std::uint16_t>(request.command));
  appendAds16(bytes, kAdsRequestFlags);
  appendAds32(bytes, {length, 0, invoke_id});
  bytes.insert(bytes.end(), request.data.begin(), request.data.end());
}

AmsHead amsHead(std::span<const std::uint8_t> bytes) noexcept {
  return {addressAt(bytes, 0), addressAt(bytes, 8), ads16(bytes, 16), ads16(bytes, 18),
          ads32(bytes, 20),    ads32(bytes, 24),    ads32(bytes, 28)};
}

std::optional<AdsSymbolEntry> adsSymbolEntry(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kFixed = 30;  // before the texts
  if (bytes.size() < kFixed) return std::nullopt;
  const std::size_t name = ads16(bytes, 24), type = ads16(bytes, 26);
  if (bytes.size() < kFixed + name + 1 + type) return std::nullopt;
  const auto* const text = reinterpret_cast<const char*>(bytes.data()) + kFixed + name + 1;
  return AdsSymbolEntry{ads32(bytes, 12), ads32(bytes, 16), ads32(bytes, 20), std::string(text, type)};
}

}  // namespace hyb
