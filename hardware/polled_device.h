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

/// Result of one exchange with an instrument.
enum class Exchange : std::uint8_t {
  ok,
  lost,     // no reply in time
  corrupt,  // an unusable reply, or a refusal
  broken,   // the connection is closed
  fault,    // the instrument reports a fault
};

/// Result of a stop; the later, the worse.
enum class Stopped : std::uint8_t {
  confirmed,    // by the instrument
  unknown_how,  // the project defines no line or register for it
  sent,         // this instrument never confirms
  unconfirmed,  // sent without confirmation
  refused,
  unsent,
};

/// An instrument that answers requests. Every call may wait until its own deadline; one thread at a time.
class Instrument {
 public:
  virtual ~Instrument() = default;
  virtual std::string description() const = 0;
  /// Connects and identifies; arms and moves nothing. Throws DeviceError or InputError.
  virtual void connect() = 0;
  /// Sets the outputs (empty: no change) and reads all inputs; an input without a value becomes NaN. After any result
  /// other than `ok` the next exchange restarts: late replies are dropped.
  virtual Exchange exchange(std::span<const double> outputs, std::span<double> inputs) = 0;
  /// Safe state: sent at once, despite pending answers; waits only for the confirmation.
  virtual Stopped stop() = 0;
  virtual void disconnect() noexcept = 0;
  /// Any thread: ends a waiting exchange soon.
  virtual void interrupt() noexcept {}
  /// Fault of the last exchange, one sentence.
  virtual const std::string& complaint() const noexcept = 0;
};

/// A slow instrument as a device: its own thread polls it once per tick, or as often as it answers. The tick only
/// writes its outputs to a mailbox and takes the newest inputs from another. A tick without outputs, before the first
/// command, asks for inputs alone. Inputs older than `max_age_s`, or without a value, are stale. Three lost exchanges
/// in a row, or a broken connection: link lost. A stop precedes everything else, and is also sent after two seconds
/// without ticks. In free run a reading waits for the answer to the last command as long as the instrument does. While
/// the command ramps to zero, the first failed exchange triggers the stop. failure() reports whether the instrument
/// followed the ramp and accepted the stop.
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
    bool whole = false;         // every input has a value
  };

  void awaitAnswer() noexcept;
  void changed() noexcept;
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
  sem_t wake_, changed_;
  std::thread thread_;
  std::atomic<Phase> phase_{Phase::closed};
  std::atomic<bool> stop_requested_{false}, clipped_{false};
  std::atomic<bool> ramping_{false};     // the commands ramp to zero
  std::vector<double> ramp_from_;        // outputs at its start; written before ramping_ is set
  std::vector<double> taken_;            // outputs of the last answered exchange; the thread's
  std::atomic<std::uint64_t> asked_{0};  // number of the outputs of the last exchange
  std::uint64_t number_ = 0;             // of the outputs; the tick's
  bool commanded_ = false;               // since the last reading; the tick's
  std::vector<double> last_;             // outputs last written; the tick's
  std::string complaint_;                // about the failed exchange; the thread's
  std::atomic<int> failures_{0};         // in a row; counted by the thread
  std::string failure_;                  // written before phase_ is set
  std::string end_;                      // result of ramp and stop; written before ended_ is set
  std::atomic<bool> ended_{false};
};

}  // namespace hyb
