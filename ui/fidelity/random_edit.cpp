#include "ui/fidelity/random_edit.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/json.h"
#include "core/study/study.h"
#include "ui/base/page_stack.h"
#include "ui/document/field_editors.h"
#include "ui/document/schema_tools.h"
#include "ui/fidelity/value_list.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

const Json& randomNode() { return studySchema().at(Json::json_pointer("/properties/random/items/properties")); }
const Json& kinds() { return randomNode().at("distribution").at("oneOf"); }
const Json& sampling(const char* key) {
  return studySchema().at(Json::json_pointer("/properties/samples/properties")).at(key);
}

QString distributionKind(const Json& branch) {
  return QString::fromStdString(branch.at("properties").at("kind").at("const").get<std::string>());
}

void name(QWidget* field, const char* key, const Json& node) {
  field->setObjectName(QString::fromLatin1(key));
  field->setAccessibleName(schemaText(node, "title"));
  field->setToolTip(schemaText(node, "description"));
}

}  // namespace

RandomEdit::RandomEdit(QWidget* parent)
    : QWidget(parent), kind_(new QComboBox), factor_(new QCheckBox), pages_(new QStackedWidget) {
  kind_->setObjectName(QStringLiteral("distribution"));
  kind_->setAccessibleName(schemaText(randomNode().at("distribution"), "title"));
  name(factor_, "factor", randomNode().at("factor"));
  factor_->setText(schemaText(randomNode().at("factor"), "title"));
  for (const Json& branch : kinds()) {
    kind_->addItem(schemaText(branch, "title"), distributionKind(branch));
    kind_->setItemData(kind_->count() - 1, schemaText(branch, "description"), Qt::ToolTipRole);
    auto* page = new QWidget;
    auto* numbers = new QGridLayout(page);  // each below its name
    numbers->setContentsMargins(0, 0, 0, 0);
    numbers->setHorizontalSpacing(4);
    numbers->setVerticalSpacing(0);
    std::vector<Field>& fields = fields_.emplace_back();
    for (const auto& [key, node] : branch.at("properties").items()) {
      if (node.contains("const")) continue;
      Field field{key.c_str(), nullptr, nullptr};
      QLineEdit* editor = nullptr;
      if (node.contains("items")) {
        editor = field.list = new QLineEdit;
      } else {
        editor = field.number = new NumberEdit(node, true);
        field.number->setLeastWidth(44);
      }
      name(editor, field.key, node);
      editor->setObjectName(QStringLiteral("random-") + editor->objectName());
      auto* title = new QLabel(schemaText(node, "title"));
      title->setFont(figureFont(0.85));
      title->setProperty("muted", true);
      title->setBuddy(editor);
      const int column = static_cast<int>(fields.size()) % 2, row = static_cast<int>(fields.size()) / 2 * 2;
      numbers->addWidget(title, row, column);
      numbers->addWidget(editor, row + 1, column);
      numbers->setColumnStretch(column, 1);
      connect(editor, &QLineEdit::textChanged, this, &RandomEdit::changed);
      fields.push_back(field);
    }
    pages_->addWidget(page);
  }
  pages_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(4);
  grid->setColumnStretch(0, 1);
  kind_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  kind_->setMinimumContentsLength(8);
  grid->addWidget(kind_, 0, 0);
  grid->addWidget(pages_, 1, 0);
  grid->addWidget(factor_, 2, 0);
  connect(kind_, &QComboBox::currentIndexChanged, this, [this](int page) {
    showPage(pages_, page);
    Q_EMIT changed();
  });
  showPage(pages_, 0);
  connect(factor_, &QCheckBox::toggled, this, &RandomEdit::changed);
}

bool RandomEdit::isFactor() const { return factor_->isChecked(); }

void RandomEdit::writeTo(Json& entry) const {
  Json distribution = {{"kind", kind_->currentData().toString().toStdString()}};
  for (const Field& field : fields_[static_cast<std::size_t>(kind_->currentIndex())]) {
    if (field.list != nullptr) {
      if (Json list = valueList(field.list->text()); !list.empty()) distribution[field.key] = std::move(list);
    } else if (const std::optional<Json> value = field.number->value()) {
      distribution[field.key] = *value;
    }
  }
  entry["distribution"] = std::move(distribution);
  if (factor_->isChecked()) entry["factor"] = true;
}

