#include "core/compensation/inverse_model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/json.h"

namespace hyb {

void InverseModelParams::check(Checks& checks) const {
  checks.positive("/numerator", numerator, "");
  if (denominator.size() < 2)
    checks.fault("/denominator", "has too few entries; give at least two, from the highest power down to s^0");
  // A stable model without zeros has coefficients of equal sign.
  for (std::size_t n = 0; n < denominator.size(); ++n)
    checks.positive("/denominator/" + std::to_string(n), denominator[n], "");
  for (Eigen::Index i = 0; i < gain.size(); ++i) checks.positive("/gain/" + std::to_string(i), gain[i], "");
}

std::vector<double> inverseCoefficients(const InverseModelParams& params) {
  std::vector<double> coefficients(params.denominator.rbegin(), params.denominator.rend());
  for (double& c : coefficients) c /= params.numerator;
  return coefficients;
}

std::vector<double> inverseTaps(const std::vector<double>& coefficients, double step_s) {
  std::vector<double> taps(coefficients.size(), 0.0);
  std::vector<double> difference{1.0};  // binomial coefficients with alternating signs, over step^n
  for (std::size_t n = 0; n < coefficients.size(); ++n) {
    for (std::size_t j = 0; j < difference.size(); ++j) taps[j] += coefficients[n] * difference[j];
    difference.push_back(0.0);
    for (std::size_t j = difference.size() - 1; j > 0; --j) difference[j] -= difference[j - 1];
    for (double& d : difference) d /= step_s;
  }
  return taps;
}

namespace {

class InverseModel final : public Compensator {
 public:
  InverseModel(const InverseModelParams& params, double step_s, const Axes& axes)
      : gain_(params.gain), axes_(axes), taps_(inverseTaps(inverseCoefficients(params), step_s)) {
    const auto kept = static_cast<Eigen::Index>(taps_.size());
    targets_.setZero(kept, gain_.size());
    rates_.setZero(kept, gain_.size());
  }
  void reset() override { filled_ = false; }
  void restart() noexcept override { filled_ = false; }
  void update(const InterfaceState& state, Command& command) noexcept override {
    const Eigen::Index kept = targets_.rows();
    for (Eigen::Index i = 0; i < gain_.size(); ++i) {
      for (Eigen::Index j = kept - 1; j > 0; --j) {
        targets_(j, i) = filled_ ? targets_(j - 1, i) : state.target[i];
        rates_(j, i) = filled_ ? rates_(j - 1, i) : 0.0;
      }
      targets_(0, i) = state.target[i];
      rates_(0, i) = state.target_rate[i];
      double position = 0.0, rate = 0.0;
      for (Eigen::Index j = 0; j < kept; ++j) {
        position += taps_[static_cast<std::size_t>(j)] * targets_(j, i);
        rate += taps_[static_cast<std::size_t>(j)] * rates_(j, i);
      }
      command.position[i] = gain_[i] * position;
      command.rate[i] = gain_[i] * rate;
    }
    filled_ = true;
  }
  std::vector<Tunable> tunables() const override {
    std::vector<Tunable> tunables;
    for (Eigen::Index i = 0; i < gain_.size(); ++i)
      tunables.push_back({axes_.name("gain", static_cast<std::size_t>(i)), "", gain_[i], "/gain"});
    return tunables;
  }
  void tune(std::size_t index, double value) noexcept override { gain_[static_cast<Eigen::Index>(index)] = value; }

 private:
  Eigen::VectorXd gain_;  // [i]
  Axes axes_;
  std::vector<double> taps_;         // [j], newest first
  Eigen::MatrixXd targets_, rates_;  // [j, i], newest first
  bool filled_ = false;
};

class InverseMethod final : public CompensationMethod {
 public:
  InverseMethod(InverseModelParams params, const MethodContext& context)
      : params_(std::move(params)), context_(context) {}
  std::unique_ptr<Compensator> make() const override {
    return makeInverseModel(params_, context_.step_s, context_.axes);
  }
  std::vector<double> taps(std::size_t axis) const override {
    std::vector<double> taps = inverseTaps(inverseCoefficients(params_), context_.step_s);
    for (double& tap : taps) tap *= params_.gain[static_cast<Eigen::Index>(axis)];
    return taps;
  }
  double lead_s(std::size_t) const override {
    const std::vector<double> c = inverseCoefficients(params_);
    return c[1] / c[0];
  }
  std::vector<std::string> remarks() const override {
    double power = 0.0;
    for (const double tap : taps(0)) power += tap * tap;
    char text[200];
    std::snprintf(
        text, sizeof text,
        "Compensates a delay of %.3g ms in slow motion. Noise gain %.3g: white noise in the target is amplified by "
        "this factor in the command.",
        1e3 * lead_s(0), std::sqrt(power));
    return {text};
  }

 private:
  InverseModelParams params_;
  MethodContext context_;
};

}  // namespace

std::unique_ptr<Compensator> makeInverseModel(const InverseModelParams& params, double step_s, const Axes& axes) {
  Checks checks;
  params.check(checks);
  checks.throwIfAny();
  return std::make_unique<InverseModel>(params, step_s, axes);
}

CompensationMethodPtr parseInverseModel(const Json& settings, const MethodContext& context, Checks& checks) {
  InverseModelParams params;
  read(settings, "numerator", params.numerator);
  read(settings, "denominator", params.denominator);
  params.gain = axisNumbers(settings, "gain", 1.0, context.axes, checks);
  if (checks.ok()) params.check(checks);
  return checks.ok() ? std::make_shared<const InverseMethod>(std::move(params), context) : nullptr;
}

bool holdsModel(const Json& settings) { return settings.is_object() && text(settings, "method") == "inverse-model"; }

void setModel(Json& settings, double numerator, const std::vector<double>& denominator) {
  settings["numerator"] = numerator;
  settings["denominator"] = denominator;
}

}  // namespace hyb
