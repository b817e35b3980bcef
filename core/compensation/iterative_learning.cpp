#include "core/compensation/iterative_learning.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/minimum.h"
#include "core/base/numbers.h"
#include "core/signal/zero_phase.h"

namespace hyb {
namespace {

constexpr std::size_t kMostNumbers = 200'000;  // ticks of a trial times axes: copied within a tick

class IterativeLearning final : public Addition {
 public:
  IterativeLearning(const IterativeLearningParams& params, const AdditionContext& context)
      : params_(params), context_(context), ticks_(context.trial_ticks), axes_(context.axes.count) {
    context_.response = nullptr;
    for (Axis& axis : axes_) {
      axis.added.assign(ticks_, 0.0);
      axis.missing.assign(ticks_, 0.0);
      axis.next.assign(ticks_, 0.0);
      if (params_.contact)
        for (std::vector<double>* record : {&axis.contact, &axis.weight, &axis.next_contact})
          record->assign(ticks_, 0.0);
    }
  }

  void reset() override {
    for (Axis& axis : axes_) {
      std::ranges::fill(axis.added, 0.0);
      std::ranges::fill(axis.missing, 0.0);
      axis.now = axis.largest = 0.0;
    }
    tick_ = 0;
    trial_over_ = learns_ = false;
  }
  /// After a hold the trial continues.
  void restart() noexcept override {
    for (Axis& axis : axes_) axis.now = 0.0;
    if (!trial_over_) return;
    tick_ = 0;
    trial_over_ = false;
  }

  void update(const AdditionInput& input, Eigen::VectorXd& added) noexcept override {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      Axis& axis = axes_[i];
      axis.now = tick_ < ticks_ ? axis.added[tick_] : 0.0;
      if (tick_ > 0 && tick_ <= ticks_) {  // the gap read now is that of the addition of the previous tick
        const double missing = -input.gap[k];
        axis.missing[tick_ - 1] = std::isfinite(missing) && input.cut[k] * missing <= 0.0 ? missing : 0.0;
        if (tick_ < ticks_) axis.missing[tick_] = axis.missing[tick_ - 1];  // until its own gap is read
        if (params_.contact) {
          axis.contact[tick_ - 1] = input.contact[k];
          if (tick_ < ticks_) axis.contact[tick_] = input.contact[k];
        }
      }
      added[k] = axis.now * context_.scale[i];
    }
    ++tick_;
  }

  bool endTrial(bool whole) noexcept override {
    trial_over_ = true;
    taught_with_ = params_;  // may be tuned in the meantime
    return learns_ = whole && tick_ >= ticks_;
  }
  void learn() noexcept override {
    for (Axis& axis : axes_) learn(axis);
  }
  void adopt() noexcept override {
    if (learns_)
      for (Axis& axis : axes_) {
        axis.added.swap(axis.next);
        axis.largest = axis.next_largest;
      }
    learns_ = false;
  }

  std::vector<Tunable> tunables() const override {
    std::vector<Tunable> all = {
        {context_.axes.name("ilc_proportional"), "", params_.free.proportional, "/proportional"},
        {context_.axes.name("ilc_derivative"), "s", params_.free.derivative_s, "/derivative_s"}};
    if (params_.contact) {
      all.push_back(
          {context_.axes.name("ilc_contact_proportional"), "", params_.contact->proportional, "/contact/proportional"});
      all.push_back(
          {context_.axes.name("ilc_contact_derivative"), "s", params_.contact->derivative_s, "/contact/derivative_s"});
    }
    return all;
  }
  void tune(std::size_t index, double value) noexcept override {
    LearningSet& set = index < 2 ? params_.free : *params_.contact;
    (index % 2 == 0 ? set.proportional : set.derivative_s) = value;
  }

