#include "core/fidelity/spectrum.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "core/base/minimum.h"
#include "core/base/numbers.h"
#include "core/fidelity/harmonic_fit.h"
#include "core/fidelity/record.h"
#include "core/linalg/fft.h"

namespace hyb {

namespace {

using Complex = std::complex<double>;
constexpr std::size_t kLargestFactor = 64;  // above it a prime costs more than a padded power of two

std::size_t largestPrimeFactor(std::size_t n) {
  std::size_t factor = 1;
  for (std::size_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) factor = p;
  return std::max(factor, n);
}

/// Plain multiplication: std::complex checks for infinities first, which costs more than the transform.
Complex times(const Complex& a, const Complex& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

/// Transform of n complex numbers, n of any size. Needs linkage, because Dft::Plan has a member of it.
class ComplexTransform {
 public:
  explicit ComplexTransform(std::size_t n) : n_(n) {
    if (n < 2 || largestPrimeFactor(n) <= kLargestFactor) return;
    // Bluestein: k m = (k^2 + m^2 - (k - m)^2) / 2 turns the transform into a convolution, of any padded length.
    const std::size_t padded = linalg::fastLength(2 * n - 1);
    chirp_.resize(n);
    std::vector<Complex> conjugate(padded);
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint64_t square = static_cast<std::uint64_t>(k) * k % (2 * n);  // keeps the angle small and exact
      chirp_[k] = std::polar(1.0, -kPi * static_cast<double>(square) / static_cast<double>(n));
      conjugate[k] = std::conj(chirp_[k]);
      if (k > 0) conjugate[padded - k] = conjugate[k];
    }
    fft_.forward(kernel_, conjugate);
  }

  void operator()(std::vector<Complex>& x) {
    if (n_ < 2) return;  // Eigen's transform starts at two
    if (chirp_.empty()) {
      fft_.forward(work_, x);
      x.swap(work_);
      return;
    }
    padded_.assign(kernel_.size(), Complex());
    for (std::size_t k = 0; k < n_; ++k) padded_[k] = times(x[k], chirp_[k]);
    fft_.forward(work_, padded_);
    // The inverse as a forward transform of the conjugate: one table of roots for both.
    for (std::size_t k = 0; k < work_.size(); ++k) work_[k] = std::conj(times(work_[k], kernel_[k]));
    fft_.forward(padded_, work_);
    const double scale = 1.0 / static_cast<double>(kernel_.size());
    for (std::size_t k = 0; k < n_; ++k) x[k] = scale * times(std::conj(padded_[k]), chirp_[k]);
  }

 private:
  std::size_t n_;
  std::vector<Complex> chirp_, kernel_, padded_, work_;  // chirp empty: n is transformed directly
  linalg::Fft fft_;
};

namespace {

/// Mean square of the residual of the best constant and sine.
double residual(std::span<const double> samples, double angle_per_sample) {
  const HarmonicSums sums = harmonicSums(samples, angle_per_sample);
  return sums.squares - sums.right.dot(sums.normal.ldlt().solve(sums.right));
}

}  // namespace

struct Dft::Plan {
  explicit Plan(std::size_t length)
      : samples(length), transform(halved(length) ? length / 2 : length), roots(halved(length) ? length / 2 : 0) {
    for (std::size_t k = 0; k < roots.size(); ++k)
      roots[k] = std::polar(1.0, -2.0 * kPi * static_cast<double>(k) / static_cast<double>(length));
  }
  /// An even number of real samples is transformed as half as many complex numbers.
  static bool halved(std::size_t length) { return length >= 4 && length % 2 == 0; }
  std::size_t samples;
  ComplexTransform transform;
  std::vector<Complex> roots;
};

Dft::Dft(std::size_t samples) : plan_(std::make_unique<Plan>(samples)) {}
Dft::~Dft() = default;

std::vector<Complex> Dft::operator()(std::span<const double> samples) {
  assert(samples.size() == plan_->samples);
  if (samples.empty()) return {};
  const std::size_t n = samples.size();
  std::vector<Complex> bins;
  if (!Plan::halved(n)) {
    bins.assign(samples.begin(), samples.end());
    plan_->transform(bins);
    bins.resize(n / 2 + 1);
    return bins;
  }
  const std::size_t half = n / 2;
  std::vector<Complex> packed(half);
  for (std::size_t k = 0; k < half; ++k) packed[k] = {samples[2 * k], samples[2 * k + 1]};
  plan_->transform(packed);
  bins.resize(half + 1);
  bins[0] = packed[0].real() + packed[0].imag();
  bins[half] = packed[0].real() - packed[0].imag();
  for (std::size_t k = 1; k < half; ++k) {
    const Complex a = packed[k], b = std::conj(packed[half - k]);
    const Complex even = 0.5 * (a + b), odd(0.5 * (a.imag() - b.imag()), -0.5 * (a.real() - b.real()));
    bins[k] = even + times(odd, plan_->roots[k]);
  }
  return bins;
}

std::array<std::vector<Complex>, 2> Dft::operator()(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == plan_->samples && b.size() == plan_->samples);
  const std::size_t n = a.size();
  if (n < 2 || Plan::halved(n)) return {(*this)(a), (*this)(b)};
  std::vector<Complex> packed(n);
  for (std::size_t k = 0; k < n; ++k) packed[k] = {a[k], b[k]};
  plan_->transform(packed);
  std::array<std::vector<Complex>, 2> bins;
  for (std::size_t k = 0; k <= n / 2; ++k) {
    const Complex here = packed[k], there = std::conj(packed[k > 0 ? n - k : 0]);
    bins[0].push_back(0.5 * (here + there));
    bins[1].emplace_back(0.5 * (here.imag() - there.imag()), -0.5 * (here.real() - there.real()));
  }
  return bins;
}

std::vector<Complex> dft(std::span<const double> samples) { return Dft(samples.size())(samples); }

AmplitudeSpectrum amplitudeSpectrum(std::span<const Complex> bins, std::size_t samples, double step_s) {
  const auto count = static_cast<double>(samples);
  AmplitudeSpectrum spectrum;
  spectrum.bin_hz = 1.0 / (count * step_s);
  spectrum.amplitude.reserve(bins.size());
  for (const Complex& bin : bins)
    spectrum.amplitude.push_back(2.0 / count * std::sqrt(bin.real() * bin.real() + bin.imag() * bin.imag()));
  return spectrum;
}

AmplitudeSpectrum amplitudeSpectrum(std::span<const double> samples, double step_s) {
  if (!readable(samples) || !(step_s > 0.0)) return {};
  return amplitudeSpectrum(dft(samples), samples.size(), step_s);
}

std::size_t AmplitudeSpectrum::lobeEnd() const {
  std::size_t k = 0;
  while (k + 1 < amplitude.size() && amplitude[k + 1] <= amplitude[k]) ++k;
  return std::max<std::size_t>(k, 1);
}

std::vector<SpectralPeak> peaks(const AmplitudeSpectrum& spectrum, double least_share) {
  const std::vector<double>& a = spectrum.amplitude;
  if (a.size() < 3) return {};
  const double noise = 1e-13 * *std::max_element(a.begin(), a.end());  // rounding of a constant is not a motion
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
  return dominantFrequency_hz(samples, step_s, *peak);
}

double dominantFrequency_hz(std::span<const double> samples, double step_s, const SpectralPeak& peak) {
  // Over the main lobe: one bin on either side, and never down to the constant.
  const double bin = 2.0 * kPi / static_cast<double>(samples.size()), centre = bin * static_cast<double>(peak.bin);
  const double low = std::max(centre - bin, 0.5 * bin), high = std::min(centre + bin, kPi);
  return minimumOf([&](double angle) { return residual(samples, angle); }, low, high).first / (2.0 * kPi * step_s);
}

}  // namespace hyb
