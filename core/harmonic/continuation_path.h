#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/harmonic/harmonic_test.h"
#include "core/harmonic/path_follower.h"

namespace hyb {

/// Kind of a path. Numbers of the run file, so never renumber.
enum class PathKind : std::int32_t {
  response = 0,  // at the given loads, over frequency
  backbone = 1,  // at phase resonance, over the loads
};

std::string_view name(PathKind kind) noexcept;  // "response", "backbone"

/// End of a path, as text and for the verdict.
struct PathEndFacts {
  std::string_view words;
  bool asked = false;   // the requested end is reached
  bool failed = false;  // no further point was found
};
const PathEndFacts& facts(PathEnd end) noexcept;

struct ContinuationSettings {
  BalanceModelSettings model;  // at the start frequency
  double to_hz = 0.0;
  double bound_m = 0.01;  // of the amplitude of each command and harmonic; divided by length_m for a rotation
  PathSettings path;
  int points = 400;                       // at most, of each path
  bool response = true, backbone = true;  // no response: only up to its phase resonance
  double to_factor = 0.1;                 // of the loads, at the end of the backbone
  HarmonicAverages averages{15};
};

/// Follows the periodic response of a structure through folds, and the backbone from its phase resonance. Unknowns are
/// the amplitudes V of the commands and the frequency, on the backbone also the factor of the loads:
///   response: R(V, f) = 0;   backbone: R(V, f, factor) = 0 and Re(F^H U) = 0,
/// with R of balance_model.h. The specimen follows the commanded motion whether the response is stable or not; with R =
/// 0 this is the motion of the whole structure. A response starts at its stable end with rising frequency. Each fold
/// changes stability, so that a point is unstable where the frequency falls along the path.
/// Sources: D. A. W. Barton, J. Sieber, Phys. Rev. E 87 (2013) 052916 (continuation in experiments); M. Peeters, G.
/// Kerschen, J.-C. Golinval, J. Sound Vib. 330 (2011) 486 (phase resonance of nonlinear modes).
class ContinuationPath final : public HarmonicDirector {
 public:
  ContinuationPath(BalanceModel model, const ContinuationSettings& settings, std::vector<SignalKind> command_kinds);
  void reset() noexcept override;
  SegmentTable segments() const override;
  std::string summary() const override;
  /// Without a rig: the decision from this motion and force of the cut, [i, h], instead of an average.
  const Decision& follow(const Eigen::MatrixXcd& motion, const Eigen::MatrixXcd& force) noexcept;
  /// Row of the last point, as in segments(): new with each decision for the next point, and with the last.
  std::span<const double> row() const noexcept { return row_; }

 private:
  void decide() noexcept override;
  void follow() noexcept;
  PathFollower& follower() noexcept { return kind_ == PathKind::response ? response_ : backbone_; }
  void place() noexcept;
  void keepPoint(PathEnd end, bool found, double hz, double factor) noexcept;
  void keepResonance() noexcept;
  bool enterBackbone() noexcept;
  void endPath(PathEnd end, double hz) noexcept;
  double frequencyOf(const Eigen::VectorXd& y) const noexcept;
  double factorOf(const Eigen::VectorXd& y) const noexcept;

  ContinuationSettings settings_;
  Eigen::Index amplitudes_;  // V, [2 i h]
  Eigen::VectorXd scale_;    // of V
  PathFollower response_, backbone_;
  PathKind kind_ = PathKind::response;
  int on_path_ = 0;         // points
  bool resonance_ = false;  // found, at
  Eigen::VectorXd resonant_y_;
  double last_in_phase_ = 0.0;
  Eigen::VectorXd last_y_, begin_, g_response_, g_backbone_;
  std::atomic<int> found_{0}, unstable_{0};
  std::array<std::atomic<PathEnd>, 2> ends_{PathEnd::open, PathEnd::open};
};

}  // namespace hyb
