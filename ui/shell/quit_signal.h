#pragma once
#include <QObject>

class QSocketNotifier;

namespace hyb::ui {

/// Turns SIGINT, SIGTERM and SIGHUP into a Qt signal, so that the window can first end a running test in its safe
/// state. At most one object at a time; its destructor restores the old handlers.
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
