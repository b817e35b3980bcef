#pragma once
#include <complex>
#include <span>
#include <vector>

#include "core/excitation/stepped_sine.h"
#include "core/signal/cross_spectra.h"

namespace hyb {

/// What single periods of one frequency say.
struct StepPhasors {
  /// Output over input of each measured period (or of as many whole periods as hold 8 rows). Their mean is the
  /// response. The mean amplitude of the input is the divisor of all of them, so that noise in the input does not
  /// shift the mean.
  std::vector<std::complex<double>> periods;
  double scatter = 0.0;   // standard deviation of a single one in the complex plane; infinite: only one
  double settling = 0.0;  // change of their mean that is still to come, from the settling periods before
  bool settled = true;    // the change is no more than scatter, or what is left below 1 % of the response
};

/// Frequency response from stepped sines.
struct SteppedResponse {
  MeasuredResponse response;         // ascending in frequency; segments: measured periods
  std::vector<StepPhasors> phasors;  // [lines]
  std::size_t outside = 0;           // frequencies that the record does not hold completely
  std::size_t without = 0;           // frequencies at which the input has no such sine
};

/// The complex amplitudes of input and output are fitted to each period, with a constant, so that a frequency needs no
/// whole number of ticks. first_s: time of the first row in the time of the steps.
/// The radius holds the mean with 95 % if the scatter is random from period to period: with N phasors of scatter s it
/// is s sqrt(F / N), F the 95 % quantile of the F distribution with 2 and 2 N - 2 degrees of freedom. Added is what is
/// left of the change during settling, without the part that scatter explains: windows at the start and in the middle
/// of the settling tell how fast it decays. That holds where vibrations fall at least to a half in half of the
/// settling. A disturbance at the same frequency is in every phasor alike and remains unseen, as does the linear drift
/// of a sensor. Without settling periods the halves of the measured ones are compared.
SteppedResponse steppedResponse(std::span<const double> input, std::span<const double> output, double rate_hz,
                                double first_s, std::span<const SineStep> steps);

}  // namespace hyb
