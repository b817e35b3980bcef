#pragma once
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/checks.h"
#include "core/base/json_fwd.h"
#include "core/structure/link_law.h"

namespace hyb {

/// A rigid ground: the DOF never passes it, and rebounds with `restitution` times its impact speed.
struct RigidGround {
  double gap_m = 0.0;
  double restitution = 0.0;  // 0..1
  bool above = false;        // it is on the side of larger displacements
};

/// A force of the specimen against the motion of one of its DOF, in addition to its linear model: configured, immutable
/// and shared. Its state is a LinkHistory, whose stretch is the displacement of the DOF, m (rad, N m for a rotation).
/// All members except check() are real-time safe.
class SpecimenLaw {
 public:
  virtual ~SpecimenLaw() = default;
  virtual std::string_view name() const noexcept = 0;
  /// Adds every fault of the settings, with places relative to them.
  virtual void check(Checks& checks) const = 0;
  /// The history after a straight move to x_m.
  virtual LinkHistory advanced(const LinkHistory& from, double x_m) const noexcept = 0;
  /// Force, N; resists: where it is positive, the specimen pushes against the axis.
  virtual double force(const LinkHistory& at, double v_mps) const noexcept = 0;
  /// Mean force over a straight move to x_m at constant speed in step_s; mean times path is the work done.
  virtual double meanForce(const LinkHistory& from, double x_m, double step_s) const noexcept = 0;
  /// True if there is no force between the two positions and up to margin_m beside them.
  virtual bool idle(const LinkHistory& /*from*/, double /*x_m*/, double /*margin_m*/) const noexcept { return false; }
  /// Ground instead of a force: its force is then 0. Null: it is not a ground.
  virtual const RigidGround* ground() const noexcept { return nullptr; }
  /// Axis of the actuators whose displacement it needs in addition to that of its own DOF, from 1; 0: none. This
  /// displacement is then in the history's memory, and the law does not change it.
  virtual int beside() const noexcept { return 0; }
  /// True if it has no kinks and jumps and is slow relative to a tick: its mean over the path of a whole tick without
  /// the law may be used.
  virtual bool smooth() const noexcept { return false; }
  /// Largest slopes of the force over displacement and speed, N/m and N s/m; those at rest if they are unbounded.
  virtual double stiffness() const noexcept = 0;
  virtual double damping() const noexcept { return 0.0; }
};
using SpecimenLawPtr = std::shared_ptr<const SpecimenLaw>;

/// A spring of the structures as a law of the specimen, with a dashpot in parallel.
class SpringLaw : public SpecimenLaw {
 public:
  SpringLaw(const NonlinearLaw& spring, double damping_n_s_per_m)
      : spring_(spring), damping_n_s_per_m_(damping_n_s_per_m) {}
  void check(Checks& checks) const override {
    checkLaw(spring_, checks);
    checks.notNegative("/damping_n_s_per_m", damping_n_s_per_m_, "N s/m");
  }
  LinkHistory advanced(const LinkHistory& from, double x_m) const noexcept override {
    return hyb::advanced(spring_, from, x_m);
  }
  double force(const LinkHistory& at, double v_mps) const noexcept override {
    return linkForce(spring_, at) + damping_n_s_per_m_ * v_mps;
  }
  double meanForce(const LinkHistory& from, double x_m, double step_s) const noexcept override {
    return meanLinkForce(spring_, from, x_m) + damping_n_s_per_m_ * (x_m - from.stretch) / step_s;
  }
  double stiffness() const noexcept override { return initialStiffness(spring_); }
  double damping() const noexcept override { return damping_n_s_per_m_; }

 private:
  NonlinearLaw spring_;
  double damping_n_s_per_m_;
};

/// A law and its place.
struct SpecimenLawSpec {
  SpecimenLawPtr law;
  int interface = 1;  // from 1, an axis of the actuators
  std::string dof;    // inside the specimen, in place of an interface; "": at the interface
};

/// One member of the family. `resources/schema/law/<name>.json` describes its settings; parse() only receives settings
/// that satisfy it. Help: `resources/help/law/<name>.md`.
struct SpecimenLawEntry {
  std::string_view name;
  SpecimenLawPtr (*parse)(const Json& settings);
};
/// All laws in display order.
std::span<const SpecimenLawEntry> specimenLaws() noexcept;

/// Throws InputError ("/law"): no such law.
SpecimenLawSpec parseSpecimenLaw(const Json& settings);
/// "contact at interface 1", "contact at \"EXP\"".
std::string describe(const SpecimenLawSpec& law);

}  // namespace hyb
