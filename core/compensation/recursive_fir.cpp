#include "core/compensation/recursive_fir.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/json.h"
#include "core/compensation/inverse_feedforward.h"
#include "core/compensation/low_pass.h"

namespace hyb {

void RecursiveTaps::takeGain(const Coefficients& motion, double forgetting) noexcept {
  const Eigen::Index n = motion.size();
  gain_.resize(n);
  double size = forgetting;
  for (Eigen::Index i = 0; i < n; ++i) {
    double sum = 0.0;
    for (Eigen::Index j = 0; j < n; ++j) sum += p_(i, j) * motion[j];
    gain_[i] = sum;
    size += motion[i] * sum;
  }
  for (Eigen::Index i = 0; i < n; ++i)  // with P m on both sides, P stays symmetric
    for (Eigen::Index j = 0; j < n; ++j) p_(i, j) = (p_(i, j) - gain_[i] * gain_[j] / size) / forgetting;
  for (double& value : gain_) value /= size;
}

void RecursiveTaps::learn(const Coefficients& motion, double sent, double forgetting) noexcept {
  takeGain(motion, forgetting);
  const double missing = sent - linalg::dotFew(w_, motion);
  for (Eigen::Index n = 0; n < w_.size(); ++n) w_[n] += gain_[n] * missing;
}

double RecursiveTaps::learnAndApply(const Coefficients& motion, const Coefficients& targets, double free, double direct,
                                    double forgetting) noexcept {
  takeGain(motion, forgetting);
  const double of_targets = linalg::dotFew(gain_, targets), missing = free - linalg::dotFew(w_, motion);
  const double command = (linalg::dotFew(w_, targets) + of_targets * missing) / (1.0 - direct * of_targets);
  const double error = missing + direct * command;
  for (Eigen::Index n = 0; n < w_.size(); ++n) w_[n] += gain_[n] * error;
  return command;
}

namespace {
constexpr int kMostSpacing = 1000;  // as in the schema
}

void RecursiveFirParams::check(double step_s, Checks& checks) const {
  checkLowPass(cutoff_hz, step_s, checks);
  const std::size_t n = start.size();
  if (n < 1 || n > static_cast<std::size_t>(kMostCoefficients)) {
    checks.fault("/first_taps", "has " + std::to_string(n) + " taps; give 1 to " + std::to_string(kMostCoefficients));
    return;
  }
  double sum = 0.0;
  for (const double tap : start) sum += tap;
  if (!(std::abs(sum) > 1e-9))
    checks.fault("/first_taps", "has taps with a sum of 0, so that a constant target leads to no command; change them");
  const bool diagonal = covariance.size() == 1 && covariance.front().size() == n;
  const bool square =
      covariance.size() == n && std::ranges::all_of(covariance, [&](const auto& row) { return row.size() == n; });
  if (!diagonal && !square) {
    checks.fault("/covariance", "must have " + std::to_string(n) +
                                    " rows and columns, one for each tap, or one row "
                                    "with the diagonal");
  } else {
    double largest = 0.0;
    for (const auto& row : covariance)
      for (const double value : row) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < n; ++i) {
      const std::string row = diagonal ? "/covariance/0/" : "/covariance/" + std::to_string(i) + "/";
      const double own = diagonal ? covariance[0][i] : covariance[i][i];
      if (!(own > 0.0)) checks.fault(row + std::to_string(i), own, "1/m^2", "must be greater than 0");
      for (std::size_t j = 0; square && !diagonal && j < i; ++j)
        if (std::abs(covariance[i][j] - covariance[j][i]) > 1e-4 * largest)
          checks.fault(row + std::to_string(j), "differs from its mirrored entry; make the matrix symmetric");
    }
  }
  if (spacing_ticks < 1 || spacing_ticks > kMostSpacing)
    checks.fault("/spacing_ticks", spacing_ticks, "", "must lie between 1 and " + std::to_string(kMostSpacing));
  if (!(forgetting > 0.9 && forgetting <= 1.0))
    checks.fault("/forgetting", forgetting, "", "must be greater than 0.9 and at most 1");
  checks.notNegative("/dead_band_m", dead_band_m, "m");
}

