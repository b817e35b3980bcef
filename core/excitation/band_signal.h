#pragma once
#include <cstdint>

#include "core/base/checks.h"
#include "core/excitation/signal.h"

namespace hyb {

/// A sum of sines that fills a band, for identification: all multiples of 1 / period_s from from_hz to to_hz, with
/// equal amplitude. It repeats after period_s, so that whole periods have no leakage between lines.
struct BandSpec {
  double amplitude = 0.0;  // largest value of the sum, which limits and strokes need
  double from_hz = 0.1, to_hz = 20.0;
  double period_s = 10.0;
};
/// Limit of the sum in every tick.
inline constexpr int kMostBandLines = 256;

/// Adds every fault, with places relative to the signal ("/to_hz").
void checkBand(Checks& checks, const BandSpec& spec);

/// Phases with a low sum: those of Schroeder, followed by repeated clipping with restored amplitudes. The same spec
/// yields the same sines. A spec with faults yields one sine at from_hz.
/// Sources: M. Schroeder, IEEE Trans. Inf. Theory 16 (1970); E. van der Ouderaa, J. Schoukens, J. Renneboog, IEEE
/// Trans. Instrum. Meas. 37 (1988).
MultiSineSpec lowCrestSines(const BandSpec& spec);
/// Random phases: repeating noise of that band. The same seed yields the same noise.
MultiSineSpec bandNoise(const BandSpec& spec, std::uint64_t seed);

/// Largest value over rms of such a sum; 1.414 for one sine. NaN without a sum.
double crestFactor(const MultiSineSpec& sum, double period_s);

}  // namespace hyb
