#pragma once

namespace hyb {
class StopToken;
}

namespace hyb::app {

/// From construction to destruction, Ctrl-C, SIGTERM and a closed terminal end the test in its safe state instead of
/// ending the program, however often they come: the first ramps to zero, the next stops at once. One object at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopToken& token() const noexcept;
  bool received() const noexcept;
};

}  // namespace hyb::app
