#pragma once
#include <QWidget>
#include <atomic>
#include <memory>
#include <optional>

#include "ui/base/latest_task.h"
#include "ui/plot/spring_plot.h"

class QComboBox;
class QLabel;
class QPushButton;

namespace hyb::ui {

class NumberEdit;
class PlotPanel;
class ProjectDocument;

/// "Which spring?" of a project whose scheme asks for forces: the trade of each piston's spring, computed in the
/// background while it is seen, one that is chosen by hand, and the button that takes it into the project, in one step
/// that can be undone.
class SpringPanel : public QWidget {
  Q_OBJECT
 public:
  explicit SpringPanel(ProjectDocument* document, QWidget* parent = nullptr);
  ~SpringPanel() override;
  /// Another project was opened: nothing is known of it yet.
  void forget();
  void setProject(const Project& project);
  /// Off: nothing is computed and nothing can be taken (a test has the processor).
  void setEditing(bool on);
  /// The project asks for forces.
  bool applies() const { return project_.has_value(); }
  SpringPlot* plot() const { return plot_; }
  bool computing() const { return stop_ != nullptr; }

 Q_SIGNALS:
  void appliesChanged();
  void finished();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void consider();
  void start();
  void stop();
  void choose(double stiffness_n_per_m, bool typed);
  void take();
  void describe();
  bool known(double stiffness_n_per_m) const;
  Json taken() const;
  void fit();  ///< a splitter does not ask how high text becomes at its width
  std::size_t piston() const;

  ProjectDocument* document_;
  SpringPlot* plot_;
  PlotPanel* panel_;
  QComboBox* pistons_;
  NumberEdit* stiffness_;
  QPushButton* take_;
  QLabel* verdict_;
  std::optional<Project> project_;  // newest sound one
  Json asked_;                      // what of it the trade is of, or will be
  bool editing_ = true, due_ = false;
  double chosen_ = 0.0;                      // N/m; 0: the present one
  std::shared_ptr<std::atomic<bool>> stop_;  // of what is under way
  LatestTask task_;
};

}  // namespace hyb::ui
