#include "ui/plot/plot_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

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

}  // namespace

PlotPanel::PlotPanel(PlotView* plot, QWidget* parent) : QFrame(parent), plot_(plot) {
  setProperty("panel", true);
  title_ = new QLabel(plot->name());
  title_->setFont(figureFont(1.0, true));
  title_->setBuddy(plot);
  reading_ = new QLabel;
  reading_->setProperty("muted", true);
  reading_->setFont(figureFont(0.9));
  reading_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  reading_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // must never widen the panel
  reading_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  legend_ = new QWidget;
  auto* legend_layout = new QHBoxLayout(legend_);
  legend_layout->setContentsMargins(0, 0, 0, 0);
  legend_layout->setSpacing(0);
  legend_->setMinimumWidth(1);  // a narrow panel clips it, so that the window stays as small as it may be
  footnote_ = new QLabel;
  footnote_->setProperty("muted", true);
  footnote_->setFont(figureFont(0.85));
  footnote_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
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

void PlotPanel::addControl(QWidget* control) { header_->addWidget(control); }

void PlotPanel::setFootnote(const QString& text, const QString& meaning) {
  footnote_->setText(text);
  footnote_->setToolTip(meaning);
  footnote_->setVisible(!text.isEmpty());
}

void PlotPanel::updateReading() {
  const QString text = plot_->reading();
  if (text == reading_->text()) return plot_->describe();
  reading_->setText(text);
  reading_->setToolTip(text);
  plot_->describe();
}

void PlotPanel::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->pos().y() < plot_->y()) Q_EMIT soloRequested(this);
}

void PlotPanel::rebuildLegend() {
  for (QToolButton* button : legend_->findChildren<QToolButton*>(QString(), Qt::FindDirectChildrenOnly)) {
    button->hide();
    button->deleteLater();
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
}

}  // namespace hyb::ui
