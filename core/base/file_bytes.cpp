#include "core/base/file_bytes.h"

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

std::string wideTextFault(std::string_view bytes) {
  using namespace std::string_literals;
  using namespace std::string_view_literals;
  const auto message = [](const char* encoding) {
    return "is "s + encoding + " text, as Windows PowerShell writes it; save it as UTF-8";
  };
  if (bytes.starts_with("\xFF\xFE\0\0"sv) || bytes.starts_with("\0\0\xFE\xFF"sv)) return message("UTF-32");
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) return message("UTF-16");
  // Without the mark: two plain characters, each with a zero before or behind it.
  const auto plain = [&](std::size_t i) { return (bytes[i] >= ' ' && bytes[i] <= '~') || bytes[i] == '\t'; };
  if (bytes.size() < 4) return {};
  if (plain(0) && bytes[1] == 0 && plain(2) && bytes[3] == 0) return message("UTF-16");
  if (bytes[0] == 0 && plain(1) && bytes[2] == 0 && plain(3)) return message("UTF-16");
  return {};
}

}  // namespace hyb
