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

/// 32 bytes: the secret that a bench and a rig share, a number that is used once, or what authenticates a message.
using Bytes32 = std::array<std::uint8_t, 32>;

/// The key in a file. Throws DeviceError: unreadable, open to other users, no key.
Bytes32 readKeyFile(const std::filesystem::path& file);
/// Makes a file with a new key that nobody but its owner may read. Throws DeviceError: it exists, no room.
void makeKeyFile(const std::filesystem::path& file);

/// From the system's source of randomness. Throws DeviceError where it fails.
Bytes32 randomBytes();
std::string hexText(const Bytes32& bytes);
/// None: it is no hexadecimal text of 32 bytes.
std::optional<Bytes32> bytesOfHex(std::string_view text) noexcept;

/// HMAC-SHA-256, RFC 2104. It stands on OpenSSL's block functions, as its EVP interface allocates with every message.
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

/// Proves that frames come from a holder of the shared key, in this session, in this direction, and once. Each
/// direction has a key of its own, made of the shared key and of a nonce of each side; each frame has a counter. So a
/// frame of another session, one that comes back, and one that comes twice are told from genuine ones.
class FrameAuth {
 public:
  enum class Side : std::uint8_t { bench, rig };
  FrameAuth(const Bytes32& key, const Bytes32& bench_nonce, const Bytes32& rig_nonce, Side own);
  /// With it a rig shows that it has the key.
  static Bytes32 proof(const Bytes32& key, const Bytes32& bench_nonce, const Bytes32& rig_nonce);
  static bool same(const Bytes32& one, const Bytes32& other) noexcept;  // in a time that tells nothing

  static constexpr std::size_t kCounter = 8, kTag = 32, kSeal = kCounter + kTag;
  /// Writes counter and tag behind the first `length` bytes. Real-time safe.
  void seal(std::uint8_t* frame, std::size_t length) noexcept;
  enum class Verdict : std::uint8_t { genuine, replayed, forged };
  /// Of a frame with its counter, and its tag. Real-time safe.
  Verdict check(std::span<const std::uint8_t> frame, std::span<const std::uint8_t> tag) noexcept;

 private:
  Hmac sends_, receives_;
  std::uint64_t sent_ = 0, received_ = 0;  // counters of the last frames
};

}  // namespace hyb
