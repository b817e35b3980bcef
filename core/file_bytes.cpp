#include "core/file_bytes.h"

#include <fstream>
#include <system_error>

namespace hyb {

std::optional<std::string> bytesOf(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  std::ifstream stream(file, std::ios::binary);
  if (error || !stream) return std::nullopt;
  std::string bytes(size, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(size));
  if (stream.bad()) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(stream.gcount()));  // it may have become shorter
  return bytes;
}

}  // namespace hyb
