#include "core/transfer/laws/impact.h"

#include <algorithm>

#include "core/base/json.h"

namespace hyb {
namespace {

class Impact final : public SpecimenLaw {
 public:
  explicit Impact(const RigidGround& ground) : ground_(ground) {}
  std::string_view name() const noexcept override { return "impact"; }
  void check(Checks& checks) const override {
    checks.notNegative("/gap_m", ground_.gap_m, "m");
    checks.between("/restitution", ground_.restitution, 0.0, 1.0, "");
  }
  LinkHistory advanced(const LinkHistory& /*from*/, double x_m) const noexcept override { return {x_m, 0.0}; }
  double force(const LinkHistory& /*at*/, double /*v_mps*/) const noexcept override { return 0.0; }
  double meanForce(const LinkHistory& /*from*/, double /*x_m*/, double /*step_s*/) const noexcept override {
    return 0.0;
  }
  bool idle(const LinkHistory& from, double x_m, double margin_m) const noexcept override {
    const double side = ground_.above ? -1.0 : 1.0;
    return std::min(side * from.stretch, side * x_m) - margin_m > -ground_.gap_m;
  }
  const RigidGround* ground() const noexcept override { return &ground_; }
  double stiffness() const noexcept override { return 0.0; }

 private:
  RigidGround ground_;
};

}  // namespace

SpecimenLawPtr impactLaw(const RigidGround& ground) { return std::make_shared<const Impact>(ground); }

SpecimenLawPtr parseImpact(const Json& settings) {
  RigidGround ground;
  read(settings, "gap_m", ground.gap_m);
  read(settings, "restitution", ground.restitution);
  ground.above = text(settings, "side") == "above";
  return impactLaw(ground);
}

}  // namespace hyb
