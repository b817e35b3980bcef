#include "core/signal/window.h"

#include <array>
#include <cassert>
#include <cmath>
#include <numeric>

#include "core/base/numbers.h"

namespace hyb {
namespace {

/// Coefficients a_m of the sum over m of (-1)^m a_m cos(2 pi m k / length).
std::span<const double> cosineTerms(SpectralWindow window) noexcept {
  static constexpr std::array kRectangular{1.0};
  static constexpr std::array kHann{0.5, 0.5}, kHamming{0.54, 0.46};
  static constexpr std::array kFlatTop{0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368};
  switch (window) {
    case SpectralWindow::hann:
      return kHann;
    case SpectralWindow::hamming:
      return kHamming;
    case SpectralWindow::flat_top:
      return kFlatTop;
    case SpectralWindow::none:
      break;
  }
  return kRectangular;
}

}  // namespace

SegmentWindow::SegmentWindow(SpectralWindow window, std::size_t length) : weights_(length) {
  const std::span<const double> terms = cosineTerms(window);
  for (std::size_t k = 0; k < length; ++k) {
    const double turn = kTwoPi * static_cast<double>(k) / static_cast<double>(length);
    double weight = terms[0];
    for (std::size_t m = 1; m < terms.size(); ++m)
      weight += (m % 2 == 0 ? terms[m] : -terms[m]) * std::cos(static_cast<double>(m) * turn);
    weights_[k] = weight;
  }
  for (const double w : weights_) {
    sum_ += w;
    energy_ += w * w;
  }
}

double SegmentWindow::noiseBandwidth_lines() const noexcept {
  return static_cast<double>(weights_.size()) * energy_ / (sum_ * sum_);
}

double SegmentWindow::equivalentAverages(std::size_t segments, std::size_t hop) const {
  const auto count = static_cast<double>(segments);
  double variance = 1.0;
  for (std::size_t j = 1; j * hop < weights_.size() && j < segments; ++j) {
    double shared = 0.0;
    for (std::size_t k = j * hop; k < weights_.size(); ++k) shared += weights_[k] * weights_[k - j * hop];
    variance += 2.0 * (1.0 - static_cast<double>(j) / count) * (shared / energy_) * (shared / energy_);
  }
  return count / variance;
}

bool SegmentWindow::apply(std::span<const double> from, Detrend detrend, std::span<double> to) const {
  assert(from.size() == weights_.size() && to.size() == weights_.size());
  const auto count = static_cast<double>(from.size());
  const double mean = std::accumulate(from.begin(), from.end(), 0.0) / count;
  if (!std::isfinite(mean)) return false;
  double slope = 0.0;  // per sample, about the middle
  const double middle = 0.5 * (count - 1.0);
  if (detrend == Detrend::line && from.size() > 1) {
    for (std::size_t k = 0; k < from.size(); ++k) slope += (static_cast<double>(k) - middle) * (from[k] - mean);
    slope *= 12.0 / (count * (count * count - 1.0));
  }
  const double level = detrend == Detrend::none ? 0.0 : mean;
  if (slope == 0.0)
    for (std::size_t k = 0; k < from.size(); ++k) to[k] = weights_[k] * (from[k] - level);
  else
    for (std::size_t k = 0; k < from.size(); ++k)
      to[k] = weights_[k] * (from[k] - level - slope * (static_cast<double>(k) - middle));
  return true;
}

}  // namespace hyb
