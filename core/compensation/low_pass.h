#pragma once
#include <array>

namespace hyb {

/// Butterworth low-pass of fourth order: bilinear, with the exact cut-off frequency (-3.01 dB). Real-time safe.
class LowPass {
 public:
  /// (b0 + b1 z^-1 + b2 z^-2) / (1 + a1 z^-1 + a2 z^-2).
  struct Section {
    double b0, b1, b2, a1, a2;
  };
  /// The cut-off must be below half of the rate.
  LowPass(double cutoff_hz, double step_s) noexcept;
  /// Sets the past to the constant `value`.
  void rest(double value) noexcept;
  double push(double value) noexcept;
  const std::array<Section, 2>& sections() const noexcept { return sections_; }

 private:
  std::array<Section, 2> sections_;
  std::array<std::array<double, 2>, 2> states_{};  // [section], transposed direct form II
};

}  // namespace hyb
