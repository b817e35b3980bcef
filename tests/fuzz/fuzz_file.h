#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace hyb::fuzz {

/// A file in memory for parsers that take a path.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    if (descriptor_ < 0) std::abort();
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
  void fill(std::span<const std::uint8_t> bytes) const {
    if (::ftruncate(descriptor_, 0) != 0) std::abort();
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t written = ::pwrite(descriptor_, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
      if (written <= 0) std::abort();
      at += static_cast<std::size_t>(written);
    }
  }

 private:
  int descriptor_;
};

/// The same file under a name with an extension, for parsers that ask it: a link.
class NamedFile {
 public:
  NamedFile(const MemoryFile& file, const std::string& extension)
      : link_(std::filesystem::temp_directory_path() / ("fuzz-" + std::to_string(::getpid()) + extension)) {
    std::filesystem::remove(link_);
    std::filesystem::create_symlink(file.path(), link_);
  }
  ~NamedFile() {
    std::error_code error;
    std::filesystem::remove(link_, error);
  }
  NamedFile(const NamedFile&) = delete;
  NamedFile& operator=(const NamedFile&) = delete;
  std::string path() const { return link_.string(); }

 private:
  std::filesystem::path link_;
};

inline std::vector<std::uint8_t> bytesOf(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A sound file with some of its bytes replaced: how checksums, counts and offsets of binary formats go wrong one at a
/// time. `edits`: place (4 bytes), length (1 byte), bytes; and so on. A length of 255 cuts the file off there.
inline std::vector<std::uint8_t> edited(std::vector<std::uint8_t> file, std::span<const std::uint8_t> edits) {
  while (edits.size() > 5 && !file.empty()) {
    std::uint32_t place = 0;
    std::memcpy(&place, edits.data(), 4);
    const std::size_t at = place % file.size(), length = edits[4];
    edits = edits.subspan(5);
    if (length == 255) {
      file.resize(at);
      continue;
    }
    const std::size_t count = std::min({length, edits.size(), file.size() - at});
    std::copy_n(edits.begin(), count, file.begin() + static_cast<std::ptrdiff_t>(at));
    edits = edits.subspan(count);
  }
  return file;
}

}  // namespace hyb::fuzz
