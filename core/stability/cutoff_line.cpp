#include "core/stability/cutoff_line.h"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/numbers.h"
#include "core/stability/loop_gain.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;

/// Logarithms of the loop gains at one sigma, each followed from point to point with unwrapped angle.
struct Point {
  double log_sigma;
  Eigen::VectorXcd log_gain;  // [i]
};

class CutoffLine {
 public:
  CutoffLine(const DelaySystem& system, double cutoff, double max_delay_s)
      : gain_(system), cutoff_(cutoff), best_(max_delay_s) {}

  /// Searches from the short delays of large sigma to sigma = 0.
  std::optional<double> search(double from_sigma, double to_sigma) {
    const int steps = static_cast<int>(std::ceil(10.0 * std::log10(from_sigma / to_sigma)));
    Point point{std::log(from_sigma), {}};
    point.log_gain = logGains(point.log_sigma);
    for (int i = 1; i <= steps; ++i)
      point = advance(point, std::log(from_sigma) - i * std::log(from_sigma / to_sigma) / steps, 0);
    return found_ ? std::optional(best_) : std::nullopt;
  }

 private:
  Eigen::VectorXcd logGains(double log_sigma) const {
    Eigen::VectorXcd values = gain_.at({std::exp(log_sigma), cutoff_});
    for (Complex& value : values) value = {std::log(std::clamp(std::abs(value), 1e-300, 1e300)), std::arg(value)};
    return values;
  }

  /// The gains at a sigma, in the order of `near` and within half a turn of it.
  Eigen::VectorXcd follow(const Eigen::VectorXcd& near, double log_sigma) const {
    const Eigen::VectorXcd values = logGains(log_sigma);
    Eigen::VectorXcd followed(near.size());
    std::vector<bool> taken(static_cast<std::size_t>(near.size()), false);
    for (Eigen::Index branch = 0; branch < near.size(); ++branch) {
      double nearest = std::numeric_limits<double>::infinity();
      Eigen::Index choice = -1;
      for (Eigen::Index i = 0; i < near.size(); ++i) {
        const Complex away = values[i] - near[branch];
        const double turns = std::round(away.imag() / kTwoPi);
        const double distance = std::abs(away - Complex(0.0, kTwoPi * turns));
        if (taken[static_cast<std::size_t>(i)] || !(distance < nearest || choice < 0)) continue;
        nearest = distance;
        choice = i;
        followed[branch] = values[i] - Complex(0.0, kTwoPi * turns);
      }
      taken[static_cast<std::size_t>(choice)] = true;
    }
    return followed;
  }

  double delay(double log_sigma, Complex log_gain) const { return log_gain.real() / std::exp(log_sigma); }
  /// Integer values are roots on the line.
  double turns(double log_sigma, Complex log_gain) const {
    return (cutoff_ * delay(log_sigma, log_gain) - log_gain.imag()) / kTwoPi - 0.5;
  }

  Point advance(const Point& from, double log_sigma, int depth) {
    Point to{log_sigma, follow(from.log_gain, log_sigma)};
    bool close = true;
    for (Eigen::Index i = 0; i < to.log_gain.size(); ++i) {
      // A gain far below 1 has no root at any delay, and that of a motion without force is only rounding.
      if (std::max(from.log_gain[i].real(), to.log_gain[i].real()) < -5.0) continue;
      close = close && std::abs(to.log_gain[i] - from.log_gain[i]) < 0.25;
      if (inReach(from, i) || inReach(to, i))
        close = close && std::abs(turns(to.log_sigma, to.log_gain[i]) - turns(from.log_sigma, from.log_gain[i])) < 0.1;
    }
    if (!close && depth < 24)
      return advance(advance(from, 0.5 * (from.log_sigma + log_sigma), depth + 1), log_sigma, depth + 1);
    for (Eigen::Index i = 0; i < to.log_gain.size(); ++i)
      if (inReach(from, i) || inReach(to, i)) solve(from, to, i);
    return to;
  }

  bool inReach(const Point& point, Eigen::Index branch) const {
    const double delay_s = delay(point.log_sigma, point.log_gain[branch]);
    return delay_s >= 0.0 && delay_s <= best_;
  }

  void solve(const Point& a, const Point& b, Eigen::Index branch) {
    const double at_a = turns(a.log_sigma, a.log_gain[branch]), at_b = turns(b.log_sigma, b.log_gain[branch]);
    const double whole = std::floor(std::max(at_a, at_b));
    if (!(whole > std::min(at_a, at_b)) && at_a != whole) return;
    const auto gainAt = [&](double log_sigma) -> Complex {
      const double share = (log_sigma - a.log_sigma) / (b.log_sigma - a.log_sigma);
      return follow(Eigen::VectorXcd((1.0 - share) * a.log_gain + share * b.log_gain), log_sigma)[branch];
    };
    const auto away = [&](double log_sigma) { return turns(log_sigma, gainAt(log_sigma)) - whole; };
    std::uintmax_t iterations = 100;
    const auto [low, high] =
        boost::math::tools::toms748_solve(away, std::min(a.log_sigma, b.log_sigma), std::max(a.log_sigma, b.log_sigma),
                                          boost::math::tools::eps_tolerance<double>(45), iterations);
    const double log_sigma = 0.5 * (low + high), delay_s = delay(log_sigma, gainAt(log_sigma));
    if (!(delay_s >= 0.0 && delay_s <= best_)) return;
    best_ = delay_s;
    found_ = true;
  }

  LoopGain gain_;
  double cutoff_, best_;  // rad/s, s
  bool found_ = false;
};

}  // namespace

std::optional<double> firstEntryThroughCutoff(const DelaySystem& system, double cutoff, double max_delay_s) {
  // Far to the right both sides act as masses and the gains are positive: no root there until the delay is of the order
  // of 1/sigma. A base delay makes the gains vanish there.
  double furthest = 1e3 * cutoff;
  if (system.base_delay_s.size() > 0)
    furthest = std::min(furthest, 200.0 / std::max(system.base_delay_s.maxCoeff(), 1e-300));
  return CutoffLine(system, cutoff, max_delay_s).search(furthest, 1e-7 * furthest);
}

}  // namespace hyb
