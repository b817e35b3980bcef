#include "ui/fidelity/variation_edit.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QStackedWidget>
#include <QToolButton>

#include "core/study/study.h"
#include "ui/base/page_stack.h"
#include "ui/document/field_editors.h"
#include "ui/fidelity/random_edit.h"
#include "ui/fidelity/value_list.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

const Json& rangeNode(const char* key) {
  return studySchema().at(Json::json_pointer(std::string("/properties/vary/items/properties/range/properties/") + key));
}

}  // namespace

ValuesEdit::ValuesEdit(QWidget* parent)
    : QWidget(parent),
      form_(new QComboBox),
      spacing_(new QComboBox),
      pages_(new QStackedWidget),
      random_(new RandomEdit),
      list_(new QLineEdit),
      from_(new NumberEdit(rangeNode("from"), true)),
      to_(new NumberEdit(rangeNode("to"), true)),
      count_(new NumberEdit(rangeNode("count"), true)),
      unit_(new QLabel) {
  form_->addItems({tr("list"), tr("range"), tr("random")});
  form_->setObjectName(QStringLiteral("form"));
  form_->setAccessibleName(tr("Form of the values"));
  form_->setFixedWidth(92);
  list_->setPlaceholderText(tr("0.05, 0.1, 0.2"));
  list_->setAccessibleName(tr("Values"));
  list_->setObjectName(QStringLiteral("values"));
  spacing_->addItem(tr("even"), "linear");
  spacing_->addItem(tr("ratios"), "logarithmic");
  spacing_->setToolTip(tr("Equal steps or equal ratios"));
  spacing_->setAccessibleName(spacing_->toolTip());
  const std::tuple<NumberEdit*, QString, const char*> fields[] = {
      {from_, tr("from"), "from"}, {to_, tr("to"), "to"}, {count_, tr("count"), "count"}};
  auto* range = new QWidget;
  auto* line = new QHBoxLayout(range);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(4);
  for (const auto& [field, name, key] : fields) {
    field->setPlaceholderText(name);
    field->setAccessibleName(name);
    field->setObjectName(QString::fromLatin1(key));
    field->setToolTip(name);
    field->setLeastWidth(44);
    line->addWidget(field, key == std::string_view("count") ? 2 : 3);
    connect(field, &QLineEdit::textChanged, this, &ValuesEdit::changed);
  }
  spacing_->setFixedWidth(80);
  line->addWidget(spacing_);
  pages_->addWidget(list_);
  pages_->addWidget(range);
  pages_->addWidget(random_);
  pages_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  unit_->setProperty("muted", true);
  unit_->hide();
  auto* box = new QHBoxLayout(this);
  box->setContentsMargins(0, 0, 0, 0);
  box->setSpacing(4);
  box->addWidget(form_, 0, Qt::AlignTop);
  box->addWidget(pages_, 1);
  box->addWidget(unit_, 0, Qt::AlignTop);
  connect(form_, &QComboBox::currentIndexChanged, this, [this](int page) {
    showPage(pages_, page);
    setUnit(given_unit_);
    Q_EMIT changed();
  });
  connect(random_, &RandomEdit::changed, this, [this] {
    setUnit(given_unit_);
    Q_EMIT changed();
  });
  showPage(pages_, 0);
  connect(spacing_, &QComboBox::currentIndexChanged, this, &ValuesEdit::changed);
  connect(list_, &QLineEdit::textChanged, this, &ValuesEdit::changed);
}

void ValuesEdit::setUnit(const QString& unit) {
  given_unit_ = unit;
  unit_->setText(unit);
  unit_->setVisible(!unit.isEmpty() && !(isRandom() && random_->isFactor()));  // a factor has none
}

bool ValuesEdit::isRandom() const { return form_->currentIndex() == 2; }

void ValuesEdit::setPlaceholder(const QString& text) { list_->setPlaceholderText(text); }

void ValuesEdit::writeTo(Json& entry) const {
  if (form_->currentIndex() == 0) {
    Json list = valueList(list_->text());
    if (!list.empty()) entry["values"] = std::move(list);
    return;
  }
  if (isRandom()) return random_->writeTo(entry);
  Json range = Json::object();
  const std::pair<const char*, const NumberEdit*> fields[] = {{"from", from_}, {"to", to_}, {"count", count_}};
  for (const auto& [key, field] : fields)
    if (const std::optional<Json> value = field->value()) range[key] = *value;
  if (range.empty()) return;
  if (spacing_->currentIndex() == 1) range["spacing"] = "logarithmic";
  entry["range"] = std::move(range);
}

