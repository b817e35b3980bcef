#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/rig/device_channels.h"
#include "core/rig/wiring.h"
#include "core/structure/interface_map.h"

namespace hyb {

/// Limits of motion by hand before the first test. Travel is relative to the position of each actuator at the start of
/// the first motion.
struct JogLimits {
  double speed_m_per_s = 0.001;
  double travel_m = 0.005;
  double force_n = 100.0;  // any force sensor
};

enum class SetupActivity : std::uint8_t { watching, zeroing, jogging, checking, stopped };

/// Scaled values without tare: [channel], m or N; 0 for channels that were not selected.
struct ZeroResult {
  std::vector<std::size_t> channels;
  std::vector<double> mean, scatter;  // scatter: standard deviation of one reading
};

/// State of the set-up.
struct SetupView {
  SetupActivity activity = SetupActivity::watching;
  std::string problem;              // why it stopped, or why the last request was refused; "" if there is no problem
  std::vector<double> raw, scaled;  // [channel], mean since the last view; outputs: the last sent value; NaN: unknown
  std::vector<double> command_m;    // [interface]; empty until the first motion
  RigStatus status = RigStatus::stale;
  std::uint32_t device_status = 0;
  std::vector<std::string> interlocks_open;
  std::uint64_t readings = 0;                        // new readings since the device was opened
  double progress = 0.0;                             // of zeroing and checking, 0..1
  int zeroings = 0, checks = 0;                      // number of finished ones
  std::optional<ZeroResult> zero;                    // of the last zeroing
  std::optional<std::vector<WiringFinding>> wiring;  // of the last check
};

/// Tare that makes each zeroed channel read 0 at its present position; [channel]. The command of an axis with zeroed
/// displacement changes with it, so that the actuator keeps its position. `sensors`: the displacement channels are
/// those of sensors; empty: one for each interface.
std::vector<double> taresAfter(const ZeroResult& zero, const std::vector<ChannelSpec>& channels,
                               const SensorMap& sensors = {});

/// Set-up of a rig, period by period: monitors the channels, averages for the tare, moves one actuator slowly on
/// request, moves each a little to determine which sensor responds. No command is sent before the first motion; from
/// then on the actuators are held in position. Any fault while commands are sent (travel, force, interlock, link, no
/// new readings) puts the device into its safe state permanently. Time is counted in periods; one controlling thread.
class SetupTick {
 public:
  /// `device` must be open and outlive this. Interfaces are numbered from 1 to the largest of the channels. `sensors`:
  /// displacement channels are sensors, and the motion of an interface is S^+ y; empty: one for each interface.
  SetupTick(Device& device, std::vector<ChannelSpec> channels, double rate_hz, SensorMap sensors = {});

  void tick(std::int64_t elapsed);

  /// Mean and scatter of these channels over this number of new readings.
  void zero(std::vector<std::size_t> channels, std::size_t readings);
  /// Moves the actuator of the interface as long as this is called at least every kRenewal_s.
  void jog(int interface, double speed_m_per_s, const JogLimits& limits);
  void release();  // ends jogging and checking; the actuators hold their position
  /// Moves each actuator by the amplitude and back; the result is in view().wiring.
  void checkWiring(double amplitude_m, const JogLimits& limits);
  /// Safe state, permanent.
  void stop(const std::string& reason);

  /// Current state; restarts the means.
  SetupView takeView();
  static constexpr double kRenewal_s = 0.3;

 private:
  struct Mean {
    double sum = 0.0, squares = 0.0, first = 0.0;
    std::size_t count = 0;
    void add(double value);
    double mean() const;
    double deviation() const;  // of a single value
  };
  enum class Phase : std::uint8_t { rest, baseline, out, settle, answer, back };

  bool holding() const { return !command_.empty(); }
  std::string hold();  // holds the positions of the actuators; why not, or ""
  bool beginMotion(const JogLimits& limits);
  bool ready() const;
  std::string said() const;  // reason of the device against commands, after "The device"
  void refuse(const std::string& why);
  void readInputs();
  void watch();
  void averageZero();
  void driveJog(double step_s);
  void driveCheck(double step_s);
  void nextPhase(Phase phase);
  bool approach(std::size_t interface, double goal_m, double speed_m_per_s, double step_s);
  void finishMove();
  void send();
  double displacement(std::size_t interface) const;
  bool reconstructs() const { return sensors_.from_readings.size() > 0; }
  void watchReconstructed();

  Device& device_;
  std::vector<ChannelSpec> channels_;
  SensorMap sensors_;
  std::vector<std::size_t> inputs_, outputs_;  // channel of each value of the device
  double rate_hz_;
  std::size_t interfaces_ = 0;
  std::vector<double> raw_in_, raw_out_, scaled_;
  std::vector<Mean> shown_raw_, shown_, average_;  // [channel]
  SetupView view_;
  bool fresh_ = false;
  std::uint64_t tick_ = 0;
  double now_s_ = 0.0, last_fresh_s_ = 0.0;

  JogLimits limits_;                           // of the last motion
  std::vector<double> command_, rate_, home_;  // [interface]; empty until commands are sent
  std::vector<double> home_reading_;           // [channel], when the first motion began
  int jogged_ = 0;
  double jog_speed_ = 0.0, jog_until_s_ = 0.0;

  std::size_t zero_wanted_ = 0;
  double zero_until_s_ = 0.0;
  std::vector<std::size_t> zero_channels_;

  Phase phase_ = Phase::rest;
  std::size_t checked_ = 0;  // interface being moved, from 0
  double base_m_ = 0.0;      // its command before the move
  double amplitude_m_ = 0.0, phase_until_s_ = 0.0;
  std::vector<Mean> before_;
  std::vector<WiringMove> moves_;
};

}  // namespace hyb
