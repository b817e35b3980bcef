#include "ui/control/preflight_list.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <algorithm>

#include "ui/document/field_editors.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

struct Mark {
  const char* sign;
  const char* style;
};
Mark markOf(CheckState state) {
  switch (state) {
    case CheckState::ok:
      return {"✓", "ok"};
    case CheckState::warning:
      return {"!", "warning"};
    case CheckState::bad:
      return {"✗", "error"};
    case CheckState::unknown:
      break;
  }
  return {"·", ""};
}

/// Worst first.
int rankOf(CheckState state) {
  switch (state) {
    case CheckState::bad:
      return 0;
    case CheckState::warning:
      return 1;
    case CheckState::unknown:
      return 2;
    case CheckState::ok:
      break;
  }
  return 3;
}

}  // namespace

PreflightList::PreflightList(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)) {
  setAccessibleName(tr("Before you run"));
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setHorizontalSpacing(8);
  grid_->setVerticalSpacing(4);
  grid_->setColumnStretch(1, 1);
  grid_->setAlignment(Qt::AlignTop);
}

bool PreflightList::waitsFor(const PreflightItem& item) const {
  return (waits_ != Waits::never && item.state == CheckState::bad) ||
         (waits_ == Waits::for_warnings && item.state == CheckState::warning);
}

void PreflightList::setWaits(Waits waits) {
  waits_ = waits;
  refresh();
}

void PreflightList::begin() {
  acknowledged_.clear();
  refresh();
}

int PreflightList::waiting() const {
  return static_cast<int>(std::count_if(items_.begin(), items_.end(), [this](const PreflightItem& item) {
    return waitsFor(item) && !acknowledged_.contains({item.name, item.state});
  }));
}

QStringList PreflightList::acknowledged() const {
  QStringList names;
  for (const PreflightItem& item : items_)
    if (waitsFor(item) && acknowledged_.contains({item.name, item.state})) names << QString::fromStdString(item.name);
  return names;
}

void PreflightList::show(const std::vector<PreflightItem>& items) {
  items_ = items;
  std::stable_sort(items_.begin(), items_.end(),
                   [](const PreflightItem& a, const PreflightItem& b) { return rankOf(a.state) < rankOf(b.state); });
  // A line that passes and then fails again needs a new acknowledgement.
  std::erase_if(acknowledged_, [this](const auto& known) {
    return std::none_of(items_.begin(), items_.end(), [&](const PreflightItem& item) {
      return item.name == known.first && item.state == known.second;
    });
  });
  refresh();
}

void PreflightList::addLine() {
  const auto row = static_cast<int>(lines_.size());
  Line line{new QLabel, new QLabel, new QPushButton(tr("Acknowledge"))};
  line.mark->setFont(figureFont(1.0, true));
  line.text->setWordWrap(true);
  line.text->setObjectName(QStringLiteral("preflight-text"));
  line.acknowledge->setObjectName(QStringLiteral("acknowledge"));
  line.acknowledge->setToolTip(
      tr("Accepts this line. Run is blocked until each failed line is acknowledged; the recording stores it."));
  connect(line.acknowledge, &QPushButton::clicked, this, [this, row] {
    const PreflightItem& item = items_[static_cast<std::size_t>(row)];
    acknowledged_.insert({item.name, item.state});
    refresh();
  });
  grid_->addWidget(line.mark, row, 0, Qt::AlignTop | Qt::AlignHCenter);
  grid_->addWidget(line.text, row, 1);
  grid_->addWidget(line.acknowledge, row, 2, Qt::AlignTop);
  lines_.push_back(line);
}

void PreflightList::refresh() {
  while (lines_.size() < items_.size()) addLine();
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const bool shown = i < items_.size();
    const Line& line = lines_[i];
    line.mark->setVisible(shown);
    line.text->setVisible(shown);
    line.acknowledge->setVisible(shown && waitsFor(items_[i]));
    if (!shown) continue;
    const PreflightItem& item = items_[i];
    const Mark mark = markOf(item.state);
    line.mark->setText(QString::fromUtf8(mark.sign));
    line.mark->setAccessibleName(QString::fromUtf8(name(item.state).data()));
    setMark(line.mark, mark.style);
    line.text->setText(QString::fromStdString(item.sentence));
    QFont font = line.text->font();
    font.setWeight(item.state == CheckState::bad ? QFont::DemiBold : QFont::Normal);
    line.text->setFont(font);
    const bool known = acknowledged_.contains({item.name, item.state});
    line.acknowledge->setEnabled(!known);
    line.acknowledge->setText(known ? tr("Acknowledged") : tr("Acknowledge"));
    line.acknowledge->setAccessibleName(tr("%1: %2").arg(line.acknowledge->text(), line.text->text()));
  }
  Q_EMIT waitingChanged();
}

}  // namespace hyb::ui
