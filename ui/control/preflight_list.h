#pragma once
#include <QWidget>
#include <set>
#include <string>
#include <vector>

#include "core/assess/preflight.h"

class QGridLayout;
class QLabel;
class QPushButton;

namespace hyb::ui {

/// The pre-flight list: each item with a mark and a sentence; failed items first and in full. Each failed line can
/// require an acknowledgement; an item that gets worse requires it again.
class PreflightList : public QWidget {
  Q_OBJECT
 public:
  enum class Waits { never, for_failed, for_warnings };  // for_warnings: for failed items and warnings
  explicit PreflightList(QWidget* parent = nullptr);
  void show(const std::vector<PreflightItem>& items);
  void setWaits(Waits waits);
  /// Clears the acknowledgements for a new test.
  void begin();
  /// Number of lines without acknowledgement.
  int waiting() const;
  /// Names of acknowledged lines.
  QStringList acknowledged() const;

 Q_SIGNALS:
  void waitingChanged();

 private:
  struct Line {
    QLabel *mark, *text;
    QPushButton* acknowledge;
  };
  bool waitsFor(const PreflightItem& item) const;
  void refresh();
  void addLine();

  QGridLayout* grid_;
  std::vector<Line> lines_;
  std::vector<PreflightItem> items_;  // as shown
  std::set<std::pair<std::string, CheckState>> acknowledged_;
  Waits waits_ = Waits::never;
};

}  // namespace hyb::ui
