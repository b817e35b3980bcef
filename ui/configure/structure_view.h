#pragma once
#include <QElapsedTimer>
#include <QPixmap>
#include <QTimer>
#include <QWidget>

#include "ui/configure/structure_painter.h"

namespace hyb::ui {

class ProjectDocument;

/// Drawing of a meshed structure, a building or a chain with its cut. A cut by position is a line that is dragged from
/// node to node (arrow keys, Home, End). In a cut by elements or nodes, a click or Enter moves a part to the other
/// side. The wheel zooms, the middle button pans, 0 or a double click fits.
class StructureView : public QWidget {
  Q_OBJECT
 public:
  explicit StructureView(ProjectDocument* document, QWidget* parent = nullptr);
  void setEditing(bool on);
  const StructureScene& scene() const { return scene_; }
  /// A mode to overlay on the structure, with its caption; none: undeformed.
  void setMode(std::optional<ModeShape> mode, const QString& caption = {});
  const std::optional<ModeShape>& mode() const { return mode_; }
  void setPlaying(bool on);
  /// Note beside the line of the present cut: "critical 6.5 ms".
  void setCutNote(const QString& note);

  // For tests and guides.
  QPoint cutHandle() const;
  QPoint centreOf(const std::string& member) const;
  QPoint placeOf(double position_m) const;  // on the line of a cut at this position

  QSize minimumSizeHint() const override { return {240, 180}; }
  QSize sizeHint() const override { return {480, 260}; }

 Q_SIGNALS:
  void sceneChanged();  // structure or cut
  void hovered(const QString& text);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void rebuild();     // structure
  void refreshCut();  // sides and line
  void fit();
  void zoom(double factor, const QPointF& at);
  void invalidate();
  StructurePainter painter() const { return {scene_, map_, palette()}; }
  QLineF cutLine(const CutLine& line) const;  // px
  bool onCutLine(const QPointF& point) const;
  void dragTo(const QPointF& point);
  void moveCut(double position_m);
  bool stepCut(int key);
  int elementAt(const QPointF& point) const;
  void toggle(const std::string& member);
  QString tipOf(std::size_t element) const;
  void describe();
  void paintCut(QPainter& painter) const;
  void paintLegend(QPainter& painter) const;
  void paintScaleBar(QPainter& painter) const;

  ProjectDocument* document_;
  StructureScene scene_;
  ViewMap map_;
  bool fitted_ = true;  // not zoomed by the user
  bool editing_ = false;
  bool dragging_ = false;
  std::optional<QPointF> panning_;
  int hovered_ = -1;
  int current_ = -1;  // member chosen with the keyboard
  std::optional<ModeShape> mode_;
  QString caption_, note_;
  QTimer play_;
  QElapsedTimer clock_;
  mutable QPixmap still_;  // cached drawing of the structure without cut and mode
};

}  // namespace hyb::ui
