#pragma once
#include <cstdint>
#include <filesystem>

namespace hyb {

/// Of a file whose writer died in SWMR mode: rows of /acquisition and /timing whose chunks all lie within the file and
/// can be found. Fewer than it says where it was cut off (a copy that ended early, a damaged disk). Throws DeviceError.
std::uint64_t wholeRows(const std::filesystem::path& file);

/// Writes what is whole of a run file that was cut off, live or closed, into the new file `to`: attributes, all row
/// datasets with as many rows as all of them have whole, events and adapted parameters as far as they reach, and every
/// other dataset that lies within the file. Throws DeviceError.
void salvage(const std::filesystem::path& file, const std::filesystem::path& to);

}  // namespace hyb
