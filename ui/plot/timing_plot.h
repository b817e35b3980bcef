#pragma once
#include <memory>

#include "ui/plot/frame_stats.h"
#include "ui/plot/plot_view.h"

class QwtPlotHistogram;

namespace hyb::ui {

class TimingSeries;

/// Wake-up lateness of the ticks over the whole run, with logarithmic counts; share of late ticks; cost of a tick.
class TimingPlot : public PlotView {
  Q_OBJECT
 public:
  TimingPlot(const QString& name, const FrameStats* frames, QWidget* parent = nullptr);
  void setSource(std::shared_ptr<const RunHistory> run, bool paced);
  QString reading() const override;
  /// Second line: cost of a tick and of a frame, number of rows not shown.
  QString detail(std::uint64_t rows_not_shown) const;
  QString detailMeaning() const;
  ValueTable valueTable() const override;

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override { return run_ && paced_ && !run_->rows().empty(); }

 private:
  const FrameStats* frames_;
  std::shared_ptr<const RunHistory> run_;
  bool paced_ = true;
  TimingSeries* series_;
  QwtPlotHistogram* bars_;
};

}  // namespace hyb::ui
