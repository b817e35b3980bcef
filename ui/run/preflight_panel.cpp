#include "ui/run/preflight_panel.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "ui/plot/quantity_text.h"

namespace hyb::ui {

PreflightPanel::PreflightPanel(QWidget* parent) : QFrame(parent), list_(new PreflightList), file_(new QLabel) {
  setProperty("panel", true);
  auto* title = new QLabel(tr("Before you run"));
  title->setFont(figureFont(1.0, true));
  left_ = new QLabel;
  left_->setProperty("muted", true);
  left_->setAlignment(Qt::AlignRight);
  file_->setWordWrap(true);
  file_->setProperty("muted", true);
  run_ = new QPushButton(tr("Run  F6"));
  run_->setDefault(true);
  run_->setAccessibleName(tr("Run the armed test"));
  disarm_ = new QPushButton(tr("Disarm"));
  connect(run_, &QPushButton::clicked, this, &PreflightPanel::runRequested);
  connect(disarm_, &QPushButton::clicked, this, &PreflightPanel::disarmRequested);
  auto* head = new QHBoxLayout;
  head->addWidget(title);
  head->addWidget(left_, 1);
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(list_);
  list_->setAutoFillBackground(false);
  scroll->viewport()->setAutoFillBackground(false);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(run_, 1);
  buttons->addWidget(disarm_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 8, 12, 12);
  layout->addLayout(head);
  layout->addWidget(file_);
  layout->addWidget(scroll, 1);
  layout->addLayout(buttons);
}

void PreflightPanel::show(const QString& file, const std::vector<PreflightItem>& items) {
  file_->setText(file.isEmpty() ? tr("Nothing is recorded.") : tr("Records to %1").arg(QFileInfo(file).fileName()));
  file_->setToolTip(file);
  list_->show(items);
}

void PreflightPanel::setSecondsLeft(int seconds) { left_->setText(tr("disarms in %1\u2009s").arg(seconds)); }

}  // namespace hyb::ui
