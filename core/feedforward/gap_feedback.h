#pragma once
#include "core/coupling/coupling_spec.h"
#include "core/feedforward/gap_model.h"

namespace hyb {

/// A linear controller that feeds the gap back to the commands, from tick to tick:
///   c_{k+1} = A c_k + B g_k,   u_k = C c_k + D g_k,
/// g [i] the gap read at tick k, m, u [i] the command written in it, N; c_0 = 0.
struct GapController {
  Eigen::MatrixXd a, b, c, d;
};

/// Growth of the slowest decaying mode of the loop around a model, 1/s, with its commands times `factor`; above 0 it
/// diverges.
double gapFeedbackGrowth(const GapModel& model, const GapController& controller, double factor = 1.0);

/// A scheme that feeds the gap back by a controller tuned from a model of computed side and rig: the reference for
/// adaptive feed-forward filters. The computed side runs beside the rig in both; nothing is learnt here.
class GapFeedbackSpec : public CouplingSpec {
 public:
  bool tracks() const noexcept override { return false; }
  std::string hazard() const override;
  std::unique_ptr<CouplingScheme> make(SchemeContext context) const override;
  std::vector<AxisSignals> axisSignals(const std::vector<Dof>& interface) const override;
  std::vector<Channel> channels(std::size_t interfaces) const override;
  void check(std::size_t interfaces, const IntegratorSpec& integrator, Checks& checks) const override;
  std::optional<GapLoop> gapLoop(const SchemeContext& context) const override;
  /// Throws InputError ("/coupling/...") if the model cannot be controlled in this way.
  virtual GapController design(const GapModel& model) const = 0;
};

}  // namespace hyb
