#include "ui/plot/plot_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "ui/base/fitted_label.h"
#include "ui/plot/plot_view.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

QIcon lineIcon(const QColor& colour, Qt::PenStyle style, bool on, qreal ratio) {
  QPixmap pixmap(QSize(14, 12) * ratio);
  pixmap.setDevicePixelRatio(ratio);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setPen(QPen(colour, on ? 2.0 : 0.0, style));
  painter.drawLine(QPointF(1, 6), QPointF(13, 6));
  return QIcon(pixmap);
}

constexpr int kTall_px = 320;  // of a panel with room for a line of the legend

}  // namespace

PlotPanel::PlotPanel(PlotView* plot, QWidget* parent) : Panel(parent), plot_(plot) {
  title_ = new QLabel(plot->name());
  title_->setFont(figureFont(1.0, true));
  title_->setBuddy(plot);
  reading_ = new PartsLabel;
  reading_->setProperty("muted", true);
  reading_->setFont(figureFont(0.9));
  reading_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  reading_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  legend_ = new QWidget;
  auto* legend_layout = new QHBoxLayout(legend_);
  legend_layout->setContentsMargins(0, 0, 0, 0);
  legend_layout->setSpacing(0);
  legend_->setMinimumWidth(1);  // a narrow panel clips the legend, so that the window can be small
  footnote_ = new PartsLabel;
  footnote_->setProperty("muted", true);
  footnote_->setFont(figureFont(0.85));
  footnote_->hide();

  header_ = new QHBoxLayout;
  header_->setContentsMargins(0, 0, 0, 0);
  header_->setSpacing(8);
  header_->addWidget(title_);
  header_->addWidget(legend_);
  header_->addWidget(reading_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 4, 8, 4);
  layout->setSpacing(2);
  layout->addLayout(header_);
  layout->addWidget(plot, 1);
  layout->addWidget(footnote_);
  connect(plot, &PlotView::legendChanged, this, &PlotPanel::rebuildLegend);
  rebuildLegend();
}

void PlotPanel::addControl(QWidget* control) {
  header_->addWidget(control);
  fitLegend();
}

void PlotPanel::setFootnote(const QString& text, const QString& meaning) {
  footnote_->setLine(text, meaning.isEmpty() ? QString() : text + QStringLiteral("\n\n") + meaning);
  footnote_->setVisible(!text.isEmpty());
}

void PlotPanel::updateReading() {
  reading_->setLine(plot_->reading());
  plot_->describe();
}

void PlotPanel::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->pos().y() < plot_->y()) Q_EMIT soloRequested(this);
}

void PlotPanel::rebuildLegend() {
  while (QLayoutItem* item = legend_->layout()->takeAt(0)) {
    item->widget()->hide();
    item->widget()->deleteLater();  // the pressed button may be among them
    delete item;
  }
  const std::vector<LegendEntry> entries = plot_->legendEntries();
  legend_->setVisible(entries.size() > 1);
  if (entries.size() < 2) return;
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const LegendEntry& entry = entries[e];
    auto* button = new QToolButton(legend_);
    button->setCheckable(true);
    button->setAutoRaise(true);
    button->setStyleSheet(
        QStringLiteral("QToolButton { padding: 1px 0px; } QToolButton:checked { background: transparent; }"));
    button->setText(entry.text);
    button->setFont(figureFont(0.85));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setIconSize(QSize(14, 12));
    button->setToolTip(tr("Show or hide %1").arg(entry.text));
    button->setAccessibleName(tr("Show %1").arg(entry.text));
    const QColor shown = colour(entry.role, palette()), hidden = colour(Role::border, palette());
    const qreal ratio = devicePixelRatioF();
    const auto paint = [button, entry, shown, hidden, ratio](bool on) {
      button->setIcon(lineIcon(on ? shown : hidden, entry.style, on, ratio));
    };
    button->setChecked(entry.visible);
    paint(entry.visible);
    connect(button, &QToolButton::toggled, this, [this, e, paint](bool on) {
      paint(on);
      plot_->setEntryVisible(e, on);
    });
    legend_->layout()->addWidget(button);
  }
  fitLegend();
}

void PlotPanel::fitLegend() {
  const auto style = [&](Qt::ToolButtonStyle wanted) {
    int width = 0;
    for (int i = 0; i < legend_->layout()->count();
         ++i) {  // buttons of the previous legend are outside the layout until deleted
      auto* button = qobject_cast<QToolButton*>(legend_->layout()->itemAt(i)->widget());
      if (button->toolButtonStyle() != wanted) button->setToolButtonStyle(wanted);
      width += button->sizeHint().width();
    }
    return width;
  };
  const int line = width() - layout()->contentsMargins().left() - layout()->contentsMargins().right();
  int room = line;
  for (int i = 0; i < header_->count(); ++i) {
    QWidget* beside = header_->itemAt(i)->widget();
    if (beside != nullptr && beside != legend_ && beside != reading_ && beside->isVisibleTo(this))
      room -= beside->sizeHint().width() + header_->spacing();
  }
  const int wanted = style(Qt::ToolButtonTextBesideIcon);
  putLegend(wanted > room && wanted <= line && height() >= kTall_px);
  if (wanted > room && !legend_below_) style(Qt::ToolButtonIconOnly);
}

void PlotPanel::putLegend(bool below) {
  if (std::exchange(legend_below_, below) == below) return;
  if (below) {
    header_->removeWidget(legend_);
    static_cast<QVBoxLayout*>(layout())->insertWidget(1, legend_, 0, Qt::AlignLeft);
  } else {
    layout()->removeWidget(legend_);
    header_->insertWidget(1, legend_);
  }
}

void PlotPanel::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  fitLegend();
}

}  // namespace hyb::ui
