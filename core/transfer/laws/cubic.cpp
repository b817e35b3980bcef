#include "core/transfer/laws/cubic.h"

#include "core/base/json.h"

namespace hyb {
namespace {

class Cubic final : public SpringLaw {
 public:
  using SpringLaw::SpringLaw;
  std::string_view name() const noexcept override { return "cubic"; }
};

}  // namespace

SpecimenLawPtr cubicLaw(const CubicSpring& spring, double damping_n_s_per_m) {
  return std::make_shared<const Cubic>(spring, damping_n_s_per_m);
}

SpecimenLawPtr parseCubic(const Json& settings) {
  CubicSpring spring;
  read(settings, "stiffness_n_per_m", spring.stiffness_n_per_m);
  read(settings, "cubic_n_per_m3", spring.cubic_n_per_m3);
  return cubicLaw(spring, settings.at("damping_n_s_per_m").get<double>());
}

}  // namespace hyb
