#pragma once
#include <vector>

#include "core/feedforward/gap_model.h"

namespace hyb {

/// A harmonic of an LMS law, as it runs.
struct LmsHarmonic {
  double w = 0.0;             // rad/s
  Eigen::MatrixXcd response;  // [i, i], m/N: gap over command, as the law takes it
  double gain = 0.0;          // mu, N^2/m^2
};

/// Growth of the slowest decaying motion of the loop that an LMS law closes around a model, 1/s; above 0 it diverges.
/// With amplitudes turned along, psi e^{j w t}, that loop is linear and the same in every tick: these are its
/// eigenvalues, no trial runs.
double lmsGrowth(const GapModel& model, const std::vector<LmsHarmonic>& harmonics);

/// largestStableFactor() on all gains.
double largestLmsFactor(const GapModel& model, std::vector<LmsHarmonic> harmonics);

}  // namespace hyb
