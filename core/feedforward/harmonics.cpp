#include "core/feedforward/harmonics.h"

#include <cmath>
#include <utility>

#include "core/base/numbers.h"

namespace hyb {

Harmonics::Harmonics(double frequency_hz, std::vector<int> orders, double step_s)
    : frequency_hz_(frequency_hz), step_s_(step_s), orders_(std::move(orders)), phase_(orders_.size(), 1.0) {}

double Harmonics::angular(Eigen::Index h) const noexcept { return kTwoPi * frequency_hz(h); }

void Harmonics::at(std::int64_t tick) noexcept {
  const double cycles = frequency_hz_ * (static_cast<double>(tick) * step_s_);
  const std::complex<double> first = std::polar(1.0, kTwoPi * (cycles - std::floor(cycles)));
  std::complex<double> phase(1.0, 0.0);
  int order = 0;
  for (std::size_t h = 0; h < orders_.size(); ++h) {
    for (; order < orders_[h]; ++order)
      phase = {phase.real() * first.real() - phase.imag() * first.imag(),
               phase.real() * first.imag() + phase.imag() * first.real()};
    phase_[h] = phase;
  }
}

void Harmonics::turn(const Eigen::Ref<const Eigen::VectorXd>& pairs,
                     Eigen::Ref<Eigen::VectorXd> turned) const noexcept {
  const Eigen::Index axes = pairs.size() / (2 * count());
  for (Eigen::Index h = 0, at = 0; h < count(); ++h) {
    const double c = phase_[static_cast<std::size_t>(h)].real(), s = -phase_[static_cast<std::size_t>(h)].imag();
    for (Eigen::Index axis = 0; axis < axes; ++axis, at += 2) {
      const double re = pairs[at], im = pairs[at + 1];
      turned[at] = re * c + im * s;
      turned[at + 1] = re * s - im * c;
    }
  }
}

}  // namespace hyb
