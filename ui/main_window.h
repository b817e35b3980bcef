#pragma once
#include <QMainWindow>
#include <QTimer>
#include <memory>
#include <string>

#include "ui/run/run_controller.h"
#include "ui/theme.h"

class QStackedWidget;

namespace hyb::ui {

class AnalyseWorkspace;
class ConfigureWorkspace;
class EventLine;
class EventLog;
class HeaderBar;
class HelpWindow;
class ProjectDocument;
class RunWorkspace;
class StopFilter;

/// The window: header with STOP, the workspaces, the event line; owns the project and the one test.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(QWidget* parent = nullptr);
  ~MainWindow() override;

  /// Opens a file or a template. False: the event line and a message beside the window say why not.
  bool open(const std::string& file_or_template);
  void showWorkspace(int index);  // 0 Configure, 1 Run, 2 Analyse
  int workspace() const;
  void setTheme(ThemeChoice choice);
  /// Ends a running test in its safe state, then closes without asking about unsaved changes.
  void quitWhenSafe();

  ProjectDocument* document() { return document_; }
  RunController* controller() { return controller_; }
  ConfigureWorkspace* configure() { return configure_; }
  EventLine* eventLine() { return event_line_; }

 protected:
  void closeEvent(QCloseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void makeMenus();
  void connectTest();
  void showState(State state);
  void updateProgress();
  void updateArm();
  void updateTitle();
  void announce(Severity severity, const QString& message, const QString& tick = {});
  void report(const QString& what, const std::exception& error);
  void setLogVisible(bool visible);
  void newProject();
  void chooseProject();
  bool save();
  bool saveAs();
  bool mayDiscard();  // asks where there is something to lose

  ProjectDocument* document_;
  RunController* controller_;
  HeaderBar* header_;
  QStackedWidget* stack_;
  ConfigureWorkspace* configure_;
  RunWorkspace* run_;
  AnalyseWorkspace* analyse_;
  EventLog* log_;
  EventLine* event_line_;
  HelpWindow* help_ = nullptr;
  StopFilter* stop_filter_;
  QList<QAction*> editing_;  // actions that change the project
  QAction* log_action_ = nullptr;
  QTimer progress_;
  ThemeChoice theme_ = ThemeChoice::followSystem;
  State last_state_ = State::ready;
  std::uint64_t run_from_tick_ = 0;
  QString fault_reason_;
  bool checked_ = false;  // the newest edit has been checked
  bool close_when_safe_ = false;
  bool ask_before_closing_ = true;
};

}  // namespace hyb::ui
