#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "core/fidelity/face.h"

namespace hyb {

/// A figure of the tests with these indices (some may be repeated); NaN: not determined.
using Figure = std::function<double(const std::vector<std::size_t>& tests)>;

/// 95 % interval of the figures of `rounds` draws of n out of n tests. Same seed = same draws, on every machine.
/// Unknown if more than half of the draws yield none.
FaceInterval bootstrap(std::size_t n, int rounds, std::uint64_t seed, const Figure& figure);
/// Smallest and largest figure with one of the n tests left out.
FaceInterval leaveOneOut(std::size_t n, const Figure& figure);
/// 95 % interval of the value for a repetition of the tests: value -+ t s, with the standard deviation s of the figures
/// with one of the n tests left out (jackknife) and Student's t of n - 2 degrees of freedom. Assumes independent tests.
/// Unknown if one of these figures is none, or n < 3.
FaceInterval jackknife(std::size_t n, double value, const Figure& figure);
/// The smallest interval that contains both; an unknown one does not count.
FaceInterval together(const FaceInterval& a, const FaceInterval& b);

}  // namespace hyb
