#pragma once
#include <memory>
#include <vector>

#include "ui/plot/plot_view.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/trial_list.h"

class QComboBox;
class QwtPlotCurve;

namespace hyb::ui {

/// Overlay of one quantity of several trials, each from its start: selected trials, or all as a family, the first pale
/// and the last dark.
class TrialCurves : public PlotView {
  Q_OBJECT
 public:
  explicit TrialCurves(const QString& name, QWidget* parent = nullptr);
  ~TrialCurves() override;
  /// Selects the quantity; owned by the view that shows it.
  QComboBox* quantity() const { return quantity_; }
  /// `trials` must live until others are set. `run`: their rows; null: none.
  void setTrials(const TrialList* trials, std::shared_ptr<const RunHistory> run);
  /// Rows of the list; empty: all of them.
  void setChosen(std::vector<std::size_t> rows);

  QString reading() const override;
  ValueTable valueTable() const override;

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override { return run_ && trials_ != nullptr && trials_->count() > 0; }

 private:
  std::vector<std::size_t> shown() const;
  void offerQuantities();
  void restyleValueAxis();
  DisplayUnit unit() const;
  QwtPlotCurve* curve(std::size_t at);

  const TrialList* trials_ = nullptr;
  std::shared_ptr<const RunHistory> run_;
  std::vector<std::size_t> chosen_;
  QComboBox* quantity_;
  std::vector<QwtPlotCurve*> curves_;  // of the plot
  std::size_t drawn_ = 0, gone_ = 0;   // trials with kept rows, and with dropped rows
};

}  // namespace hyb::ui
