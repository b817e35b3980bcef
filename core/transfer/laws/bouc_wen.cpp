#include "core/transfer/laws/bouc_wen.h"

#include "core/base/json.h"

namespace hyb {
namespace {

class BoucWen final : public SpringLaw {
 public:
  using SpringLaw::SpringLaw;
  std::string_view name() const noexcept override { return "bouc-wen"; }
};

}  // namespace

SpecimenLawPtr boucWenLaw(const BoucWenSpring& spring, double damping_n_s_per_m) {
  return std::make_shared<const BoucWen>(spring, damping_n_s_per_m);
}

SpecimenLawPtr parseBoucWen(const Json& settings) {
  BoucWenSpring spring;
  read(settings, "stiffness_n_per_m", spring.stiffness_n_per_m);
  read(settings, "yield_stretch_m", spring.yield_stretch_m);
  read(settings, "hardening_ratio", spring.hardening_ratio);
  read(settings, "beta", spring.beta);
  read(settings, "gamma", spring.gamma);
  read(settings, "exponent", spring.exponent);
  return boucWenLaw(spring, settings.at("damping_n_s_per_m").get<double>());
}

}  // namespace hyb
