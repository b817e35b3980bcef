#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "core/identification/transfer_model.h"

namespace hyb {

inline constexpr double kFastestPole = 20.0;  // times the step: nothing is seen of faster ones

/// Responses of 1 / D(s) e^(-s delay) and its derivatives to a sampled input, from rest, exact at the samples. What a
/// transfer function with that denominator and delay can give is a sum of them.
class DenominatorResponses {
 public:
  /// `denominator` ascending, its last coefficient 1; at least one pole. scale: of the frequencies that matter, rad/s.
  DenominatorResponses(const std::vector<double>& denominator, double delay_s, Hold hold, double step_s, double scale);
  /// Columns s^j scale^(n - j) / D for j = 0 to `zeros` (at most n), rows [first, u.size()): the motion begins at rest
  /// in row `first`. Before the first sample the input is 0.
  Eigen::MatrixXd forced(std::span<const double> input, int zeros, std::size_t first) const;
  /// n columns that span every motion with a denominator of this kind that no input drives, rows as many.
  Eigen::MatrixXd free(std::size_t rows) const;
  /// What the columns of forced() make of settled sines, sampled: exact, with everything that looks alike at the
  /// samples; [lines, zeros + 1]. turns [lines]: e^(i w step).
  Eigen::MatrixXcd settled(const Eigen::VectorXcd& turns, int zeros) const;
  /// The same, then n columns for what a record has beside: that the state at its end is not that at its start.
  Eigen::MatrixXcd settledAndTransient(const Eigen::VectorXcd& turns, int zeros) const;

 private:
  void prepareSettled();
  Eigen::MatrixXcd columnsAt(const Eigen::VectorXcd& turns, int zeros, bool transient) const;

  Eigen::Index n_;
  Eigen::VectorXd scaled_;   // D in s / scale, without its 1
  std::ptrdiff_t late_ = 0;  // whole steps of the delay
  double fraction_ = 0.0;    // of a step beyond
  Hold hold_;
  Eigen::MatrixXd transition_;             // [n, n]
  Eigen::VectorXd before_, here_, after_;  // [n]: weights of the samples before, at and after the delayed instant
  // (w I - (transition - I) / part_)^-1 = sum of w^k adjoint_k / (w^n + ... + characteristic_0)
  double part_ = 1.0;                                           // of a unit of time in a step
  Eigen::MatrixXd driven_before_, driven_here_, driven_after_;  // [k, state]: adjoint_k times the weights of a sample
  Eigen::MatrixXd transient_;                                   // [k, state]: row 0 of adjoint_k
  Eigen::VectorXd characteristic_;
};

/// Output of a model at the samples of its input, from rest.
std::vector<double> simulate(const TransferModel& model, std::span<const double> input, double step_s, Hold hold);

/// Response of a model at the samples to a settled sine there, hold of the input included.
std::complex<double> sampledResponse(const TransferModel& model, double frequency_hz, double step_s, Hold hold);

}  // namespace hyb
