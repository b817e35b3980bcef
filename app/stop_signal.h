#pragma once

namespace hyb {
class TestRun;
}

namespace hyb::app {

/// From construction to destruction, Ctrl-C, SIGTERM and a closed terminal ask the test to end in its safe state
/// instead of ending the program, however often they come: the first ramps to zero, the next stops at once. One object
/// at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  void watch(TestRun* run) noexcept;  // nullptr: only remember
  bool received() const noexcept;
};

}  // namespace hyb::app