void ValuesEdit::show(const Json& entry) {
  const QSignalBlocker quiet(this);
  const auto range = entry.find("range");
  const bool ranged = range != entry.end() && range->is_object();
  form_->setCurrentIndex(entry.contains("distribution") ? 2 : ranged ? 1 : 0);
  random_->show(entry);
  const auto values = entry.find("values");
  const bool listed = values != entry.end() && values->is_array();
  list_->setText(listed ? valueListText(*values) : QString());
  const std::pair<const char*, NumberEdit*> fields[] = {{"from", from_}, {"to", to_}, {"count", count_}};
  for (const auto& [key, field] : fields) field->showValue(ranged && range->contains(key) ? &range->at(key) : nullptr);
  spacing_->setCurrentIndex(ranged && range->value("spacing", "linear") == std::string("logarithmic") ? 1 : 0);
}

VariationEdit::VariationEdit(QWidget* parent)
    : Panel(parent), place_(new PlaceEdit), values_(new ValuesEdit), name_(new QLineEdit), problem_(new QLabel) {
  auto* remove = new QToolButton;
  remove->setText(QStringLiteral("✕"));
  remove->setToolTip(tr("Remove this variation"));
  remove->setAccessibleName(remove->toolTip());
  remove->setFocusPolicy(Qt::TabFocus);
  connect(remove, &QToolButton::clicked, this, &VariationEdit::removeRequested);
  name_->setPlaceholderText(tr("made from the value's name"));
  name_->setToolTip(tr("Column name in the result: letters, digits, \"-\", \"_\" and \".\""));
  name_->setAccessibleName(tr("Name of the column"));
  problem_->setWordWrap(true);
  problem_->setFont(figureFont(0.9));
  setMark(problem_, "error");
  problem_->hide();
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(8, 8, 8, 8);
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(4);
  const auto row = [grid](int at, const QString& title, QWidget* editor, int span) {
    auto* label = new QLabel(title);
    label->setBuddy(editor);
    grid->addWidget(label, at, 0, Qt::AlignTop | Qt::AlignLeft);
    label->setMinimumHeight(28);
    grid->addWidget(editor, at, 1, 1, span);
  };
  row(0, tr("Vary"), place_, 1);
  grid->addWidget(remove, 0, 2, Qt::AlignTop);
  row(1, tr("Values"), values_, 2);
  row(2, tr("Name"), name_, 2);
  grid->addWidget(problem_, 3, 0, 1, 3);
  grid->setColumnStretch(1, 1);
  connect(place_, &PlaceEdit::changed, this, [this] {
    const Place* known = place_->place();
    values_->setUnit(known ? known->unit : QString());
    Q_EMIT changed();
  });
  connect(values_, &ValuesEdit::changed, this, &VariationEdit::changed);
  connect(name_, &QLineEdit::textChanged, this, &VariationEdit::changed);
}

void VariationEdit::setPlaces(const Json& project, const std::vector<Place>& places) {
  place_->setPlaces(project, places);
  const Place* known = place_->place();
  values_->setUnit(known ? known->unit : QString());
}

Json VariationEdit::json() const {
  Json entry = Json::object();
  if (!name_->text().trimmed().isEmpty()) entry["name"] = name_->text().trimmed().toStdString();
  const std::vector<std::string> pointers = place_->pointers();
  entry["pointer"] = pointers.size() == 1 ? Json(pointers.front()) : Json(pointers);
  values_->writeTo(entry);
  return entry;
}

void VariationEdit::show(const Json& entry) {
  const QSignalBlocker quiet(this);
  std::vector<std::string> pointers;
  const Json pointer = entry.value("pointer", Json());
  if (pointer.is_string()) pointers.push_back(pointer.get<std::string>());
  if (pointer.is_array())
    for (const Json& each : pointer)
      if (each.is_string()) pointers.push_back(each.get<std::string>());
  place_->setPointers(pointers);
  name_->setText(QString::fromStdString(entry.value("name", "")));
  values_->show(entry);
  const Place* known = place_->place();
  values_->setUnit(known ? known->unit : QString());
}

void VariationEdit::setProblem(const QString& text) {
  problem_->setText(text);
  problem_->setVisible(!text.isEmpty());
}

}  // namespace hyb::ui
