#pragma once
#include <QMainWindow>
#include <QTimer>
#include <memory>
#include <optional>
#include <string>

#include "core/rig/rig_spec.h"
#include "ui/base/theme.h"
#include "ui/control/hardware_access.h"
#include "ui/control/run_controller.h"

class QStackedWidget;

namespace hyb::ui {

class AnalyseWorkspace;
class ConfigureWorkspace;
class EnterFilter;
class EventLine;
class EventLog;
class FidelityWorkspace;
class HeaderBar;
class HelpWindow;
class InputGuard;
class PlainTextGuard;
class ProjectDocument;
class RigWorkspace;
class RunWorkspace;
class StopFilter;

/// The workspaces in the order of the header and of Ctrl+1, 2, ...; their names stand in MainWindow::rooms().
enum class Room { configure, rig, run, analyse, fidelity };

/// The main window: header with STOP, workspaces, event line. It owns the project and the test.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(const HardwareAccess& hardware = {}, QWidget* parent = nullptr);
  ~MainWindow() override;

  /// Opens a file or a template. False: it failed; event line and a message say why.
  bool open(const std::string& file_or_template);
  /// Opens a run file in Analyse.
  void openRun(const QString& file);
  void showWorkspace(Room room);
  Room workspace() const;
  static QStringList rooms();  // names with their mnemonics, in the order of Room
  void setTheme(ThemeChoice choice);
  /// Ends a running test in its safe state, then closes without asking about unsaved changes.
  void quitWhenSafe();

  ProjectDocument* document() { return document_; }
  RunController* controller() { return controller_; }
  ConfigureWorkspace* configure() { return configure_; }
  FidelityWorkspace* fidelity() { return fidelity_; }
  RigWorkspace* rig() { return rig_; }
  EventLine* eventLine() { return event_line_; }

 protected:
  void closeEvent(QCloseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QString helpPage() const;
  void makeMenus();
  void connectTest();
  void connectFidelity();
  void connectRig();
  bool moving() const;        // a test is active, or a campaign, or the rig is connected
  QString whatMoves() const;  // in one sentence; empty: nothing
  void stop();                // stops test, campaign or rig
  void showState(State state);
  void updateProgress();
  void showProgress(std::uint64_t ticks);  // since Run
  void updateActivity();                   // enables and blocks by what is active: test, campaign, rig set-up
  void showSetUp();
  void updateArm();
  RigUse chosenUse() const;
  void closeIfWanted();
  void updateTitle();
  void announce(Severity severity, const QString& message, const QString& tick = {});
  void report(const QString& what, const std::exception& error);
  void setLogVisible(bool visible);
  void newProject();
  void newStudy();
  void chooseRecord();
  void chooseProject();
  bool save();   // asks if the file has changed since
  bool write();  // overwrites the file without asking
  void lookAtDisk();
  bool saveAs();
  bool mayDiscard();  // asks if changes would be lost
  bool mayDiscardStudy();

  std::optional<StyledAtTheEnd> unstyled_{std::in_place};  // while the window is made
  InputGuard* input_guard_;  // before the guarded widgets: a widget may be polished while it is made
  PlainTextGuard* plain_text_guard_;
  ProjectDocument* document_;
  RunController* controller_;
  HeaderBar* header_;
  QStackedWidget* stack_;
  ConfigureWorkspace* configure_;
  RigWorkspace* rig_;
  RunWorkspace* run_;
  AnalyseWorkspace* analyse_;
  FidelityWorkspace* fidelity_;
  EventLog* log_;
  EventLine* event_line_;
  HelpWindow* help_ = nullptr;
  StopFilter* stop_filter_;
  EnterFilter* enter_filter_;
  QList<QAction*> history_, files_;  // undo and redo; new, open, recent, save, save as
  QAction* log_action_ = nullptr;
  QTimer progress_;
  ThemeChoice theme_ = ThemeChoice::followSystem;
  State last_state_ = State::ready;
  std::optional<std::uint64_t> run_from_tick_;  // from the loop's event: a free run is far ahead of the window
  QString fault_reason_;                        // of the last test
  bool checked_ = false;                        // the newest edit has been checked
  bool close_when_safe_ = false;
  bool ask_before_closing_ = true;
};

}  // namespace hyb::ui
