#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace hyb {

/// SHA-256 of a byte stream, FIPS 180-4.
class Sha256 {
 public:
  void update(const void* data, std::size_t bytes) noexcept;
  /// 64 lower-case hexadecimal digits; the object must not be used afterwards.
  std::string hex();

 private:
  void block(const unsigned char* bytes) noexcept;
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::uint64_t length_ = 0;  // bytes so far
};

}  // namespace hyb
