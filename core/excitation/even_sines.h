#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "core/excitation/signal.h"

namespace hyb {

struct Tone {
  double amplitude, omega, phase;  // unit of the signal, rad/s, rad
};

/// The times at which a loop asks for its excitation: max(0, k step_s - from_s), k = 0, 1, ...
struct TickTimes {
  double step_s = 0.0, from_s = 0.0;
};

/// Sum of sines with equally spaced frequencies, as in a band, one complex product for each instead of a sine and a
/// cosine. With `ticks`, values of several ticks are computed at once, side by side in the vector unit: the same bits
/// in a tenth of the time. One thread at a time. Null: not equally spaced, or too few to save time.
std::unique_ptr<Signal> makeEvenSines(const std::vector<Tone>& tones, const std::optional<TickTimes>& ticks = {});

/// As makeMultiSine() for a signal that a loop asks for its values tick by tick.
std::unique_ptr<Signal> makeMultiSine(const MultiSineSpec& spec, const TickTimes& ticks);

}  // namespace hyb
