#pragma once
#include <array>
#include <memory>
#include <optional>

#include "core/gait/walker_row.h"
#include "ui/plot/plot_view.h"

namespace hyb::ui {

/// Index of each WalkerColumn in rows of a layout.
struct WalkerColumns {
  std::array<std::size_t, kWalkerColumns> at;
  std::size_t operator[](WalkerColumn column) const { return at[static_cast<std::size_t>(column)]; }
};
/// By column names, because files list them in another order; none: no walker.
std::optional<WalkerColumns> walkerColumns(const RowLayout& layout);

/// The walker of one row, drawn to scale: trunk, legs, the foot on the rig, ground forces, their pivot, the paths of
/// hip and feet, and the reference gait at the same instant.
class StrideFigure : public PlotView {
  Q_OBJECT
 public:
  explicit StrideFigure(const QString& name, QWidget* parent = nullptr);
  ~StrideFigure() override;
  /// Both with the same rows; null: no drawing.
  void setRun(std::shared_ptr<const RunHistory> run, std::shared_ptr<const RunHistory> reference,
              const WalkerParams& params);
  /// Drawn at the next refresh().
  void setRow(std::uint64_t row) { row_ = row; }
  std::uint64_t row() const { return row_; }

  QString reading() const override;
  QString spoken() const override { return reading(); }
  std::vector<LegendEntry> legendEntries() const override;
  void setEntryVisible(std::size_t entry, bool visible) override;
  ValueTable valueTable() const override;

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  class Drawing;
  std::optional<WalkerRow> rowOf(const RunHistory& run, std::uint64_t row) const;
  std::shared_ptr<const RunHistory> run_, reference_;
  WalkerParams params_;
  std::optional<WalkerColumns> columns_;
  std::uint64_t row_ = 0;
  Drawing* drawing_;  // of the plot
};

}  // namespace hyb::ui
