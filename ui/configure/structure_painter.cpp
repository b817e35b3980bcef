#include "ui/configure/structure_painter.h"

#include <QCoreApplication>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <map>

#include "ui/base/theme.h"
#include "ui/configure/link_symbols.h"

namespace hyb::ui {
namespace {

using Kind = StructureScene::Kind;

constexpr double kThinnest = 4, kThickest = 10, kColumn = 6;
constexpr double kGroundLink = 44, kRaised = 46, kMass = 36, kMassBlock = 14;
constexpr int kMostNames = 30;
constexpr double kReach = 8;

QPointF unit(const QPointF& v) {
  const double length = std::hypot(v.x(), v.y());
  return length > 0.0 ? v / length : QPointF(0, 1);
}

}  // namespace

QColor StructurePainter::hue(bool on_rig) const { return colour(on_rig ? Role::physical : Role::numerical, palette_); }

double StructurePainter::beamWidth(std::size_t element) const {
  const double full = scene_.kind == Kind::shear_building ? kColumn : kThickest;
  return kThinnest + (full - kThinnest) * scene_.thickness[element];
}

double StructurePainter::floorHalf() const { return std::clamp(0.8 * map_.scale, 14.0, 100.0); }

QLineF StructurePainter::lineOf(std::size_t e) const {
  const ModelElement& element = scene_.model->elements[e];
  const std::size_t node = element.nodes.front();
  const QPointF start = at(node);
  if (element.nodes.size() > 1) {
    QLineF line(start, at(element.nodes[1]));
    if (scene_.kind == Kind::lumped && line.length() > 1.5 * map_.scale) line.translate(0, -kRaised);
    return line;
  }
  if (element.shape == ElementShape::mass)
    return scene_.kind == Kind::shear_building
               ? QLineF(start - QPointF(floorHalf(), 0), start + QPointF(floorHalf(), 0))
               : QLineF(start, start);
  QPointF away(0, kGroundLink);
  if (scene_.kind == Kind::lumped) {
    const double x = scene_.model->nodes[node].x_m;
    const double reach = std::clamp(0.85 * map_.scale, 40.0, 120.0);
    if (x <= scene_.extent.left())
      away = {-reach, 0};
    else if (x >= scene_.extent.right())
      away = {reach, 0};
    else
      away = {0, kRaised + 24};
  } else if (!element.dofs.empty() && scene_.model->nodes[node].dof[0] == element.dofs.front()) {
    away = {-kGroundLink, 0};
  }
  return {start, start + away};
}

double StructurePainter::reachOf(std::size_t e) const {
  const ModelElement& element = scene_.model->elements[e];
  if (scene_.kind == Kind::shear_building && element.shape != ElementShape::mass) return floorHalf();
  if (element.shape == ElementShape::mass) return scene_.kind == Kind::lumped ? 0.5 * kMass : kMassBlock;
  return element.shape == ElementShape::link ? 14 : kReach;
}

void StructurePainter::paintStructure(QPainter& painter) const {
  if (scene_.kind == Kind::shear_building) paintMasses(painter);  // draws floors before the columns
  paintSupports(painter);
  paintBeams(painter);
  paintLinks(painter);
  if (scene_.kind != Kind::shear_building) paintMasses(painter);
  paintNames(painter);
}

void StructurePainter::paintBeams(QPainter& painter) const {
  const Model& model = *scene_.model;
  std::map<std::pair<bool, int>, QPainterPath> paths;  // by side and width in tenths of a pixel
  std::map<std::pair<bool, int>, std::size_t> ends;
  double longest = 0.0;
  for (std::size_t e = 0; e < model.elements.size(); ++e) {
    const ModelElement& element = model.elements[e];
    const bool column = scene_.kind == Kind::shear_building && element.shape == ElementShape::link;
    if (element.shape != ElementShape::beam && !column) continue;
    const auto key = std::pair(bool{scene_.on_rig[e]}, static_cast<int>(10.0 * beamWidth(e)));
    QPainterPath& path = paths[key];
    const QLineF line = lineOf(e);
    if (column) {
      for (const double side : {-0.8, 0.8}) {
        path.moveTo(line.p1() + QPointF(side * floorHalf(), 0));
        path.lineTo(line.p2() + QPointF(side * floorHalf(), 0));
      }
      continue;
    }
    longest = std::max(longest, line.length());
    const auto end = ends.find(key);
    if (end == ends.end() || end->second != element.nodes[0]) path.moveTo(line.p1());
    path.lineTo(line.p2());
    ends[key] = element.nodes[1];
  }
  painter.setBrush(Qt::NoBrush);
  for (const auto& [key, path] : paths) {  // computed parts first
    const double width = key.second / 10.0;
    painter.strokePath(path, QPen(hue(key.first), width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
    if (key.first) continue;
    const QColor inside = blend(hue(false), colour(Role::panel, palette_), 0.16);
    painter.strokePath(path, QPen(inside, std::max(1.0, width - 3.0), Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
  }
  if (scene_.kind != Kind::beam && scene_.kind != Kind::frame) return;
  std::vector<int> degree(model.nodes.size());
  std::vector<const std::string*> member(model.nodes.size(), nullptr);
  for (const ModelElement& element : model.elements) {
    if (element.shape != ElementShape::beam) continue;
    for (const std::size_t node : element.nodes) {
      ++degree[node];
      if (member[node] && *member[node] != element.member) degree[node] += 2;  // members meet here
      member[node] = &element.member;
    }
  }
  painter.setPen(Qt::NoPen);
  for (std::size_t node = 0; node < model.nodes.size(); ++node) {
    const bool joint = degree[node] > 0 && degree[node] != 2;
    if (!joint && longest < 14.0) continue;  // nodes of a fine mesh would blur
    painter.setBrush(colour(joint ? Role::text : Role::mutedText, palette_));
    const double radius = joint ? 3.0 : 1.4;
    painter.drawEllipse(at(node), radius, radius);
  }
}

void StructurePainter::paintLinks(QPainter& painter) const {
  if (scene_.kind == Kind::shear_building) return;
  const Model& model = *scene_.model;
  for (std::size_t e = 0; e < model.elements.size(); ++e) {
    const ModelElement& element = model.elements[e];
    if (element.shape != ElementShape::link) continue;
    QLineF line = lineOf(e);
    painter.setPen(
        QPen(hue(scene_.on_rig[e]), scene_.on_rig[e] ? 2.6 : 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    const bool spring = element.k.norm() > 0.0 || element.nonlinear, damper = element.c.norm() > 0.0;
    const QPointF along = unit(line.p2() - line.p1());
    if (scene_.kind == Kind::lumped) {
      if (line.p1().y() != at(element.nodes.front()).y()) {  // raised above the nodes between
        for (const QPointF& end : {line.p1(), line.p2()})
          painter.drawLine(end, end + QPointF(0, kRaised - 0.5 * kMass));
      } else {
        line.setP1(line.p1() + 0.5 * kMass * along);
        if (element.nodes.size() > 1) line.setP2(line.p2() - 0.5 * kMass * along);
      }
    }
    if (line.length() < 2.0) {
      painter.drawEllipse(line.p1(), 7, 7);  // between two nodes at one place
      continue;
    }
    drawLink(painter, line.p1(), line.p2(), spring || !damper, damper);
    if (element.nodes.size() > 1) continue;
    painter.setPen(QPen(colour(Role::mutedText, palette_), 1.6));
    drawGround(painter, line.p2(), along, scene_.kind == Kind::lumped ? 26 : 12);
  }
}

void StructurePainter::paintMasses(QPainter& painter) const {
  const Model& model = *scene_.model;
  for (std::size_t e = 0; e < model.elements.size(); ++e) {
    const ModelElement& element = model.elements[e];
    if (element.shape != ElementShape::mass) continue;
    const bool on_rig = scene_.on_rig[e];
    const QPointF centre = at(element.nodes.front());
    painter.setPen(QPen(hue(on_rig), on_rig ? 2.6 : 1.6));
    painter.setBrush(on_rig ? hue(true) : blend(hue(false), colour(Role::panel, palette_), 0.16));
    if (scene_.kind == Kind::shear_building) {
      const double high = std::clamp(0.14 * map_.scale, 3.0, 12.0);
      painter.drawRoundedRect(QRectF(centre.x() - floorHalf(), centre.y() - 0.5 * high, 2 * floorHalf(), high), 2, 2);
      continue;
    }
    const double size = scene_.kind == Kind::lumped ? std::clamp(0.6 * map_.scale, 6.0, kMass) : kMassBlock;
    const QRectF box(centre - QPointF(0.5 * size, 0.5 * size), QSizeF(size, size));
    if (scene_.kind == Kind::lumped && on_rig) painter.setBrush(blend(hue(true), colour(Role::panel, palette_), 0.3));
    painter.drawRoundedRect(box, 0.2 * size, 0.2 * size);
    if (scene_.kind != Kind::lumped || size < 20) continue;
    painter.setPen(colour(Role::text, palette_));
    painter.drawText(box, Qt::AlignCenter,
                     painter.fontMetrics().elidedText(QString::fromStdString(element.name), Qt::ElideRight, 30));
  }
}

void StructurePainter::paintSupports(QPainter& painter) const {
  const Model& model = *scene_.model;
  if (scene_.kind == Kind::lumped) return;  // supports come with their links
  std::map<std::size_t, QPointF> pull;      // of the beams that end at a held node
  for (std::size_t e = 0; e < model.elements.size(); ++e) {
    if (model.elements[e].nodes.size() < 2) continue;
    const std::size_t a = model.elements[e].nodes[0], b = model.elements[e].nodes[1];
    pull[a] += unit(at(b) - at(a));
    pull[b] += unit(at(a) - at(b));
  }
  painter.setPen(QPen(colour(Role::mutedText, palette_), 1.8));
  painter.setBrush(colour(Role::panel, palette_));
  for (std::size_t node = 0; node < model.nodes.size(); ++node) {
    const auto& fixed = model.nodes[node].fixed;
    if (!fixed[0] && !fixed[1] && !fixed[2]) continue;
    const QPointF beam = pull[node];
    const bool end = std::hypot(beam.x(), beam.y()) > 0.5;
    const bool moves = scene_.kind == Kind::frame && (!fixed[0] || !fixed[1]);
    if (scene_.kind == Kind::shear_building) {
      drawGround(painter, at(node), {0, 1}, 1.3 * floorHalf());
    } else if (fixed[2] && !fixed[0] && !fixed[1]) {
      painter.drawRect(QRectF(at(node) - QPointF(6, 6), QSizeF(12, 12)));  // only the rotation is held
    } else if (fixed[2] && !moves) {
      drawGround(painter, at(node), end ? -unit(beam) : QPointF(0, 1), 18);
    } else {
      drawHinge(painter, at(node), fixed[0] && !fixed[1] ? QPointF(-1, 0) : QPointF(0, 1), moves);
    }
  }
}

void StructurePainter::paintNames(QPainter& painter) const {
  if (scene_.kind == Kind::lumped || scene_.members.size() > kMostNames) return;
  const Model& model = *scene_.model;
  std::map<std::string, std::pair<QPointF, QPointF>> spans;
  for (std::size_t e = 0; e < model.elements.size(); ++e) {
    const ModelElement& element = model.elements[e];
    const QLineF line = lineOf(e);
    const auto [span, fresh] = spans.try_emplace(element.member, line.p1(), line.p2());
    if (!fresh && element.shape == ElementShape::beam) span->second.second = line.p2();
  }
  painter.setPen(colour(Role::mutedText, palette_));
  const QFontMetricsF metrics(painter.font());
  const double centre = map_(scene_.extent.center().x(), 0).x();
  std::vector<QRectF> taken;
  for (const auto& [member, span] : spans) {
    const QString name = QString::fromStdString(member);
    const QPointF way = span.second - span.first, middle = 0.5 * (span.first + span.second);
    const double wide = metrics.horizontalAdvance(name) + 2, high = metrics.height();
    QRectF box(0, 0, wide, high);
    const bool level = std::abs(way.x()) >= std::abs(way.y());
    if (scene_.kind == Kind::shear_building)
      box.moveTopLeft({middle.x() + floorHalf() + 10, std::max(span.first.y(), span.second.y()) - 0.5 * high});
    else if (level)
      box.moveCenter({middle.x(), middle.y() - 16});
    else
      box.moveTopLeft({middle.x() < centre ? middle.x() - 10 - wide : middle.x() + 10, middle.y() - 0.5 * high});
    // Names that would overlap are left out; the tooltip shows them.
    const bool fits = way.isNull() || (level ? std::abs(way.x()) > 0.9 * wide : std::abs(way.y()) > 1.2 * high);
    const auto overlaps = [&](const QRectF& other) { return other.intersects(box); };
    if (!fits || std::any_of(taken.begin(), taken.end(), overlaps)) continue;
    painter.drawText(box, Qt::AlignCenter, name);
    taken.push_back(box);
  }
}

void StructurePainter::paintInterface(QPainter& painter) const {
  painter.setPen(QPen(colour(Role::interface, palette_), 1.6, Qt::DashLine));
  painter.setBrush(Qt::NoBrush);
  for (const std::size_t node : scene_.interface) {
    if (scene_.kind == Kind::shear_building)
      painter.drawRoundedRect(QRectF(at(node) - QPointF(floorHalf() + 5, 9), QSizeF(2 * floorHalf() + 10, 18)), 6, 6);
    else if (scene_.kind == Kind::lumped)
      painter.drawRoundedRect(QRectF(at(node) - QPointF(24, 24), QSizeF(48, 48)), 9, 9);
    else
      painter.drawEllipse(at(node), 9, 9);
  }
  painter.setPen(hue(true));
  for (const auto& [node, words] : scene_.laws) {
    const QString text = QCoreApplication::translate("StructurePainter", "on the rig: %1").arg(words);
    painter.drawText(QRectF(at(node) + QPointF(-120, 26), QSizeF(240, 20)), Qt::AlignHCenter | Qt::AlignTop, text);
  }
}

void StructurePainter::paintMember(QPainter& painter, const std::string& member) const {
  QColor glow = colour(Role::accent, palette_);
  glow.setAlphaF(0.28f);
  painter.setPen(QPen(glow, 18, Qt::SolidLine, Qt::RoundCap));
  for (std::size_t e = 0; e < scene_.model->elements.size(); ++e)
    if (scene_.model->elements[e].member == member) {
      const QLineF line = lineOf(e);
      if (line.length() < 1.0)
        painter.drawPoint(line.p1());
      else
        painter.drawLine(line);
    }
}

void StructurePainter::paintMode(QPainter& painter, const ModeShape& mode, double amplitude_px) const {
  const Model& model = *scene_.model;
  if (mode.motion.size() != static_cast<Eigen::Index>(model.dofs.size())) return;
  const auto motion = [&](std::size_t node, std::size_t direction) {
    const Eigen::Index dof = model.nodes[node].dof[direction];
    return dof < 0 ? 0.0 : mode.motion[dof];
  };
  double most = 0.0;
  for (std::size_t e = 0; e < model.elements.size(); ++e)
    for (const std::size_t node : model.elements[e].nodes)
      most = std::max(
          {most, std::hypot(motion(node, 0), motion(node, 1)), 0.15 * std::abs(motion(node, 2)) * scene_.lengthOf(e)});
  if (!(most > 0.0)) return;
  const double factor = amplitude_px / most;
  const auto moved = [&](std::size_t node) { return at(node) + factor * QPointF(motion(node, 0), -motion(node, 1)); };
  std::map<bool, QPainterPath> paths;
  for (std::size_t e = 0; e < model.elements.size(); ++e) {
    const ModelElement& element = model.elements[e];
    QPainterPath& path = paths[scene_.on_rig[e]];
    const QPointF first = moved(element.nodes.front());
    if (element.shape == ElementShape::mass) {
      if (scene_.kind == Kind::shear_building) {
        path.moveTo(first - QPointF(floorHalf(), 0));
        path.lineTo(first + QPointF(floorHalf(), 0));
      } else {
        const double half = scene_.kind == Kind::lumped ? 0.3 * std::min(map_.scale, kMass / 0.6) : 0.5 * kMassBlock;
        path.addRect(QRectF(first - QPointF(half, half), QSizeF(2 * half, 2 * half)));
      }
      continue;
    }
    if (element.nodes.size() < 2) continue;
    const QPointF last = moved(element.nodes[1]);
    if (scene_.kind == Kind::shear_building) {
      for (const double side : {-0.8, 0.8}) {  // a column clamped in both floors
        const QPointF shift(side * floorHalf(), 0), lift(0, 0.5 * (last.y() - first.y()));
        path.moveTo(first + shift);
        path.cubicTo(first + shift + lift, last + shift - lift, last + shift);
      }
      continue;
    }
    if (element.shape != ElementShape::beam) {
      path.moveTo(first);
      path.lineTo(last);
      continue;
    }
    const std::size_t a = element.nodes[0], b = element.nodes[1];
    const double length = scene_.lengthOf(e);
    const QPointF straight = at(b) - at(a);
    const double c = (model.nodes[b].x_m - model.nodes[a].x_m) / length,
                 s = (model.nodes[b].y_m - model.nodes[a].y_m) / length;
    const double u1 = c * motion(a, 0) + s * motion(a, 1), v1 = c * motion(a, 1) - s * motion(a, 0);
    const double u2 = c * motion(b, 0) + s * motion(b, 1), v2 = c * motion(b, 1) - s * motion(b, 0);
    const double turn1 = length * motion(a, 2), turn2 = length * motion(b, 2);
    const int pieces = std::clamp(static_cast<int>(std::hypot(straight.x(), straight.y()) / 6.0), 1, 16);
    if (path.elementCount() == 0 || QLineF(path.currentPosition(), first).length() > 0.01) path.moveTo(first);
    for (int i = 1; i <= pieces; ++i) {
      const double x = static_cast<double>(i) / pieces, x2 = x * x, x3 = x2 * x;
      const double u = (1.0 - x) * u1 + x * u2;
      const double v =
          (1 - 3 * x2 + 2 * x3) * v1 + (x - 2 * x2 + x3) * turn1 + (3 * x2 - 2 * x3) * v2 + (x3 - x2) * turn2;
      path.lineTo(at(a) + x * straight + factor * QPointF(c * u - s * v, -(s * u + c * v)));
    }
  }
  painter.setBrush(Qt::NoBrush);
  for (const auto& [on_rig, path] : paths)
    painter.strokePath(path, QPen(hue(on_rig), on_rig ? 3.0 : 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
}

}  // namespace hyb::ui
