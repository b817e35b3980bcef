#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/data/table.h"

namespace hyb {

/// What may differ between two records of one test. All 0: they are equal to the last bit.
struct CompareTolerance {
  double absolute = 0.0;  // in the unit of the channel
  double relative = 0.0;  // of the largest magnitude of the channel in the first record
  double time_s = 0.0;    // an event may come so much earlier or later
};

struct ChannelComparison {
  enum class Outcome : unsigned char { inside, outside, not_aligned };
  std::string name, units;
  Outcome outcome = Outcome::inside;
  std::string why;                                     // not aligned: the sentence
  double tolerance = 0.0;                              // absolute and relative together, in `units`
  double largest = 0.0;                                // difference beyond what the time tolerance explains
  double largest_at_s = 0.0;                           // since the start
  std::uint64_t rows = 0;                              // compared
  std::uint64_t outside_rows = 0, missing_in_one = 0;  // a row that only one record misses is not compared
  // The first row outside:
  double first_at_s = 0.0, first_a = 0.0, first_b = 0.0;
};
std::string_view name(ChannelComparison::Outcome outcome) noexcept;  // "inside", "outside", "not aligned"

struct TableComparison {
  std::vector<ChannelComparison> channels;  // those of the first record, then those that only the second one has
  bool inside() const noexcept;
};

/// Compares the channels with these names (empty: all) of two records whose first rows belong together. Row k of `a` is
/// inside if its value is within the tolerance of the range that `b`, a line between its rows, passes within the time
/// tolerance of the same instant. Not aligned: a channel that one record lacks or that has another unit there, records
/// without rate, with another rate, or with lengths that differ by more than the time tolerance, a channel without a
/// common value. Throws InputError: a name that neither record has, a negative tolerance.
TableComparison compared(const Table& a, const Table& b, const CompareTolerance& tolerance,
                         const std::vector<std::string>& names = {});

}  // namespace hyb