namespace {

Coefficients coefficientsOf(const std::vector<double>& list) {
  Coefficients all(static_cast<Eigen::Index>(list.size()));
  for (std::size_t n = 0; n < list.size(); ++n) all[static_cast<Eigen::Index>(n)] = list[n];
  return all;
}

RecursiveTaps::Covariance covarianceOf(const RecursiveFirParams& params) {
  const auto n = static_cast<Eigen::Index>(params.start.size());
  RecursiveTaps::Covariance p = RecursiveTaps::Covariance::Zero(n, n);
  const bool diagonal = params.covariance.size() == 1;
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) {
      const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
      if (diagonal && i != j) continue;
      p(i, j) = diagonal ? params.covariance[0][row]
                         : 0.5 * (params.covariance[row][column] + params.covariance[column][row]);
    }
  return p;
}

class RecursiveFir final : public Compensator {
 public:
  RecursiveFir(const RecursiveFirParams& params, double step_s, const Axes& axes)
      : params_(params),
        axes_(axes),
        first_(coefficientsOf(params.start), covarianceOf(params)),
        settling_ticks_(static_cast<int>(std::ceil(kSettlingPeriods / (params.cutoff_hz * step_s)))) {
    const Basis none(first_.taps().size(), step_s, params.spacing_ticks);
    const LowPass low_pass(params.cutoff_hz, step_s);
    direct_ = 1.0;
    for (const LowPass::Section& section : low_pass.sections()) direct_ *= section.b0;
    all_.assign(axes.count, Axis{first_, none, none, none, low_pass, low_pass});
  }

  void reset() override {
    for (Axis& axis : all_) axis.fit = first_;
    restart();
  }
  void restart() noexcept override {
    filled_ = false;
    for (Axis& axis : all_) axis.unsettled = 0;
  }

  [[gnu::hot]] void update(const InterfaceState& state, Command& command) noexcept override {
    Eigen::Index k = -1;
    for (Axis& axis : all_) {
      ++k;
      if (!filled_) {
        axis.target.rest(state.target[k]);
        axis.target_rate.rest(0.0);
        // A past at rest that fits the taps teaches nothing. At the start of a test it is 0, as in the source.
        axis.rest(state.target[k], axis.fit.taps().sum() * state.target[k]);
      }
      axis.target.push(state.target[k]);
      if (rates_) axis.target_rate.push(state.target_rate[k]);
      command.position[k] = step(axis, state.measured[k], state.ahead && filled_);
      command.rate[k] = rates_ ? linalg::dotFew(axis.fit.taps(), axis.target_rate.values()) : 0.0;
      axis.last_sent = command.position[k];
    }
    filled_ = true;
  }
  void leaveOutRates() noexcept override { rates_ = false; }

  std::vector<Tunable> tunables() const override {
    return {{axes_.name("forgetting"), "", params_.forgetting, "/forgetting"},
            {axes_.name("dead_band"), "m", params_.dead_band_m, "/dead_band_m"}};
  }
  void tune(std::size_t index, double value) noexcept override {
    (index == 0 ? params_.forgetting : params_.dead_band_m) = value;
  }
  std::vector<Adapted> adapted() const override {
    std::vector<Adapted> adapted;
    for (std::size_t i = 0; i < axes_.count; ++i)
      for (std::size_t n = 0; n < params_.start.size(); ++n) {
        const std::string axis = axes_.number(i), tap = std::to_string(n + 1);
        adapted.push_back({axes_.name("tap" + tap, i), "",
                           "Tap " + tap + " of the filter of interface " + axis + ", of the target " +
                               std::to_string(n * static_cast<std::size_t>(params_.spacing_ticks)) + " ticks back",
                           "tap " + tap + " " + axis, "Recursive FIR " + axis});
      }
    return adapted;
  }
  void readAdapted(std::span<double> values) const noexcept override {
    std::size_t v = 0;
    for (const Axis& axis : all_)
      for (const double tap : axis.fit.taps()) values[v++] = tap;
  }
  std::size_t learnt() const noexcept override { return all_.size() * params_.start.size(); }
  void readLearnt(std::span<double> values) const noexcept override { readAdapted(values); }
  void setLearnt(std::span<const double> values) noexcept override {
    std::size_t v = 0;
    for (Axis& axis : all_)
      for (double& tap : axis.fit.taps()) tap = values[v++];
  }

