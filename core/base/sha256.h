#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

struct evp_md_ctx_st;

namespace hyb {

/// SHA-256 of a byte stream, FIPS 180-4.
class Sha256 {
 public:
  Sha256();
  void update(const void* data, std::size_t bytes) noexcept;
  using Digest = std::array<std::uint8_t, 32>;
  /// The object must not be used after either call.
  Digest digest();
  std::string hex();  // 64 lower-case hexadecimal digits

 private:
  struct Free {
    void operator()(evp_md_ctx_st* state) const noexcept;
  };
  std::unique_ptr<evp_md_ctx_st, Free> state_;
};

}  // namespace hyb
