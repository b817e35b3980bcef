#pragma once
#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <string_view>

namespace hyb {

/// Where the samples of a campaign lie in the unit cube.
enum class Design : std::uint8_t {
  plain,            // independent random points
  latin_hypercube,  // one point in each of as many strata of each dimension (McKay, Beckman, Conover 1979)
  sobol,            // Sobol's sequence with a random digital shift (Joe and Kuo 2008)
};
inline constexpr std::array<std::string_view, 3> kDesignWords{"plain", "latin-hypercube", "sobol"};

/// Points of a design [count, dimensions], each number above 0 and below 1. The same seed gives the same points, and
/// those of another seed are independent.
Eigen::MatrixXd unitPoints(Design design, std::size_t count, std::size_t dimensions, std::uint64_t seed);

/// Points with the rank correlation of a Gaussian copula: u' = P(L Q(u)), P and Q the standard normal probability and
/// quantile, L L^T the correlation of the normal scores [dimensions, dimensions] (Nataf 1962). False, and the points
/// unchanged, if it is not positive definite.
bool correlate(Eigen::MatrixXd& points, const Eigen::MatrixXd& correlation);

}  // namespace hyb
