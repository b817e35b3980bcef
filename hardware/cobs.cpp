#include "hardware/cobs.h"

#include <algorithm>

namespace hyb {

std::size_t cobsEncode(std::span<const std::uint8_t> bytes, std::uint8_t* out) noexcept {
  std::size_t code_at = 0, end = 1;
  std::uint8_t code = 1;  // distance to the next zero
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    if (bytes[k] != 0) {
      out[end++] = bytes[k];
      ++code;
    }
    if (bytes[k] == 0 || (code == 0xFF && k + 1 < bytes.size())) {
      out[code_at] = code;
      code_at = end++;
      code = 1;
    }
  }
  out[code_at] = code;
  return end;
}

std::optional<std::size_t> cobsDecode(std::span<const std::uint8_t> coded, std::span<std::uint8_t> out) noexcept {
  std::size_t length = 0;
  for (std::size_t k = 0; k < coded.size();) {
    const std::size_t code = coded[k];
    const std::size_t run = code - 1;
    if (code == 0 || k + code > coded.size() || length + run > out.size()) return std::nullopt;
    for (std::size_t j = 1; j <= run; ++j) {
      if (coded[k + j] == 0) return std::nullopt;
      out[length++] = coded[k + j];
    }
    k += code;
    if (code < 0xFF && k < coded.size()) {
      if (length == out.size()) return std::nullopt;
      out[length++] = 0;
    }
  }
  return length;
}

}  // namespace hyb
