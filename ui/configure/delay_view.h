#pragma once
#include <QWidget>
#include <optional>
#include <vector>

#include "core/run/build.h"
#include "ui/configure/latest_task.h"

class QLabel;

namespace hyb::ui {

/// What the cut bears against what the loop has.
struct DelayFigures {
  std::optional<Crossing> critical;  // none: stable for every delay looked at
  std::vector<DelayPart> parts;
  std::vector<double> natural_hz, specimen_clamped_hz, computed_clamped_hz;
  double delay_s = 0.0;      // sum of the parts
  double predicted_s = 0.0;  // what fixed prediction takes off; 0 without
  CompensationMethod method = CompensationMethod::none;
  QString failed;  // why there are no figures; empty
};
/// May take a while; throws nothing.
DelayFigures delayFigures(const Project& project);

/// Critical delay of the cut, live beside the partition, against the parts of the loop's own delay. Computed in the
/// background after each valid edit; what is out of date is dropped.
class DelayView : public QWidget {
  Q_OBJECT
 public:
  explicit DelayView(QWidget* parent = nullptr);
  void setProject(const Project& project);
  /// The project has errors: the figures shown belong to an older state.
  void setStale(bool stale);
  const std::optional<DelayFigures>& figures() const { return figures_; }
  QString verdict() const;

 Q_SIGNALS:
  void updated();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  class Bar;
  void show(const DelayFigures& figures);

  std::optional<DelayFigures> figures_;
  QLabel* icon_;
  QLabel* headline_;
  QLabel* verdict_;
  QLabel* details_;
  Bar* bar_;
  LatestTask task_;
};

/// What the predictor does to noise; empty when the compensation has none or its settings do not hold together.
QString noiseGainText(const Json& compensation);

}  // namespace hyb::ui
