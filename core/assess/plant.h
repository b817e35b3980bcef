#pragma once
#include <complex>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json_fwd.h"
#include "core/identification/transfer_model.h"
#include "core/project/project.h"

namespace hyb {

/// Transfer function from the command of an actuator of the twin to the motion of its own or another axis with the
/// specimen attached, for small motions, without the specimen's laws, in continuous time, with zero commands on the
/// other actuators:
///   x(s) / u(s) = gain product(s - zeros) / product(s - poles) e^(-s delay_s)
/// Roots that cancel exactly are left out, as are roots a million times as fast as the specimen.
struct Plant {
  std::string dof;                                 // of the interface: of the motion
  std::string command;                             // of the actuator whose command it is
  std::string unit;                                // SI, motion over command: "m/V"; "" if both are of one kind
  std::vector<std::complex<double>> poles, zeros;  // 1/s, ascending in magnitude
  double gain = 1.0;                               // at high frequencies: x/u tends to gain s^(zeros - poles)
  double delay_s = 0.0;

  /// "actuator-2", or "actuator-2 by the command of actuator-1".
  std::string name() const;
  std::complex<double> at(std::complex<double> s) const noexcept;
  /// Phase at w, rad, continuous from rest except at roots on the axis; a lag is negative.
  double phase(double w_rad_per_s) const noexcept;
  /// Static gain. None: it moves without a command, or responds only to the change of a command.
  std::optional<double> gainAtRest() const noexcept;
  /// Gain of slow motion, with its power of s; the static gain if there is one.
  double slowGain() const noexcept;
  /// The same with its coefficients, which are not finite with hundreds of roots.
  TransferModel model() const;
};

/// Called between computations that may take a second each; false stops the computation.
using GoesOn = std::function<bool()>;

/// For every actuator with the specimen of `cut`, as in commandResponse(), from its command to its own axis; then, of
/// cross-coupled actuators, from each command to the other axes that it moves. Without units. Empty: stopped. Throws
/// InputError: the specimen has too many DOF to compute its roots, or the computation fails.
std::vector<Plant> plantsOf(const Partition& cut, const TwinParams& params, const GoesOn& goes_on = {});
/// With the specimen as it is on the twin.
std::vector<Plant> plantsOf(const Project& project, const GoesOn& goes_on = {});

/// Frequency at which a plant without some of its roots keeps its gain.
enum class KeptGain {
  at_high_frequencies,  // given by the remaining roots; slow motion changes
  at_rest,              // best for the design of a compensation
};
/// Without these pairs of poles and zeros, complex pairs with their conjugates.
Plant without(const Plant& plant, const std::vector<RootPair>& pairs, KeptGain kept);
/// Effect of the removed pairs on the gain; "" without pairs.
std::string reductionSentence(const Plant& plant, const std::vector<RootPair>& pairs, KeptGain kept);

/// Frequencies for a plot of a plant, Hz, up to that of the stability figures.
struct PlantRange {
  double from_hz, to_hz;
};
PlantRange plantRange(const Project& project);
/// 1, 2 and 5 of each of its decades.
std::vector<double> plantFrequencies(const PlantRange& range);

/// Output of `hybridbench plant`: for each actuator its roots, static gain (null: none) and delay; its coefficients
/// (highest power first; null if they overflow); the pairs that nearly cancel, the plant without them and their effect
/// on the gain; and the responses at these frequencies, Hz.
Json plantReport(const Project& project, const std::vector<double>& frequencies_hz, KeptGain kept);

}  // namespace hyb
