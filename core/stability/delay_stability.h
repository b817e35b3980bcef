#pragma once
#include <Eigen/Core>
#include <complex>
#include <optional>
#include <vector>

#include "core/compensation/feedback.h"
#include "core/structure/partition.h"
#include "core/transfer/actuator_transfer.h"

namespace hyb {

/// Springs between actuators and specimen, [i], N/m: what the coupling scheme takes them for, and what they are.
struct ForceSprings {
  Eigen::VectorXd nominal, actual;
};

/// Coupled loop det(D_N(s) + D_P(s) H(s)) = 0, condensed to entire functions, so that roots can be counted. H takes the
/// targets to the motions, each interface DOF by its own actuator and its own delay tau_i:
///   H = (diag(d) + diag(l) D_P)^-1 diag(n c e^{-s tau_i}),
/// with a d + b n e^{-s tau_i} for d and a l for l where a compensator reads the motion (TransferTerms).
/// Source: Wallace, Wagg, Neild 2005, section 2b; for actuators that feel the specimen Silva et al. 2020.
///
/// With springs the target is a force, z = D_N x of the specimen's motion x, and the command x - z/k_nominal; the
/// specimen answers D_P x = k_actual (piston - x). Source: Araya 2023, equation 4.19.
struct DelaySystem {
  Partition partition;
  std::vector<ActuatorTransfer> actuators;  // [i]; empty = all 1
  Eigen::VectorXd base_delay_s;             // [i]; fixed part of each tau_i; empty = 0
  std::optional<Eigen::Index> late = {};    // the only actuator that an extra delay acts on; none: on all
  std::optional<ForceSprings> springs = {};
  std::vector<CommandFeedback> feedback = {};  // [i]: of the compensator; empty = none, else with actuators
  CommandFeedback feedbackAt(std::size_t i) const { return feedback.empty() ? CommandFeedback{} : feedback[i]; }
};

/// Longest delay that is looked at, s: 1000 periods of the cut-off. Each of them brings a root or a crossing to find.
double longestDelay(double cutoff_hz) noexcept;
/// What of it is left for an extra delay, s; at least 0.
double longestExtraDelay(const DelaySystem& system, double cutoff_hz) noexcept;

/// The same system with both sides in few coordinates, good to `highest_hz`: Craig-Bampton with all clamped modes up to
/// ten times that. Systems of few DOF stay as they are. All functions below do this by themselves where it pays.
DelaySystem condensedFor(const DelaySystem& system, double highest_hz);

struct Crossing {
  double delay_s, frequency_hz;
  bool destabilising = true;  // with growing delay the root goes into the right half plane
  bool at_cutoff = false;     // the root comes in through the cut-off line, already to the right of the axis
};

// All functions look below cutoff_hz only and throw InputError on sizes or values that make no sense, and on delays of
// more than 1000 periods of the cut-off.

/// Delays (on all or on the late one, on top of base_delay_s) at which a root crosses the imaginary axis below the
/// cut-off, ascending.
std::vector<Crossing> crossings(const DelaySystem& system, double cutoff_hz, double max_delay_s);
/// Smallest delay with a root to the right of the axis and below the cut-off: it crosses the axis, or comes in through
/// the cut-off line (loops with mass on both sides are neutral and always have roots to the right somewhere). {0, f} if
/// unstable without delay; none if it stays stable. Source: Vizzaccaro et al., section 1 of the note.
std::optional<Crossing> criticalDelay(const DelaySystem& system, double cutoff_hz, double max_delay_s);

/// Roots (1/s) below the cut-off at an equal extra delay, rightmost first, upper half plane with the real axis. Covers
/// Re(s) from a left border to 20 pi cutoff_hz. The border lies at twice the largest decay rate of the reference
/// structure's modes below the cut-off, and further left where no root would be found. Counted by the argument
/// principle and polished by Newton; throws std::runtime_error if the count cannot be met.
std::vector<std::complex<double>> rightmostRoots(const DelaySystem& system, double delay_s, double cutoff_hz);

/// The same with a proof that none is missed: `counted` comes from a second turn of the argument principle around the
/// region, on a contour of its own.
struct Roots {
  std::vector<std::complex<double>> roots;
  int counted = 0;
};
Roots countedRoots(const DelaySystem& system, double delay_s, double cutoff_hz);

/// Roots over a range of delays, followed from step to step.
struct RootLocus {
  std::vector<double> delay_s;
  std::vector<std::vector<std::complex<double>>> roots;  // [delay][branch]; NaN where a branch is outside the region
};
/// Delays in the order in which they are to be followed. A root belongs to the branch whose motion leads to it, nearer
/// than half the way to any other; where a root is left over on either side, the step is halved, up to six times.
RootLocus rootLocus(const DelaySystem& system, const std::vector<double>& delays_s, double cutoff_hz);

/// Predictive stability indicator, log10 of the critical delay in ms. Source: A. Maghareh, S. Dyke, S.
/// Rabieniaharatbar, A. Prakash, Predictive stability indicator, Earthquake Eng. Struct. Dyn. 46 (2017).
double psi(double critical_delay_s) noexcept;

}  // namespace hyb
