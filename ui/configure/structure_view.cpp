#include "ui/configure/structure_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <set>

#include "ui/base/theme.h"
#include "ui/configure/link_symbols.h"
#include "ui/document/project_document.h"
#include "ui/plot/auto_range.h"

namespace hyb::ui {
namespace {

using Kind = StructureScene::Kind;

constexpr double kMargin = 44, kLegend = 28, kCaption = 26;
constexpr double kGrip = 9, kLineReach = 8;
constexpr double kStillOpacity = 0.3;
constexpr int kFrameMs = 33;
constexpr double kSwing_s = 2.0;  // one period of an animated mode

double nearest(const std::vector<double>& places, double wanted) {
  return *std::min_element(places.begin(), places.end(),
                           [wanted](double a, double b) { return std::abs(a - wanted) < std::abs(b - wanted); });
}

}  // namespace

StructureView::StructureView(ProjectDocument* document, QWidget* parent) : QWidget(parent), document_(document) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Drawing of the structure with its cut"));
  play_.setInterval(kFrameMs);
  connect(&play_, &QTimer::timeout, this, qOverload<>(&QWidget::update));
  connect(document, &ProjectDocument::changed, this, &StructureView::refreshCut);
  connect(document, &ProjectDocument::checked, this, &StructureView::rebuild);
  rebuild();
}

void StructureView::setEditing(bool on) {
  editing_ = on;
  if (!on) dragging_ = false;
  describe();
  update();
}

void StructureView::setMode(std::optional<ModeShape> mode, const QString& caption) {
  mode_ = std::move(mode);
  caption_ = caption;
  if (!mode_) play_.stop();
  update();
}

void StructureView::setPlaying(bool on) {
  clock_.start();
  if (on && mode_)
    play_.start();
  else
    play_.stop();
  update();
}

void StructureView::setCutNote(const QString& note) {
  if (note_ == note) return;
  note_ = note;
  update();
}

void StructureView::rebuild() {
  if (document_->model() != scene_.model) {
    const bool other_extent = !scene_.model || !document_->model() ||
                              scene_.extent != makeScene(document_->model(), document_->json()).extent;
    scene_ = makeScene(document_->model(), document_->json());
    hovered_ = current_ = -1;
    if (other_extent) fitted_ = true;
    if (fitted_) fit();
  }
  refreshCut();
}

void StructureView::refreshCut() {
  setCut(scene_, document_->json());
  invalidate();
  describe();
  Q_EMIT sceneChanged();
}

void StructureView::invalidate() {
  still_ = QPixmap();
  update();
}

void StructureView::describe() {
  const std::optional<CutLine> line = scene_.presentLine();
  QStringList words;
  if (scene_.drawable())
    words << tr("%1 parts, %2 elements, %3 interface nodes")
                 .arg(scene_.members.size())
                 .arg(scene_.model->elements.size())
                 .arg(scene_.interface.size());
  if (line) words << tr("cut %1").arg(scene_.placeText(*line));
  if (editing_ && scene_.line) words << tr("arrow keys move the cut");
  setAccessibleDescription(words.join(QStringLiteral("; ")));
}

void StructureView::fit() {
  fitted_ = true;
  QRectF extent = scene_.extent;
  double aside = kMargin, below = kMargin + kLegend, above = kMargin + kCaption;
  if (scene_.kind == Kind::lumped) extent.adjust(-0.85, 0, 0.85, 0);
  if (scene_.kind == Kind::frame) aside = 72, below = 26 + kLegend, above = 14 + kCaption;
  if (scene_.kind == Kind::shear_building) aside = 120, below = 24 + kLegend, above = 20 + kCaption;
  const double wide = std::max(40.0, width() - 2 * aside), high = std::max(40.0, height() - above - below);
  double scale = 1e12;
  if (extent.width() > 0.0) scale = std::min(scale, wide / extent.width());
  if (extent.height() > 0.0) scale = std::min(scale, high / extent.height());
  if (scale > 1e11) scale = 100.0;
  if (scene_.kind == Kind::lumped) scale = std::min(scale, 130.0);
  map_.scale = scale;
  const QPointF middle(0.5 * width(), above + 0.5 * high);
  map_.origin = middle - QPointF(scale * extent.center().x(), -scale * extent.center().y());
  invalidate();
}

