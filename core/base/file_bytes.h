#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace hyb {

/// All bytes of a file, read at once; none of what is no file or cannot be read.
std::optional<std::string> bytesOf(const std::filesystem::path& file);

/// Puts a file with these bytes in the place of the one that may be there, when they are on the disk: there is the old
/// file or the new one, never a part. A link stays a link, permissions stay. Throws DeviceError.
void writeWhole(const std::filesystem::path& file, std::string_view bytes);

/// What is wrong with text in UTF-16 or UTF-32, by its byte-order mark or by its zeros; "" where it is neither.
std::string wideTextFault(std::string_view bytes);

}  // namespace hyb
