#include "ui/run/measures_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "core/project/project.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr int kRead_ms = 500;
constexpr int kSaysRole = Qt::UserRole, kCannotRole = Qt::UserRole + 1;

}  // namespace

MeasuresView::MeasuresView(QWidget* parent)
    : Panel(parent),
      length_(new QComboBox),
      tree_(new QTreeWidget),
      state_(new QLabel(tr("The measures of a running test appear here."))),
      says_(new QLabel),
      cannot_(new QLabel) {
  auto* title = new QLabel(tr("Measures of fidelity"));
  title->setFont(figureFont(1.0, true));
  state_->setProperty("muted", true);
  for (const double seconds : {2.0, 5.0, 10.0, 30.0}) length_->addItem(tr("last %1 s").arg(seconds), seconds);
  length_->setCurrentIndex(1);
  length_->setAccessibleName(tr("Time window of the measures"));
  length_->setToolTip(length_->accessibleName());
  length_->setObjectName(QStringLiteral("measures-length"));
  tree_->setRootIsDecorated(false);
  tree_->setUniformRowHeights(true);
  tree_->setFrameShape(NoFrame);
  tree_->setAccessibleName(title->text());
  tree_->setObjectName(QStringLiteral("measures"));
  for (QLabel* label : {says_, cannot_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  cannot_->setProperty("muted", true);
  auto* head = new QHBoxLayout;
  head->setSpacing(8);
  head->addWidget(title);
  head->addWidget(state_, 1);
  head->addWidget(length_);
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(8, 6, 8, 8);
  box->setSpacing(6);
  box->addLayout(head);
  box->addWidget(tree_, 1);
  box->addWidget(says_);
  box->addWidget(cannot_);
  connect(length_, &QComboBox::currentIndexChanged, this, &MeasuresView::start);
  connect(tree_, &QTreeWidget::currentItemChanged, this, &MeasuresView::explain);
  timer_.setInterval(kRead_ms);
  connect(&timer_, &QTimer::timeout, this, [this] {
    if (isVisible() && stale_ && !reading_.busy()) read();
  });
}

MeasuresView::~MeasuresView() = default;

void MeasuresView::clear() {
  timer_.stop();
  layout_.reset();
  window_.reset();
  tree_->clear();
  explain();
  state_->setText(tr("The measures of a running test appear here."));
}

void MeasuresView::attach(const Project& project, const RowLayout& layout) {
  layout_ = std::make_unique<RowLayout>(layout);
  context_ = {};
  context_.step_s = 1.0 / project.loop.rate_hz;
  context_.analysis = analysisWindow(project.document, project.loop.rate_hz);
  window_.reset();
  tree_->clear();
  explain();
  start();
  timer_.start();
  preparing_.submit([this, project]() -> LatestTask::Deliver {
    MeasureContext context;
    context.step_s = 1.0 / project.loop.rate_hz;
    context.analysis = analysisWindow(project.document, project.loop.rate_hz);
    try {
      context = measureContext(project);
    } catch (const InputError&) {
      // cannot happen: a project whose models do not build cannot be armed
    }
    return [this, context] {
      context_ = context;
      start();
    };
  });
}

void MeasuresView::start() {
  if (!layout_) return;
  const CountedRows counted = window_ ? window_->counted() : CountedRows(context_.analysis);
  window_ = std::make_unique<MeasureWindow>(*layout_, context_, length_->currentData().toDouble(), counted);
  state_->setText(tr("Waiting for rows…"));
}

void MeasuresView::push(std::span<const double> rows) {
  if (!window_) return;
  window_->push(rows);
  stale_ = true;
}

void MeasuresView::detach() {
  timer_.stop();
  read();
}

void MeasuresView::read() {
  if (!window_) return;
  stale_ = false;
  reading_.submit([this, window = std::make_shared<const MeasureWindow>(*window_)]() -> LatestTask::Deliver {
    return [this, readings = window->read(), counted = window->counted()] { show(readings, counted); };
  });
}

void MeasuresView::show(const std::vector<MeasureReading>& readings, const CountedRows& counted) {
  if (readings.empty()) return;
  int interfaces = 1;
  for (const MeasureReading& reading : readings) interfaces = std::max(interfaces, reading.interface);
  if (tree_->columnCount() != interfaces + 1 || tree_->topLevelItemCount() == 0) {
    tree_->clear();
    tree_->setColumnCount(interfaces + 1);
    QStringList header{tr("measure")};
    for (int i = 1; i <= interfaces; ++i) header << (interfaces > 1 ? tr("interface %1").arg(i) : tr("value"));
    tree_->setHeaderLabels(header);
    tree_->header()->setStretchLastSection(false);
    tree_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (int i = 1; i <= interfaces; ++i) tree_->header()->resizeSection(i, 120);
  }
  const Measure* before = nullptr;
  QTreeWidgetItem* item = nullptr;
  // One row per measure: first measures per interface, then measures of the whole test.
  for (const MeasureReading& reading : readings) {
    const QString name = QString::fromUtf8(reading.measure->title);
    if (reading.measure != before) {
      const QList<QTreeWidgetItem*> known = tree_->findItems(name, Qt::MatchExactly, 0);
      item = known.isEmpty() ? nullptr : known.front();
    }
    before = reading.measure;
    if (!item) {
      item = new QTreeWidgetItem({name});
      item->setData(0, kSaysRole, QString::fromStdString(reading.measure->description()));
      item->setData(0, kCannotRole, QString::fromUtf8(reading.measure->cannot));
      item->setToolTip(
          0, QStringLiteral("%1\n%2").arg(item->data(0, kSaysRole).toString(), item->data(0, kCannotRole).toString()));
      tree_->addTopLevelItem(item);
    }
    const int column = std::max(1, reading.interface);
    std::string unit = reading.measure->unit;
    if (unit == "m" && reading.interface > 0 && layout_)  // a measure of the gap
      unit = layout_->units(layout_->gap(static_cast<std::size_t>(reading.interface) - 1));
    item->setText(column, quantityText(reading.value, displayUnit(unit)));
    item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  }
  if (!tree_->currentItem()) tree_->setCurrentItem(tree_->topLevelItem(0));
  if (counted.part() == CountedRows::Part::before)
    state_->setText(tr("The analysis starts at %1 s.").arg(figureText(counted.window().start_s)));
  else
    state_->setText(timer_.isActive() ? tr("live") : tr("end of the analysis"));
}

void MeasuresView::explain() {
  const QTreeWidgetItem* item = tree_->currentItem();
  says_->setText(item ? item->data(0, kSaysRole).toString() : QString());
  cannot_->setText(item ? item->data(0, kCannotRole).toString() : QString());
}

void MeasuresView::showEvent(QShowEvent* event) {
  QFrame::showEvent(event);
  if (stale_) read();
}

}  // namespace hyb::ui
