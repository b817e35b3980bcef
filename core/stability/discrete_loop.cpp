#include "core/stability/discrete_loop.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "core/compensation/command_history.h"
#include "core/error.h"
#include "core/linalg/eigen.h"
#include "core/transfer/transfer_system.h"

namespace hyb {
namespace {

/// NS and twin, coupled as core/loop couples them.
class CoupledLoop {
 public:
  CoupledLoop(const IntegratorSpec& spec, const Partition& partition, const TwinParams& params, double tick_s,
              const Eigen::VectorXd& added_delay_s)
      : partition_(partition),
        numerical_(makeIntegrator(spec, linear(partition.numerical), tick_s)),
        twin_(partition, linear(params), tick_s),
        added_delay_(added_delay_s.size() > 0
                         ? added_delay_s
                         : Eigen::VectorXd::Zero(static_cast<Eigen::Index>(partition.interface.size())),
                     tick_s),
        command_{Eigen::VectorXd::Zero(static_cast<Eigen::Index>(partition.interface.size())),
                 Eigen::VectorXd::Zero(static_cast<Eigen::Index>(partition.interface.size()))},
        load_(Eigen::VectorXd::Zero(partition.numerical.size())),
        numerical_states_(numerical_->state().size()),
        twin_states_(twin_.state().size()),
        ticks_(spec.ticks_per_step) {}

  Eigen::Index states() const { return numerical_states_ + twin_states_ + added_delay_.state().size(); }

  /// State one model step after `state`.
  Eigen::VectorXd after(const Eigen::VectorXd& state) {
    numerical_->setState(state.head(numerical_states_));
    twin_.setState(state.segment(numerical_states_, twin_states_));
    added_delay_.setState(state.tail(state.size() - numerical_states_ - twin_states_));
    for (int tick = 0; tick < ticks_; ++tick) {
      for (std::size_t i = 0; i < partition_.interface.size(); ++i)
        load_[partition_.interface_in_numerical[i]] = twin_.force()[static_cast<Eigen::Index>(i)];
      numerical_->step(load_);
      for (std::size_t i = 0; i < partition_.interface.size(); ++i) {
        const Eigen::Index dof = partition_.interface_in_numerical[i];
        command_.position[static_cast<Eigen::Index>(i)] = numerical_->displacement()[dof];
        command_.rate[static_cast<Eigen::Index>(i)] = numerical_->velocity()[dof];
      }
      added_delay_.apply(command_);
      twin_.advance(command_);
    }
    Eigen::VectorXd next(state.size());
    next << numerical_->state(), twin_.state(), added_delay_.state();
    return next;
  }

 private:
  static SystemMatrices linear(SystemMatrices system) {
    system.nonlinear.clear();
    return system;
  }
  static TwinParams linear(TwinParams params) {
    params.laws.clear();
    constexpr double unlimited = std::numeric_limits<double>::infinity();
    for (ActuatorSpec& actuator : params.actuators)
      actuator.stroke_m = actuator.velocity_limit_m_per_s = actuator.force_limit_n = unlimited;
    return params;
  }

  const Partition& partition_;
  std::unique_ptr<Integrator> numerical_;
  TransferSystem twin_;
  CommandDelay added_delay_;
  Command command_;
  Eigen::VectorXd load_;
  Eigen::Index numerical_states_, twin_states_;
  int ticks_;  // per model step
};

}  // namespace

DiscreteStability discreteStability(const IntegratorSpec& spec, const Partition& partition, const TwinParams& params,
                                    double tick_s, const Eigen::VectorXd& added_delay_s) {
  CoupledLoop loop(spec, partition, params, tick_s, added_delay_s);
  const Eigen::Index n = loop.states();
  if (n > 1000)
    throw InputError("/partition", "gives a loop of " + std::to_string(n) +
                                       " states, more than the 1000 whose eigenvalues can be computed; reduce the "
                                       "computed side, or shorten the actuator delays");
  Eigen::MatrixXd transition(n, n);
  for (Eigen::Index j = 0; j < n; ++j) transition.col(j) = loop.after(Eigen::VectorXd::Unit(n, j));

  const Eigen::VectorXcd values = linalg::eigenvalues(transition);
  const double step_s = tick_s * spec.ticks_per_step;
  DiscreteStability result;
  for (const std::complex<double> value : values) {
    if (value.imag() < 0.0 || value == 0.0) continue;
    DiscreteMode mode;
    mode.growth_per_s = std::log(std::abs(value)) / step_s;
    mode.spectral_radius = std::exp(mode.growth_per_s * tick_s);
    mode.frequency_hz = std::arg(value) / (2.0 * std::numbers::pi * step_s);
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
