#pragma once
#include <QWidget>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/study/study_file.h"
#include "ui/base/latest_task.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace hyb::ui {

class PageTabs;
class PlotPanel;
class ScatterPlot;
class StatisticsTable;
class StudyCurves;
class StudyTableModel;

/// The result of a study: any figure over any varied value, or an overlay of the curves of its runs, the table of
/// all runs, and the statistics of the figures. One chosen run is highlighted among the curves; several chosen runs
/// show only their curves.
class StudyResults : public QWidget {
  Q_OBJECT
 public:
  explicit StudyResults(QWidget* parent = nullptr);
  /// `file`: source of the curves, empty: no curves; `folder`: base of relative paths of its project.
  void show(StudyTable table, const std::filesystem::path& file = {}, const std::filesystem::path& folder = {});
  const StudyTable& table() const;
  /// Reason why the chosen run cannot be opened; empty: it can.
  void setOpenBlocked(const QString& reason);
  ScatterPlot* plot() const { return plot_; }
  ScatterPlot* phasePlot() const { return phase_; }

 Q_SIGNALS:
  void openRequested(std::size_t run);
  void curvesReady();  // or no curves exist

 private:
  void readCurves(const std::filesystem::path& file, const std::filesystem::path& folder, bool keep);
  void fillFigures();
  void replot();
  void plotFigure(std::size_t figure);
  void plotCurves(std::size_t kind);
  void select(std::size_t run);
  void followSelection();
  std::vector<std::size_t> selectedRuns() const;  // ascending
  std::vector<std::size_t> curvedRuns() const;    // runs with shown curves
  std::optional<std::size_t> curveKind() const;   // chosen kind
  std::optional<std::size_t> selectedRun() const;
  void updateOpen();

  StudyTableModel* model_;
  QSortFilterProxyModel* sorted_;
  QTableView* view_;
  ScatterPlot *plot_, *phase_;
  PlotPanel *panel_, *phase_panel_;
  QComboBox *x_, *y_, *group_;
  QLabel* over_ = nullptr;
  PageTabs* tables_;
  StatisticsTable* statistics_;
  QPushButton* open_;
  QString blocked_;
  std::shared_ptr<const StudyCurves> curves_;  // null: not read, or none
  std::vector<std::size_t> curved_;            // runs in view
  LatestTask reading_;                         // last member: its worker ends before the data it uses
};

}  // namespace hyb::ui
