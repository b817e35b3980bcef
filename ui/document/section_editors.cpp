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
#include <cmath>
#include <set>

#include "core/project/schema.h"
#include "ui/base/dialog.h"
#include "ui/base/icons.h"
#include "ui/base/number_text.h"
#include "ui/document/field_editors.h"
#include "ui/document/project_document.h"
#include "ui/document/references.h"
#include "ui/document/section_form.h"

namespace hyb::ui {
namespace {

QString textOf(const Json* value) {
  return value && value->is_string() ? QString::fromStdString(value->get<std::string>()) : QString();
}

/// Call before the choices change: the box becomes as wide as the new ones need. An empty box needs no call, and a call
/// would create its drop-down list, which costs more than the rest of the field.
void followChoices(QComboBox* combo) {
  if (combo->count() > 0) combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
}

/// Chooses by stored value; shows a value outside the list too.
void selectValue(QComboBox* combo, const Json* value) {
  const QString stored = !value               ? QString()
                         : value->is_string() ? textOf(value)
                                              : QString::fromStdString(value->dump());
  int index = combo->findData(stored);
  if (index < 0) {
    followChoices(combo);
    combo->addItem(stored, stored);
    index = combo->count() - 1;
  }
  combo->setCurrentIndex(index);
}

/// Numbers in rows or in one list; none for any other value.
std::optional<Json> numbersOf(const QString& text, bool rows) {
  Json all = Json::array();
  for (const QString& line : text.split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
    Json row = Json::array();
    for (const QString& word : numberWords(line)) {
      const std::optional<double> number = readNumber(word);
      if (!number) return {};
      const bool whole = *number == std::floor(*number) && std::abs(*number) < 9e15 &&
                         !word.contains(QLatin1Char('.')) && !word.contains(QLatin1Char(','));
      row.push_back(whole ? Json(static_cast<std::int64_t>(*number)) : Json(*number));
    }
    if (row.empty()) continue;
    if (rows)
      all.push_back(std::move(row));
    else
      all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

QString textOfNumbers(const Json& list) {
  if (!list.is_array()) return QString::fromStdString(list.dump());
  QStringList words;
  bool rows = false;
  for (const Json& item : list) {
    rows = rows || item.is_array();
    words << (item.is_array() ? textOfNumbers(item) : NumberEdit::format(item));
  }
  return words.join(rows ? QLatin1Char('\n') : QLatin1Char(' '));
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

void SectionForm::write(const std::string& pointer, Json value) {
  // A field of a missing object creates the whole object.
  std::string top = pointer.substr(0, pointer.rfind('/'));
  if (document_->at(top)) return document_->set(pointer, std::move(value));
  while (!document_->at(top.substr(0, top.rfind('/')))) top = top.substr(0, top.rfind('/'));
  const Json* owner = document_->at(top.substr(0, top.rfind('/')));
  if (!owner->is_object()) return document_->set(pointer, std::move(value));  // the list of errors gives the reason
  Json document = document_->json();
  const auto fill = [&](const std::string& place) {
    document[Json::json_pointer(place)] = initialValue(schemaOf(document, place));
  };
  for (std::size_t end = top.size(); end != std::string::npos && end < pointer.size(); end = pointer.find('/', end + 1))
    if (!document.contains(Json::json_pointer(pointer.substr(0, end)))) fill(pointer.substr(0, end));
  document[Json::json_pointer(pointer)] = std::move(value);
  document_->set(top, document[Json::json_pointer(top)]);
}

QLabel* SectionForm::makeMessage(QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setProperty("mark", "error");
  label->setWordWrap(true);
  label->setContentsMargins(0, 0, 0, 4);
  label->hide();
  return label;
}

QWidget* SectionForm::makeEditor(const Json& node, const std::string& pointer, bool optional, QLabel* message) {
  if (isNumberList(node) || isNumberTable(node)) return makeNumberText(node, pointer, optional, message);
  if (hasType(node, "array")) return makeNumbers(node, pointer, optional, message);
  if (hasType(node, "number") || hasType(node, "integer")) return makeNumber(node, pointer, optional, message);
  if (node.contains("enum")) return makeEnum(node, pointer, optional, message);
  if (node.contains("x-reference")) return makeReference(node, pointer, optional, message);
  if (!hasType(node, "boolean")) return makeText(node, pointer, optional, message);
  auto* box = new QCheckBox(message->parentWidget());
  connect(box, &QCheckBox::clicked, this, [this, pointer](bool on) {
    write(pointer, on);
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
  auto* edit = new NumberEdit(node, optional, message->parentWidget());
  connect(edit, &QLineEdit::textEdited, this, [this, edit, pointer, optional] {
    if (const std::optional<Json> value = edit->value())
      write(pointer, *value);
    else if (optional && edit->text().trimmed().isEmpty())
      document_->erase(pointer);
    updateMarks();
  });
  connect(edit, &QLineEdit::editingFinished, this, [this, edit, pointer] {
    document_->endEdit();
    edit->showValue(document_->at(pointer));  // restores the value in force in place of unreadable text
    updateMarks();
  });
  add({pointer,
       edit,
       message,
       {},
       {},
       [edit](const Json* value) {
         // No error is shown while the user types.
         if (!edit->hasFocus() || edit->value() || !edit->isModified()) edit->showValue(value);
       },
       [this, edit, pointer] {
         // An omitted object needs none of its parts.
         const bool left_out = edit->text().trimmed().isEmpty() && isLeftOut(pointer);
         return left_out ? QString() : edit->problem();
       }},
      node);
  return edit;
}

bool SectionForm::isLeftOut(const std::string& pointer) const {
  return !document_->at(pointer.substr(0, pointer.rfind('/')));
}

QWidget* SectionForm::makeNumbers(const Json& node, const std::string& pointer, bool optional, QLabel* message) {
  const Json* value = document_->at(pointer);
  auto* holder = new QWidget(message->parentWidget());
  auto* row = new QHBoxLayout(holder);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  const Json& items = resolved(node["items"]);
  if (value && value->is_array()) {
    for (std::size_t i = 0; i < value->size(); ++i) {
      QWidget* edit = makeNumber(items, pointer + "/" + std::to_string(i), false, message);
      setLeastWidth(edit, 56);
      edit->setAccessibleName(tr("%1, interface %2").arg(schemaText(node, "title")).arg(i + 1));
      row->addWidget(edit, 1);
    }
  } else {
    row->addWidget(makeNumber(node, pointer, optional, message), 1);
  }
  // One number for all, or one per interface: as many as the rig has actuators, at least two.
  auto* each = new QToolButton(holder);
  each->setIcon(icon(QStringLiteral("list")));
  each->setCheckable(true);
  each->setChecked(value && value->is_array());
  each->setFixedSize(28, 28);
  each->setToolTip(tr("Enter a separate value for each interface"));
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
      write(pointer, Json(Json::array_t(count, first)));
    else
      write(pointer, std::move(first));
    document_->endEdit();
  });
  row->addWidget(each);
  holder->setFocusProxy(row->itemAt(0)->widget());
  if (value && value->is_array()) {
    // Shows errors of the list as a whole.
    fields_.push_back(
        {pointer, holder, message, schemaText(node, "title"), fieldHelp(node, pointer), [](const Json*) {}, {}});
    holder->setToolTip(fieldHelp(node, pointer));
  }
  return holder;
}

QWidget* SectionForm::makeNumberText(const Json& node, const std::string& pointer, bool optional, QLabel* message) {
  const bool table = isNumberTable(node);
  auto* edit = new QPlainTextEdit(message->parentWidget());
  edit->setTabChangesFocus(true);
  edit->document()->setDocumentMargin(table ? 7 : 4);
  edit->setLineWrapMode(table ? QPlainTextEdit::NoWrap : QPlainTextEdit::WidgetWidth);
  edit->setFixedHeight(table ? 6 * edit->fontMetrics().lineSpacing() + 16 : 28);
  if (!table) edit->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  if (table)
    edit->setPlaceholderText(tr("One row per line, numbers separated by spaces"));
  else if (optional)
    edit->setPlaceholderText(node.contains("default") && !node["default"].empty() ? textOfNumbers(node["default"])
                                                                                  : tr("none"));
  connect(edit, &QPlainTextEdit::textChanged, this, [this, edit, pointer, optional, table] {
    const std::optional<Json> numbers = numbersOf(edit->toPlainText(), table);
    if (numbers && numbers->empty() && optional)
      document_->erase(pointer);
    else if (numbers)
      write(pointer, *numbers);
    updateMarks();
  });
  add({pointer,
       edit,
       message,
       {},
       {},
       [edit, table](const Json* value) {
         const QSignalBlocker quiet(edit);
         const std::optional<Json> typed = numbersOf(edit->toPlainText(), table);
         const Json shown = value ? *value : Json::array();
         if (typed ? *typed == shown : edit->hasFocus()) return;
         edit->setPlainText(textOfNumbers(shown));
       },
       [edit, table] {
         return numbersOf(edit->toPlainText(), table)
                    ? QString()
                    : tr("Not a number. Separate numbers by spaces or semicolons: 0.02 3e-3.");
       }},
      node);
  return edit;
}

QWidget* SectionForm::makeEnum(const Json& node, const std::string& pointer, bool optional, QLabel* message) {
  auto* combo = new QComboBox(message->parentWidget());
  const Json titles = node.value("x-enum-titles", node["enum"]);
  for (std::size_t i = 0; i < node["enum"].size(); ++i)
    combo->addItem(QString::fromStdString(titles[i]), QString::fromStdString(node["enum"][i]));
  connect(combo, &QComboBox::activated, this, [this, combo, pointer] {
    write(pointer, combo->currentData().toString().toStdString());
    document_->endEdit();
  });
  const bool absent = optional || isLeftOut(pointer);
  const Json fallback = absent && node.contains("default") ? node["default"] : Json("");
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

QWidget* SectionForm::makeReference(const Json& node, const std::string& pointer, bool optional, QLabel* message) {
  auto* combo = new QComboBox(message->parentWidget());
  connect(combo, &QComboBox::activated, this, [this, combo, pointer, optional] {
    const std::string name = combo->currentData().toString().toStdString();
    if (name.empty() && optional)
      document_->erase(pointer);
    else
      write(pointer, name);
    document_->endEdit();
  });
  const QString reference = schemaText(node, "x-reference");
  const auto show = [this, combo, reference, optional](const Json* value) {
    QStringList names = referenceChoices(*document_, reference), shown;
    if (optional) names.prepend(QString());
    for (int i = 0; i < combo->count(); ++i) shown << combo->itemData(i).toString();
    if (shown != names) {
      followChoices(combo);
      combo->clear();
      for (const QString& name : names) combo->addItem(name.isEmpty() ? tr("(ground)") : name, name);
    }
    selectValue(combo, value);
  };
  show(document_->at(pointer));  // before its width is requested
  add({pointer, combo, message, {}, {}, show, {}}, node);
  return combo;
}

QWidget* SectionForm::makeText(const Json& node, const std::string& pointer, bool optional, QLabel* message) {
  if (node.contains("x-multiline")) {
    auto* edit = new QPlainTextEdit(message->parentWidget());
    edit->setTabChangesFocus(true);
    edit->document()->setDocumentMargin(7);
    edit->setFixedHeight(5 * edit->fontMetrics().lineSpacing() + 16);
    connect(edit, &QPlainTextEdit::textChanged, this,
            [this, edit, pointer] { write(pointer, edit->toPlainText().toStdString()); });
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
  auto* edit = new QLineEdit(message->parentWidget());
  if (optional && node.contains("default")) edit->setPlaceholderText(textOf(&node["default"]));
  const bool names = pointer.ends_with("/name");
  const auto commit = [this, edit, pointer, optional, names] {
    const std::string text = edit->text().toStdString();
    if (names)
      document_->rename(pointer, text);
    else if (text.empty() && optional)
      document_->erase(pointer);
    else if (textOf(document_->at(pointer)) != edit->text())
      write(pointer, text);
  };
  // Renames references after the name is finished; all other text takes effect while typing.
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
  auto* holder = new QWidget(message->parentWidget());
  auto* row = new QHBoxLayout(holder);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  auto* browse = new QPushButton(tr("Browse..."), holder);
  browse->setAccessibleName(tr("Browse for %1").arg(schemaText(node, "title").toLower()));
  connect(browse, &QPushButton::clicked, this, [this, browse, pointer, &node] {
    const QString start = QString::fromStdString(document_->folder().string());
    const bool folder = schemaText(node, "x-file") == QLatin1String("folder");
    // The dialog is deleted with its field.
    auto* dialog = new QFileDialog(browse, schemaText(node, "title"), start,
                                   folder ? QString() : schemaText(node, "x-file-filter"));
    dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::ExistingFile);
    dialog->setOption(QFileDialog::ShowDirsOnly, folder);
    connect(dialog, &QFileDialog::fileSelected, this, [this, pointer, start](const QString& chosen) {
      if (read_only_) return;
      // Files beside the project get a relative path, so that they can move with it.
      const bool beside = !start.isEmpty() && chosen.startsWith(start + QLatin1Char('/'));
      write(pointer, (beside ? chosen.mid(start.size() + 1) : chosen).toStdString());
      document_->endEdit();
    });
    showBeside(dialog);
  });
  row->addWidget(edit, 1);
  row->addWidget(browse);
  add({pointer, edit, message, {}, {}, show, {}}, node);
  holder->setFocusProxy(edit);
  return holder;
}

QWidget* SectionForm::makeKind(const ObjectShape& shape, const std::string& pointer, QLabel* message) {
  auto* combo = new QComboBox(message->parentWidget());
  for (const auto& kind : shape.kinds) combo->addItem(kind.title, QString::fromStdString(kind.value));
  std::vector<const Json*> branches;
  for (const auto& kind : shape.kinds) branches.push_back(kind.branch);
  connect(combo, &QComboBox::activated, this, [this, pointer, branches](int index) {
    const Json* now = document_->at(pointer);
    Json& held = memory_[pointer];  // the previous kind keeps its values for a return
    if (!held.is_object()) held = Json::object();
    if (now && now->is_object()) held.update(*now);
    document_->endEdit();
    write(pointer, inBranch(*branches[static_cast<std::size_t>(index)], held));
    document_->endEdit();
  });
  const Json& node = resolved((*shape.properties)[shape.discriminator]);
  const Json fallback = shape.kinds[static_cast<std::size_t>(shape.kind)].value;  // the discriminator is optional
  add({pointer + "/" + shape.discriminator,
       combo,
       message,
       {},
       {},
       [combo, fallback](const Json* value) { selectValue(combo, value ? value : &fallback); },
       {}},
      node);
  return combo;
}

QWidget* SectionForm::makeAlternative(const ObjectShape& shape, const std::string& pointer, QWidget* parent) {
  auto* combo = new QComboBox(parent);
  for (const auto& alternative : shape.alternatives)
    combo->addItem(alternative.title, QString::fromStdString(alternative.key));
  combo->setCurrentIndex(shape.alternative);
  combo->setObjectName(QString::fromStdString(pointer + "#alternative"));
  combo->setAccessibleName(tr("Choice"));
  connect(combo, &QComboBox::activated, this, [this, shape, pointer](int index) {
    if (index == shape.alternative) return;
    Json now = document_->at(pointer) ? *document_->at(pointer) : Json::object();
    for (const auto& alternative : shape.alternatives) now.erase(alternative.key);
    const std::string key = shape.alternatives[static_cast<std::size_t>(index)].key;
    const Json& node = resolved((*shape.properties)[key]);
    const QStringList names = referenceChoices(*document_, schemaText(node, "x-reference"));
    now[key] = names.isEmpty() ? initialValue(node) : Json(names.first().toStdString());
    document_->endEdit();
    write(pointer, std::move(now));
    document_->endEdit();
  });
  return combo;
}

QWidget* SectionForm::makeRemove(const std::string& pointer, const QString& what, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setIcon(icon(QStringLiteral("remove")));
  button->setFixedSize(28, 28);
  button->setToolTip(tr("Remove"));
  button->setAccessibleName(tr("Remove %1").arg(what.toLower()));
  button->setObjectName(QString::fromStdString(pointer + "#remove"));
  connect(button, &QToolButton::clicked, this, [this, pointer] {
    memory_.clear();  // indices of later elements change
    document_->erase(pointer);
  });
  return button;
}

Json SectionForm::fresh(const Json& items, const std::string& array) const {
  const Json* list = document_->at(array);
  if (list && !list->is_array()) list = nullptr;
  // Usually the new element resembles the last: masses, links, limits of one kind.
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
    if (element.is_string() && element.get_ref<const std::string&>().empty() && shape.properties->contains(key)) {
      const QStringList names =
          referenceChoices(*document_, schemaText(resolved((*shape.properties)[key]), "x-reference"));
      if (!names.isEmpty()) element = names.first().toStdString();
    }
  return value;
}

}  // namespace hyb::ui
