#include "core/campaign/design.h"

#include <algorithm>
#include <boost/random/sobol.hpp>
#include <numeric>
#include <random>
#include <vector>

#include "core/campaign/distribution.h"
#include "core/linalg/dense.h"

namespace hyb {
namespace {

using Eigen::Index;
using Engine = std::mt19937_64;

constexpr double kUnit = 0x1p-52;  // 52 digits and a half are a double below 1, 53 are not

/// Above 0 and below 1, the same on every platform.
double unit(Engine& engine) { return (static_cast<double>(engine() >> 12) + 0.5) * kUnit; }

/// Fisher and Yates, the same on every platform.
void shuffle(std::vector<double>& values, Engine& engine) {
  for (std::size_t left = values.size(); left > 1; --left)
    std::swap(values[left - 1], values[static_cast<std::size_t>(unit(engine) * static_cast<double>(left))]);
}

}  // namespace

Eigen::MatrixXd unitPoints(Design design, std::size_t count, std::size_t dimensions, std::uint64_t seed) {
  Engine engine(seed);
  const auto n = static_cast<Index>(count), d = static_cast<Index>(dimensions);
  Eigen::MatrixXd points(n, d);
  switch (design) {
    case Design::plain:
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < d; ++j) points(i, j) = unit(engine);
      break;
    case Design::latin_hypercube:
      for (Index j = 0; j < d; ++j) {
        std::vector<double> column(count);
        for (std::size_t i = 0; i < count; ++i)
          column[i] = (static_cast<double>(i) + unit(engine)) / static_cast<double>(count);
        shuffle(column, engine);
        points.col(j) = Eigen::Map<const Eigen::VectorXd>(column.data(), n);
      }
      break;
    case Design::sobol: {
      if (d == 0) break;
      boost::random::sobol sequence(dimensions);
      std::vector<std::uint64_t> shift(dimensions);
      for (std::uint64_t& digits : shift) digits = engine();
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < d; ++j) {
          // Boost leaves out the first point, 0, without which a power of two of points would not be balanced.
          const std::uint64_t digits = i == 0 ? 0 : sequence();
          points(i, j) = (static_cast<double>((digits ^ shift[static_cast<std::size_t>(j)]) >> 12) + 0.5) * kUnit;
        }
      break;
    }
  }
  return points;
}

bool correlate(Eigen::MatrixXd& points, const Eigen::MatrixXd& correlation) {
  const std::optional<Eigen::MatrixXd> factor = linalg::choleskyFactor(correlation);
  if (!factor) return false;
  points = points.unaryExpr(&normalQuantile) * factor->transpose();
  points = points.unaryExpr(&normalProbability).cwiseMax(kUnit).cwiseMin(1.0 - kUnit);
  return true;
}

}  // namespace hyb
