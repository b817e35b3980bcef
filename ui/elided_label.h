#pragma once
#include <QLabel>
#include <QResizeEvent>

namespace hyb::ui {

/// One line that gives way in its middle where there is no room; the tooltip has the whole. It never widens what it
/// stands in.
class ElidedLabel : public QLabel {
 public:
  explicit ElidedLabel(QWidget* parent = nullptr) : QLabel(parent) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  }
  void setWhole(const QString& text) {
    whole_ = text;
    setToolTip(text);
    fit();
  }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    QLabel::resizeEvent(event);
    fit();
  }

 private:
  void fit() { setText(fontMetrics().elidedText(whole_, Qt::ElideMiddle, contentsRect().width())); }
  QString whole_;
};

}  // namespace hyb::ui
