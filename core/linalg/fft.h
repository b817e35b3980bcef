#pragma once
#include <complex>
#include <vector>

namespace hyb::linalg {

/// X_k = sum over n of x_n e^(-2 pi i k n / N), all N bins; fast where N has small prime factors. N >= 2.
std::vector<std::complex<double>> transform(const std::vector<std::complex<double>>& x);
/// The inverse of transform().
std::vector<std::complex<double>> inverseTransform(const std::vector<std::complex<double>>& bins);

/// The bins 0 to N/2 of real samples, N even and >= 2.
std::vector<std::complex<double>> halfTransform(const std::vector<double>& x);
/// The N real samples whose bins 0 to N/2 these are.
std::vector<double> inverseHalfTransform(const std::vector<std::complex<double>>& bins, std::size_t n);

}  // namespace hyb::linalg
