#pragma once
#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

namespace hyb::linalg {

/// Smallest length of at least `least` without prime factors above 5.
std::size_t fastLength(std::size_t least);

/// X_k = sum over n of x_n e^(-2 pi i k n / N), all N bins; fast for small prime factors of N. N >= 2. Keeps its table
/// of roots for further transforms of the same length.
class Fft {
 public:
  Fft();
  ~Fft();
  void forward(std::vector<std::complex<double>>& bins, const std::vector<std::complex<double>>& x);

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

/// The bins 0 to N/2 of real samples, N even and >= 2.
std::vector<std::complex<double>> halfTransform(const std::vector<double>& x);
/// The N real samples with these bins 0 to N/2.
std::vector<double> inverseHalfTransform(const std::vector<std::complex<double>>& bins, std::size_t n);

}  // namespace hyb::linalg
