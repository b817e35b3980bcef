#include "core/fidelity/face_model.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/numbers.h"
#include "core/base/student.h"
#include "core/fidelity/decaying_sine.h"
#include "core/fidelity/record.h"
#include "core/fidelity/resample.h"
#include "core/linalg/dense.h"
#include "core/linalg/eigen.h"
#include "core/signal/dft.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::Vector4d;

constexpr std::size_t kFewestModelTests = 4, kFewestPoleSamples = 12;
constexpr double kLeastExplainedTarget = 0.9;  // share of the target's variance explained by one decaying sine
constexpr Index kStates = 4;                   // coefficients of the polynomial of the first and last states
constexpr Index kFewestLines = 10;
constexpr double kBand = 3.0;          // times the frequency of the swing: lines that count
constexpr double kDecayed = 10.0;      // e-folds after which a swing is over
constexpr double kOmitted = 1e-6;      // share of the quantity for the omitted terms of that polynomial
constexpr double kDoubted = 0.99;      // a test of the noise fails by chance in one of a hundred campaigns
constexpr double kLeastChange = 1e-6;  // of the specimen, for slopes of the quantity: below it they are rounding

/// Columns minus what `others` explain of them.
MatrixXd without(const MatrixXd& others, const MatrixXd& columns) {
  return columns - others * linalg::leastSquares(others, columns);
}

/// [1, k, c, m] of a specimen.
Vector4d valuesOf(const Vector3d& specimen) {
  Vector4d values;
  values << 1.0, specimen;
  return values;
}

/// Covariance of sum values.
Matrix3d noiseOf(const FaceEquations& test, const Vector4d& values) {
  Matrix3d noise = Matrix3d::Zero();
  for (Index p = 0; p < 4; ++p)
    for (Index q = 0; q < 4; ++q) noise += values[p] * values[q] * test.products.block<3, 3>(3 * p, 3 * q);
  return noise;
}

/// Von Neumann's ratio of the residuals: 2 if they are random from line to line, less for a pattern.
double successive(const FaceEquations& test, const Vector4d& values) {
  return values.dot(test.steps * values) / values.dot(test.squares * values);
}

/// The tests together, in units that give the three columns equal size.
struct Sum {
  Vector3d unit;
  Matrix3d inverse;  // of the columns
  Vector3d specimen;
  Matrix3d covariance;
  double lines = 0.0;
  Vector4d values() const { return valuesOf(unit.cwiseProduct(specimen)); }
};
/// The specimen alone, without covariance.
std::optional<Sum> solved(std::span<const FaceEquations> tests, Eigen::Matrix<double, 3, 4> FaceEquations::*equations) {
  Eigen::Matrix<double, 3, 4> all = Eigen::Matrix<double, 3, 4>::Zero();
  for (const FaceEquations& test : tests) all += test.*equations;
  Sum sum;
  sum.unit = all.rightCols<3>().diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
  if (!sum.unit.allFinite()) return std::nullopt;
  sum.inverse = linalg::inverse(sum.unit.asDiagonal() * all.rightCols<3>() * sum.unit.asDiagonal());
  sum.specimen = -sum.inverse * sum.unit.cwiseProduct(all.col(0));
  return sum.specimen.allFinite() ? std::optional(sum) : std::nullopt;
}
std::optional<Sum> sumOf(std::span<const FaceEquations> tests) {
  std::optional<Sum> sum = solved(tests, &FaceEquations::sum);
  if (!sum) return std::nullopt;
  Matrix3d noise = Matrix3d::Zero();
  for (const FaceEquations& test : tests) {
    noise += noiseOf(test, sum->values());
    sum->lines += test.lines;
  }
  noise = sum->unit.asDiagonal() * noise * sum->unit.asDiagonal();
  // The three values fit part of the noise on the lines that count.
  const double numbers = 2.0 * sum->lines;
  sum->covariance = numbers / (numbers - 3.0) * sum->inverse * noise * sum->inverse.transpose();
  return sum;
}

FaceSpecimen specimenOf(const Sum& sum, const Vector3d& scaled) {
  const Vector3d values = sum.unit.cwiseProduct(scaled);
  return {values[0], values[1], values[2]};
}

