#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/excitation/signal.h"

namespace hyb {

/// Recorded ground acceleration, equally spaced from t = 0.
struct GroundMotion {
  double step_s = 0.0;
  std::vector<double> acceleration_mps2;
  std::vector<std::string> notes{};  // sentences: deviations of the file, and how they were handled
};

enum class GroundMotionFormat { automatic, csv, peer_at2 };
enum class AccelerationUnit { from_file, mps2, g, gal };

/// Reads a record; its content determines the format (help page of ground motions):
/// - a table: time and acceleration between commas, semicolons, tabs or blanks, with decimal points or commas, under
/// names
///   with units ("time_s,acceleration_g", "Time[s] Accel[m/s^2]") or bare with the unit given, text before it passed
///   over; or one column of accelerations with `step_s` given;
/// - PEER AT2: the unit stands in its third line; K-NET and KiK-net, whose mean is removed; COSMOS V2 acceleration.
/// Times may start anywhere; the motion starts at 0. They are equally spaced within 10 % of a step, or within the
/// rounding of their digits. A unit or step given here must not contradict the file.
/// Throws InputError "file:line: what and how to mend": unreadable, not text, too large (64 MiB, one hour), truncated
/// (fewer values than announced), text between the numbers, unequal steps, not finite, unit unknown or not understood.
GroundMotion readGroundMotion(const std::filesystem::path& file,
                              GroundMotionFormat format = GroundMotionFormat::automatic,
                              AccelerationUnit unit = AccelerationUnit::from_file,
                              std::optional<double> step_s = std::nullopt);

/// Conversion of a record to a signal. The band and peak_m are for wall motions alone.
struct GroundMotionSpec {
  double band_low_hz = 0.2, band_high_hz = 25.0;  // zero-phase band-pass with cosine edges; the low edge removes drift
  double scale = 1.0;                             // of the acceleration
  std::optional<double> peak_m;                   // if set: scales the peak displacement to this value instead
  std::optional<double> peak_mps2{};  // if set: scales the largest acceleration of the window, ahead of taper and band
  // The window. Time 0 of the signal is from_s; the signal is 0 outside.
  double from_s = 0.0;
  std::optional<double> to_s{};  // none: the end of the record
  double taper_s = 0.0;          // rises from 0 and falls to 0 by half a cosine, at the ends that cut the record
};

/// Part of a record that a signal uses.
struct RecordPart {
  double from = 0.0, to = 0.0;        // rows of the record; an end may lie between two
  double length_s = 0.0;              // of the signal
  double rise_s = 0.0, fall_s = 0.0;  // tapers; 0 at an end that does not cut
  double scale = 1.0;                 // of the acceleration
};
/// The only place that reads window and scale of a spec. Throws InputError with pointers relative to the spec
/// ("/from_s", "/to_s", "/taper_s", "/peak_mps2", "/scale").
RecordPart partOf(const GroundMotion& record, const GroundMotionSpec& spec);

/// Band-limited (Kaiser-windowed sinc) resampling of equally spaced samples to another step: no aliasing when the rate
/// falls, no images when it rises (100 dB). Passes up to 0.9 of the lower Nyquist frequency. The samples count as zero
/// outside; the result covers the same duration. Throws InputError when it would have more than 4 million samples.
std::vector<double> resample(const std::vector<double>& samples, double step_s, double new_step_s);

/// Displacement and velocity of a wall with the motion of a part of the record, sampled at step_s (the tick), by
/// band-pass and integration in the frequency domain. The band-pass is 1 between the two edges and falls to 0 by half a
/// cosine, down to half the low edge and up to 1.25 times the high edge. The result starts and ends at rest: its first
/// and last second (at most 5 % of the record each) are faded. Throws InputError with pointers relative to the spec
/// ("/band_low_hz").
std::unique_ptr<Signal> makeWallMotion(const GroundMotion& record, const GroundMotionSpec& spec, double step_s);

/// The part of the record itself, m/s^2: linear between its samples, times the tapers, zero outside. Throws InputError
/// ("/file", and as partOf()).
std::unique_ptr<Signal> makeGroundAcceleration(const GroundMotion& record, const GroundMotionSpec& spec);
/// The whole record times `scale`.
std::unique_ptr<Signal> makeGroundAcceleration(const GroundMotion& record, double scale);

}  // namespace hyb
