#pragma once
#include <cmath>
#include <cstddef>
#include <vector>

namespace hyb::test {

// The linear twin of one leg, written down from the reference note (Insam 2022, D4 and D11), apart from the product's
// own twin: 1 kHz, released under gravity with the springs at rest.

inline constexpr double kLegStep_s = 1e-3, kGravity = 9.81;

/// Numerical and experimental half: kg, N/m, kg/s.
struct Halves {
  double m, k, d, m_exp, k_exp;
};
inline constexpr Halves kSpring{9.62, 20000.0, 200.0, 0.0, 8650.0}, kMass{1.0, 2000.0, 10.0, 0.5, 0.0};
inline constexpr Halves kSystem1{8.0, 11380.0, 20.0, 2.0, 710.0}, kSystem2{9.5, 13512.0, 20.0, 0.5, 177.0};

/// Gains of the leg's controller (D2.2) and velocity feed-forward.
struct LegGains {
  double position, velocity, integral;
  bool feedforward;
};
inline constexpr LegGains kPpi1{20.0, 0.2, 1.0, false}, kPpi2{50.0, 0.2, 5.0, false}, kFaceSim{90.0, 0.2, 5.0, false};
constexpr LegGains withFeedforward(LegGains gains) { return {gains.position, gains.velocity, gains.integral, true}; }

/// Sample k holds z and b after step k + 1 of D4: row k + 2 of the product with /coupling/ahead (row 0 is at rest, the
/// release acts from row 1 on).
struct LegTwinRun {
  std::vector<double> command, achieved;
};
inline LegTwinRun legTwin(const Halves& h, const LegGains& gains, std::size_t added_steps, std::size_t steps) {
  LegTwinRun run;
  double z = 0.0, v = 0.0, b = 0.0, rate = 0.0, rate_before = 0.0, integral = 0.0;
  std::vector<double> commands(added_steps + 2, 0.0);
  const double dt = kLegStep_s;
  for (std::size_t k = 0; k < steps; ++k) {
    const double force = h.k_exp * b + h.m_exp * (rate - rate_before) / dt + h.m_exp * kGravity;
    const auto acceleration = [&](double at, double speed) {
      return (-h.m * kGravity - force - h.k * at - h.d * speed) / h.m;
    };
    const double k1v = acceleration(z, v), k1z = v;
    const double k2v = acceleration(z + 0.5 * dt * k1z, v + 0.5 * dt * k1v), k2z = v + 0.5 * dt * k1v;
    const double k3v = acceleration(z + 0.5 * dt * k2z, v + 0.5 * dt * k2v), k3z = v + 0.5 * dt * k2v;
    const double k4v = acceleration(z + dt * k3z, v + dt * k3v), k4z = v + dt * k3v;
    z += dt / 6.0 * (k1z + 2.0 * k2z + 2.0 * k3z + k4z);
    v += dt / 6.0 * (k1v + 2.0 * k2v + 2.0 * k3v + k4v);
    commands.push_back(z);
    const double command = commands[commands.size() - 1 - added_steps];
    const double before = commands[commands.size() - 2 - added_steps];
    const double wanted = gains.position * (command - b) + (gains.feedforward ? (command - before) / dt : 0.0);
    const double missing = wanted - rate;
    integral += gains.integral * missing * dt;
    const double current = gains.velocity * missing + integral;
    rate_before = rate;
    for (int i = 0; i < 5; ++i) {  // leg 2
      const double ends = 1053.1 * current / 55.5, next = ends + (rate - ends) * std::exp(-55.5 * dt / 5.0);
      b += 0.5 * (rate + next) * dt / 5.0;
      rate = next;
    }
    run.command.push_back(z);
    run.achieved.push_back(b);
  }
  return run;
}

}  // namespace hyb::test
