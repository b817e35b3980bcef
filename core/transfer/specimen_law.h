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

/// A ground that gives way to nothing: the DOF never gets beyond it, and leaves it with `restitution` times the speed
/// that it came with.
struct RigidGround {
  double gap_m = 0.0;
  double restitution = 0.0;  // 0..1
  bool above = false;        // it stands on the side of larger displacements
};

/// A force with which the specimen resists the motion of one of its DOF beside its linear model: configured, immutable
/// and shared. What it remembers stands in a LinkHistory, whose stretch is the displacement of the DOF, m (rad, N m for
/// a rotation). All but check() is real-time safe.
class SpecimenLaw {
 public:
  virtual ~SpecimenLaw() = default;
  virtual std::string_view name() const noexcept = 0;
  /// Adds every fault of the settings, with places relative to them.
  virtual void check(Checks& checks) const = 0;
  /// The history after a straight move to x_m.
  virtual LinkHistory advanced(const LinkHistory& from, double x_m) const noexcept = 0;
  /// N; resists: the specimen pushes back with it, against the axis where it is positive.
  virtual double force(const LinkHistory& at, double v_mps) const noexcept = 0;
  /// Its mean over a straight move to x_m at constant speed in step_s, so that mean times path is the work done.
  virtual double meanForce(const LinkHistory& from, double x_m, double step_s) const noexcept = 0;
  /// No force at any place between the two and up to margin_m beside them.
  virtual bool idle(const LinkHistory& /*from*/, double /*x_m*/, double /*margin_m*/) const noexcept { return false; }
  /// In place of a force: its law gives none. Null: it is no ground.
  virtual const RigidGround* ground() const noexcept { return nullptr; }
  /// Axis of the actuators whose displacement it needs to know beside that of its own DOF, from 1; 0: none. It stands
  /// in the history's memory then, and the law itself leaves it there.
  virtual int beside() const noexcept { return 0; }
  /// Without kinks and jumps, and slow beside a tick: it may be taken over a whole tick at once, as the mean over the
  /// way that the tick would go without it.
  virtual bool smooth() const noexcept { return false; }
  /// Steepest slopes of the force over displacement and speed, N/m and N s/m; at rest where they have no bound.
  virtual double stiffness() const noexcept = 0;
  virtual double damping() const noexcept { return 0.0; }
};
using SpecimenLawPtr = std::shared_ptr<const SpecimenLaw>;

/// A spring of the structures as a law of the specimen, with a dashpot beside it.
class SpringLaw : public SpecimenLaw {
 public:
  SpringLaw(NonlinearLaw spring, double damping_n_s_per_m)
      : spring_(std::move(spring)), damping_n_s_per_m_(damping_n_s_per_m) {}
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

/// A law, and where it acts.
struct SpecimenLawSpec {
  SpecimenLawPtr law;
  int interface = 1;  // from 1, an axis of the actuators
  std::string dof;    // inside the specimen, in place of an interface; "": at the interface
};

/// One member of the family. Its settings are described in resources/schema/law/<name>.json, which those that parse()
/// gets are known to keep; its help is resources/help/law/<name>.md.
struct SpecimenLawEntry {
  std::string_view name;
  SpecimenLawPtr (*parse)(const Json& settings);
};
/// All laws there are, in the order in which they are offered.
std::span<const SpecimenLawEntry> specimenLaws() noexcept;

/// Throws InputError ("/law"): no such law.
SpecimenLawSpec parseSpecimenLaw(const Json& settings);
/// "contact at interface 1", "contact at \"EXP\"".
std::string describe(const SpecimenLawSpec& law);

}  // namespace hyb
