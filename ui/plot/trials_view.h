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

/// Trials of a test: plot of their error, a row for each, and a sentence on each rule that ends them.
class TrialsView : public QWidget {
  Q_OBJECT
 public:
  explicit TrialsView(QWidget* parent = nullptr);
  /// Trials of a running test, of one to come (no rows yet), or of an ended one (`over`).
  void showTrials(TrialList trials, bool over);
  /// Rows of the test for the overlay of trials; null: none.
  void setRun(std::shared_ptr<const RunHistory> run);
  /// Shows before the first trial whether learning reduces the error: learningReport() of the test.
  void showCondition(const Json& learning);
  /// Sentence on the scatter of the trials; empty: none.
  void showRepeatability(const QString& sentence);
  /// Appends finished trials, one row each.
  void append(std::vector<std::vector<double>> rows);
  /// Running trial; 0: none.
  void setRunning(int trial);
  /// The test has ended.
  void end();
  /// The initial state of this trial was restored.
  void setRestored(int trial);
  const TrialList& trials() const noexcept { return trials_; }
  /// Enter or a double click on a row opens its trial, and a test can start from the initial state of a trial.
  void opensTrials();

 Q_SIGNALS:
  void trialOpened(double from_s, double to_s);
  /// The next test is to start from the initial state of this trial.
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
  std::optional<std::size_t> best_;  // marked row
  int running_ = 0, restored_ = 0;
  bool over_ = false, opens_ = false;
  QString repeatability_;
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
