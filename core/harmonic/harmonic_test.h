#pragma once
#include <memory>
#include <vector>

#include "core/base/checks.h"
#include "core/base/json_fwd.h"
#include "core/coupling/coupling.h"
#include "core/harmonic/harmonic_director.h"

namespace hyb {

struct HarmonicAverages {
  int periods = 30;  // of an average
  bool hann = true;  // its window; else a rectangle
  /// An average begins in the middle of the one before it, as in Welch's method; else each begins where that ended.
  bool overlapping = false;
};

/// A scheme whose commands are harmonics that stand while averages are taken, as its director
/// wants them; how they are taken over and fade is said in harmonic_balance.h.
std::unique_ptr<CouplingScheme> harmonicTest(std::unique_ptr<HarmonicDirector> director, std::vector<AxisSignals> axes,
                                             const HarmonicAverages& averages, double step_s);
std::vector<Channel> harmonicTestChannels();

/// What such schemes share of their settings: harmonics, loads, channels, beam; with places relative to the settings.
void readHarmonicModel(const Json& settings, BalanceModelSettings& model);
void checkHarmonicModel(const BalanceModelSettings& model, Checks& checks);
/// A command needs so many ticks in a period of each harmonic.
void checkHarmonicTicks(const BalanceModelSettings& model, double highest_hz, double step_s, Checks& checks);

}  // namespace hyb
