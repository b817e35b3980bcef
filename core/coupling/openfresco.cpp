#include "core/coupling/openfresco.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/figure_text.h"
#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/coupling/led_scheme.h"
#include "core/coupling/led_spec.h"
#include "core/coupling/target_path.h"

namespace hyb {
namespace {

constexpr int kInTime = 10;           // steps in time that end a series of late ones
constexpr double kReturn_s = 1.0;     // to the target after a hold, where no limit bounds the rate
constexpr double kReturnShare = 0.5;  // of the bound on the rate on that way
constexpr double kReturnPeak = 1.5;   // peak over mean rate of a motion from rest to rest

std::vector<Channel> ledChannels() {
  return {{"model_phase", "", "motion between the targets of the model: 0 stands, 1 corrects, 2 predicts, 3 holds", 0,
           "phase", "model phase", true},
          {"model_target", "", "number of the newest target of the model, 1: at rest", 0, "target number",
           "model target", true}};
}

TargetPathSpec pathOf(const OpenFrescoPath& path, const std::vector<TargetReach>& reach) {
  TargetPathSpec spec{path.step_ticks, static_cast<int>(path.predict_share * path.step_ticks), path.order, {}};
  spec.predict_ticks = std::clamp(spec.predict_ticks, 0, path.step_ticks - 1);
  spec.most.resize(static_cast<Eigen::Index>(reach.size()));
  for (std::size_t i = 0; i < reach.size(); ++i) spec.most[static_cast<Eigen::Index>(i)] = reach[i].most;
  return spec;
}

class OpenFresco final : public LedScheme {
 public:
  OpenFresco(std::vector<Dof> interface, const OpenFrescoPath& path, double step_s,
             std::unique_ptr<Compensator> compensator, std::shared_ptr<TargetExchange> exchange,
             std::vector<TargetReach> reach)
      : LedScheme(std::move(interface), step_s, std::move(compensator), std::move(exchange)),
        reach_(std::move(reach)),
        path_(interfaces(), pathOf(path, reach_)),
        settle_ticks_(path.settle_ticks),
        silence_s_(path.silence_s) {
    reach_.resize(interfaces());
    wanted_ = asked_ = state_.target;
  }

  void reset() override {
    wanted_.setZero();
    finite_ = true;
    waiting_events_ = 0;
    series_ = {};
    late_steps_ = refused_ = 0;
    LedScheme::reset();
  }

  void restart() noexcept override {
    state_.target.setZero();
    path_.standAt(state_.target);
    if (!wanted_.isZero(0.0)) path_.lead(wanted_, true, wayBack_ticks());
    standing_ticks_ = 0;
    compensator_->restart();
  }

  void update(const RigState& state, const ExcitationValue&, CouplingOutput& output) noexcept override {
    if (const ExternalTargetPoint* const target = newTarget()) take(target->displacement_m);
    if (!finite_) {
      output.target.setConstant(kNoValue);
      output.target_rate.setZero();
      return;
    }
    // Nothing was commanded in a missed period, so the motion does not go on either.
    if (!state.missed) {
      path_.advance();
      if (path_.phase() == TargetPath::Phase::hold) countHold();
    }
    state_.target = path_.position();
    state_.target_rate = path_.rate() / step_s_;
    follow(state, output);
    if (state.missed || path_.phase() == TargetPath::Phase::correct) return;
    if (standing_ticks_ >= settle_ticks_) answer(state);
    ++standing_ticks_;
  }

  std::vector<Channel> channels() const override { return ledChannels(); }
  void readChannels(std::span<double> values) const noexcept override {
    values[0] = static_cast<double>(path_.phase());
    values[1] = static_cast<double>(number());
  }

 private:
  /// Late steps with fewer than kInTime steps in time between them.
  struct LateSeries {
    int steps = 0, in_time = 0;
    std::int64_t held_ticks = 0;
  };

  bool takeEvent(Event& event) noexcept override {
    if (LedScheme::takeEvent(event)) return true;
    if (waiting_events_ == 0) return false;
    event = events_.front();
    std::move(events_.begin() + 1, events_.end(), events_.begin());
    --waiting_events_;
    return true;
  }
  EndReason ends() const noexcept override {
    const EndReason reason = LedScheme::ends();
    return reason == EndReason::running && silent() ? EndReason::client_lost : reason;
  }
  std::string summary() const override {
    std::string text;
    const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
    if (exchange_->abandoned.load(std::memory_order_acquire))
      add("disconnected without ending the test");
    else if (silent())
      add("sent no target for " + figureText(silence_s_) + " s");
    if (late_steps_ > 0)
      add("the model was late in " + std::to_string(late_steps_) + " of " + std::to_string(number() - 1) + " steps");
    if (refused_ > 0)
      add(std::to_string(refused_) +
          (refused_ == 1 ? " target beyond the limits was refused" : " targets beyond the limits were refused"));
    return text;
  }

  bool silent() const noexcept {
    return silence_s_ > 0.0 && path_.phase() == TargetPath::Phase::hold &&
           static_cast<double>(path_.ticks()) * step_s_ >= silence_s_;
  }

  void tell(EventCode code, Severity severity, std::int64_t index, double value, double bound,
            std::string_view unit) noexcept {
    if (waiting_events_ == events_.size()) return;
    Event& event = events_[waiting_events_++];
    event = {0, code, severity, static_cast<std::int32_t>(index), value, bound, {}};
    event.setText(unit);
  }

