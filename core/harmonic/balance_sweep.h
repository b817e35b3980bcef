#pragma once
#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "core/harmonic/balance_plan.h"
#include "core/harmonic/balance_solver.h"
#include "core/harmonic/harmonic_director.h"

namespace hyb {

/// Takes a harmonic balance from frequency to frequency in the order of its plan, and stores the results. A command
/// without effect ends the test.
class BalanceSweep final : public HarmonicDirector {
 public:
  /// `model`: at BalancePlan::places(). frequencies_hz: the given ones. command_kinds: of the command of each axis,
  /// [i].
  BalanceSweep(BalanceModel model, const BalanceSolverSettings& solver, const BalanceCampaignSettings& campaign,
               const std::vector<double>& frequencies_hz, std::vector<SignalKind> command_kinds);
  void reset() noexcept override;
  void goOn(std::span<const double> rows) override;
  SegmentTable segments() const override;
  bool takeSegment(std::span<double> row) noexcept override;
  std::string summary() const override;

 private:
  void decide() noexcept override;
  void keepResult() noexcept;
  void endPoint() noexcept;
  void keepInPlan(bool balanced, const Eigen::VectorXd& amplitudes) noexcept;
  void place() noexcept;
  std::size_t signalsAt() const noexcept;  // column

  BalancePlan plan_;
  BalanceSolver solver_;
  std::atomic<std::size_t> ended_{0}, converged_{0}, planned_{0};
  std::atomic<int> unheard_{0};  // command, from 1
  double unheard_change_ = 0.0;
  std::vector<double> result_;       // of the best V so far
  std::vector<double> taken_over_;   // rows of an earlier test
  std::size_t taken_over_told_ = 0;  // number of them passed to the loop
  double first_step_v_;
};

}  // namespace hyb
