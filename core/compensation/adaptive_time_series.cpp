#include "core/compensation/adaptive_time_series.h"

#include <algorithm>
#include <cmath>

#include "core/base/json.h"
#include "core/compensation/least_squares.h"

namespace hyb {

void AdaptiveTimeSeriesParams::check(double step_s, Checks& checks) const {
  inverse.check(step_s, checks);
  if (inverse.oneForEach("/fastest", fastest, checks))
    for (std::size_t n = 0; n < fastest.size(); ++n)
      checks.notNegative("/fastest/" + std::to_string(n), fastest[n], "1/s");
  checks.notNegative("/adaption", adaption, "");
  constexpr double kFewest = 20.0, kMost = 1e6;  // ticks
  if (checks.positive("/window_s", window_s, "s") && (window_s < kFewest * step_s || window_s > kMost * step_s))
    checks.fault("/window_s", window_s, "s",
                 "must be between " + Checks::text(kFewest * step_s, "") + " and " + Checks::text(kMost * step_s, "s") +
                     " at this rate, to contain enough ticks and to fit into memory");
  checks.notNegative("/dead_band_m", dead_band_m, "m");
}

namespace {

/// Least squares over a window of ticks, updated by adding and removing ticks, and once per window recomputed from
/// scratch to avoid accumulated rounding.
class Window {
 public:
  Window(Eigen::Index count, Eigen::Index ticks)
      : rows_(Eigen::MatrixXd::Zero(count + 1, ticks)), all_(count), fresh_(count) {}
  void clear() noexcept {
    all_.clear();
    fresh_.clear();
    next_ = 0;
    full_ = false;
  }
  void push(double sent, const Coefficients& motion) noexcept {
    const Eigen::Index count = motion.size();
    if (full_) all_.add(rows_(count, next_), rows_.col(next_).head(count), -1.0);
    rows_.col(next_).head(count) = motion;
    rows_(count, next_) = sent;
    all_.add(sent, motion);
    fresh_.add(sent, motion);
    if (++next_ < rows_.cols()) return;
    all_ = fresh_;
    fresh_.clear();
    next_ = 0;
    full_ = true;
  }
  bool full() const noexcept { return full_; }
  const LeastSquares& all() const noexcept { return all_; }

 private:
  Eigen::MatrixXd rows_;      // [motion and its differences, then the sent values; tick]
  LeastSquares all_, fresh_;  // of the window; of its ticks since the last recomputation
  Eigen::Index next_ = 0;
  bool full_ = false;
};

class AdaptiveTimeSeries final : public InverseFeedforward {
 public:
  AdaptiveTimeSeries(const AdaptiveTimeSeriesParams& params, double step_s, const Axes& axes)
      : InverseFeedforward(params.inverse, step_s, axes),
        params_(params),
        step_s_(step_s),
        windows_(axes.count, Window(static_cast<Eigen::Index>(params.inverse.coefficients.size()),
                                    static_cast<Eigen::Index>(std::lround(params.window_s / step_s)))) {}
  std::vector<Tunable> tunables() const override {
    return {{axes().name("adaption"), "", params_.adaption, "/adaption"},
            {axes().name("dead_band"), "m", params_.dead_band_m, "/dead_band_m"}};
  }
  void tune(std::size_t index, double value) noexcept override {
    (index == 0 ? params_.adaption : params_.dead_band_m) = value;
  }

 protected:
  void learnAxis(std::size_t axis, double sent, const Coefficients& motion, Coefficients& a) noexcept override {
    Window& window = windows_[axis];
    window.push(sent, motion);
    Coefficients d;
    if (!window.full() || window.all().variance() < params_.dead_band_m * params_.dead_band_m ||
        !window.all().missing(a, lowest(), highest(), d))
      return;
    for (std::size_t n = 0; n < count(); ++n) {
      const double most = params_.adaption * params_.fastest[n] * step_s_;
      a[static_cast<Eigen::Index>(n)] += std::clamp(d[static_cast<Eigen::Index>(n)], -most, most);
    }
  }
  void forget(std::size_t axis) noexcept override { windows_[axis].clear(); }

 private:
  AdaptiveTimeSeriesParams params_;
  double step_s_;
  std::vector<Window> windows_;
};

class TimeSeriesMethod final : public InverseFeedforwardMethod {
 public:
  TimeSeriesMethod(AdaptiveTimeSeriesParams params, const MethodContext& context)
      : InverseFeedforwardMethod(params.inverse, context), params_(std::move(params)) {}
  std::unique_ptr<Compensator> make() const override {
    return makeAdaptiveTimeSeries(params_, context().step_s, context().axes);
  }

 private:
  AdaptiveTimeSeriesParams params_;
};

}  // namespace

std::unique_ptr<Compensator> makeAdaptiveTimeSeries(const AdaptiveTimeSeriesParams& params, double step_s,
                                                    const Axes& axes) {
  Checks checks;
  params.check(step_s, checks);
  checks.throwIfAny();
  return std::make_unique<AdaptiveTimeSeries>(params, step_s, axes);
}

CompensationMethodPtr parseAdaptiveTimeSeries(const Json& settings, const MethodContext& context, Checks& checks) {
  AdaptiveTimeSeriesParams params;
  params.inverse.keys = {"start", "least", "most"};
  readInverseFeedforward(settings, params.inverse);
  read(settings, "fastest", params.fastest);
  read(settings, "adaption", params.adaption);
  read(settings, "window_s", params.window_s);
  read(settings, "dead_band_m", params.dead_band_m);
  params.check(context.step_s, checks);
  return checks.ok() ? std::make_shared<const TimeSeriesMethod>(std::move(params), context) : nullptr;
}

}  // namespace hyb
