#pragma once
#include <cstddef>
#include <vector>

#include "core/rig/rig_spec.h"
#include "hardware/ads_symbols.h"

namespace hyb {

/// All values that a connection reads and writes. The lists hold indices into `values`.
struct AdsPlan {
  std::vector<AdsValue> values;
  std::vector<std::size_t> reads;   // in each tick: the inputs, then the cycle counter
  std::vector<std::size_t> writes;  // in each tick: the outputs, then the watchdog
  std::vector<std::size_t> stops;
  std::size_t inputs = 0, outputs = 0;  // without counter and watchdog
  std::size_t cycle_time = 0;           // if a task is checked

  AdsPlan(const AdsSpec& spec, const std::vector<ChannelSpec>& channels);
};

}  // namespace hyb
