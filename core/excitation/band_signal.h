#pragma once
#include <cstdint>

#include "core/base/checks.h"
#include "core/excitation/signal.h"

namespace hyb {

/// A sum of sines that fills a band, to identify a system with: all multiples of 1 / period_s from from_hz to to_hz, of
/// one amplitude. It repeats after period_s, so that nothing leaks between lines when whole periods are looked at.
struct BandSpec {
  double amplitude = 0.0;  // largest value of the sum, which is what limits and strokes ask for
  double from_hz = 0.1, to_hz = 20.0;
  double period_s = 10.0;
};
/// As many as are summed up in every tick.
inline constexpr int kMostBandLines = 256;

/// Adds every fault, with places relative to the signal ("/to_hz").
void checkBand(Checks& checks, const BandSpec& spec);

/// Phases that keep the sum low: those of Schroeder, then clipped again and again while the amplitudes are put back.
/// The same spec gives the same sines. A spec with faults gives one sine at from_hz.
/// Sources: M. Schroeder, IEEE Trans. Inf. Theory 16 (1970); E. van der Ouderaa, J. Schoukens, J. Renneboog, IEEE
/// Trans. Instrum. Meas. 37 (1988).
MultiSineSpec lowCrestSines(const BandSpec& spec);
/// Phases drawn at random: noise of that band that repeats. The same seed gives the same noise.
MultiSineSpec bandNoise(const BandSpec& spec, std::uint64_t seed);

/// Largest value over rms of such a sum; 1.414 for one sine. NaN where there is none.
double crestFactor(const MultiSineSpec& sum, double period_s);

}  // namespace hyb
