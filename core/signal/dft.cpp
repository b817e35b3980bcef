#include "core/signal/dft.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>

#include "core/base/numbers.h"
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

}  // namespace hyb