void StructureView::zoom(double factor, const QPointF& at) {
  fitted_ = false;
  map_.scale *= factor;
  map_.origin = at + factor * (map_.origin - at);
  invalidate();
}

QLineF StructureView::cutLine(const CutLine& line) const {
  const QRectF& extent = scene_.extent;
  if (line.along_y) {
    const double y = map_(0, line.position_m).y();
    const double reach = scene_.kind == Kind::shear_building ? 130 : 34;
    return {std::max(12.0, map_(extent.left(), 0).x() - reach), y,
            std::min(width() - 12.0, map_(extent.right(), 0).x() + reach), y};
  }
  const double x = map_(line.position_m, 0).x();
  const double top = std::max(kCaption + 16.0, map_(0, extent.bottom()).y() - 64);
  return {x, top, x, std::min(height() - kLegend - 4.0, map_(0, extent.top()).y() + 64)};
}

bool StructureView::onCutLine(const QPointF& point) const {
  if (!scene_.line) return false;
  const QLineF line = cutLine(*scene_.line);
  if (QLineF(point, line.p1()).length() <= kGrip + 4) return true;
  return scene_.line->along_y
             ? std::abs(point.y() - line.y1()) <= kLineReach && point.x() >= line.x1() && point.x() <= line.x2()
             : std::abs(point.x() - line.x1()) <= kLineReach && point.y() >= line.y1() && point.y() <= line.y2();
}

QPoint StructureView::cutHandle() const { return scene_.line ? cutLine(*scene_.line).p1().toPoint() : QPoint(); }

QPoint StructureView::placeOf(double position_m) const {
  const bool along_y = scene_.line && scene_.line->along_y;
  return cutLine({along_y, position_m}).p1().toPoint();
}

QPoint StructureView::centreOf(const std::string& member) const {
  std::optional<QPointF> first, last;
  for (std::size_t e = 0; scene_.drawable() && e < scene_.model->elements.size(); ++e)
    if (scene_.model->elements[e].member == member) {
      const QLineF line = painter().lineOf(e);
      if (!first) first = line.p1();
      last = line.p2();
    }
  return first ? (0.5 * (*first + *last)).toPoint() : QPoint();
}

void StructureView::moveCut(double position_m) {
  if (scene_.line->position_m == position_m) return;
  document_->moveCut(position_m);
  document_->checkNow();  // updates figures during the drag
}

void StructureView::dragTo(const QPointF& point) {
  const std::vector<double>& places = scene_.places(scene_.line->along_y);
  if (!places.empty()) moveCut(nearest(places, scene_.line->along_y ? map_.yAt(point.y()) : map_.xAt(point.x())));
}

bool StructureView::stepCut(int key) {
  const std::vector<double>& places = scene_.places(scene_.line->along_y);
  if (places.empty()) return false;
  const int forward = scene_.line->along_y ? Qt::Key_Up : Qt::Key_Right;
  const int backward = scene_.line->along_y ? Qt::Key_Down : Qt::Key_Left;
  const auto now = std::min_element(places.begin(), places.end(), [&](double a, double b) {
    return std::abs(a - scene_.line->position_m) < std::abs(b - scene_.line->position_m);
  });
  if (key == Qt::Key_Home)
    moveCut(places.front());
  else if (key == Qt::Key_End)
    moveCut(places.back());
  else if (key == forward && now + 1 != places.end())
    moveCut(*(now + 1));
  else if (key == backward && now != places.begin())
    moveCut(*(now - 1));
  else
    return key == forward || key == backward;
  return true;
}

int StructureView::elementAt(const QPointF& point) const {
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  if (!scene_.drawable()) return best;
  const StructurePainter lines = painter();
  for (std::size_t e = 0; e < scene_.model->elements.size(); ++e) {
    const QLineF line = lines.lineOf(e);
    const QPointF way = line.p2() - line.p1(), to = point - line.p1();
    const double square = QPointF::dotProduct(way, way);
    const double share = square > 0.0 ? std::clamp(QPointF::dotProduct(to, way) / square, 0.0, 1.0) : 0.0;
    const QPointF off = to - share * way;
    // Symbols lie over lines, so they are tested first.
    const double bonus = scene_.model->elements[e].shape == ElementShape::mass ? 6.0 : 0.0;
    const double distance = std::hypot(off.x(), off.y());
    if (distance <= lines.reachOf(e) && distance - bonus < least) {
      least = distance - bonus;
      best = static_cast<int>(e);
    }
  }
  return best;
}

