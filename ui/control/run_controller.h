#pragma once
#include <QObject>
#include <QString>
#include <QTimer>
#include <chrono>
#include <future>
#include <memory>
#include <optional>

#include "core/run/test_run.h"

namespace hyb::ui {

/// The only test of the window: owns the TestRun and turns its state into signals. Never blocks the GUI thread.
class RunController : public QObject {
  Q_OBJECT
 public:
  /// `devices` makes the hardware of projects that run on a rig, `programs` serves the program that leads a test;
  /// either may be empty.
  explicit RunController(DeviceFactory devices = {}, SiteFactory programs = {}, QObject* parent = nullptr);
  ~RunController() override;

  /// Ready (no test, or ended) -> armed. Builds, opens rig and file. A project on its twin is armed on return. Hardware
  /// is first opened in the background (state disconnected), and STOP then ends it before any motion. False, or later
  /// no armed(): failed() gives the reason.
  bool arm(const Project& project, const RunOptions& options);
  void start();
  void hold();
  void resume();
  void requestStop();  // always allowed; first ramps, a second request stops at once
  void resetFault();

  State state() const;   // State::ready when there is no test; State::stopping until the file is closed
  bool opening() const;  // hardware is being opened: there is no run yet that takes requests
  bool active() const;   // opening, armed, running, holding or stopping, or its file is being closed
  bool closing() const;  // the loop has ended, the file is being closed: the run takes no more requests
  /// How long an armed test waits for Run before it disarms itself.
  void setArmedFor(std::chrono::seconds time) { armed_for_ = time; }
  /// The test is led by a program that is not connected. It stands until then.
  bool waitsForProgram() const;
  int armedSecondsLeft() const;  // until an armed test disarms itself; 0 when not armed
  /// File that this program is recording into now; empty: none. It must not be opened for reading meanwhile. The name
  /// is set before the file exists. So a caller on any thread that asks here before it opens a file never opens this
  /// one.
  static QString recordingFile();
  TestRun* run();  // null when there is none; kept after the end until the next arm()
  const TestRun* run() const;
  std::optional<RunResult> result() const;  // of the last ended test

 Q_SIGNALS:
  void stateChanged(hyb::State state);
  void armed(hyb::TestRun* run);  // views attach to layout and rings here
  void eventArrived(const hyb::Event& event, const QString& message);
  void noticed(hyb::Severity severity, const QString& sentence);  // message without an event of the loop
  void polled();                                                  // at display rate while active: drain the rings
  void ended(const hyb::RunResult& result);                       // file is closed
  void failed(const QString& message);

 private:
  void poll();
  void pollOpening();
  void adopt(std::unique_ptr<TestRun> run);
  void announceState();
  void tellOfFile();
  DeviceFactory devices_;
  SiteFactory programs_;
  std::unique_ptr<TestRun> run_;
  std::future<std::unique_ptr<TestRun>> opening_;
  bool stop_wanted_ = false;  // while opening
  std::optional<RunResult> result_;
  std::future<RunResult> finishing_;
  State last_state_ = State::ready;
  bool under_way_ = false;  // from arming until the file is closed
  std::chrono::steady_clock::time_point armed_at_;
  std::chrono::seconds armed_for_{60};
  QTimer timer_;
};

}  // namespace hyb::ui
