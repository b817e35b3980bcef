#include "ui/fidelity/face_tests.h"

#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "ui/base/theme.h"
#include "ui/fidelity/face_plot.h"

namespace hyb::ui {
namespace {

enum Column { kVaried, kError, kQuantity, kState, kColumns };

QString stateOf(const FaceCampaignTest& test) {
  if (!test.dropped.empty()) return FaceTests::tr("left out: %1").arg(QString::fromStdString(test.dropped));
  if (!test.fault.empty()) return QString::fromStdString(test.fault);
  switch (test.status) {
    case RunStatus::pending:
      return test.message.empty() ? FaceTests::tr("not run yet") : QString::fromStdString(test.message);
    case RunStatus::done:
      return FaceTests::tr("counts");
    case RunStatus::stopped:
    case RunStatus::failed:
      return QString::fromStdString(test.message);
  }
  return {};
}

}  // namespace

FaceTests::FaceTests(QWidget* parent)
    : Panel(parent),
      tree_(new QTreeWidget),
      reason_(new QLineEdit),
      drop_(new QPushButton),
      open_(new QPushButton(tr("Open run"))) {
  auto* title = new QLabel(tr("Tests"));
  title->setFont(figureFont(1.0, true));
  tree_->setColumnCount(kColumns);
  tree_->setRootIsDecorated(false);
  tree_->setUniformRowHeights(true);
  tree_->setFrameShape(NoFrame);
  tree_->setFont(figureFont(0.9));
  tree_->header()->setFont(figureFont(0.85));
  tree_->setHeaderHidden(true);  // the columns depend on the campaign
  tree_->setAccessibleName(tr("Tests of the campaign"));
  reason_->setPlaceholderText(tr("Reason"));
  reason_->setAccessibleName(tr("Reason for leaving out the chosen test"));
  reason_->setToolTip(reason_->accessibleName());
  reason_->setObjectName(QStringLiteral("drop-reason"));
  reason_->setMaxLength(200);
  drop_->setObjectName(QStringLiteral("drop"));
  open_->setObjectName(QStringLiteral("open-run"));
  auto* head = new QHBoxLayout;
  head->setSpacing(8);
  head->addWidget(title);
  head->addStretch(1);
  head->addWidget(reason_, 2);
  head->addWidget(drop_);
  head->addWidget(open_);
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(8, 4, 8, 8);
  box->setSpacing(4);
  box->addLayout(head);
  box->addWidget(tree_, 1);

  const auto drop = [this] {
    const int test = selected();
    if (test < 0 || !drop_->isEnabled()) return;
    const bool back = !report_->tests[static_cast<std::size_t>(test)].dropped.empty();
    const QString reason = back ? QString() : reason_->text().trimmed();
    reason_->clear();
    Q_EMIT dropRequested(test, reason);
  };
  const auto open = [this] {
    const int test = selected();
    if (test < 0 || !open_->isEnabled()) return;
    Q_EMIT openRequested(QString::fromStdString(report_->tests[static_cast<std::size_t>(test)].file.string()));
  };
  connect(drop_, &QPushButton::clicked, this, drop);
  connect(reason_, &QLineEdit::returnPressed, this, drop);
  connect(reason_, &QLineEdit::textChanged, this, &FaceTests::updateButtons);
  connect(open_, &QPushButton::clicked, this, open);
  connect(tree_, &QTreeWidget::itemActivated, this, open);
  connect(tree_, &QTreeWidget::currentItemChanged, this, [this] {
    updateButtons();
    Q_EMIT selectionChanged(selected());
  });
  updateButtons();
}

void FaceTests::show(std::shared_ptr<const FaceReport> report) {
  const int before = selected();
  report_ = std::move(report);
  const QSignalBlocker quiet(tree_);
  tree_->clear();
  tree_->setHeaderHidden(report_ == nullptr);
  if (report_) {
    const FaceAxisText varied = variedAxis(*report_), error = axisText(*report_), quantity = quantityAxis(*report_);
    tree_->setHeaderLabels({varied.withUnit(), error.withUnit(), quantity.withUnit(), tr("result")});
    for (const FaceCampaignTest& test : report_->tests) {
      const double e = test.errors[static_cast<std::size_t>(report_->spec.axis)];
      const bool run = test.measured();
      auto* item = new QTreeWidgetItem({numberText(test.varied * varied.unit.factor),
                                        run ? numberText(e * error.unit.factor, 4) : QStringLiteral("–"),
                                        run ? numberText(test.quantity * quantity.unit.factor, 4) : QStringLiteral("–"),
                                        stateOf(test)});
      for (const Column column : {kVaried, kError, kQuantity}) item->setTextAlignment(column, Qt::AlignRight);
      item->setToolTip(kState, item->text(kState));
      tree_->addTopLevelItem(item);
    }
    for (const Column column : {kVaried, kError, kQuantity}) tree_->resizeColumnToContents(column);
  }
  recolour();
  select(before);
}

void FaceTests::select(int test) {
  if (test >= 0 && test < tree_->topLevelItemCount()) {
    tree_->setCurrentItem(tree_->topLevelItem(test));
    tree_->scrollToItem(tree_->currentItem());
  }
  updateButtons();
}

int FaceTests::selected() const { return tree_->currentItem() ? tree_->indexOfTopLevelItem(tree_->currentItem()) : -1; }

void FaceTests::setEditable(bool on) {
  editable_ = on;
  updateButtons();
}

void FaceTests::updateButtons() {
  const int at = selected();
  const FaceCampaignTest* test = report_ && at >= 0 ? &report_->tests[static_cast<std::size_t>(at)] : nullptr;
  const bool dropped = test && !test->dropped.empty(), judged = test && test->measured() && editable_;
  const bool reasoned = !reason_->text().trimmed().isEmpty();
  drop_->setText(dropped ? tr("Take back") : tr("Leave out"));
  drop_->setEnabled(judged && (dropped || reasoned));
  drop_->setToolTip(!judged    ? tr("After the campaign, choose a test that has a point")
                    : dropped  ? tr("Includes the test in the assessment again")
                    : reasoned ? tr("Excludes the test from the assessment; it stays in the list")
                               : tr("Enter a reason first"));
  reason_->setEnabled(judged && !dropped);
  const bool kept = test && !test->file.empty() && QFileInfo::exists(QString::fromStdString(test->file.string()));
  open_->setEnabled(kept);
  open_->setToolTip(kept ? tr("Shows the recorded run in Analyse") : tr("Choose a test with a recorded run"));
}

void FaceTests::recolour() {
  for (int row = 0; report_ && row < tree_->topLevelItemCount(); ++row) {
    const FaceCampaignTest& test = report_->tests[static_cast<std::size_t>(row)];
    const bool faulty = !test.fault.empty() || test.status == RunStatus::stopped || test.status == RunStatus::failed;
    const Role role = test.counts() ? Role::text : faulty ? Role::warning : Role::mutedText;
    for (int column = 0; column < kColumns; ++column)
      tree_->topLevelItem(row)->setForeground(column, colour(role, palette()));
  }
}

void FaceTests::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) recolour();
}

}  // namespace hyb::ui
