#pragma once
#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "core/compensation/compensator.h"

namespace hyb {

/// A delay in whole ticks and a fraction, 0 <= fraction < 1.
struct TickDelay {
  std::size_t ticks = 0;
  double fraction = 0.0;
};
/// Splits a delay; rounds to a whole number within 1e-9 ticks.
TickDelay splitDelay(double delay_s, double step_s) noexcept;

/// The commands of the last ticks of one actuator.
class CommandHistory {
 public:
  struct Entry {
    double position = 0.0, rate = 0.0;  // m, m/s
  };
  /// Stores the newest command and `ticks` before it.
  explicit CommandHistory(std::size_t ticks);
  void reset() noexcept;
  /// Real-time safe.
  void push(Entry command) noexcept {
    ++newest_;
    entries_[newest_ & mask_] = command;
  }
  /// Command `back` ticks before the newest. Real-time safe.
  const Entry& at(std::size_t back) const noexcept { return entries_[(newest_ - back) & mask_]; }
  /// The entry with the age `delay`, linearly interpolated between two commands; the history must be one tick longer.
  /// Real-time safe.
  Entry at(const TickDelay& delay) const noexcept;

 private:
  std::vector<Entry> entries_;  // ring, size a power of two
  std::size_t mask_, newest_ = 0;
};

/// Deliberately delayed commands, linearly interpolated; zero before the first.
class CommandDelay {
 public:
  /// delay_s [i]. Throws InputError at /compensation/added_delay_s: not finite, negative, more than a million ticks.
  CommandDelay(const Eigen::VectorXd& delay_s, double step_s);
  void reset() noexcept;
  /// Takes the newest command, returns the delayed one. Real-time safe.
  void apply(Command& command) noexcept;
  /// The delayed commands as one vector; apply() is linear in it and in the command. Not real-time.
  Eigen::VectorXd state() const;
  void setState(const Eigen::VectorXd& state);

 private:
  std::vector<TickDelay> delays_;         // [i]
  std::vector<CommandHistory> commands_;  // [i], all as long as the longest delay requires
  Eigen::Index kept_;                     // number of effective commands of each
};

/// `method` with its command delayed by delay_s [i], to increase the error of a test deliberately.
std::unique_ptr<Compensator> makeAddedDelay(std::unique_ptr<Compensator> method, const Eigen::VectorXd& delay_s,
                                            double step_s);

}  // namespace hyb
