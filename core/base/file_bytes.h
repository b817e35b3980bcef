#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace hyb {

/// All bytes of a file, read at once; none of what is no file or cannot be read.
std::optional<std::string> bytesOf(const std::filesystem::path& file);

/// Puts a file with these bytes in the place of the one that may be there, when they are on the disk: there is the old
/// file or the new one, never a part. A link stays a link, permissions stay. Throws DeviceError.
void writeWhole(const std::filesystem::path& file, std::string_view bytes);

/// Calls `write` with a name beside `file` and puts what it wrote in the place of `file`, as writeWhole(). False:
/// `write` gave up, and nothing has changed. Throws what `write` throws, and DeviceError. Of a device or a pipe `write`
/// gets the name itself.
bool replaceFile(const std::filesystem::path& file, const std::function<bool(const std::filesystem::path&)>& write);

/// What is wrong with text in UTF-16 or UTF-32, by its byte-order mark or by its zeros; "" where it is neither.
std::string wideTextFault(std::string_view bytes);

}  // namespace hyb
