#include "ui/configure/issue_list.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <algorithm>

#include "ui/base/icons.h"

namespace hyb::ui {
namespace {

/// Fits the height of each row to its text at the present width.
class WholeRows : public QStyledItemDelegate {
 public:
  explicit WholeRows(QListWidget* list) : QStyledItemDelegate(list), list_(list) {}
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    constexpr int kBesideText_px = 56, kAbove_px = 8;  // icon and margins
    const int width = std::max(80, list_->viewport()->width() - kBesideText_px);
    const int high = QFontMetrics(list_->font())
                         .boundingRect(QRect(0, 0, width, 10'000), Qt::TextWordWrap, index.data().toString())
                         .height();
    return {QStyledItemDelegate::sizeHint(option, index).width(), high + kAbove_px};
  }

 private:
  QListWidget* list_;
};

}  // namespace

IssueList::IssueList(QWidget* parent)
    : QWidget(parent), title_(new QLabel), list_(new QListWidget), go_(new QPushButton(tr("Go to field"))) {
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(0, 0, 0, 0);
  box->setSpacing(4);
  auto* head = new QHBoxLayout;
  QFont font = title_->font();
  font.setWeight(QFont::DemiBold);
  title_->setFont(font);
  head->addWidget(title_);
  head->addStretch();
  head->addWidget(go_);
  box->addLayout(head);
  box->addWidget(list_, 1);
  box->addStretch();
  list_->setWordWrap(true);
  list_->setItemDelegate(new WholeRows(list_));
  list_->setResizeMode(QListView::Adjust);
  list_->setFrameShape(QFrame::NoFrame);
  list_->setProperty("nav", true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setAccessibleName(tr("Errors of the project"));
  list_->setObjectName(QStringLiteral("issues"));
  title_->setBuddy(list_);
  const auto go = [this] {
    if (const QListWidgetItem* item = list_->currentItem()) Q_EMIT goTo(item->data(Qt::UserRole).toString());
  };
  connect(go_, &QPushButton::clicked, this, go);
  connect(list_, &QListWidget::itemActivated, this, go);
  setIssues({});
}

void IssueList::setIssues(const std::vector<Issue>& issues) {
  const QString current = list_->currentItem() ? list_->currentItem()->data(Qt::UserRole).toString() : QString();
  list_->clear();
  for (const Issue& issue : issues) {
    const QString where = QString::fromStdString(issue.where);
    auto* item = new QListWidgetItem(icon(QStringLiteral("error"), Role::error),
                                     QStringLiteral("%1\n%2").arg(where, QString::fromStdString(issue.message)), list_);
    item->setData(Qt::UserRole, where);
    item->setToolTip(item->text());
    if (where == current) list_->setCurrentItem(item);
  }
  if (!list_->currentItem() && list_->count() > 0) list_->setCurrentRow(0);
  title_->setText(issues.empty()       ? tr("No errors: the project can be run.")
                  : issues.size() == 1 ? tr("1 error")
                                       : tr("%1 errors").arg(issues.size()));
  list_->setVisible(!issues.empty());
  go_->setVisible(!issues.empty());
}

}  // namespace hyb::ui
