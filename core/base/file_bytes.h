#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace hyb {

/// All bytes of a file, read at once; none if it is not a file or cannot be read.
std::optional<std::string> bytesOf(const std::filesystem::path& file);

/// Replaces a file by one with these bytes after they are on the disk: the file is the old or the new one, never a
/// part. A symbolic link and permissions are kept. Throws DeviceError.
void writeWhole(const std::filesystem::path& file, std::string_view bytes);

/// Calls `write` with a name beside `file` and replaces `file` by the result, as writeWhole(). False: `write` gave up,
/// and nothing has changed. Throws as `write`, and DeviceError. For a device or a pipe `write` gets the name itself.
bool replaceFile(const std::filesystem::path& file, const std::function<bool(const std::filesystem::path&)>& write);

/// Fault of a text in UTF-16 or UTF-32, detected by its byte-order mark or its zeros; "" otherwise.
std::string wideTextFault(std::string_view bytes);

}  // namespace hyb
