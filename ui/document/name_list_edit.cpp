#include "ui/document/name_list_edit.h"

#include <QCheckBox>
#include <QCompleter>
#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QStringListModel>
#include <QVBoxLayout>

#include "ui/base/icons.h"

namespace hyb::ui {
namespace {

constexpr int kMostBoxes = 40;
constexpr int kManyBoxes = 6;  // more names use two columns
constexpr int kChipColumns = 3;

}  // namespace

NameListEdit::NameListEdit(const QString& pointer, QWidget* parent)
    : QWidget(parent),
      pointer_(pointer),
      boxes_layout_(new QGridLayout),
      extra_layout_(new QGridLayout),
      typed_(new QLineEdit),
      add_(new QPushButton(tr("Add"))) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  for (QGridLayout* grid : {boxes_layout_, extra_layout_}) {
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(0);
    column->addLayout(grid);
  }
  auto* row = new QHBoxLayout;
  row->setSpacing(4);
  typed_->setPlaceholderText(tr("name, or range as column/3-8"));
  typed_->setAccessibleName(tr("Name to add"));
  typed_->setAccessibleDescription(tr("A part of the structure by its name, or a range of its elements as column/3-8"));
  typed_->setObjectName(pointer + QStringLiteral("#typed"));
  auto* completer = new QCompleter(new QStringListModel(this), this);
  completer->setFilterMode(Qt::MatchContains);
  completer->setCaseSensitivity(Qt::CaseInsensitive);
  typed_->setCompleter(completer);
  add_->setIcon(icon(QStringLiteral("plus")));
  add_->setObjectName(pointer + QStringLiteral("#add"));
  connect(typed_, &QLineEdit::returnPressed, this, &NameListEdit::addTyped);
  connect(add_, &QPushButton::clicked, this, &NameListEdit::addTyped);
  row->addWidget(typed_, 1);
  row->addWidget(add_);
  column->addLayout(row);
}

void NameListEdit::addTyped() {
  const QString name = typed_->text().trimmed();
  if (name.isEmpty()) return;
  typed_->clear();
  Q_EMIT toggled(name, true);
}

void NameListEdit::show(const QStringList& names, const QStringList& choices,
                        const std::function<QString(const QString&)>& note) {
  const bool boxes = choices.size() <= kMostBoxes;
  QStringList extra;
  for (const QString& name : names)
    if ((!boxes || !choices.contains(name)) && !extra.contains(name)) extra << name;
  if (!built_ || choices != choices_ || extra != shown_extra_) {
    choices_ = choices;
    rebuild(extra);
  }
  for (QCheckBox* box : boxes_) {
    const QString name = box->property("name").toString(), words = note(name);
    box->setChecked(names.contains(name));
    box->setText(words.isEmpty() ? name : QStringLiteral("%1 · %2").arg(name, words));
  }
}

void NameListEdit::rebuild(const QStringList& extra) {
  built_ = true;
  shown_extra_ = extra;
  const auto clear = [](QGridLayout* grid) {
    while (QLayoutItem* item = grid->takeAt(0)) {
      item->widget()->hide();
      item->widget()->deleteLater();  // it may be the sender of this click
      delete item;
    }
  };
  clear(boxes_layout_);
  clear(extra_layout_);
  boxes_.clear();
  if (choices_.size() <= kMostBoxes) {
    const int columns = choices_.size() > kManyBoxes ? 2 : 1;
    const int rows = (static_cast<int>(choices_.size()) + columns - 1) / columns;
    for (int i = 0; i < choices_.size(); ++i) {
      const QString& name = choices_[i];
      auto* box = new QCheckBox(name);
      box->setProperty("name", name);
      box->setObjectName(pointer_ + QLatin1Char('#') + name);
      box->setMinimumHeight(28);
      connect(box, &QCheckBox::clicked, this, [this, name](bool on) { Q_EMIT toggled(name, on); });
      boxes_layout_->addWidget(box, i % rows, i / rows);
      boxes_ << box;
    }
  }
  for (int i = 0; i < extra.size(); ++i) {
    const QString& name = extra[i];
    auto* chip = new QPushButton(name);
    chip->setIcon(icon(QStringLiteral("remove")));
    chip->setLayoutDirection(Qt::RightToLeft);
    chip->setObjectName(pointer_ + QLatin1Char('#') + name);
    chip->setToolTip(tr("Remove %1 from the list").arg(name));
    chip->setAccessibleName(chip->toolTip());
    connect(chip, &QPushButton::clicked, this, [this, name] { Q_EMIT toggled(name, false); });
    extra_layout_->addWidget(chip, i / kChipColumns, i % kChipColumns);
  }
  static_cast<QStringListModel*>(typed_->completer()->model())->setStringList(choices_);
}

}  // namespace hyb::ui
