#include "ui/configure/schematic.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/base/theme.h"
#include "ui/configure/link_symbols.h"
#include "ui/document/field_editors.h"
#include "ui/document/project_document.h"

namespace hyb::ui {
namespace {

constexpr double kBorder = 30, kMinColumn = 72, kMassSize = 44, kWallWidth = 14, kWallHeight = 76;
constexpr double kLane = 52, kLegendHeight = 28, kMotion = 40;

QString valueText(double value, const char* unit) {
  return QStringLiteral("%1 %2").arg(NumberEdit::format(Json(value)), QLatin1String(unit));
}

void drawArrow(QPainter& painter, const QPointF& middle, double half, bool both) {
  const QPointF tip = middle + QPointF(half, 0), tail = middle - QPointF(half, 0);
  painter.drawLine(tail, tip);
  painter.drawLine(tip, tip + QPointF(-5, -4));
  painter.drawLine(tip, tip + QPointF(-5, 4));
  if (!both) return;
  painter.drawLine(tail, tail + QPointF(5, -4));
  painter.drawLine(tail, tail + QPointF(5, 4));
}

}  // namespace

Schematic::Schematic(ProjectDocument* document, QWidget* parent) : QWidget(parent), document_(document) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Drawing of the structure"));
  connect(document, &ProjectDocument::changed, this, &Schematic::rebuild);
  rebuild();
}

void Schematic::setEditing(bool on) {
  editing_ = on;
  rebuild();
}

QSize Schematic::minimumSizeHint() const {
  return {
      static_cast<int>(2 * kBorder + kMinColumn * std::max<double>(0, static_cast<double>(model_.nodes.size()) - 1)),
      static_cast<int>(kMotion + kLegendHeight + kWallHeight + 56 + kLane * (model_.lanes - 1))};
}

QPoint Schematic::centreOf(const std::string& name) const {
  for (const Shape& shape : shapes_)
    if (shape.name == name) return shape.area.center().toPoint();
  return {};
}

void Schematic::rebuild() {
  model_ = schematicModel(document_->json());
  hovered_ = -1;
  layOut();
  QStringList words;
  for (const Shape& shape : shapes_) words << QString(shape.tip).replace(QLatin1Char('\n'), QLatin1String(", "));
  setAccessibleDescription(words.join(QStringLiteral("; ")));
  updateGeometry();
  update();
}

void Schematic::layOut() {
  shapes_.clear();
  const auto count = static_cast<double>(std::max<std::size_t>(2, model_.nodes.size()));
  const double column = std::clamp((width() - 2 * kBorder) / (count - 1), kMinColumn, 150.0);
  const double left = 0.5 * (width() - column * (count - 1));
  const double axis = 0.5 * (height() - kLegendHeight + kMotion - 24 + kLane * (model_.lanes - 1));
  const QString hint = editing_ ? tr("\nClick to move it to the other side") : QString();
  const auto side = [](bool physical) { return physical ? tr("on the rig (PS)") : tr("computed (NS)"); };
  for (std::size_t i = 0; i < model_.nodes.size(); ++i) {
    const auto& node = model_.nodes[i];
    const QPointF centre(left + column * node.column, axis);
    const QSizeF size = node.support ? QSizeF(kWallWidth, kWallHeight) : QSizeF(kMassSize, kMassSize);
    const QRectF box(centre - QPointF(0.5 * size.width(), 0.5 * size.height()), size);
    const QString name = QString::fromStdString(node.name);
    QString tip = node.support ? tr("%1: support").arg(name)
                               : tr("%1: mass %2, %3").arg(name, valueText(node.mass_kg, "kg"), side(node.physical));
    if (node.interface > 0) tip += tr("\ninterface %1: both sides meet here").arg(node.interface);
    if (!node.laws.empty()) tip += tr("\non the rig: %1").arg(QString::fromStdString(node.laws));
    if (!node.motion.empty()) tip += tr("\nmoved by %1").arg(QString::fromStdString(node.motion));
    shapes_.push_back({node.name, box, box.adjusted(-4, -4, 4, 4), tip + (node.support ? QString() : hint),
                       static_cast<int>(i), -1, !node.support});
  }
  const auto edge = [&](std::size_t node) { return model_.nodes[node].support ? 0.5 * kWallWidth : 0.5 * kMassSize; };
  for (std::size_t i = 0; i < model_.links.size(); ++i) {
    const auto& link = model_.links[i];
    const double y = axis - kLane * link.lane;
    const bool raised = link.lane > 0;
    const double x1 = left + column * model_.nodes[link.from].column + (raised ? 0 : edge(link.from));
    const double x2 = left + column * model_.nodes[link.to].column - (raised ? 0 : edge(link.to));
    const QRectF box(x1, y - 18, x2 - x1, 36);
    shapes_.push_back({link.name, box, box,
                       tr("%1: stiffness %2, damping %3, %4")
                               .arg(QString::fromStdString(link.name), valueText(link.stiffness_n_per_m, "N/m"),
                                    valueText(link.damping_n_s_per_m, "N s/m"), side(link.physical)) +
                           hint,
                       -1, static_cast<int>(i), true});
  }
  std::stable_sort(shapes_.begin(), shapes_.end(),
                   [](const Shape& a, const Shape& b) { return a.box.center().x() < b.box.center().x(); });
  if (current_ >= static_cast<int>(shapes_.size())) current_ = -1;
}

