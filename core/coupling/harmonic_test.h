#pragma once
#include <memory>
#include <vector>

#include "core/checks.h"
#include "core/coupling/coupling.h"
#include "core/coupling/harmonic_director.h"
#include "core/json_fwd.h"

namespace hyb {

/// A scheme whose commands are harmonics that stand while averages over so many periods are taken, as its director
/// wants them; how they are taken over and fade is said in harmonic_balance.h.
std::unique_ptr<CouplingScheme> harmonicTest(std::unique_ptr<HarmonicDirector> director, std::vector<AxisSignals> axes,
                                             int periods, bool hann, double step_s);
std::vector<Channel> harmonicTestChannels();

/// What such schemes share of their settings: harmonics, loads, channels, beam; with places relative to the settings.
void readHarmonicModel(const Json& settings, BalanceModelSettings& model);
void checkHarmonicModel(const BalanceModelSettings& model, Checks& checks);
/// A command needs so many ticks in a period of each harmonic.
void checkHarmonicTicks(const BalanceModelSettings& model, double highest_hz, double step_s, Checks& checks);

}  // namespace hyb
