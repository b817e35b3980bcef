#include "core/identification/local_response.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/linalg/dense.h"

namespace hyb {

using Complex = std::complex<double>;

namespace {

constexpr std::size_t kMostLocalLines = 400, kFewestBeside = 6, kMostBeside = 50;
constexpr std::size_t kWindows = 40;  // this many of them are a wide band
constexpr int kUnknowns = 6;          // of two polynomials of second degree
constexpr double kOutsideRadius = 0.05;

/// Removes the lines without input: those between the sines of a periodic signal.
RecordSpectra excited(const RecordSpectra& spectra) {
  constexpr std::size_t kAround = 25;
  constexpr double kLeastPower = 1e-4;  // of the largest around it
  RecordSpectra kept;
  const std::size_t all = spectra.frequency_hz.size();
  for (std::size_t k = 0; k < all; ++k) {
    double largest = 0.0;
    for (std::size_t i = k > kAround ? k - kAround : 0; i <= std::min(all - 1, k + kAround); ++i)
      largest = std::max(largest, std::norm(spectra.input[i]));
    if (!(std::norm(spectra.input[k]) >= kLeastPower * largest)) continue;
    kept.frequency_hz.push_back(spectra.frequency_hz[k]);
    kept.input.push_back(spectra.input[k]);
    kept.output.push_back(spectra.output[k]);
  }
  return kept;
}

}  // namespace

MeasuredResponse localResponse(const RecordSpectra& given, double rate_hz, std::size_t rows) {
  const RecordSpectra spectra = excited(given);
  MeasuredResponse response;
  response.bin_hz = rate_hz / static_cast<double>(rows);
  response.segments = 1;
  const std::size_t all = spectra.frequency_hz.size();
  const std::size_t beside = std::clamp(all / (2 * kWindows), kFewestBeside, kMostBeside), count = 2 * beside + 1;
  if (all < count) return response;
  const double freedom = static_cast<double>(count) - kUnknowns;
  response.averages = freedom + 1.0;
  const std::size_t stride = (all + kMostLocalLines - 1) / kMostLocalLines;
  response.lines_for_one = std::max(1.0, static_cast<double>(count) / static_cast<double>(kUnknowns / 2 * stride));
  const double scale = 2.0 / (static_cast<double>(rows) * static_cast<double>(rows));  // to a mean square
  for (std::size_t k = 0; k < all; k += stride) {
    const std::size_t first = std::min(k > beside ? k - beside : 0, all - count);  // at the ends one-sided
    Eigen::MatrixXcd columns(static_cast<Eigen::Index>(count), kUnknowns);
    Eigen::VectorXcd output(columns.rows());
    const double reach_hz = spectra.frequency_hz[first + count - 1] - spectra.frequency_hz[first];
    double power = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      const double r = (spectra.frequency_hz[first + i] - spectra.frequency_hz[k]) / reach_hz;
      const Complex u = spectra.input[first + i];
      columns.row(row) << u, u * r, u * r * r, 1.0, r, r * r;
      output[row] = spectra.output[first + i];
      power += std::norm(u);
    }
    if (!(power > 0.0)) continue;
    // Columns of equal length; the length of the first is needed to read the response.
    Eigen::VectorXd lengths = columns.colwise().norm().transpose();
    columns = columns * lengths.cwiseInverse().asDiagonal();
    const Eigen::MatrixXcd normal = columns.adjoint() * columns;
    const linalg::ComplexLu factors(normal);
    const Eigen::VectorXcd found = factors.solve(columns.adjoint() * output);
    const Complex spread = factors.solve(Eigen::MatrixXcd::Identity(kUnknowns, 1))(0, 0);
    // Residual with and without the input: each by its own degrees of freedom, otherwise chance would look coherent.
    const Eigen::MatrixXcd leak = columns.rightCols(kUnknowns / 2);
    const linalg::ComplexLu alone(leak.adjoint() * leak);
    const double left = (output - columns * found).squaredNorm(),
                 whole = (output - leak * alone.solve(leak.adjoint() * output)).squaredNorm();
    if (!found.allFinite() || !(spread.real() > 0.0)) continue;
    ResponseLine line;
    line.frequency_hz = spectra.frequency_hz[k];
    line.h1 = found[0] / lengths[0];
    line.coherence =
        whole > 0.0 ? std::clamp(1.0 - (left / freedom) / (whole / (freedom + kUnknowns / 2)), 0.0, 1.0) : 0.0;
    line.h2 = line.coherence > 0.0 ? line.h1 / line.coherence : Complex(std::numeric_limits<double>::infinity());
    const double variance = left / freedom * spread.real() / (lengths[0] * lengths[0]);  // of h1, both parts together
    line.random_error = std::sqrt(0.5 * variance) / std::abs(line.h1);
    line.radius = std::sqrt(variance * freedom * (std::pow(kOutsideRadius, -1.0 / freedom) - 1.0));
    line.input_power = power / static_cast<double>(count) * scale;
    response.lines.push_back(line);
  }
  return response;
}

}  // namespace hyb
