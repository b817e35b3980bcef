#include "core/feedforward/gap_model.h"

#include "core/base/error.h"
#include "core/linalg/dense.h"

namespace hyb {

Eigen::MatrixXcd GapModel::response(double w) const {
  Eigen::MatrixXcd left = -a.cast<std::complex<double>>();
  left.diagonal().array() += std::polar(1.0, w * step_s);
  return c * linalg::ComplexLu(left).solve(b.cast<std::complex<double>>());
}

GapModel gapModel(const Partition& partition, const IntegratorSpec& spec, TransferSystem& rig, double step_s) {
  SystemMatrices computed = partition.numerical;
  computed.nonlinear.clear();
  const auto numerical = makeIntegrator(spec, computed, step_s);
  const auto axes = static_cast<Eigen::Index>(partition.interface.size());
  const Eigen::Index own = numerical->state().size(), states = own + rig.state().size();
  if (states > 1000)
    throw InputError(
        "/partition",
        "has " + std::to_string(states) +
            " states, but a model can have at most 1000; reduce the computed side, or identify on the rig");
  Eigen::VectorXd load = Eigen::VectorXd::Zero(computed.size());
  Command command{Eigen::VectorXd::Zero(axes), Eigen::VectorXd::Zero(axes)};
  GapModel model{Eigen::MatrixXd(states, states), Eigen::MatrixXd(states, axes), Eigen::MatrixXd(axes, states), step_s};
  /// The gap of a tick, and the state after it.
  const auto tick = [&](const Eigen::VectorXd& state, Eigen::VectorXd& gap, Eigen::VectorXd& next) {
    numerical->setState(state.head(own));
    rig.setState(state.tail(states - own));
    for (Eigen::Index i = 0; i < axes; ++i)
      load[partition.interface_in_numerical[static_cast<std::size_t>(i)]] = rig.force()[i];
    numerical->step(load);
    for (Eigen::Index i = 0; i < axes; ++i)
      gap[i] = rig.displacement()[i] -
               numerical->displacement()[partition.interface_in_numerical[static_cast<std::size_t>(i)]];
    (void)rig.advance(command);
    next << numerical->state(), rig.state();
  };
  Eigen::VectorXd gap(axes), next(states);
  for (Eigen::Index j = 0; j < states; ++j) {
    tick(Eigen::VectorXd::Unit(states, j), gap, next);
    model.a.col(j) = next;
    model.c.col(j) = gap;
  }
  for (Eigen::Index i = 0; i < axes; ++i) {
    command.position[i] = 1.0;
    tick(Eigen::VectorXd::Zero(states), gap, next);
    model.b.col(i) = next;
    command.position[i] = 0.0;
  }
  return model;
}

GapModel modelOf(const Partition& sides, const SchemeContext& context, const std::string& where) {
  if (!context.rig_model) throw InputError(where, "needs a model of the rig, but none is available here");
  const std::unique_ptr<TransferSystem> rig = context.rig_model();
  return gapModel(sides, context.integrator, *rig, context.step_s);
}

}  // namespace hyb
