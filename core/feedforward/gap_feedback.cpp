#include "core/feedforward/gap_feedback.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/feedforward/numerical_side.h"
#include "core/linalg/eigen.h"
#include "core/structure/reduction.h"

namespace hyb {
namespace {

class GapFeedback final : public CouplingScheme {
 public:
  GapFeedback(NumericalSide beside, GapController controller)
      : beside_(std::move(beside)), controller_(std::move(controller)) {
    state_.setZero(controller_.a.rows());
    next_ = state_;
    command_.setZero(controller_.d.rows());
  }
  std::size_t interfaces() const noexcept override { return beside_.interfaces(); }
  std::vector<AxisSignals> axisSignals() const override { return NumericalSide::axisSignals(beside_.interface()); }
  void reset() override { restart(); }
  void restart() noexcept override {
    beside_.reset();
    state_.setZero();
    command_.setZero();
  }
  void update(const RigState& state, const ExcitationValue& excitation, CouplingOutput& output) noexcept override {
    beside_.step(state, excitation, output);
    if (!state.missed) {
      command_.noalias() = controller_.c * state_;
      command_.noalias() += controller_.d * beside_.gap();
      next_.noalias() = controller_.a * state_;
      next_.noalias() += controller_.b * beside_.gap();
      state_.swap(next_);
    }
    output.command.position = command_;
    output.command.rate.setZero();
  }
  bool hasReference() const noexcept override { return beside_.hasReference(); }
  std::vector<Channel> channels() const override { return NumericalSide::channels(interfaces()); }
  void readChannels(std::span<double> values) const noexcept override {
    std::copy(beside_.alone().begin(), beside_.alone().end(), values.begin());
  }

 private:
  NumericalSide beside_;
  GapController controller_;
  Eigen::VectorXd state_, next_, command_;
};

}  // namespace

double gapFeedbackGrowth(const GapModel& model, const GapController& controller, double factor) {
  const Eigen::Index states = model.a.rows(), own = controller.a.rows();
  Eigen::MatrixXd loop(states + own, states + own);
  loop.topLeftCorner(states, states) = model.a + factor * model.b * controller.d * model.c;
  loop.topRightCorner(states, own) = factor * model.b * controller.c;
  loop.bottomLeftCorner(own, states) = controller.b * model.c;
  loop.bottomRightCorner(own, own) = controller.a;
  return std::log(linalg::eigenvalues(loop).cwiseAbs().maxCoeff()) / model.step_s;
}

std::string GapFeedbackSpec::hazard() const {
  return "The coupling scheme \"" + std::string(name()) +
         "\" feeds the gap back: it can diverge if the rig differs from the model used for tuning. Keep a limit on the "
         "command.";
}

std::unique_ptr<CouplingScheme> GapFeedbackSpec::make(SchemeContext context) const {
  const Partition sides = reduceSides(context.partition, context.reduction, {});
  return std::make_unique<GapFeedback>(
      NumericalSide(sides, context.integrator, context.step_s, context.with_reference, context.excitation),
      design(modelOf(sides, context, "/coupling/scheme")));
}

std::vector<AxisSignals> GapFeedbackSpec::axisSignals(const std::vector<Dof>& interface) const {
  return NumericalSide::axisSignals(interface);
}

std::vector<Channel> GapFeedbackSpec::channels(std::size_t interfaces) const {
  return NumericalSide::channels(interfaces);
}

void GapFeedbackSpec::check(std::size_t, const IntegratorSpec& integrator, Checks& checks) const {
  if (integrator.ticks_per_step > 1)
    checks.fault("/scheme",
                 "is \"" + std::string(name()) +
                     "\", which integrates the computed side in every tick; set /integrator/ticks_per_step to 1.");
}

std::optional<GapLoop> GapFeedbackSpec::gapLoop(const SchemeContext& context) const {
  const GapModel model = modelOf(reduceSides(context.partition, context.reduction, {}), context, "/coupling/scheme");
  const GapController controller = design(model);
  GapLoop loop;
  loop.law = name();
  loop.growth_per_s = gapFeedbackGrowth(model, controller);
  // Searches upward from its own gains: a lower gain may also be unstable.
  constexpr double own = 1e4;  // start of the search
  loop.largest_factor = own * largestStableFactor([&](double factor) {
                          return gapFeedbackGrowth(model, controller, own * factor) < 0.0;
                        });
  return loop;
}

}  // namespace hyb
