#include "core/linalg/fft.h"

#include <bit>
#include <unsupported/Eigen/FFT>

namespace hyb::linalg {

using Complex = std::complex<double>;

std::size_t fastLength(std::size_t least) {
  std::size_t best = std::bit_ceil(least);
  for (std::size_t five = 1; five < best; five *= 5)
    for (std::size_t three = five; three < best; three *= 3)
      for (std::size_t n = three; n < best; n *= 2)
        if (n >= least) best = n;
  return best;
}

struct Fft::Plan {
  Eigen::FFT<double> fft;
};

Fft::Fft() : plan_(std::make_unique<Plan>()) {}
Fft::~Fft() = default;
void Fft::forward(std::vector<Complex>& bins, const std::vector<Complex>& x) { plan_->fft.fwd(bins, x); }

std::vector<Complex> halfTransform(const std::vector<double>& x) {
  Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  std::vector<Complex> bins;
  fft.fwd(bins, x);
  return bins;
}

std::vector<double> inverseHalfTransform(const std::vector<Complex>& bins, std::size_t n) {
  Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  std::vector<double> x(n);
  fft.inv(x, bins, static_cast<Eigen::Index>(n));
  return x;
}

}  // namespace hyb::linalg
