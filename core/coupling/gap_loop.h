#pragma once
#include <Eigen/Core>
#include <complex>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hyb {

/// What becomes of a law whose response is known wrongly: |taken| = factor |true|, phase of taken = that of true +
/// turn.
struct ErrorMap {
  std::vector<double> factors, turns_deg;
  Eigen::MatrixXd values;                            // [turn, factor]
  bool grows = false;                                // values are growths, 1/s; else shares of the gap that are left
  std::optional<double> from_deg = {}, to_deg = {};  // with the factor 1, turns between which it does not grow
};

/// What is known of how a scheme that closes the gap beside the rig (CouplingSpec::gapLoop) does, around the model of
/// the project.
struct GapLoop {
  std::optional<double> growth_per_s = {};    // of the slowest decaying motion of its loop; empty: there is no loop
  std::optional<double> largest_factor = {};  // on all gains, up to which it decays; infinity: whatever they are
  std::optional<ErrorMap> errors = {};
  std::string law = {};
};

using ErrorOutcome = std::function<double(std::complex<double> error)>;
/// The map over factors 1/8 to 8 and turns all around, 15 degrees apart.
ErrorMap mapGrowth(const ErrorOutcome& growth_per_s);
ErrorMap mapGapLeft(const ErrorOutcome& share);

/// The largest factor up to which `stable` is true, the first from below; 0: not even at a ten-thousandth, infinity:
/// at whatever factor.
double largestStableFactor(const std::function<bool(double factor)>& stable);

}  // namespace hyb
