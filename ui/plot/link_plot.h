#pragma once
#include <array>

#include "core/rig/link.h"
#include "ui/plot/plot_view.h"

class QwtPlotHistogram;

namespace hyb::ui {

class LinkSeries;

/// Round trips of a connection to a device, with logarithmic counts, and its transmission faults.
class LinkPlot : public PlotView {
  Q_OBJECT
 public:
  explicit LinkPlot(const QString& name, QWidget* parent = nullptr);
  /// Null: the last data stay. `link` must live until another one is set.
  void setSource(const LinkFigures* link);
  QString reading() const override;  // median and 99.9th percentile
  /// Frames sent, received, lost, corrupt, out of order, clipped.
  QString detail() const;
  QString detailMeaning() const;
  ValueTable valueTable() const override;

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override;

 private:
  const LinkFigures* link_ = nullptr;
  LinkSeries* series_;
  QwtPlotHistogram* bars_;
  QString reading_, detail_;
};

}  // namespace hyb::ui
