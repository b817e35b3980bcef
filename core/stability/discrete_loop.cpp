#include "core/stability/discrete_loop.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <optional>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/compensation/command_history.h"
#include "core/compensation/feedback.h"
#include "core/coupling/driven_side.h"
#include "core/linalg/eigen.h"
#include "core/transfer/command_response.h"
#include "core/transfer/transfer_system.h"

namespace hyb {
namespace {

/// Weights of a method for the targets and their rates of the last ticks, [axis, tick], newest first.
struct CommandTaps {
  Eigen::MatrixXd position, rate, rate_of_rate;
  std::vector<CommandFeedback> feedback = {};  // [axis]; empty: no feedback
  std::optional<CommandSystem> system = {};    // acts in place of the weights, on targets and rates alike
};

/// The command is the target.
CommandTaps targetItself(Eigen::Index axes) {
  return {Eigen::MatrixXd::Ones(axes, 1), Eigen::MatrixXd::Zero(axes, 1), Eigen::MatrixXd::Ones(axes, 1)};
}

/// Weights of a method at its start, axis by axis: the position weights are provided, the rate weights come from the
/// response of a running instance to one small target and to one rate. Nothing if an axis does not provide them and its
/// command is not the target.
std::optional<CommandTaps> commandTaps(const CompensationMethod& method, Eigen::Index axes) {
  if (std::optional<CommandSystem> system = method.system()) {
    CommandTaps taps = targetItself(axes);
    taps.system = std::move(system);
    return taps;
  }
  std::vector<std::vector<double>> told;
  std::size_t count = 1;
  for (Eigen::Index i = 0; i < axes; ++i) {
    told.push_back(method.taps(static_cast<std::size_t>(i)));
    count = std::max(count, told.back().size());
  }
  const auto ticks = static_cast<Eigen::Index>(count);
  CommandTaps taps{Eigen::MatrixXd::Zero(axes, ticks), Eigen::MatrixXd::Zero(axes, ticks),
                   Eigen::MatrixXd::Zero(axes, ticks)};
  constexpr double kSmall = 1e-12;  // m and m/s, below any learning threshold
  const std::unique_ptr<Compensator> running = method.make();
  const auto answer = [&](Eigen::VectorXd InterfaceState::*moved, Eigen::MatrixXd& positions, Eigen::MatrixXd& rates) {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(axes);
    InterfaceState state{zero, zero, zero};
    Command command{zero, zero};
    running->reset();
    running->update(state, command);
    for (Eigen::Index j = 0; j < ticks; ++j) {
      (state.*moved).setConstant(j == 0 ? kSmall : 0.0);
      running->update(state, command);
      positions.col(j) = command.position / kSmall;
      rates.col(j) = command.rate / kSmall;
    }
  };
  Eigen::MatrixXd of_rate(axes, ticks);
  answer(&InterfaceState::target_rate, of_rate, taps.rate_of_rate);
  answer(&InterfaceState::target, taps.position, taps.rate);
  for (Eigen::Index i = 0; i < axes; ++i) {
    const std::vector<double>& own = told[static_cast<std::size_t>(i)];
    const Eigen::RowVectorXd itself = Eigen::RowVectorXd::Unit(ticks, 0);
    if (own.empty() && !taps.position.row(i).isApprox(itself, 1e-9)) return std::nullopt;
    if (CommandFeedback taken = feedbackOf(method, static_cast<std::size_t>(i)); !taken.measured.empty()) {
      taps.feedback.resize(static_cast<std::size_t>(axes));
      taps.feedback[static_cast<std::size_t>(i)] = std::move(taken);
    }
    taps.position.row(i).setZero();
    if (own.empty()) taps.position(i, 0) = 1.0;
    for (std::size_t j = 0; j < own.size(); ++j) taps.position(i, static_cast<Eigen::Index>(j)) = own[j];
  }
  return taps;
}

/// The targets, motions and commands of the last ticks, and the resulting actuator commands.
class Compensation {
 public:
  explicit Compensation(CommandTaps taps)
      : taps_(std::move(taps)),
        targets_(Eigen::MatrixXd::Zero(taps_.position.rows(), taps_.position.cols())),
        rates_(targets_) {
    for (const CommandFeedback& of : taps_.feedback)
      returned_.push_back({std::vector<double>(of.measured.size()), std::vector<double>(of.command.size())});
    if (taps_.system) system_.setZero(taps_.system->a.rows(), 2);
  }
  /// States before the newest.
  Eigen::Index states() const {
    Eigen::Index states = 2 * targets_.rows() * (targets_.cols() - 1) + system_.size();
    for (const Returned& axis : returned_)
      states += static_cast<Eigen::Index>(axis.motions.size() + axis.commands.size());
    return states;
  }
  Eigen::VectorXd state() const {
    Eigen::VectorXd state(states());
    const Eigen::Index kept = targets_.rows() * (targets_.cols() - 1);
    state.head(2 * kept) << targets_.leftCols(targets_.cols() - 1).reshaped(),
        rates_.leftCols(rates_.cols() - 1).reshaped();
    state.segment(2 * kept, system_.size()) = system_.reshaped();
    auto at = state.begin() + 2 * kept + system_.size();
    for (const Returned& axis : returned_)
      for (const auto* list : {&axis.motions, &axis.commands}) at = std::copy(list->begin(), list->end(), at);
    return state;
  }
  void setState(const Eigen::VectorXd& state) {
    const Eigen::Index columns = targets_.cols() - 1, kept = targets_.rows() * columns;
    targets_.leftCols(columns) = state.head(kept).reshaped(targets_.rows(), columns);
    rates_.leftCols(columns) = state.segment(kept, kept).reshaped(rates_.rows(), columns);
    system_ = state.segment(2 * kept, system_.size()).reshaped(system_.rows(), system_.cols());
    auto at = state.begin() + 2 * kept + system_.size();
    for (Returned& axis : returned_)
      for (auto* list : {&axis.motions, &axis.commands}) {
        std::copy_n(at, list->size(), list->begin());
        at += static_cast<std::ptrdiff_t>(list->size());
      }
  }
  /// measured: [axis], at this tick.
  template <typename Motions>
  void apply(const Motions& measured, Command& command) {
    if (taps_.system) {
      const CommandSystem& of = *taps_.system;
      Eigen::MatrixXd targets(command.position.size(), 2);
      targets << command.position, command.rate;
      const Eigen::MatrixXd sent = of.c * system_ + of.d * targets;
      system_ = (of.a * system_ + of.b * targets).eval();
      command.position = sent.col(0);
      command.rate = sent.col(1);
      return;
    }
    for (Eigen::Index j = targets_.cols() - 1; j > 0; --j) {
      targets_.col(j) = targets_.col(j - 1);
      rates_.col(j) = rates_.col(j - 1);
    }
    targets_.col(0) = command.position;
    rates_.col(0) = command.rate;
    command.position = (taps_.position.array() * targets_.array()).rowwise().sum();
    command.rate =
        (taps_.rate.array() * targets_.array() + taps_.rate_of_rate.array() * rates_.array()).rowwise().sum();
    for (std::size_t i = 0; i < returned_.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      command.position[k] -= returned_[i].take(taps_.feedback[i], measured[k]);
      returned_[i].sent(command.position[k]);
    }
  }