void RandomEdit::show(const Json& entry) {
  const QSignalBlocker quiet(this);
  const Json distribution = entry.value("distribution", Json::object());
  const int at = kind_->findData(QString::fromStdString(distribution.value("kind", std::string())));
  kind_->setCurrentIndex(std::max(0, at));
  for (const std::vector<Field>& fields : fields_)
    for (const Field& field : fields) {
      const auto given = &fields == &fields_[static_cast<std::size_t>(kind_->currentIndex())]
                             ? distribution.find(field.key)
                             : distribution.end();
      const bool known = given != distribution.end();
      if (field.list != nullptr)
        field.list->setText(known && given->is_array() ? valueListText(*given) : QString());
      else
        field.number->showValue(known ? &*given : nullptr);
    }
  factor_->setChecked(entry.value("factor", false));
}

SamplesEdit::SamplesEdit(QWidget* parent)
    : QWidget(parent),
      count_(new NumberEdit(sampling("count"), true)),
      seed_(new NumberEdit(sampling("seed"), true)),
      replicates_(new NumberEdit(sampling("replicates"), true)),
      design_(new QComboBox),
      indices_(new QCheckBox(schemaText(sampling("indices"), "title"))) {
  name(design_, "design", sampling("design"));
  design_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  design_->setMinimumContentsLength(8);
  for (const Json& word : sampling("design").at("enum")) {
    const QString text = QString::fromStdString(word.get<std::string>());
    design_->addItem(QString(text).replace(u'-', u' '), text);
  }
  name(indices_, "indices", sampling("indices"));
  auto* line = new QHBoxLayout;
  line->setSpacing(4);
  for (const auto& [field, key] : {std::pair{count_, "count"}, {seed_, "seed"}, {replicates_, "replicates"}}) {
    name(field, key, sampling(key));
    field->setPlaceholderText(schemaText(sampling(key), "title").toLower());
    field->setLeastWidth(52);
    connect(field, &QLineEdit::textChanged, this, &SamplesEdit::changed);
  }
  line->addWidget(count_, 1);
  line->addWidget(design_, 2);
  line->addWidget(seed_, 1);
  auto* below = new QHBoxLayout;
  below->setSpacing(4);
  below->addWidget(indices_);
  below->addWidget(replicates_);
  below->addStretch(1);
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(0, 0, 0, 0);
  box->setSpacing(4);
  box->addLayout(line);
  box->addLayout(below);
  connect(design_, &QComboBox::currentIndexChanged, this, &SamplesEdit::changed);
  connect(indices_, &QCheckBox::toggled, this, [this] {
    updateControls();
    Q_EMIT changed();
  });
  show(Json());
}

void SamplesEdit::updateControls() { replicates_->setVisible(indices_->isChecked()); }

Json SamplesEdit::json() const {
  Json samples = Json::object();
  if (const std::optional<Json> count = count_->value()) samples["count"] = *count;
  samples["design"] = design_->currentData().toString().toStdString();
  if (const std::optional<Json> seed = seed_->value()) samples["seed"] = *seed;
  if (!indices_->isChecked()) return samples;
  samples["indices"] = true;
  if (const std::optional<Json> replicates = replicates_->value()) samples["replicates"] = *replicates;
  return samples;
}

void SamplesEdit::show(const Json& given) {
  const QSignalBlocker quiet(this);
  const Json samples = given.is_object() ? given : Json::object();
  for (const auto& [field, key] : {std::pair{count_, "count"}, {seed_, "seed"}, {replicates_, "replicates"}}) {
    const auto value = samples.find(key);
    field->showValue(value == samples.end() ? nullptr : &*value);
  }
  const std::string usual = sampling("design").at("default").get<std::string>();
  design_->setCurrentIndex(design_->findData(QString::fromStdString(samples.value("design", usual))));
  indices_->setChecked(samples.value("indices", false));
  updateControls();
}

}  // namespace hyb::ui