  std::vector<Adapted> adapted() const override {
    std::vector<Adapted> all;
    const bool rate = context_.level == AdditionLevel::velocity;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const std::string axis = context_.axes.number(i);
      all.push_back({context_.axes.name("ilc_added", i), rate ? "m/s" : "m",
                     std::string(rate ? "rate" : "displacement") +
                         " that iterative learning adds to the command of interface " + axis,
                     "added " + axis, "Iterative learning", true});
      all.push_back({context_.axes.name("ilc_largest", i), rate ? "m/s" : "m",
                     "largest that iterative learning adds in this trial to the command of interface " + axis,
                     "largest " + axis, "Iterative learning"});
    }
    return all;
  }
  void readAdapted(std::span<double> values) const noexcept override {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      values[2 * i] = axes_[i].now * context_.scale[i];
      values[2 * i + 1] = axes_[i].largest * context_.scale[i];
    }
  }

  std::size_t learnt() const noexcept override { return axes_.size() * ticks_; }
  void readLearnt(std::span<double> values) const noexcept override {
    auto to = values.begin();
    for (const Axis& axis : axes_) to = std::ranges::copy(axis.added, to).out;
  }
  void setLearnt(std::span<const double> values) noexcept override {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      std::ranges::copy(values.subspan(i * ticks_, ticks_), axes_[i].added.begin());
      axes_[i].largest = largestOf(axes_[i].added);
    }
  }

 private:
  struct Axis {
    std::vector<double> added, missing;  // f and e over the trial, m: e[k] is the effect of f[k]
    std::vector<double> next;            // f of the next trial
    /// With a set for contact: 1 in contact at the gap of each tick, this as a weight, and the next f by that set.
    std::vector<double> contact, weight, next_contact;
    double now = 0.0;                          // f of this tick
    double largest = 0.0, next_largest = 0.0;  // magnitudes of added and next
  };

  static double largestOf(const std::vector<double>& record) noexcept {
    double largest = 0.0;
    for (const double value : record) largest = std::max(largest, std::abs(value));
    return largest;
  }
  void learn(Axis& axis) noexcept {
    double before = axis.missing.empty() ? 0.0 : axis.missing.front();
    for (std::size_t k = 0; k < ticks_; ++k) {
      const double missing = axis.missing[k];
      const LearningSet& set =
          taught_with_.contact && axis.contact[k] > 0.5 ? *taught_with_.contact : taught_with_.free;
      axis.next[k] =
          axis.added[k] + set.proportional * missing + set.derivative_s * (missing - before) / context_.step_s;
      before = missing;
    }
    if (contact_filter_) {
      std::ranges::copy(axis.next, axis.next_contact.begin());
      std::ranges::copy(axis.contact, axis.weight.begin());
      contact_filter_->apply(axis.next_contact);
      (params_.contact->cutoff_hz > params_.free.cutoff_hz ? *contact_filter_ : filter_).apply(axis.weight);
    }
    filter_.apply(axis.next);
    if (contact_filter_)
      for (std::size_t k = 0; k < ticks_; ++k) axis.next[k] += axis.weight[k] * (axis.next_contact[k] - axis.next[k]);
    axis.next_largest = largestOf(axis.next);
  }

  IterativeLearningParams params_, taught_with_ = params_;
  AdditionContext context_;
  std::size_t ticks_, tick_ = 0;              // of a trial; since its start
  bool trial_over_ = false, learns_ = false;  // learns_: from the last trial for the next one
  std::vector<Axis> axes_;
  ZeroPhase filter_{params_.order, params_.free.cutoff_hz, context_.step_s};
  std::optional<ZeroPhase> contact_filter_ =
      params_.contact ? std::optional(ZeroPhase(params_.order, params_.contact->cutoff_hz, context_.step_s))
                      : std::nullopt;
};

