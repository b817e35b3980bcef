#pragma once
#include <qwt_interval.h>
#include <qwt_plot.h>

#include <QFont>
#include <QPen>
#include <QSize>
#include <QStringList>
#include <array>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "ui/base/theme.h"
#include "ui/plot/run_history.h"

class QLabel;

namespace hyb::ui {

/// Content of "table of values".
struct ValueTable {
  QStringList headers;
  std::vector<std::vector<double>> rows;
  QString remark;  // e.g. "every 4th row"
};

/// A curve that the legend can switch on and off.
struct LegendEntry {
  QString text;
  Role role = Role::measured;
  Qt::PenStyle style = Qt::SolidLine;
  bool visible = true;
};

/// Base of all plots: theme, scales in display units, mouse and keys, cursors, export, table, and a description for
/// screen readers. Values stay in SI; only the labels of the scales are converted. Nothing is redrawn until refresh().
class PlotView : public QwtPlot {
  Q_OBJECT
 public:
  explicit PlotView(const QString& name, QWidget* parent = nullptr);
  QString name() const { return name_; }
  /// Reads the data again and redraws. Does nothing while hidden.
  void refresh();
  /// Text beside the title, rebuilt by the caller at 5 Hz at most; plain text.
  virtual QString reading() const { return {}; }
  /// Text for a screen reader.
  virtual QString spoken() const { return reading(); }
  /// Text shown without data.
  void setEmptyText(const QString& text);
  /// Updates the accessible description from spoken(), at most once a second.
  void describe();

  virtual std::vector<LegendEntry> legendEntries() const { return {}; }
  virtual void setEntryVisible(std::size_t /*entry*/, bool /*visible*/) {}
  virtual ValueTable valueTable() const = 0;
  virtual bool hasTimeAxis() const { return false; }
  /// Shows all data.
  virtual void fit();
  /// Follows the horizontal zoom of a linked plot; none: shows everything.
  void followRange(std::optional<QwtInterval> across);
  void setAntialiasing(bool on);

  /// PNG, SVG or PDF by the file's suffix: white background, thicker lines, full data where reasonable. Returns the
  /// error, or nothing.
  QString exportTo(const QString& file);

  // For the navigator.
  virtual void zoomTo(QwtAxisId axis, double from, double to);
  /// Tooltip text at this place; nothing: tooltip of the plot.
  virtual QString saidAt(const QPointF& /*canvas_px*/) const { return {}; }
  /// A press without a box.
  virtual void clickedAt(const QPointF& /*canvas_px*/) {}
  virtual void toggleCursors() {}
  virtual bool cursorsShown() const { return false; }
  /// Cursor within `reach_px` of this place, -1 if there is none.
  virtual int cursorAt(int /*x_px*/, int /*reach_px*/) const { return -1; }
  virtual void moveCursor(int /*cursor*/, double /*time_s*/) {}
  virtual void cursorReleased(int /*cursor*/) {}
  /// Moves the second cursor by one pixel column to the left (-1) or right (+1).
  virtual void stepCursor(double /*way*/) {}

 Q_SIGNALS:
  void legendChanged();
  void rangeChosen(std::optional<QwtInterval> across);  // by the operator; none: everything

 protected:
  /// Updates data and scales of the next picture.
  virtual void updateData() = 0;
  /// Updates pens and brushes from colourOf() and penOf().
  virtual void applyColours() = 0;
  virtual bool hasData() const = 0;

  QColor colourOf(Role role) const;
  QPen penOf(Role role, Qt::PenStyle style = Qt::SolidLine) const;
  bool exporting() const { return exporting_; }
  /// Range set by the operator; none: the view's own.
  std::optional<QwtInterval>& manualRange(QwtAxisId axis) { return manual_[static_cast<std::size_t>(axis)]; }
  /// Sets the scale with labels in factor * SI and constant digits.
  void setScale(QwtAxisId axis, double from, double to, double factor, const QString& suffix = {}, int parts = 5);
  /// Switches to a logarithmic or a linear scale.
  void setLog(QwtAxisId axis, bool log);
  bool isLog(QwtAxisId axis) const;
  /// setScale() on a logarithmic scale: each label with the digits it needs.
  void setLogScale(QwtAxisId axis, double from, double to, double factor);
  /// Both axes of a histogram with logarithmic scales: whole decades on both axes, or the range set by the operator.
  void setDecades(double first, double last, double most);
  void styleAxis(QwtAxisId axis, const QString& title, double least_label_px);
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void restyle();
  void fitTexts();  ///< to the available space
  void fitEmptyText();
  bool fitTitle(QwtAxisId axis);
  QString name_;
  bool exporting_ = false, antialiasing_ = true, styled_ = false, restyle_due_ = false, refresh_due_ = false;
  std::array<std::optional<QwtInterval>, QwtAxis::AxisPositions> manual_;
  QLabel* empty_ = nullptr;
  QString empty_text_;
  std::tuple<QString, QSize, QFont> empty_fitted_;  // input of the last measurement of the text in the empty plot
  std::array<QString, QwtAxis::AxisPositions> titles_;
  qint64 described_ms_ = -10000;
};

}  // namespace hyb::ui
