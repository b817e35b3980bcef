#pragma once
#include <span>

namespace hyb {

// Basic figures of a record: equally spaced samples of one channel, in its own unit.

/// Value of a measure that its input does not determine.

/// True if every sample is a number, and there are at least `fewest` of them.
bool readable(std::span<const double> samples, std::size_t fewest = 1) noexcept;
/// True if both are readable and equally long.
bool comparable(std::span<const double> a, std::span<const double> b, std::size_t fewest = 1) noexcept;

/// Root of the mean square; NaN without samples.
double rms(std::span<const double> samples) noexcept;
/// Largest magnitude; NaN without samples.
double largest(std::span<const double> samples) noexcept;
/// Standard deviation about the mean (divided by n); exactly 0 for a constant, NaN without samples.
double spread(std::span<const double> samples) noexcept;

}  // namespace hyb
