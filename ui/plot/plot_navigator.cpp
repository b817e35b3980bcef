#include "ui/plot/plot_navigator.h"

#include <qwt_plot.h>
#include <qwt_scale_map.h>
#include <qwt_scale_widget.h>

#include <QContextMenuEvent>
#include <QFileDialog>
#include <QHelpEvent>
#include <QMenu>
#include <QMessageBox>
#include <QMouseEvent>
#include <QRubberBand>
#include <QToolTip>
#include <QWheelEvent>
#include <cmath>

#include "ui/plot/plot_view.h"
#include "ui/plot/value_table_dialog.h"

namespace hyb::ui {
namespace {

constexpr int kCursorReach_px = 5, kSmallestBox_px = 6;

/// Moves and stretches the range of an axis in pixels, so that any transformation of the scale is respected.
void setByPixels(PlotView& plot, QwtAxisId axis, double from_px, double to_px) {
  const QwtScaleMap map = plot.canvasMap(axis);
  const double a = map.invTransform(from_px), b = map.invTransform(to_px);
  plot.zoomTo(axis, std::min(a, b), std::max(a, b));
}

}  // namespace

PlotNavigator::PlotNavigator(PlotView* plot)
    : QObject(plot),
      plot_(plot),
      canvas_(plot->canvas()),
      band_(new QRubberBand(QRubberBand::Rectangle, plot->canvas())) {
  plot->canvas()->installEventFilter(this);
  plot->canvas()->setMouseTracking(true);
  for (int axis = 0; axis < QwtAxis::AxisPositions; ++axis) plot->axisWidget(axis)->installEventFilter(this);
}

bool PlotNavigator::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Wheel) {
    for (int axis = 0; axis < QwtAxis::AxisPositions; ++axis)
      if (watched == plot_->axisWidget(axis)) return wheel(*static_cast<QWheelEvent*>(event), axis, false), true;
    return wheel(*static_cast<QWheelEvent*>(event), QwtAxis::XBottom, !plot_->hasTimeAxis()), true;
  }
  if (watched != canvas_) return false;
  switch (event->type()) {
    case QEvent::MouseButtonPress:
      return press(*static_cast<QMouseEvent*>(event));
    case QEvent::MouseMove:
      return move(*static_cast<QMouseEvent*>(event));
    case QEvent::MouseButtonRelease:
      return release(*static_cast<QMouseEvent*>(event));
    case QEvent::ToolTip:
      return tell(*static_cast<QHelpEvent*>(event));
    case QEvent::MouseButtonDblClick:
      plot_->fit();
      plot_->refresh();
      return true;
    case QEvent::ContextMenu:
      showMenu(static_cast<QContextMenuEvent*>(event)->globalPos());
      return true;
    default:
      return false;
  }
}

bool PlotNavigator::press(const QMouseEvent& event) {
  start_ = last_ = event.pos();
  plot_->setFocus(Qt::MouseFocusReason);
  if (event.button() == Qt::MiddleButton ||
      (event.button() == Qt::LeftButton && (event.modifiers() & Qt::ControlModifier))) {
    drag_ = Drag::pan;
  } else if (event.button() == Qt::LeftButton) {
    cursor_ = plot_->cursorAt(start_.x(), kCursorReach_px);
    drag_ = cursor_ >= 0 ? Drag::cursor : Drag::box;
  } else {
    return false;
  }
  return true;
}

bool PlotNavigator::move(const QMouseEvent& event) {
  switch (drag_) {
    case Drag::none:
      plot_->canvas()->setCursor(plot_->cursorAt(event.pos().x(), kCursorReach_px) >= 0 ? Qt::SplitHCursor
                                                                                        : Qt::ArrowCursor);
      return false;
    case Drag::box:
      band_->setGeometry(QRect(start_, event.pos()).normalized());
      band_->setVisible((event.pos() - start_).manhattanLength() >= kSmallestBox_px);
      break;
    case Drag::cursor:
      plot_->moveCursor(cursor_, plot_->invTransform(QwtAxis::XBottom, event.pos().x()));
      plot_->refresh();
      break;
    case Drag::pan: {
      const QPoint way = event.pos() - last_;
      last_ = event.pos();
      const QSize size = plot_->canvas()->size();
      if (way.x() != 0) setByPixels(*plot_, QwtAxis::XBottom, -way.x(), size.width() - way.x());
      if (way.y() != 0) setByPixels(*plot_, QwtAxis::YLeft, size.height() - way.y(), -way.y());
      plot_->refresh();
      break;
    }
  }
  return true;
}

