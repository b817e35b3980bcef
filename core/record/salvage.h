#pragma once
#include <cstdint>
#include <filesystem>

namespace hyb {

namespace h5 {
class HeldFile;
}

/// Of a file whose writer died in SWMR mode: whether a dataset says that it has rows whose chunks do not lie within the
/// file or cannot be found, as in a copy that ended early or on a damaged disk. Datasets of different lengths are none:
/// a writer killed amidst a flush leaves them. Throws DeviceError.
bool cutOff(const std::filesystem::path& file);

/// Writes what is whole of a run file that was cut off, live or closed, into the new file `to`: attributes, all row
/// datasets with as many rows as all of them have whole, events and adapted parameters as far as they reach, and every
/// other dataset that lies within the file. Throws DeviceError.
void salvage(const std::filesystem::path& file, const h5::HeldFile& to);

}  // namespace hyb
