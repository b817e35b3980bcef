#pragma once
#include <QWidget>
#include <optional>

#include "core/study/study_file.h"

class QComboBox;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace hyb::ui {

class PlotPanel;
class ScatterPlot;
class StudyTableModel;

/// The result of a study: any figure over anything that was varied, and the table of all runs.
class StudyResults : public QWidget {
  Q_OBJECT
 public:
  explicit StudyResults(QWidget* parent = nullptr);
  void show(StudyTable table);
  const StudyTable& table() const;
  /// Empty: the chosen run can be opened; else why not.
  void setOpenBlocked(const QString& reason);
  ScatterPlot* plot() const { return plot_; }

 Q_SIGNALS:
  void openRequested(std::size_t run);

 private:
  void replot();
  std::optional<std::size_t> selectedRun() const;
  void updateOpen();

  StudyTableModel* model_;
  QSortFilterProxyModel* sorted_;
  QTableView* view_;
  ScatterPlot* plot_;
  PlotPanel* panel_;
  QComboBox *x_, *y_, *group_;
  QPushButton* open_;
  QString blocked_;
};

}  // namespace hyb::ui