/// Effect of the noise on the quantity.
struct Spread {
  double deviation = kNoValue;  // standard deviation by the noise in the equations
  double bend = 0.0;            // change of the mean by the curvature of the quantity
  Vector3d slope;               // of the quantity over the scaled specimen
};
Spread spreadOf(const Sum& sum, double value, const std::function<double(const FaceSpecimen&)>& quantity) {
  const linalg::SymmetricModes axes = linalg::symmetricModes(sum.covariance);
  Spread spread{0.0, 0.0, Vector3d::Zero()};
  for (Index j = 0; j < 3; ++j) {
    const double noise = std::sqrt(std::max(0.0, axes.values[j])),
                 change = std::max(noise, kLeastChange * sum.specimen.norm());
    const Vector3d along = axes.vectors.col(j);
    const double above = quantity(specimenOf(sum, sum.specimen + change * along)),
                 below = quantity(specimenOf(sum, sum.specimen - change * along));
    const double slope = (above - below) / (2.0 * change);
    spread.slope += slope * along;
    spread.deviation += std::pow(slope * noise, 2);
    if (noise == change) spread.bend += 0.5 * (above + below) - value;
  }
  spread.deviation = std::sqrt(spread.deviation);
  return spread;
}

/// True if the residuals of the tests have a pattern from line to line, by more than chance: the mean of von Neumann's
/// ratios over the tests is below 2 (Student's t).
bool patternLeft(std::span<const FaceEquations> tests, const Sum& sum) {
  const auto n = static_cast<double>(tests.size());
  double mean = 0.0, squares = 0.0;
  for (const FaceEquations& test : tests) mean += successive(test, sum.values()) / n;
  for (const FaceEquations& test : tests) squares += std::pow(successive(test, sum.values()) - mean, 2);
  return !(2.0 - mean <= studentQuantile(n - 1.0, kDoubted) * std::sqrt(squares / (n * (n - 1.0))));
}

/// Squares of the contributions of the tests to the deviation of the quantity, over what their noise lets expect, and
/// whether that is more than chance (Fisher's F, degrees of freedom after Satterthwaite).
struct Between {
  double ratio = 0.0;
  bool differ = false;
};
Between betweenTests(std::span<const FaceEquations> tests, const Sum& sum, const Vector3d& slope) {
  const Vector3d weights = sum.unit.cwiseProduct(sum.inverse.transpose() * slope);
  double squares = 0.0, expected = 0.0, fourth = 0.0;
  for (const FaceEquations& test : tests) {
    squares += std::pow(weights.dot(test.sum * sum.values()), 2);
    const double noise = weights.dot(noiseOf(test, sum.values()) * weights);
    expected += noise;
    fourth += noise * noise;
  }
  const auto n = static_cast<double>(tests.size());
  Between between{squares / expected * n / (n - 1.0), false};
  between.differ =
      !(between.ratio <= fisherQuantile(expected * expected / fourth * (n - 1.0) / n, sum.lines, kDoubted));
  return between;
}

/// Calls each() with every element of a symmetric matrix once.
template <typename Matrix, typename Each>
void eachOnce(Matrix& matrix, const Each& each) {
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j <= i; ++j) each(matrix, i, j);
}

}  // namespace

std::optional<FreeSwing> freeSwing(std::span<const double> target, double step_s) {
  if (!readable(target, kFewestPoleSamples)) return std::nullopt;
  const std::optional<std::size_t> settled = settledFrom(target, step_s);
  if (!settled) return std::nullopt;
  const std::optional<DecayingSine> sine = fitDecayingSine(target.subspan(*settled), step_s);
  if (!sine || sine->explained < kLeastExplainedTarget) return std::nullopt;
  const Complex pole(-sine->decay_per_s, kTwoPi * sine->frequency_hz);
  const Complex there = std::polar(sine->amplitude, sine->phase_deg * kPi / 180.0);
  return FreeSwing{pole, there * std::exp(-pole * (step_s * static_cast<double>(*settled)))};
}

