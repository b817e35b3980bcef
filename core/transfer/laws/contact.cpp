#include "core/transfer/laws/contact.h"

#include <algorithm>

#include "core/base/json.h"

namespace hyb {
namespace {

class Contact final : public SpecimenLaw {
 public:
  explicit Contact(const ContactParams& params)
      : params_(params), spring_(ContactSpring{params.stiffness_n_per_m, params.gap_m}) {}
  std::string_view name() const noexcept override { return "contact"; }
  void check(Checks& checks) const override {
    checkLaw(spring_, checks);
    checks.notNegative("/damping_n_s_per_m", params_.damping_n_s_per_m, "N s/m");
  }
  LinkHistory advanced(const LinkHistory& /*from*/, double x_m) const noexcept override { return {x_m, 0.0}; }
  double force(const LinkHistory& at, double v_mps) const noexcept override {
    const double sign = side(), elastic = linkForce(spring_, {sign * at.stretch, 0.0});
    return elastic < 0.0 ? sign * std::min(0.0, elastic + params_.damping_n_s_per_m * sign * v_mps) : 0.0;
  }
  // During separation the dashpot reduces the force by c v: as if the ground were c v / k further away.
  double meanForce(const LinkHistory& from, double x_m, double step_s) const noexcept override {
    const double sign = side(), a = sign * from.stretch, b = sign * x_m, v = (b - a) / step_s;
    const double c = params_.damping_n_s_per_m;
    if (v > 0.0 && c > 0.0)
      return sign *
             meanLinkForce(ContactSpring{params_.stiffness_n_per_m, params_.gap_m + c * v / params_.stiffness_n_per_m},
                           {a, 0.0}, b);
    const double in_contact = std::min(0.0, b + params_.gap_m) - std::min(0.0, a + params_.gap_m);  // share of the path
    return sign * (meanLinkForce(spring_, {a, 0.0}, b) + c * in_contact / step_s);
  }
  bool idle(const LinkHistory& from, double x_m, double margin_m) const noexcept override {
    return std::min(side() * from.stretch, side() * x_m) - margin_m > -params_.gap_m;
  }
  double stiffness() const noexcept override { return params_.stiffness_n_per_m; }
  double damping() const noexcept override { return params_.damping_n_s_per_m; }

 private:
  double side() const noexcept { return params_.above ? -1.0 : 1.0; }

  ContactParams params_;
  NonlinearLaw spring_;
};

}  // namespace

SpecimenLawPtr contactLaw(const ContactParams& params) { return std::make_shared<const Contact>(params); }

SpecimenLawPtr parseContact(const Json& settings) {
  ContactParams params;
  read(settings, "stiffness_n_per_m", params.stiffness_n_per_m);
  read(settings, "damping_n_s_per_m", params.damping_n_s_per_m);
  read(settings, "gap_m", params.gap_m);
  params.above = text(settings, "side") == "above";
  return contactLaw(params);
}

}  // namespace hyb
