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

#include "ui/base/fitted_label.h"
#include "ui/base/theme.h"
#include "ui/control/run_controller.h"
#include "ui/control/verdict_text.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr int kFileRole = Qt::UserRole, kRunMarkRole = Qt::UserRole + 1, kTitleRole = Qt::UserRole + 2;
enum Column { kRun, kEnded, kTest };

/// Condition of a file without an ended test; empty for an ended test.
QString conditionText(const RunSummary& run) {
  switch (run.condition) {
    case RunSummary::Condition::unreadable:
      return RunList::tr("unreadable");
    case RunSummary::Condition::writing:
      return RunList::tr("recording");
    case RunSummary::Condition::ended:
      break;
  }
  return {};
}

/// Shortest text that tells runs apart; the tooltip has the rest.
QString startedText(const QDateTime& started) {
  const QDate today = QDate::currentDate(), day = started.date();
  return started.toString(day == today                 ? QStringLiteral("HH:mm")
                          : day.year() == today.year() ? QStringLiteral("MM-dd HH:mm")
                                                       : QStringLiteral("yyyy-MM-dd"));
}

/// The name of a template, broken at a hyphen if it is too long for the column: none is cut.
QString inLines(QString name) {
  constexpr qsizetype kLine = 18;
  if (name.size() > kLine)
    if (const qsizetype hyphen = name.lastIndexOf(QLatin1Char('-'), kLine - 1); hyphen > 0)
      name.insert(hyphen + 1, QLatin1Char('\n'));
  return name;
}

QString tipOf(const RunSummary& run) {
  QStringList lines = {run.title, QDir::toNativeSeparators(run.file)};
  if (!run.template_name.isEmpty()) lines << RunList::tr("Template: %1").arg(run.template_name);
  if (!run.started_at.isEmpty()) lines << RunList::tr("Started: %1").arg(run.started_at);
  if (!run.detail.isEmpty()) lines << run.detail;
  if (conditionText(run).isEmpty()) {
    const VerdictText text = verdictText(run.verdict);
    lines << text.sentence() << text.reasons;
  }
  return lines.join(QLatin1Char('\n'));
}

}  // namespace

RunList::RunList(QWidget* parent) : Panel(parent) {
  auto* title = new QLabel(tr("Runs"));
  title->setFont(figureFont(1.0, true));
  auto* choose = new QToolButton;
  choose->setText(tr("Folder…"));
  choose->setToolTip(tr("Choose the folder whose runs are listed"));
  connect(choose, &QToolButton::clicked, this, &RunList::chooseFolderRequested);
  auto* again = new QToolButton;
  again->setText(tr("Reload"));
  connect(again, &QToolButton::clicked, this, &RunList::reload);
  place_ = new PathLabel;
  place_->setProperty("muted", true);
  place_->setFont(figureFont(0.9));
  search_ = new QLineEdit;
  search_->setPlaceholderText(tr("Find a run"));
  search_->setClearButtonEnabled(true);
  search_->setAccessibleName(tr("Find a run"));
  connect(search_, &QLineEdit::textChanged, this, &RunList::filter);
  tree_ = new QTreeWidget;
  tree_->setAccessibleName(tr("Runs"));
  tree_->setHeaderLabels({tr("project, started"), tr("ended"), tr("test")});
  tree_->setRootIsDecorated(false);
  tree_->setUniformRowHeights(true);
  tree_->setFrameShape(NoFrame);
  tree_->setTextElideMode(Qt::ElideMiddle);  // names often begin alike
  tree_->setFont(figureFont(0.9));
  tree_->header()->setFont(figureFont(0.85));
  tree_->header()->setStretchLastSection(false);
  tree_->header()->setSectionResizeMode(kRun, QHeaderView::Stretch);
  for (const Column column : {kEnded, kTest})
    tree_->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  connect(tree_, &QTreeWidget::itemActivated, this, [this] { Q_EMIT openRequested(selectedFile()); });
  connect(tree_, &QTreeWidget::itemSelectionChanged, this, &RunList::updateButtons);
  open_ = new QPushButton(tr("Open"));
  overlay_ = new QPushButton(tr("Overlay"));
  overlay_->setToolTip(tr("Draws the chosen run dashed over the open run"));
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
  place_->setLine(QDir::toNativeSeparators(folder));
  reload();
}

void RunList::reload() {
  if (folder_.isEmpty()) return;
  task_.submit([this, folder = folder_]() -> LatestTask::Deliver {
    std::vector<RunSummary> runs;
    for (const QFileInfo& file : QDir(folder).entryInfoList({QStringLiteral("*.h5")}, QDir::Files, QDir::Time))
      runs.push_back(summarise(file.absoluteFilePath(), RunController::recordingFile()));
    return [this, runs = std::move(runs)] { fill(runs); };
  });
}

void RunList::fill(const std::vector<RunSummary>& runs) {
  const QString before = wanted_.isEmpty() ? selectedFile() : wanted_;
  tree_->clear();
  for (const RunSummary& run : runs) {
    const QDateTime started = QDateTime::fromString(run.started_at, Qt::ISODate);
    const QString condition = conditionText(run);
    const VerdictText text = verdictText(run.verdict);
    const QString name = run.template_name.isEmpty() ? run.title : inLines(run.template_name);
    auto* item = new QTreeWidgetItem(
        {name + QLatin1Char('\n') + (started.isValid() ? startedText(started) : QStringLiteral("–")),
         condition.isEmpty() ? text.words[0].word : condition, condition.isEmpty() ? text.words[2].word : QString()});
    item->setData(kRun, kFileRole, run.file);
    item->setData(kRun, kTitleRole, run.title);
    item->setData(kEnded, kRunMarkRole,
                  QString::fromLatin1(run.condition == RunSummary::Condition::unreadable ? "error"
                                      : condition.isEmpty()                              ? text.words[0].mark
                                                                                         : ""));
    item->setData(kTest, kRunMarkRole, QString::fromLatin1(condition.isEmpty() ? text.words[2].mark : ""));
    const QString tip = tipOf(run);
    for (int column = kRun; column <= kTest; ++column) item->setToolTip(column, tip);
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
    if (tree_->topLevelItem(row)->data(kRun, kFileRole).toString() == file) {
      tree_->setCurrentItem(tree_->topLevelItem(row));
      wanted_.clear();
    }
}

void RunList::recolour() {
  for (int row = 0; row < tree_->topLevelItemCount(); ++row) {
    QTreeWidgetItem* item = tree_->topLevelItem(row);
    for (const int column : {kEnded, kTest}) {
      const QString mark = item->data(column, kRunMarkRole).toString();
      const Role role = mark == QLatin1String("ok")        ? Role::ok
                        : mark == QLatin1String("warning") ? Role::warning
                        : mark == QLatin1String("error")   ? Role::error
                                                           : Role::mutedText;
      item->setForeground(column, colour(role, palette()));
    }
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
  return item != nullptr ? item->data(kRun, kFileRole).toString() : QString();
}

void RunList::filter() {
  for (int row = 0; row < tree_->topLevelItemCount(); ++row) {
    QTreeWidgetItem* item = tree_->topLevelItem(row);
    bool match = item->data(kRun, kTitleRole).toString().contains(search_->text(), Qt::CaseInsensitive);
    for (int column = kRun; column <= kTest; ++column)
      match = match || item->text(column).contains(search_->text(), Qt::CaseInsensitive);
    item->setHidden(!match);
  }
}

void RunList::updateButtons() {
  const bool any = !selectedFile().isEmpty();
  open_->setEnabled(any);
  overlay_->setEnabled(any);
}

}  // namespace hyb::ui
