#include "ui/configure/link_symbols.h"

#include <QLineF>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace hyb::ui {
namespace {

constexpr double kHatch = 6, kHinge = 10;

/// Moves the painter to `at`, with x along `direction`.
void turnTo(QPainter& painter, const QPointF& at, const QPointF& direction) {
  painter.translate(at);
  painter.rotate(std::atan2(direction.y(), direction.x()) * 180.0 / M_PI);
}

}  // namespace

QColor blend(const QColor& over, const QColor& base, double share) {
  const auto mix = [share](int a, int b) { return static_cast<int>(std::lround(share * a + (1.0 - share) * b)); };
  return {mix(over.red(), base.red()), mix(over.green(), base.green()), mix(over.blue(), base.blue())};
}

void drawSpring(QPainter& painter, double left, double right, double y) {
  const double lead = std::min(6.0, 0.15 * (right - left)), width = right - left - 2 * lead;
  QPainterPath path(QPointF(left, y));
  path.lineTo(left + lead, y);
  constexpr int kTeeth = 8;
  for (int i = 0; i < kTeeth; ++i) path.lineTo(left + lead + width * (i + 0.5) / kTeeth, y + (i % 2 == 0 ? -6 : 6));
  path.lineTo(right - lead, y);
  path.lineTo(right, y);
  painter.drawPath(path);
}

void drawDamper(QPainter& painter, double left, double right, double y) {
  const double middle = 0.5 * (left + right), half = std::min(9.0, 0.25 * (right - left));
  painter.drawLine(QPointF(left, y), QPointF(middle - half, y));
  painter.drawLine(QPointF(middle - half, y - 6), QPointF(middle - half, y + 6));
  painter.drawLine(QPointF(middle - half, y - 6), QPointF(middle + half, y - 6));
  painter.drawLine(QPointF(middle - half, y + 6), QPointF(middle + half, y + 6));
  painter.drawLine(QPointF(middle + 2, y - 4), QPointF(middle + 2, y + 4));
  painter.drawLine(QPointF(middle + 2, y), QPointF(right, y));
}

void drawLink(QPainter& painter, const QPointF& from, const QPointF& to, bool spring, bool damper) {
  const double length = QLineF(from, to).length();
  if (length < 1.0) return;
  painter.save();
  turnTo(painter, from, to - from);
  if (spring && damper) {
    const double bar1 = std::min(5.0, 0.1 * length), bar2 = length - bar1;
    for (const auto& [a, b] : {std::pair(0.0, bar1), std::pair(bar2, length)})
      painter.drawLine(QPointF(a, 0), QPointF(b, 0));
    for (const double bar : {bar1, bar2}) painter.drawLine(QPointF(bar, -10), QPointF(bar, 10));
    drawSpring(painter, bar1, bar2, -10);
    drawDamper(painter, bar1, bar2, 10);
  } else if (damper) {
    drawDamper(painter, 0, length, 0);
  } else {
    drawSpring(painter, 0, length, 0);
  }
  painter.restore();
}

void drawGround(QPainter& painter, const QPointF& at, const QPointF& outwards, double half_width) {
  painter.save();
  turnTo(painter, at, outwards);
  painter.drawLine(QPointF(0, -half_width), QPointF(0, half_width));
  QPen thin = painter.pen();
  thin.setWidthF(1.0);
  painter.setPen(thin);
  const int hatches = std::max(2, static_cast<int>(std::lround(2.0 * half_width / kHatch)));
  for (int i = 0; i < hatches; ++i) {
    const double y = -half_width + 2.0 * half_width * (i + 1) / hatches;
    painter.drawLine(QPointF(0, y), QPointF(kHatch, y - kHatch));
  }
  painter.restore();
}

void drawHinge(QPainter& painter, const QPointF& at, const QPointF& outwards, bool rollers) {
  painter.save();
  turnTo(painter, at, outwards);
  const QPointF corners[] = {{0, 0}, {kHinge, -0.65 * kHinge}, {kHinge, 0.65 * kHinge}};
  painter.drawPolygon(corners, 3);
  double ground = kHinge;
  if (rollers) {
    for (const double y : {-4.0, 4.0}) painter.drawEllipse(QPointF(kHinge + 3, y), 2.5, 2.5);
    ground += 6;
  }
  painter.restore();
  drawGround(painter, at + ground * outwards, outwards, 12);
}

}  // namespace hyb::ui
