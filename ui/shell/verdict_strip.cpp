#include "ui/shell/verdict_strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <algorithm>

#include "ui/base/fitted_label.h"
#include "ui/base/theme.h"
#include "ui/document/field_editors.h"

namespace hyb::ui {
namespace {

constexpr int kWidestRun_px = 220;  // the reasons need the room

}  // namespace

VerdictStrip::VerdictStrip(QWidget* parent) : QFrame(parent), run_(new PathLabel), reasons_(new QLabel) {
  setObjectName(QStringLiteral("verdict"));
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(16, 4, 8, 4);
  row->setSpacing(16);
  run_->setObjectName(QStringLiteral("verdict-run"));
  run_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);  // else the layout takes its width for 0
  row->addWidget(run_);
  const char* names[] = {"verdict-ended", "verdict-data", "verdict-test"};
  for (std::size_t w = 0; w < words_.size(); ++w) {
    words_[w] = new QLabel;
    words_[w]->setObjectName(QString::fromLatin1(names[w]));
    QFont bold = words_[w]->font();
    bold.setWeight(QFont::DemiBold);
    words_[w]->setFont(bold);
    row->addWidget(words_[w]);
  }
  reasons_->setWordWrap(true);
  reasons_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  reasons_->setFocusPolicy(Qt::NoFocus);
  reasons_->setObjectName(QStringLiteral("verdict-reasons"));
  row->addWidget(reasons_, 1);
  auto* away = new QToolButton;
  away->setText(QString::fromUtf8("×"));
  away->setToolTip(tr("Hides the verdict; Analyse still shows it"));
  away->setAccessibleName(tr("Hide the verdict"));
  away->setFocusPolicy(Qt::TabFocus);
  connect(away, &QToolButton::clicked, this, &VerdictStrip::clear);
  row->addWidget(away);
  hide();
}

void VerdictStrip::show(const VerdictText& verdict, const QString& run) {
  run_->setFixedWidth(std::min(run_->fontMetrics().horizontalAdvance(run) + 2, kWidestRun_px));
  run_->setLine(run);
  for (std::size_t w = 0; w < words_.size(); ++w) {
    const VerdictText::Word& word = verdict.words[w];
    words_[w]->setText(QStringLiteral("%1 %2: %3").arg(word.sign, word.title, word.word));
    setMark(words_[w], word.mark);
  }
  const QString all = verdict.reasons.join(QLatin1Char(' '));
  reasons_->setText(verdict.shown(QLatin1Char(' ')));
  reasons_->setToolTip(verdict.reasons.join(QLatin1Char('\n')));
  setAccessibleName(tr("Verdict on %1: %2").arg(run, verdict.sentence()));
  setAccessibleDescription(all);
  setVisible(true);
}

void VerdictStrip::clear() { hide(); }

void VerdictStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), colour(Role::panel, palette()));
  painter.setPen(colour(Role::border, palette()));
  painter.drawLine(0, 0, width(), 0);
}

}  // namespace hyb::ui
