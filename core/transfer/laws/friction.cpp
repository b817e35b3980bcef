#include "core/transfer/laws/friction.h"

#include "core/base/json.h"

namespace hyb {
namespace {

class Friction final : public SpringLaw {
 public:
  explicit Friction(const FrictionParams& params)
      : SpringLaw(BilinearSpring{params.stick_stiffness_n_per_m, params.friction_n, 0.0}, params.damping_n_s_per_m),
        params_(params) {}
  std::string_view name() const noexcept override { return "friction"; }
  void check(Checks& checks) const override {
    checks.positive("/friction_n", params_.friction_n, "N");
    checks.positive("/stick_stiffness_n_per_m", params_.stick_stiffness_n_per_m, "N/m");
    checks.notNegative("/damping_n_s_per_m", params_.damping_n_s_per_m, "N s/m");
  }

 private:
  FrictionParams params_;
};

}  // namespace

SpecimenLawPtr frictionLaw(const FrictionParams& params) { return std::make_shared<const Friction>(params); }

SpecimenLawPtr parseFriction(const Json& settings) {
  FrictionParams params;
  read(settings, "friction_n", params.friction_n);
  read(settings, "stick_stiffness_n_per_m", params.stick_stiffness_n_per_m);
  read(settings, "damping_n_s_per_m", params.damping_n_s_per_m);
  return frictionLaw(params);
}

}  // namespace hyb
