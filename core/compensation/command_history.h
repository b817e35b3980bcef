#pragma once
#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "core/compensation/compensator.h"

namespace hyb {

/// A delay in whole ticks and the rest, 0 <= fraction < 1.
struct TickDelay {
  std::size_t ticks = 0;
  double fraction = 0.0;
};
/// Splits a delay; what lies within 1e-9 ticks of a whole number is one.
TickDelay splitDelay(double delay_s, double step_s) noexcept;

/// The commands of the last ticks of one actuator.
class CommandHistory {
 public:
  struct Entry {
    double position = 0.0, rate = 0.0;  // m, m/s
  };
  /// Remembers the newest command and `ticks` before it.
  explicit CommandHistory(std::size_t ticks);
  void reset() noexcept;
  /// Real-time safe.
  void push(Entry command) noexcept {
    ++newest_;
    entries_[newest_ & mask_] = command;
  }
  /// Command `back` ticks before the newest. Real-time safe.
  const Entry& at(std::size_t back) const noexcept { return entries_[(newest_ - back) & mask_]; }
  /// The entry as old as `delay`, on a straight line between two commands; the history must reach one tick further.
  /// Real-time safe.
  Entry at(const TickDelay& delay) const noexcept;

 private:
  std::vector<Entry> entries_;  // ring, size a power of two
  std::size_t mask_, newest_ = 0;
};

/// Commands that are late on purpose, straight between two of them; zero before the first.
class CommandDelay {
 public:
  /// delay_s [i]. Throws InputError at /compensation/added_delay_s: not finite, negative, more than a million ticks.
  CommandDelay(const Eigen::VectorXd& delay_s, double step_s);
  void reset() noexcept;
  /// The newest command in, the one that is due out. Real-time safe.
  void apply(Command& command) noexcept;
  /// The commands still on their way as one vector; apply() is linear in it and in the command. Not real-time.
  Eigen::VectorXd state() const;
  void setState(const Eigen::VectorXd& state);

 private:
  std::vector<TickDelay> delays_;         // [i]
  std::vector<CommandHistory> commands_;  // [i], all as long as the longest delay asks for
  Eigen::Index kept_;                     // commands of each that count
};

/// `method` with its command late by delay_s [i], so that a test can be made worse on purpose.
std::unique_ptr<Compensator> makeAddedDelay(std::unique_ptr<Compensator> method, const Eigen::VectorXd& delay_s,
                                            double step_s);

}  // namespace hyb
