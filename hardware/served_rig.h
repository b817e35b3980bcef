#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/loop/pacing.h"
#include "core/rig/device.h"
#include "core/rig/rig.h"
#include "hardware/rig_server.h"
#include "hardware/wire_faults.h"

namespace hyb {

/// Throws InputError for a server of a protocol without keys ("raw UDP") that has a key, or that other computers reach
/// without --trust-network.
void checkKeyless(const RigServerSpec& spec, bool this_computer_only, const std::string& protocol);

/// A rig (the project's twin) behind a wire whose protocol neither arms it nor agrees on a safe action: it follows from
/// the first command, within its own bounds, and holds still for a reason. Shared by the servers for such protocols.
/// One thread, except state().
class ServedRig {
 public:
  enum class State : std::uint8_t { ready, following, stopped };
  ServedRig(std::unique_ptr<Rig> rig, RigServerSpec spec, std::function<void(const std::string&)> say, Clock& clock);

  /// The rig at rest, for a new bench.
  void begin();
  /// Command of output `k` of the channels, raw, `periods` (>= 1) after the one before; applied by write(). The rig
  /// must stand at the first one. False: the rig has stopped because of it, or had stopped.
  bool take(std::size_t k, double raw, double periods);
  /// Gives the commands to the rig; the first time, the rig follows from here.
  void write();
  /// Simulates the rig through `elapsed` periods of commands and samples it.
  void advance(std::int64_t elapsed);
  /// The present sample of a rig that does not follow.
  void sample();
  /// A request of the bench to a rig that moves by the local clock: through the periods that have ended since the first
  /// command. `reads`: it asks for the inputs, as the bench does once in each of its exchanges. Returns the periods
  /// that the bench may have used for its next command, by the local clock, since it last read.
  double hear(bool reads);
  /// Stops a rig whose bench has been silent for `place_s`. True: it has been.
  bool stopIfSilent();
  /// The last sample as raw values of all inputs.
  void inputs(std::span<double> raw) const;
  /// `by_itself`: in fault.
  void stop(const std::string& why, bool by_itself);

  State state() const noexcept { return state_; }  // any thread
  bool following() const noexcept { return state_ == State::following; }
  bool fault() const noexcept { return fault_; }  // it stopped by itself
  const RigServerSpec& spec() const noexcept { return spec_; }
  const DeviceChannels& channels() const noexcept { return channels_; }
  Clock& clock() const noexcept { return clock_; }
  void say(const std::string& line) const { say_(line); }
  WireFaults& wire() noexcept { return wire_; }

 private:
  void read(std::int64_t elapsed);
  void schedule();
  double standing(const ChannelSpec& channel) const;

  std::unique_ptr<Rig> rig_;
  RigServerSpec spec_;
  std::function<void(const std::string&)> say_;
  Clock& clock_;
  DeviceChannels channels_;
  CommandGuard guard_;
  WireFaults wire_;
  std::atomic<State> state_{State::ready};
  bool fault_ = false;
  RigState reading_;
  Command command_;
  RigStatus status_ = RigStatus::ok;
  std::vector<const ChannelSpec*> outputs_;  // of spec_
  std::vector<bool> placed_;                 // [outputs]: has had its first command
  std::vector<std::ptrdiff_t> monitored_;    // [channels]: further column for a monitor of this name; -1: none
  std::vector<double> columns_;              // these columns
  std::vector<bool> fault_on_;
  std::int64_t periods_ = 0;  // since the first command
  std::int64_t moved_at_ = 0, heard_at_ = 0, read_at_ = 0;
};

}  // namespace hyb
