#include "core/transfer/suspension.h"

namespace hyb {
namespace {

class Suspension final : public SpecimenLaw {
 public:
  Suspension(double cubic_n_per_m3, double offset_m) : cubic_(cubic_n_per_m3), offset_(offset_m) {}
  std::string_view name() const noexcept override { return "suspension"; }
  void check(Checks&) const override {}
  LinkHistory advanced(const LinkHistory& from, double x_m) const noexcept override { return {x_m, from.memory}; }
  double force(const LinkHistory& at, double) const noexcept override { return mean(at.stretch, at.stretch); }
  double meanForce(const LinkHistory& from, double x_m, double) const noexcept override {
    return mean(from.stretch, x_m);
  }
  double stiffness() const noexcept override { return suspensionStiffness(cubic_, offset_); }
  bool smooth() const noexcept override { return true; }

 private:
  /// Mean of the force from a to b: that of a cubic parabola.
  double mean(double a, double b) const noexcept {
    a += offset_;
    b += offset_;
    return cubic_ * (0.25 * (a + b) * (a * a + b * b) - offset_ * offset_ * offset_);
  }
  double cubic_, offset_;
};

}  // namespace

SpecimenLawPtr suspension(double cubic_n_per_m3, double offset_m) {
  return cubic_n_per_m3 == 0.0 ? nullptr : std::make_shared<const Suspension>(cubic_n_per_m3, offset_m);
}

void checkSuspension(Checks& checks, double cubic_n_per_m3, double offset_m) {
  checks.notNegative("/cubic_n_per_m3", cubic_n_per_m3, "N/m3");
  if (!std::isfinite(offset_m))
    checks.fault("/offset_m", offset_m, "m", "must be a finite number");
  else if (offset_m != 0.0 && cubic_n_per_m3 == 0.0)
    checks.fault("/offset_m", offset_m, "m", "has no effect without cubic_n_per_m3; give one, or remove this");
}

}  // namespace hyb
