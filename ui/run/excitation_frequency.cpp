#include "ui/run/excitation_frequency.h"

#include <algorithm>

#include "core/run/build.h"

namespace hyb::ui {

double excitationFrequencyHz(const Project& project) {
  const auto& signals = project.excitation.signals;
  // A record is not periodic, and reading it only to learn that would cost a file.
  const bool recorded = std::any_of(signals.begin(), signals.end(), [](const SignalSpec& signal) {
    return std::holds_alternative<GroundMotionSignal>(signal.shape);
  });
  if (recorded) return 0.0;
  try {
    return buildExcitation(project, buildPartition(project)).frequencyHz();
  } catch (const InputError&) {
    return 0.0;
  }
}

}  // namespace hyb::ui
