#include "core/feedforward/gap_pi.h"

#include <cmath>

#include "core/base/error.h"
#include "core/base/json.h"

namespace hyb {
namespace {

class GapPiSpec final : public GapFeedbackSpec {
 public:
  explicit GapPiSpec(const GapPiSettings& settings) : settings_(settings) {}
  std::string_view name() const noexcept override { return "gap-pi"; }
  GapController design(const GapModel& model) const override {
    const auto with = [&](double integral) {
      return piController(model.b.cols(), model.step_s, settings_.proportional_n_per_m, integral);
    };
    if (settings_.integral_n_per_m_s > 0.0) return with(settings_.integral_n_per_m_s);
    // Search in units of the gain that closes a constant gap in about 1 s: static stiffness per second.
    const double stiffness = 1.0 / model.response(0.0).norm();
    const double largest = stiffness * largestStableFactor([&](double factor) {
                             return gapFeedbackGrowth(model, with(factor * stiffness)) < 0.0;
                           });
    if (!(largest > 0.0) || !std::isfinite(largest))
      throw InputError(
          "/coupling/integral_n_per_m_s",
          largest > 0.0
              ? "is 0, but the model is stable with any gain, so that no share can be calculated; enter the gain."
              : "is 0, but no integral gain closes the gap of this model; use \"harmonic-feedforward\", or enter the "
                "gains.");
    return with(settings_.share * largest);
  }

 private:
  GapPiSettings settings_;
};

}  // namespace

GapController piController(Eigen::Index axes, double step_s, double proportional, double integral) {
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(axes, axes);
  return {one, step_s * one, -integral * one, -(proportional + integral * step_s) * one};
}

CouplingSpecPtr gapPi(const GapPiSettings& settings) { return std::make_shared<const GapPiSpec>(settings); }

CouplingSpecPtr parseGapPi(const Json& settings) {
  GapPiSettings parsed;
  read(settings, "proportional_n_per_m", parsed.proportional_n_per_m);
  read(settings, "integral_n_per_m_s", parsed.integral_n_per_m_s);
  read(settings, "share", parsed.share);
  return gapPi(parsed);
}

}  // namespace hyb
