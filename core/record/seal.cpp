#include "core/record/seal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string>

#include "core/base/error.h"
#include "core/base/sha256.h"

namespace hyb {
namespace {

static_assert(std::endian::native == std::endian::little);

// Small enough to distinguish columns in a small file; the digests need at most half a megabyte.
constexpr std::uint64_t kSmallestBlock = 4096, kMostBlocks = 16384;
constexpr std::uint64_t kReadAtOnce = 1u << 20;
constexpr std::size_t kMagicBytes = sizeof kSealMagic - 1;

struct Footer {
  std::array<char, kMagicBytes> magic{};
  std::uint64_t sealed = 0, block = 0;
};
static_assert(sizeof(Footer) == kMagicBytes + 16);
constexpr std::uint64_t kFooterBytes = sizeof(Footer) + sizeof(Sha256::Digest);

std::uint64_t blocksOf(const Footer& footer) { return (footer.sealed + footer.block - 1) / footer.block; }

class OpenFile {
 public:
  OpenFile(const std::filesystem::path& file, int flags) : name_(file.string()) {
    descriptor_ = open(file.c_str(), flags | O_CLOEXEC);
    if (descriptor_ < 0) fail("cannot be opened");
  }
  ~OpenFile() { close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  [[noreturn]] void fail(const char* what) const {
    throw DeviceError(name_ + ": " + what + ": " + std::strerror(errno));
  }
  std::uint64_t size() const {
    const off_t end = lseek(descriptor_, 0, SEEK_END);
    if (end < 0) fail("cannot be read");
    return static_cast<std::uint64_t>(end);
  }
  void read(void* to, std::uint64_t bytes, std::uint64_t at) const {
    auto* place = static_cast<char*>(to);
    while (bytes > 0) {
      const ssize_t got = pread(descriptor_, place, bytes, static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) continue;
      if (got == 0) errno = EIO;  // it was truncated in the meantime
      if (got <= 0) fail("cannot be read");
      place += got;
      at += static_cast<std::uint64_t>(got);
      bytes -= static_cast<std::uint64_t>(got);
    }
  }
  void write(const void* from, std::uint64_t bytes, std::uint64_t at) const {
    const auto* place = static_cast<const char*>(from);
    while (bytes > 0) {
      const ssize_t put = pwrite(descriptor_, place, bytes, static_cast<off_t>(at));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) fail("cannot be sealed");
      place += put;
      at += static_cast<std::uint64_t>(put);
      bytes -= static_cast<std::uint64_t>(put);
    }
  }
  void cut(std::uint64_t bytes) const {
    if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) fail("cannot be changed");
  }
  const std::string& name() const noexcept { return name_; }

