#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "core/fidelity/face.h"

namespace hyb {

/// A figure of the tests with these indices (some may come twice); NaN: they do not give one.
using Figure = std::function<double(const std::vector<std::size_t>& tests)>;

/// Where 95 % of the figures of `rounds` draws of n out of n tests lie. Same seed = same draws, on every machine.
/// Unknown when more than half of the draws give none.
FaceInterval bootstrap(std::size_t n, int rounds, std::uint64_t seed, const Figure& figure);
/// Smallest and largest figure with one of the n tests left out.
FaceInterval leaveOneOut(std::size_t n, const Figure& figure);
/// Where 95 % of the value would lie if the tests were made again: value -+ t s, with the standard deviation s that the
/// figures with one of the n tests left out show (jackknife) and Student's t of n - 2 degrees of freedom. Takes the
/// tests for independent. Unknown when one of these figures is none, or n < 3.
FaceInterval jackknife(std::size_t n, double value, const Figure& figure);
/// The smallest interval that holds both; one that is not known does not count.
FaceInterval together(const FaceInterval& a, const FaceInterval& b);

}  // namespace hyb
