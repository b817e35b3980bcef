#include "core/compensation/inverse_feedforward.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/base/json.h"
#include "core/compensation/inverse_model.h"

namespace hyb {

namespace {

/// Time until the derivatives after a low-pass that has just started are valid: the transient has decayed to less than
/// a thousandth.
constexpr double kSettlingPeriods = 3.0;  // of the cut-off
constexpr double kHighestCutoff = 0.4;    // of the rate
constexpr std::size_t kMostDerivatives = 6;

}  // namespace

double InverseFeedforwardParams::highestOf(std::size_t n) const noexcept {
  return highest.empty() ? std::numeric_limits<double>::infinity() : highest[n];
}

bool InverseFeedforwardParams::oneForEach(const std::string& where, const std::vector<double>& list,
                                          Checks& checks) const {
  if (list.size() == coefficients.size()) return true;
  checks.fault(where, "has " + std::to_string(list.size()) + " entries for " + std::to_string(coefficients.size()) +
                          " coefficients; give one for each");
  return false;
}

void InverseFeedforwardParams::check(double step_s, Checks& checks) const {
  if (coefficients.size() < 2 || coefficients.size() > kMostDerivatives) {
    checks.fault("/" + keys.coefficients, "has " + std::to_string(coefficients.size()) + " entries; give 2 to " +
                                              std::to_string(kMostDerivatives) + ", from a0 upwards");
    return;
  }
  bool bounded = lowest.empty() || oneForEach("/" + keys.lowest, lowest, checks);
  if (!highest.empty()) bounded = oneForEach("/" + keys.highest, highest, checks) && bounded;
  if (checks.positive("/" + keys.coefficients + "/0", coefficients[0], "") && bounded && lowestOf(0) < 0.0)
    checks.fault("/" + keys.lowest + "/0", lowest[0], "",
                 "must be at least 0, otherwise the command can change its sign");
  for (std::size_t n = 0; n < coefficients.size() && bounded; ++n) {
    const std::string number = "/" + std::to_string(n);
    if (lowestOf(n) > highestOf(n))
      checks.fault("/" + keys.lowest + number, lowest[n], "",
                   "must not exceed its highest value (" + Checks::text(highestOf(n), "") + ")");
    else if (highest.empty() && coefficients[n] < lowestOf(n))
      checks.fault("/" + keys.coefficients + number, coefficients[n], "",
                   "must be at least its lowest value, " + Checks::text(lowestOf(n), ""));
    else
      checks.between("/" + keys.coefficients + number, coefficients[n], lowestOf(n), highestOf(n), "");
  }
  checkLowPass(cutoff_hz, step_s, checks);
  checks.notNegative("/quantum_m", quantum_m, "m");
}

void checkLowPass(double cutoff_hz, double step_s, Checks& checks) {
  const double most_hz = kHighestCutoff / step_s;
  if (checks.positive("/cutoff_hz", cutoff_hz, "Hz") && cutoff_hz > most_hz)
    checks.fault("/cutoff_hz", cutoff_hz, "Hz",
                 "must be at most " + Checks::text(most_hz, "Hz") + " at this rate; lower it, or raise the rate");
}

InverseFeedforward::InverseFeedforward(const InverseFeedforwardParams& params, double step_s, const Axes& axes)
    : params_(params),
      axes_(axes),
      quantum_m_(params.quantum_m),
      settling_ticks_(static_cast<int>(std::ceil(kSettlingPeriods / (params.cutoff_hz * step_s)))) {
  const auto count = static_cast<Eigen::Index>(params.coefficients.size());
  lowest_.resize(count);
  highest_.resize(count);
  Coefficients start(count);
  for (Eigen::Index n = 0; n < count; ++n) {
    const auto k = static_cast<std::size_t>(n);
    lowest_[n] = params.lowestOf(k);
    highest_[n] = params.highestOf(k);
    start[n] = params.coefficients[k];
  }
  const Basis none(count, step_s, params.spacing_ticks);
  const LowPass low_pass(params.cutoff_hz, step_s);
  all_.assign(axes.count, Axis{start, none, none, none, low_pass, low_pass});
}

void InverseFeedforward::reset() {
  for (Axis& axis : all_)
    for (std::size_t n = 0; n < count(); ++n) axis.a[static_cast<Eigen::Index>(n)] = params_.coefficients[n];
  restart();
}

void InverseFeedforward::restart() noexcept {
  filled_ = false;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    all_[i].settled = 0;
    forget(i);
  }
}

