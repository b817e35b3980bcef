#include "core/compensation/fir.h"

#include <algorithm>
#include <cmath>

#include "core/base/json.h"

namespace hyb {
namespace {

/// The newest values, newest first, in contiguous memory.
class Newest {
 public:
  explicit Newest(Eigen::Index length) : twice_(Eigen::VectorXd::Zero(2 * length)), length_(length) {}
  void clear() noexcept { twice_.setZero(); }
  void push(double value) noexcept {
    first_ = first_ == 0 ? length_ - 1 : first_ - 1;
    twice_[first_] = twice_[first_ + length_] = value;
  }
  auto head(Eigen::Index count) const noexcept { return twice_.segment(first_, count); }

 private:
  Eigen::VectorXd twice_;  // each value twice, so that no segment wraps around
  Eigen::Index length_, first_ = 0;
};

/// One axis.
struct Filter {
  Filter(Eigen::Index taps, Eigen::Index sets, Eigen::VectorXd path)
      : response(std::move(path)),
        coefficients(Eigen::MatrixXd::Zero(taps, sets)),
        targets(std::max(taps, response.size())),
        filtered(taps) {}
  Eigen::VectorXd response;      // of the transfer system, tick by tick
  Eigen::MatrixXd coefficients;  // theta, newest target first; the second column is that of the contact
  Newest targets, filtered;      // b and b~, m
  double added = 0.0;
};

class Fir final : public Addition {
 public:
  Fir(const FirParams& params, const AdditionContext& context)
      : params_(params),
        context_(context),
        sets_(params.contact ? 2 : 1),
        shown_(std::min(params.taps, params.shown_coefficients)) {
    for (std::size_t i = 0; i < context.axes.count; ++i) {
      const std::vector<double> response = context.response(i);
      filters_.emplace_back(
          params.taps, sets_,
          Eigen::Map<const Eigen::VectorXd>(response.data(), static_cast<Eigen::Index>(response.size())));
    }
    context_.response = nullptr;
  }

  void reset() override {
    restart();
    for (Filter& filter : filters_) filter.coefficients.setZero();
  }
  void restart() noexcept override {
    for (Filter& filter : filters_) {
      filter.targets.clear();
      filter.filtered.clear();
      filter.added = 0.0;
    }
  }

  void update(const AdditionInput& input, Eigen::VectorXd& added) noexcept override {
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      const bool contact = sets_ > 1 && input.contact[k] > 0.5;
      added[k] = update(filters_[i], input.target[k], -input.gap[k], input.cut[k], contact) * context_.scale[i];
    }
  }

  std::vector<Tunable> tunables() const override {
    std::vector<Tunable> all = {{context_.axes.name("fir_step"), "", params_.free.step_size, "/step_size"},
                                {context_.axes.name("fir_leakage"), "1/tick", params_.free.leakage, "/leakage"}};
    if (params_.contact) {
      all.push_back({context_.axes.name("fir_contact_step"), "", params_.contact->step_size, "/contact/step_size"});
      all.push_back(
          {context_.axes.name("fir_contact_leakage"), "1/tick", params_.contact->leakage, "/contact/leakage"});
    }
    return all;
  }
  void tune(std::size_t index, double value) noexcept override {
    FirRates& rates = index < 2 ? params_.free : *params_.contact;
    (index % 2 == 0 ? rates.step_size : rates.leakage) = value;
  }