QString StructureView::tipOf(std::size_t e) const {
  const ModelElement& element = scene_.model->elements[e];
  const QString name = QString::fromStdString(element.name), member = QString::fromStdString(element.member);
  QStringList words{scene_.on_rig[e] ? tr("on the rig (PS)") : tr("computed (NS)")};
  if (!scene_.section[e].isEmpty()) words << tr("section %1").arg(scene_.section[e]);
  if (scene_.metric() && scene_.lengthOf(e) > 0.0)
    words << tr("%1\u2009mm long").arg(QString::number(1e3 * scene_.lengthOf(e), 'g', 4));
  QStringList ends;
  for (const std::size_t node : element.nodes) ends << QString::fromStdString(scene_.model->nodes[node].name);
  words << (ends.size() > 1 ? tr("from %1 to %2").arg(ends[0], ends[1]) : tr("at %1").arg(ends.value(0)));
  QString text = QStringLiteral("%1: %2").arg(name, words.join(QStringLiteral(", ")));
  if (!editing_) return text;
  if (scene_.line) return text + tr("\nDrag the line to move the cut");
  return scene_.by == "elements" || scene_.by == "nodes" ? text + tr("\nClick to move %1 to the other side").arg(member)
                                                         : text;
}

void StructureView::toggle(const std::string& member) {
  const bool on_rig = !scene_.memberOnRig(member);
  if (scene_.by == "elements") return document_->setPhysical({member}, on_rig);
  if (scene_.by != "nodes") return;
  // All nodes of the member. When it leaves the rig, nodes of other parts on the rig stay.
  std::set<std::size_t> nodes, needed;
  for (std::size_t e = 0; e < scene_.model->elements.size(); ++e) {
    const ModelElement& element = scene_.model->elements[e];
    if (element.member == member)
      nodes.insert(element.nodes.begin(), element.nodes.end());
    else if (scene_.on_rig[e])
      needed.insert(element.nodes.begin(), element.nodes.end());
  }
  std::vector<std::string> names;
  for (const std::size_t node : nodes)
    if (on_rig || !needed.contains(node)) names.push_back(scene_.model->nodes[node].name);
  document_->setPhysical(names, on_rig);
}

void StructureView::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::MiddleButton) {
    panning_ = event->position();
    return;
  }
  if (event->button() != Qt::LeftButton || !editing_) return;
  if (onCutLine(event->position())) {
    dragging_ = true;
    document_->endEdit();
    update();
  } else if (const int element = elementAt(event->position()); element >= 0 && !scene_.line) {
    toggle(scene_.model->elements[static_cast<std::size_t>(element)].member);
  }
}

void StructureView::mouseMoveEvent(QMouseEvent* event) {
  const QPointF point = event->position();
  if (panning_) {
    fitted_ = false;
    map_.origin += point - *panning_;
    panning_ = point;
    return invalidate();
  }
  if (dragging_) return dragTo(point);
  const bool line = editing_ && onCutLine(point);
  const int now = line ? -1 : elementAt(point);
  const bool can_toggle = editing_ && !scene_.line && now >= 0;
  setCursor(line         ? (scene_.line->along_y ? Qt::SplitVCursor : Qt::SplitHCursor)
            : can_toggle ? Qt::PointingHandCursor
                         : Qt::ArrowCursor);
  if (now == hovered_) return;
  hovered_ = now;
  if (now >= 0)
    QToolTip::showText(event->globalPosition().toPoint(), tipOf(static_cast<std::size_t>(now)), this);
  else
    QToolTip::hideText();
  update();
}

void StructureView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::MiddleButton) panning_.reset();
  if (event->button() != Qt::LeftButton || !dragging_) return;
  dragging_ = false;
  document_->endEdit();  // one drag is one undo step
  update();
}

void StructureView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (elementAt(event->position()) >= 0) return mousePressEvent(event);
  if (scene_.drawable()) fit();
}

