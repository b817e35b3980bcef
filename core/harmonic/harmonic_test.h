#pragma once
#include <memory>
#include <vector>

#include "core/base/checks.h"
#include "core/base/json_fwd.h"
#include "core/coupling/coupling.h"
#include "core/coupling/period_averages.h"
#include "core/harmonic/harmonic_director.h"

namespace hyb {

struct HarmonicAverages {
  int periods = 30;  // of an average
  bool hann = true;  // its window; otherwise a rectangle
  /// An average starts in the middle of the previous one, as in Welch's method; otherwise at its end.
  bool overlapping = false;
  double hum_hz = 50.0, hum_n = 0.0, hum_m = 0.0;  // expected in the signals; 0: none
};
/// From "average", but for its number of averages.
void readAverages(const Json& settings, HarmonicAverages& averages);
/// As the rest of the program sees them; without frequencies.
PeriodAverages periodAverages(const HarmonicAverages& averages, const std::vector<int>& harmonics);

/// A scheme with constant harmonic commands during averages, controlled by its director; see harmonic_balance.h for
/// adoption and fading.
std::unique_ptr<CouplingScheme> harmonicTest(std::unique_ptr<HarmonicDirector> director, std::vector<AxisSignals> axes,
                                             const HarmonicAverages& averages, double step_s);
std::vector<Channel> harmonicTestChannels();

/// Settings common to such schemes: harmonics, loads, channels, beam; with places relative to the settings.
void readHarmonicModel(const Json& settings, BalanceModelSettings& model);
void checkHarmonicModel(const BalanceModelSettings& model, Checks& checks);
/// Checks that each harmonic has enough ticks per period.
void checkHarmonicTicks(const BalanceModelSettings& model, double highest_hz, double step_s, Checks& checks);

}  // namespace hyb
