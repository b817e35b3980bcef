#include "core/compensation/adaptive_inverse_model.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/base/json.h"

namespace hyb {

void AdaptiveInverseModelParams::check(double step_s, Checks& checks) const {
  inverse.check(step_s, checks);
  if (inverse.oneForEach("/gain_exponents", gain_exponents, checks))
    for (std::size_t n = 0; n < gain_exponents.size(); ++n)
      checks.finite("/gain_exponents/" + std::to_string(n), gain_exponents[n], "");
  checks.notNegative("/adaption", adaption, "");
}

namespace {

/// (1 - exp(-d)) / d for d >= 0: the mean remainder of a decay by d. Near 0, the case of most ticks, a series whose
/// next term is below the precision of a double: a call and a quotient would take longer than the rest of the learning.
double meanDecay(double d) noexcept {
  if (d > 0x1p-5) return -std::expm1(-d) / d;
  const double d2 = d * d;
  return ((1.0 - d / 2.0) + d2 * (1.0 / 6.0 - d * (1.0 / 24.0))) +
         d2 * d2 * ((1.0 / 120.0 - d * (1.0 / 720.0)) + d2 * (1.0 / 5040.0 - d * (1.0 / 40320.0)));
}

}  // namespace

// With constant u and X, only the part of a along the gains times X changes, and the error decays as exp(-rate t).
[[gnu::hot]] void followGradient(const Coefficients& gains, double u, const Coefficients& x, double step_s,
                                 Coefficients& a) noexcept {
  ofKnownSize(a.size(), [&](auto all) noexcept {
    const auto at = all(x);
    const auto along = all(gains).cwiseProduct(at).eval();
    const double inverse = 1.0 / (1.0 + at.squaredNorm()), decay = step_s * along.dot(at) * inverse;
    if (!std::isfinite(decay)) return;
    all(a) += along * (meanDecay(decay) * step_s * inverse * (u - all(a).dot(at)));
  });
}

[[gnu::hot]] void followGradient(const Coefficients& gains, double u, const Coefficients& x, double step_s,
                                 const Coefficients& a, Coefficients& integrated) noexcept {
  ofKnownSize(a.size(), [&](auto all) noexcept {
    const auto at = all(x);
    const auto along = all(gains).cwiseProduct(at).eval();
    const auto inside = (all(a).array() == all(integrated).array()).template cast<double>();
    const double inverse = 1.0 / (1.0 + at.squaredNorm()),
                 decay = step_s * (along.array() * at.array() * inside).sum() * inverse;
    if (!std::isfinite(decay)) return;
    all(integrated) += along * (meanDecay(decay) * step_s * inverse * (u - all(a).dot(at)));
  });
}

namespace {

class AdaptiveInverseModel final : public InverseFeedforward {
 public:
  AdaptiveInverseModel(const AdaptiveInverseModelParams& params, double step_s, const Axes& axes)
      : InverseFeedforward(params.inverse, step_s, axes),
        params_(params),
        step_s_(step_s),
        gains_(static_cast<Eigen::Index>(params.gain_exponents.size())) {
    refresh();
    startIntegrators();
  }
  void reset() override {
    InverseFeedforward::reset();
    startIntegrators();
  }
  /// The integrators: the coefficients follow from them.
  void readLearnt(std::span<double> values) const noexcept override {
    if (params_.anti_windup) return readAdapted(values);
    std::size_t v = 0;
    for (const Coefficients& axis : integrated_)
      for (const double a : axis) values[v++] = a;
  }
  void setLearnt(std::span<const double> values) noexcept override {
    InverseFeedforward::setLearnt(values);
    std::size_t v = 0;
    for (Coefficients& axis : integrated_)
      for (double& a : axis) a = values[v++];
  }
  std::vector<Tunable> tunables() const override {
    std::vector<Tunable> tunables{{axes().name("adaption"), "", params_.adaption, "/adaption"}};
    for (std::size_t n = 0; n < count(); ++n)
      tunables.push_back(
          {axes().name("gain_exponent_" + std::to_string(n)), "", params_.gain_exponents[n], "/gain_exponents"});
    return tunables;
  }
  void tune(std::size_t index, double value) noexcept override {
    (index == 0 ? params_.adaption : params_.gain_exponents[index - 1]) = value;
    refresh();
  }

 protected:
  [[gnu::hot]] void learnAxis(std::size_t axis, double sent, const Coefficients& motion,
                              Coefficients& a) noexcept override {
    if (params_.anti_windup) return followGradient(gains_, sent, motion, step_s_, a);
    followGradient(gains_, sent, motion, step_s_, a, integrated_[axis]);
    a = integrated_[axis];
  }

 private:
  void startIntegrators() {
    const std::vector<double>& start = params_.inverse.coefficients;
    integrated_.assign(axes().count,
                       Eigen::Map<const Eigen::VectorXd>(start.data(), static_cast<Eigen::Index>(start.size())));
  }
  void refresh() noexcept {
    for (std::size_t n = 0; n < params_.gain_exponents.size(); ++n)
      gains_[static_cast<Eigen::Index>(n)] = params_.adaption * std::pow(10.0, params_.gain_exponents[n]);
  }

  AdaptiveInverseModelParams params_;
  double step_s_;
  Coefficients gains_;
  std::vector<Coefficients> integrated_;  // [axis]; not used with anti-windup
};

class AdaptiveInverseMethod final : public InverseFeedforwardMethod {
 public:
  AdaptiveInverseMethod(AdaptiveInverseModelParams params, const MethodContext& context)
      : InverseFeedforwardMethod(params.inverse, context), params_(std::move(params)) {}
  std::unique_ptr<Compensator> make() const override {
    return makeAdaptiveInverseModel(params_, context().step_s, context().axes);
  }

 private:
  AdaptiveInverseModelParams params_;
};

}  // namespace

std::unique_ptr<Compensator> makeAdaptiveInverseModel(const AdaptiveInverseModelParams& params, double step_s,
                                                      const Axes& axes) {
  Checks checks;
  params.check(step_s, checks);
  checks.throwIfAny();
  return std::make_unique<AdaptiveInverseModel>(params, step_s, axes);
}

CompensationMethodPtr parseAdaptiveInverseModel(const Json& settings, const MethodContext& context, Checks& checks) {
  AdaptiveInverseModelParams params;
  readInverseFeedforward(settings, params.inverse);
  read(settings, "gain_exponents", params.gain_exponents);
  read(settings, "adaption", params.adaption);
  read(settings, "anti_windup", params.anti_windup);
  params.check(context.step_s, checks);
  return checks.ok() ? std::make_shared<const AdaptiveInverseMethod>(std::move(params), context) : nullptr;
}

}  // namespace hyb
