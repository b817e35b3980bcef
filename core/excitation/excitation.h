#pragma once
#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "core/excitation/signal.h"

namespace hyb {

/// What one load puts the signal on.
struct Load {
  std::size_t signal = 0;  // index of the signal
  bool on_support = true;  // else on a mass, as a force
  std::size_t target = 0;  // index of the support, or of the DOF in the reference structure
  double factor = 1.0;     // +1 and -1 make opposite walls
};

/// The excitation of one tick: support motion and forces on the DOF of the reference structure.
struct ExcitationValue {
  Eigen::VectorXd support_m, support_mps;  // [s]
  Eigen::VectorXd force_n;                 // [n] of the reference structure
  Eigen::VectorXd signal;                  // [j] faded signals, m or N; what the record calls excitation_<j>
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
  std::vector<Load> loads_;
  std::size_t supports_, dofs_;
};

/// Cosine fade from 0 to 1 over duration_s: {0.5 (1 - cos(pi t/T)), its rate}. {1, 0} for duration 0.
SignalValue cosineFade(double t_s, double duration_s) noexcept;

}  // namespace hyb