std::array<double, FaceEquations::kNumbers> FaceEquations::numbers() const {
  std::array<double, kNumbers> list{};
  auto at = std::copy(sum.data(), sum.data() + sum.size(), list.begin());
  at = std::copy(fewer.data(), fewer.data() + fewer.size(), at);
  const auto put = [&](const auto& matrix, Index i, Index j) { *at++ = matrix(i, j); };
  eachOnce(products, put);
  eachOnce(squares, put);
  eachOnce(steps, put);
  *at = lines;
  return list;
}

std::optional<FaceEquations> FaceEquations::of(std::span<const double> numbers) {
  if (numbers.size() != kNumbers || !readable(numbers)) return std::nullopt;
  FaceEquations test;
  std::copy_n(numbers.begin(), test.sum.size(), test.sum.data());
  std::copy_n(numbers.begin() + test.sum.size(), test.fewer.size(), test.fewer.data());
  auto at = numbers.begin() + test.sum.size() + test.fewer.size();
  const auto take = [&](auto& matrix, Index i, Index j) { matrix(i, j) = matrix(j, i) = *at++; };
  eachOnce(test.products, take);
  eachOnce(test.squares, take);
  eachOnce(test.steps, take);
  test.lines = *at;
  return test;
}

std::optional<FaceEquations> faceEquations(const FreeSwing& swing, std::span<const double> measured,
                                           std::span<const double> force, double step_s, const RatesAt& rates) {
  if (!comparable(measured, force, 2)) return std::nullopt;
  const double over = kDecayed / (std::abs(swing.pole.real()) * step_s);  // rows
  if (over < static_cast<double>(measured.size())) {
    measured = measured.first(static_cast<std::size_t>(over));
    force = force.first(measured.size());
  }
  const double step = kTwoPi / static_cast<double>(measured.size());
  const auto lines = static_cast<Index>(std::min(kBand * swing.pole.imag() * step_s, kPi / 2.0) / step);
  if (lines < kFewestLines) return std::nullopt;
  std::vector<double> instrument;
  for (std::size_t k = 0; k < measured.size(); ++k)
    instrument.push_back((swing.amplitude * std::exp(swing.pole * (step_s * static_cast<double>(k)))).real());
  Dft transform(measured.size());
  const std::vector<Complex> z = transform(instrument), x = transform(measured), f = transform(force);
  MatrixXd columns(2 * lines, 4), instruments(2 * lines, 3), states(2 * lines, kStates);
  for (Index n = 0; n < lines; ++n) {
    const auto line = static_cast<std::size_t>(n + 1);
    const double angle = step * static_cast<double>(line), of_swing = angle / (swing.pole.imag() * step_s);
    const double weight = 1.0 / std::sqrt(1.0 + std::pow(of_swing, 4));
    const auto put = [&](MatrixXd& matrix, Index column, Complex value) {
      matrix(2 * n, column) = weight * value.real();
      matrix(2 * n + 1, column) = weight * value.imag();
    };
    const MotionRates of = rates(angle);
    const Complex motions[3] = {1.0, of.velocity, of.acceleration};
    put(columns, 0, f[line]);
    for (Index j = 0; j < 3; ++j) {
      put(columns, j + 1, motions[j] * x[line]);
      put(instruments, j, motions[j] * z[line]);
    }
    Complex power = 1.0;
    for (Index j = 0; j < kStates; ++j, power *= Complex(0.0, of_swing / kBand)) put(states, j, power);
  }
  FaceEquations test;
  test.fewer = instruments.transpose() * without(states.leftCols(kStates - 1), columns);
  columns = without(states, columns);
  instruments = without(states, instruments);
  test.sum = instruments.transpose() * columns;
  const MatrixXd to_states = linalg::pseudoInverse(states);
  test.products.setZero();
  test.steps.setZero();
  test.squares = columns.transpose() * columns;
  double once = 0.0, twice = 0.0;
  for (Index n = 0; n < lines; ++n) {
    const Eigen::Matrix<double, 2, 4> line = columns.middleRows<2>(2 * n);
    const Eigen::Matrix<double, 2, 3> of_line = instruments.middleRows<2>(2 * n);
    const Eigen::Matrix<double, 3, 4> share = of_line.transpose() * line;
    // The states fit part of the noise of a line, its leverage (HC2, MacKinnon and White 1985).
    const double leverage = 0.5 * (states.middleRows<2>(2 * n) * to_states.middleCols<2>(2 * n)).trace();
    test.products += share.reshaped() * share.reshaped().transpose() / (1.0 - leverage);
    once += of_line.col(0).squaredNorm();
    twice += std::pow(of_line.col(0).squaredNorm(), 2);
    if (n == 0) continue;
    const Eigen::Matrix<double, 2, 4> change = line - columns.middleRows<2>(2 * n - 2);
    test.steps += static_cast<double>(lines) / static_cast<double>(lines - 1) * change.transpose() * change;
  }
  test.lines = once * once / twice;
  return readable(test.numbers()) ? std::optional(test) : std::nullopt;
}

