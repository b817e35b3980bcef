#pragma once
#include <QWidget>

#include "ui/configure/schematic_model.h"

namespace hyb::ui {

class ProjectDocument;

/// Drawing of the structure with its cut: computed side, tested side and interface in their colours. Elements show
/// their values under the pointer. While editing is on, a click or Enter moves an element to the other side.
class Schematic : public QWidget {
  Q_OBJECT
 public:
  explicit Schematic(ProjectDocument* document, QWidget* parent = nullptr);
  void setEditing(bool on);
  bool editing() const { return editing_; }
  /// Centre of a mass or link, for tests; null if not drawn.
  QPoint centreOf(const std::string& name) const;
  QSize minimumSizeHint() const override;
  QSize sizeHint() const override { return {480, 260}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;

 private:
  struct Shape {
    std::string name;
    QRectF box;   // drawn
    QRectF area;  // sensitive to the pointer
    QString tip;
    int node = -1, link = -1;
    bool can_toggle = false;
  };
  void rebuild();
  void layOut();
  int shapeAt(const QPointF& point) const;
  void toggle(int shape);
  void paintNode(QPainter& painter, const Shape& shape, bool marked) const;
  void paintLink(QPainter& painter, const Shape& shape, bool marked) const;
  void paintLegend(QPainter& painter) const;
  QPen pen(bool physical, bool marked) const;

  ProjectDocument* document_;
  SchematicModel model_;
  std::vector<Shape> shapes_;  // from left to right
  bool editing_ = false;
  int hovered_ = -1, current_ = -1;
};

}  // namespace hyb::ui
