#pragma once
#include "core/compensation/method.h"

namespace hyb {

/// What a method takes off its command beside what it makes of the target: a loop of its own around the actuator.
struct CommandFeedback {
  std::vector<double> measured{};  // of the motion as read, newest first; empty: it reads none
  std::vector<double> command{};   // of its own last commands, the one before first
};

/// A method that reads the motion in every tick. Its lead is by how much the motion that it asks for is ahead of the
/// target.
class FeedbackMethod : public CompensationMethod {
 public:
  /// As it starts: the command is what taps() says less these.
  virtual CommandFeedback feedback(std::size_t axis) const = 0;
};

/// Of any method; empty where it has none.
CommandFeedback feedbackOf(const CompensationMethod& method, std::size_t axis);

}  // namespace hyb
