#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/excitation/signal.h"

namespace hyb {

/// Recorded ground acceleration, equally spaced from t = 0.
struct GroundMotion {
  double step_s = 0.0;
  std::vector<double> acceleration_mps2;
};

enum class GroundMotionFormat { automatic, csv, peer_at2 };
enum class AccelerationUnit { from_file, mps2, g, gal };

/// Reads CSV (header "time_s,acceleration_m_per_s2", "..._g" or "..._gal"; or two bare columns with an explicit unit;
/// comma, semicolon, tab or blank between; lines that start with # are skipped) or PEER AT2 (four header lines, NPTS=,
/// DT=, in g). Times may start anywhere; the motion starts at 0. A unit given here must not contradict the file.
/// Throws InputError "file:line: what and how to mend": unreadable, not text, too large (64 MiB, one hour), truncated
/// (fewer values than NPTS), text between the numbers, decimal commas, unequal steps, not finite, unit unknown.
GroundMotion readGroundMotion(const std::filesystem::path& file,
                              GroundMotionFormat format = GroundMotionFormat::automatic,
                              AccelerationUnit unit = AccelerationUnit::from_file);

/// How a record becomes a wall motion.
struct GroundMotionSpec {
  double band_low_hz = 0.2, band_high_hz = 25.0;  // zero-phase band-pass with cosine edges; low edge removes the drift
  double scale = 1.0;                             // on the acceleration
  std::optional<double> peak_m;                   // if set: scaled so that the displacement peaks here instead
};

/// Band-limited (Kaiser-windowed sinc) resampling of equally spaced samples to another step: no aliasing when the rate
/// falls, no images when it rises (100 dB). Passes up to 0.9 of the lower Nyquist frequency. The samples count as zero
/// outside; the result covers the same duration. Throws InputError when it would have more than 4 million samples.
std::vector<double> resample(const std::vector<double>& samples, double step_s, double new_step_s);

/// Displacement and velocity of a wall that follows the record, sampled at step_s (the tick), by band-pass and
/// integration in the frequency domain. The band-pass is 1 between the two edges and falls to 0 by half a cosine, down
/// to half the low edge and up to 1.25 times the high edge. The result starts and ends at rest: its first and last
/// second (at most 5 % of the record each) are faded. Throws InputError with pointers relative to the spec
/// ("/band_low_hz").
std::unique_ptr<Signal> makeWallMotion(const GroundMotion& record, const GroundMotionSpec& spec, double step_s);

/// The record itself times `scale`, m/s^2: linear between its samples, zero outside. Throws InputError ("/file",
/// "/scale").
std::unique_ptr<Signal> makeGroundAcceleration(const GroundMotion& record, double scale);

}  // namespace hyb
