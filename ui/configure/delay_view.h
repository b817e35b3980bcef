#pragma once
#include <QWidget>
#include <optional>

#include "ui/base/latest_task.h"
#include "ui/configure/delay_figures.h"

class QLabel;

namespace hyb::ui {

/// Critical delay of the cut against the parts of the loop's own delay, shown beside the partition. Computed in the
/// background after each valid edit; outdated results are dropped.
class DelayView : public QWidget {
  Q_OBJECT
 public:
  explicit DelayView(QWidget* parent = nullptr);
  void setProject(const Project& project);
  /// Clears the figures after another project was opened.
  void forget();
  /// The project has errors: the figures shown belong to an older state.
  void setStale(bool stale);
  const std::optional<DelayFigures>& figures() const { return figures_; }
  QString verdict() const;
  QString details() const;  // figures below the bar

 Q_SIGNALS:
  void updated();  // figures()
  void outdated();

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  class Bar;
  void show(const DelayFigures& figures);
  void describe();
  void fit();  ///< a splitter ignores the height that wrapped text needs

  std::optional<DelayFigures> figures_;
  QLabel* icon_;
  QLabel* headline_;
  QLabel* verdict_;
  QLabel* details_;
  Bar* bar_;
  std::optional<DiscreteStability> tick_;  // stability of the shown figures, once computed
  LatestTask task_, tick_task_;
};

}  // namespace hyb::ui
