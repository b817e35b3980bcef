#pragma once
#include "core/data/table.h"

namespace hyb {

/// The table at another rate. Each new value is the record behind a linear-phase low-pass, taken at the time of the new
/// row: a sinc with a Kaiser window that passes up to 0.8 of half the lower rate within 0.01 % and rejects 80 dB from
/// half the lower rate on. At the ends it uses the rows that exist. Discrete channels take the nearest row. A missing
/// value makes the values within reach of the filter missing. Throws InputError if the table has no rate or `rate_hz`
/// is not positive.
Table resampled(Table table, double rate_hz);

}  // namespace hyb
