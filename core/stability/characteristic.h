#pragma once
#include <Eigen/Core>
#include <complex>

#include "core/stability/condensed_side.h"
#include "core/stability/delay_stability.h"
#include "core/stability/transfer_terms.h"

namespace hyb {

/// Checks sizes and values; throws InputError.
void requireSoundRange(double delay_s, double cutoff_hz);
void requireSound(const DelaySystem& system, double delay_s, double cutoff_hz);

/// Entire characteristic function of the loop, F(s) = det D_N,bb det D_P,bb det S(s) with the two sides condensed on
/// the interface: the determinant of the assembled, uncondensed loop, whose roots are those of det(D_N + D_P H) without
/// its poles. With e = n c e^{-s tau} of the actuators, and a d + b n e^{-s tau} for d and a l for l if a compensator
/// closes its own loop,
///   S = D_N diag(d) + D_P E                                          if no actuator depends on the specimen, else
///   S = [ D_N,  D_P;  diag(e),  -diag(d) - diag(l) D_P ]             in targets and motions,
/// E is diag(e), for cross-coupled actuators with e of actuator j to axis k in (k, j),
/// for a compensator u = (d_c + c_c (e^{s t} - a_c)^-1 b_c) z of all axes, with its states q and w = diag(d)^-1 u,
///   S = [ D_N,  D_P N,  0;  d_c,  -diag(d),  c_c;  e^{-s t} b_c,  0,  e^{-s t} a_c - 1 ]
/// where N has the n e^{-s tau} of all commands to all axes; if an actuator depends on the specimen, in motions for w,
///   S = [ D_N,  D_P,  0;  diag(e) d_c,  -diag(d) - diag(l) D_P,  diag(e) c_c;  e^{-s t} b_c,  0,  e^{-s t} a_c - 1 ],
/// and with springs, in motions of the specimen, k and k' actual and nominal,
///   S = diag(e) (diag(1/k') D_N - 1) + diag(d) (1 + diag(1/k) D_P) + diag(l) D_P.
class Characteristic {
 public:
  /// delay_s: on all interface signals, or on the late one, added to the base delays.
  Characteristic(const DelaySystem& system, double delay_s);

  struct Value {
    std::complex<double> direction;       // F/|F|; 0 at a root
    std::complex<double> log_derivative;  // F'/F, s
  };
  Value at(std::complex<double> s) const;
  /// ds/dtau of a simple root, 1/s per s of the extra delay.
  std::complex<double> speedOfRoot(std::complex<double> root) const;
  const Eigen::VectorXd& delay() const noexcept { return reach_s_; }  // [i], s: the longest term of each actuator

 private:
  /// S, dS/ds and dS/dtau, its rows scaled to about 1.
  struct Loop {
    Eigen::MatrixXcd value, derivative, by_delay;
    std::complex<double> inner_direction, inner_slope;
    void scaleRows();
  };
  Loop loop(std::complex<double> s) const;
  /// Of actuator i with its pure delay: kept x = driven z - yielding f; kept contains the delayed feedback.
  struct LateTerms {
    PolynomialValue driven, kept, yielding;
    std::complex<double> returned;
  };
  LateTerms lateTerms(Eigen::Index i, std::complex<double> s) const;
  void behindCommands(const CondensedSide::Value& ns, const CondensedSide::Value& ps, std::complex<double> s,
                      Loop& loop) const;
  void addCross(Eigen::Index i, Eigen::Index column, const CondensedSide::Value& ps, std::complex<double> s,
                Loop& loop) const;
  void behindSprings(const CondensedSide::Value& ns, const CondensedSide::Value& ps, std::complex<double> s,
                     Loop& loop) const;

  std::shared_ptr<const CondensedSides> sides_;
  std::vector<ActuatorTransfer> actuators_;  // [i]
  std::vector<CommandFeedback> feedback_;    // [i]
  std::optional<ForceSprings> springs_;
  std::optional<CommandSystem> commands_;
  bool coupled_ = false;                      // an actuator depends on the specimen, and there are no springs
  Eigen::VectorXd delay_s_, reach_s_, late_;  // [i]; late: 1 for signals with the extra delay
};

}  // namespace hyb
