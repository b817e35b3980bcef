#pragma once
#include <QLabel>

namespace hyb::ui {

/// One line that gives way where there is no room; the tooltip has the whole. It never widens what it stands in.
class FittedLabel : public QLabel {
 public:
  explicit FittedLabel(QWidget* parent = nullptr) : QLabel(parent) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  }
  QString line() const { return line_; }
  /// `tip`: what the tooltip says instead of the whole line.
  void setLine(const QString& line, const QString& tip = {});

 protected:
  /// What of the line is shown in so many pixels.
  virtual QString fitted(const QString& line, int width_px) const = 0;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit() { setText(fitted(line_, contentsRect().width())); }
  QString line_;
};

/// A line of figures, parted by " · ": as many of them as find room, from the first on, each of them whole.
class PartsLabel : public FittedLabel {
 public:
  using FittedLabel::FittedLabel;

 protected:
  QString fitted(const QString& line, int width_px) const override;
};

/// A path, which says most at its ends: gives way in its middle.
class PathLabel : public FittedLabel {
 public:
  using FittedLabel::FittedLabel;

 protected:
  QString fitted(const QString& line, int width_px) const override;
};

}  // namespace hyb::ui