std::optional<FaceSpecimen> identifySpecimen(std::span<const FaceEquations> tests) {
  const std::optional<Sum> sum = solved(tests, &FaceEquations::sum);
  return sum ? std::optional(specimenOf(*sum, sum->specimen)) : std::nullopt;
}

FacePrediction modelPrediction(std::span<const FaceEquations> tests,
                               const std::function<double(const FaceSpecimen&)>& quantity,
                               const FaceSettings& settings) {
  FacePrediction prediction;
  if (tests.size() < kFewestModelTests) {
    prediction.why_not =
        "Only " + std::to_string(tests.size()) + " tests oscillate freely in one mode; the model needs at least 4.";
    return prediction;
  }
  const std::optional<Sum> sum = sumOf(tests);
  if (sum) prediction.value = quantity(specimenOf(*sum, sum->specimen));
  if (!std::isfinite(prediction.value)) {
    prediction.why_not = "The tests fit no oscillating structure; vary the error more, or use longer records.";
    return prediction;
  }
  prediction.carried = true;
  if (settings.reference)
    prediction.error_percent = 100.0 * std::abs(prediction.value - *settings.reference) / std::abs(*settings.reference);
  const Spread spread = spreadOf(*sum, prediction.value, quantity);
  if (!std::isfinite(spread.deviation)) {
    prediction.interval = prediction.spread = {prediction.value, prediction.value};
    prediction.range_because = "within their noise the tests also fit structures that do not oscillate";
    return prediction;
  }
  const Between between = betweenTests(tests, *sum, spread.slope);
  const auto within = [&](double times) {
    const double half = times * studentQuantile(sum->lines, 0.5 + 0.5 * kFaceLevel) * spread.deviation +
                        std::abs(spread.bend) + kOmitted * std::abs(prediction.value);
    return FaceInterval{prediction.value - half, prediction.value + half};
  };
  prediction.scatter = prediction.interval = within(1.0);
  if (patternLeft(tests, *sum))
    prediction.range_because =
        "the rows deviate from one mass, spring and damper systematically and not by chance (very little noise, or "
        "another specimen), so no confidence level can be derived";
  else if (between.differ)
    prediction.range_because =
        "the tests differ from one another by more than their noise, so no confidence level can be derived";
  else
    prediction.level = kFaceLevel;
  if (prediction.level) return prediction;
  for (std::size_t first = 0; first + kFewestModelTests <= tests.size(); ++first) {
    const std::optional<FaceSpecimen> some = identifySpecimen(tests.subspan(first, kFewestModelTests));
    if (const double alone = some ? quantity(*some) : kNoValue; std::isfinite(alone))
      prediction.spread = together(prediction.spread, {alone, alone});
  }
  const double half = prediction.spread.known() ? std::max(prediction.value - prediction.spread.low,
                                                           prediction.spread.high - prediction.value)
                                                : 0.0;
  prediction.spread = {prediction.value - half, prediction.value + half};  // a bias has a side, the range has both
  prediction.interval = together(within(std::sqrt(std::max(1.0, between.ratio))), prediction.spread);
  const std::optional<Sum> fewer = solved(tests, &FaceEquations::fewer);
  if (const double other = fewer ? quantity(specimenOf(*fewer, fewer->specimen)) : kNoValue; std::isfinite(other)) {
    const double omitted = std::abs(other - prediction.value);
    prediction.interval = {prediction.interval.low - omitted, prediction.interval.high + omitted};
  }
  return prediction;
}

}  // namespace hyb
