#include "core/integration/schemes.h"

namespace hyb {
namespace {

/// Several model steps per tick, with linear or held load.
class Substeps final : public Integrator {
 public:
  Substeps(std::unique_ptr<Integrator> inner, int substeps, LoadOverTick load)
      : inner_(std::move(inner)), substeps_(substeps), ramp_(load == LoadOverTick::ramp) {
    x_ = v_ = a_ = old_load_ = load_ = Eigen::VectorXd::Zero(inner_->displacement().size());
  }

  void reset() noexcept override {
    inner_->reset();
    old_load_.setZero();
    show();
  }

  void step(const Eigen::VectorXd& load_n) noexcept override {
    for (int i = 1; i <= substeps_; ++i) {
      const double share = ramp_ ? static_cast<double>(i) / substeps_ : 1.0;
      load_ = share * load_n + (1.0 - share) * old_load_;
      inner_->step(load_);
    }
    old_load_ = load_n;
    show();
  }

  Eigen::VectorXd state() const override { return joined(inner_->state(), old_load_); }
  void setState(const Eigen::VectorXd& state) override {
    inner_->setState(state.head(state.size() - old_load_.size()));
    old_load_ = state.tail(old_load_.size());
    show();
  }

 private:
  void show() noexcept {
    x_ = inner_->displacement();
    v_ = inner_->velocity();
    a_ = inner_->acceleration();
  }

  std::unique_ptr<Integrator> inner_;
  int substeps_;
  bool ramp_;
  Eigen::VectorXd old_load_, load_;  // [n]
};

/// One model step per several ticks. Between two of them the motion continues with the last acceleration held. The
/// state is that at the last model step, and setState() starts a new one: probe over whole model steps.
class Extrapolated final : public Integrator {
 public:
  Extrapolated(std::unique_ptr<Integrator> inner, int ticks_per_step, double tick_s)
      : inner_(std::move(inner)), ticks_per_step_(ticks_per_step), tick_s_(tick_s) {
    x_ = v_ = a_ = load_sum_ = Eigen::VectorXd::Zero(inner_->displacement().size());
  }

  void reset() noexcept override {
    inner_->reset();
    begin();
  }

  void step(const Eigen::VectorXd& load_n) noexcept override {
    load_sum_ += load_n;
    if (++ticks_ == ticks_per_step_) {
      load_sum_ /= ticks_per_step_;
      inner_->step(load_sum_);
      begin();
      return;
    }
    const double t = ticks_ * tick_s_;
    x_ = inner_->displacement() + t * inner_->velocity() + 0.5 * t * t * inner_->acceleration();
    v_ = inner_->velocity() + t * inner_->acceleration();
  }

  Eigen::VectorXd state() const override { return inner_->state(); }
  void setState(const Eigen::VectorXd& state) override {
    inner_->setState(state);
    begin();
  }

 private:
  void begin() noexcept {
    ticks_ = 0;
    load_sum_.setZero();
    x_ = inner_->displacement();
    v_ = inner_->velocity();
    a_ = inner_->acceleration();
  }

  std::unique_ptr<Integrator> inner_;
  int ticks_per_step_;
  double tick_s_;
  int ticks_ = 0;             // since the last model step
  Eigen::VectorXd load_sum_;  // [n]
};

}  // namespace

std::unique_ptr<Integrator> makeSubsteps(std::unique_ptr<Integrator> inner, int substeps, LoadOverTick load) {
  return std::make_unique<Substeps>(std::move(inner), substeps, load);
}

std::unique_ptr<Integrator> makeExtrapolated(std::unique_ptr<Integrator> inner, int ticks_per_step, double tick_s) {
  return std::make_unique<Extrapolated>(std::move(inner), ticks_per_step, tick_s);
}

}  // namespace hyb
