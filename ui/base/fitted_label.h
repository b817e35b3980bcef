#pragma once
#include <QLabel>

namespace hyb::ui {

/// One line that is shortened to the available width; the tooltip has the whole line. It never widens its parent.
class FittedLabel : public QLabel {
 public:
  explicit FittedLabel(QWidget* parent = nullptr) : QLabel(parent) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  }
  QString line() const { return line_; }
  /// `tip`: tooltip instead of the whole line.
  void setLine(const QString& line, const QString& tip = {});

 protected:
  /// Part of the line that fits into this width, px.
  virtual QString fitted(const QString& line, int width_px) const = 0;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit() { setText(fitted(line_, contentsRect().width())); }
  QString line_;
};

/// A line of figures separated by " · ": shows as many whole figures as fit, from the first on.
class PartsLabel : public FittedLabel {
 public:
  using FittedLabel::FittedLabel;

 protected:
  QString fitted(const QString& line, int width_px) const override;
};

/// A path: its middle is shortened, because its ends matter most.
class PathLabel : public FittedLabel {
 public:
  using FittedLabel::FittedLabel;

 protected:
  QString fitted(const QString& line, int width_px) const override;
};

}  // namespace hyb::ui
