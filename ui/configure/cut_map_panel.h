#pragma once
#include <QWidget>
#include <atomic>
#include <memory>
#include <optional>

#include "ui/base/latest_task.h"
#include "ui/configure/delay_figures.h"
#include "ui/configure/structure_scene.h"
#include "ui/plot/cut_map.h"

class QProgressBar;
class QPushButton;

namespace hyb::ui {

class PlotPanel;
class ProjectDocument;

/// The map "Where may I cut?" and its computation in the background, from coarse to fine, with progress and cancel. The
/// map stays while only the cut moves. While visible, it is recomputed when structure, axis, side or rate change.
class CutMapPanel : public QWidget {
  Q_OBJECT
 public:
  explicit CutMapPanel(ProjectDocument* document, QWidget* parent = nullptr);
  ~CutMapPanel() override;
  /// Sets structure and cut as drawn now.
  void setScene(const StructureScene& scene);
  /// Delay of the loop; null: unknown.
  void setFigures(const DelayFigures* figures);
  /// Off: the cut is fixed and nothing is computed, because a test needs the processor.
  void setEditing(bool on);
  CutMap* map() const { return map_; }
  bool computing() const { return job_ != nullptr; }
  void cancel();

 Q_SIGNALS:
  void progressed();  // more places have results
  void finished();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  struct Job {
    std::atomic<bool> stop{false};
  };
  struct MapRequest {
    std::string key;
    CutByPosition like;
    std::vector<double> places_m;
    double rate_hz = 0.0;
    std::optional<double> cutoff_hz;
  };
  std::optional<MapRequest> wanted() const;
  void consider();
  void start(const MapRequest& wanted);
  void stop();
  void updateControls();

  ProjectDocument* document_;
  StructureScene scene_;
  CutMap* map_;
  PlotPanel* panel_;
  QProgressBar* progress_;
  QPushButton* button_;
  bool editing_ = true;
  std::string key_;  // of the map shown or under way
  std::string cancelled_key_;
  std::shared_ptr<Job> job_;  // under way
  LatestTask task_;
};

}  // namespace hyb::ui
