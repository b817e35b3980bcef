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

class PlotPanel;
class ScatterPlot;
class StudyCurves;
class StudyTableModel;

/// The result of a study: any figure over anything that was varied, or the curves that it keeps of its runs laid over
/// one another, and the table of all runs. The chosen run stands out among the curves; several show theirs alone.
class StudyResults : public QWidget {
  Q_OBJECT
 public:
  explicit StudyResults(QWidget* parent = nullptr);
  /// `file`: for the curves, none: they are not known; `folder`: where relative paths of its project start.
  void show(StudyTable table, const std::filesystem::path& file = {}, const std::filesystem::path& folder = {});
  const StudyTable& table() const;
  /// Empty: the chosen run can be opened; else why not.
  void setOpenBlocked(const QString& reason);
  ScatterPlot* plot() const { return plot_; }
  ScatterPlot* phasePlot() const { return phase_; }

 Q_SIGNALS:
  void openRequested(std::size_t run);
  void curvesReady();  // or known that there are none

 private:
  void readCurves(const std::filesystem::path& file, const std::filesystem::path& folder, bool keep);
  void fillFigures();
  void replot();
  void plotFigure(std::size_t figure);
  void plotCurves(std::size_t kind);
  void select(std::size_t run);
  void followSelection();
  std::vector<std::size_t> selectedRuns() const;  // ascending
  std::vector<std::size_t> curvedRuns() const;    // of which curves are shown
  std::optional<std::size_t> curveKind() const;   // that is chosen
  std::optional<std::size_t> selectedRun() const;
  void updateOpen();

  StudyTableModel* model_;
  QSortFilterProxyModel* sorted_;
  QTableView* view_;
  ScatterPlot *plot_, *phase_;
  PlotPanel *panel_, *phase_panel_;
  QComboBox *x_, *y_, *group_;
  QLabel* over_ = nullptr;
  QPushButton* open_;
  QString blocked_;
  std::shared_ptr<const StudyCurves> curves_;  // null: not read yet, or none
  std::vector<std::size_t> curved_;            // runs in view
  LatestTask reading_;                         // last: its worker ends before what it uses
};

}  // namespace hyb::ui
