#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/coupling/coupling_spec.h"
#include "core/feedforward/adaption_law.h"

namespace hyb {

/// Adaptive feed-forward filters: the computed side runs beside the rig, driven by the force measured in the same tick;
/// the command is a force that sums harmonics, u = W(t) theta, and theta adapts so that the gap closes. In each tick:
/// computed side with the force and, as a copy, without it (its motion is the gap caused only by the excitation); gap;
/// adaption, followed by identification; command, held to the next tick.
/// A test identifies (no excitation, theta random), rests until all vibrations have decayed, and then runs.
/// Source: A. Bartl et al., A hybrid testing method based on adaptive feed-forward filters, sections 2 and 3.
struct HarmonicFeedforwardSettings {
  double frequency_hz = 8.0;
  std::vector<int> harmonics{1};  // ascending, >= 1
  AdaptionSpecPtr adaption;
  std::vector<std::string> record;  // DOF with columns of their own: RecordedDof
  struct Identification {
    bool from_model = false;  // starts with the transfer functions of the project's twin; otherwise without
    double factor = 1.0;      // intended error: multiplies and turns the model's
    double turn_deg = 0.0;
    double duration_s = 100.0;  // 0: only the model
    double hold_s = 10.0;       // of each random command
    double skip_s = 0.0;        // after each change, without learning
    double rest_s = 20.0;       // after identification, command 0
    double amplitude_n = 1.0;   // real and imaginary part of each harmonic are uniform in +-this
    std::uint64_t seed = 1;
  } identification;
};
CouplingSpecPtr harmonicFeedforward(HarmonicFeedforwardSettings settings);
CouplingSpecPtr parseHarmonicFeedforward(const Json& settings);

}  // namespace hyb
