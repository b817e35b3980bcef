#pragma once
#include <string>

#include "core/coupling/event.h"

namespace hyb {

/// Decides whether a test goes on once a segment of it is over: the trials, or another program that asks for the
/// targets. The loop asks each director in each tick; what takes longer is done elsewhere and only read here.
class Director {
 public:
  virtual ~Director() = default;
  /// Takes the next thing that it has to tell, if there is one; the tick is filled in later. Real-time safe.
  virtual bool takeEvent(Event& /*event*/) noexcept { return false; }
  /// Why nothing more is to follow, so that the test comes to its end; `running` while something is. Real-time safe.
  virtual EndReason ends() const noexcept = 0;
  /// More on that, once the test has ended: "in step 3"; "": there is nothing to add. Not real-time.
  virtual std::string detail() const { return {}; }
};

}  // namespace hyb
