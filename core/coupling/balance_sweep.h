#pragma once
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/coupling/balance_model.h"
#include "core/coupling/balance_plan.h"
#include "core/coupling/balance_solver.h"
#include "core/coupling/director.h"

namespace hyb {

/// Takes a harmonic balance from frequency to frequency, as its plan has them: works out, outside the tick, what
/// follows from an average, and keeps what each frequency came to. A command that is not heard ends the test.
class BalanceSweep final : public Director {
 public:
  /// `model`: at BalancePlan::places(). frequencies_hz: those that were asked for. command_kinds: of the command of
  /// each axis, [i].
  BalanceSweep(BalanceModel model, const BalanceSolverSettings& solver, const BalanceCampaignSettings& campaign,
               const std::vector<double>& frequencies_hz, std::vector<SignalKind> command_kinds);
  const BalanceModel& model() const noexcept { return model_; }
  /// What follows from an average.
  struct Decision {
    enum class Kind : std::uint8_t { average, apply, next_point, finish } kind = Kind::average;
    std::size_t point = 0;    // of the model, from then on
    int number = 1;           // of the frequency within the campaign, from 1
    Eigen::VectorXd command;  // amplitudes in pairs, harmonic after harmonic, [2 i h]
    Eigen::VectorXd target;   // of the motion of the axes, as the computed side has it, likewise
    double residual = 0.0;    // of the average
    int iterations = 0;       // at this frequency
  };
  /// Back to the first frequency. Not real-time.
  void reset() noexcept;
  /// After reset(), the rows of a test that was stopped, one after the other, then NaN: the sweep goes on behind them,
  /// and they come first among its own. Not real-time. Throws InputError: they are of another sweep, or all it has.
  void goOn(std::span<const double> rows);
  const Decision& decision() const noexcept { return decision_; }

  /// In the tick: the harmonics of an average, [readings, h]. `restarted`: the rig stood still since the last one.
  void offer(const Eigen::MatrixXcd& readings, bool restarted) noexcept;
  /// In the tick: the decision on what was offered last, once it is there. Null: not yet. Its events and rows can be
  /// taken from then on.
  const Decision* take() noexcept;
  /// In the tick: the decision for this point is late; `taken`: it is adopted at last, so many periods late.
  void tellLate(int point, bool taken, std::int64_t periods) noexcept;
  /// In the tick: the command has faded to 0.
  void finish() noexcept { finished_ = true; }

  bool takeEvent(Event& event) noexcept override;
  EndReason ends() const noexcept override { return finished_ ? ends_ : EndReason::running; }
  bool works() const noexcept override { return true; }
  bool work() noexcept override;
  void hold(bool held) noexcept override { held_.store(held, std::memory_order_relaxed); }
  SegmentTable segments() const override;
  bool takeSegment(std::span<double> row) noexcept override;
  std::string summary() const override;

 private:
  enum class State : std::uint8_t { idle, due, done };
  void decide() noexcept;
  void keepResult() noexcept;
  void endPoint() noexcept;
  void keepInPlan(bool balanced, const Eigen::VectorXd& amplitudes) noexcept;

  BalanceModel model_;
  BalancePlan plan_;
  BalanceSolver solver_;
  std::vector<SignalKind> command_kinds_;
  std::atomic<State> state_{State::idle};
  std::atomic<bool> held_{false};
  std::atomic<std::size_t> ended_{0}, converged_{0}, planned_{0};
  std::atomic<int> unheard_{0};  // command, from 1
  double unheard_change_ = 0.0;
  Eigen::MatrixXcd offered_;
  bool restarted_ = false, finished_ = false;
  EndReason ends_ = EndReason::completed;  // once it has finished
  Decision decision_;
  std::vector<double> row_, result_;  // result_: of the best V so far
  std::vector<double> taken_over_;    // rows of an earlier test
  std::size_t taken_over_told_ = 0;   // numbers of them that the loop has
  double first_step_v_;
  bool row_ready_ = false;  // of the decision; then row_waits_ for the loop
  bool row_waits_ = false;
  std::vector<Event> told_;  // of the decision, [told_count_]
  std::size_t told_count_ = 0, told_taken_ = 0;
  Event late_;
  bool late_waits_ = false;
};

}  // namespace hyb
