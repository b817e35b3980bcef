#pragma once
#include <Eigen/Core>
#include <complex>
#include <memory>
#include <optional>
#include <vector>

#include "core/compensation/feedback.h"
#include "core/compensation/method.h"
#include "core/structure/partition.h"
#include "core/transfer/actuator_transfer.h"

namespace hyb {

/// Springs between actuators and specimen, [i], N/m: nominal values of the coupling scheme, and actual values.
struct ForceSprings {
  Eigen::VectorXd nominal, actual;
};

struct CondensedSides;

/// Coupled loop det(D_N(s) + D_P(s) H(s)) = 0, condensed to entire functions, so that roots can be counted. H maps
/// targets to motions, each interface DOF by its own actuator and its own delay tau_i:
///   H = (diag(d) + diag(l) D_P)^-1 diag(n c e^{-s tau_i}),
/// with a d + b n e^{-s tau_i} for d and a l for l if a compensator uses the motion (TransferTerms). Of cross-coupled
/// actuators, which neither depend on the specimen nor have such a compensator, H also has the entries cross_k c / d.
/// With `commands`, a compensator whose commands depend on several targets, its system takes the place of diag(c).
/// Source: Wallace, Wagg, Neild 2005, section 2b; for actuators that depend on the specimen Silva et al. 2020.
///
/// With springs the target is a force, z = D_N x of the specimen's motion x, and the command x - z/k_nominal; the
/// specimen responds with D_P x = k_actual (piston - x). Source: Araya 2023, equation 4.19.
struct DelaySystem {
  Partition partition;
  std::vector<ActuatorTransfer> actuators;  // [i]; empty = all 1
  Eigen::VectorXd base_delay_s;             // [i]; fixed part of each tau_i; empty = 0
  std::optional<Eigen::Index> late = {};    // the only actuator with an extra delay; none: all
  std::optional<ForceSprings> springs = {};
  std::vector<CommandFeedback> feedback = {};        // [i]: of the compensator; empty = none, otherwise with actuators
  std::shared_ptr<const CondensedSides> sides = {};  // those of `partition`, from condensedFor(); null: not yet made
  std::optional<CommandSystem> commands = {};        // at the actuators' tap_s; then they have no taps
  CommandFeedback feedbackAt(std::size_t i) const { return feedback.empty() ? CommandFeedback{} : feedback[i]; }
};

/// Longest analysed delay, s: 1000 periods of the cut-off. Each period adds a root or a crossing to find.
double longestDelay(double cutoff_hz) noexcept;
/// The part of it left for an extra delay, s; at least 0.
double longestExtraDelay(const DelaySystem& system, double cutoff_hz) noexcept;

/// The same system with few coordinates on both sides, accurate up to `highest_hz`: Craig-Bampton with all clamped
/// modes up to ten times that. Systems with few DOF are unchanged. All functions below use it automatically if it saves
/// time. Its sides are ready for all of them; it is returned as it is if they already are.
DelaySystem condensedFor(const DelaySystem& system, double highest_hz);

/// Both sides of the system, made if it has none.
std::shared_ptr<const CondensedSides> sidesOf(const DelaySystem& system);

struct Crossing {
  double delay_s, frequency_hz;
  bool destabilising = true;  // with growing delay the root moves into the right half plane
  bool at_cutoff = false;     // the root enters through the cut-off line, already to the right of the axis
};

// All functions consider only frequencies below cutoff_hz. They throw InputError for invalid sizes or values, and for
// delays of more than 1000 periods of the cut-off.

/// Delays (of all or of the late one, added to base_delay_s) at which a root crosses the imaginary axis below the
/// cut-off, ascending.
std::vector<Crossing> crossings(const DelaySystem& system, double cutoff_hz, double max_delay_s);
/// Smallest delay with a root to the right of the axis and below the cut-off: it crosses the axis, or enters through
/// the cut-off line (loops with mass on both sides are neutral and always have roots to the right somewhere). {0, f} if
/// unstable without delay; none if it stays stable. Source: Vizzaccaro et al., section 1 of the note.
std::optional<Crossing> criticalDelay(const DelaySystem& system, double cutoff_hz, double max_delay_s);

/// Roots (1/s) below the cut-off at an equal extra delay, rightmost first, upper half plane with the real axis. Covers
/// Re(s) from a left border to 20 pi cutoff_hz. The border is at twice the largest decay rate of the reference
/// structure's modes below the cut-off, and further left if no root would be found. Counted by the argument principle
/// and refined by Newton; throws std::runtime_error if the count cannot be met.
std::vector<std::complex<double>> rightmostRoots(const DelaySystem& system, double delay_s, double cutoff_hz);

/// True if a count of the roots without extra delay proves that none lies to the right of the axis, below the cut-off
/// and left of 20 pi cutoff_hz; takes a fraction of the time of the roots. False: unstable, or not decided.
bool provenStable(const DelaySystem& system, double cutoff_hz);

/// The same with a proof that none is missed: `counted` comes from a second evaluation of the argument principle around
/// the region, on a different contour.
struct Roots {
  std::vector<std::complex<double>> roots;
  int counted = 0;
};
Roots countedRoots(const DelaySystem& system, double delay_s, double cutoff_hz);

/// Roots over a range of delays, followed from step to step.
struct RootLocus {
  std::vector<double> delay_s;
  std::vector<std::vector<std::complex<double>>> roots;  // [delay][branch]; NaN for a branch outside the region
};
/// Delays in the order of following. A root belongs to the branch whose motion leads to it, nearer than half the
/// distance to any other; if a root is left over on either side, the step is halved, up to six times.
RootLocus rootLocus(const DelaySystem& system, const std::vector<double>& delays_s, double cutoff_hz);

/// Predictive stability indicator, log10 of the critical delay in ms. Source: A. Maghareh, S. Dyke, S.
/// Rabieniaharatbar, A. Prakash, Predictive stability indicator, Earthquake Eng. Struct. Dyn. 46 (2017).
double psi(double critical_delay_s) noexcept;

}  // namespace hyb