 private:
  std::string name_;
  int descriptor_ = -1;
};

/// Digest of each block of the first bytes of a file. Empty if the watch cancelled it.
std::vector<Sha256::Digest> digestsOf(const OpenFile& file, const Footer& footer, const SealWatch& watch) {
  std::vector<Sha256::Digest> digests;
  digests.reserve(blocksOf(footer));
  std::vector<char> bytes(std::max(footer.block, kReadAtOnce));
  for (std::uint64_t at = 0; at < footer.sealed; at += bytes.size()) {
    if (watch && !watch(static_cast<double>(at) / static_cast<double>(footer.sealed))) return {};
    const std::uint64_t count = std::min<std::uint64_t>(bytes.size(), footer.sealed - at);
    file.read(bytes.data(), count, at);
    for (std::uint64_t first = 0; first < count; first += footer.block) {
      Sha256 sha;
      sha.update(bytes.data() + first, std::min(footer.block, count - first));
      digests.push_back(sha.digest());
    }
  }
  return digests;
}

Sha256::Digest digestOf(const std::vector<Sha256::Digest>& blocks, const Footer& footer) {
  Sha256 sha;
  sha.update(blocks.data(), blocks.size() * sizeof(Sha256::Digest));
  sha.update(&footer, sizeof footer);
  return sha.digest();
}

struct Seal {
  bool there = false, sound = false;  // it identifies itself as a seal; it is unchanged
  Footer footer;
  std::vector<Sha256::Digest> blocks;
};
Seal sealOf(const OpenFile& file) {
  Seal seal;
  const std::uint64_t size = file.size();
  if (size < kFooterBytes) return seal;
  Footer& footer = seal.footer;
  Sha256::Digest digest{};
  file.read(&footer, sizeof footer, size - kFooterBytes);
  file.read(&digest, sizeof digest, size - sizeof digest);
  seal.there = std::equal(footer.magic.begin(), footer.magic.end(), kSealMagic);
  if (!seal.there || footer.block < kSmallestBlock || !std::has_single_bit(footer.block) || footer.sealed >= size ||
      footer.block > std::max(kSmallestBlock, size))
    return seal;
  const std::uint64_t blocks = blocksOf(footer);
  if (footer.sealed + blocks * sizeof(Sha256::Digest) + kFooterBytes != size) return seal;
  seal.blocks.resize(blocks);
  file.read(seal.blocks.data(), blocks * sizeof(Sha256::Digest), footer.sealed);
  seal.sound = digestOf(seal.blocks, footer) == digest;
  return seal;
}

SealCheck check(const OpenFile& file, const Seal& seal, const SealWatch& watch) {
  SealCheck result;
  if (!seal.there) return result;
  result.state = SealCheck::State::damaged;
  if (!seal.sound) return result;
  result.state = SealCheck::State::whole;
  const std::vector<Sha256::Digest> found = digestsOf(file, seal.footer, watch);
  if (found.size() != seal.blocks.size()) {
    result.cancelled = true;
    return result;
  }
  for (std::size_t b = 0; b < found.size(); ++b) {
    if (found[b] == seal.blocks[b]) continue;
    result.state = SealCheck::State::broken;
    const std::uint64_t first = b * seal.footer.block, end = std::min(first + seal.footer.block, seal.footer.sealed);
    if (!result.broken.empty() && result.broken.back().end == first)
      result.broken.back().end = end;
    else
      result.broken.push_back({first, end});
  }
  return result;
}

}  // namespace

SealCheck checkSeal(const std::filesystem::path& path, const SealWatch& watch) {
  const OpenFile file(path, O_RDONLY);
  return check(file, sealOf(file), watch);
}

void seal(const std::filesystem::path& path) {
  const OpenFile file(path, O_RDWR);
  Footer footer;
  std::copy_n(kSealMagic, kMagicBytes, footer.magic.begin());
  footer.sealed = file.size();
  footer.block = std::max(kSmallestBlock, std::bit_ceil((footer.sealed + kMostBlocks - 1) / kMostBlocks));
  const std::vector<Sha256::Digest> blocks = digestsOf(file, footer, {});
  const Sha256::Digest digest = digestOf(blocks, footer);
  std::vector<char> bytes(blocks.size() * sizeof(Sha256::Digest) + kFooterBytes);
  std::memcpy(bytes.data(), blocks.data(), blocks.size() * sizeof(Sha256::Digest));
  std::memcpy(bytes.data() + bytes.size() - kFooterBytes, &footer, sizeof footer);
  std::memcpy(bytes.data() + bytes.size() - sizeof digest, &digest, sizeof digest);
  try {
    file.write(bytes.data(), bytes.size(), footer.sealed);
  } catch (const DeviceError&) {
    file.cut(footer.sealed);
    throw;
  }
}

void unseal(const std::filesystem::path& path) {
  const OpenFile file(path, O_RDWR);
  const Seal seal = sealOf(file);
  if (!seal.there) return;
  if (check(file, seal, {}).state != SealCheck::State::whole)
    throw DeviceError(path.string() + ": is damaged and was not changed (hybridbench verify shows where)");
  file.cut(seal.footer.sealed);
}

}  // namespace hyb
