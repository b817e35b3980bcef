#pragma once
#include <array>
#include <optional>
#include <span>

namespace hyb {

/// Ellipse through a synchronisation subspace plot, command to the right, achieved upward (as in synchronisation.h;
/// with swapped axes it turns the other way and its slope is the reciprocal). Lengths in the unit of the records.
struct SubspaceEllipse {
  double frequency_hz = 0.0;
  double centre_command = 0.0, centre_achieved = 0.0;
  double command = 0.0, achieved = 0.0;   // amplitudes
  double amplitude_ratio = 0.0;           // achieved / command
  double phase_deg = 0.0, delay_s = 0.0;  // phase negative and delay positive: achieved lags
  double semi_major = 0.0, semi_minor = 0.0;
  double axis_deg = 0.0, slope = 0.0;  // of the major axis; the slope is infinite for an upright one
  double area = 0.0;                   // signed, unit squared; positive = lag (anticlockwise)
  double explained = 0.0;              // share of the achieved motion's variance that the ellipse explains, 0..1
  /// Point (command, achieved) of the ellipse at an angle of the command's motion, rad.
  std::array<double, 2> point(double angle_rad) const;
};
/// Both channels are fitted in time with one sine and a constant at `frequency_hz` (0: the dominant frequency of the
/// command). Unlike a conic through the points, this determines the sense of rotation, is unbiased by noise, and is
/// well conditioned for a good test, near a straight line. None: lengths differ, fewer than 8 samples, less than half a
/// period, a sample is not a number, or one channel is constant.
std::optional<SubspaceEllipse> fitSubspaceEllipse(std::span<const double> command, std::span<const double> achieved,
                                                  double step_s, double frequency_hz = 0.0);

/// Amplitude indicator: slope of the major axis of the cloud of points, achieved over command, means removed. 1 = equal
/// amplitudes. NaN: invalid input, or both channels are constant.
double amplitudeIndicator(std::span<const double> command, std::span<const double> achieved);

}  // namespace hyb
