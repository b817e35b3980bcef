#include "ui/fidelity/place_edit.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QLineEdit>
#include <QRegularExpression>
#include <QVBoxLayout>
#include <algorithm>

namespace hyb::ui {

PlaceEdit::PlaceEdit(QWidget* parent) : QWidget(parent), chooser_(new QComboBox), all_(new QCheckBox) {
  chooser_->setEditable(true);
  chooser_->setInsertPolicy(QComboBox::NoInsert);
  chooser_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  chooser_->setMinimumContentsLength(12);
  chooser_->setMaxVisibleItems(18);
  chooser_->completer()->setCompletionMode(QCompleter::PopupCompletion);
  chooser_->completer()->setFilterMode(Qt::MatchContains);
  chooser_->setAccessibleName(tr("Value to vary"));
  chooser_->lineEdit()->setPlaceholderText(tr("delay, gain, /loop/duration_s…"));
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(0, 0, 0, 0);
  box->setSpacing(4);
  box->addWidget(chooser_);
  box->addWidget(all_);
  all_->hide();
  connect(chooser_, &QComboBox::currentTextChanged, this, [this] {
    follow();
    Q_EMIT changed();
  });
  connect(all_, &QCheckBox::toggled, this, &PlaceEdit::changed);
}

void PlaceEdit::setPlaces(const Json& project, const std::vector<Place>& places) {
  const std::vector<std::string> chosen = pointers();
  const bool same = project_ != nullptr && std::equal(places.begin(), places.end(), places_.begin(), places_.end(),
                                                      [](const Place& a, const Place& b) {
                                                        return a.pointer == b.pointer && a.title == b.title;
                                                      });
  project_ = &project;
  if (same) return follow();
  places_ = places;
  const QSignalBlocker quiet(chooser_);
  chooser_->clear();
  for (const Place& place : places_) {
    chooser_->addItem(place.title, QString::fromStdString(place.pointer));
    chooser_->setItemData(chooser_->count() - 1, place.help, Qt::ToolTipRole);
  }
  setPointers(chosen);
}

void PlaceEdit::setPointers(const std::vector<std::string>& pointers) {
  const QSignalBlocker quiet(chooser_), quiet_all(all_);
  QStringList texts;
  for (const std::string& pointer : pointers) texts << QString::fromStdString(pointer);
  const std::string first = pointers.empty() ? std::string() : pointers.front();
  const std::vector<std::string> alike =
      project_ && !first.empty() ? alikeOf(*project_, first) : std::vector<std::string>{first};
  const int known = chooser_->findData(QString::fromStdString(first));
  const bool every = pointers.size() > 1 && pointers == alike;
  chooser_->setCurrentIndex(-1);
  if (known >= 0 && (pointers.size() == 1 || every))
    chooser_->setCurrentIndex(known);
  else
    chooser_->setEditText(texts.join(QLatin1Char(' ')));
  follow();
  all_->setChecked(every);
}

std::vector<std::string> PlaceEdit::typed() const {
  const QString text = chooser_->currentText().trimmed();
  const int index = chooser_->findText(text, Qt::MatchFixedString);
  if (index >= 0) return {chooser_->itemData(index).toString().toStdString()};
  std::vector<std::string> pointers;
  for (const QString& part : text.split(QRegularExpression(QStringLiteral("[\\s,;]+")), Qt::SkipEmptyParts))
    pointers.push_back(part.toStdString());
  return pointers;
}

std::vector<std::string> PlaceEdit::pointers() const {
  return !all_->isHidden() && all_->isChecked() ? alike_ : typed();
}

const Place* PlaceEdit::place() const {
  const std::vector<std::string> now = typed();
  for (const Place& place : places_)
    if (!now.empty() && place.pointer == now.front()) return &place;
  return nullptr;
}

void PlaceEdit::follow() {
  const std::vector<std::string> now = typed();
  alike_ = project_ && now.size() == 1 ? alikeOf(*project_, now.front()) : now;
  const bool several = now.size() == 1 && alike_.size() > 1;
  all_->setVisible(several);
  all_->setText(tr("the same in all %1").arg(alike_.size()));
  const Place* known = place();
  chooser_->setToolTip(known ? known->help : tr("Value of the project: type a part of its name, or its JSON pointer"));
}

}  // namespace hyb::ui
