#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "core/loop/stop_token.h"
#include "core/project/project.h"

namespace hyb {

/// A plug-in call did not return and its thread was given up. Names the library.
class PlugInGivenUp : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// Watches the plug-ins from outside, repeatedly.
class PlugInLook {
 public:
  static constexpr std::chrono::milliseconds kEvery{4};
  /// A second request on `stop` gives up a call outside the tick at once.
  PlugInLook(PlugInWatch& watch, const StopToken* stop) noexcept : watch_(watch), stop_(stop) {}
  /// True if a running call was given up. Time in which its thread had no processor does not count.
  bool givesUp();
  /// What was given up, and why, in words for people.
  std::string sentence() const;

 private:
  PlugInWatch& watch_;
  const StopToken* stop_;
  std::uint64_t seen_ = 0;                 // call that was under way when it was looked at last
  double own_s_ = 0.0;                     // that it has taken since it was seen first
  double looked_s_ = 0.0, spent_s_ = 0.0;  // when it was looked at last, and what its thread had computed until then
  bool by_stop_ = false;                   // given up because STOP was pressed again
};

/// Runs `work`, which calls plug-ins, on its own thread and waits for it. Rethrows its exceptions. Throws PlugInGivenUp
/// if a call does not return. Then everything that `work` holds and refers to stays with its thread and must not be
/// touched or destroyed.
void workWatched(const PlugInWatchPtr& watch, const StopToken* stop, std::function<void()> work);

/// The project with its libraries loaded, if it names any. From then on their code runs. For tests, replays and studies
/// only. Throws InputError if the user has not accepted a library, and PlugInGivenUp.
Project withPlugIns(Project project, const StopToken* stop = nullptr);
/// Check before arming a rig. Throws InputError if a library does something that is forbidden inside the tick.
void tryOutPlugIns(const Project& project, const StopToken* stop = nullptr);

}  // namespace hyb
