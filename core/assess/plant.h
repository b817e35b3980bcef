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

/// What an actuator of the twin makes of its command with the specimen behind it: the motion of its axis over its
/// command, for small motions without the specimen's laws, in continuous time, while the commands of the others are
/// zero:
///   x(s) / u(s) = gain product(s - zeros) / product(s - poles) e^(-s delay_s)
/// Roots that cancel exactly are left out, and those a million times as fast as the specimen.
struct Plant {
  std::string dof;                                 // of the interface
  std::string unit;                                // SI, of motion over command: "m/V"; "": both are of one kind
  std::vector<std::complex<double>> poles, zeros;  // 1/s, ascending in magnitude
  double gain = 1.0;                               // at high frequencies: x/u tends to gain s^(zeros - poles)
  double delay_s = 0.0;

  std::complex<double> at(std::complex<double> s) const noexcept;
  /// At w, rad, from that at rest on without a jump but at roots on the axis: a lag is negative.
  double phase(double w_rad_per_s) const noexcept;
  /// None: it moves on without a command, or answers to the change of one alone.
  std::optional<double> gainAtRest() const noexcept;
  /// x/u of slow motion by the power of s that it goes with; at rest, where there is a gain.
  double slowGain() const noexcept;
  /// The same with its coefficients, which are not finite where there are hundreds of roots.
  TransferModel model() const;
};

/// Called between computations that may take a second each; false: no more is wanted.
using GoesOn = std::function<bool()>;

/// Of every actuator before the specimen of `cut`, as commandResponse() has it; without units. Empty: no more was
/// wanted. Throws InputError: the specimen has too many DOF for its roots to be told, or they cannot be computed.
std::vector<Plant> plantsOf(const Partition& cut, const TwinParams& params, const GoesOn& goes_on = {});
/// With the specimen as it stands on the twin.
std::vector<Plant> plantsOf(const Project& project, const GoesOn& goes_on = {});

/// Where a plant without some of its roots still has its gain.
enum class KeptGain {
  at_high_frequencies,  // as the roots alone leave it; slow motion is off by what they did to it
  at_rest,              // which a compensation is best designed from
};
/// Without these pairs of poles and zeros, complex ones with their conjugates.
Plant without(const Plant& plant, const std::vector<RootPair>& pairs, KeptGain kept);
/// What leaving out the pairs does to the gain; "" without pairs.
std::string reductionSentence(const Plant& plant, const std::vector<RootPair>& pairs, KeptGain kept);

/// The frequencies at which a plant is looked at, Hz: up to that of the stability figures.
struct PlantRange {
  double from_hz, to_hz;
};
PlantRange plantRange(const Project& project);
/// 1, 2, 5 of each decade of it.
std::vector<double> plantFrequencies(const PlantRange& range);

/// What `hybridbench plant` prints: for each actuator its roots, gain at rest (null: none) and delay, its coefficients
/// (highest power first; null where they are beyond all numbers), the pairs that nearly cancel with what is left
/// without them and what that does to the gain, and the responses at these frequencies, Hz.
Json plantReport(const Project& project, const std::vector<double>& frequencies_hz, KeptGain kept);

}  // namespace hyb
