#include "core/feedforward/gap_lqg.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/linalg/dense.h"
#include "core/linalg/riccati.h"

namespace hyb {
namespace {

class GapLqgSpec final : public GapFeedbackSpec {
 public:
  explicit GapLqgSpec(const GapLqgSettings& settings) : settings_(settings) {}
  std::string_view name() const noexcept override { return "gap-lqg"; }
  GapController design(const GapModel& model) const override { return lqgController(model, settings_); }

 private:
  GapLqgSettings settings_;
};

}  // namespace

GapController lqgController(const GapModel& model, const GapLqgSettings& settings) {
  const Eigen::MatrixXd &a = model.a, &b = model.b, &c = model.c;
  const auto control = linalg::solveRiccati(a, b * b.transpose(), settings.weight_n2_per_m2 * c.transpose() * c);
  const auto filter =
      linalg::solveRiccati(a.transpose(), c.transpose() * c, settings.disturbance_n2_per_m2 * b * b.transpose());
  if (!control || !filter)
    throw InputError("/coupling/scheme",
                     "is \"gap-lqg\", but no controller exists for this model: it has an undamped motion that is not "
                     "controllable by the commands, or not observable in the gap. Use \"harmonic-feedforward\", or "
                     "check supports and damping (/structure).");
  Eigen::MatrixXd of_command = b.transpose() * *control * b, of_gap = c * *filter * c.transpose();
  of_command.diagonal().array() += 1.0;
  of_gap.diagonal().array() += 1.0;
  const Eigen::MatrixXd gain = linalg::inverse(of_command) * b.transpose() * *control * a,
                        correct = *filter * c.transpose() * linalg::inverse(of_gap);
  // State: prediction of the filter for this tick before its gap is read.
  const Eigen::MatrixXd ahead = a - b * gain;
  const Eigen::MatrixXd kept = Eigen::MatrixXd::Identity(a.rows(), a.cols()) - correct * c;
  return {ahead * kept, ahead * correct, -gain * kept, -gain * correct};
}

CouplingSpecPtr gapLqg(const GapLqgSettings& settings) { return std::make_shared<const GapLqgSpec>(settings); }

CouplingSpecPtr parseGapLqg(const Json& settings) {
  GapLqgSettings parsed;
  read(settings, "weight_n2_per_m2", parsed.weight_n2_per_m2);
  read(settings, "disturbance_n2_per_m2", parsed.disturbance_n2_per_m2);
  return gapLqg(parsed);
}

}  // namespace hyb
