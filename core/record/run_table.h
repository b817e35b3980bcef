#pragma once
#include <memory>

#include "core/data/table.h"
#include "core/record/run_file_reader.h"

namespace hyb {

/// A run as an even table: one row per period of the loop. The periods that the loop missed are rows of missing values.
/// Channels: those of /acquisition but time and tick, then the timing, then the adapted quantities, each of which holds
/// its value from tick to tick. The reader lives as long as the table. Throws DeviceError (no rate, no rows, ticks that
/// do not ascend).
Table tableOf(std::shared_ptr<const RunFileReader> run);

}  // namespace hyb
