#pragma once
#include <QAbstractButton>
#include <QLabel>
#include <QTimer>
#include <QWidget>

#include "core/rig/rig_spec.h"
#include "core/tick/event.h"

class QButtonGroup;
class QHBoxLayout;
class QPushButton;

namespace hyb::ui {

class NoticeBar;
class VerdictStrip;

/// State of the test as word, shape and colour.
class StateChip : public QWidget {
  Q_OBJECT
 public:
  explicit StateChip(QWidget* parent = nullptr);
  void setState(State state);
  State state() const { return state_; }
  static QString word(State state);
  /// The rig is connected for its set-up: shown in place of the state.
  /// `word` replaces SET-UP where the connected rig has stopped or is silent.
  void setSetUp(bool on, const QString& word = {});
  /// The test waits for the program that leads it: shown as the word of the state.
  void setWaiting(bool on);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void say();
  QString shown() const;

  State state_ = State::ready;
  bool set_up_ = false, waiting_ = false;
  QString set_up_word_;
};

/// Dark grey with white text and an octagon: a software stop must not look like an emergency stop.
class StopButton : public QAbstractButton {
  Q_OBJECT
 public:
  explicit StopButton(QWidget* parent = nullptr);
  QSize sizeHint() const override { return {112, 40}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;
};

/// Shows whether hardware moves. Nobody may mistake a rig for a twin, even from a distance. A real rig is inverted with
/// a thick border, its shadow has a thick dashed border, the twin has a thin border.
class ModeChip : public QLabel {
  Q_OBJECT
 public:
  explicit ModeChip(QWidget* parent = nullptr);
  void setRigUse(RigUse use);
  RigUse rigUse() const { return use_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  RigUse use_ = RigUse::twin;
};

/// The same 48 px on top of every workspace: workspaces, mode, state, progress, STOP. Notices appear below them: why
/// the last test tripped, what closing the window would do, and the verdict on the test that ended. State and STOP stay
/// whole at every width; all other parts shrink or hide.
class HeaderBar : public QWidget {
  Q_OBJECT
 public:
  explicit HeaderBar(const QStringList& workspaces, QWidget* parent = nullptr);
  void setWorkspace(int index);
  void setState(State state);
  /// While the rig is connected for its set-up, the chip shows that in place of the state.
  void setWaiting(bool on);
  void setSetUp(bool on, const QString& word = {});
  /// Whether hardware moves; a band along the whole window shows it too.
  void setRigUse(RigUse use);
  /// Why the test tripped; shown in full below, with Reset in the state fault. Empty: no trip.
  void setFaultReason(const QString& reason);
  void setProgress(double elapsed_s, std::uint64_t late_ticks, std::uint64_t missed_periods,
                   std::uint64_t recorded_bytes);
  /// Asks below the header; empty: withdraws the question.
  void askToClose(const QString& question);
  bool askingToClose() const;
  /// Another program has changed the project's file. Empty: withdraws the notice. `reload`: the file may be opened now.
  void askForDisk(const QString& question, bool reload);
  bool askingForDisk() const;
  /// The verdict on the test that ended.
  VerdictStrip* verdict() { return verdict_; }

 Q_SIGNALS:
  void workspaceChosen(int index);
  void stopClicked();
  void resetClicked();
  void closeConfirmed();
  void reloadWanted();
  void overwriteWanted();

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();
  int saved() const;
  bool tight_ = false;

  QButtonGroup* tabs_;
  ModeChip* mode_;
  StateChip* chip_;
  QLabel *name_, *elapsed_, *late_, *recorded_;
  QHBoxLayout* row_;
  NoticeBar *fault_, *closing_, *disk_;
  VerdictStrip* verdict_;
  QWidget* reset_;
  QPushButton* reload_;
  QTimer closing_patience_;
};

}  // namespace hyb::ui
