#pragma once
#include <QObject>
#include <memory>
#include <span>
#include <vector>

#include "core/project/project.h"
#include "ui/plot/run_loader.h"

class QTabWidget;

namespace hyb::ui {

class LearningView;
class SweepView;

/// The pages of periodic tests among others: Sweep and Learning, each there where the test has what it shows.
class PeriodicPages : public QObject {
  Q_OBJECT
 public:
  /// Adds its pages to `pages`, which owns them.
  explicit PeriodicPages(QTabWidget* pages);
  SweepView* sweep() const { return sweep_; }
  LearningView* learning() const { return learning_; }

  /// A test of this project is to come.
  void announce(const Project& project);
  /// It has been armed. `history`: its rows, which go on coming.
  void attach(const Project& project, const RowLayout& layout, std::shared_ptr<const RunHistory> history);
  /// Rows of the display, in the order of their ticks.
  void push(std::span<const double> rows);
  /// Points that are done.
  void append(std::vector<std::vector<double>> segments);
  /// Once a display frame.
  void frame();
  /// What is shown is of a test that has begun.
  bool begun() const;
  void end();
  /// A run read back from its file, as a whole.
  void showRun(const LoadedRun& run);
  /// The rows of the test that was shown, read back: those that came by were not all.
  void replaceRows(const LoadedRun& run);

 private:
  void show(SweepList list, const Project* project, bool over);
  void setPageVisible(QWidget* page, bool visible);
  QTabWidget* pages_;
  SweepView* sweep_;
  LearningView* learning_;
};

}  // namespace hyb::ui
