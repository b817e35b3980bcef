#pragma once
#include <atomic>
#include <string>
#include <vector>

#include "core/coupling/balance_solver.h"
#include "core/coupling/harmonic_director.h"

namespace hyb {

/// Takes a harmonic balance from frequency to frequency, and keeps what each came to.
class BalanceSweep final : public HarmonicDirector {
 public:
  /// command_kinds: of the command of each axis, [i].
  BalanceSweep(BalanceModel model, const BalanceSolverSettings& solver, std::vector<SignalKind> command_kinds);
  void reset() noexcept override;
  SegmentTable segments() const override;
  std::string summary() const override;

 private:
  void decide() noexcept override;
  void keepResult() noexcept;
  void endPoint() noexcept;

  BalanceSolver solver_;
  std::atomic<std::size_t> ended_{0}, converged_{0};
  std::vector<double> result_;  // of the best V so far
};

}  // namespace hyb