  std::vector<Adapted> adapted() const override {
    std::vector<Adapted> all;
    const bool rate = context_.level == AdditionLevel::velocity;
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      const std::string axis = context_.axes.number(i), group = "FIR filter " + axis;
      all.push_back({context_.axes.name("fir_added", i), rate ? "m/s" : "m",
                     std::string(rate ? "rate" : "displacement") +
                         " that the FIR filter adds to the command of interface " + axis,
                     "added", group, true});
      for (Eigen::Index set = 0; set < sets_; ++set)
        for (int n = 0; n < shown_; ++n) {
          const std::string number = std::to_string(tapOf(n) + 1);
          all.push_back(
              {context_.axes.name(set == 0 ? "fir_coefficient" : "fir_contact_coefficient", i) + "_" + number, "",
               "coefficient " + number + " of the FIR filter of interface " + axis + (set == 0 ? "" : " in contact") +
                   ", of the target " + std::to_string(tapOf(n)) + " ticks back",
               "tap " + number, set == 0 ? group : group + " in contact"});
        }
    }
    return all;
  }
  void readAdapted(std::span<double> values) const noexcept override {
    std::size_t v = 0;
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      values[v++] = filters_[i].added * context_.scale[i];
      for (Eigen::Index set = 0; set < sets_; ++set)
        for (int n = 0; n < shown_; ++n) values[v++] = filters_[i].coefficients(tapOf(n), set);
    }
  }
  std::size_t learnt() const noexcept override {
    return filters_.size() * static_cast<std::size_t>(params_.taps) * static_cast<std::size_t>(sets_);
  }
  void readLearnt(std::span<double> values) const noexcept override {
    auto next = values.begin();
    for (const Filter& filter : filters_) next = std::ranges::copy(filter.coefficients.reshaped(), next).out;
  }
  void setLearnt(std::span<const double> values) noexcept override {
    auto next = values.begin();
    for (Filter& filter : filters_)
      for (double& coefficient : filter.coefficients.reshaped()) coefficient = *next++;
  }

 private:
  /// Index of the n-th displayed coefficient; the first and the last are included.
  Eigen::Index tapOf(int n) const noexcept {
    return shown_ < 2 ? 0 : (static_cast<Eigen::Index>(n) * (params_.taps - 1) + (shown_ - 1) / 2) / (shown_ - 1);
  }

  double update(Filter& filter, double target, double missing_m, double cut, bool contact) noexcept {
    if (!std::isfinite(target)) return 0.0;
    filter.targets.push(target);
    filter.filtered.push(filter.response.dot(filter.targets.head(filter.response.size())));
    const FirRates& rates = contact ? *params_.contact : params_.free;
    auto theta = filter.coefficients.col(contact ? 1 : 0);
    const auto b = filter.targets.head(params_.taps), effect = filter.filtered.head(params_.taps);
    if (const double size = params_.floor_m2 + effect.squaredNorm(); std::isfinite(missing_m) && std::isfinite(size)) {
      const double step = cut * missing_m > 0.0 ? 0.0 : rates.step_size / size * missing_m;
      theta = (1.0 - rates.leakage) * theta + step * effect;
    }
    filter.added = theta.dot(b);
    return filter.added;
  }

  FirParams params_;
  AdditionContext context_;
  Eigen::Index sets_;
  int shown_;
  std::vector<Filter> filters_;
};

class FirSpec final : public AdditionSpec {
 public:
  explicit FirSpec(const FirParams& params) : params_(params) {}
  std::unique_ptr<Addition> make(const AdditionContext& context) const override { return makeFir(params_, context); }
  bool adapts() const noexcept override { return true; }
  bool switchesAtContact() const noexcept override { return params_.contact.has_value(); }

 private:
  FirParams params_;
};

}  // namespace

std::unique_ptr<Addition> makeFir(const FirParams& params, const AdditionContext& context) {
  requireContact(context, params.contact.has_value());
  return std::make_unique<Fir>(params, context);
}

AdditionSpecPtr parseFir(const Json& settings) {
  FirParams params;
  read(settings, "taps", params.taps);
  const auto readRates = [](const Json& from, FirRates& rates) {
    read(from, "step_size", rates.step_size);
    read(from, "leakage", rates.leakage);
  };
  readRates(settings, params.free);
  if (settings.contains("contact")) readRates(settings["contact"], params.contact.emplace());
  read(settings, "floor_m2", params.floor_m2);
  read(settings, "shown_coefficients", params.shown_coefficients);
  return std::make_shared<const FirSpec>(params);
}

}  // namespace hyb
