#pragma once
#include <Eigen/Core>
#include <array>
#include <cmath>
#include <numbers>

// Parts of bare loops: the arithmetic of a test in fixed sizes, without a line of the product.

namespace hyb::bench {

/// Fourth order after Butterworth.
class BareLowPass {
 public:
  BareLowPass(double cutoff_hz, double step_s) {
    const double w = std::tan(std::numbers::pi * cutoff_hz * step_s);
    for (std::size_t n = 0; n < 2; ++n) {
      const double damping = 2.0 * std::cos((2.0 * static_cast<double>(n) + 1.0) * std::numbers::pi / 8.0);
      const double scale = 1.0 / (1.0 + damping * w + w * w);
      b_[n] = w * w * scale;
      a1_[n] = 2.0 * (w * w - 1.0) * scale;
      a2_[n] = (1.0 - damping * w + w * w) * scale;
    }
  }
  void rest(double value) {
    for (std::size_t n = 0; n < 2; ++n) {
      first_[n] = (1.0 - b_[n]) * value;
      second_[n] = (b_[n] - a2_[n]) * value;
    }
  }
  double push(double value) {
    for (std::size_t n = 0; n < 2; ++n) {
      const double out = b_[n] * value + first_[n];
      first_[n] = 2.0 * b_[n] * value - a1_[n] * out + second_[n];
      second_[n] = b_[n] * value - a2_[n] * out;
      value = out;
    }
    return value;
  }

 private:
  std::array<double, 2> b_{}, a1_{}, a2_{}, first_{}, second_{};
};

/// A value and its first three backward differences.
struct BareBasis {
  double step_s;
  Eigen::Vector4d values = Eigen::Vector4d::Zero();
  void rest(double value) { values = {value, 0.0, 0.0, 0.0}; }
  void push(double value) {
    for (double& kept : values) {
      const double next = (value - kept) / step_s;
      kept = value;
      value = next;
    }
  }
};

/// The adaptive inverse model of one actuator.
class BareInverse {
 public:
  /// quantum_m: of the converter; 0: none.
  BareInverse(const Eigen::Vector4d& coefficients, const Eigen::Vector4d& gain_exponents, double step_s,
              double quantum_m = 0.0)
      : step_s_(step_s),
        quantum_m_(quantum_m),
        target_{step_s},
        motion_{step_s},
        sent_(kCutoff_hz, step_s),
        measured_(kCutoff_hz, step_s),
        coefficients_(coefficients),
        gains_(gain_exponents.unaryExpr([](double exponent) { return std::pow(10.0, exponent); })),
        settling_ticks_(static_cast<int>(std::ceil(3.0 / (kCutoff_hz * step_s)))) {}

  double command(double target, double measured) {
    if (!started_) target_.rest(target);
    started_ = true;
    target_.push(target);
    const double sent = coefficients_.dot(target_.values);
    if (settled_ == 0) {
      sent_.rest(sent);
      measured_.rest(measured);
      motion_.rest(measured);
    }
    const double sent_slow = sent_.push(sent);
    motion_.push(measured_.push(measured));
    if (settled_ < settling_ticks_)
      ++settled_;
    else
      learn(sent_slow);
    return quantum_m_ > 0.0 ? quantum_m_ * std::round(sent / quantum_m_) : sent;
  }

 private:
  static constexpr double kCutoff_hz = 20.0;
  void learn(double sent) {
    const Eigen::Vector4d& x = motion_.values;
    const double size = 1.0 + x.squaredNorm(), decay = step_s_ * gains_.cwiseProduct(x).dot(x) / size;
    const double share = decay > 0.0 ? -std::expm1(-decay) / decay : 1.0;
    coefficients_ += gains_.cwiseProduct(x) * (share * step_s_ * (sent - coefficients_.dot(x)) / size);
    coefficients_ = coefficients_.cwiseMax(0.0);
  }

  double step_s_, quantum_m_;
  BareBasis target_, motion_;
  BareLowPass sent_, measured_;
  Eigen::Vector4d coefficients_, gains_;
  int settled_ = 0, settling_ticks_;
  bool started_ = false;
};

}  // namespace hyb::bench
