#pragma once
#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "core/excitation/signal.h"

namespace hyb {

enum class LoadTarget : unsigned char {
  support_motion,        // signal in m moves a support (a wall at the end of links)
  support_acceleration,  // signal in m/s^2 accelerates the ground, the reference of the structure's motion
  force,                 // signal in N (N m) pushes a DOF
};

/// Target of a signal.
struct Load {
  std::size_t signal = 0;  // index of the signal
  LoadTarget on = LoadTarget::support_motion;
  std::size_t target = 0;  // index of the support, or of the DOF in the uncut model
  double factor = 1.0;     // +1 and -1 make opposite walls
};

/// The excitation of one tick: support motion and forces on the DOF of the uncut model.
struct ExcitationValue {
  Eigen::VectorXd support_m, support_mps, support_mps2;  // [s]; support_mps2 is only for grounds
  Eigen::VectorXd force_n;                               // [n] of the uncut model
  Eigen::VectorXd signal;                                // [j] faded signals, m, m/s^2 or N; recorded as excitation_<j>
  Eigen::VectorXd signal_rate;                           // [j], per second
  /// Vectors without a load stay 0, and products with them can be skipped.
  bool moves = true, accelerates = true, pushes = true;  // support_m and support_mps; support_mps2; force_n
  bool rates = true;  // signal_rate is needed, otherwise it stays 0; support_mps needs it
};

/// All signals and where they act, with a common fade (soft start, soft end, hold).
class Excitation {
 public:
  struct NamedSignal {
    std::string name;
    std::string units;
    std::shared_ptr<const Signal> signal;
  };
  Excitation(std::vector<NamedSignal> signals, std::vector<Load> loads, std::size_t supports, std::size_t dofs);
  const std::vector<NamedSignal>& signals() const noexcept { return signals_; }
  ExcitationValue zero() const;
  /// Real-time safe. fade in 0..1 and its rate in 1/s multiply every signal (product rule for the rate).
  void at(double t_s, double fade, double fade_rate, ExcitationValue& value) const noexcept;
  /// Frequency common to all periodic signals, Hz; 0 if there is none or they differ.
  double frequencyHz() const noexcept;

 private:
  std::vector<NamedSignal> signals_;
  std::vector<Load> loads_;   // ordered by signal
  std::vector<char> begins_;  // of each load: it is the first of the sum on its target
  std::size_t supports_, dofs_;
};

/// Within the fade: 0 < t_s < duration_s.
SignalValue cosineRise(double t_s, double duration_s) noexcept;
/// Cosine fade from 0 to 1 over duration_s: {0.5 (1 - cos(pi t/T)), its rate}. {1, 0} for duration 0.
inline SignalValue cosineFade(double t_s, double duration_s) noexcept {
  if (!(duration_s > 0.0) || t_s >= duration_s) return {1.0, 0.0};
  if (t_s <= 0.0) return {0.0, 0.0};
  return cosineRise(t_s, duration_s);
}

}  // namespace hyb
