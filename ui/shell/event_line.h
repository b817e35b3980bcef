#pragma once
#include <QWidget>

#include "core/loop/realtime.h"
#include "core/tick/event.h"

class QLabel;
class QPushButton;
class QTreeWidget;

namespace hyb::ui {

/// The list of everything that happened since the program started; the newest 5000 entries.
class EventLog : public QWidget {
  Q_OBJECT
 public:
  explicit EventLog(QWidget* parent = nullptr);
  /// `tick` is empty for an event outside a test.
  void append(const QString& time, const QString& tick, Severity severity, const QString& message);
  int count() const;

 private:
  QTreeWidget* list_;
};

/// Bottom of the window: the newest event, the number of unread events, and the real-time rights of the run.
class EventLine : public QWidget {
  Q_OBJECT
 public:
  explicit EventLine(QWidget* parent = nullptr);
  void show(const QString& time, const QString& tick, Severity severity, const QString& message);
  /// Keeps this text in full view, whatever events follow: the reason of a trip until it is reset. Empty: shows the
  /// newest event again.
  void pin(const QString& message);
  void setUnread(int count);
  int unread() const { return unread_; }
  /// Text of TestRun::realtime().
  void setRealtime(Realtime state, const QString& summary);
  QString text() const;  // as shown

 Q_SIGNALS:
  void logWanted();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void elide();
  void showIcon();
  Severity severity_ = Severity::info;
  int unread_ = 0;
  QString newest_, pinned_;
  QLabel *icon_, *message_, *realtime_;
  QPushButton* log_;
};

}  // namespace hyb::ui
