#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "core/loop/stop_token.h"
#include "core/project/project.h"

namespace hyb {

/// What a library does made it impossible to go on: its thread is given up. Names the library.
class PlugInGivenUp : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// Looks at what plug-ins do, from outside, again and again.
class PlugInLook {
 public:
  static constexpr std::chrono::milliseconds kEvery{4};
  /// `stop`, pressed twice, gives up at once a call outside the tick.
  PlugInLook(PlugInWatch& watch, const StopToken* stop) noexcept : watch_(watch), stop_(stop) {}
  /// True: a call that is under way was given up. Time in which the computer had no processor for its thread does not
  /// count.
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

/// Does `work`, which calls plug-ins, on a thread of its own, and waits for it. Rethrows what it throws. Throws
/// PlugInGivenUp where a call does not come back: whatever `work` holds and refers to then stays with its thread, and
/// must not be touched or destroyed.
void workWatched(const PlugInWatchPtr& watch, const StopToken* stop, std::function<void()> work);

/// The project with the libraries that it names loaded, if it names any: from here on they run. For tests, replays and
/// studies alone. Throws InputError where the user has not accepted one, and PlugInGivenUp.
Project withPlugIns(Project project, const StopToken* stop = nullptr);
/// Before a rig is armed: throws InputError with what a library does that it must not do inside the tick.
void tryOutPlugIns(const Project& project, const StopToken* stop = nullptr);

}  // namespace hyb
