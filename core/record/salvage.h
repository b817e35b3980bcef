#pragma once
#include <cstdint>
#include <filesystem>

namespace hyb {

namespace h5 {
class HeldFile;
}

/// For a file whose writer ended in SWMR mode: true if a dataset has rows whose chunks are outside the file or cannot
/// be found, as in a truncated copy or on a damaged disk. Datasets of different lengths do not count: a writer killed
/// during a flush leaves them. Throws DeviceError.
bool cutOff(const std::filesystem::path& file);

/// Writes the complete parts of a truncated run file, live or closed, into the new file `to`: attributes, all row
/// datasets with the number of rows complete in all of them, the available events and adapted parameters, and every
/// other dataset within the file. Throws DeviceError.
void salvage(const std::filesystem::path& file, const h5::HeldFile& to);

}  // namespace hyb
