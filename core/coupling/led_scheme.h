#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/coupling/compensated_scheme.h"
#include "core/tick/target_exchange.h"

namespace hyb {

/// A scheme that is led by another program, which computes the NS and decides on the length of the test: it gets
/// targets by a TargetExchange and gives back what was measured at them. Command = compensator(target, x).
class LedScheme : public CompensatedScheme, private Director {
 public:
  std::size_t interfaces() const noexcept override { return interface_.size(); }
  std::vector<AxisSignals> axisSignals() const override { return motionSignals(interface_); }
  Director* director() noexcept override { return this; }

  void reset() override {
    restart();
    compensator_->reset();
    ticks_ = 0;
  }

 protected:
  LedScheme(std::vector<Dof> interface, double step_s, std::unique_ptr<Compensator> compensator,
            std::shared_ptr<TargetExchange> exchange)
      : CompensatedScheme(std::move(compensator)),
        interface_(std::move(interface)),
        step_s_(step_s),
        exchange_(std::move(exchange)) {
    state_.target.setZero(static_cast<Eigen::Index>(interface_.size()));
    state_.target_rate = state_.measured = state_.target;
  }

  /// The newest target; null: none since the last call. Call once per period.
  const ExternalTargetPoint* newTarget() noexcept {
    ++ticks_;
    if (!exchange_->targets.receive()) return nullptr;
    number_ = exchange_->targets.value().number;
    return &exchange_->targets.value();
  }
  /// Target and command of this tick from state_.target and its rate.
  void follow(const RigState& state, CouplingOutput& output) noexcept {
    state_.measured = state.measured;
    compensator_->update(state_, output.command);
    output.target = state_.target;
    output.target_rate = state_.target_rate;
  }
  /// Gives back what was measured at the newest target, once.
  void answer(const RigState& state) noexcept {
    if (answered_ == number_) return;
    answered_ = number_;
    ExternalAnswer& draft = exchange_->answers.draft();
    std::copy(state.measured.begin(), state.measured.end(), draft.displacement_m.begin());
    std::copy(state.force.begin(), state.force.end(), draft.force_n.begin());
    draft.time_s = static_cast<double>(ticks_) * step_s_;
    draft.number = number_;
    exchange_->answers.publish();
    exchange_->answered.store(number_, std::memory_order_release);
    exchange_->changed();
  }
  /// The newest target has been answered.
  bool answered() const noexcept { return answered_ == number_; }
  std::uint64_t number() const noexcept { return number_; }

  bool takeEvent(Event& event) noexcept override { return exchange_->remarks.pop(event); }
  EndReason ends() const noexcept override {
    if (!exchange_->finished.load(std::memory_order_acquire)) return EndReason::running;
    return exchange_->abandoned.load(std::memory_order_acquire) ? EndReason::client_lost : EndReason::completed;
  }

  const std::vector<Dof> interface_;
  const double step_s_;
  const std::shared_ptr<TargetExchange> exchange_;
  InterfaceState state_;

 private:
  std::int64_t ticks_ = 0;
  std::uint64_t number_ = 1, answered_ = 0;
};

}  // namespace hyb
