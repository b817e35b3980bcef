#pragma once
#include <memory>

#include "core/data/table.h"
#include "core/record/run_file_reader.h"

namespace hyb {

/// Role, interface and kind of a channel by its name and unit, "target_2" and "m", if its name is one of a role.
void describeByName(Channel& channel);

/// A run as it was recorded, with its events and segments. Channels: those of /acquisition and /timing, then the
/// adapted quantities, each of which holds its value from tick to tick. Files of older programs have no roles and
/// kinds; they are found here by name and unit. The reader lives as long as the table.
Table recordedTable(const std::shared_ptr<const RunFileReader>& run);

/// The same, even: one row per period of the loop (evenRows()). Throws DeviceError.
Table tableOf(const std::shared_ptr<const RunFileReader>& run);

}  // namespace hyb
