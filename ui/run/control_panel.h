#pragma once
#include <QFrame>
#include <filesystem>

#include "core/project/project.h"
#include "core/run/test_run.h"
#include "ui/base/widgets.h"

class QAction;
class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace hyb::ui {

class ConfirmButton;

/// Run control: buttons in the order of a test, settings of the test, progress, and the operator's notes.
class ControlPanel : public Panel {
  Q_OBJECT
 public:
  struct Actions {
    QAction *arm, *run, *hold, *reset, *note;
  };
  ControlPanel(const Actions& actions, QWidget* parent = nullptr);
  void setProject(const Project& project);
  /// closing: the loop has ended, its file is being closed.
  void setState(State state, bool closing);
  void setTime(double elapsed_s, double duration_s);
  /// Where a program that leads connects to, and whether it is there; hidden without an address.
  void setProgram(const QString& address, bool connected);
  void setForceSource(ForceSource source);
  Pace pace() const;
  bool recording() const;
  /// Offers a start for the next test (a trial or a stopped sweep) as a check box. Empty: no offer.
  void offerStart(const QString& text, const QString& tip, bool ticked = false);
  bool takesStart() const;
  /// File for a test that is armed now; creates the folder. Throws DeviceError if that fails.
  std::filesystem::path makeFile() const;
  /// Reason why Arm is blocked; empty: Arm is enabled.
  void setHeld(const QString& reason);
  /// Shows a message; an error is coloured and announced.
  void say(const QString& text, bool error = false);
  /// File that can be opened in Analyse; empty: none.
  void offerFile(const QString& file);
  void focusNote(std::uint64_t tick);

  /// The panel sets minimumHeight() for its message, because column layouts treat heightForWidth() as a mere
  /// preference.
  bool hasHeightForWidth() const override { return false; }

 Q_SIGNALS:
  void forceSourceChosen(hyb::ForceSource source);
  void noteEntered(const QString& text);
  void openRequested(const QString& file);

 protected:
  bool event(QEvent* event) override;

 private:
  void updatePreview();
  void showForceSource();

  std::filesystem::path folder_;
  QString title_;
  QLabel *elapsed_, *duration_, *preview_, *held_, *message_;
  QProgressBar* progress_;
  QLabel *program_, *program_label_;
  QLabel* force_;
  ConfirmButton* switch_force_;
  QComboBox* pace_;
  QCheckBox *record_, *begin_with_;
  QLineEdit* note_;
  QPushButton* open_;
  QString file_;
  std::uint64_t note_tick_ = 0;
  bool noting_ = false;
  ForceSource source_ = ForceSource::measured;
};

}  // namespace hyb::ui