 private:
  struct Returned {
    std::vector<double> motions, commands;  // newest first
    static void push(std::vector<double>& list, double value) {
      if (list.empty()) return;
      std::rotate(list.rbegin(), list.rbegin() + 1, list.rend());
      list.front() = value;
    }
    double take(const CommandFeedback& of, double measured) {
      push(motions, measured);
      return std::inner_product(motions.begin(), motions.end(), of.measured.begin(), 0.0) +
             std::inner_product(commands.begin(), commands.end(), of.command.begin(), 0.0);
    }
    void sent(double command) { push(commands, command); }
  };
  CommandTaps taps_;
  Eigen::MatrixXd targets_, rates_;  // [axis, tick], newest first
  Eigen::MatrixXd system_;           // [state, 2]: of targets and of rates, or empty
  std::vector<Returned> returned_;   // [axis], or none
};

/// NS and twin, coupled as in core/loop.
class CoupledLoop {
 public:
  CoupledLoop(const IntegratorSpec& spec, const Partition& partition, const TwinParams& params, double tick_s,
              const Eigen::VectorXd& added_delay_s, CommandTaps taps, const Eigen::VectorXd& springs)
      : partition_(partition),
        twin_(partition, linearised(params), tick_s),
        compensation_(std::move(taps)),
        added_delay_(added_delay_s.size() > 0
                         ? added_delay_s
                         : Eigen::VectorXd::Zero(static_cast<Eigen::Index>(partition.interface.size())),
                     tick_s),
        command_{Eigen::VectorXd::Zero(static_cast<Eigen::Index>(partition.interface.size())),
                 Eigen::VectorXd::Zero(static_cast<Eigen::Index>(partition.interface.size()))},
        load_(Eigen::VectorXd::Zero(partition.numerical.size())),
        specimen_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(partition.interface.size()))),
        twin_states_(twin_.state().size()),
        ticks_(spec.ticks_per_step) {
    if (springs.size() == 0)
      numerical_ = makeIntegrator(spec, linear(partition.numerical), tick_s);
    else
      driven_.emplace(spec, linear(partition.numerical), partition.interface_in_numerical, springs, tick_s);
    numerical_states_ = numericalState().size();
  }

  Eigen::Index states() const {
    return numerical_states_ + twin_states_ + compensation_.states() + added_delay_.state().size();
  }

