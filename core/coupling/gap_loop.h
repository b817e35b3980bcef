#pragma once
#include <Eigen/Core>
#include <complex>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hyb {

/// Behaviour of a law with a wrong response: |assumed| = factor |true|, phase of assumed = that of true + turn.
struct ErrorMap {
  std::vector<double> factors, turns_deg;
  Eigen::MatrixXd values;                            // [turn, factor]
  bool grows = false;                                // values are growths, 1/s; else remaining shares of the gap
  std::optional<double> from_deg = {}, to_deg = {};  // for the factor 1: range of turns without growth
};

/// Properties of a scheme that closes the gap in parallel with the rig (CouplingSpec::gapLoop), with the model of the
/// project.
struct GapLoop {
  std::optional<double> growth_per_s = {};    // of the slowest decaying motion of its loop; empty if there is no loop
  std::optional<double> largest_factor = {};  // largest factor on all gains for which it decays; infinity: no limit
  std::optional<ErrorMap> errors = {};
  std::string law = {};
};

using ErrorOutcome = std::function<double(std::complex<double> error)>;
/// The map over factors 1/8 to 8 and turns of the whole circle, 15 degrees apart.
ErrorMap mapGrowth(const ErrorOutcome& growth_per_s);
ErrorMap mapGapLeft(const ErrorOutcome& share);

/// The largest factor up to which `stable` is true, the first from below; 0: not even at a ten-thousandth, infinity: at
/// any factor.
double largestStableFactor(const std::function<bool(double factor)>& stable);

}  // namespace hyb
