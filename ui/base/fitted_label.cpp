#include "ui/base/fitted_label.h"

namespace hyb::ui {

void FittedLabel::setLine(const QString& line, const QString& tip) {
  if (line == line_) return;
  line_ = line;
  setToolTip(tip.isEmpty() ? line : tip);
  fit();
}

void FittedLabel::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  fit();
}

QString PartsLabel::fitted(const QString& line, int width_px) const {
  const QString between = QStringLiteral(" · ");
  QStringList parts = line.split(between);
  while (!parts.isEmpty() && fontMetrics().horizontalAdvance(parts.join(between)) > width_px) parts.removeLast();
  return parts.join(between);
}

QString PathLabel::fitted(const QString& line, int width_px) const {
  return fontMetrics().elidedText(line, Qt::ElideMiddle, width_px);
}

}  // namespace hyb::ui
