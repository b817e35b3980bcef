#pragma once
#include <array>
#include <cmath>

#include "core/compensation/compensator.h"
#include "tests/support/araya_standin.h"

namespace hyb::test {

/// The force-based loop of Araya 2023 (note, sections 2 to 5 and 9.3), all continuous states in one step of Runge-Kutta
/// a tick, as in the thesis, around a compensator that gets its motions in another unit: what no project can ask for.
class ArayaLoop {
 public:
  static constexpr double kTick_s = 1.0 / 4096.0;

  /// J2 over 40 s of the stand-in at 80 %, %; infinite where it diverges.
  static double trackingError(Compensator& compensator, double length_unit_m) {
    const auto one = [](double value) { return Eigen::VectorXd::Constant(1, value); };
    InterfaceState state{one(0.0), one(0.0), one(0.0)};
    Command command{one(0.0), one(0.0)};
    double gap = 0.0, all = 0.0;
    State y{};
    for (int k = 0; k <= 40 * 4096; ++k) {
      const double t = k * kTick_s, z = target(y, ground(t)), x = y[xp];
      state.target[0] = z / length_unit_m;
      state.measured[0] = x / length_unit_m;
      compensator.update(state, command);
      gap += (x - z) * (x - z);
      all += z * z;
      if (!(std::abs(z) <= 1.0)) return HUGE_VAL;
      y = advanced(y, t, command.position[0] * length_unit_m);
    }
    return 100.0 * std::sqrt(gap / all);
  }

 private:
  static constexpr double kMass = 98.3, kUpper = 0.684e6, kStorey = 10.836e6, kSpring = 0.05 * kStorey;
  static constexpr double kC2 = 152.2486, kC31 = 13.7892, kSpecimenC = 3004.7556;
  static constexpr double kC22 = 1088.1852, kC23 = -370.6984, kC33 = 731.2760;
  static constexpr double kA1b0 = 2.13e13, kA2 = 4.23e6, kA3 = 3.3, kB1 = 425.0, kB2 = 1e5, kPiston = 1.0;
  enum Place { x2, x3, v2, v3, xe, ve, q, dq, fp, xp, vp, count };
  using State = std::array<double, count>;

  static double ground(double t_s) {
    static const std::vector<double> samples = standIn();
    const double place = t_s / kStandInStep_s;
    const auto n = static_cast<std::size_t>(place);
    if (n + 1 >= samples.size()) return 0.0;
    const double share = place - static_cast<double>(n);
    return 0.8 * ((1.0 - share) * samples[n] + share * samples[n + 1]);
  }

  static double target(const State& y, double ag) {
    return (-kMass * ag + kUpper * (y[x2] - y[xe]) + kC2 * (y[v2] - y[ve])) / kSpring + y[xe];
  }

  static State slope(const State& y, double t, double command) {
    const double ag = ground(t), spring = kSpring * (y[xp] - y[xe]);
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
    d[vp] = (y[fp] - spring) / kPiston;
    return d;
  }

  static State advanced(const State& y, double t, double command) {
    const auto moved = [&y](const State& d, double h) {
      State at = y;
      for (std::size_t n = 0; n < at.size(); ++n) at[n] += h * d[n];
      return at;
    };
    const double half = 0.5 * kTick_s;
    const State a = slope(y, t, command), b = slope(moved(a, half), t + half, command),
                c = slope(moved(b, half), t + half, command), d = slope(moved(c, kTick_s), t + kTick_s, command);
    State next = y;
    for (std::size_t n = 0; n < next.size(); ++n) next[n] += kTick_s / 6.0 * (a[n] + 2.0 * b[n] + 2.0 * c[n] + d[n]);
    return next;
  }
};

}  // namespace hyb::test
