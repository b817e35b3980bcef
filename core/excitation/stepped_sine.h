#pragma once
#include <memory>
#include <vector>

#include "core/base/checks.h"
#include "core/excitation/signal.h"

namespace hyb {

/// A sine that stands at each of several frequencies in turn, first to settle, then for whole periods that are
/// measured. Frequencies are evenly spaced, or by a constant ratio; the last one may be the lower one.
struct SteppedSineSpec {
  double amplitude = 0.0;
  double from_hz = 1.0, to_hz = 10.0;
  int count = 10;
  bool logarithmic = false;
  double settle_s = 2.0;  // at each frequency; rounded up to whole periods
  int periods = 20;       // that are measured
};
/// Limit of the table of frequencies.
inline constexpr int kMostSteps = 2000;

/// One frequency of it, in the time of the signal.
struct SineStep {
  double frequency_hz = 0.0;
  double start_s = 0.0, measured_s = 0.0, end_s = 0.0;  // settles from start_s, is measured from measured_s to end_s
};
/// In their order. Each takes whole periods, so that the sine goes on without a jump.
std::vector<SineStep> stepsOf(const SteppedSineSpec& spec);

/// Adds every fault, with places relative to the signal ("/settle_s").
void checkSteppedSine(Checks& checks, const SteppedSineSpec& spec);

/// Holds the last frequency after the last step. Throws InputError.
std::unique_ptr<Signal> makeSteppedSine(const SteppedSineSpec& spec);

}  // namespace hyb
