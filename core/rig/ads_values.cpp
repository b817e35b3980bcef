#include "core/rig/ads_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace hyb {
namespace {

struct PlcFacts {
  const char* name;
  std::size_t size;
  double lowest, highest;
  std::uint32_t code;  // in a symbol entry
};
constexpr double kTwo63 = 9223372036854775808.0, kTwo64 = 18446744073709551616.0;
constexpr double kFloat = std::numeric_limits<float>::max(), kDouble = std::numeric_limits<double>::max();
/// In the order of PlcType; the largest doubles that a 64-bit integer can hold.
constexpr std::array<PlcFacts, 11> kPlcFacts = {{{"BOOL", 1, 0.0, 1.0, 0x21},
                                                 {"SINT", 1, -128.0, 127.0, 0x10},
                                                 {"USINT", 1, 0.0, 255.0, 0x11},
                                                 {"INT", 2, -32768.0, 32767.0, 0x02},
                                                 {"UINT", 2, 0.0, 65535.0, 0x12},
                                                 {"DINT", 4, -2147483648.0, 2147483647.0, 0x03},
                                                 {"UDINT", 4, 0.0, 4294967295.0, 0x13},
                                                 {"LINT", 8, -kTwo63, kTwo63 - 1024.0, 0x14},
                                                 {"ULINT", 8, 0.0, kTwo64 - 2048.0, 0x15},
                                                 {"REAL", 4, -kFloat, kFloat, 0x04},
                                                 {"LREAL", 8, -kDouble, kDouble, 0x05}}};
const PlcFacts& factsOf(PlcType type) noexcept { return kPlcFacts[static_cast<std::size_t>(type)]; }
bool isSigned(PlcType type) noexcept { return factsOf(type).lowest < 0.0; }

}  // namespace

std::size_t plcSize(PlcType type) noexcept { return factsOf(type).size; }
const char* plcName(PlcType type) noexcept { return factsOf(type).name; }
double plcLowest(PlcType type) noexcept { return factsOf(type).lowest; }
double plcHighest(PlcType type) noexcept { return factsOf(type).highest; }
bool isWholePlc(PlcType type) noexcept { return type != PlcType::real && type != PlcType::lreal; }

double decodePlc(const std::uint8_t* bytes, PlcType type) noexcept {
  const std::size_t size = plcSize(type);
  std::uint64_t bits = 0;
  for (std::size_t k = size; k-- > 0;) bits = bits << 8 | bytes[k];
  if (type == PlcType::boolean) return bits != 0 ? 1.0 : 0.0;
  if (type == PlcType::real) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (type == PlcType::lreal) return std::bit_cast<double>(bits);
  if (!isSigned(type)) return static_cast<double>(bits);
  const auto unused = static_cast<int>(64 - 8 * size);
  return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
}

void encodePlc(double value, PlcType type, std::uint8_t* bytes) noexcept {
  const double within = std::isnan(value) ? value : std::clamp(value, plcLowest(type), plcHighest(type));
  std::uint64_t bits = 0;
  if (type == PlcType::boolean)
    bits = value >= 0.5 ? 1 : 0;
  else if (type == PlcType::real)
    bits = std::bit_cast<std::uint32_t>(static_cast<float>(within));
  else if (type == PlcType::lreal)
    bits = std::bit_cast<std::uint64_t>(value);
  else if (std::isnan(value))
    bits = 0;
  else if (isSigned(type))
    bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(std::nearbyint(within)));
  else
    bits = static_cast<std::uint64_t>(std::nearbyint(within));
  for (std::size_t k = 0; k < plcSize(type); ++k, bits >>= 8) bytes[k] = static_cast<std::uint8_t>(bits);
}

std::uint32_t plcCode(PlcType type) noexcept { return kPlcFacts[static_cast<std::size_t>(type)].code; }

std::optional<PlcType> plcTypeOfCode(std::uint32_t code) noexcept {
  for (std::size_t type = 0; type < kPlcFacts.size(); ++type)
    if (kPlcFacts[type].code == code) return static_cast<PlcType>(type);
  return std::nullopt;
}

}  // namespace hyb