void StructureView::wheelEvent(QWheelEvent* event) {
  if (!scene_.drawable()) return event->ignore();
  zoom(std::pow(1.2, event->angleDelta().y() / 120.0), event->position());
}

void StructureView::leaveEvent(QEvent*) {
  hovered_ = -1;
  update();
}

void StructureView::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  const QPointF middle(0.5 * width(), 0.5 * height());
  if (!scene_.drawable()) return QWidget::keyPressEvent(event);
  if (key == Qt::Key_Plus || key == Qt::Key_Minus) return zoom(key == Qt::Key_Plus ? 1.25 : 0.8, middle);
  if (key == Qt::Key_0) return fit();
  if (editing_ && scene_.line) {
    if (!event->isAutoRepeat()) document_->endEdit();  // a held key is one undo step
    if (stepCut(key)) return;
  } else if (key == Qt::Key_Left || key == Qt::Key_Right) {
    const int count = static_cast<int>(scene_.members.size());
    current_ = current_ < 0 ? (key == Qt::Key_Right ? 0 : count - 1)
                            : (current_ + (key == Qt::Key_Right ? 1 : count - 1)) % count;
    const std::string& member = scene_.members[static_cast<std::size_t>(current_)];
    for (std::size_t e = 0; e < scene_.model->elements.size(); ++e)
      if (scene_.model->elements[e].member == member) {
        QToolTip::showText(mapToGlobal(centreOf(member) + QPoint(0, 16)), tipOf(e), this);
        break;
      }
    return update();
  } else if (editing_ && current_ >= 0 && (key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Space)) {
    return toggle(std::string(scene_.members[static_cast<std::size_t>(current_)]));
  }
  QWidget::keyPressEvent(event);
}

void StructureView::resizeEvent(QResizeEvent*) {
  if (fitted_) fit();
  invalidate();
}

void StructureView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) invalidate();
  QWidget::changeEvent(event);
}

void StructureView::paintEvent(QPaintEvent*) {
  QPainter canvas(this);
  canvas.setRenderHint(QPainter::Antialiasing);
  if (!scene_.drawable()) {
    canvas.setPen(colour(Role::mutedText, palette()));
    canvas.drawText(
        rect().adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap,
        scene_.model ? tr("Plain matrices have no drawing.\nEnter the cut's degrees of freedom in section Partition.")
                     : tr("The structure is drawn here as soon as section Structure has no errors."));
    return;
  }
  if (still_.isNull()) {
    const qreal ratio = devicePixelRatioF();
    still_ = QPixmap(size() * ratio);
    still_.setDevicePixelRatio(ratio);
    still_.fill(Qt::transparent);
    QPainter picture(&still_);
    picture.setFont(font());
    picture.setRenderHint(QPainter::Antialiasing);
    painter().paintStructure(picture);
  }
  if (mode_) canvas.setOpacity(kStillOpacity);
  canvas.drawPixmap(0, 0, still_);
  canvas.setOpacity(1.0);
  if (mode_) {
    double amplitude = std::clamp(0.16 * std::max(scene_.extent.width(), scene_.extent.height()) * map_.scale, 20.0,
                                  0.3 * std::min(width(), height()));
    if (!scene_.metric()) amplitude = std::clamp(0.4 * map_.scale, 8.0, 80.0);
    if (play_.isActive()) amplitude *= std::cos(2.0 * M_PI * static_cast<double>(clock_.elapsed()) / (1e3 * kSwing_s));
    painter().paintMode(canvas, *mode_, amplitude);
    canvas.setPen(colour(Role::text, palette()));
    canvas.drawText(QRectF(12, 6, width() - 24, 20), Qt::AlignLeft | Qt::AlignVCenter, caption_);
  } else {
    painter().paintInterface(canvas);
  }
  if (!mode_ && (hovered_ >= 0 || (hasFocus() && current_ >= 0 && !scene_.line)))
    painter().paintMember(canvas, hovered_ >= 0 ? scene_.model->elements[static_cast<std::size_t>(hovered_)].member
                                                : scene_.members[static_cast<std::size_t>(current_)]);
  if (scene_.line) paintCut(canvas);
  paintLegend(canvas);
  if (scene_.metric()) paintScaleBar(canvas);
}

