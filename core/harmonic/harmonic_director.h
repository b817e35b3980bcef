#pragma once
#include <atomic>
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/harmonic/balance_model.h"
#include "core/tick/director.h"

namespace hyb {

/// Directs a test with constant harmonic commands: takes the result of an average, computes the decision outside the
/// tick, and passes it on. Derived classes define the decision and the stored rows.
class HarmonicDirector : public Director {
 public:
  const BalanceModel& model() const noexcept { return model_; }
  /// Back to the first frequency. Not real-time.
  virtual void reset() noexcept;
  /// After reset(): takes the rows of a stopped test, one after the other. This test continues after them, and they
  /// come first among its own. Not real-time. Throws InputError if they are of another test, or complete, or if tests
  /// of this kind cannot be continued.
  virtual void goOn(std::span<const double> rows);

  /// Decision after an average.
  struct Decision {
    enum class Kind : std::uint8_t { average, apply, next_point, finish } kind = Kind::average;
    int number = 1;  // of the frequency within the test, from 1, valid from then on
    double frequency_hz = 0.0;
    Eigen::VectorXd command;  // amplitudes in pairs, harmonic after harmonic, [2 i h]
    Eigen::VectorXd target;   // of the motion of the axes, from the computed side, likewise
    double residual = 0.0;    // of the average
    int iterations = 0;       // at this frequency
  };
  const Decision& decision() const noexcept { return decision_; }
  /// In the tick: takes the harmonics of an average, [readings, h]. `restarted`: the rig was at rest since the last
  /// one.
  void offer(const Eigen::MatrixXcd& readings, bool restarted) noexcept;
  /// In the tick: the decision on the last offered average. Null: not yet available. Its events and rows are available
  /// from then on.
  const Decision* take() noexcept;
  /// In the tick: the decision for this frequency is late; `taken`: it is now adopted, so many periods late.
  void tellLate(int number, bool taken, std::int64_t periods) noexcept;
  /// In the tick: the command has faded to 0.
  void finish() noexcept { finished_ = true; }

  bool takeEvent(Event& event) noexcept override;
  EndReason ends() const noexcept override { return finished_ ? ends_ : EndReason::running; }
  bool works() const noexcept override { return true; }
  bool work() noexcept override;
  void hold(bool held) noexcept override { held_.store(held, std::memory_order_relaxed); }
  bool takeSegment(std::span<double> row) noexcept override;

 protected:
  /// command_kinds: of the command of each axis, [i]. The constructor of a derived class sizes row_ and calls reset().
  HarmonicDirector(BalanceModel model, std::vector<SignalKind> command_kinds);
  /// Computes decision_, told_ and row_ from offered_; not in the tick, and without allocation.
  virtual void decide() noexcept = 0;
  void setTarget() noexcept;  // of the decision, from the model

  /// Amplitude and phase of motion and force of both sides, and of commands: columns of a segment table, and their
  /// values, written from row[at] on and read from there.
  void addSignalColumns(SegmentTable& table) const;
  void putSignals(std::vector<double>& row, std::size_t at, const Eigen::VectorXd& command) const noexcept;
  static std::complex<double> firstMotion(const std::vector<double>& row, std::size_t at) noexcept;
  static void readCommand(const std::vector<double>& row, std::size_t at, Eigen::VectorXd& command) noexcept;
  void tell(const Event& event) noexcept {
    if (told_count_ < told_.size()) told_[told_count_++] = event;
  }
  void keepRow() noexcept { row_ready_ = true; }

  BalanceModel model_;
  std::vector<SignalKind> command_kinds_;
  Eigen::MatrixXcd offered_;
  bool restarted_ = false;
  Decision decision_;
  EndReason ends_ = EndReason::completed;  // after the command has faded
  std::vector<double> row_;

 private:
  enum class State : std::uint8_t { idle, due, done };
  static constexpr std::size_t kMostTold = 4;  // per decision

  std::atomic<State> state_{State::idle};
  std::atomic<bool> held_{false};
  bool finished_ = false;
  bool row_ready_ = false;  // of the decision; row_waits_ for the loop then
  bool row_waits_ = false;
  std::vector<Event> told_;  // of the decision, [told_count_]
  std::size_t told_count_ = 0, told_taken_ = 0;
  Event late_;
  bool late_waits_ = false;
};

}  // namespace hyb
