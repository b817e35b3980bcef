#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/error.h"
#include "core/integration/schemes.h"

namespace hyb {
namespace {

constexpr double kUnconditional = std::numeric_limits<double>::infinity();

struct Entry {
  Scheme scheme;
  std::string_view name, title;
  bool is_explicit, has_rho_inf;
  double stability_limit;                // largest stable w dt of an undamped oscillator
  double damped_limit = kUnconditional;  // radius of the left half disc in which the scheme is stable
};

constexpr std::array kCatalogue{
    Entry{Scheme::newmark, "newmark", "Newmark (average acceleration)", false, false, kUnconditional},
    Entry{Scheme::hht, "hht", "HHT-alpha", false, true, kUnconditional},
    Entry{Scheme::generalised_alpha, "generalised-alpha", "Generalised-alpha", false, true, kUnconditional},
    Entry{Scheme::exact_ramp, "exact-ramp", "Exact, load as a ramp", false, false, kUnconditional},
    Entry{Scheme::exact_hold, "exact-hold", "Exact, load held", false, false, kUnconditional},
    Entry{Scheme::central_difference, "central-difference", "Central difference", true, false, 2.0},
    Entry{Scheme::newmark_explicit, "newmark-explicit", "Newmark explicit", true, false, 2.0},
    Entry{Scheme::alpha_os, "alpha-os", "Alpha operator splitting", true, true, kUnconditional},
    Entry{Scheme::cr, "cr", "CR", true, false, kUnconditional},
    Entry{Scheme::kr_alpha, "kr-alpha", "KR-alpha", true, true, kUnconditional},
    Entry{Scheme::mkr_alpha, "mkr-alpha", "MKR-alpha", true, true, kUnconditional},
    Entry{Scheme::rk4, "rk4", "Runge-Kutta 4", true, false, 2.0 * std::numbers::sqrt2, 2.6155},
    Entry{Scheme::bogacki_shampine, "bogacki-shampine", "Bogacki-Shampine 3", true, false, std::numbers::sqrt3,
          std::numbers::sqrt3},
    Entry{Scheme::dormand_prince_8, "dormand-prince-8", "Dormand-Prince 8", true, false, 5.96035, 5.96035},
};

constexpr auto kSchemes = [] {
  std::array<Scheme, kCatalogue.size()> schemes{};
  for (std::size_t i = 0; i < schemes.size(); ++i) schemes[i] = kCatalogue[i].scheme;
  return schemes;
}();

// The index of an entry equals its scheme.
static_assert([] {
  for (std::size_t i = 0; i < kSchemes.size(); ++i)
    if (static_cast<std::size_t>(kSchemes[i]) != i) return false;
  return true;
}());

constexpr const Entry& entry(Scheme scheme) noexcept { return kCatalogue[static_cast<std::size_t>(scheme)]; }

}  // namespace

std::string_view name(Scheme scheme) noexcept { return entry(scheme).name; }
std::string_view title(Scheme scheme) noexcept { return entry(scheme).title; }
std::span<const Scheme> allSchemes() noexcept { return kSchemes; }
bool isExplicit(Scheme scheme) noexcept { return entry(scheme).is_explicit; }
bool hasRhoInf(Scheme scheme) noexcept { return entry(scheme).has_rho_inf; }
double stabilityLimit(Scheme scheme) noexcept { return entry(scheme).stability_limit; }
double dampedLimit(Scheme scheme) noexcept { return entry(scheme).damped_limit; }

double loadDelay(const IntegratorSpec& spec, double tick_s) noexcept {
  const double steps = spec.substeps, step_s = tick_s / steps * spec.ticks_per_step;
  double delay_s =
      0.5 * (spec.ticks_per_step - 1) * tick_s;  // the mean load of the ticks of a model step, applied at its end
  if (spec.scheme == Scheme::exact_hold) delay_s += 0.5 * step_s;
  if (spec.load == LoadOverTick::hold) {  // the load at the end of the tick, applied from its start
    delay_s -= 0.5 * (steps - 1.0) / steps * tick_s;
    const bool stages = std::isfinite(entry(spec.scheme).damped_limit);  // a Runge-Kutta scheme uses it in each stage
    if (stages) delay_s -= 0.5 * step_s;
  }
  return delay_s;
}

std::string aheadFault(const IntegratorSpec& spec) {
  const std::string scheme(title(spec.scheme));
  if (!isExplicit(spec.scheme))
    return "is true, but " + scheme +
           " needs the force at the end of the step, which is not measured yet; choose a Runge-Kutta scheme with held "
           "load (/integrator/scheme, /integrator/load), or remove this.";
  if (dampedLimit(spec.scheme) == kUnconditional)
    return "is true, but " + scheme +
           " already uses the force of the last tick and cannot use a later one; choose a Runge-Kutta scheme with held "
           "load (/integrator/scheme, /integrator/load), or remove this.";
  if (spec.load != LoadOverTick::hold)
    return "is true, but with a linear load over the tick the motion needs the force at its end, which is not measured "
           "yet; set /integrator/load to \"hold\", or remove this.";
  if (spec.ticks_per_step > 1)
    return "is true, but the motion is extrapolated between model steps of several ticks; set "
           "/integrator/ticks_per_step to 1, or remove this.";
  return {};
}

Scheme schemeFromName(const std::string& name) {
  std::string known;
  for (const Entry& e : kCatalogue) {
    if (e.name == name) return e.scheme;
    known += (known.empty() ? "" : ", ") + std::string(e.name);
  }
  throw InputError("/integrator/scheme", "\"" + name + "\" is not an integration scheme; use one of " + known);
}

}  // namespace hyb