void StructureView::paintCut(QPainter& painter) const {
  const QLineF line = cutLine(*scene_.line);
  const QColor cut = colour(Role::interface, palette());
  const bool active = dragging_ || hasFocus();
  painter.setPen(QPen(cut, active ? 2.2 : 1.6, Qt::DashLine));
  painter.drawLine(line);
  const QPointF grip = line.p1();
  if (editing_) {
    painter.setPen(QPen(colour(Role::panel, palette()), 2));
    painter.setBrush(cut);
    painter.drawEllipse(grip, kGrip, kGrip);
    painter.setPen(QPen(colour(Role::panel, palette()), 1.8, Qt::SolidLine, Qt::RoundCap));
    const QPointF way = scene_.line->along_y ? QPointF(0, 1) : QPointF(1, 0), across(way.y(), way.x());
    for (const double sign : {-1.0, 1.0}) {  // an arrow each way
      painter.drawLine(grip + 5 * sign * way, grip + 2 * sign * way + 3 * across);
      painter.drawLine(grip + 5 * sign * way, grip + 2 * sign * way - 3 * across);
    }
    if (active && hasFocus()) {
      painter.setPen(QPen(colour(Role::accent, palette()), 2));
      painter.setBrush(Qt::NoBrush);
      painter.drawEllipse(grip, kGrip + 4, kGrip + 4);
    }
  }
  QString text = scene_.placeText(*scene_.line);
  if (!note_.isEmpty()) text += QStringLiteral("  ·  ") + note_;
  const QFontMetricsF metrics(painter.font());
  const double wide = metrics.horizontalAdvance(text) + 4;
  QRectF box(grip.x() + kGrip + 8, grip.y() - 10, wide, 20);
  if (scene_.line->along_y) box.moveLeft(line.x2() + 6);
  if (box.right() > width() - 8 && scene_.line->along_y) box.moveBottomRight({width() - 8.0, line.y1() - 4});
  if (box.right() > width() - 8) box.moveRight(grip.x() - kGrip - 8);
  if (box.left() < 8) box.moveLeft(8);
  painter.fillRect(box, colour(Role::panel, palette()));
  painter.setPen(cut);
  painter.drawText(box, Qt::AlignCenter, text);
}

void StructureView::paintLegend(QPainter& painter) const {
  const QFontMetricsF metrics(painter.font());
  double x = 12;
  const double y = height() - 0.5 * kLegend;
  const auto words = [&](const QString& text) {
    painter.setPen(colour(Role::mutedText, palette()));
    painter.drawText(QRectF(x + 26, y - 10, 240, 20), Qt::AlignVCenter | Qt::AlignLeft, text);
    x += 26 + metrics.horizontalAdvance(text) + 18;
  };
  for (const bool on_rig : {false, true}) {
    const QColor hue = colour(on_rig ? Role::physical : Role::numerical, palette());
    painter.setPen(QPen(hue, on_rig ? 2.2 : 1.4));
    painter.setBrush(on_rig ? hue : blend(hue, colour(Role::panel, palette()), 0.16));
    painter.drawRect(QRectF(x, y - 3, 20, 6));
    words(on_rig ? tr("on the rig (PS)") : tr("computed (NS)"));
  }
  painter.setPen(QPen(colour(Role::interface, palette()), 1.6, Qt::DashLine));
  painter.setBrush(Qt::NoBrush);
  painter.drawEllipse(QPointF(x + 10, y), 7, 7);
  words(tr("interface"));
}

void StructureView::paintScaleBar(QPainter& painter) const {
  const double length = niceStep(90.0 / map_.scale, 1);
  const double wide = length * map_.scale, right = width() - 14.0, y = height() - 8.0;
  if (wide > 0.5 * width()) return;
  painter.setPen(QPen(colour(Role::mutedText, palette()), 1.4));
  painter.drawLine(QPointF(right - wide, y), QPointF(right, y));
  for (const double x : {right - wide, right}) painter.drawLine(QPointF(x, y - 4), QPointF(x, y + 1));
  const QString text = length < 0.1 ? tr("%1\u2009mm").arg(1e3 * length) : tr("%1\u2009m").arg(length);
  painter.drawText(QRectF(right - wide - 40, y - 21, wide + 80, 16), Qt::AlignHCenter, text);
}

}  // namespace hyb::ui
