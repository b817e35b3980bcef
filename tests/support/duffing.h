#pragma once
#include <cmath>
#include <complex>
#include <vector>

namespace hyb::test {

/// m x'' + c x' + k x + k3 x^3 = F cos w t with one harmonic, as the template `duffing-continuation` has it: closed
/// forms over the amplitude a, with s = k + 3/4 k3 a^2:
///   (s - m w^2)^2 + (c w)^2 = (F/a)^2.
struct Duffing {
  double m_kg = 5.0, c = 4.0, k = 1e4, k3 = 5e7, force_n = 1.2;
  static constexpr double kTurn = 2.0 * 3.14159265358979323846;

  std::complex<double> residual(double hz, std::complex<double> z) const {
    const double w = kTurn * hz;
    return (std::complex<double>(k + 0.75 * k3 * std::norm(z) - m_kg * w * w, c * w) * z - force_n) / force_n;
  }
  /// Frequencies of an amplitude: below (-1) and above (1) resonance; not a number: it is not reached.
  double frequency_hz(double a_m, int branch) const {
    const double s = k + 0.75 * k3 * a_m * a_m, f = force_n / a_m;
    const double b = c * c - 2.0 * m_kg * s, q = b * b - 4.0 * m_kg * m_kg * (s * s - f * f);
    return std::sqrt((-b + branch * std::sqrt(q)) / (2.0 * m_kg * m_kg)) / kTurn;
  }
  /// Force that is missing at a point, by amplitude alone, over that there is.
  double miss(double hz, double a_m) const {
    const double w = kTurn * hz, s = k + 0.75 * k3 * a_m * a_m;
    return std::abs(std::hypot(s - m_kg * w * w, c * w) * a_m / force_n - 1.0);
  }
  /// Where the frequency has an extremum over the amplitude, on the branch above resonance: the higher one first.
  std::vector<double> folds_hz() const {
    std::vector<double> folds;
    const double a_end = force_n / (c * kTurn * 6.0);
    double before = 0.0, last = 0.0;
    for (int n = 200000; n > 0; --n) {
      const double f = frequency_hz(a_end * n / 200000.0, 1);
      if (std::isnan(f)) continue;
      if (before > 0.0 && last > 0.0 && (last - before) * (f - last) < 0.0) folds.push_back(last);
      before = last;
      last = f;
    }
    return folds;
  }
  double resonance_hz(double a_m) const { return std::sqrt((k + 0.75 * k3 * a_m * a_m) / m_kg) / kTurn; }
};

}  // namespace hyb::test
