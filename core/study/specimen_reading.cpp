#include "core/study/specimen_reading.h"

#include <cmath>
#include <memory>

#include "core/linalg/dense.h"
#include "core/transfer/command_response.h"
#include "core/transfer/transfer_system.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;

/// An actuator with a specimen of one DOF, from tick to tick: state = from state + of position u + of rate u'. The
/// first state is the displacement, the last one the force.
class ActuatorStep {
 public:
  ActuatorStep(const TwinParams& twin, double step_s, double damping_n_s_per_m, double mass_kg) : step_s_(step_s) {
    Partition cut;
    SystemMatrices& specimen = cut.physical;
    specimen.dofs = {Dof{"x"}};
    for (SparseMatrix* matrix : {&specimen.m, &specimen.c, &specimen.k}) matrix->resize(1, 1);
    specimen.m.insert(0, 0) = mass_kg;
    specimen.c.insert(0, 0) = damping_n_s_per_m;
    cut.interface = specimen.dofs;
    cut.interface_in_physical = {0};
    TransferSystem system(cut, twin, step_s);
    const Index states = system.state().size();
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(1), one = Eigen::VectorXd::Ones(1);
    const auto after = [&](const Eigen::VectorXd& state, const Command& command) {
      system.setState(state);
      system.advance(command);
      return system.state();
    };
    from_.resize(states, states);
    const Eigen::VectorXd rest = Eigen::VectorXd::Zero(states);
    for (Index j = 0; j < states; ++j) from_.col(j) = after(Eigen::VectorXd::Unit(states, j), {zero, zero});
    position_ = after(rest, {one, zero});
    rate_ = after(rest, {zero, one});
  }
  /// Force over displacement, N/m.
  Complex stiffness(double angle) const {
    const Complex z = std::polar(1.0, angle);
    const Eigen::MatrixXcd left = z * Eigen::MatrixXcd::Identity(from_.rows(), from_.cols()) - from_;
    const Eigen::MatrixXcd states = linalg::ComplexLu(left).solve(position_ + Complex(0.0, angle / step_s_) * rate_);
    return -states(states.rows() - 1, 0) / states(0, 0);
  }

 private:
  double step_s_;
  Eigen::MatrixXd from_;
  Eigen::VectorXd position_, rate_;
};

/// The actuator alone: for small motions, rigid, its whole ticks of delay left out.
TwinParams actuatorOf(const Project& project) {
  TwinParams alone;
  alone.actuators = {project.twin.actuators.front()};
  alone.solver = project.twin.solver;
  alone = linearised(alone);
  ActuatorSpec& actuator = alone.actuators.front();
  actuator.spring.reset();
  actuator.delay_s = std::fmod(actuator.delay_s, 1.0 / project.loop.rate_hz);
  return alone;
}

}  // namespace

RatesAt specimenReading(const Project& project) {
  const double step_s = 1.0 / project.loop.rate_hz;
  if (project.rig.use == RigUse::rig || project.twin.actuators.empty())
    return [step_s](double angle) {
      const Complex s(0.0, angle / step_s);
      return MotionRates{s, s * s};
    };
  const TwinParams twin = actuatorOf(project);
  const auto damper = std::make_shared<const ActuatorStep>(twin, step_s, 1.0, 0.0),
             mass = std::make_shared<const ActuatorStep>(twin, step_s, 0.0, 1.0);
  return [damper, mass](double angle) { return MotionRates{damper->stiffness(angle), mass->stiffness(angle)}; };
}

}  // namespace hyb
