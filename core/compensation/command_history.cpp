#include "core/compensation/command_history.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/base/checks.h"

namespace hyb {

TickDelay splitDelay(double delay_s, double step_s) noexcept {
  const double ticks = delay_s / step_s, nearest = std::round(ticks);
  if (std::abs(ticks - nearest) < 1e-9) return {static_cast<std::size_t>(nearest), 0.0};
  const double whole = std::floor(ticks);
  return {static_cast<std::size_t>(whole), ticks - whole};
}

CommandHistory::CommandHistory(std::size_t ticks) : entries_(std::bit_ceil(ticks + 1)), mask_(entries_.size() - 1) {}

void CommandHistory::reset() noexcept { std::fill(entries_.begin(), entries_.end(), Entry{}); }

CommandHistory::Entry CommandHistory::at(const TickDelay& delay) const noexcept {
  const Entry &newer = at(delay.ticks), &older = at(delay.ticks + 1);
  return {newer.position + delay.fraction * (older.position - newer.position),
          newer.rate + delay.fraction * (older.rate - newer.rate)};
}

CommandDelay::CommandDelay(const Eigen::VectorXd& delay_s, double step_s) {
  Checks checks;
  for (const double each_s : delay_s) checks.between("/compensation/added_delay_s", each_s, 0.0, 1e6 * step_s, "s");
  checks.throwIfAny();
  std::size_t longest = 0;
  for (const double each_s : delay_s) {
    delays_.push_back(splitDelay(each_s, step_s));
    longest = std::max(longest, delays_.back().ticks);
  }
  commands_.assign(delays_.size(), CommandHistory(longest + 1));
  kept_ = static_cast<Eigen::Index>(longest) + 1;
}

void CommandDelay::reset() noexcept {
  for (CommandHistory& history : commands_) history.reset();
}

void CommandDelay::apply(Command& command) noexcept {
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    const auto e = static_cast<Eigen::Index>(i);
    commands_[i].push({command.position[e], command.rate[e]});
    const CommandHistory::Entry due = commands_[i].at(delays_[i]);
    command.position[e] = due.position;
    command.rate[e] = due.rate;
  }
}

Eigen::VectorXd CommandDelay::state() const {
  Eigen::VectorXd state(2 * kept_ * static_cast<Eigen::Index>(commands_.size()));
  Eigen::Index next = 0;
  for (const CommandHistory& history : commands_)
    for (Eigen::Index back = kept_; back-- > 0; next += 2) {
      const CommandHistory::Entry& entry = history.at(static_cast<std::size_t>(back));
      state.segment(next, 2) << entry.position, entry.rate;
    }
  return state;
}

void CommandDelay::setState(const Eigen::VectorXd& state) {
  Eigen::Index next = 0;
  for (CommandHistory& history : commands_)
    for (Eigen::Index k = 0; k < kept_; ++k, next += 2) history.push({state[next], state[next + 1]});
}

namespace {

class AddedDelay final : public Compensator {
 public:
  AddedDelay(std::unique_ptr<Compensator> method, const Eigen::VectorXd& delay_s, double step_s)
      : method_(std::move(method)), delay_(delay_s, step_s) {}
  void reset() override {
    method_->reset();
    delay_.reset();
  }
  void restart() noexcept override {
    method_->restart();
    delay_.reset();
  }
  void update(const InterfaceState& state, Command& command) noexcept override {
    method_->update(state, command);
    delay_.apply(command);
  }
  bool endTrial(bool whole) noexcept override { return method_->endTrial(whole); }
  void learn() noexcept override { method_->learn(); }
  void adopt() noexcept override { method_->adopt(); }
  std::vector<Tunable> tunables() const override { return method_->tunables(); }
  void tune(std::size_t index, double value) noexcept override { method_->tune(index, value); }
  std::vector<Adapted> adapted() const override { return method_->adapted(); }
  void readAdapted(std::span<double> values) const noexcept override { method_->readAdapted(values); }
  std::size_t learnt() const noexcept override { return method_->learnt(); }
  void readLearnt(std::span<double> values) const noexcept override { method_->readLearnt(values); }
  void setLearnt(std::span<const double> values) noexcept override { method_->setLearnt(values); }

 private:
  std::unique_ptr<Compensator> method_;
  CommandDelay delay_;
};

}  // namespace

std::unique_ptr<Compensator> makeAddedDelay(std::unique_ptr<Compensator> method, const Eigen::VectorXd& delay_s,
                                            double step_s) {
  return std::make_unique<AddedDelay>(std::move(method), delay_s, step_s);
}

}  // namespace hyb
