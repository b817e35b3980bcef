#include "core/compensation/low_pass.h"

#include <cmath>

#include "core/base/numbers.h"

namespace hyb {

LowPass::LowPass(double cutoff_hz, double step_s) noexcept : sections_{} {
  const double w = std::tan(kPi * cutoff_hz * step_s);
  for (std::size_t n = 0; n < sections_.size(); ++n) {  // poles at 22.5 and 67.5 degrees from the real axis
    const double damping = 2.0 * std::cos((2.0 * static_cast<double>(n) + 1.0) * kPi / 8.0);
    const double scale = 1.0 / (1.0 + damping * w + w * w), b = w * w * scale;
    sections_[n] = {b, 2.0 * b, b, 2.0 * (w * w - 1.0) * scale, (1.0 - damping * w + w * w) * scale};
  }
}

void LowPass::rest(double value) noexcept {
  for (std::size_t n = 0; n < sections_.size(); ++n)
    states_[n] = {(1.0 - sections_[n].b0) * value, (sections_[n].b2 - sections_[n].a2) * value};
}

[[gnu::hot]] double LowPass::push(double value) noexcept {
  for (std::size_t n = 0; n < sections_.size(); ++n) {
    const Section& s = sections_[n];
    auto& [first, second] = states_[n];
    const double out = s.b0 * value + first;
    first = s.b1 * value - s.a1 * out + second;
    second = s.b2 * value - s.a2 * out;
    value = out;
  }
  return value;
}

}  // namespace hyb
