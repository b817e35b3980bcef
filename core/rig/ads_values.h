#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/rig/ads_protocol.h"

namespace hyb {

/// Bytes of a value: 1, 2, 4 or 8.
std::size_t plcSize(PlcType type) noexcept;
/// "LREAL"
const char* plcName(PlcType type) noexcept;
/// Smallest and largest value of the type.
double plcLowest(PlcType type) noexcept;
double plcHighest(PlcType type) noexcept;
bool isWholePlc(PlcType type) noexcept;  // all but REAL and LREAL

/// Value of the bytes in the order of the controller (little-endian), [plcSize]. Real-time safe.
double decodePlc(const std::uint8_t* bytes, PlcType type) noexcept;
/// The inverse; whole numbers are rounded, and all values are limited to the range of the type; NaN becomes 0 in a
/// whole number. BOOL: true from 0.5. Real-time safe.
void encodePlc(double value, PlcType type, std::uint8_t* bytes) noexcept;

/// Code in a symbol entry.
std::uint32_t plcCode(PlcType type) noexcept;
/// Type of such a code; BYTE, WORD and DWORD count as USINT, UINT and UDINT. Nothing for texts, structures
/// and arrays.
std::optional<PlcType> plcTypeOfCode(std::uint32_t code) noexcept;

}  // namespace hyb
