#include "core/linalg/fft.h"

#include <unsupported/Eigen/FFT>

namespace hyb::linalg {

using Complex = std::complex<double>;

std::vector<Complex> transform(const std::vector<Complex>& x) {
  Eigen::FFT<double> fft;
  std::vector<Complex> bins;
  fft.fwd(bins, x);
  return bins;
}

std::vector<Complex> inverseTransform(const std::vector<Complex>& bins) {
  Eigen::FFT<double> fft;
  std::vector<Complex> x;
  fft.inv(x, bins);
  return x;
}

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
