#include "core/fidelity/face_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/checks.h"
#include "core/base/numbers.h"
#include "core/base/student.h"
#include "core/linalg/dense.h"

namespace hyb {
namespace {

constexpr std::size_t kFewestTests = 4;  // tests, from the source
constexpr double kSameShare = 5e-3;      // of the largest error: closer tests count as equal
constexpr int kHighest = 6;              // power
constexpr int kLooks = 200;              // evaluations of a curvature
constexpr double kFollows = 0.1;  // of the range of the quantity: largest accepted deviation of a curve from the points
constexpr double kLeastResidual = 1e-12;  // of the largest value: rounding below it

double toScale(FaceScale scale, double quantity) {
  return scale == FaceScale::decibel ? 20.0 * std::log10(quantity) : quantity;
}
double fromScale(FaceScale scale, double value) {
  return scale == FaceScale::decibel ? std::pow(10.0, value / 20.0) : value;
}

/// The polynomial or a derivative of it, over x = e / unit.
double polynomial(const FaceFit& fit, double x, int derivative) {
  double sum = 0.0;
  for (std::size_t i = 0; i < fit.powers.size(); ++i) {
    double factor = 1.0;
    for (int d = 0; d < derivative; ++d) factor *= fit.powers[i] - d;
    if (factor != 0.0)
      sum += factor * fit.coefficients[static_cast<Eigen::Index>(i)] * std::pow(x, fit.powers[i] - derivative);
  }
  return sum;
}

std::size_t differentErrors(std::span<const FacePoint> points) {
  std::vector<double> errors;
  for (const FacePoint& point : points) errors.push_back(point.error);
  std::sort(errors.begin(), errors.end());
  std::size_t count = 1;
  double last = errors.front();
  for (const double error : errors)
    if (error - last > kSameShare * errors.back()) {
      last = error;
      ++count;
    }
  return count;
}

double leastError(std::span<const FacePoint> points) {
  return std::min_element(points.begin(), points.end(), [](auto& a, auto& b) { return a.error < b.error; })->error;
}

std::string refusal(const FaceFit& fit, std::span<const FacePoint> points, const FaceRules& rules) {
  if (fit.powers.size() >= differentErrors(points))
    return "has as many coefficients as there are different errors: it would fit the noise.";
  if (rules.zero_slope && fit.powers.size() > 1 && fit.powers[1] == 1)
    return "does not end flat at error 0, as required.";
  double most = 0.0, up = 0.0, down = 0.0;
  for (int i = 0; i <= kLooks; ++i) {
    const double bend = polynomial(fit, static_cast<double>(i) / kLooks, 2);
    up = std::max(up, bend);
    down = std::max(down, -bend);
  }
  most = std::max(up, down);
  const double rounding = 1e-9 * std::max(1.0, fit.coefficients.cwiseAbs().maxCoeff());
  if (most > rounding && std::min(up, down) > 1e-6 * most) return "has a curvature that changes sign.";
  const double least = leastError(points);
  if (rules.flatter_at_zero && std::abs(fit.slope(0.0)) > (1.0 + 1e-9) * std::abs(fit.slope(least)))
    return "is steeper at error 0 than at the least error, which is not possible for magnitudes.";
  return {};
}

void requirePowers(const std::vector<int>& powers) {
  bool good = !powers.empty() && powers.front() == 0 && powers.back() <= kHighest;
  for (std::size_t i = 1; i < powers.size(); ++i) good = good && powers[i] > powers[i - 1];
  if (!good)
    throw InputError(
        "/powers",
        "must start with 0 and ascend up to 6, for example 0, 1, 2 for a parabola or 0, 2 for one that ends flat.");
}

bool positive(std::span<const FacePoint> points) {
  return std::all_of(points.begin(), points.end(), [](const FacePoint& p) { return p.quantity > 0.0; });
}

/// Rows of the least squares, each multiplied by the root of its weight.
struct Rows {
  Eigen::MatrixXd left;   // [points, powers]
  Eigen::VectorXd right;  // [points], in the scale's values
};
Rows rowsOf(std::span<const FacePoint> points, const FaceFit& fit) {
  const auto n = static_cast<Eigen::Index>(points.size()), k = static_cast<Eigen::Index>(fit.powers.size());
  Rows rows{Eigen::MatrixXd(n, k), Eigen::VectorXd(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const FacePoint& point = points[static_cast<std::size_t>(i)];
    const double root = std::sqrt(point.weight);
    rows.right[i] = root * toScale(fit.scale, point.quantity);
    for (Eigen::Index j = 0; j < k; ++j)
      rows.left(i, j) = root * std::pow(point.error / fit.unit, fit.powers[static_cast<std::size_t>(j)]);
  }
  return rows;
}

/// The least-squares curve, independent of the rules.
FaceFit fitted(std::span<const FacePoint> points, FaceScale scale, const std::vector<int>& powers) {
  FaceFit fit;
  fit.scale = scale;
  fit.powers = powers;
  fit.unit = 0.0;
  double weights = 0.0, most = 0.0;
  for (const FacePoint& point : points) {
    fit.unit = std::max(fit.unit, point.error);
    weights += point.weight;
    most = std::max(most, std::abs(toScale(scale, point.quantity)));
  }
  const Rows rows = rowsOf(points, fit);
  fit.coefficients = linalg::leastSquares(rows.left, rows.right);
  fit.residual = std::sqrt((rows.right - rows.left * fit.coefficients).squaredNorm() / weights);
  const double floor = kLeastResidual * std::max(1e-300, most);
  const double count = static_cast<double>(points.size()), free = static_cast<double>(powers.size()) + 1.0;  // scatter
  fit.score = count > free + 1.0 ? 2.0 * count * std::log(std::max(fit.residual, floor)) + 2.0 * free +
                                       2.0 * free * (free + 1.0) / (count - free - 1.0)
                                 : std::numeric_limits<double>::infinity();
  return fit;
}

}  // namespace

double FaceFit::at(double error) const { return fromScale(scale, polynomial(*this, error / unit, 0)); }

double FaceFit::slope(double error) const {
  const double slope = polynomial(*this, error / unit, 1) / unit;
  return scale == FaceScale::decibel ? at(error) * std::log(10.0) / 20.0 * slope : slope;
}

std::string FaceFit::words() const {
  std::string text;
  const auto degree = powers.empty() ? 0 : powers.back();
  if (static_cast<std::size_t>(degree) + 1 == powers.size()) {
    text = degree == 0 ? "constant" : "degree " + std::to_string(degree);
  } else {
    text = "powers";
    for (const int power : powers) text += (power == 0 ? " " : ", ") + std::to_string(power);
  }
  return scale == FaceScale::decibel ? text + " in dB" : text;
}

std::string faultOf(std::span<const FacePoint> points) {
  if (points.size() < kFewestTests)
    return "There are " + std::to_string(points.size()) + " tests to extrapolate from; at least 4 are needed.";
  for (const FacePoint& point : points) {
    if (!std::isfinite(point.error) || !std::isfinite(point.quantity) || !(point.weight > 0.0))
      return "A test has an error or a quantity that is not a number; exclude it.";
    if (point.error < 0.0) return "A test has an error below 0, which is not possible; exclude it.";
  }
  const std::size_t different = differentErrors(points);
  if (different < kFewestTests)
    return "The tests coincide: they have only " + std::to_string(different) +
           " different errors, at least 4 are needed; vary more.";
  return {};
}

FaceFit fitFace(std::span<const FacePoint> points, FaceScale scale, const std::vector<int>& powers,
                const FaceRules& rules) {
  if (const std::string fault = faultOf(points); !fault.empty()) throw InputError("/tests", fault);
  requirePowers(powers);
  if (scale == FaceScale::decibel && !positive(points))
    throw InputError("/scale", "is dB, but the quantity is not above 0 in all tests; choose the linear scale.");
  if (powers.size() > points.size()) throw InputError("/powers", "exceed the number of tests; use fewer.");
  FaceFit fit = fitted(points, scale, powers);
  fit.refused = refusal(fit, points, rules);
  return fit;
}

double refittedAtZero(std::span<const FacePoint> points, const FaceFit& curve) {
  if (points.empty() || differentErrors(points) <= curve.powers.size()) return kNoValue;
  return fitted(points, curve.scale, curve.powers).at(0.0);
}

std::pair<double, double> scatterAtZero(std::span<const FacePoint> points, const FaceFit& fit) {
  if (points.size() <= fit.powers.size()) return {kNoValue, kNoValue};
  const auto free = static_cast<double>(points.size() - fit.powers.size());
  const Rows rows = rowsOf(points, fit);
  const double squares = (rows.right - rows.left * fit.coefficients).squaredNorm();
  // At error 0 only the power 0 remains; its coefficient is weights . right, with the smallest such weights.
  const auto k = static_cast<Eigen::Index>(fit.powers.size());
  const Eigen::VectorXd weighed = linalg::leastNorm(rows.left.transpose(), Eigen::VectorXd::Unit(k, 0));
  const double half = studentQuantile(free, 0.975) * weighed.norm() * std::sqrt(squares / free);
  return {fromScale(fit.scale, fit.coefficients[0] - half), fromScale(fit.scale, fit.coefficients[0] + half)};
}

std::vector<FaceFit> faceFamily(std::span<const FacePoint> points, const FaceRules& rules) {
  static const std::vector<std::vector<int>> any = {{0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3}};
  static const std::vector<std::vector<int>> flat = {{0}, {0, 2}, {0, 2, 3}};
  std::vector<FaceFit> family;
  if (!faultOf(points).empty()) return family;
  for (const FaceScale scale : {FaceScale::linear, FaceScale::decibel}) {
    if (scale == FaceScale::decibel && !positive(points)) continue;
    for (const std::vector<int>& powers : rules.zero_slope ? flat : any)
      if (powers.size() < points.size()) family.push_back(fitFace(points, scale, powers, rules));
  }
  // In the quantity itself, so that both scales are comparable.
  const auto misses = [&](const FaceFit& fit) {
    double squares = 0.0;
    for (const FacePoint& point : points) squares += std::pow(fit.at(point.error) - point.quantity, 2);
    return std::sqrt(squares / static_cast<double>(points.size()));
  };
  double least = std::numeric_limits<double>::infinity();
  for (const FaceFit& fit : family) least = std::min(least, misses(fit));
  const auto [low, high] =
      std::minmax_element(points.begin(), points.end(), [](auto& a, auto& b) { return a.quantity < b.quantity; });
  const double range = high->quantity - low->quantity;
  for (FaceFit& fit : family)
    if (fit.admitted() && misses(fit) > std::max(kFollows * range, 2.0 * least))
      fit.refused = "does not fit the tests.";
  return family;
}

}  // namespace hyb
