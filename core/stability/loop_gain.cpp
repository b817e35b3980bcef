#include "core/stability/loop_gain.h"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>

#include "core/base/minimum.h"
#include "core/base/numbers.h"
#include "core/linalg/dense.h"
#include "core/linalg/eigen.h"
#include "core/structure/modes.h"

namespace hyb {

using Complex = std::complex<double>;

namespace {

/// Of a loop with one late signal, 1 - g + g e^{-s tau} = 0.
Eigen::VectorXcd gainOfLate(Complex g) {
  const Complex gain = g / (1.0 - g);
  return Eigen::VectorXcd::Constant(1, std::isfinite(std::abs(gain)) ? gain : HUGE_VAL);
}

Eigen::VectorXcd sortedGains(const Eigen::MatrixXcd& loop) {
  if (!loop.allFinite()) return Eigen::VectorXcd::Constant(loop.cols(), HUGE_VAL);
  if (loop.size() == 1) return loop.col(0);
  Eigen::VectorXcd values = linalg::eigenvalues(loop);
  std::sort(values.begin(), values.end(), [](Complex a, Complex b) { return std::abs(a) < std::abs(b); });
  return values;
}

}  // namespace

LoopGain::LoopGain(const DelaySystem& system)
    : system_(system),
      sides_(sidesOf(system)),
      coupled_(std::any_of(system.actuators.begin(), system.actuators.end(),
                           [](const ActuatorTransfer& actuator) { return !actuator.load.empty(); })),
      returns_(std::any_of(system.feedback.begin(), system.feedback.end(),
                           [](const CommandFeedback& feedback) { return !feedback.measured.empty(); })) {}

Eigen::VectorXcd LoopGain::gains(const Eigen::MatrixXcd& held, const Eigen::MatrixXcd& driven) const {
  if (!system_.late) return sortedGains(linalg::ComplexLu(held).solve(driven));
  const Eigen::Index late = *system_.late;
  const Eigen::MatrixXcd closed = held + driven, one = Eigen::MatrixXcd::Identity(held.rows(), held.cols());
  const Eigen::MatrixXcd answer = linalg::ComplexLu(closed).solve(Eigen::MatrixXcd(one.col(late)));
  return gainOfLate((driven.row(late) * answer)(0, 0));
}

TransferTerms LoopGain::termsOf(Eigen::Index i, Complex s) const {
  if (system_.actuators.empty()) return {{1.0, 0.0}, {0.0, 0.0}, {1.0, 0.0}, {0.0, 0.0}};
  TransferTerms all =
      terms(system_.actuators[static_cast<std::size_t>(i)], system_.feedbackAt(static_cast<std::size_t>(i)), s);
  if (system_.base_delay_s.size() > 0) {
    const Complex lag = std::exp(-s * system_.base_delay_s[i]);
    all.driven.value *= lag;
    all.returned.value *= lag;
  }
  return all;
}

/// From the motions, with the targets z = -D_N^-1 D_P x.
Eigen::VectorXcd LoopGain::withReturns(const Eigen::MatrixXcd& numerical, const Eigen::MatrixXcd& specimen,
                                       Complex s) const {
  Eigen::MatrixXcd held(specimen.rows(), specimen.cols()), driven = linalg::ComplexLu(numerical).solve(specimen);
  for (Eigen::Index i = 0; i < held.rows(); ++i) {
    const TransferTerms all = termsOf(i, s);
    held.row(i) = all.yielding.value * specimen.row(i);
    held(i, i) += all.held.value;
    driven.row(i) *= all.driven.value;
    driven(i, i) += all.returned.value;
  }
  return gains(held, driven);
}

LoopGain::BehindSprings LoopGain::behindSprings(const Eigen::MatrixXcd& specimen, Complex s) const {
  const ForceSprings& springs = *system_.springs;
  const Eigen::Index count = specimen.rows();
  BehindSprings loop{Eigen::MatrixXcd(count, count), Eigen::MatrixXcd::Zero(count, count), Eigen::VectorXcd(count)};
  for (Eigen::Index i = 0; i < count; ++i) {
    const TransferTerms all = termsOf(i, s);
    const Complex d = all.held.value, e = all.driven.value, b = all.returned.value;
    loop.held.row(i) = (d / springs.actual[i] + all.yielding.value) * specimen.row(i);
    loop.held(i, i) += d;
    loop.target[i] = e / springs.nominal[i];
    loop.own(i, i) = -e;
    if (!returns_) continue;
    loop.own.row(i) += (b / springs.actual[i]) * specimen.row(i);
    loop.own(i, i) += b;
  }
  return loop;
}

Eigen::MatrixXcd LoopGain::forceTracking(Complex s) const {
  const Eigen::MatrixXcd specimen = sides_->physical.at(s);
  const BehindSprings loop = behindSprings(specimen, s);
  return specimen *
         linalg::ComplexLu(loop.held + loop.own).solve(Eigen::MatrixXcd(Eigen::MatrixXcd(loop.target.asDiagonal())));
}

Eigen::VectorXcd LoopGain::at(Complex s) const {
  const Eigen::MatrixXcd specimen = sides_->physical.at(s);
  if (system_.springs) {
    const BehindSprings loop = behindSprings(specimen, s);
    return gains(loop.held, loop.own + loop.target.asDiagonal() * sides_->numerical.at(s));
  }
  if (returns_) return withReturns(sides_->numerical.at(s), specimen, s);
  Eigen::MatrixXcd load = specimen;
  if (coupled_) {
    Eigen::MatrixXcd yields = Eigen::MatrixXcd::Zero(load.rows(), load.cols());
    for (Eigen::Index i = 0; i < load.cols(); ++i) {
      const ActuatorTransfer& actuator = system_.actuators[static_cast<std::size_t>(i)];
      yields.row(i) = evaluate(actuator.load, s).value * specimen.row(i);
      yields(i, i) += evaluate(actuator.denominator, s).value;
    }
    load = (linalg::ComplexLu(yields.transpose()).solve(specimen.transpose())).transpose();  // D_P (d + l D_P)^-1
  }
  const Eigen::MatrixXcd direct = load;
  for (Eigen::Index i = 0; i < load.cols(); ++i) {
    if (!system_.actuators.empty()) {
      const ActuatorTransfer& actuator = system_.actuators[static_cast<std::size_t>(i)];
      load.col(i) *= coupled_ ? drive(actuator, s).value : response(actuator, s);
      for (const ActuatorTransfer::Cross& cross : actuator.cross)
        load.col(i) += direct.col(static_cast<Eigen::Index>(cross.axis)) *
                       (drive(actuator, cross, s).value / evaluate(actuator.denominator, s).value);
    }
    if (system_.base_delay_s.size() > 0) load.col(i) *= std::exp(-s * system_.base_delay_s[i]);
  }
  const Eigen::MatrixXcd of_commands = load;
  if (system_.commands) load *= system_.commands->at(s, system_.actuators.front().tap_s);
  if (system_.late) {  // the others close their loops: 1 - g + g e^{-s tau} = 0, g of the late one in the closed loop
    const Eigen::MatrixXcd closed = sides_->numerical.at(s) + load;
    Eigen::VectorXcd targets = linalg::ComplexLu(closed).solve(of_commands.col(*system_.late));
    if (system_.commands) targets = system_.commands->at(s, system_.actuators.front().tap_s) * targets;
    return gainOfLate(targets[*system_.late]);
  }
  return sortedGains(linalg::ComplexLu(sides_->numerical.at(s)).solve(load));
}

std::vector<double> LoopGain::grid(double cutoff) const {
  constexpr int steps = 2000;
  std::vector<double> grid;
  for (int i = 1; i <= steps; ++i) grid.push_back(cutoff * i / steps);
  const auto addAround = [&grid](double omega) {
    for (double offset = 1e-7; offset < 0.5; offset *= 2.0)
      for (const double sign : {-1.0, 1.0}) grid.push_back(omega * (1.0 + sign * offset));
  };
  const Partition& cut = system_.partition;
  for (const SystemMatrices* matrices : {&cut.reference, &cut.numerical, &cut.physical})
    if (linalg::positiveDefinite(Eigen::MatrixXd(matrices->m)))
      for (const double frequency_hz : modes(*matrices).frequency_hz) addAround(kTwoPi * frequency_hz);
  for (const CondensedSide* side : {&sides_->numerical, &sides_->physical})
    for (const double omega : side->clampedOmega()) addAround(omega);
  std::erase_if(grid, [cutoff](double omega) { return !(omega > 0.0 && omega <= cutoff); });
  std::sort(grid.begin(), grid.end());
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  return grid;
}

std::vector<UnitGain> unitGains(const DelaySystem& system, double cutoff) {
  const LoopGain gain(system);
  const auto levels = [&](double omega) -> Eigen::VectorXd {
    return gain.at({0.0, omega}).array().abs().log().max(-700.0).min(700.0);
  };
  std::vector<UnitGain> found;
  // A magnitude that falls through 1 with rising frequency moves the root to the right with growing delay, a rising one
  // to the left.
  const auto solve = [&](Eigen::Index branch, double low, double high) {
    const auto level = [&](double omega) { return levels(omega)[branch]; };
    const double at_low = level(low), at_high = level(high);
    if ((at_low > 0.0) == (at_high > 0.0)) return;
    std::uintmax_t iterations = 100;
    const auto [a, b] = boost::math::tools::toms748_solve(level, low, high, at_low, at_high,
                                                          boost::math::tools::eps_tolerance<double>(50), iterations);
    const double omega = 0.5 * (a + b);
    double lag = std::arg(-gain.at({0.0, omega})[branch]);
    if (lag < -1e-9) lag += kTwoPi;  // a rounding error below 0 is not a full turn
    found.push_back({omega, std::max(lag, 0.0), at_low > 0.0});
  };

  const std::vector<double> grid = gain.grid(cutoff);
  std::vector<Eigen::VectorXd> sampled;
  for (const double omega : grid) sampled.push_back(levels(omega));
  for (Eigen::Index branch = 0; branch < sampled.front().size(); ++branch) {
    const auto level = [&](std::size_t i) { return sampled[i][branch]; };
    for (std::size_t i = 1; i < grid.size(); ++i) {
      if ((level(i - 1) > 0.0) != (level(i) > 0.0)) {
        solve(branch, grid[i - 1], grid[i]);
      } else if (i + 1 < grid.size() && (level(i) > 0.0) == (level(i + 1) > 0.0)) {
        // A peak or dip beyond 1 between grid points crosses twice.
        const double away = level(i) > 0.0 ? 1.0 : -1.0;
        if (away * level(i) > away * level(i - 1) || away * level(i) > away * level(i + 1)) continue;
        const double extreme =
            minimumOf([&](double omega) { return away * levels(omega)[branch]; }, grid[i - 1], grid[i + 1]).first;
        solve(branch, grid[i - 1], extreme);
        solve(branch, extreme, grid[i + 1]);
      }
    }
  }
  return found;
}

}  // namespace hyb
