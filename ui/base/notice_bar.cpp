#include "ui/base/notice_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

#include "ui/base/theme.h"

namespace hyb::ui {
namespace {

constexpr int kEdge_px = 6;

}  // namespace

NoticeBar::NoticeBar(const char* mark, QWidget* parent)
    : QFrame(parent), mark_(QString::fromLatin1(mark)), text_(new QLabel), row_(new QHBoxLayout(this)) {
  row_->setContentsMargins(kEdge_px + 10, 4, 8, 4);
  row_->setSpacing(8);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  text_->setFocusPolicy(Qt::NoFocus);
  QFont bold = text_->font();
  bold.setWeight(QFont::DemiBold);
  text_->setFont(bold);
  row_->addWidget(text_, 1);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  hide();
}

void NoticeBar::setText(const QString& text) {
  text_->setText(text);
  setAccessibleName(text);
  setVisible(!text.isEmpty());
}

QString NoticeBar::text() const { return text_->text(); }

void NoticeBar::addWidget(QWidget* widget) { row_->addWidget(widget); }

void NoticeBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const QColor hue = colour(mark_ == QLatin1String("error") ? Role::error : Role::warning, palette());
  QColor tint = hue;
  tint.setAlphaF(0.12f);
  painter.fillRect(rect(), colour(Role::panel, palette()));
  painter.fillRect(rect(), tint);
  painter.fillRect(QRect(0, 0, kEdge_px, height()), hue);
}

}  // namespace hyb::ui
