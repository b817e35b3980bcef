#pragma once
#include <QLabel>

namespace hyb::ui {

/// A line of figures, parted by three spaces: shows as many of them as find room, from the first on, each of them
/// whole. The tooltip has all. It never widens what it stands in.
class PartsLabel : public QLabel {
 public:
  explicit PartsLabel(QWidget* parent = nullptr) : QLabel(parent) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  }
  QString line() const { return line_; }
  /// `tip`: what the tooltip says instead of all figures.
  void setLine(const QString& line, const QString& tip = {});

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();
  QString line_;
};

}  // namespace hyb::ui
