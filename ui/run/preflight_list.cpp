#include "ui/run/preflight_list.h"

#include <QGridLayout>
#include <QLabel>

#include "ui/configure/field_editors.h"
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

}  // namespace

PreflightList::PreflightList(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)) {
  setAccessibleName(tr("Before you run"));
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setHorizontalSpacing(8);
  grid_->setVerticalSpacing(4);
  grid_->setColumnStretch(1, 1);
}

void PreflightList::show(const std::vector<PreflightItem>& items) {
  while (lines_.size() < items.size()) {
    const auto row = static_cast<int>(lines_.size());
    lines_.push_back({new QLabel, new QLabel});
    lines_.back().mark->setFont(figureFont(1.0, true));
    lines_.back().text->setWordWrap(true);
    lines_.back().text->setObjectName(QStringLiteral("preflight-text"));
    grid_->addWidget(lines_.back().mark, row, 0, Qt::AlignTop | Qt::AlignHCenter);
    grid_->addWidget(lines_.back().text, row, 1);
  }
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const bool shown = i < items.size();
    lines_[i].mark->setVisible(shown);
    lines_[i].text->setVisible(shown);
    if (!shown) continue;
    const Mark mark = markOf(items[i].state);
    lines_[i].mark->setText(QString::fromUtf8(mark.sign));
    lines_[i].mark->setAccessibleName(QString::fromUtf8(name(items[i].state).data()));
    setMark(lines_[i].mark, mark.style);
    lines_[i].text->setText(QString::fromStdString(items[i].sentence));
  }
}

}  // namespace hyb::ui
