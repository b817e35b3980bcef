#include "core/fidelity/spectrum.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/fidelity/minimum.h"
#include "core/fidelity/record.h"
#include "core/linalg/fft.h"
#include "core/numbers.h"

namespace hyb {

namespace {

using Complex = std::complex<double>;
constexpr std::size_t kLargestFactor = 64;  // above it a prime costs more than the detour over a power of two

std::size_t largestPrimeFactor(std::size_t n) {
  std::size_t factor = 1;
  for (std::size_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) factor = p;
  return std::max(factor, n);
}

/// Bluestein: k m = (k^2 + m^2 - (k - m)^2) / 2 turns the transform into a convolution, of any padded length.
std::vector<Complex> chirpTransform(const std::vector<Complex>& x) {
  const std::size_t n = x.size();
  std::size_t padded = 1;
  while (padded < 2 * n) padded *= 2;
  std::vector<Complex> chirp(n), a(padded), b(padded);
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint64_t square = static_cast<std::uint64_t>(k) * k % (2 * n);  // keeps the angle small and exact
    chirp[k] = std::polar(1.0, -kPi * static_cast<double>(square) / static_cast<double>(n));
    a[k] = x[k] * chirp[k];
    b[k] = std::conj(chirp[k]);
    if (k > 0) b[padded - k] = b[k];
  }
  std::vector<Complex> a_hat = linalg::transform(a);
  const std::vector<Complex> b_hat = linalg::transform(b);
  for (std::size_t k = 0; k < padded; ++k) a_hat[k] *= b_hat[k];
  std::vector<Complex> product = linalg::inverseTransform(a_hat);
  for (std::size_t k = 0; k < n; ++k) product[k] *= chirp[k];
  return product;
}

/// Mean square that the best constant and sine leave over.
double residual(std::span<const double> samples, double angle_per_sample) {
  const double middle = 0.5 * static_cast<double>(samples.size() - 1);
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
  double squares = 0.0;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const double angle = angle_per_sample * (static_cast<double>(k) - middle), value = samples[k] - samples[0];
    const Eigen::Vector3d base(1.0, std::cos(angle), std::sin(angle));
    normal.noalias() += base * base.transpose();
    right += value * base;
    squares += value * value;
  }
  return squares - right.dot(normal.ldlt().solve(right));
}

}  // namespace

std::vector<Complex> dft(std::span<const double> samples) {
  const std::vector<Complex> x(samples.begin(), samples.end());
  if (x.size() < 2) return x;  // Eigen's transform starts at two
  std::vector<Complex> bins = largestPrimeFactor(x.size()) > kLargestFactor ? chirpTransform(x) : linalg::transform(x);
  bins.resize(samples.size() / 2 + 1);
  return bins;
}

AmplitudeSpectrum amplitudeSpectrum(std::span<const double> samples, double step_s) {
  if (!readable(samples) || !(step_s > 0.0)) return {};
  const auto count = static_cast<double>(samples.size());
  AmplitudeSpectrum spectrum;
  spectrum.bin_hz = 1.0 / (count * step_s);
  for (const Complex& bin : dft(samples)) spectrum.amplitude.push_back(2.0 / count * std::abs(bin));
  return spectrum;
}

std::size_t AmplitudeSpectrum::lobeEnd() const {
  std::size_t k = 0;
  while (k + 1 < amplitude.size() && amplitude[k + 1] <= amplitude[k]) ++k;
  return std::max<std::size_t>(k, 1);
}

std::vector<SpectralPeak> peaks(const AmplitudeSpectrum& spectrum, double least_share) {
  const std::vector<double>& a = spectrum.amplitude;
  if (a.size() < 3) return {};
  const double noise = 1e-13 * *std::max_element(a.begin(), a.end());  // rounding of a constant is no motion
  std::vector<SpectralPeak> found;
  double highest = 0.0;
  for (std::size_t k = spectrum.lobeEnd(); k + 1 < a.size(); ++k) {
    const bool top = a[k] > a[k - 1] && a[k] >= a[k + 1];
    if (!top || !(a[k] > noise)) continue;
    found.push_back({k, spectrum.frequency_hz(k), a[k]});
    highest = std::max(highest, a[k]);
  }
  std::erase_if(found, [&](const SpectralPeak& peak) { return peak.amplitude < least_share * highest; });
  return found;
}

std::optional<SpectralPeak> dominantPeak(const AmplitudeSpectrum& spectrum) {
  const std::vector<SpectralPeak> highest = peaks(spectrum, 1.0);
  if (highest.empty()) return std::nullopt;
  return highest.front();
}

std::optional<double> dominantFrequency_hz(std::span<const double> samples, double step_s) {
  const std::optional<SpectralPeak> peak = dominantPeak(amplitudeSpectrum(samples, step_s));
  if (!peak) return std::nullopt;
  // Over the main lobe: one bin to either side, and never down to the constant.
  const double bin = 2.0 * kPi / static_cast<double>(samples.size()), centre = bin * static_cast<double>(peak->bin);
  const double low = std::max(centre - bin, 0.5 * bin), high = std::min(centre + bin, kPi);
  return minimumOf([&](double angle) { return residual(samples, angle); }, low, high).first / (2.0 * kPi * step_s);
}

}  // namespace hyb
