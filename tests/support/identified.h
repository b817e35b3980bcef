#pragma once
#include <complex>
#include <random>
#include <vector>

#include "core/base/numbers.h"
#include "core/excitation/band_signal.h"
#include "core/identification/simulate.h"
#include "core/signal/cross_spectra.h"

namespace hyb::test {

inline constexpr double kRate_hz = 1000.0, kStep_s = 1.0 / kRate_hz;
inline constexpr double kPeriod_s = 4.0;
inline constexpr std::size_t kLength = 4000;  // rows of a period

/// Response of a model whose input is held over the tick, sampled at the ticks, in closed form: the sum over all
/// frequencies that look alike at the ticks.
inline std::complex<double> heldResponse(const TransferModel& model, double frequency_hz, double step_s) {
  using Complex = std::complex<double>;
  const double w = kTwoPi * frequency_hz;
  const Complex held = (1.0 - std::exp(Complex(0.0, -w * step_s))) / step_s;
  Complex sum;
  for (int k = -2000; k <= 2000; ++k) {
    const Complex s(0.0, w + kTwoPi * k / step_s);
    sum += model.at(s) * held / s;
  }
  return sum;
}

inline std::vector<double> sampled(const MultiSineSpec& sum, double rate_hz, std::size_t rows) {
  const std::unique_ptr<Signal> signal = makeMultiSine(sum);
  std::vector<double> samples(rows);
  for (std::size_t k = 0; k < rows; ++k) samples[k] = signal->at(static_cast<double>(k) / rate_hz).value;
  return samples;
}

inline double rmsOf(const std::vector<double>& samples) {
  double squares = 0.0;
  for (const double value : samples) squares += value * value;
  return std::sqrt(squares / static_cast<double>(samples.size()));
}

/// White noise with this rms.
inline std::vector<double> noise(std::size_t rows, double rms, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0.0, rms);
  std::vector<double> samples(rows);
  for (double& value : samples) value = normal(random);
  return samples;
}

inline std::vector<double> plus(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] += b[k];
  return a;
}

/// x'' + 2 D w x' + w^2 x = w^2 u.
inline TransferModel secondOrderServo(double frequency_hz, double damping_ratio, double delay_s = 0.0) {
  const double w = kTwoPi * frequency_hz;
  return {{w * w}, {w * w, 2.0 * damping_ratio * w, 1.0}, delay_s};
}
/// The plant of Araya 2023, table 4.7, as published.
inline TransferModel publishedPlant() {
  return {{4497368.10731}, {4561059.49118, 100683.58198970, 422.185912504, 1.0}, 0.0};
}

}  // namespace hyb::test
