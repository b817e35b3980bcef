#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <memory>

#include "core/assess/rest.h"
#include "core/run/rig_setup.h"

namespace hyb::ui {

/// The window's connection to the rig outside a test: owns the RigSetup and turns its results into signals. It never
/// blocks the GUI thread, except at the end of the program.
class RigSession : public QObject {
  Q_OBJECT
 public:
  enum class State { disconnected, connecting, connected, disconnecting };

  explicit RigSession(DeviceFactory devices, QObject* parent = nullptr);
  ~RigSession() override;

  void connectTo(const Project& project);
  void disconnectRig();  // also while connecting; the rig goes to its safe state
  /// Goes to the safe state at once; the values stay in view. No effect without a connection.
  void stop();

  State state() const { return state_; }
  /// This session may move the device, so a test must wait.
  bool active() const { return state_ != State::disconnected; }
  /// Connected, but the values in view are out of date: the rig has stopped, or no new values have arrived for
  /// kSilent_ms.
  enum class Stale { no, stopped, silent };
  static constexpr qint64 kSilent_ms = 500;
  Stale stale() const;
  /// Age of the last reading.
  double age_s() const { return heard_.isValid() ? 1e-3 * static_cast<double>(heard_.elapsed()) : 0.0; }
  /// Position and force of each axis; none while the values are out of date.
  std::vector<AxisReading> readings(std::size_t axes) const;
  const SetupView& view() const { return view_; }
  const std::vector<ChannelSpec>& channels() const { return channels_; }  // channels at Connect
  const hyb::SensorMap& sensors() const { return sensors_; }  // sensors at Connect; empty: one per interface
  QString description() const;
  const LinkFigures* link() const;  // null when not connected

  void zero(const std::vector<std::size_t>& channels, std::size_t readings);
  /// Moves until release() or until the window stops responding.
  void startJog(int interface, double speed_m_per_s, const JogLimits& limits);
  bool jogging() const { return renewal_.isActive(); }
  void release();  // ends jogging and the wiring check
  void checkWiring(double amplitude_m, const JogLimits& limits);

 Q_SIGNALS:
  void stateChanged();
  void updated();  // view()
  void zeroed(const hyb::ZeroResult& result);
  void wiringChecked(const std::vector<hyb::WiringFinding>& findings);
  /// Message for the operator: why it does not connect, or why it stopped.
  void told(const QString& sentence, bool bad);

 private:
  void poll();
  void enter(State state);

  DeviceFactory devices_;
  std::unique_ptr<RigSetup> setup_;
  std::vector<ChannelSpec> channels_;
  hyb::SensorMap sensors_;
  State state_ = State::disconnected;
  SetupView view_;
  QElapsedTimer heard_;  // since the last new reading
  QTimer poll_, renewal_;
  int jogged_ = 0;
  double jog_speed_ = 0.0;
  JogLimits limits_;
};

}  // namespace hyb::ui