 private:
  static constexpr double kSettlingPeriods = 3.0;  // of the cut-off, until a low-pass has forgotten its start
  struct Axis {
    RecursiveTaps fit;
    Basis target, target_rate, motion;
    LowPass sent, measured;
    int unsettled = 0;       // ticks until the low-passes may be learnt from
    double last_sent = 0.0;  // command of the previous tick, m

    /// Sets the past of the low-passes to constant values.
    void rest(double motion_m, double sent_m) noexcept {
      measured.rest(motion_m);
      motion.rest(motion_m);
      sent.rest(sent_m);
    }
  };

  /// Command of an axis for its targets, and one step of learning.
  double step(Axis& axis, double measured, bool ahead) noexcept {
    const double of_last_taps = linalg::dotFew(axis.fit.taps(), axis.target.values());
    const double known = ahead ? axis.last_sent : of_last_taps;  // of the target of `measured`
    if (!std::isfinite(measured) || !std::isfinite(known)) {
      axis.unsettled = settling_ticks_;
      return of_last_taps;
    }
    if (axis.unsettled == settling_ticks_) axis.rest(measured, known);
    axis.motion.push(axis.measured.push(measured));
    bool learns = axis.unsettled == 0;
    if (!learns) --axis.unsettled;
    learns = learns && axis.motion.values().cwiseAbs().maxCoeff() >= params_.dead_band_m;
    if (!learns || ahead || !params_.apply_new) {
      const double sent = axis.sent.push(known);
      if (learns) axis.fit.learn(axis.motion.values(), sent, params_.forgetting);
      return of_last_taps;
    }
    LowPass without = axis.sent;  // the part of the filtered command that the new command does not change
    const double command = axis.fit.learnAndApply(axis.motion.values(), axis.target.values(), without.push(0.0),
                                                  direct_, params_.forgetting);
    axis.sent.push(command);
    return command;
  }

  RecursiveFirParams params_;
  Axes axes_;
  RecursiveTaps first_;
  int settling_ticks_;
  double direct_;  // share of a value in its own filtered value
  std::vector<Axis> all_;
  bool filled_ = false;  // true if there are targets before the newest
  bool rates_ = true;    // true if rates of commands are required
};

class RecursiveFirMethod final : public InverseFeedforwardMethod {
 public:
  RecursiveFirMethod(RecursiveFirParams params, const MethodContext& context)
      : InverseFeedforwardMethod(startOf(params), context), params_(std::move(params)) {}
  std::unique_ptr<Compensator> make() const override {
    return makeRecursiveFir(params_, context().step_s, context().axes);
  }

 private:
  static InverseFeedforwardParams startOf(const RecursiveFirParams& params) {
    InverseFeedforwardParams start;
    start.coefficients = params.start;
    start.spacing_ticks = params.spacing_ticks;
    return start;
  }
  RecursiveFirParams params_;
};

}  // namespace

std::unique_ptr<Compensator> makeRecursiveFir(const RecursiveFirParams& params, double step_s, const Axes& axes) {
  Checks checks;
  params.check(step_s, checks);
  checks.throwIfAny();
  return std::make_unique<RecursiveFir>(params, step_s, axes);
}

CompensationMethodPtr parseRecursiveFir(const Json& settings, const MethodContext& context, Checks& checks) {
  RecursiveFirParams params;
  read(settings, "first_taps", params.start);
  read(settings, "covariance", params.covariance);
  constexpr double kPerSquareMillimetre = 1e6;
  if (text(settings, "covariance_unit") == "1/mm2")
    for (std::vector<double>& row : params.covariance)
      for (double& value : row) value *= kPerSquareMillimetre;
  read(settings, "spacing_ticks", params.spacing_ticks);
  read(settings, "forgetting", params.forgetting);
  read(settings, "cutoff_hz", params.cutoff_hz);
  read(settings, "dead_band_m", params.dead_band_m);
  params.apply_new = text(settings, "command_taps") != "last";
  params.check(context.step_s, checks);
  return checks.ok() ? std::make_shared<const RecursiveFirMethod>(std::move(params), context) : nullptr;
}

}  // namespace hyb
