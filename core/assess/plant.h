#pragma once
#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "core/identification/transfer_model.h"
#include "core/json_fwd.h"
#include "core/project/project.h"

namespace hyb {

/// What an actuator of the twin makes of its command with the specimen behind it: the motion of its axis over its
/// command, for small motions, in continuous time, while the commands of the others are zero:
///   x(s) / u(s) = gain product(s - zeros) / product(s - poles) e^(-s delay_s)
/// Roots that cancel exactly are left out.
struct Plant {
  std::string dof;                                 // of the interface
  std::vector<std::complex<double>> poles, zeros;  // 1/s, ascending in magnitude
  double gain = 1.0;                               // far up; of a servo of one pole in 1/s
  double delay_s = 0.0;

  std::complex<double> at(std::complex<double> s) const noexcept;
  /// At w, rad, from that at rest on without a jump: a lag is negative.
  double phase(double w_rad_per_s) const noexcept;
  /// The same with its coefficients.
  TransferModel model() const;
};

/// Of actuator i. `cut` as for commandResponse(), which is the same response without its poles. Throws InputError: the
/// roots cannot be computed.
Plant plantOf(const Partition& cut, const TwinParams& params, std::size_t i);
/// Of every actuator, with the specimen as it stands on the twin.
std::vector<Plant> plantsOf(const Project& project);

/// Where a plant without some of its roots still has its gain.
enum class KeptGain {
  far_up,   // above all roots: a slower motion is then off by what the roots did to it
  at_rest,  // which a compensation is best designed from
};
/// Without these pairs of poles and zeros, complex ones with their conjugates.
Plant without(const Plant& plant, const std::vector<RootPair>& pairs, KeptGain kept);

/// What `hybridbench plant` prints: for each actuator its roots, gain at rest and delay, its coefficients (highest
/// power first), the pairs that nearly cancel with what is left without them and what that does to the gain, and the
/// responses at these frequencies, Hz.
Json plantReport(const Project& project, const std::vector<double>& frequencies_hz, KeptGain kept);
/// 1, 2, 5, 10, ... from 0.1 Hz up to the frequency that stability is looked at.
std::vector<double> plantFrequencies(const Project& project);
/// What leaving out the pairs does to the gain; "" without pairs.
std::string reductionSentence(const Plant& plant, const std::vector<RootPair>& pairs, KeptGain kept);

}  // namespace hyb