  /// A tick without target after the motion has come to rest.
  void countHold() noexcept {
    ++series_.held_ticks;
    if (holding_) return;
    holding_ = true;
    ++late_steps_;
    series_.in_time = 0;
    if (series_.steps++ == 0)
      tell(EventCode::model_late, Severity::warning, static_cast<std::int64_t>(number()),
           static_cast<double>(path_.ticks()) * step_s_, 0.0, {});
  }

  void countInTime() noexcept {
    if (series_.steps == 0 || std::exchange(holding_, false) || ++series_.in_time < kInTime) return;
    tell(EventCode::model_in_time, Severity::info, series_.steps, static_cast<double>(series_.held_ticks) * step_s_,
         0.0, {});
    series_ = {};
  }

  void take(const std::vector<double>& target) noexcept {
    countInTime();
    std::copy(target.begin(), target.end(), asked_.begin());
    standing_ticks_ = 0;
    finite_ = asked_.allFinite();
    if (!finite_) return;
    const bool accepted = inReach();
    if (accepted)
      wanted_ = asked_;
    else
      ++refused_;
    path_.lead(wanted_, !accepted);
  }

  bool inReach() noexcept {
    for (Eigen::Index i = 0; i < asked_.size(); ++i) {
      const auto axis = static_cast<std::size_t>(i);
      const SignalKindFacts& signal = facts(kindOf(interface_[axis].motion));
      const TargetReach& reach = reach_[axis];
      const double far = asked_[i], fast = path_.peakRate(i, far) / step_s_;
      const bool too_far = std::abs(far) > reach.most;
      if (!too_far && !(fast > reach.rate)) continue;
      tell(EventCode::target_refused, Severity::warning, i + 1, too_far ? far : fast, too_far ? reach.most : reach.rate,
           too_far ? signal.unit : signal.rate_unit);
      return false;
    }
    return true;
  }

  std::int64_t wayBack_ticks() const noexcept {
    double longest_s = 0.0;
    for (Eigen::Index i = 0; i < wanted_.size(); ++i) {
      const double rate = kReturnShare * reach_[static_cast<std::size_t>(i)].rate;
      longest_s = std::max(longest_s, std::isfinite(rate) ? kReturnPeak * std::abs(wanted_[i]) / rate : kReturn_s);
    }
    return static_cast<std::int64_t>(std::ceil(longest_s / step_s_));
  }

  std::vector<TargetReach> reach_;
  TargetPath path_;
  int settle_ticks_;
  double silence_s_;
  Eigen::VectorXd asked_, wanted_;  // the newest target; the newest that was not refused
  bool finite_ = true, holding_ = false;
  std::int64_t standing_ticks_ = 0;  // since the target has been reached
  LateSeries series_;
  std::int64_t late_steps_ = 0, refused_ = 0;  // of the test
  std::array<Event, 4> events_{};
  std::size_t waiting_events_ = 0;
};

class OpenFrescoSpec final : public LedSpec {
 public:
  OpenFrescoSpec(SiteSpec site, const OpenFrescoPath& path) : LedSpec(std::move(site)), path_(path) {}
  std::string_view name() const noexcept override { return "openfresco"; }
  std::unique_ptr<CouplingScheme> make(SchemeContext context) const override {
    requireExchange(context.exchange, name());
    return makeOpenFresco(context.partition.interface, path_, context.step_s, std::move(context.compensator),
                          std::move(context.exchange), std::move(context.reach));
  }
  void check(std::size_t interfaces, const IntegratorSpec& integrator, Checks& checks) const override {
    LedSpec::check(interfaces, integrator, checks);
    if (path_.settle_ticks > 0 && path_.order > 0)
      checks.fault("/settle_ticks", "is " + std::to_string(path_.settle_ticks) +
                                        ", but the bench does not stand at a target with order " +
                                        std::to_string(path_.order) +
                                        " (/coupling/order); set it to 0, or set the order to 0.");
  }
  std::vector<Channel> channels(std::size_t /*interfaces*/) const override { return ledChannels(); }
  int stepTicks() const noexcept override { return path_.step_ticks + (path_.order == 0 ? path_.settle_ticks : 0); }
  std::optional<int> restTicks() const noexcept override {
    return path_.order == 0 ? std::optional(path_.settle_ticks) : std::nullopt;
  }

 private:
  OpenFrescoPath path_;
};

}  // namespace

std::unique_ptr<CouplingScheme> makeOpenFresco(std::vector<Dof> interface, const OpenFrescoPath& path, double step_s,
                                               std::unique_ptr<Compensator> compensator,
                                               std::shared_ptr<TargetExchange> exchange,
                                               std::vector<TargetReach> reach) {
  return std::make_unique<OpenFresco>(std::move(interface), path, step_s, std::move(compensator), std::move(exchange),
                                      std::move(reach));
}

CouplingSpecPtr parseOpenFresco(const Json& settings) {
  OpenFrescoPath path;
  read(settings, "step_ticks", path.step_ticks);
  read(settings, "predict_share", path.predict_share);
  read(settings, "order", path.order);
  read(settings, "settle_ticks", path.settle_ticks);
  read(settings, "silence_s", path.silence_s);
  return std::make_shared<const OpenFrescoSpec>(siteOf(settings, "generic-tcp"), path);
}

}  // namespace hyb