int Schematic::shapeAt(const QPointF& point) const {
  int best = -1;
  for (std::size_t i = 0; i < shapes_.size(); ++i)
    if (shapes_[i].area.contains(point) && (best < 0 || shapes_[i].node >= 0)) best = static_cast<int>(i);
  return best;
}

void Schematic::toggle(int index) {
  if (!editing_ || index < 0 || !shapes_[static_cast<std::size_t>(index)].can_toggle) return;
  const std::string name =
      shapes_[static_cast<std::size_t>(index)].name;  // a copy, because the call rebuilds the shapes
  document_->togglePhysical(name);
}

void Schematic::mouseMoveEvent(QMouseEvent* event) {
  const int now = shapeAt(event->position());
  if (now == hovered_) return;
  hovered_ = now;
  setCursor(editing_ && now >= 0 && shapes_[static_cast<std::size_t>(now)].can_toggle ? Qt::PointingHandCursor
                                                                                      : Qt::ArrowCursor);
  if (now >= 0)
    QToolTip::showText(event->globalPosition().toPoint(), shapes_[static_cast<std::size_t>(now)].tip, this);
  else
    QToolTip::hideText();
  update();
}

void Schematic::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) toggle(shapeAt(event->position()));
}

void Schematic::leaveEvent(QEvent*) {
  hovered_ = -1;
  update();
}

void Schematic::keyPressEvent(QKeyEvent* event) {
  const int count = static_cast<int>(shapes_.size());
  const bool forward = event->key() == Qt::Key_Right, backward = event->key() == Qt::Key_Left;
  if (count > 0 && (forward || backward)) {
    current_ = current_ < 0 ? (forward ? 0 : count - 1) : (current_ + (forward ? 1 : count - 1)) % count;
    const Shape& shape = shapes_[static_cast<std::size_t>(current_)];
    QToolTip::showText(mapToGlobal(shape.box.bottomLeft().toPoint()), shape.tip, this);
    update();
  } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space) {
    toggle(current_);
  } else {
    QWidget::keyPressEvent(event);
  }
}

void Schematic::resizeEvent(QResizeEvent*) { layOut(); }

void Schematic::focusInEvent(QFocusEvent* event) {
  if (current_ < 0 && event->reason() != Qt::MouseFocusReason && !shapes_.empty()) current_ = 0;
  QWidget::focusInEvent(event);
}

QPen Schematic::pen(bool physical, bool marked) const {
  // Line width marks the tested side too, for print and colour blindness.
  QPen result(colour(physical ? Role::physical : Role::numerical, palette()),
              (physical ? 2.6 : 1.6) + (marked ? 1 : 0));
  result.setJoinStyle(Qt::RoundJoin);
  result.setCapStyle(Qt::RoundCap);
  return result;
}

void Schematic::paintLink(QPainter& painter, const Shape& shape, bool marked) const {
  const auto& link = model_.links[static_cast<std::size_t>(shape.link)];
  painter.setPen(pen(link.physical, marked));
  painter.setBrush(Qt::NoBrush);
  const double y = shape.box.center().y(), x1 = shape.box.left(), x2 = shape.box.right();
  const bool spring = link.stiffness_n_per_m != 0.0, damper = link.damping_n_s_per_m != 0.0;
  double inner1 = x1, inner2 = x2;
  if (link.lane > 0) {  // down to the masses
    const double axis = shape.box.center().y() + kLane * link.lane;
    inner1 += 8, inner2 -= 8;
    painter.drawLine(QPointF(inner1, y), QPointF(inner1, axis - 0.5 * kMassSize));
    painter.drawLine(QPointF(inner2, y), QPointF(inner2, axis - 0.5 * kMassSize));
  }
  drawLink(painter, {inner1, y}, {inner2, y}, spring || !damper, damper);
  painter.setPen(colour(Role::text, palette()));
  painter.drawText(QRectF(x1 - 20, y - 40, x2 - x1 + 40, 20), Qt::AlignHCenter | Qt::AlignBottom,
                   QString::fromStdString(link.name));
}

