#include "ui/run/preflight_panel.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/base/fitted_label.h"
#include "ui/base/scrolled.h"
#include "ui/document/field_editors.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {

PreflightPanel::PreflightPanel(QWidget* parent)
    : Panel(parent),
      list_(new PreflightList),
      scroll_(scrolled(list_)),
      file_(new PathLabel),
      left_(new QLabel),
      waits_(new QLabel),
      run_(new QPushButton(tr("Run (F6)"))),
      disarm_(new QPushButton(tr("Disarm"))) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  auto* title = new QLabel(tr("Before you run"));
  title->setFont(figureFont(1.0, true));
  left_->setProperty("muted", true);
  file_->setProperty("muted", true);
  waits_->setObjectName(QStringLiteral("preflight-waits"));
  run_->setDefault(true);
  run_->setObjectName(QStringLiteral("preflight-run"));
  run_->setAccessibleName(tr("Run the armed test"));
  connect(run_, &QPushButton::clicked, this, &PreflightPanel::runRequested);
  connect(disarm_, &QPushButton::clicked, this, &PreflightPanel::disarmRequested);
  connect(list_, &PreflightList::waitingChanged, this, [this] {
    const int lines = list_->waiting();
    waits_->setText(lines > 0 ? tr("Run waits for %n acknowledgement(s).", nullptr, lines) : QString());
    setMark(waits_, lines > 0 ? "warning" : "");
    Q_EMIT waitingChanged();
  });
  auto* head = new QHBoxLayout;
  head->setSpacing(12);
  head->addWidget(title);
  head->addWidget(file_, 1);
  head->addWidget(left_);
  scroll_->setFocusPolicy(Qt::NoFocus);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(waits_, 1);
  buttons->addWidget(disarm_);
  buttons->addWidget(run_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 8, 12, 8);
  layout->addLayout(head);
  layout->addWidget(scroll_);
  layout->addLayout(buttons);
}

void PreflightPanel::begin(bool real) {
  list_->begin();
  list_->setWaits(real ? PreflightList::Waits::for_warnings : PreflightList::Waits::for_failed);
}

void PreflightPanel::show(const QString& file, const std::vector<PreflightItem>& items) {
  file_->setLine(file.isEmpty() ? tr("Nothing is recorded.") : tr("Records to %1").arg(QFileInfo(file).fileName()),
                 file);
  list_->show(items);
  fit();
}

void PreflightPanel::setRunEnabled(bool enabled) { run_->setEnabled(enabled); }

void PreflightPanel::setSecondsLeft(int seconds) { left_->setText(tr("disarms in %1\u2009s").arg(seconds)); }

/// Shows the whole list, as long as the plots below keep a third of the page.
void PreflightPanel::fit() {
  const int page = parentWidget() != nullptr ? parentWidget()->height() : height();
  const int around = layout()->minimumSize().height() - scroll_->minimumHeight();
  const int whole = std::max(0, list_->heightForWidth(std::max(1, scroll_->viewport()->width())));
  scroll_->setFixedHeight(std::min(whole, std::max(80, page * 2 / 3 - around)));
}

void PreflightPanel::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  fit();
}

}  // namespace hyb::ui
