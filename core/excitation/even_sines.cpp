#include "core/excitation/even_sines.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

namespace hyb {
namespace {

// No product and sum may become one instruction with one rounding: all processors have to give the same bits.
#if defined(__clang__)
#pragma clang fp contract(off)
#endif

constexpr int kLanes = 16;  // ticks at once: enough sums beside one another that none waits for its last product
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

/// With z = e^(i d t) and spacing d, the sum is e^(i w t) of the first times a polynomial in z.
struct Line {
  std::complex<double> phasor;  // amplitude and phase
  double omega;
};
struct Turn {
  explicit Turn(double angle) : cosine(std::cos(angle)), sine(std::sin(angle)) {}
  double cosine, sine;
};
/// Like std::complex, whose products first check for NaN.
struct Sum {
  double re = 0.0, im = 0.0;
  void next(const Turn& z, const std::complex<double>& phasor, double factor) noexcept {
    const double turned = re * z.cosine - im * z.sine + factor * phasor.real();
    im = re * z.sine + im * z.cosine + factor * phasor.imag();
    re = turned;
  }
};

/// The polynomial at kLanes places at once: Sum::next() with factor 1 in each lane.
struct Sums {
  Lanes cosine, sine, re, im;
};
[[gnu::always_inline]] inline void addUp(const std::vector<Line>& lines, Sums& sums) noexcept {
  Lanes re = {}, im = {};
  const Lanes cosine = sums.cosine, sine = sums.sine;
  for (const Line& line : lines) {
    const Lanes turned = re * cosine - im * sine + line.phasor.real();
    im = re * sine + im * cosine + line.phasor.imag();
    re = turned;
  }
  sums.re = re;
  sums.im = im;
}
void addUpPlain(const std::vector<Line>& lines, Sums& sums) noexcept { addUp(lines, sums); }
#if defined(__x86_64__)
// Without "fma": see above.
[[gnu::target("avx2")]] void addUpWide(const std::vector<Line>& lines, Sums& sums) noexcept { addUp(lines, sums); }
#endif

using AddUp = void (*)(const std::vector<Line>&, Sums&) noexcept;
AddUp addUpHere() noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return addUpWide;
#endif
  return addUpPlain;
}

/// The spacing of equally spaced tones, within the resolution of their frequencies, rad/s; 0: not equally spaced, or
/// too few to save time.
double distanceOf(const std::vector<Tone>& tones) noexcept {
  constexpr std::size_t kFewest = 4;
  constexpr double kLastBits = 4.0 * std::numeric_limits<double>::epsilon();
  if (tones.size() < kFewest) return 0.0;
  const double first = tones.front().omega,
               apart = (tones.back().omega - first) / static_cast<double>(tones.size() - 1);
  for (std::size_t i = 0; i < tones.size(); ++i)
    if (!(std::abs(tones[i].omega - (first + static_cast<double>(i) * apart)) <= kLastBits * tones[i].omega))
      return 0.0;
  return apart;
}

class EvenSines final : public Signal {
 public:
  EvenSines(const std::vector<Tone>& tones, double distance, const std::optional<TickTimes>& ticks)
      : first_(tones.front().omega), distance_(distance), ticks_(ticks) {
    for (auto tone = tones.rbegin(); tone != tones.rend(); ++tone)
      lines_.push_back({tone->amplitude * std::polar(1.0, tone->phase), tone->omega});
  }
  SignalValue at(double t_s) const noexcept override {
    if (t_s < 0.0) return {};
    const Turn z(distance_ * t_s), first(first_ * t_s);
    Sum sum, rate;
    for (const Line& line : lines_) {
      sum.next(z, line.phasor, 1.0);
      rate.next(z, line.phasor, line.omega);
    }
    return {first.cosine * sum.im + first.sine * sum.re, first.cosine * rate.re - first.sine * rate.im};
  }
  double value(double t_s) const noexcept override {
    if (t_s < 0.0) return 0.0;
    if (ticks_ && (ready(t_s) || compute(t_s))) return values_[next_++];
    const Turn z(distance_ * t_s), first(first_ * t_s);
    Sum sum;
    for (const Line& line : lines_) sum.next(z, line.phasor, 1.0);
    return first.cosine * sum.im + first.sine * sum.re;
  }

 private:
  bool ready(double t_s) const noexcept { return next_ < kLanes && times_[next_] == t_s; }
  /// The values of this tick and the next ones. False: the time is not that of a tick.
  bool compute(double t_s) const noexcept {
    const double tick = std::round((t_s + ticks_->from_s) / ticks_->step_s);
    next_ = 0;
    for (int k = 0; k < kLanes; ++k) times_[k] = std::max(0.0, (tick + k) * ticks_->step_s - ticks_->from_s);
    if (!ready(t_s)) {
      next_ = kLanes;
      return false;
    }
    double cosine[kLanes], sine[kLanes], first_cosine[kLanes], first_sine[kLanes];
    for (int k = 0; k < kLanes; ++k) {
      const Turn z(distance_ * times_[k]), first(first_ * times_[k]);
      cosine[k] = z.cosine, sine[k] = z.sine;
      first_cosine[k] = first.cosine, first_sine[k] = first.sine;
    }
    Sums sums;
    std::memcpy(&sums.cosine, cosine, sizeof cosine);
    std::memcpy(&sums.sine, sine, sizeof sine);
    add_up_(lines_, sums);
    for (int k = 0; k < kLanes; ++k) values_[k] = first_cosine[k] * sums.im[k] + first_sine[k] * sums.re[k];
    return true;
  }

  double first_, distance_;
  std::vector<Line> lines_;  // highest first
  std::optional<TickTimes> ticks_;
  AddUp add_up_ = addUpHere();
  mutable double times_[kLanes] = {}, values_[kLanes] = {};  // ahead
  mutable int next_ = kLanes;
};

}  // namespace

std::unique_ptr<Signal> makeEvenSines(const std::vector<Tone>& tones, const std::optional<TickTimes>& ticks) {
  const double distance = distanceOf(tones);
  return distance > 0.0 ? std::make_unique<EvenSines>(tones, distance, ticks) : nullptr;
}

}  // namespace hyb