bool PlotNavigator::release(const QMouseEvent& event) {
  const Drag drag = std::exchange(drag_, Drag::none);
  band_->hide();
  if (drag == Drag::cursor) plot_->cursorReleased(cursor_);
  if (drag != Drag::box) return drag != Drag::none;
  const QRect box = QRect(start_, event.pos()).normalized();
  // A flat box zooms one direction only.
  const bool wide = box.width() >= kSmallestBox_px, high = box.height() >= kSmallestBox_px;
  if (!wide && !high) {  // a receiver may delete the plot
    QMetaObject::invokeMethod(
        plot_, [plot = plot_, at = event.position()] { plot->clickedAt(at); }, Qt::QueuedConnection);
    return true;
  }
  if (high) setByPixels(*plot_, QwtAxis::YLeft, box.bottom(), box.top());
  if (high && plot_->isAxisVisible(QwtAxis::YRight)) setByPixels(*plot_, QwtAxis::YRight, box.bottom(), box.top());
  if (wide) setByPixels(*plot_, QwtAxis::XBottom, box.left(), box.right());
  plot_->refresh();
  return true;
}

bool PlotNavigator::tell(const QHelpEvent& event) {
  const QString said = plot_->saidAt(event.pos());
  QToolTip::showText(event.globalPos(), said, plot_->canvas());  // does not hide the tooltip before
  return !said.isEmpty();
}

void PlotNavigator::wheel(const QWheelEvent& event, QwtAxisId axis, bool both) {
  const double factor = std::pow(0.85, event.angleDelta().y() / 120.0);
  const QPointF at = plot_->canvas()->mapFromGlobal(event.globalPosition());
  const QSize size = plot_->canvas()->size();
  const auto stretch = [&](QwtAxisId which) {
    const bool horizontal = QwtAxis::isXAxis(which);
    const double pivot = horizontal ? at.x() : at.y(), length = horizontal ? size.width() : size.height();
    setByPixels(*plot_, which, pivot - factor * pivot, pivot + factor * (length - pivot));
  };
  stretch(axis);
  if (both) stretch(QwtAxis::YLeft);
  plot_->refresh();
}

void PlotNavigator::showMenu(const QPoint& at) {
  auto* menu = new QMenu(plot_);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("Fit"), plot_, [this] {
    plot_->fit();
    plot_->refresh();
  });
  if (plot_->hasTimeAxis()) {
    QAction* cursors = menu->addAction(tr("Two cursors"), plot_, [this] {
      plot_->toggleCursors();
      plot_->refresh();
    });
    cursors->setCheckable(true);
    cursors->setChecked(plot_->cursorsShown());
  }
  menu->addSeparator();
  menu->addAction(tr("Export PNG, SVG, PDF…"), this, &PlotNavigator::chooseExport);
  menu->addAction(tr("Table of values"), this, &PlotNavigator::showTable);
  menu->popup(at);
}

void PlotNavigator::chooseExport() {
  auto* dialog = new QFileDialog(plot_, tr("Export plot"), {}, tr("PDF (*.pdf);;SVG (*.svg);;PNG (*.png)"));
  dialog->selectFile(plot_->name());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("pdf"));
  dialog->setModal(false);
  connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& kind) {  // "PNG (*.png)"
    dialog->setDefaultSuffix(kind.section(QLatin1Char('.'), -1).chopped(1));
  });
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
    const QString problem = plot_->exportTo(file);
    if (problem.isEmpty()) return;
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Export plot"), problem, QMessageBox::Ok, plot_);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setModal(false);
    box->show();
  });
  dialog->show();
}

void PlotNavigator::showTable() {
  auto* dialog = new ValueTableDialog(plot_->name(), plot_->valueTable(), plot_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->show();
}

}  // namespace hyb::ui