  /// State one model step after `state`.
  Eigen::VectorXd after(const Eigen::VectorXd& state) {
    const Eigen::Index first_target = numerical_states_ + twin_states_,
                       first_late = first_target + compensation_.states();
    if (driven_)
      driven_->setState(state.head(numerical_states_));
    else
      numerical_->setState(state.head(numerical_states_));
    twin_.setState(state.segment(numerical_states_, twin_states_));
    compensation_.setState(state.segment(first_target, compensation_.states()));
    added_delay_.setState(state.tail(state.size() - first_late));
    for (int tick = 0; tick < ticks_; ++tick) {
      if (driven_)
        askForForce();
      else
        askForMotion();
      compensation_.apply(twin_.displacement(), command_);
      added_delay_.apply(command_);
      twin_.advance(command_);
    }
    Eigen::VectorXd next(state.size());
    next << numericalState(), twin_.state(), compensation_.state(), added_delay_.state();
    return next;
  }

 private:
  Eigen::VectorXd numericalState() const { return driven_ ? driven_->state() : numerical_->state(); }
  void askForMotion() {
    for (std::size_t i = 0; i < partition_.interface.size(); ++i)
      load_[partition_.interface_in_numerical[i]] = twin_.force()[static_cast<Eigen::Index>(i)];
    numerical_->step(load_);
    for (std::size_t i = 0; i < partition_.interface.size(); ++i) {
      const Eigen::Index dof = partition_.interface_in_numerical[i];
      command_.position[static_cast<Eigen::Index>(i)] = numerical_->displacement()[dof];
      command_.rate[static_cast<Eigen::Index>(i)] = numerical_->velocity()[dof];
    }
  }
  void askForForce() {
    for (std::size_t i = 0; i < partition_.interface.size(); ++i)
      specimen_[static_cast<Eigen::Index>(i)] = twin_.specimen(i);
    driven_->step(load_, specimen_, specimen_);
    command_.position = driven_->piston();
    command_.rate = driven_->pistonRate();
  }
  static SystemMatrices linear(SystemMatrices system) {
    system.nonlinear.clear();
    return system;
  }

  const Partition& partition_;
  std::unique_ptr<Integrator> numerical_;  // driven by the force
  std::optional<DrivenSide> driven_;       // or by the specimen's motion
  TransferSystem twin_;
  Compensation compensation_;
  CommandDelay added_delay_;
  Command command_;
  Eigen::VectorXd load_, specimen_;
  Eigen::Index numerical_states_ = 0, twin_states_;
  int ticks_;  // per model step
};

}  // namespace

DiscreteStability discreteStability(const IntegratorSpec& spec, const Partition& partition, const TwinParams& params,
                                    double tick_s, const Eigen::VectorXd& added_delay_s,
                                    const CompensationMethod* method, const Eigen::VectorXd& springs) {
  const auto axes = static_cast<Eigen::Index>(partition.interface.size());
  const std::optional<CommandTaps> taps = method != nullptr ? commandTaps(*method, axes) : targetItself(axes);
  CoupledLoop loop(spec, partition, params, tick_s, added_delay_s, taps.value_or(targetItself(axes)), springs);
  const Eigen::Index n = loop.states();
  if (n > 1000)
    throw InputError("/partition",
                     "results in a loop with " + std::to_string(n) +
                         " states, but eigenvalues are computed for at most 1000; reduce the computed "
                         "side, shorten the actuator delays, or let the compensation use fewer past ticks");
  Eigen::MatrixXd transition(n, n);
  for (Eigen::Index j = 0; j < n; ++j) transition.col(j) = loop.after(Eigen::VectorXd::Unit(n, j));

  const Eigen::VectorXcd values = linalg::eigenvalues(transition);
  const double step_s = tick_s * spec.ticks_per_step;
  DiscreteStability result;
  result.compensated = taps.has_value();
  for (const std::complex<double> value : values) {
    if (value.imag() < 0.0 || value == 0.0) continue;
    DiscreteMode mode;
    mode.growth_per_s = std::log(std::abs(value)) / step_s;
    mode.spectral_radius = std::exp(mode.growth_per_s * tick_s);
    mode.frequency_hz = std::arg(value) / (kTwoPi * step_s);
    result.modes.push_back(mode);
  }
  std::stable_sort(result.modes.begin(), result.modes.end(),
                   [](const DiscreteMode& a, const DiscreteMode& b) { return a.spectral_radius > b.spectral_radius; });
  if (!result.modes.empty()) static_cast<DiscreteMode&>(result) = result.modes.front();
  return result;
}

DiscreteMode DiscreteStability::upTo(double highest_hz) const {
  const auto found = std::find_if(modes.begin(), modes.end(),
                                  [&](const DiscreteMode& mode) { return mode.frequency_hz <= highest_hz; });
  return found == modes.end() ? DiscreteMode{} : *found;
}

}  // namespace hyb
