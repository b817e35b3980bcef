#pragma once
#include <QObject>
#include <QTimer>
#include <memory>
#include <span>

#include "core/identification/stepped_response.h"
#include "core/loop/row.h"
#include "ui/base/latest_task.h"

namespace hyb::ui {

/// Live frequency response from command to motion of one axis of a running test. Computed on a worker thread.
class LiveResponse : public QObject {
  Q_OBJECT
 public:
  explicit LiveResponse(QObject* parent = nullptr);

  struct Test {
    std::size_t axis = 0;
    SegmentSpec segments;
    std::vector<SineStep> steps;             // of a stepped sine, in place of segments; empty: another excitation
    double from_hz = 0.0, to_hz = 0.0;       // of the excitation
    double fade_s = 1.0, duration_s = 32.0;  // soft start; length of the analysed part after it
  };
  void begin(const RowLayout& layout, const Test& test);
  /// Whole rows of that layout.
  void take(std::span<const double> rows);
  void end();  // cancels pending results

 Q_SIGNALS:
  /// Of a stepped sine with its phasors.
  void updated(const hyb::SteppedResponse& response);

 private:
  void work();

  struct Shared;  // with the worker
  std::shared_ptr<Shared> shared_;
  QTimer refresh_;
  Test test_;
  std::size_t width_ = 0, excitation_ = 0, command_ = 0, measured_ = 0;
  double moves_from_s_ = -1.0;  // below 0: at rest
  double next_tick_ = -1.0, last_input_ = 0.0, last_output_ = 0.0;
  LatestTask task_;
};

}  // namespace hyb::ui
