#include "core/fidelity/decay.h"

#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"
#include "core/fidelity/record.h"

namespace hyb {

namespace {

constexpr double kSwingShare = 0.005;

Extreme extremeAt(std::span<const double> samples, std::size_t k, double step_s) {
  const double before = samples[k - 1], here = samples[k], after = samples[k + 1];
  const double bend = before - 2.0 * here + after, slope = 0.5 * (after - before);
  const double shift = bend != 0.0 ? std::clamp(-slope / bend, -0.5, 0.5) : 0.0;
  return {step_s * (static_cast<double>(k) + shift), here + (slope + 0.5 * bend * shift) * shift};
}

struct Line {
  double slope, scatter;
};
Line regression(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  double x_mean = 0.0, y_mean = 0.0, xx = 0.0, xy = 0.0, rest = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) x_mean += x[k] / n, y_mean += y[k] / n;
  for (std::size_t k = 0; k < x.size(); ++k) {
    xx += (x[k] - x_mean) * (x[k] - x_mean);
    xy += (x[k] - x_mean) * (y[k] - y_mean);
  }
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double left = y[k] - y_mean - xy / xx * (x[k] - x_mean);
    rest += left * left / n;
  }
  return {xy / xx, std::sqrt(rest)};
}

}  // namespace

std::vector<Extreme> extremes(std::span<const double> samples, double step_s, double least_swing) {
  std::vector<Extreme> found;
  if (!readable(samples, 3) || !(step_s > 0.0) || !(least_swing >= 0.0)) return found;
  // Follows the motion; a candidate counts after the motion has returned from it by least_swing.
  std::size_t high = 0, low = 0;
  int direction = 0;  // 0 until the first swing
  for (std::size_t k = 1; k < samples.size(); ++k) {
    if (samples[k] > samples[high]) high = k;
    if (samples[k] < samples[low]) low = k;
    const bool fell = direction >= 0 && samples[high] - samples[k] > least_swing;
    const bool rose = direction <= 0 && samples[k] - samples[low] > least_swing;
    if (!fell && !rose) continue;
    const std::size_t turn = fell ? high : low;
    if (turn > 0) found.push_back(extremeAt(samples, turn, step_s));
    direction = fell ? -1 : 1;
    high = low = k;
  }
  return found;
}

std::optional<DecayFit> fitDecay(std::span<const double> samples, double step_s, std::optional<double> rest,
                                 std::size_t most_extremes, double least_swing) {
  if (!readable(samples, 3)) return std::nullopt;
  const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
  if (!(*most > *least)) return std::nullopt;
  std::vector<Extreme> turns =
      extremes(samples, step_s, least_swing > 0.0 ? least_swing : kSwingShare * (*most - *least));
  if (turns.size() > most_extremes) turns.resize(most_extremes);

  std::vector<double> number, time_s, log_size, at_s;
  for (std::size_t k = 0; k < turns.size(); ++k) {
    number.push_back(static_cast<double>(k));
    time_s.push_back(turns[k].time_s);
    if (!rest && k == 0) continue;
    const double size = std::abs(turns[k].value - (rest ? *rest : turns[k - 1].value));
    if (!(size > 0.0)) return std::nullopt;
    log_size.push_back(std::log(size));
    at_s.push_back(rest ? turns[k].time_s : 0.5 * (turns[k].time_s + turns[k - 1].time_s));
  }
  if (log_size.size() < 3) return std::nullopt;
  const Line decay = regression(at_s, log_size);
  DecayFit fit;
  fit.decay_per_s = -decay.slope;
  fit.scatter = decay.scatter;
  fit.frequency_hz = 0.5 / regression(number, time_s).slope;  // two turning points per period
  fit.damping_ratio = fit.decay_per_s / std::hypot(fit.decay_per_s, kTwoPi * fit.frequency_hz);
  fit.used = log_size.size();
  return fit;
}

}  // namespace hyb