void Schematic::paintNode(QPainter& painter, const Shape& shape, bool marked) const {
  const auto& node = model_.nodes[static_cast<std::size_t>(shape.node)];
  const QString name = QString::fromStdString(node.name);
  const QColor text = colour(Role::text, palette()), muted = colour(Role::mutedText, palette());
  const QRectF& box = shape.box;
  if (node.support) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(QBrush(muted, Qt::BDiagPattern));
    painter.drawRect(box);
    painter.setPen(QPen(muted, marked ? 2.5 : 1.6));
    painter.setBrush(Qt::NoBrush);
    painter.drawLine(box.topLeft(), box.bottomLeft());
    painter.drawLine(box.topRight(), box.bottomRight());
    painter.setPen(text);
    painter.drawText(QRectF(box.center().x() - 40, box.bottom() + 4, 80, 18), Qt::AlignHCenter | Qt::AlignTop, name);
  } else {
    const QColor hue = colour(node.physical ? Role::physical : Role::numerical, palette());
    painter.setPen(pen(node.physical, marked));
    painter.setBrush(blend(hue, colour(Role::panel, palette()), 0.14));
    painter.drawRoundedRect(box, 6, 6);
    if (node.interface > 0) {
      const QColor cut = colour(Role::interface, palette());
      painter.setPen(QPen(cut, 1.6, Qt::DashLine));
      painter.setBrush(Qt::NoBrush);
      painter.drawRoundedRect(box.adjusted(-6, -6, 6, 6), 9, 9);
      painter.setPen(cut);
      painter.drawText(QRectF(box.center().x() - 48, box.bottom() + 8, 96, 18), Qt::AlignHCenter | Qt::AlignTop,
                       tr("interface %1").arg(node.interface));
    }
    if (!node.laws.empty()) {
      painter.setPen(colour(Role::physical, palette()));
      painter.drawText(QRectF(box.center().x() - 90, box.bottom() + 24, 180, 18), Qt::AlignHCenter | Qt::AlignTop,
                       tr("on the rig: %1").arg(QString::fromStdString(node.laws)));
    }
    painter.setPen(text);
    painter.drawText(box, Qt::AlignCenter, painter.fontMetrics().elidedText(name, Qt::ElideRight, int(kMassSize) - 4));
  }
  if (!node.motion.empty()) {
    // Places the text beside items above the row, and inside the drawing at its ends.
    const double y = (node.support ? box.top() : box.top() - 20) - 14;
    painter.setPen(QPen(colour(Role::excitation, palette()), 1.6));
    drawArrow(painter, QPointF(box.center().x(), y), 16, node.support);
    const QString words = QString::fromStdString(node.motion);
    const double wide = painter.fontMetrics().horizontalAdvance(words) + 4.0;
    const double x = std::clamp(box.center().x() - 0.5 * wide, 4.0, std::max(4.0, width() - wide - 4.0));
    painter.drawText(QRectF(x, y - 26, wide, 18), Qt::AlignCenter, words);
  }
}

void Schematic::paintLegend(QPainter& painter) const {
  const QFontMetricsF metrics(painter.font());
  double x = 12;
  const double y = height() - 0.5 * kLegendHeight;
  const auto entry = [&](const QPen& line, const QColor& fill, const QString& words) {
    painter.setPen(line);
    painter.setBrush(fill);
    painter.drawRoundedRect(QRectF(x, y - 6, 16, 12), 3, 3);
    painter.setPen(colour(Role::mutedText, palette()));
    painter.drawText(QRectF(x + 22, y - 10, 240, 20), Qt::AlignVCenter | Qt::AlignLeft, words);
    x += 22 + metrics.horizontalAdvance(words) + 20;
  };
  const QColor base = colour(Role::panel, palette());
  entry(pen(false, false), blend(colour(Role::numerical, palette()), base, 0.14), tr("computed (NS)"));
  entry(pen(true, false), blend(colour(Role::physical, palette()), base, 0.14), tr("on the rig (PS)"));
  entry(QPen(colour(Role::interface, palette()), 1.6, Qt::DashLine), Qt::transparent, tr("interface"));
}

void Schematic::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (model_.nodes.empty()) {
    painter.setPen(colour(Role::mutedText, palette()));
    painter.drawText(rect(), Qt::AlignCenter,
                     tr("The structure is drawn here.\nAdd masses and links in section Structure."));
    return;
  }
  const auto paint = [&](bool links) {
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      const bool marked = static_cast<int>(i) == hovered_ || (hasFocus() && static_cast<int>(i) == current_);
      if (links && shapes_[i].link >= 0) paintLink(painter, shapes_[i], marked);
      if (!links && shapes_[i].node >= 0) paintNode(painter, shapes_[i], marked);
    }
  };
  paint(true);
  paint(false);
  if (hasFocus() && current_ >= 0) {
    painter.setPen(QPen(colour(Role::accent, palette()), 1, Qt::DotLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(shapes_[static_cast<std::size_t>(current_)].box.adjusted(-9, -9, 9, 9), 10, 10);
  }
  paintLegend(painter);
}

}  // namespace hyb::ui
