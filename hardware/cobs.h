#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace hyb {

/// Consistent overhead byte stuffing: encodes bytes without zeros, so that zeros can separate frames.
/// Source: S. Cheshire, M. Baker, Consistent overhead byte stuffing, IEEE/ACM Trans. Networking 7 (1999) 159-172.

/// Longest coded form of `bytes` bytes, without delimiter.
constexpr std::size_t cobsBound(std::size_t bytes) noexcept { return bytes + bytes / 254 + 1; }
/// Encodes `bytes` into `out`, which holds at least cobsBound(bytes.size()); returns the length.
std::size_t cobsEncode(std::span<const std::uint8_t> bytes, std::uint8_t* out) noexcept;
/// Decodes `coded` into `out` and returns the length; nothing if it is not COBS or longer than `out`.
std::optional<std::size_t> cobsDecode(std::span<const std::uint8_t> coded, std::span<std::uint8_t> out) noexcept;

}  // namespace hyb
