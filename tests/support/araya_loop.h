#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "core/compensation/compensator.h"
#include "tests/support/araya_standin.h"

namespace hyb::test {

/// The force-based loop of Araya 2023 (note, sections 2 to 5 and 9.3), all continuous states in one step of Runge-Kutta
/// a tick, as in the thesis: written for itself, so that a compensator of the product meets the loop of the source.
class ArayaLoop {
 public:
  static constexpr double kTick_s = 1.0 / 4096.0;
  struct Setup {
    double actual_spring = 1.0;  // over the nominal one
    bool displacement_noise = false, force_noise = false;
    bool noise_at_piston = true;  // of the load cell; false: the wrong model of row 54
    double length_unit_m = 1.0;   // in which the compensator gets its motions
    unsigned seed = 1;
    double end_s = 40.0;
  };
  struct Figures {
    double j2 = 0.0, a2 = 0.0;  // %
    double piston_mps = 0.0, stroke_m = 0.0, force_n = 0.0;
    double largest_target_m = 0.0;
    std::vector<std::vector<double>> adapted;  // at the whole seconds
    double least_adapted = 0.0;
  };

  /// The stand-in of section 9.3 at 80 %, m/s^2.
  static double ground(double t_s) {
    static const std::vector<double> samples = hyb::test::standIn();
    const double place = t_s / kStandInStep_s;
    const auto n = static_cast<std::size_t>(place);
    if (n + 1 >= samples.size()) return 0.0;
    const double share = place - static_cast<double>(n);
    return 0.8 * ((1.0 - share) * samples[n] + share * samples[n + 1]);
  }

  /// No compensator: the command is the target at every instant, between ticks too.
  static Figures run(Compensator* compensator, const Setup& setup) {
    ArayaLoop loop(setup);
    return loop.runAll(compensator);
  }

 private:
  static constexpr double kMass = 98.3, kUpper = 0.684e6, kStorey = 10.836e6, kSpring = 0.05 * kStorey;
  static constexpr double kC2 = 152.2486, kC31 = 13.7892, kSpecimenC = 3004.7556;
  static constexpr double kC22 = 1088.1852, kC23 = -370.6984, kC33 = 731.2760;
  static constexpr double kA1b0 = 2.13e13, kA2 = 4.23e6, kA3 = 3.3, kB1 = 425.0, kB2 = 1e5, kPiston = 1.0;
  enum Place { x2, x3, v2, v3, xe, ve, q, dq, fp, xp, vp, count };
  using State = std::array<double, count>;

  explicit ArayaLoop(const Setup& setup) : setup_(setup), random_(setup.seed) {}

  double springForce(const State& y) const { return setup_.actual_spring * kSpring * (y[xp] - y[xe]); }
  static double targetForce(const State& y, double ag) {
    return -kMass * ag + kUpper * (y[x2] - y[xe]) + kC2 * (y[v2] - y[ve]);
  }
  static double target(const State& y, double ag) { return targetForce(y, ag) / kSpring + y[xe]; }

  State slope(const State& y, double t, const std::optional<double>& held, double noise_n) const {
    const double ag = ground(t), command = held ? *held : target(y, ag), spring = springForce(y);
    State d{};
    d[x2] = y[v2];
    d[x3] = y[v3];
    d[v2] = -ag + (kUpper * y[xe] + kC2 * y[ve] - kC22 * y[v2] - kC23 * y[v3] - 2.0 * kUpper * y[x2] + kUpper * y[x3]) /
                      kMass;
    d[v3] = -ag + (kC31 * y[ve] - kC23 * y[v2] - kC33 * y[v3] + kUpper * y[x2] - kUpper * y[x3]) / kMass;
    d[xe] = y[ve];
    d[ve] = (spring - kSpecimenC * y[ve] - kStorey * y[xe]) / kMass;
    d[q] = y[dq];
    d[dq] = kA1b0 * (command - y[xp]) - kB1 * y[dq] - kB2 * y[q];
    d[fp] = y[q] - kA2 * y[vp] - kA3 * y[fp];
    d[xp] = y[vp];
    d[vp] = (y[fp] - spring - (setup_.noise_at_piston ? noise_n : 0.0)) / kPiston;
    return d;
  }

  Figures runAll(Compensator* compensator) {
    Figures figures;
    const auto one = [](double value) { return Eigen::VectorXd::Constant(1, value); };
    InterfaceState state{one(0.0), one(0.0), one(0.0)};
    Command command{one(0.0), one(0.0)};
    std::vector<double> adapted(compensator ? compensator->adapted().size() : 0);
    std::normal_distribution<double> white;
    double gap = 0.0, all = 0.0, force_gap = 0.0, all_force = 0.0;
    figures.least_adapted = 1e9;
    State y{};
    const int ticks = static_cast<int>(std::lround(setup_.end_s / kTick_s));
    for (int k = 0; k <= ticks; ++k) {
      const double t = k * kTick_s, ag = ground(t), z = target(y, ag), f = targetForce(y, ag);
      const double noise_m = setup_.displacement_noise ? 6.532e-6 * white(random_) : 0.0,
                   noise_n = setup_.force_noise ? 2.180 * white(random_) : 0.0;
      const double x = y[xp] + noise_m, measured_n = springForce(y) + noise_n;
      std::optional<double> held;
      if (compensator) {
        state.target[0] = z / setup_.length_unit_m;
        state.measured[0] = x / setup_.length_unit_m;
        compensator->update(state, command);
        held = command.position[0] * setup_.length_unit_m;
        compensator->readAdapted(adapted);
        for (const double a : adapted) figures.least_adapted = std::min(figures.least_adapted, a);
        if (k % 4096 == 0) figures.adapted.push_back(adapted);
      }
      gap += (x - z) * (x - z);
      all += z * z;
      force_gap += (measured_n - f) * (measured_n - f);
      all_force += f * f;
      figures.piston_mps = std::max(figures.piston_mps, std::abs(y[vp]));
      figures.stroke_m = std::max(figures.stroke_m, std::abs(y[xp]));
      figures.force_n = std::max(figures.force_n, std::abs(springForce(y)));
      figures.largest_target_m = std::max(figures.largest_target_m, std::abs(z));
      if (!std::isfinite(z) || std::abs(z) > 1.0) {  // diverged
        figures.j2 = figures.a2 = HUGE_VAL;
        return figures;
      }
      y = advanced(y, t, held, noise_n);
    }
    figures.j2 = 100.0 * std::sqrt(gap / all);
    figures.a2 = 100.0 * std::sqrt(force_gap / all_force);
    return figures;
  }

  State advanced(const State& y, double t, const std::optional<double>& held, double noise_n) const {
    const auto moved = [&y](const State& d, double h) {
      State at = y;
      for (std::size_t n = 0; n < at.size(); ++n) at[n] += h * d[n];
      return at;
    };
    const double half = 0.5 * kTick_s;
    const State a = slope(y, t, held, noise_n), b = slope(moved(a, half), t + half, held, noise_n),
                c = slope(moved(b, half), t + half, held, noise_n),
                d = slope(moved(c, kTick_s), t + kTick_s, held, noise_n);
    State next = y;
    for (std::size_t n = 0; n < next.size(); ++n) next[n] += kTick_s / 6.0 * (a[n] + 2.0 * b[n] + 2.0 * c[n] + d[n]);
    return next;
  }

  Setup setup_;
  mutable std::mt19937_64 random_;
};

}  // namespace hyb::test
