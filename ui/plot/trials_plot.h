#pragma once
#include <memory>
#include <vector>

#include "ui/plot/plot_view.h"
#include "ui/plot/trial_list.h"

class QwtPlotMarker;

namespace hyb::ui {

/// Error of each interface over the trials: a line through the counted ones, crosses for the others, a ring around the
/// best, and the bound that ends the trials.
class TrialsPlot : public PlotView {
  Q_OBJECT
 public:
  explicit TrialsPlot(const QString& name, QWidget* parent = nullptr);
  ~TrialsPlot() override;
  /// `trials` must live until another one is set; call again after it has grown.
  void setTrials(const TrialList* trials);

  QString reading() const override;
  std::vector<LegendEntry> legendEntries() const override;
  void setEntryVisible(std::size_t entry, bool visible) override;
  ValueTable valueTable() const override;

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override { return trials_ != nullptr && trials_->count() > 0; }

 private:
  struct Curves;
  const TrialList* trials_ = nullptr;
  std::vector<std::unique_ptr<Curves>> curves_;  // [interface]
  QwtPlotMarker *best_, *bound_;
};

}  // namespace hyb::ui
