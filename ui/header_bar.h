#pragma once
#include <QAbstractButton>
#include <QWidget>

#include "core/loop/event.h"
#include "core/project/rig_spec.h"

class QButtonGroup;
class QLabel;
class QPushButton;

namespace hyb::ui {

/// State of the test in word, shape and colour.
class StateChip : public QWidget {
  Q_OBJECT
 public:
  explicit StateChip(QWidget* parent = nullptr);
  void setState(State state);
  State state() const { return state_; }
  static QString word(State state);
  /// The rig is connected for its set-up: shown in place of the state.
  void setSetUp(bool on);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void say();
  QString shown() const;

  State state_ = State::ready;
  bool set_up_ = false;
};

/// Dark grey with white text and an octagon: stops by software and must not look like an emergency stop.
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

/// The same 48 px on top of every workspace: workspaces, mode, state, progress, STOP.
class HeaderBar : public QWidget {
  Q_OBJECT
 public:
  explicit HeaderBar(const QStringList& workspaces, QWidget* parent = nullptr);
  void setWorkspace(int index);
  void setState(State state);
  /// Whether the rig is connected for its set-up; the chip then says so in place of the state.
  void setSetUp(bool on);
  /// Whether real things move.
  void setRigUse(RigUse use);
  /// Why the test is in state fault; shown beside the chip, with Reset.
  void setFaultReason(const QString& reason);
  void setProgress(double elapsed_s, std::uint64_t late_ticks, std::uint64_t recorded_bytes);

 Q_SIGNALS:
  void workspaceChosen(int index);
  void stopClicked();
  void resetClicked();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QButtonGroup* tabs_;
  StateChip* chip_;
  QLabel *mode_, *reason_, *elapsed_, *late_, *recorded_;
  QPushButton* reset_;
};

}  // namespace hyb::ui
