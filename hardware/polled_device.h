#pragma once
#include <semaphore.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/loop/pacing.h"
#include "core/rig/device.h"
#include "core/tick/mailbox.h"

namespace hyb {

/// How one exchange with an instrument went.
enum class Exchange : std::uint8_t {
  ok,
  lost,     // no reply in time
  corrupt,  // a reply that cannot be used, or a refusal
  broken,   // the connection is gone
  fault,    // the instrument says that it stands in fault
};

/// What became of a stop; the later, the worse.
enum class Stopped : std::uint8_t {
  confirmed,    // the instrument said so
  unknown_how,  // the project names no line or register for it
  sent,         // this instrument confirms nothing
  unconfirmed,  // sent, and no confirmation came
  refused,
  unsent,
};

/// An instrument that is asked and answers. Every call may wait until its own deadline; one thread at a time.
class Instrument {
 public:
  virtual ~Instrument() = default;
  virtual std::string description() const = 0;
  /// Connects and identifies; arms and moves nothing. Throws DeviceError or InputError.
  virtual void connect() = 0;
  /// Sets the outputs (empty: leaves them alone) and reads all inputs; an input without a value becomes NaN. After
  /// anything but `ok` the next exchange starts afresh: late replies are thrown away.
  virtual Exchange exchange(std::span<const double> outputs, std::span<double> inputs) = 0;
  /// Safe state: sent at once, whatever answer is still to come; only the confirmation is waited for.
  virtual Stopped stop() = 0;
  virtual void disconnect() noexcept = 0;
  /// Any thread: an exchange that waits gives up soon.
  virtual void interrupt() noexcept {}
  /// What was wrong with the last exchange, one sentence.
  virtual const std::string& complaint() const noexcept = 0;
};

/// A slow instrument as a device: a thread of its own asks it once per tick, or as often as it answers. The tick only
/// leaves its outputs in a mailbox and takes the newest inputs out of another; inputs older than `max_age_s`, or that
/// the instrument had no value for, are stale. Three exchanges lost in a row, or a broken connection: link lost. A stop
/// goes out before anything else, and also when ticks cease for two seconds. In free run a reading waits for the answer
/// to the last command as long as the instrument does.
/// While the command ramps to zero, the first exchange that fails is answered with the stop. Whether the instrument
/// followed the ramp, and took the stop, is told by failure().
class PolledDevice final : public Device {
 public:
  PolledDevice(std::unique_ptr<Instrument> instrument, DeviceChannels channels, double max_age_s,
               Clock& clock = systemClock());
  ~PolledDevice() override;
  PolledDevice(const PolledDevice&) = delete;
  PolledDevice& operator=(const PolledDevice&) = delete;

  std::string description() const override { return instrument_->description(); }
  void open() override;
  RigStatus read(std::span<double> inputs) noexcept override;
  RigStatus write(std::uint64_t tick, std::span<const double> outputs) noexcept override;
  void rampBegins() noexcept override;
  void safeStop() noexcept override;
  void close() noexcept override;
  const LinkFigures& link() const noexcept override { return link_; }
  std::uint32_t status() const noexcept override;
  std::string failure() const override;

 private:
  enum class Phase : std::uint8_t { closed, open, stopped, link_lost, fault };
  struct Outputs {
    std::vector<double> values;
    std::uint64_t number = 0;  // counts the ticks; 0: none yet
  };
  struct Inputs {
    std::vector<double> values;
    std::int64_t asked_ns = 0;  // at the clock
    bool whole = false;         // a value for every input
  };

  void work();
  void serve();
  void exchangeOnce();
  void publish(std::int64_t asked_ns);
  void fail(Phase phase, const std::string& what);
  std::string unfollowedRamp();
  Phase phase() const noexcept { return phase_.load(std::memory_order_acquire); }

  std::unique_ptr<Instrument> instrument_;
  DeviceChannels channels_;
  std::int64_t max_age_ns_;
  Clock& clock_;
  LinkFigures link_;
  std::optional<Mailbox<Outputs>> outputs_;
  std::optional<Mailbox<Inputs>> inputs_;
  Inputs newest_;                 // the thread's
  std::vector<double> received_;  // the thread's, as the instrument gave them
  sem_t wake_;
  std::thread thread_;
  std::atomic<Phase> phase_{Phase::closed};
  std::atomic<bool> stop_requested_{false}, clipped_{false};
  std::atomic<bool> ramping_{false};     // the commands, to zero
  std::vector<double> ramp_from_;        // outputs at its begin; written before ramping_ says so
  std::vector<double> taken_;            // outputs of the last exchange that was answered; the thread's
  std::atomic<std::uint64_t> asked_{0};  // number of the outputs of the last exchange
  std::uint64_t number_ = 0;             // of the outputs; the tick's
  std::vector<double> last_;             // outputs last written; the tick's
  std::string complaint_;                // about the exchange that failed; the thread's
  std::atomic<int> failures_{0};         // exchanges in a row; the thread counts them
  std::string failure_;                  // written before phase_ says so
  std::string end_;                      // what became of ramp and stop; written before ended_ says so
  std::atomic<bool> ended_{false};
};

}  // namespace hyb
