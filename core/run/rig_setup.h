#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/loop/pacing.h"
#include "core/project/project.h"
#include "core/rig/setup_tick.h"
#include "core/run/device_factory.h"

namespace hyb {

/// The project's hardware, opened without a test: live values, zeroing, slow motion, wiring check (setup_tick.h). Its
/// own thread talks to the device at the rate of the loop. No member waits for the device, except the destructor. At
/// every end the device has been told to go to its safe state.
class RigSetup {
 public:
  enum class State : std::uint8_t { opening, open, closed };

  /// Starts to connect. Throws InputError if the project names no hardware that `devices` can make.
  RigSetup(const Project& project, const DeviceFactory& devices, Clock& clock = systemClock());
  ~RigSetup();
  /// Ends the current action and disconnects, also while connecting. closed() tells when this is done.
  void close() noexcept { closing_.store(true, std::memory_order_release); }

  State state() const noexcept { return state_.load(std::memory_order_acquire); }
  const std::vector<ChannelSpec>& channels() const noexcept { return channels_; }
  const SensorMap& sensors() const noexcept { return sensors_; }  // empty: one sensor for each interface
  std::string description() const;                                // of the device, once it is open
  std::string failure() const;                                    // reason why it could not be opened; otherwise ""
  SetupView view() const;                                         // updated about 20 times a second
  const LinkFigures& link() const noexcept { return device_->link(); }

  void zero(std::vector<std::size_t> channels, std::size_t readings);
  void jog(int interface, double speed_m_per_s, const JogLimits& limits);
  void release();
  void checkWiring(double amplitude_m, const JogLimits& limits);
  /// Safe state at once. The device stays connected for reading until it is closed.
  void stop(const std::string& reason);

 private:
  using Order = std::function<void(SetupTick&)>;
  void post(Order order);
  void work(Clock& clock);
  void serve(Clock& clock);

  SensorMap sensors_;
  std::vector<ChannelSpec> channels_;
  double rate_hz_;
  std::unique_ptr<Device> device_;
  std::atomic<State> state_{State::opening};
  std::atomic<bool> closing_{false};
  mutable std::mutex mutex_;  // guards the members below
  std::vector<Order> orders_;
  SetupView view_;
  std::string description_, failure_;
  std::thread thread_;
};

}  // namespace hyb
