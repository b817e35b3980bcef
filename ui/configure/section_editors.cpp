// The editors of SectionForm: one function per type of value.
#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>
#include <set>

#include "ui/configure/field_editors.h"
#include "ui/configure/project_document.h"
#include "ui/configure/section_form.h"
#include "ui/icons.h"

namespace hyb::ui {
namespace {

QString textOf(const Json* value) {
  return value && value->is_string() ? QString::fromStdString(value->get<std::string>()) : QString();
}

/// Choice by stored value; a value that is not on the list is shown all the same.
void selectValue(QComboBox* combo, const Json* value) {
  const QString stored = !value               ? QString()
                         : value->is_string() ? textOf(value)
                                              : QString::fromStdString(value->dump());
  int index = combo->findData(stored);
  if (index < 0) {
    combo->addItem(stored, stored);
    index = combo->count() - 1;
  }
  combo->setCurrentIndex(index);
}

QComboBox* makeCombo() {
  auto* combo = new QComboBox;
  combo->setFocusPolicy(Qt::StrongFocus);
  combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  return combo;
}

}  // namespace

void SectionForm::add(Field field, const Json& node) {
  field.title = schemaText(node, "title");
  field.help = fieldHelp(node, field.pointer);
  field.editor->setObjectName(QString::fromStdString(field.pointer));
  field.editor->setToolTip(field.help);
  field.editor->setAccessibleName(field.title);
  field.editor->setAccessibleDescription(field.help);
  field.editor->installEventFilter(this);
  fields_.push_back(std::move(field));
}

QLabel* SectionForm::makeMessage() {
  auto* label = new QLabel;
  label->setProperty("mark", "error");
  label->setWordWrap(true);
  label->setContentsMargins(0, 0, 0, 4);
  label->hide();
  return label;
}

QWidget* SectionForm::makeEditor(const Json& node, const std::string& pointer, bool optional, QLabel* message) {
  if (hasType(node, "array")) return makeNumbers(node, pointer, optional, message);
  if (hasType(node, "number") || hasType(node, "integer")) return makeNumber(node, pointer, optional, message);
  if (node.contains("enum")) return makeEnum(node, pointer, optional, message);
  if (node.contains("x-reference")) return makeReference(node, pointer, message);
  if (!hasType(node, "boolean")) return makeText(node, pointer, optional, message);
  auto* box = new QCheckBox;
  connect(box, &QCheckBox::clicked, this, [this, pointer](bool on) {
    document_->set(pointer, on);
    document_->endEdit();
  });
  const bool fallback = node.value("default", false);
  add({pointer,
       box,
       message,
       {},
       {},
       [box, fallback](const Json* value) {
         box->setChecked(value && value->is_boolean() ? value->get<bool>() : fallback);
       },
       {}},
      node);
  return box;
}

QWidget* SectionForm::makeNumber(const Json& node, const std::string& pointer, bool optional, QLabel* message) {
  auto* edit = new NumberEdit(node, optional);
  connect(edit, &QLineEdit::textEdited, this, [this, edit, pointer, optional] {
    if (const std::optional<Json> value = edit->value())
      document_->set(pointer, *value);
    else if (optional && edit->text().trimmed().isEmpty())
      document_->erase(pointer);
    updateMarks();
  });
  connect(edit, &QLineEdit::editingFinished, this, [this, edit, pointer] {
    document_->endEdit();
    edit->showValue(document_->at(pointer));  // what could not be read gives way to what holds
    updateMarks();
  });
  add({pointer,
       edit,
       message,
       {},
       {},
       [edit](const Json* value) {
         // While someone types, half a number is nobody's business.
         if (!edit->hasFocus() || edit->value() || !edit->isModified()) edit->showValue(value);
       },
       [edit] { return edit->problem(); }},
      node);
  return edit;
}

QWidget* SectionForm::makeNumbers(const Json& node, const std::string& pointer, bool optional, QLabel* message) {
  const Json* value = document_->at(pointer);
  auto* holder = new QWidget;
  auto* row = new QHBoxLayout(holder);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  const Json& items = resolved(node["items"]);
  if (value && value->is_array()) {
    for (std::size_t i = 0; i < value->size(); ++i) {
      QWidget* edit = makeNumber(items, pointer + "/" + std::to_string(i), false, message);
      edit->setMinimumWidth(56);
      edit->setAccessibleName(tr("%1, interface %2").arg(schemaText(node, "title")).arg(i + 1));
      row->addWidget(edit, 1);
    }
  } else {
    row->addWidget(makeNumber(node, pointer, optional, message), 1);
  }
  // One number for all, or one for each interface: as many as the rig has actuators, at least two.
  auto* each = new QToolButton;
  each->setIcon(icon(QStringLiteral("list")));
  each->setCheckable(true);
  each->setChecked(value && value->is_array());
  each->setFixedSize(28, 28);
  each->setToolTip(tr("A value of its own for each interface"));
  each->setAccessibleName(tr("%1: a value for each interface").arg(schemaText(node, "title")));
  each->setObjectName(QString::fromStdString(pointer + "#each"));
  connect(each, &QToolButton::clicked, this, [this, pointer, &node, &items](bool on) {
    const Json* now = document_->at(pointer);
    Json first = !now ? initialValue(node) : now->is_array() && !now->empty() ? now->front() : *now;
    if (first.is_array()) first = initialValue(items);
    const Json* actuators = document_->at("/rig/actuators");
    const std::size_t count = actuators && actuators->is_array() ? std::max<std::size_t>(2, actuators->size()) : 2;
    document_->endEdit();
    if (on)
      document_->set(pointer, Json(Json::array_t(count, first)));
    else
      document_->set(pointer, std::move(first));
    document_->endEdit();
  });
  row->addWidget(each);
  holder->setFocusProxy(row->itemAt(0)->widget());
  if (value && value->is_array()) {
    // Carries what is wrong with the list as a whole.
    fields_.push_back(
        {pointer, holder, message, schemaText(node, "title"), fieldHelp(node, pointer), [](const Json*) {}, {}});
    holder->setToolTip(fieldHelp(node, pointer));
  }
  return holder;
}

QWidget* SectionForm::makeEnum(const Json& node, const std::string& pointer, bool optional, QLabel* message) {
  QComboBox* combo = makeCombo();
  const Json titles = node.value("x-enum-titles", node["enum"]);
  for (std::size_t i = 0; i < node["enum"].size(); ++i)
    combo->addItem(QString::fromStdString(titles[i]), QString::fromStdString(node["enum"][i]));
  connect(combo, &QComboBox::activated, this, [this, combo, pointer] {
    document_->set(pointer, combo->currentData().toString().toStdString());
    document_->endEdit();
  });
  const Json fallback = optional && node.contains("default") ? node["default"] : Json("");
  add({pointer,
       combo,
       message,
       {},
       {},
       [combo, fallback](const Json* value) { selectValue(combo, value ? value : &fallback); },
       {}},
      node);
  return combo;
}

QWidget* SectionForm::makeReference(const Json& node, const std::string& pointer, QLabel* message) {
  QComboBox* combo = makeCombo();
  connect(combo, &QComboBox::activated, this, [this, combo, pointer] {
    document_->set(pointer, combo->currentData().toString().toStdString());
    document_->endEdit();
  });
  const QString reference = schemaText(node, "x-reference");
  add({pointer,
       combo,
       message,
       {},
       {},
       [this, combo, reference](const Json* value) {
         const QStringList names = referenceChoices(document_->json(), reference);
         QStringList shown;
         for (int i = 0; i < combo->count(); ++i) shown << combo->itemText(i);
         if (shown != names) {
           combo->clear();
           for (const QString& name : names) combo->addItem(name, name);
         }
         selectValue(combo, value);
       },
       {}},
      node);
  return combo;
}

QWidget* SectionForm::makeText(const Json& node, const std::string& pointer, bool optional, QLabel* message) {
  if (node.contains("x-multiline")) {
    auto* edit = new QPlainTextEdit;
    edit->setTabChangesFocus(true);
    edit->document()->setDocumentMargin(7);
    edit->setFixedHeight(5 * edit->fontMetrics().lineSpacing() + 16);
    connect(edit, &QPlainTextEdit::textChanged, this,
            [this, edit, pointer] { document_->set(pointer, edit->toPlainText().toStdString()); });
    add({pointer,
         edit,
         message,
         {},
         {},
         [edit](const Json* value) {
           const QSignalBlocker quiet(edit);
           if (edit->toPlainText() != textOf(value)) edit->setPlainText(textOf(value));
         },
         {}},
        node);
    return edit;
  }
  auto* edit = new QLineEdit;
  const bool names = pointer.ends_with("/name");
  const auto commit = [this, edit, pointer, optional, names] {
    const std::string text = edit->text().toStdString();
    if (names)
      document_->rename(pointer, text);
    else if (text.empty() && optional)
      document_->erase(pointer);
    else if (textOf(document_->at(pointer)) != edit->text())
      document_->set(pointer, text);
  };
  // What others refer to by name changes when the new name is finished, everything else as it is typed.
  if (!names) connect(edit, &QLineEdit::textEdited, this, commit);
  connect(edit, &QLineEdit::editingFinished, this, [this, commit] {
    commit();
    document_->endEdit();
  });
  const auto show = [edit, names](const Json* value) {
    if (edit->text() != textOf(value) && !(names && edit->hasFocus() && edit->isModified()))
      edit->setText(textOf(value));
  };
  if (!node.contains("x-file")) {
    add({pointer, edit, message, {}, {}, show, {}}, node);
    return edit;
  }
  auto* holder = new QWidget;
  auto* row = new QHBoxLayout(holder);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  auto* browse = new QPushButton(tr("Browse..."));
  browse->setAccessibleName(tr("Browse for %1").arg(schemaText(node, "title").toLower()));
  connect(browse, &QPushButton::clicked, this, [this, pointer, &node] {
    const QString start = QString::fromStdString(document_->folder().string());
    const bool folder = schemaText(node, "x-file") == QLatin1String("folder");
    const QString chosen = folder ? QFileDialog::getExistingDirectory(this, schemaText(node, "title"), start)
                                  : QFileDialog::getOpenFileName(this, schemaText(node, "title"), start,
                                                                 schemaText(node, "x-file-filter"));
    if (chosen.isEmpty()) return;
    // Beside the project a relative path moves along with it.
    const bool beside = !start.isEmpty() && chosen.startsWith(start + QLatin1Char('/'));
    document_->set(pointer, (beside ? chosen.mid(start.size() + 1) : chosen).toStdString());
    document_->endEdit();
  });
  row->addWidget(edit, 1);
  row->addWidget(browse);
  add({pointer, edit, message, {}, {}, show, {}}, node);
  holder->setFocusProxy(edit);
  return holder;
}

QWidget* SectionForm::makeKind(const ObjectShape& shape, const std::string& pointer, QLabel* message) {
  QComboBox* combo = makeCombo();
  for (const auto& kind : shape.kinds) combo->addItem(kind.title, QString::fromStdString(kind.value));
  std::vector<const Json*> branches;
  for (const auto& kind : shape.kinds) branches.push_back(kind.branch);
  connect(combo, &QComboBox::activated, this, [this, pointer, branches](int index) {
    const Json* now = document_->at(pointer);
    Json& held = memory_[pointer];  // a kind that is left keeps its values for the way back
    if (!held.is_object()) held = Json::object();
    if (now && now->is_object()) held.update(*now);
    document_->endEdit();
    document_->set(pointer, inBranch(*branches[static_cast<std::size_t>(index)], held));
    document_->endEdit();
  });
  const Json& node = resolved((*shape.properties)[shape.discriminator]);
  add({pointer + "/" + shape.discriminator,
       combo,
       message,
       {},
       {},
       [combo](const Json* value) { selectValue(combo, value); },
       {}},
      node);
  return combo;
}

QWidget* SectionForm::makeAlternative(const ObjectShape& shape, const std::string& pointer) {
  QComboBox* combo = makeCombo();
  for (const auto& alternative : shape.alternatives)
    combo->addItem(alternative.title, QString::fromStdString(alternative.key));
  combo->setCurrentIndex(shape.alternative);
  combo->setObjectName(QString::fromStdString(pointer + "#alternative"));
  combo->setAccessibleName(tr("Choice"));
  combo->installEventFilter(this);
  connect(combo, &QComboBox::activated, this, [this, shape, pointer](int index) {
    if (index == shape.alternative) return;
    Json now = *document_->at(pointer);
    for (const auto& alternative : shape.alternatives) now.erase(alternative.key);
    const std::string key = shape.alternatives[static_cast<std::size_t>(index)].key;
    const Json& node = resolved((*shape.properties)[key]);
    const QStringList names = referenceChoices(document_->json(), schemaText(node, "x-reference"));
    now[key] = names.isEmpty() ? initialValue(node) : Json(names.first().toStdString());
    document_->endEdit();
    document_->set(pointer, std::move(now));
    document_->endEdit();
  });
  return combo;
}

QWidget* SectionForm::makeRemove(const std::string& pointer, const QString& what) {
  auto* button = new QToolButton;
  button->setIcon(icon(QStringLiteral("remove")));
  button->setFixedSize(28, 28);
  button->setToolTip(tr("Remove"));
  button->setAccessibleName(tr("Remove %1").arg(what.toLower()));
  button->setObjectName(QString::fromStdString(pointer + "#remove"));
  connect(button, &QToolButton::clicked, this, [this, pointer] {
    memory_.clear();  // elements behind it move up
    document_->erase(pointer);
  });
  return button;
}

Json SectionForm::fresh(const Json& items, const std::string& array) const {
  const Json* list = document_->at(array);
  if (list && !list->is_array()) list = nullptr;
  // Mostly more of the same: masses, links, limits of one kind.
  Json value = list && !list->empty() ? list->back() : initialValue(items);
  if (!value.is_object()) return value;
  if (value.contains("name")) {
    std::set<std::string> taken;
    if (list)
      for (const Json& other : *list) taken.insert(nameOf(other));
    const QString stem = schemaText(items, "title").toLower();
    int number = static_cast<int>(taken.size()) + 1;
    const auto name = [&] { return QStringLiteral("%1-%2").arg(stem).arg(number).toStdString(); };
    while (taken.contains(name())) ++number;
    value["name"] = name();
  }
  const ObjectShape shape = shapeOf(items, &value);
  for (auto& [key, element] : value.items())
    if (element == "" && shape.properties->contains(key)) {
      const QStringList names =
          referenceChoices(document_->json(), schemaText(resolved((*shape.properties)[key]), "x-reference"));
      if (!names.isEmpty()) element = names.first().toStdString();
    }
  return value;
}

}  // namespace hyb::ui
