#pragma once
#include <hdf5.h>

#include <cstdint>
#include <string>

namespace hyb {

/// Group /black_box of a run file: the last `rows` of its `total` rows, with every column of /acquisition and /timing
/// under its own name, and the attributes `reason` and `tick` (of the last row). Used only in core/record. The file
/// must not be in SWMR mode. Throws DeviceError.
void writeBlackBox(hid_t file, std::uint64_t total, std::uint64_t rows, const std::string& reason);

}  // namespace hyb