class IterativeLearningSpec final : public AdditionSpec {
 public:
  explicit IterativeLearningSpec(const IterativeLearningParams& params) : params_(params) {}
  std::unique_ptr<Addition> make(const AdditionContext& context) const override {
    return makeIterativeLearning(params_, context);
  }
  bool adapts() const noexcept override { return true; }
  bool switchesAtContact() const noexcept override { return params_.contact.has_value(); }
  /// |Q (I + S L)| < 1 (equation 6.20), for several axes the largest sum of a row. L is that of learn(): the backward
  /// difference, and the gap of the next tick.
  std::optional<LearningCondition> learningCondition(const AdditionContext& context, const ErrorOfAdded& error,
                                                     bool in_contact) const override {
    const LearningSet& set = in_contact && params_.contact ? *params_.contact : params_.free;
    const ZeroPhase filter(params_.order, set.cutoff_hz, context.step_s);
    const auto factor = [&](double hz) {
      const std::complex<double> s(0.0, 2.0 * kPi * hz), next = std::exp(s * context.step_s);
      const std::complex<double> law = next * set.proportional + (next - 1.0) / context.step_s * set.derivative_s;
      Eigen::MatrixXcd left = law * error(s);
      left.diagonal().array() += 1.0;
      return filter.magnitude(hz) * left.cwiseAbs().rowwise().sum().maxCoeff();
    };
    constexpr int kPoints = 2000;  // 0.6 % apart: three of them on the peak of a mode with 1 % damping
    const double from_hz = 1e-3 * set.cutoff_hz, to_hz = std::min(100.0 * set.cutoff_hz, 0.4 / context.step_s);
    const auto hzOf = [&](double point) { return from_hz * std::pow(to_hz / from_hz, point / (kPoints - 1)); };
    int most = 0;
    double largest = -1.0;
    for (int point = 0; point < kPoints; ++point)
      if (const double here = factor(hzOf(point)); here > largest) {
        largest = here;
        most = point;
      }
    const auto less = [&](double point) { return -factor(hzOf(point)); };
    const bool inside = most > 0 && most < kPoints - 1;  // a single peak between its neighbours
    const double hz = hzOf(inside ? minimumOf(less, most - 1.0, most + 1.0).first : most);
    LearningCondition condition{factor(hz), hz};
    constexpr int kDrawn = 200;
    const double drawn_hz = std::min(to_hz, std::max(5.0 * set.cutoff_hz, 2.0 * hz));
    for (int point = 1; point <= kDrawn; ++point) condition.hz.push_back(drawn_hz * point / kDrawn);
    condition.hz.insert(std::ranges::lower_bound(condition.hz, hz), hz);
    for (const double at_hz : condition.hz) condition.factors.push_back(factor(at_hz));
    return condition;
  }

 private:
  IterativeLearningParams params_;
};

}  // namespace

std::unique_ptr<Addition> makeIterativeLearning(const IterativeLearningParams& params, const AdditionContext& context) {
  const double rate_hz = 1.0 / context.step_s, trial_s = static_cast<double>(context.trial_ticks) * context.step_s;
  if (context.trial_ticks == 0)
    throw InputError(context.where + "/addition",
                     "learns from one trial to the next, but this test runs once; repeat it (/loop/trials).");
  requireContact(context, params.contact.has_value());
  const auto check = [&](const LearningSet& set, const std::string& where) {
    if (!(set.cutoff_hz < 0.5 * rate_hz))
      throw InputError(where, "is " + Checks::text(set.cutoff_hz, "Hz") + ", but a loop of " +
                                  Checks::text(rate_hz, "Hz") + " contains no frequencies above " +
                                  Checks::text(0.5 * rate_hz, "Hz") + "; lower it.");
    if (set.cutoff_hz * trial_s < 1.0)
      throw InputError(where, "is " + Checks::text(set.cutoff_hz, "Hz") + ": the filter is longer than the trial (" +
                                  Checks::text(trial_s, "s") + "). Set it to more than " +
                                  Checks::text(1.0 / trial_s, "Hz") + ", or lengthen /loop/trials/length_s.");
  };
  check(params.free, context.where + "/cutoff_hz");
  if (params.contact) check(*params.contact, context.where + "/contact/cutoff_hz");
  if (context.trial_ticks * context.axes.count > kMostNumbers)
    throw InputError(context.where + "/addition",
                     "learns " + std::to_string(context.trial_ticks * context.axes.count) + " numbers; " +
                         std::to_string(kMostNumbers) +
                         " at most; shorten /loop/trials/length_s, or lower /loop/rate_hz.");
  return std::make_unique<IterativeLearning>(params, context);
}

AdditionSpecPtr parseIterativeLearning(const Json& settings) {
  IterativeLearningParams params;
  const auto readSet = [](const Json& from, LearningSet& set) {
    read(from, "proportional", set.proportional);
    read(from, "derivative_s", set.derivative_s);
    read(from, "cutoff_hz", set.cutoff_hz);
  };
  readSet(settings, params.free);
  if (settings.contains("contact")) readSet(settings["contact"], params.contact.emplace());
  read(settings, "order", params.order);
  return std::make_shared<const IterativeLearningSpec>(params);
}

}  // namespace hyb
