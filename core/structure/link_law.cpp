#include "core/structure/link_law.h"

#include <algorithm>
#include <cmath>

namespace hyb {
namespace {

void checkHardening(double ratio, Checks& checks) {
  if (!(ratio >= 0.0 && ratio < 1.0)) checks.fault("/hardening_ratio", ratio, "", "must be at least 0 and less than 1");
}

void check(const CubicSpring& spring, Checks& checks) {
  checks.notNegative("/stiffness_n_per_m", spring.stiffness_n_per_m, "N/m");
  if (!std::isfinite(spring.cubic_n_per_m3) || spring.cubic_n_per_m3 == 0.0)
    checks.fault("/cubic_n_per_m3", spring.cubic_n_per_m3, "N/m^3",
                 "must be finite and not 0; add a linear spring to the structure instead");
}

void check(const BilinearSpring& spring, Checks& checks) {
  checks.positive("/stiffness_n_per_m", spring.stiffness_n_per_m, "N/m");
  checks.positive("/yield_force_n", spring.yield_force_n, "N");
  checkHardening(spring.hardening_ratio, checks);
}

void check(const BoucWenSpring& spring, Checks& checks) {
  checks.positive("/stiffness_n_per_m", spring.stiffness_n_per_m, "N/m");
  checks.positive("/yield_stretch_m", spring.yield_stretch_m, "m");
  checkHardening(spring.hardening_ratio, checks);
  checks.notNegative("/beta", spring.beta, "");
  if (!std::isfinite(spring.gamma) || !(spring.beta + spring.gamma > 0.0))
    checks.fault("/gamma", spring.gamma, "",
                 "must be finite, and its sum with beta must be greater than 0, so that the force yields");
  checks.between("/exponent", spring.exponent, 1.0, 100.0, "");
}

void check(const ContactSpring& spring, Checks& checks) {
  checks.positive("/stiffness_n_per_m", spring.stiffness_n_per_m, "N/m");
  checks.notNegative("/gap_m", spring.gap_m, "m");
}

// One overload per law: the memory after the move, the force, its mean over a straight move, and the force beyond k d.

double memoryAfter(const CubicSpring&, LinkHistory, double) noexcept { return 0.0; }
double memoryAfter(const ContactSpring&, LinkHistory, double) noexcept { return 0.0; }

/// Slope of the line of the centre of the elastic range over the plastic stretch, N/m.
double hardeningModulus(const BilinearSpring& s) noexcept {
  return s.stiffness_n_per_m * s.hardening_ratio / (1.0 - s.hardening_ratio);
}

double memoryAfter(const BilinearSpring& s, LinkHistory from, double stretch) noexcept {
  const double modulus = hardeningModulus(s), k = s.stiffness_n_per_m;
  const double trial = k * (stretch - from.memory) - modulus * from.memory;
  const double beyond = std::abs(trial) - s.yield_force_n;
  return beyond > 0.0 ? from.memory + std::copysign(beyond / (k + modulus), trial) : from.memory;
}

double memoryAfter(const BoucWenSpring& s, LinkHistory from, double stretch) noexcept {
  const double path = (stretch - from.stretch) / s.yield_stretch_m;  // in yield stretches
  if (!(std::abs(path) > 0.0)) return from.memory;
  const double direction = std::copysign(1.0, path);
  const auto slope = [&](double z) {
    return 1.0 - std::pow(std::abs(z), s.exponent) * (s.beta * (z * direction < 0.0 ? -1.0 : 1.0) + s.gamma);
  };
  const int steps = static_cast<int>(std::ceil(std::min(20.0 * std::abs(path), 400.0)));
  const double h = std::clamp(path, -20.0, 20.0) / steps;
  double z = from.memory;
  for (int i = 0; i < steps; ++i) {
    const double k1 = slope(z), k2 = slope(z + 0.5 * h * k1), k3 = slope(z + 0.5 * h * k2), k4 = slope(z + h * k3);
    z += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return z;
}

double forceOf(const CubicSpring& s, const LinkHistory& at) noexcept {
  return (s.stiffness_n_per_m + s.cubic_n_per_m3 * at.stretch * at.stretch) * at.stretch;
}

double forceOf(const ContactSpring& s, const LinkHistory& at) noexcept {
  return s.stiffness_n_per_m * std::min(0.0, at.stretch + s.gap_m);
}

double forceOf(const BilinearSpring& s, const LinkHistory& at) noexcept {
  return s.stiffness_n_per_m * (at.stretch - at.memory);
}

double forceOf(const BoucWenSpring& s, const LinkHistory& at) noexcept {
  return s.stiffness_n_per_m *
         (s.hardening_ratio * at.stretch + (1.0 - s.hardening_ratio) * s.yield_stretch_m * at.memory);
}

double meanOf(const CubicSpring& s, const LinkHistory& from, double stretch) noexcept {
  const double a = from.stretch, b = stretch;
  return 0.5 * (a + b) * (s.stiffness_n_per_m + 0.5 * s.cubic_n_per_m3 * (a * a + b * b));
}

double meanOf(const ContactSpring& s, const LinkHistory& from, double stretch) noexcept {
  const double a = from.stretch + s.gap_m, b = stretch + s.gap_m;
  if (a >= 0.0 && b >= 0.0) return 0.0;
  if (a <= 0.0 && b <= 0.0) return 0.5 * s.stiffness_n_per_m * (a + b);
  const double deepest = std::min(a, b);
  return 0.5 * s.stiffness_n_per_m * deepest * (-deepest / std::abs(b - a));
}

/// Elastic up to the yield force, then on the hardening line to the end.
double meanOf(const BilinearSpring& s, const LinkHistory& from, double stretch) noexcept {
  const double before = forceOf(s, from), path = stretch - from.stretch;
  const LinkHistory to{stretch, memoryAfter(s, from, stretch)};
  const double after = forceOf(s, to);
  if (to.memory == from.memory) return 0.5 * (before + after);
  const double yields = std::copysign(s.yield_force_n, path) + hardeningModulus(s) * from.memory;
  const double elastic =
      std::clamp((from.memory + yields / s.stiffness_n_per_m - from.stretch) / path, 0.0, 1.0);  // share of the path
  return 0.5 * (elastic * (before + yields) + (1.0 - elastic) * (yields + after));
}

double meanOf(const BoucWenSpring& s, const LinkHistory& from, double stretch) noexcept {
  const double half = 0.5 * (from.stretch + stretch);
  const LinkHistory middle{half, memoryAfter(s, from, half)}, to{stretch, memoryAfter(s, middle, stretch)};
  return (forceOf(s, from) + 4.0 * forceOf(s, middle) + forceOf(s, to)) / 6.0;
}

double beyondLinear(const CubicSpring& s, const LinkHistory& at) noexcept {
  return s.cubic_n_per_m3 * at.stretch * at.stretch * at.stretch;
}

double beyondLinear(const ContactSpring& s, const LinkHistory& at) noexcept { return forceOf(s, at); }

double beyondLinear(const BilinearSpring& s, const LinkHistory& at) noexcept {
  return -s.stiffness_n_per_m * at.memory;
}

double beyondLinear(const BoucWenSpring& s, const LinkHistory& at) noexcept {
  return (1.0 - s.hardening_ratio) * s.stiffness_n_per_m * (s.yield_stretch_m * at.memory - at.stretch);
}

}  // namespace

void checkLaw(const NonlinearLaw& law, Checks& checks) {
  std::visit([&](const auto& spring) { check(spring, checks); }, law);
}

LinkHistory advanced(const NonlinearLaw& law, LinkHistory from, double stretch) noexcept {
  return {stretch, std::visit([&](const auto& spring) { return memoryAfter(spring, from, stretch); }, law)};
}

double linkForce(const NonlinearLaw& law, const LinkHistory& at) noexcept {
  return std::visit([&](const auto& spring) { return forceOf(spring, at); }, law);
}

double meanLinkForce(const NonlinearLaw& law, const LinkHistory& from, double stretch) noexcept {
  return std::visit([&](const auto& spring) { return meanOf(spring, from, stretch); }, law);
}

double forceBeyondLinear(const NonlinearLaw& law, const LinkHistory& at) noexcept {
  return std::visit([&](const auto& spring) { return beyondLinear(spring, at); }, law);
}

}  // namespace hyb
