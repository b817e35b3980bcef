#pragma once
#include <QWidget>
#include <memory>

#include "core/base/json_fwd.h"
#include "ui/plot/run_history.h"
#include "ui/plot/trial_list.h"

class QLabel;
class QPushButton;
class QTableWidget;

namespace hyb::ui {

class ConvergencePlot;
class PlotPanel;
class TrialCurves;
class TrialsPlot;

/// Trials of a test: their error as a plot, a row for each, and a sentence on each rule that ends them.
class TrialsView : public QWidget {
  Q_OBJECT
 public:
  explicit TrialsView(QWidget* parent = nullptr);
  /// Trials of a test that goes on, of one to come (no rows yet), or `over` of one that has ended.
  void showTrials(TrialList trials, bool over);
  /// Rows of the test, out of which trials are laid over each other; null: none.
  void setRun(std::shared_ptr<const RunHistory> run);
  /// Whether what is learnt makes the error fall, before the first trial: learningReport() of the test.
  void showCondition(const Json& learning);
  /// So many more are done, a row each.
  void append(std::vector<std::vector<double>> rows);
  /// Trial under way; 0: none.
  void setRunning(int trial);
  /// The test has ended.
  void end();
  /// What this trial began with was put back.
  void setRestored(int trial);
  const TrialList& trials() const noexcept { return trials_; }
  /// Enter or a double click on a row opens its trial, and a test can begin with what one began with.
  void opensTrials();

 Q_SIGNALS:
  void trialOpened(double from_s, double to_s);
  /// The next test is to begin with what this trial began with.
  void beginRequested(int trial);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void fillHeader();
  void addRow(std::size_t row);
  void mark(std::size_t row);
  void markFrom(std::size_t first);
  void say();
  QString rowMeaning(std::size_t row) const;
  std::vector<std::size_t> chosenRows() const;
  void choose();
  std::optional<std::size_t> rowToBeginWith() const;

  TrialList trials_;
  std::optional<std::size_t> best_;  // row that is marked as such
  int running_ = 0, restored_ = 0;
  bool over_ = false, opens_ = false;
  QLabel* rules_;
  TrialsPlot* plot_;
  PlotPanel* panel_;
  ConvergencePlot* condition_;
  PlotPanel* condition_panel_;
  std::shared_ptr<const RunHistory> run_;
  TrialCurves* curves_;
  PlotPanel* curves_panel_;
  QTableWidget* table_;
  QPushButton* begin_;
};

}  // namespace hyb::ui
