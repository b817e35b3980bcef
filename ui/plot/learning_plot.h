#pragma once
#include <memory>
#include <vector>

#include "ui/plot/learning_record.h"
#include "ui/plot/plot_view.h"

class QwtPlotCurve;

namespace hyb::ui {

/// Over the time since the start of a test: the mean square of the gap of each interface relative to its motion
/// (learning curve, logarithmic), or the amplitudes of the commands as one family per axis, with a thick first
/// harmonic.
class LearningPlot : public PlotView {
  Q_OBJECT
 public:
  enum class Shows { gap, amplitudes };
  LearningPlot(const QString& name, Shows shows, QWidget* parent = nullptr);
  ~LearningPlot() override;
  /// Must live until another one is set; null: none. Call again after it has grown.
  void setRecord(const LearningRecord* record);
  QString reading() const override;
  std::vector<LegendEntry> legendEntries() const override;
  void setEntryVisible(std::size_t entry, bool visible) override;
  ValueTable valueTable() const override;

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override;

 private:
  struct Family {
    std::vector<std::unique_ptr<QwtPlotCurve>> curves;  // [order], or one
    bool visible = true;
  };
  std::size_t size() const;
  Shows shows_;
  const LearningRecord* record_ = nullptr;
  std::vector<Family> families_;  // [i]
};

}  // namespace hyb::ui
