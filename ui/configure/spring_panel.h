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

/// "Which spring?" of a force-based project: the trade-off for each piston's compliance spring, computed in the
/// background while visible. The user chooses a spring, and a button writes it into the project in one step that can be
/// undone.
class SpringPanel : public QWidget {
  Q_OBJECT
 public:
  explicit SpringPanel(ProjectDocument* document, QWidget* parent = nullptr);
  ~SpringPanel() override;
  /// Clears the results after another project was opened.
  void forget();
  void setProject(const Project& project);
  /// Off: no computation and no changes, because a test needs the processor.
  void setEditing(bool on);
  /// The project is force-based.
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
  void fit();  ///< a splitter ignores the height that wrapped text needs
  std::size_t piston() const;

  ProjectDocument* document_;
  SpringPlot* plot_;
  PlotPanel* panel_;
  QComboBox* pistons_;
  NumberEdit* stiffness_;
  QPushButton* take_;
  QLabel* verdict_;
  std::optional<Project> project_;  // newest project without errors
  Json asked_;                      // input of the computed or running trade-off
  bool editing_ = true, due_ = false;
  double chosen_ = 0.0;                      // N/m; 0: the present one
  std::shared_ptr<std::atomic<bool>> stop_;  // cleared to cancel the computation under way
  LatestTask task_;
};

}  // namespace hyb::ui
