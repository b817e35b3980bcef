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

/// The list before a test: each item with its state in a mark and a sentence, the failed ones first and whole. Where
/// the operator has to answer for them, each failed line waits for its acknowledgement; what changes for the worse
/// waits again.
class PreflightList : public QWidget {
  Q_OBJECT
 public:
  enum class Waits { never, for_failed, for_warnings };  // for_warnings: for failed ones and for those, too
  explicit PreflightList(QWidget* parent = nullptr);
  void show(const std::vector<PreflightItem>& items);
  void setWaits(Waits waits);
  /// Forgets what was acknowledged: another test.
  void begin();
  /// Lines that are not acknowledged yet.
  int waiting() const;
  /// Names of the lines that were.
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
