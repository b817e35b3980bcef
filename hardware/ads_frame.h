#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/rig/ads_protocol.h"

namespace hyb {

using AdsBytes = std::vector<std::uint8_t>;

struct AmsAddress {
  AmsNetId net;
  std::uint16_t port = 0;
  bool operator==(const AmsAddress&) const = default;
};

enum class AdsCommand : std::uint16_t { read_device_info = 1, read, write, read_state, read_write = 9 };
/// Index groups.
enum AdsGroup : std::uint32_t {
  kAdsHandleByName = 0xF003,
  kAdsValueByHandle = 0xF005,
  kAdsReleaseHandle = 0xF006,
  kAdsSymbolVersion = 0xF008,
  kAdsSymbolEntry = 0xF009,
  kAdsSumRead = 0xF080,
  kAdsSumWrite = 0xF081,
  kAdsSumReadWrite = 0xF082,
};

/// One value in a sum command.
struct AdsPart {
  std::uint32_t group = 0, offset = 0, size = 0;
};

/// A command with its data, without the frame. All integers little-endian.
struct AdsRequest {
  AdsCommand command = AdsCommand::read_state;
  AdsBytes data;
  std::uint32_t answer_bytes = 0;  // most data that may come after result and length
  std::uint16_t port = 0;          // AMS port; 0: that of the link

  static AdsRequest readState() { return {}; }
  static AdsRequest read(std::uint32_t group, std::uint32_t offset, std::uint32_t size);
  static AdsRequest readWrite(std::uint32_t group, std::uint32_t offset, std::uint32_t size,
                              std::span<const std::uint8_t> data);
  /// Answer: a 32-bit error for each part, then the values of all parts, also of those in error.
  static AdsRequest sumRead(std::span<const AdsPart> parts);
  /// `values`: of all parts, one behind the other. Answer: a 32-bit error for each part.
  static AdsRequest sumWrite(std::span<const AdsPart> parts, std::span<const std::uint8_t> values);
  /// Handles of several names at once. Answer: error and length of each, then the handles of those without error.
  static AdsRequest sumHandles(std::span<const std::string> names);
  /// The values of a sumWrite() of so many parts, to be filled anew.
  std::span<std::uint8_t> sumValues(std::size_t parts) noexcept { return std::span(data).subspan(16 + 12 * parts); }
};

constexpr std::size_t kAmsTcpHeader = 6, kAmsHeader = 32;
constexpr std::uint32_t kLongestAmsFrame = 1u << 20;  // that is taken for one

/// The bytes of a request over TCP.
void appendAmsFrame(const AmsAddress& target, const AmsAddress& source, const AdsRequest& request,
                    std::uint32_t invoke_id, AdsBytes& bytes);

/// Head of a received frame.
struct AmsHead {
  AmsAddress target, source;
  std::uint16_t command = 0, flags = 0;
  std::uint32_t length = 0, error = 0, invoke_id = 0;
  bool isResponse() const noexcept { return (flags & 5u) == 5u; }
};
/// Of the bytes after the TCP header, at least kAmsHeader.
AmsHead amsHead(std::span<const std::uint8_t> bytes) noexcept;

std::uint16_t ads16(std::span<const std::uint8_t> bytes, std::size_t at) noexcept;
std::uint32_t ads32(std::span<const std::uint8_t> bytes, std::size_t at) noexcept;
void appendAds32(AdsBytes& bytes, std::initializer_list<std::uint32_t> values);

/// What a symbol entry says of a variable.
struct AdsSymbolEntry {
  std::uint32_t size = 0, type = 0, flags = 0;
  std::string type_name;  // "LREAL", "ST_Axis", "ARRAY [1..2] OF REAL"
  bool readOnly() const noexcept { return (flags & 0x20u) != 0; }
};
/// Nothing if the bytes are no entry.
std::optional<AdsSymbolEntry> adsSymbolEntry(std::span<const std::uint8_t> bytes);

}  // namespace hyb
