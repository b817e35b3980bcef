#pragma once
#include "core/compensation/method.h"

namespace hyb {

/// Part that a method subtracts from its command besides the response to the target: its own loop around the actuator.
struct CommandFeedback {
  std::vector<double> measured{};  // of the measured motion, newest first; empty: not used
  std::vector<double> command{};   // of its own last commands, the previous one first
};

/// A method that reads the motion in every tick. Its lead is that of its target motion relative to the target.
class FeedbackMethod : public CompensationMethod {
 public:
  /// At the start: the command is the output of taps() minus these.
  virtual CommandFeedback feedback(std::size_t axis) const = 0;
};

/// For any method; empty if it has none.
CommandFeedback feedbackOf(const CompensationMethod& method, std::size_t axis);

}  // namespace hyb
