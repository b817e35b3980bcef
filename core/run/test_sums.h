#pragma once
#include <string>
#include <vector>

#include "core/fidelity/running.h"
#include "core/run/analysed_rows.h"

namespace hyb {

constexpr double kDefaultGapTolerance_m = 5e-4;  // of a project that says nothing

/// Sums of one interface over the rows of a run that are analysed.
struct InterfaceSums {
  Dof dof;
  RunningComparison tracking;   // target, measured
  RunningComparison reference;  // uncut structure, measured; count() 0: no reference
  RunningTrackingIndicator indicator;
  std::uint64_t beyond = 0;  // periods with a gap beyond the tolerance of the project
  double last_rms = kNoFigure, last_reference_rms = kNoFigure;  // over the last analysis.window_s
};

/// What the figures of a run and its verdict are made of; one pass over its rows.
struct TestSums {
  std::vector<InterfaceSums> interfaces;
  double energy_error_j = kNoFigure, added_energy_j = kNoFigure;
  double added_share = kNoFigure;  // of the exchange in the last analysis.window_s
  double growth = 0.0;             // logarithm of what amplitudes grew by up to the end, while energy was added
  double growth_s = 0.0;           // for how long they did
};
TestSums testSums(const RunRows& run, const AnalysedRows& rows);

/// Interfaces of a run. A project whose ground motion is not on this computer still has its figures, with plain names.
std::vector<Dof> interfacesOf(const RunRows& run, std::size_t count);
/// A number of the project as it ran; `otherwise` where it has none there.
double projectNumber(const RunRows& run, const char* pointer, double otherwise);

}  // namespace hyb
