#include "core/signal/zero_phase.h"

#include <cmath>

#include "core/base/numbers.h"

namespace hyb {

ZeroPhase::ZeroPhase(int order, double cutoff_hz, double step_s)
    : order_(order), warped_(std::tan(kPi * cutoff_hz * step_s)), step_s_(step_s) {
  const double w = warped_;
  for (int pair = 0; pair < order / 2; ++pair) {
    const double damping = 2.0 * std::sin(kPi * (2.0 * pair + 1.0) / (2.0 * order)), one = 1.0 + damping * w + w * w;
    sections_.push_back(
        {w * w / one, 2.0 * w * w / one, w * w / one, 2.0 * (w * w - 1.0) / one, (1.0 - damping * w + w * w) / one});
  }
  if (order % 2 == 1) sections_.push_back({w / (1.0 + w), w / (1.0 + w), 0.0, (w - 1.0) / (1.0 + w), 0.0});
}

template <typename Iterator>
void ZeroPhase::run(const Section& s, Iterator first, Iterator last) noexcept {
  if (first == last) return;
  double z1 = (1.0 - s.b0) * *first, z2 = (s.b2 - s.a2) * *first;
  for (; first != last; ++first) {
    const double in = *first, out = s.b0 * in + z1;
    z1 = s.b1 * in - s.a1 * out + z2;
    z2 = s.b2 * in - s.a2 * out;
    *first = out;
  }
}

void ZeroPhase::apply(std::span<double> record) const noexcept {
  for (const Section& section : sections_) {
    run(section, record.begin(), record.end());
    run(section, record.rbegin(), record.rend());
  }
}

double ZeroPhase::magnitude(double frequency_hz) const noexcept {
  return 1.0 / (1.0 + std::pow(std::tan(kPi * frequency_hz * step_s_) / warped_, 2 * order_));
}

}  // namespace hyb
