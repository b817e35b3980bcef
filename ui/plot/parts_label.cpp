#include "ui/plot/parts_label.h"

namespace hyb::ui {

void PartsLabel::setLine(const QString& line, const QString& tip) {
  if (line == line_) return;
  line_ = line;
  setToolTip(tip.isEmpty() ? line : tip);
  fit();
}

void PartsLabel::fit() {
  const QString between = QStringLiteral("   ");
  QStringList parts = line_.split(between);
  while (!parts.isEmpty() && fontMetrics().horizontalAdvance(parts.join(between)) > contentsRect().width())
    parts.removeLast();
  setText(parts.join(between));
}

void PartsLabel::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  fit();
}

}  // namespace hyb::ui
