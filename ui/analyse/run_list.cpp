#include "ui/analyse/run_list.h"

#include <QDateTime>
#include <QDir>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "ui/plot/quantity_text.h"
#include "ui/run/run_controller.h"
#include "ui/theme.h"

namespace hyb::ui {
namespace {

constexpr int kFileRole = Qt::UserRole, kVerdictRole = Qt::UserRole + 1;
enum Column { kStarted, kTitle, kVerdict };

Role roleOf(RunSummary::Verdict verdict) {
  switch (verdict) {
    case RunSummary::Verdict::ok:
      return Role::ok;
    case RunSummary::Verdict::writing:
      return Role::stateRunning;
    case RunSummary::Verdict::recovered:
    case RunSummary::Verdict::stopped:
      return Role::warning;
    default:
      return Role::error;
  }
}

}  // namespace

RunList::RunList(QWidget* parent) : QFrame(parent) {
  setProperty("panel", true);
  auto* title = new QLabel(tr("Runs"));
  title->setFont(figureFont(1.0, true));
  auto* choose = new QToolButton;
  choose->setText(tr("Folder…"));
  choose->setToolTip(tr("Choose the folder whose runs are listed"));
  connect(choose, &QToolButton::clicked, this, &RunList::chooseFolderRequested);
  auto* again = new QToolButton;
  again->setText(tr("Reload"));
  connect(again, &QToolButton::clicked, this, &RunList::reload);
  place_ = new QLabel;
  place_->setProperty("muted", true);
  place_->setFont(figureFont(0.9));
  place_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  search_ = new QLineEdit;
  search_->setPlaceholderText(tr("Find a run"));
  search_->setClearButtonEnabled(true);
  search_->setAccessibleName(tr("Find a run"));
  connect(search_, &QLineEdit::textChanged, this, &RunList::filter);
  tree_ = new QTreeWidget;
  tree_->setAccessibleName(tr("Runs"));
  tree_->setHeaderLabels({tr("started"), tr("title"), tr("result")});
  tree_->setRootIsDecorated(false);
  tree_->setUniformRowHeights(true);
  tree_->setFrameShape(NoFrame);
  tree_->setFont(figureFont(0.9));
  tree_->header()->setFont(figureFont(0.85));
  tree_->header()->setStretchLastSection(false);
  tree_->header()->setSectionResizeMode(kTitle, QHeaderView::Stretch);
  tree_->header()->resizeSection(kStarted, 72);
  tree_->header()->resizeSection(kVerdict, 62);
  connect(tree_, &QTreeWidget::itemActivated, this, [this] { Q_EMIT openRequested(selectedFile()); });
  connect(tree_, &QTreeWidget::itemSelectionChanged, this, &RunList::updateButtons);
  open_ = new QPushButton(tr("Open"));
  overlay_ = new QPushButton(tr("Lay over"));
  overlay_->setToolTip(tr("Draws this run dashed over the open one"));
  connect(open_, &QPushButton::clicked, this, [this] { Q_EMIT openRequested(selectedFile()); });
  connect(overlay_, &QPushButton::clicked, this, [this] { Q_EMIT overlayRequested(selectedFile()); });

  auto* head = new QHBoxLayout;
  head->addWidget(title, 1);
  head->addWidget(again);
  head->addWidget(choose);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(open_, 1);
  buttons->addWidget(overlay_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 6, 8, 8);
  layout->setSpacing(6);
  layout->addLayout(head);
  layout->addWidget(place_);
  layout->addWidget(search_);
  layout->addWidget(tree_, 1);
  layout->addLayout(buttons);
  updateButtons();
}

void RunList::setFolder(const QString& folder) {
  folder_ = folder;
  place_->setText(QDir::toNativeSeparators(folder));
  place_->setToolTip(place_->text());
  reload();
}

void RunList::reload() {
  if (folder_.isEmpty()) return;
  const QString recording = RunController::recordingFile();
  task_.submit([this, folder = folder_, recording]() -> LatestTask::Deliver {
    std::vector<RunSummary> runs;
    for (const QFileInfo& file : QDir(folder).entryInfoList({QStringLiteral("*.h5")}, QDir::Files, QDir::Time))
      runs.push_back(summarise(file.absoluteFilePath(), recording));
    return [this, runs = std::move(runs)] { fill(runs); };
  });
}

void RunList::fill(const std::vector<RunSummary>& runs) {
  const QString before = wanted_.isEmpty() ? selectedFile() : wanted_;
  tree_->clear();
  for (const RunSummary& run : runs) {
    const QDateTime started = QDateTime::fromString(run.started_at, Qt::ISODate);
    const bool today = started.date() == QDate::currentDate();
    auto* item = new QTreeWidgetItem(
        {started.isValid() ? started.toString(today ? QStringLiteral("HH:mm:ss") : QStringLiteral("yyyy-MM-dd"))
                           : QStringLiteral("–"),
         run.title, verdictText(run.verdict)});
    item->setData(kStarted, kFileRole, run.file);
    item->setData(kVerdict, kVerdictRole, static_cast<int>(run.verdict));
    const QString tip = QStringLiteral("%1\n%2\n%3").arg(run.file, run.started_at, run.detail);
    for (int column = kStarted; column <= kVerdict; ++column) item->setToolTip(column, tip);
    tree_->addTopLevelItem(item);
  }
  recolour();
  select(before);
  filter();
  updateButtons();
}

void RunList::select(const QString& file) {
  wanted_ = file;
  for (int row = 0; row < tree_->topLevelItemCount(); ++row)
    if (tree_->topLevelItem(row)->data(kStarted, kFileRole).toString() == file) {
      tree_->setCurrentItem(tree_->topLevelItem(row));
      wanted_.clear();
    }
}

void RunList::recolour() {
  for (int row = 0; row < tree_->topLevelItemCount(); ++row) {
    QTreeWidgetItem* item = tree_->topLevelItem(row);
    const auto verdict = static_cast<RunSummary::Verdict>(item->data(kVerdict, kVerdictRole).toInt());
    item->setForeground(kVerdict, colour(roleOf(verdict), palette()));
  }
}

void RunList::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) recolour();
}

void RunList::focusSearch() { search_->setFocus(Qt::ShortcutFocusReason); }

int RunList::count() const { return tree_->topLevelItemCount(); }

QString RunList::selectedFile() const {
  const QTreeWidgetItem* item = tree_->currentItem();
  return item != nullptr ? item->data(kStarted, kFileRole).toString() : QString();
}

void RunList::filter() {
  for (int row = 0; row < tree_->topLevelItemCount(); ++row) {
    QTreeWidgetItem* item = tree_->topLevelItem(row);
    const bool match = item->text(kTitle).contains(search_->text(), Qt::CaseInsensitive) ||
                       item->text(kVerdict).contains(search_->text(), Qt::CaseInsensitive) ||
                       item->text(kStarted).contains(search_->text());
    item->setHidden(!match);
  }
}

void RunList::updateButtons() {
  const bool any = !selectedFile().isEmpty();
  open_->setEnabled(any);
  overlay_->setEnabled(any);
}

}  // namespace hyb::ui
