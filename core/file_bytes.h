#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace hyb {

/// All bytes of a file, read at once; none of what is no file or cannot be read.
std::optional<std::string> bytesOf(const std::filesystem::path& file);

}  // namespace hyb
