#pragma once
#include <vector>

#include "core/feedforward/gap_model.h"

namespace hyb {

/// A harmonic of a running LMS law.
struct LmsHarmonic {
  double w = 0.0;             // rad/s
  Eigen::MatrixXcd response;  // [i, i], m/N: gap over command assumed by the law
  double gain = 0.0;          // mu, N^2/m^2
};

/// Growth of the slowest decaying mode of the loop of an LMS law around a model, 1/s; above 0 it diverges. In turned
/// amplitudes, psi e^{j w t}, that loop is linear and time-invariant: the growth follows from its eigenvalues without
/// trial runs.
double lmsGrowth(const GapModel& model, const std::vector<LmsHarmonic>& harmonics);

/// largestStableFactor() for all gains.
double largestLmsFactor(const GapModel& model, std::vector<LmsHarmonic> harmonics);

}  // namespace hyb
