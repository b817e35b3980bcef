#define OPENSSL_SUPPRESS_DEPRECATED  // the block functions of SHA-256: nothing else in OpenSSL 3 computes without a
                                     // heap
#include "hardware/frame_auth.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/error.h"

namespace hyb {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::size_t kLongestKeyFile = 1000;

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& why) {
  throw DeviceError("key file \"" + file.string() + "\": " + why);
}

/// Derives a key from `key`, a purpose and both nonces.
Bytes32 derived(const Bytes32& key, std::string_view purpose, const Bytes32& bench_nonce, const Bytes32& rig_nonce) {
  std::string message = "hybridbench-rig " + std::string(purpose) + '\0';
  for (const Bytes32* nonce : {&bench_nonce, &rig_nonce}) message.append(nonce->begin(), nonce->end());
  return Hmac(key).of({reinterpret_cast<const std::uint8_t*>(message.data()), message.size()});
}

class OpenFile {
 public:
  OpenFile(const std::filesystem::path& file, int flags) : fd_(::open(file.c_str(), flags | O_CLOEXEC, 0600)) {
    if (fd_ < 0) fail(file, std::strerror(errno) + std::string("."));
  }
  ~OpenFile() { ::close(fd_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const noexcept { return fd_; }

 private:
  int fd_;
};

}  // namespace

Bytes32 readKeyFile(const std::filesystem::path& file) {
  const OpenFile open(file, O_RDONLY | O_NONBLOCK);
  struct ::stat facts {};
  if (::fstat(open.fd(), &facts) != 0 || !S_ISREG(facts.st_mode)) fail(file, "is not a file.");
  if ((facts.st_mode & 077u) != 0)
    fail(file,
         "other users of this computer may read it. Create a new key, or enter: chmod 600 \"" + file.string() + "\"");
  std::string text(kLongestKeyFile, '\0');
  const ssize_t length = ::read(open.fd(), text.data(), text.size());
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, length)));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const std::optional<Bytes32> key = bytesOfHex(text);
  OPENSSL_cleanse(text.data(), text.size());
  if (!key) fail(file, "has no key of 64 hexadecimal digits. \"hybridbench rig --new-key FILE\" creates one.");
  return *key;
}

void makeKeyFile(const std::filesystem::path& file) {
  std::string text = hexText(randomBytes()) + "\n";
  const OpenFile open(file, O_WRONLY | O_CREAT | O_EXCL);
  const bool written = ::write(open.fd(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       ::fchmod(open.fd(), 0600) == 0 && ::fsync(open.fd()) == 0;
  OPENSSL_cleanse(text.data(), text.size());
  if (!written) fail(file, "cannot be written: " + std::string(std::strerror(errno)) + ".");
}

Bytes32 randomBytes() {
  Bytes32 bytes;
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    throw DeviceError("this computer provides no random numbers, so no secret key is possible.");
  return bytes;
}

std::string hexText(const Bytes32& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::optional<Bytes32> bytesOfHex(std::string_view text) noexcept {
  Bytes32 bytes{};
  if (text.size() != 2 * bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'F' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bytes[i / 2] = static_cast<std::uint8_t>(std::size_t{16} * bytes[i / 2] + digit);
  }
  return bytes;
}

/// SHA-256 after hashing the key, for the inner and the outer pass.
struct Hmac::State {
  SHA256_CTX inner, outer;
  ~State() { OPENSSL_cleanse(this, sizeof *this); }
};

Hmac::Hmac(std::span<const std::uint8_t> key) : state_(std::make_unique<State>()) {
  std::array<std::uint8_t, SHA256_CBLOCK> block{};
  if (key.size() > block.size())
    SHA256(key.data(), key.size(), block.data());
  else
    std::copy(key.begin(), key.end(), block.begin());
  for (const auto& [pass, pad] : {std::pair{&state_->inner, 0x36u}, {&state_->outer, 0x36u ^ 0x5Cu}}) {
    for (std::uint8_t& byte : block) byte = static_cast<std::uint8_t>(byte ^ pad);
    SHA256_Init(pass);
    SHA256_Update(pass, block.data(), block.size());
  }
  OPENSSL_cleanse(block.data(), block.size());
}
Hmac::Hmac(Hmac&&) noexcept = default;
Hmac& Hmac::operator=(Hmac&&) noexcept = default;
Hmac::~Hmac() = default;

Bytes32 Hmac::of(std::span<const std::uint8_t> message) const noexcept {
  Bytes32 tag;
  SHA256_CTX pass = state_->inner;
  SHA256_Update(&pass, message.data(), message.size());
  SHA256_Final(tag.data(), &pass);
  pass = state_->outer;
  SHA256_Update(&pass, tag.data(), tag.size());
  SHA256_Final(tag.data(), &pass);
  OPENSSL_cleanse(&pass, sizeof pass);
  return tag;
}

FrameAuth::FrameAuth(const Bytes32& key, const Bytes32& bench_nonce, const Bytes32& rig_nonce, Side own)
    : sends_(derived(key, own == Side::bench ? "from bench" : "from rig", bench_nonce, rig_nonce)),
      receives_(derived(key, own == Side::bench ? "from rig" : "from bench", bench_nonce, rig_nonce)) {}

Bytes32 FrameAuth::proof(const Bytes32& key, const Bytes32& bench_nonce, const Bytes32& rig_nonce) {
  return derived(key, "proof", bench_nonce, rig_nonce);
}

bool FrameAuth::same(const Bytes32& one, const Bytes32& other) noexcept {
  return CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

void FrameAuth::seal(std::uint8_t* frame, std::size_t length) noexcept {
  ++sent_;
  for (std::size_t b = 0; b < kCounter; ++b) frame[length + b] = static_cast<std::uint8_t>(sent_ >> (8 * b));
  const Bytes32 tag = sends_.of({frame, length + kCounter});
  std::copy(tag.begin(), tag.end(), frame + length + kCounter);
}

FrameAuth::Verdict FrameAuth::check(std::span<const std::uint8_t> frame, std::span<const std::uint8_t> tag) noexcept {
  Bytes32 given{};
  if (tag.size() != given.size() || frame.size() < kCounter) return Verdict::forged;
  std::copy(tag.begin(), tag.end(), given.begin());
  if (!same(receives_.of(frame), given)) return Verdict::forged;
  std::uint64_t counter = 0;
  for (std::size_t b = 0; b < kCounter; ++b) counter |= std::uint64_t{frame[frame.size() - kCounter + b]} << (8 * b);
  if (counter <= received_) return Verdict::replayed;
  received_ = counter;
  return Verdict::genuine;
}

}  // namespace hyb
