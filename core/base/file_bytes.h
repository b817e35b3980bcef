#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace hyb {

/// All bytes of a file, read at once; none of what is no file or cannot be read.
std::optional<std::string> bytesOf(const std::filesystem::path& file);

/// What is wrong with text in UTF-16 or UTF-32, by its byte-order mark or by its zeros; "" where it is neither.
std::string wideTextFault(std::string_view bytes);

}  // namespace hyb
