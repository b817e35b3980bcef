#pragma once
#include <QPainter>

namespace hyb::ui {

// Mechanical symbols along the x axis, from `left` to `right` at height y, in pixels, with the painter's pen.
void drawSpring(QPainter& painter, double left, double right, double y);
void drawDamper(QPainter& painter, double left, double right, double y);
/// Spring, damper or both beside each other, between any two points.
void drawLink(QPainter& painter, const QPointF& from, const QPointF& to, bool spring, bool damper);

/// Ground: a line with hatches on the side of `outwards` (unit vector into the ground).
void drawGround(QPainter& painter, const QPointF& at, const QPointF& outwards, double half_width);
/// A hinge on the ground: triangle, then ground. `rollers`: it may slide along the ground.
void drawHinge(QPainter& painter, const QPointF& at, const QPointF& outwards, bool rollers);

QColor blend(const QColor& over, const QColor& base, double share);

}  // namespace hyb::ui
