#pragma once
#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/data/channel.h"
#include "core/fidelity/running.h"
#include "core/loop/programme.h"
#include "core/tick/director.h"

namespace hyb {

/// Why trials end before all of them have run. Number of the event trials_stopped, so never renumber.
enum class TrialStop : std::int32_t { none = -1, rises = 0, below = 1 };

/// What a trial came to.
struct TrialResult {
  int trial = 0;
  std::uint64_t first_tick = 0, last_tick = 0;
  bool whole = false;          // ran from its beginning to its end and was not held in between
  double error_percent = 0.0;  // largest of the interfaces: rms of the gap, of the rms of the target; NaN: no target
  std::vector<RunningComparison> tracking;  // [i], target and what is compared with it
};

/// The trial with the least error, and what it began with.
struct BestTrial {
  int trial = 0;
  double error_percent = 0.0;
  std::vector<double> learnt;
};

/// Row of the trial with the least error of those that are whole and have one.
std::optional<std::size_t> bestTrialRow(std::span<const double> whole, std::span<const double> errors) noexcept;

/// Rises of the error one after another: of trials that count, each to more than a hundredth above the best so far.
/// What has settled wavers by less.
class Rises {
 public:
  /// The error of the next trial; how many there are now. Real-time safe.
  int add(double error) noexcept;

 private:
  bool any_ = false;
  double last_ = 0.0, best_ = 0.0;
  int count_ = 0;
};

/// Weighs the trials of a test while it runs: sums up their errors tick by tick, decides at the end of each whether
/// another one is worth it, and remembers with what the best of them began. Trials that are not whole do not count.
/// Real-time safe but for the constructor.
class TrialDirector final : public Director {
 public:
  /// learnt: numbers that make up what is learnt.
  TrialDirector(const TrialSpec& spec, std::size_t interfaces, std::size_t learnt);
  /// A trial runs.
  bool open() const noexcept { return open_; }
  /// The caller then fills learnt() with what it begins with.
  void begin(int trial, std::uint64_t tick) noexcept;
  std::span<double> learnt() noexcept { return learnt_; }
  std::span<const double> learnt() const noexcept { return learnt_; }
  /// One tick of the trial: target and what is compared with it [i].
  void add(std::uint64_t tick, const Eigen::VectorXd& target, const Eigen::VectorXd& tracked) noexcept;
  /// It was held, or ends too early.
  void spoil() noexcept { result_.whole = false; }
  /// Ends the trial and decides.
  const TrialResult& finish() noexcept;

  /// No other trial is to follow, and why.
  bool over() const noexcept { return !open_ && (stop_ != TrialStop::none || result_.trial >= spec_.count); }
  EndReason ends() const noexcept override { return over() ? EndReason::completed : EndReason::running; }
  TrialStop stop() const noexcept { return stop_; }
  /// What the stop is about: rises one after another, or the bound in percent.
  double stopValue() const noexcept {
    return stop_ == TrialStop::rises ? static_cast<double>(rises_) : spec_.stop_below_percent;
  }
  /// The trial with the least error; 0 while none was whole.
  int best() const noexcept { return best_; }
  double bestError_percent() const noexcept { return best_error_; }
  /// Another trial came after the best one, so that what was learnt since is worse.
  bool worthRestoring() const noexcept { return best_ > 0 && best_ != last_whole_ && !learnt_.empty(); }
  std::span<const double> bestLearnt() const noexcept { return best_learnt_; }

 private:
  TrialSpec spec_;
  bool open_ = false;
  TrialResult result_;
  std::vector<double> learnt_, best_learnt_;
  TrialStop stop_ = TrialStop::none;
  int rises_ = 0, best_ = 0, last_whole_ = 0;
  Rises rise_;
  double best_error_ = 0.0;
};

/// Columns of what is kept of each trial, one row each; the first four are whole numbers. Then the errors, then the
/// adapted quantities (given with their names and units) as they were when it began.
std::vector<Channel> trialColumns(const std::vector<std::string>& gap_units, const std::vector<Channel>& adapted);
/// The same for one trial, row [columns without the adapted quantities].
void fillTrialRow(const TrialResult& result, std::span<double> row) noexcept;

}  // namespace hyb
