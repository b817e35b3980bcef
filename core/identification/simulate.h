#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "core/identification/transfer_model.h"

namespace hyb {

inline constexpr double kFastestPole = 20.0;  // times the step: faster poles are not visible

/// Responses of 1 / D(s) e^(-s delay) and its derivatives to a sampled input, from rest, exact at the samples. The
/// output of a transfer function with that denominator and delay is a sum of them.
class DenominatorResponses {
 public:
  /// `denominator` ascending, its last coefficient 1; at least one pole. scale: of the relevant frequencies, rad/s.
  DenominatorResponses(const std::vector<double>& denominator, double delay_s, Hold hold, double step_s, double scale);
  /// Columns s^j scale^(n - j) / D for j = 0 to `zeros` (at most n), rows [first, u.size()): the motion starts at rest
  /// in row `first`. Before the first sample the input is 0.
  Eigen::MatrixXd forced(std::span<const double> input, int zeros, std::size_t first) const;
  /// n columns that span every free motion with this denominator; `rows` rows.
  Eigen::MatrixXd free(std::size_t rows) const;
  /// Steady response of the columns of forced() to sampled sines: exact, including aliases at the samples;
  /// [lines, zeros + 1]. turns [lines]: e^(i w step).
  Eigen::MatrixXcd settled(const Eigen::VectorXcd& turns, int zeros) const;
  /// The same, followed by n columns for the transient of a record: its end state differs from its start state.
  Eigen::MatrixXcd settledAndTransient(const Eigen::VectorXcd& turns, int zeros) const;

 private:
  void prepareSettled();
  Eigen::MatrixXcd columnsAt(const Eigen::VectorXcd& turns, int zeros, bool transient) const;

  Eigen::Index n_;
  Eigen::VectorXd scaled_;   // D in s / scale, without its 1
  std::ptrdiff_t late_ = 0;  // whole steps of the delay
  double fraction_ = 0.0;    // remaining fraction of a step
  Hold hold_;
  Eigen::MatrixXd transition_;             // [n, n]
  Eigen::VectorXd before_, here_, after_;  // [n]: weights of the samples before, at and after the delayed instant
  // (w I - (transition - I) / part_)^-1 = sum of w^k adjoint_k / (w^n + ... + characteristic_0)
  double part_ = 1.0;                                           // unit of time within a step
  Eigen::MatrixXd driven_before_, driven_here_, driven_after_;  // [k, state]: adjoint_k times the weights of a sample
  Eigen::MatrixXd transient_;                                   // [k, state]: row 0 of adjoint_k
  Eigen::VectorXd characteristic_;
};

/// Output of a model at the samples of its input, from rest.
std::vector<double> simulate(const TransferModel& model, std::span<const double> input, double step_s, Hold hold);

/// Steady response of a model to a sine at the samples, including the hold of the input.
std::complex<double> sampledResponse(const TransferModel& model, double frequency_hz, double step_s, Hold hold);

}  // namespace hyb
