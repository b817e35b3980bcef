#pragma once
#include <QObject>

class QSocketNotifier;

namespace hyb::ui {

/// Ctrl-C, a kill or the end of the login (SIGINT, SIGTERM, SIGHUP) as a Qt signal, so that the window can end a
/// running test in its safe state first. One at a time; the old handlers come back with its destruction.
class QuitSignal : public QObject {
  Q_OBJECT
 public:
  explicit QuitSignal(QObject* parent = nullptr);
  ~QuitSignal() override;

 Q_SIGNALS:
  void received();

 private:
  QSocketNotifier* notifier_;
};

}  // namespace hyb::ui
