#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/coupling/coupling_spec.h"
#include "core/feedforward/adaption_law.h"

namespace hyb {

/// Adaptive feed-forward filters: the computed side runs beside the rig, driven by the force measured in the same tick;
/// the command is a force that sums harmonics, u = W(t) theta, and theta adapts so that the gap closes. In each tick:
/// computed side with the force and, as a copy, without it (its motion is the gap that the excitation alone leaves);
/// gap; adaption, then identification; command, held to the next tick.
/// A test identifies (the excitation rests, theta random), rests until all has rung down, then runs.
/// Source: A. Bartl et al., A hybrid testing method based on adaptive feed-forward filters, sections 2 and 3.
struct HarmonicFeedforwardSettings {
  double frequency_hz = 8.0;
  std::vector<int> harmonics{1};  // ascending, >= 1
  AdaptionSpecPtr adaption;
  struct Identification {
    bool from_model = false;  // begins with the transfer functions of the project's twin; else with nothing
    double factor = 1.0;      // on purpose: the model's, times this and turned by that
    double turn_deg = 0.0;
    double duration_s = 100.0;  // 0: the model's alone
    double hold_s = 10.0;       // of each random command
    double skip_s = 0.0;        // after each change, in which nothing is learnt
    double rest_s = 20.0;       // then, command 0
    double amplitude_n = 1.0;   // real and imaginary part of each harmonic are uniform in +-this
    std::uint64_t seed = 1;
  } identification;
};
CouplingSpecPtr harmonicFeedforward(HarmonicFeedforwardSettings settings);
CouplingSpecPtr parseHarmonicFeedforward(const Json& settings);

}  // namespace hyb
