#include "core/stability/delay_stability.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <numbers>

#include "core/stability/characteristic.h"
#include "core/stability/condensed_side.h"
#include "core/structure/modes.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;
constexpr double kTwoPi = 2.0 * std::numbers::pi;

/// Loop gains at a frequency. With mu = e^{-i w tau} the loop is singular where mu * lambda = -1 for an eigenvalue
/// lambda of Z(iw) S(iw) E(iw): receptance of the NS at the interface, stiffness of the PS condensed on it, actuators
/// with their base delay. So roots cross the axis where |lambda| = 1, at the delays that give mu the angle of
/// -1/lambda.
class LoopGain {
 public:
  explicit LoopGain(const DelaySystem& system)
      : system_(system),
        numerical_(system.partition.numerical, system.partition.interface_in_numerical),
        physical_(system.partition.physical, system.partition.interface_in_physical) {}

  /// Ascending in magnitude, so that each magnitude is a continuous function of the frequency: no tracking is needed.
  Eigen::VectorXcd at(double omega) const {
    const Complex s(0.0, omega);
    Eigen::MatrixXcd load = physical_.at(s);
    for (Eigen::Index i = 0; i < load.cols(); ++i) load.col(i) *= actuator(i, s);
    const Eigen::MatrixXcd at_interface = numerical_.at(s).partialPivLu().solve(load);
    if (!at_interface.allFinite())  // undamped and in resonance
      return Eigen::VectorXcd::Constant(load.cols(), HUGE_VAL);
    Eigen::VectorXcd values = Eigen::ComplexEigenSolver<Eigen::MatrixXcd>(at_interface, false).eigenvalues();
    std::sort(values.begin(), values.end(), [](Complex a, Complex b) { return std::abs(a) < std::abs(b); });
    return values;
  }

 private:
  Complex actuator(Eigen::Index i, Complex s) const {
    Complex g = 1.0;
    if (!system_.actuators.empty()) {
      const auto evaluate = [s](const std::vector<double>& coefficients) {
        Complex value = 0.0;
        for (auto it = coefficients.rbegin(); it != coefficients.rend(); ++it) value = value * s + *it;
        return value;
      };
      const ActuatorTransfer& transfer = system_.actuators[static_cast<std::size_t>(i)];
      g = evaluate(transfer.numerator) / evaluate(transfer.denominator);
    }
    return system_.base_delay_s.size() > 0 ? g * std::exp(-s * system_.base_delay_s[i]) : g;
  }

  const DelaySystem& system_;
  CondensedSide numerical_, physical_;
};

/// Even over the range, and dense around the modes of both structures, where lightly damped gains change fast.
std::vector<double> frequencyGrid(const DelaySystem& system, double cutoff) {
  constexpr int steps = 2000;
  std::vector<double> grid;
  for (int i = 1; i <= steps; ++i) grid.push_back(cutoff * i / steps);
  for (const SystemMatrices* matrices : {&system.partition.reference, &system.partition.numerical}) {
    const Modes all = modes(*matrices);
    for (const double frequency_hz : all.frequency_hz)
      for (double offset = 1e-7; offset < 0.5; offset *= 2.0)
        for (const double sign : {-1.0, 1.0}) grid.push_back(kTwoPi * frequency_hz * (1.0 + sign * offset));
  }
  std::erase_if(grid, [cutoff](double omega) { return !(omega > 0.0 && omega <= cutoff); });
  std::sort(grid.begin(), grid.end());
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  return grid;
}

struct AxisPoint {
  double omega, angle;  // angle of mu, rad
  bool destabilising;
};

/// Frequencies at which one of the gains has magnitude 1.
std::vector<AxisPoint> axisPoints(const DelaySystem& system, double cutoff) {
  const LoopGain gain(system);
  const std::vector<double> grid = frequencyGrid(system, cutoff);
  std::vector<AxisPoint> points;
  // The magnitude is what falls (towards more delay: destabilising) or rises through 1; see Crossing.
  const auto solve = [&](Eigen::Index branch, double low, double high) {
    const auto level = [&](double omega) {
      return std::clamp(std::log(std::abs(gain.at(omega)[branch])), -700.0, 700.0);
    };
    const double at_low = level(low), at_high = level(high);
    if ((at_low > 0.0) == (at_high > 0.0)) return;
    std::uintmax_t iterations = 100;
    const auto [a, b] = boost::math::tools::toms748_solve(level, low, high, at_low, at_high,
                                                          boost::math::tools::eps_tolerance<double>(50), iterations);
    const double omega = 0.5 * (a + b);
    points.push_back({omega, std::arg(-1.0 / gain.at(omega)[branch]), at_low > 0.0});
  };

  std::vector<Eigen::VectorXd> levels;
  for (const double omega : grid) levels.push_back(gain.at(omega).array().abs().log().max(-700.0).min(700.0));
  for (Eigen::Index branch = 0; branch < levels.front().size(); ++branch) {
    const auto level = [&](std::size_t i) { return levels[i][branch]; };
    for (std::size_t i = 1; i < grid.size(); ++i) {
      if ((level(i - 1) > 0.0) != (level(i) > 0.0)) {
        solve(branch, grid[i - 1], grid[i]);
      } else if (i + 1 < grid.size() && (level(i) > 0.0) == (level(i + 1) > 0.0)) {
        // A peak or dip that reaches beyond 1 between grid points crosses twice.
        const double away = level(i) > 0.0 ? 1.0 : -1.0;
        if (away * level(i) > away * level(i - 1) || away * level(i) > away * level(i + 1)) continue;
        const double extreme =
            boost::math::tools::brent_find_minima(
                [&](double omega) {
                  return away * std::clamp(std::log(std::abs(gain.at(omega)[branch])), -700.0, 700.0);
                },
                grid[i - 1], grid[i + 1], 30)
                .first;
        solve(branch, grid[i - 1], extreme);
        solve(branch, extreme, grid[i + 1]);
      }
    }
  }
  return points;
}

}  // namespace

std::vector<Crossing> crossings(const DelaySystem& system, double cutoff_hz, double max_delay_s) {
  requireSound(system, max_delay_s, cutoff_hz);
  std::vector<Crossing> result;
  for (const AxisPoint& point : axisPoints(system, kTwoPi * cutoff_hz)) {
    double lag = -point.angle;
    if (lag < 0.0) lag += kTwoPi;
    for (; lag <= max_delay_s * point.omega; lag += kTwoPi)
      result.push_back({lag / point.omega, point.omega / kTwoPi, point.destabilising});
  }
  std::sort(result.begin(), result.end(), [](const Crossing& a, const Crossing& b) { return a.delay_s < b.delay_s; });
  return result;
}

std::optional<Crossing> criticalDelay(const DelaySystem& system, double cutoff_hz, double max_delay_s) {
  const std::vector<std::complex<double>> roots = rightmostRoots(system, 0.0, cutoff_hz);
  if (!roots.empty() && roots.front().real() > 0.0) return Crossing{0.0, roots.front().imag() / kTwoPi};
  for (const Crossing& crossing : crossings(system, cutoff_hz, max_delay_s))
    if (crossing.destabilising) return crossing;
  return std::nullopt;
}

}  // namespace hyb
