#pragma once
#include <memory>

#include "core/study/face_campaign.h"
#include "ui/plot/plot_view.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {

/// Title and unit of a column.
struct FaceAxisText {
  QString title;
  DisplayUnit unit;
  QString withUnit() const;  // "Delay (ms)"
};

/// Convergence plot of FACE: quantity of interest of every test over its error. It shows the fitted curve (dashed where
/// extrapolated), the error-free value with its interval at error 0, and the value of the structural model. It marks
/// the test with the least error, and the reference if known.
class FacePlot : public PlotView {
  Q_OBJECT
 public:
  explicit FacePlot(const QString& name, QWidget* parent = nullptr);
  ~FacePlot() override;
  void setReport(std::shared_ptr<const FaceReport> report);
  /// Marks a test; -1: none.
  void setSelected(int test);
  /// Number of tests that are drawn and count.
  std::size_t points() const;
  /// True if the error-free value is shown.
  bool predicted() const;

  QString reading() const override;
  QString spoken() const override;
  std::vector<LegendEntry> legendEntries() const override;
  void setEntryVisible(std::size_t entry, bool visible) override;
  ValueTable valueTable() const override;
  QString saidAt(const QPointF& canvas_px) const override;
  void clickedAt(const QPointF& canvas_px) override;

 Q_SIGNALS:
  void chosen(int test);  // the user clicked its point

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override;

 private:
  struct Items;
  enum Entry { kCurve, kModel, kReference, kEntries };
  double errorOf(const FaceCampaignTest& test) const;
  int testAt(const QPointF& at) const;
  void scaleAxes();
  void updateCurve();
  void updatePredictions();
  QString tipOf(const FaceCampaignTest& test) const;

  std::shared_ptr<const FaceReport> report_;
  FaceAxisText error_, quantity_;
  int selected_ = -1;
  bool visible_[kEntries] = {true, true, true};
  std::unique_ptr<Items> items_;
};

/// Headers of error, quantity of interest and varied value.
FaceAxisText axisText(const FaceReport& report);
FaceAxisText quantityAxis(const FaceReport& report);
FaceAxisText variedAxis(const FaceReport& report);
/// "12.4 mm", in the unit of the report's quantity.
QString quantityOf(const FaceReport& report, double value);
QString intervalText(const FaceReport& report, const FaceInterval& interval);

}  // namespace hyb::ui
