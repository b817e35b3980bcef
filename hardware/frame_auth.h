#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hyb {

/// 32 bytes: the secret shared by bench and rig, a nonce, or an authentication tag.
using Bytes32 = std::array<std::uint8_t, 32>;

/// Reads the key from a file. Throws DeviceError if it is unreadable, readable by other users, or without key.
Bytes32 readKeyFile(const std::filesystem::path& file);
/// Creates a file with a new key, readable only by its owner. Throws DeviceError if it exists or cannot be written.
void makeKeyFile(const std::filesystem::path& file);

/// From the system's random source. Throws DeviceError if it fails.
Bytes32 randomBytes();
std::string hexText(const Bytes32& bytes);
/// None if it is not a hexadecimal text of 32 bytes.
std::optional<Bytes32> bytesOfHex(std::string_view text) noexcept;

/// HMAC-SHA-256, RFC 2104. Uses OpenSSL's block functions, because its EVP interface allocates for every message.
class Hmac {
 public:
  explicit Hmac(std::span<const std::uint8_t> key);
  Hmac(Hmac&&) noexcept;
  Hmac& operator=(Hmac&&) noexcept;
  ~Hmac();
  /// Real-time safe.
  Bytes32 of(std::span<const std::uint8_t> message) const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Proves that a frame comes from a holder of the shared key, in this session, in this direction, and only once. Each
/// direction has its own key, derived from the shared key and a nonce of each side. Each frame has a counter. Frames of
/// another session, reflected frames and repeated frames are detected.
class FrameAuth {
 public:
  enum class Side : std::uint8_t { bench, rig };
  FrameAuth(const Bytes32& key, const Bytes32& bench_nonce, const Bytes32& rig_nonce, Side own);
  /// Proof of the rig that it has the key.
  static Bytes32 proof(const Bytes32& key, const Bytes32& bench_nonce, const Bytes32& rig_nonce);
  static bool same(const Bytes32& one, const Bytes32& other) noexcept;  // in constant time

  static constexpr std::size_t kCounter = 8, kTag = 32, kSeal = kCounter + kTag;
  /// Appends counter and tag to the first `length` bytes. Real-time safe.
  void seal(std::uint8_t* frame, std::size_t length) noexcept;
  enum class Verdict : std::uint8_t { genuine, replayed, forged };
  /// Checks the tag of a frame with its counter. Real-time safe.
  Verdict check(std::span<const std::uint8_t> frame, std::span<const std::uint8_t> tag) noexcept;

 private:
  Hmac sends_, receives_;
  std::uint64_t sent_ = 0, received_ = 0;  // counters of the last frames
};

}  // namespace hyb
