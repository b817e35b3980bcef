#pragma once
#include <array>
#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace hyb {

/// Discrete Fourier transform for records of one length: tables are computed once.
class Dft {
 public:
  explicit Dft(std::size_t samples);
  ~Dft();
  /// As dft(); `samples` of the length of construction. One thread at a time.
  std::vector<std::complex<double>> operator()(std::span<const double> samples);
  /// Of two records; for an odd length, in the time of one.
  std::array<std::vector<std::complex<double>>, 2> operator()(std::span<const double> a, std::span<const double> b);

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

/// Discrete Fourier transform X_k = sum over m of x_m e^(-2 pi i k m / n), unscaled; bins [n/2 + 1] from 0 Hz to
/// Nyquist. Any length, prime ones too, in O(n log n). Empty for no samples.
std::vector<std::complex<double>> dft(std::span<const double> samples);

}  // namespace hyb
