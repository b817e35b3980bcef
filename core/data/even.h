#pragma once
#include "core/data/table.h"

namespace hyb {

/// Recorded rows as an even table: one row per period. Missed periods are rows of missing values, in which adapted
/// quantities keep theirs. The columns of time and tick go: they are the time base itself. Throws DeviceError (no rate,
/// no rows, ticks that do not ascend).
Table evenRows(Table recorded);

}  // namespace hyb
