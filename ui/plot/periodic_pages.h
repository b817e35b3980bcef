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

/// The pages of periodic tests: Sweep and Learning, each shown only if the test has data for it.
class PeriodicPages : public QObject {
  Q_OBJECT
 public:
  /// Adds its pages to `pages`, which owns them.
  explicit PeriodicPages(QTabWidget* pages);
  SweepView* sweep() const { return sweep_; }
  LearningView* learning() const { return learning_; }

  /// A test of this project is about to start.
  void announce(const Project& project);
  /// The test has been armed. `history`: its rows, which continue to grow.
  void attach(const Project& project, const RowLayout& layout, std::shared_ptr<const RunHistory> history);
  /// Rows of the display, in the order of their ticks.
  void push(std::span<const double> rows);
  /// Finished points.
  void append(std::vector<std::vector<double>> segments);
  /// Called once per display frame.
  void frame();
  /// True if the shown test has begun.
  bool begun() const;
  void end();
  /// A complete run from its file.
  void showRun(const LoadedRun& run);
  /// Replaces the rows of the shown test by those from its file: the live rows were incomplete.
  void replaceRows(const LoadedRun& run);

 private:
  void show(SweepList list, const Project* project, bool over);
  void setPageVisible(QWidget* page, bool visible);
  QTabWidget* pages_;
  SweepView* sweep_;
  LearningView* learning_;
};

}  // namespace hyb::ui
