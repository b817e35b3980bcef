#include "core/identification/local_response.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/linalg/dense.h"

namespace hyb {

using Complex = std::complex<double>;

namespace {

constexpr std::size_t kMostLocalLines = 400, kFewestBeside = 6, kMostBeside = 50;
constexpr std::size_t kWindows = 40;                               // this many of them are a wide band
constexpr int kUnknownsOfOne = 3, kUnknowns = 2 * kUnknownsOfOne;  // of two polynomials of second degree
constexpr double kOutsideRadius = 0.05;
constexpr double kRounding = 1e-8;  // of the response: no radius is smaller

/// Least squares of a window of lines by two polynomials, of the response and of the leakage.
struct LocalFit {
  bool sound = false;
  Complex response;     // at the line
  double spread = 0.0;  // variance of the response over that of a line of the output
  double left = 0.0;    // squares of the residual
  double whole = 0.0;   // the same without the input
};

/// The lines from `first` on; the response at line k.
LocalFit fitted(const RecordSpectra& spectra, std::size_t first, std::size_t count, std::size_t k, int degree) {
  const int terms = degree + 1;
  Eigen::MatrixXcd columns(static_cast<Eigen::Index>(count), 2 * terms);
  Eigen::VectorXcd output(columns.rows());
  const double reach_hz = spectra.frequency_hz[first + count - 1] - spectra.frequency_hz[first];
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double r = (spectra.frequency_hz[first + i] - spectra.frequency_hz[k]) / reach_hz;
    double power = 1.0;
    for (int j = 0; j < terms; ++j, power *= r) {
      columns(row, j) = power * spectra.input[first + i];
      columns(row, terms + j) = power;
    }
    output[row] = spectra.output[first + i];
  }
  LocalFit fit;
  // Columns of equal length; the length of the first is needed to read the response.
  const Eigen::VectorXd lengths = columns.colwise().norm().transpose();
  if (!(lengths[0] > 0.0)) return fit;
  columns = columns * lengths.cwiseInverse().asDiagonal();
  const Eigen::MatrixXcd normal = columns.adjoint() * columns;
  const linalg::ComplexLu factors(normal);
  const Eigen::VectorXcd found = factors.solve(columns.adjoint() * output);
  fit.spread = factors.solve(Eigen::MatrixXcd::Identity(columns.cols(), 1))(0, 0).real() / (lengths[0] * lengths[0]);
  const Eigen::MatrixXcd leak = columns.rightCols(terms);
  const linalg::ComplexLu alone(leak.adjoint() * leak);
  fit.left = (output - columns * found).squaredNorm();
  fit.whole = (output - leak * alone.solve(leak.adjoint() * output)).squaredNorm();
  fit.response = found[0] / lengths[0];
  fit.sound = found.allFinite() && fit.spread > 0.0;
  return fit;
}

}  // namespace

/// Lines with input: a line between the sines of a periodic signal has none.
std::vector<std::size_t> excitedLines(std::span<const double> input_power) {
  constexpr std::size_t kAround = 25;
  constexpr double kLeastPower = 1e-4;  // of the largest around it
  std::vector<std::size_t> kept;
  const std::size_t all = input_power.size();
  for (std::size_t k = 0; k < all; ++k) {
    double largest = 0.0;
    for (std::size_t i = k > kAround ? k - kAround : 0; i <= std::min(all - 1, k + kAround); ++i)
      largest = std::max(largest, input_power[i]);
    if (input_power[k] >= kLeastPower * largest) kept.push_back(k);
  }
  return kept;
}

MeasuredResponse localResponse(const RecordSpectra& given, double rate_hz, std::size_t rows) {
  std::vector<double> powers;
  for (const Complex input : given.input) powers.push_back(std::norm(input));
  RecordSpectra spectra;
  for (const std::size_t k : excitedLines(powers)) {
    spectra.frequency_hz.push_back(given.frequency_hz[k]);
    spectra.input.push_back(given.input[k]);
    spectra.output.push_back(given.output[k]);
  }
  MeasuredResponse response;
  response.bin_hz = rate_hz / static_cast<double>(rows);
  response.segments = 1;
  const std::size_t all = spectra.frequency_hz.size();
  const std::size_t beside = std::clamp(all / (2 * kWindows), kFewestBeside, kMostBeside), count = 2 * beside + 1;
  if (all < count) return response;
  const double freedom = static_cast<double>(count) - kUnknowns;
  response.averages = freedom + 1.0;
  const std::size_t stride = (all + kMostLocalLines - 1) / kMostLocalLines;
  response.lines_for_one = std::max(1.0, static_cast<double>(count) / static_cast<double>(kUnknownsOfOne * stride));
  const double scale = 2.0 / (static_cast<double>(rows) * static_cast<double>(rows));  // to a mean square
  for (std::size_t k = 0; k < all; k += stride) {
    const std::size_t first = std::min(k > beside ? k - beside : 0, all - count);  // at the ends one-sided
    double power = 0.0;
    for (std::size_t i = first; i < first + count; ++i) power += std::norm(spectra.input[i]);
    const LocalFit fit = fitted(spectra, first, count, k, 2), finer = fitted(spectra, first, count, k, 4);
    if (!fit.sound) continue;
    ResponseLine line;
    line.frequency_hz = spectra.frequency_hz[k];
    line.h1 = fit.response;
    // Residual with and without the input: each by its own degrees of freedom, otherwise chance would look coherent.
    line.coherence = fit.whole > 0.0
                         ? std::clamp(1.0 - (fit.left / freedom) / (fit.whole / (freedom + kUnknownsOfOne)), 0.0, 1.0)
                         : 0.0;
    line.h2 = line.coherence > 0.0 ? line.h1 / line.coherence : Complex(std::numeric_limits<double>::infinity());
    const double variance = fit.left / freedom * fit.spread;  // of h1, both parts together
    line.random_error = std::sqrt(0.5 * variance) / std::abs(line.h1);
    // What a parabola does not describe is not random. The difference from polynomials of fourth degree over the same
    // lines is its size if those are exact; twice that also holds if they are only better by half.
    const double bent = finer.sound ? 2.0 * std::abs(finer.response - fit.response) : 0.0;
    line.radius = std::hypot(std::sqrt(variance * freedom * (std::pow(kOutsideRadius, -1.0 / freedom) - 1.0)), bent) +
                  kRounding * std::abs(line.h1);
    line.input_power = power / static_cast<double>(count) * scale;
    response.lines.push_back(line);
  }
  return response;
}

}  // namespace hyb
