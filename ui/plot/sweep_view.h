#pragma once
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "core/project/project.h"
#include "ui/base/latest_task.h"
#include "ui/plot/run_history.h"
#include "ui/plot/sweep_list.h"

class QComboBox;
class QLabel;
class QPushButton;
class QStackedLayout;
class QTableWidget;

namespace hyb::ui {

class FrfPlot;
class PlotPanel;
class PointView;

/// A sweep over frequencies: response beside that of the assembled structure, iterations, a row per point, and damping
/// from the peak; an opened point shows its periods.
class SweepView : public QWidget {
  Q_OBJECT
 public:
  explicit SweepView(QWidget* parent = nullptr);
  ~SweepView() override;
  /// A sweep to come (no rows yet; no columns before arming), a running one, or `over`. `project`: for the reference;
  /// null: none.
  void showSweep(SweepList sweep, const Project* project, bool over);
  /// Appends finished points, one row each.
  void append(std::vector<std::vector<double>> rows);
  /// The rows of the run; null: none.
  void setHistory(std::shared_ptr<const RunHistory> history);
  /// Reads the present frequency from the newest row.
  void followRun();
  /// The test has ended.
  void end();
  const SweepList& sweep() const noexcept { return sweep_; }
  /// True if a later test can continue after its points.
  bool canGoOn() const noexcept { return sweep_.count() > 0 && !sweep_.followsPath(); }
  /// Shows the button for it, if possible.
  void offerGoingOn();
  /// True if the test is a sweep, or will be one: known at the latest with the reference.
  bool shows() const noexcept { return sweep_.any() || reference_ != nullptr; }
  /// The assembled reference; null until computed, or if there is none.
  const SweepReference* reference() const noexcept { return reference_.get(); }
  /// Shows the periods of this point.
  void openPoint(std::size_t row);
  std::optional<std::size_t> openedPoint() const noexcept { return opened_; }

 Q_SIGNALS:
  void goOnRequested();
  void referenceReady();  // or is known to be missing

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void build();
  void fillHeader();
  void addRow(std::size_t row);
  void colourRow(std::size_t row);
  void refill();
  void showQuantity();
  void say();
  void showOpened();
  void closePoint();
  void stepPoint(int way);
  void select(std::optional<std::size_t> row);
  QString rowMeaning(std::size_t row) const;
  QString sentenceOf(std::size_t row) const;
  QString dampingSentence() const;
  const SweepList::Quantity* quantity() const;

  SweepList sweep_;
  std::shared_ptr<const SweepReference> reference_;
  std::shared_ptr<const RunHistory> history_;
  Json of_;  // project document of the reference
  std::optional<std::size_t> opened_;
  QString now_;  // text on the present frequency
  bool over_ = false;
  std::vector<FrfPlot*> plots_;
  std::vector<PlotPanel*> panels_;
  QComboBox* quantity_;
  QLabel *state_, *damping_;
  QPushButton* go_on_;
  QTableWidget* table_;
  PointView* point_;
  QWidget* overview_;
  QStackedLayout* stack_;
  LatestTask working_;  // last: its worker must end before the members that it uses
};

}  // namespace hyb::ui
