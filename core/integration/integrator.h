#pragma once
#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/structure/system.h"

namespace hyb {

/// Advances M x'' + C x' + K x + r = p from tick to tick. Everything is sized and factorised in the constructor.
class Integrator {
 public:
  virtual ~Integrator() = default;
  /// At rest in the origin with load p = 0. Real-time safe.
  virtual void reset() noexcept = 0;
  /// One step to the next tick. load_n [n] is p at the new tick, N. Real-time safe: no allocation, no exception.
  virtual void step(const Eigen::VectorXd& load_n) noexcept = 0;
  /// step() then takes the shares [m] of these load columns [n, m] instead of the load, p = columns shares: fewer
  /// multiplications for few load patterns. Call at rest. False: not supported by this scheme, no change. Not
  /// real-time.
  virtual bool loadBy(const Eigen::MatrixXd& /*columns*/) { return false; }
  const Eigen::VectorXd& displacement() const noexcept { return x_; }  // [n], m
  const Eigen::VectorXd& velocity() const noexcept { return v_; }      // [n], m/s
  /// [n], m/s^2; a state of the scheme, or computed on demand. Real-time safe.
  virtual const Eigen::VectorXd& acceleration() const noexcept { return a_; }

  /// Complete state from tick to tick, as one vector: displacement, velocity, acceleration, followed by further values
  /// (old loads). Without nonlinear links the step is linear in it and in the load; spectral radii and the discrete
  /// loop are computed from this. Not real-time.
  virtual Eigen::VectorXd state() const;
  virtual void setState(const Eigen::VectorXd& state);

 protected:
  Eigen::VectorXd x_, v_, a_;
};

// Implicit schemes solve for the new tick with its load. Explicit schemes compute the displacement at the new tick only
// from the past, so the load of the new tick first affects the tick after it. w: highest natural frequency, rad/s.
enum class Scheme : unsigned char {
  newmark,  // implicit, beta 1/4, gamma 1/2: unconditionally stable, order 2, no numerical damping
  hht,      // Hilber, Hughes, Taylor 1977: implicit; damping by rho_inf in 1/2..1 (alpha = (1 - rho)/(1 + rho))
  generalised_alpha,  // Chung, Hulbert 1993: implicit; rho_inf in 0..1
  exact_ramp,         // matrix exponential, load linear over the step
  exact_hold,         // matrix exponential, load of the last tick held over the step: half a tick of delay in the force
  central_difference,  // explicit, order 2, stable for w dt < 2
  newmark_explicit,    // beta 0, gamma 1/2: as central difference, but with velocity and acceleration at the tick
  alpha_os,            // operator splitting with alpha in -1/3..0 (Combescure, Pegon 1997): K implicit, r explicit
  cr,                  // Chen, Ricles 2008: explicit, unconditionally stable for linear systems, order 2
  kr_alpha,            // Kolay, Ricles 2014: explicit, unconditionally stable, rho_inf in 0..1
  mkr_alpha,           // Kolay, Ricles 2019: as KR-alpha, less overshoot
  rk4,                 // classical Runge-Kutta, stable for w dt < 2.828
  bogacki_shampine,    // Bogacki-Shampine, order 3, w dt < 1.732
  dormand_prince_8,    // Dormand-Prince, order 8
};
std::string_view name(Scheme scheme) noexcept;
std::string_view title(Scheme scheme) noexcept;  // display name: "KR-alpha"
Scheme schemeFromName(const std::string& name);  // "newmark", "kr-alpha", ...; throws InputError
std::span<const Scheme> allSchemes() noexcept;
bool isExplicit(Scheme scheme) noexcept;  // supports nonlinear links
bool hasRhoInf(Scheme scheme) noexcept;   // uses IntegratorSpec::rho_inf
/// Largest stable w dt of an undamped oscillator; infinity for unconditionally stable schemes.
double stabilityLimit(Scheme scheme) noexcept;

enum class LoadOverTick : unsigned char {
  ramp,  // from the load of the last tick to that of the new one
  hold,  // the load of the new tick over the whole tick
};

struct IntegratorSpec {
  Scheme scheme = Scheme::newmark;
  double rho_inf = 1.0;                    // spectral radius at infinite frequency: 1 no damping, 0 largest damping
  int substeps = 1;                        // model steps per tick, >= 1
  LoadOverTick load = LoadOverTick::ramp;  // load of sub-steps and of the stages of a Runge-Kutta scheme
  int ticks_per_step = 1;  // ticks per model step, >= 1; in between the motion is extrapolated with the last x, v, a.
                           // The load of a model step is the mean over its ticks. Not together with substeps.
};

/// Delay of the load's effect on slow motion, s, to the first order of the tick; negative if it acts earlier. 0 if a
/// scheme applies the load at its own instant.
double loadDelay(const IntegratorSpec& spec, double tick_s) noexcept;

/// Reason why the motion at the next tick does not follow from the load of this tick alone, one sentence; "" if it
/// does: explicit Runge-Kutta schemes with held load.
std::string aheadFault(const IntegratorSpec& spec);

/// Mass, damping and stiffness are symmetric, except for rounding, as the schemes require.
bool isSymmetric(const SystemMatrices& system);

/// tick_s > 0. Throws InputError: mass matrix not positive definite (with the DOF), values out of range, nonlinear
/// links in an implicit scheme, a step beyond the stability limit, `exact` with more than 400 DOF.
std::unique_ptr<Integrator> makeIntegrator(const IntegratorSpec& spec, const SystemMatrices& system, double tick_s);

}  // namespace hyb