[[gnu::hot]] void InverseFeedforward::update(const InterfaceState& state, Command& command) noexcept {
  Eigen::Index k = -1;
  for (Axis& axis : all_) {
    ++k;
    // The measured value is processed first: learning depends on its differences.
    const double measured = state.measured[k];
    const bool starts = axis.settled == 0;
    if (starts) {
      axis.measured.rest(measured);
      axis.motion.rest(measured);
    }
    axis.motion.push(axis.measured.push(measured));

    if (!filled_) {
      axis.target.rest(state.target[k]);
      axis.target_rate.rest(0.0);
    }
    axis.target.push(state.target[k]);
    const double exact = linalg::dotFew(axis.a, axis.target.values());
    command.position[k] = params_.quantum_m > 0.0 ? params_.quantum_m * linalg::nearest(quantum_m_.of(exact)) : exact;
    if (rates_) axis.target_rate.push(state.target_rate[k]);
    command.rate[k] = rates_ ? linalg::dotFew(axis.a, axis.target_rate.values()) : 0.0;

    const double sent = state.ahead && filled_ ? axis.last_sent : exact;  // of the target of `measured`
    axis.last_sent = exact;
    if (!std::isfinite(measured) || !std::isfinite(sent)) {
      axis.settled = 0;
      continue;
    }
    if (starts) axis.sent.rest(sent);
    const double sent_slow = axis.sent.push(sent);
    if (axis.settled < settling_ticks_) {
      ++axis.settled;
      continue;
    }
    learnAxis(static_cast<std::size_t>(k), sent_slow, axis.motion.values(), axis.a);
    bound(axis.a);
  }
  filled_ = true;
}

[[gnu::hot]] void InverseFeedforward::bound(Coefficients& a) const noexcept {
  ofKnownSize(a.size(), [&](auto all) noexcept { all(a) = all(a).cwiseMax(all(lowest_)).cwiseMin(all(highest_)); });
}

std::vector<Adapted> InverseFeedforward::adapted() const {
  std::vector<Adapted> adapted;
  for (std::size_t i = 0; i < axes_.count; ++i)
    for (std::size_t n = 0; n < count(); ++n) {
      const std::string axis = axes_.number(i), number = std::to_string(n), weight = std::to_string(n + 1);
      if (params_.spacing_ticks > 0) {
        adapted.push_back({axes_.name("weight" + weight, i), "",
                           "Weight " + weight + " of the filter of interface " + axis + ", of the target " +
                               std::to_string(n * static_cast<std::size_t>(params_.spacing_ticks)) + " ticks back",
                           "w" + weight + " " + axis, "Adaptive filter " + axis});
        continue;
      }
      const std::string power = n == 0   ? ""
                                : n == 1 ? "s"
                                         : "s^" + number,
                        of = n == 0   ? "the target itself"
                             : n == 1 ? "the target's rate"
                                      : "derivative " + number + " of the target",
                        even = std::to_string(n / 2 * 2), odd = std::to_string(n / 2 * 2 + 1);  // two units in a group
      adapted.push_back({axes_.name("a" + number, i), power,
                         "Coefficient a" + number + " of the inverse of interface " + axis + ", of " + of,
                         "a" + number + " " + axis, "Inverse, a" + even + " and a" + odd});
    }
  return adapted;
}

void InverseFeedforward::readAdapted(std::span<double> values) const noexcept {
  std::size_t v = 0;
  for (const Axis& axis : all_)
    for (const double a : axis.a) values[v++] = a;
}

std::size_t InverseFeedforward::learnt() const noexcept { return all_.size() * count(); }

void InverseFeedforward::setLearnt(std::span<const double> values) noexcept {
  std::size_t v = 0;
  for (Axis& axis : all_) {
    for (double& a : axis.a) a = values[v++];
    bound(axis.a);
  }
}

std::vector<double> InverseFeedforwardMethod::taps(std::size_t) const {
  if (start_.spacing_ticks == 0) return inverseTaps(start_.coefficients, context_.step_s);
  std::vector<double> taps;
  for (const double weight : start_.coefficients) {
    if (!taps.empty()) taps.resize(taps.size() + static_cast<std::size_t>(start_.spacing_ticks) - 1, 0.0);
    taps.push_back(weight);
  }
  while (taps.size() > 1 && taps.back() == 0.0) taps.pop_back();
  return taps;
}

double InverseFeedforwardMethod::lead_s(std::size_t axis) const {
  double sum = 0.0, late = 0.0;
  const std::vector<double> all = taps(axis);
  for (std::size_t j = 0; j < all.size(); ++j) {
    sum += all[j];
    late += all[j] * static_cast<double>(j) * context_.step_s;
  }
  return -late / sum;
}

std::vector<std::string> InverseFeedforwardMethod::remarks() const {
  double power = 0.0;
  for (const double tap : taps(0)) power += tap * tap;
  char text[300];
  std::snprintf(
      text, sizeof text,
      "Starts with a lead of %.3g ms in slow motion. Noise gain %.3g: white noise in the target is amplified by this "
      "factor in the command. Both change while it adapts.",
      1e3 * lead_s(0), std::sqrt(power));
  return {text};
}

void readInverseFeedforward(const Json& settings, InverseFeedforwardParams& params) {
  read(settings, params.keys.coefficients.c_str(), params.coefficients);
  read(settings, params.keys.lowest.c_str(), params.lowest);
  read(settings, params.keys.highest.c_str(), params.highest);
  read(settings, "cutoff_hz", params.cutoff_hz);
  read(settings, "quantum_m", params.quantum_m);
}

}  // namespace hyb
