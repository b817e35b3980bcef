#include "ui/document/section_form.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QFrame>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QToolButton>
#include <algorithm>

#include "ui/base/icons.h"
#include "ui/base/widgets.h"
#include "ui/document/described_settings.h"
#include "ui/document/field_editors.h"
#include "ui/document/name_list_edit.h"
#include "ui/document/project_document.h"
#include "ui/document/references.h"

namespace hyb::ui {
namespace {

constexpr int kLabelWidth = 140, kPairLabelWidth = 116, kEditorWidth = 240, kSmallestEditor = 96;
constexpr int kPairEditorWidth = 168;  // wider editors take a separate row
constexpr int kManyFields = 10;        // more fields use two columns
constexpr int kWide = 540;             // smallest width for two columns
constexpr int kTableWidth = 500;       // lists that need more width are cards, not a table
constexpr int kBeside_px = 28;         // margin and scroll bar beside the fields
constexpr int kCard_px = 60;           // a card's own margins and spacings
constexpr int kNarrow = 340;           // below this labels stand above their fields
constexpr int kLongTitle = 20;
constexpr int kColumnWidth = 92, kBoxWidth = 44;

bool isPlain(const Json& node) {
  return !hasType(node, "object") &&
         (!hasType(node, "array") || hasType(node, "number") || isNumberList(node) || isNumberTable(node));
}

bool isFreeText(const Json& node) {
  return hasType(node, "string") && !node.contains("enum") && !node.contains("x-reference");
}

QLabel* makeHeading(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  QFont font = label->font();
  font.setWeight(QFont::DemiBold);
  label->setFont(font);
  return label;
}

QLabel* makeMuted(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setProperty("muted", true);
  label->setWordWrap(true);
  return label;
}

/// Column title for alternative keys.
QString alternativeTitle(const ObjectShape& shape) {
  QStringList titles;
  for (const auto& alternative : shape.alternatives)
    titles << schemaText(resolved((*shape.properties)[alternative.key]), "title");
  titles.removeDuplicates();
  return titles.join(QStringLiteral(" / "));
}

}  // namespace

SectionForm::SectionForm(ProjectDocument* document, QWidget* parent) : QWidget(parent), document_(document) {
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(0, 0, 0, 0);
  makeArea();
  connect(document, &ProjectDocument::changed, this, &SectionForm::refresh);
  connect(document, &ProjectDocument::checked, this, &SectionForm::refresh);  // references and error marks
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    for (const Field& field : fields_)
      if (now && (field.editor == now || field.editor->isAncestorOf(now))) Q_EMIT hint(field.title, field.help);
  });
}

/// The focus also changes while the form's own editors are destroyed, when its fields are gone already.
SectionForm::~SectionForm() { disconnect(qApp, nullptr, this, nullptr); }

void SectionForm::showSection(const std::string& section) {
  if (section_ == section && !fields_.empty()) return;
  section_ = section;
  rebuild();
  scroll_->ensureVisible(0, 0);
}

void SectionForm::setReadOnly(bool read_only) {
  read_only_ = read_only;
  if (scroll_->widget()) scroll_->widget()->setEnabled(!read_only);
}

QWidget* SectionForm::Flow::parent() const { return grid->parentWidget(); }

int SectionForm::pairs() const { return width() < kWide ? 1 : 2; }

int SectionForm::room() const { return width() - kBeside_px; }

bool SectionForm::narrow() const { return room() < kNarrow; }

int SectionForm::editorWidth() const {
  return narrow() ? kSmallestEditor : std::clamp(room() - kLabelWidth - kCard_px, kSmallestEditor, kEditorWidth);
}

void SectionForm::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (section_.empty()) return;
  const auto turned = [this](int table) { return (table <= laid_out_.room) != (table <= room()); };
  const bool tables_turned = std::any_of(laid_out_.tables.begin(), laid_out_.tables.end(), turned);
  if (tables_turned || laid_out_.pairs != pairs() || laid_out_.narrow != narrow() || laid_out_.editor != editorWidth())
    rebuild();
}

void SectionForm::rebuild() {
  const Json* found = schemaAt(document_->json(), section_);
  if (!found) return clear();
  const Json& node = *found;
  const Json* value = document_->at(section_);
  laid_out_ = {pairs(), room(), editorWidth(), narrow(), {}};
  signature_ = sectionSignature(*document_, node, section_);

  const std::string focused = focusedField();
  const QPoint at(0, scroll_->widget() ? -scroll_->widget()->y() : 0);

  dropFields();
  // Creates widgets directly under their final parent: a new parent would style a widget and its children again.
  auto* content = new QWidget(scroll_->viewport());
  auto* grid = new QGridLayout;
  auto* box = new QVBoxLayout(content);
  box->setContentsMargins(0, 0, 12, 12);
  box->addLayout(grid);
  box->addStretch();
  grid->setHorizontalSpacing(12);
  grid->setVerticalSpacing(0);
  grid->setContentsMargins(0, 0, 0, 0);
  const Json& shown = *shapeOf(node, value).properties;
  const auto plain = std::count_if(shown.begin(), shown.end(), [](const Json& p) { return isPlain(resolved(p)); });
  Flow flow{grid, plain > kManyFields ? pairs() : 1};
  if (hasType(node, "array"))
    addEach(flow, node, section_);
  else
    addObject(flow, node, section_);
  content->setEnabled(!read_only_);
  scroll_->setWidget(content);
  content->setAutoFillBackground(false);  // shows the panel's background
  content->show();
  refresh();
  if (!focused.empty()) {
    focusField(focused);
    QTimer::singleShot(0, content, [this, at] { scroll_->ensureVisible(0, at.y() + scroll_->height(), 0, 0); });
  }
}

void SectionForm::makeArea() {
  scroll_ = new QScrollArea(this);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);  // wide numbers must not be cut off
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->viewport()->setAutoFillBackground(false);
  layout()->addWidget(scroll_);
}

void SectionForm::dropFields() {
  fields_.clear();
  conditions_.clear();
  if (!scroll_->widget()) return;
  // Deletes the fields with their scroll area; a new parent would style them again. A field that loses the focus must
  // not overwrite the document, so it is disconnected and renamed first.
  QScrollArea* old = scroll_;
  for (QWidget* child : old->findChildren<QWidget*>()) {
    child->blockSignals(true);
    child->setObjectName(QString());
  }
  layout()->removeWidget(old);
  makeArea();
  scroll_->setGeometry(old->geometry());
  old->hide();
  scroll_->show();
  old->deleteLater();  // it may contain the sender of this signal
}

void SectionForm::clear(const QString& instead) {
  dropFields();
  section_.clear();
  if (instead.isEmpty()) return;
  auto* words = new QLabel(instead);
  words->setProperty("muted", true);
  words->setWordWrap(true);
  words->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  words->setContentsMargins(0, 8, 12, 0);
  scroll_->setWidget(words);
  words->setAutoFillBackground(false);
}

void SectionForm::refresh() {
  if (section_.empty()) return;
  const Json* node = schemaAt(document_->json(), section_);
  if (!node) return clear();  // a deleted element
  if (sectionSignature(*document_, *node, section_) != signature_) return rebuild();
  for (const Field& field : fields_) field.show(document_->at(field.pointer));
  for (const Condition& condition : conditions_) {
    const Json* object = document_->at(condition.object);
    const bool idle =
        isIdle(*condition.property, object ? *object : Json::object()) && !document_->at(condition.pointer);
    for (const Field& field : fields_)
      if (field.pointer.starts_with(condition.pointer)) field.editor->setEnabled(!idle);
  }
  updateMarks();
}

void SectionForm::updateMarks() {
  std::map<const Field*, QStringList> found;
  for (const Issue& issue : document_->issues()) {
    const Field* nearest = nullptr;  // the field itself, or the closest one around it
    for (const Field& field : fields_)
      if (issue.where.starts_with(field.pointer) &&
          (issue.where.size() == field.pointer.size() || issue.where[field.pointer.size()] == '/') &&
          (!nearest || field.pointer.size() > nearest->pointer.size()))
        nearest = &field;
    if (nearest) found[nearest] << QString::fromStdString(issue.message);
  }
  // The editors of a table row share one message line.
  std::map<QLabel*, QStringList> messages;
  for (const Field& field : fields_) {
    const QString own = field.problem ? field.problem() : QString();
    QStringList texts = own.isEmpty() ? found[&field] : QStringList{own};
    setMark(field.editor, texts.isEmpty() ? "" : "error");
    texts.removeDuplicates();
    messages[field.message] += texts;
  }
  for (auto& [label, texts] : messages) {
    if (!label) continue;
    label->setText(texts.join(QLatin1Char('\n')));
    label->setVisible(!texts.isEmpty());
  }
}

std::string SectionForm::focusedField() const {
  std::string focused;
  const QWidget* focus = QApplication::focusWidget();
  for (const Field& field : fields_)
    if (focus && (field.editor == focus || field.editor->isAncestorOf(focus)) && field.pointer.size() > focused.size())
      focused = field.pointer;
  return focused;
}

bool SectionForm::focusField(const std::string& pointer) {
  const Field* best = nullptr;
  std::size_t best_common = 0;
  for (const Field& field : fields_) {
    const auto end = std::mismatch(pointer.begin(), pointer.end(), field.pointer.begin(), field.pointer.end());
    const auto common = static_cast<std::size_t>(end.first - pointer.begin());
    if (!best || common > best_common) best = &field;
    best_common = std::max(best_common, common);
  }
  if (!best) return false;
  QWidget* target = best->editor;
  if (target->focusPolicy() == Qt::NoFocus) target = target->nextInFocusChain();
  target->setFocus(Qt::OtherFocusReason);
  scroll_->ensureWidgetVisible(target, 0, 48);
  if (auto* edit = qobject_cast<QLineEdit*>(target)) edit->selectAll();
  return best->pointer == pointer;
}

bool SectionForm::eventFilter(QObject* watched, QEvent* event) {
  // Undo uses the project's history, also while a field has the focus.
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
      event->ignore();
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

void SectionForm::addObject(Flow& flow, const Json& node, const std::string& pointer) {
  const ObjectShape shape = shapeOf(node, document_->at(pointer));
  const Json& body = shape.kind < 0 ? node : *shape.kinds[static_cast<std::size_t>(shape.kind)].branch;
  const auto required = [&](const std::string& key) {
    return body.contains("required") &&
           std::find(body["required"].begin(), body["required"].end(), Json(key)) != body["required"].end();
  };
  bool alternatives_placed = false;
  for (const auto& [key, unresolved] : shape.properties->items()) {
    const Json& property = resolved(unresolved);
    if (unresolved.contains("x-room") && pointer == section_) continue;  // edited in another workspace
    if (unresolved.contains("x-with")) conditions_.push_back({pointer, pointer + "/" + key, &unresolved});
    if (key == shape.discriminator) {
      if (shape.kinds.size() < 2) continue;
      QLabel* message = makeMessage(flow.parent());
      place(flow, schemaText(property, "title"), makeKind(shape, pointer, message), message);
    } else if (shape.isAlternative(key)) {
      if (std::exchange(alternatives_placed, true)) continue;
      const std::string chosen = shape.alternatives[static_cast<std::size_t>(shape.alternative)].key;
      place(flow, alternativeTitle(shape) + tr(" as"), makeAlternative(shape, pointer, flow.parent()), nullptr);
      addProperty(flow, resolved((*shape.properties)[chosen]), pointer + "/" + chosen, false);
    } else if (!property.contains("const")) {
      addProperty(flow, property, pointer + "/" + key, !required(key));
    }
  }
}

void SectionForm::addEach(Flow& flow, const Json& node, const std::string& pointer) {
  const Json* value = document_->at(pointer);
  const bool each = value && value->is_array();
  auto* choice = new QCheckBox(tr("Each actuator has its own"), flow.parent());
  choice->setObjectName(QString::fromStdString(pointer + "#each"));
  choice->setChecked(each);
  const QString help = tr("On: %1 Off: the first setting applies to all actuators.")
                           .arg(schemaText(node["oneOf"].back(), "description"));
  choice->setToolTip(help);
  connect(choice, &QCheckBox::toggled, this, [this, pointer, &node](bool on) {
    const Json* now = document_->at(pointer);
    const std::size_t actuators = std::max<std::size_t>(document_->interfaceDofs().size(), 1);
    Json one = !now ? initialValue(node["items"]) : !now->is_array() ? *now : now->empty() ? Json() : now->front();
    if (on) one = Json(Json::array_t(actuators, one));
    for (std::size_t i = 0; on && i < actuators; ++i)  // splits settings with a number for each actuator
      for (auto& [key, setting] : one[i].items())
        if (setting.is_array() && setting.size() == actuators &&
            hasType(resolved((*shapeOf(resolved(node["items"]), &one[i]).properties)[key]), "number"))
          setting = Json(setting[i]);
    document_->endEdit();
    write(pointer, std::move(one));
    document_->endEdit();
  });
  placeWide(flow, choice);
  const auto enable = [this, choice, each] { choice->setEnabled(each || document_->interfaceDofs().size() > 1); };
  enable();
  fields_.push_back(
      {pointer + "#each", choice, nullptr, choice->text(), help, [enable](const Json*) { enable(); }, {}});
  if (!each) return addObject(flow, node, pointer);
  for (std::size_t i = 0; i < value->size(); ++i) {
    QLabel* heading = makeHeading(tr("Actuator %1").arg(i + 1), flow.parent());
    heading->setContentsMargins(0, 12, 0, 0);
    placeWide(flow, heading);
    addObject(flow, resolved(node["items"]), pointer + "/" + std::to_string(i));
  }
}

void SectionForm::addProperty(Flow& flow, const Json& property, const std::string& pointer, bool optional) {
  if (const Json* own = describedSchema(*document_, property, pointer))
    return addProperty(flow, *own, pointer, optional);
  const QString title = schemaText(property, "title");
  if (isPlain(property)) {
    QLabel* message = makeMessage(flow.parent());
    QWidget* editor = makeEditor(property, pointer, optional, message);
    place(flow, title, editor, message,
          property.contains("x-multiline") || property.contains("x-file") || isNumberTable(property) ||
              isNumberList(property) || (flow.pairs == 1 && isFreeText(property)));
  } else if (hasType(property, "array")) {
    addArray(flow, property, pointer);
  } else {
    auto* group = new QWidget(flow.parent());
    auto* box = new QVBoxLayout(group);
    box->setContentsMargins(0, 12, 0, 0);
    box->setSpacing(4);
    QLabel* heading = makeHeading(title, group);
    heading->setToolTip(schemaText(property, "description"));
    auto* head = new QHBoxLayout;
    head->addWidget(heading);
    head->addStretch();
    box->addLayout(head);
    const bool there = document_->at(pointer) != nullptr;
    if (optional && needsChoices(property) && !there) {
      auto* add_button = new QPushButton(tr("Add %1").arg(title.toLower()), group);
      add_button->setIcon(icon(QStringLiteral("plus")));
      add_button->setObjectName(QString::fromStdString(pointer + "#add"));
      connect(add_button, &QPushButton::clicked, this, [this, pointer, &property] {
        document_->endEdit();
        write(pointer, initialValue(property));
        document_->endEdit();
      });
      head->addWidget(add_button);
      box->addWidget(makeMuted(schemaText(property, "description"), group));
    } else {
      if (optional && needsChoices(property)) head->addWidget(makeRemove(pointer, title, group));
      auto* grid = new QGridLayout;
      grid->setHorizontalSpacing(12);
      grid->setVerticalSpacing(0);
      box->addLayout(grid);
      Flow inner{grid};
      addObject(inner, property, pointer);
      if (property.contains("properties") && property["properties"].empty())
        box->addWidget(makeMuted(schemaText(property, "description"), group));
    }
    placeWide(flow, group);
  }
}

void SectionForm::addNames(QVBoxLayout* box, const Json& node, const std::string& pointer) {
  auto* edit = new NameListEdit(QString::fromStdString(pointer), box->parentWidget());
  connect(edit, &NameListEdit::toggled, this, [this, pointer](const QString& name, bool on) {
    const Json* now = document_->at(pointer);
    Json names = now && now->is_array() ? *now : Json::array();
    const Json entry(name.toStdString());
    const auto found = std::find(names.begin(), names.end(), entry);
    if (on && found == names.end()) names.push_back(entry);
    if (!on && found != names.end()) names.erase(found);
    document_->endEdit();
    write(pointer, std::move(names));
    document_->endEdit();
  });
  const QString reference = schemaText(resolved(node["items"]), "x-reference");
  const auto show = [this, edit, reference](const Json* value) {
    QStringList names;
    if (value && value->is_array())
      for (const Json& name : *value)
        names << QString::fromStdString(name.is_string() ? name.get<std::string>() : name.dump());
    edit->show(names, referenceChoices(*document_, reference),
               [this](const QString& name) { return partNote(document_->json(), name); });
  };
  show(document_->at(pointer));
  box->addWidget(edit);
  QLabel* message = makeMessage(box->parentWidget());
  box->addWidget(message);
  add({pointer, edit, message, {}, {}, show, {}}, node);
}

void SectionForm::addArray(Flow& flow, const Json& node, const std::string& pointer) {
  const Json& items = resolved(node["items"]);
  const Json* value = document_->at(pointer);
  if (value && !value->is_array()) value = nullptr;  // adding an element repairs it
  auto* group = new QWidget(flow.parent());
  auto* box = new QVBoxLayout(group);
  box->setContentsMargins(0, flow.row > 0 ? 12 : 0, 0, 0);
  box->setSpacing(4);
  auto* head = new QHBoxLayout;
  const QString item = schemaText(items, "title").toLower();
  const bool named = isNameList(node);
  QLabel* heading = makeHeading(schemaText(node, "title"), group);
  heading->setToolTip(schemaText(node, "description"));
  head->addWidget(heading);
  head->addStretch();
  if (!named) {
    auto* add_button = new QPushButton(tr("Add %1").arg(item), group);
    add_button->setIcon(icon(QStringLiteral("plus")));
    add_button->setObjectName(QString::fromStdString(pointer + "/-"));
    connect(add_button, &QPushButton::clicked, this, [this, pointer, &items] {
      const Json* now = document_->at(pointer);
      document_->insert(pointer, now ? now->size() : 0, fresh(items, pointer));
    });
    head->addWidget(add_button);
  }
  box->addLayout(head);
  if (named) {
    addNames(box, node, pointer);
    return placeWide(flow, group);
  }
  if (!value || value->empty()) {
    box->addWidget(makeMuted(tr("None yet. %1").arg(schemaText(node, "description")), group));
  } else if (QWidget* table = makeTable(items, pointer, group)) {
    box->addWidget(table);
  } else {
    addCards(box, items, pointer);
  }
  QLabel* message = makeMessage(group);  // for errors of the list as a whole
  box->addWidget(message);
  fields_.push_back(
      {pointer, heading, message, schemaText(node, "title"), schemaText(node, "description"), [](const Json*) {}, {}});
  placeWide(flow, group);
}

QStringList SectionForm::columnsOf(const Json& items) const {
  QStringList columns;
  std::vector<const Json*> bodies;
  const ObjectShape any = shapeOf(items, nullptr);
  for (const auto& kind : any.kinds) bodies.push_back(kind.branch);
  if (bodies.empty()) bodies.push_back(&items);
  int width = 0;
  const auto column = [&](const QString& title, int wide) {
    if (columns.contains(title)) return;
    columns << title;
    width += wide;
  };
  for (const Json* body : bodies) {
    const ObjectShape shape = shapeOf(*body, nullptr);
    for (const auto& [key, unresolved] : shape.properties->items()) {
      const Json& property = resolved(unresolved);
      if (!isPlain(property) || isNumberTable(property)) return {};
      if (shape.isAlternative(key)) {
        column(QString(), kColumnWidth);
        column(alternativeTitle(shape), kColumnWidth);
      } else if (key != any.discriminator || any.kinds.size() > 1) {
        column(schemaText(property, "title"), hasType(property, "boolean") ? kBoxWidth : kColumnWidth);
      }
    }
  }
  return width <= kTableWidth ? columns : QStringList();
}

QWidget* SectionForm::makeTable(const Json& items, const std::string& pointer, QWidget* parent) {
  const QStringList columns = columnsOf(items);
  if (columns.isEmpty()) return nullptr;
  const auto first_field = static_cast<std::ptrdiff_t>(fields_.size());
  auto table = std::make_unique<QWidget>(parent);
  auto* grid = new QGridLayout(table.get());
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(4);
  grid->setVerticalSpacing(0);
  for (int c = 0; c < columns.size(); ++c) {
    auto* header = new QLabel(columns[c], table.get());
    header->setProperty("muted", true);
    header->setWordWrap(columns.size() > 5 || columns[c].size() > kLongTitle);
    grid->addWidget(header, 0, c, Qt::AlignBottom);
    grid->setColumnStretch(c, 1);
  }
  if (columns.size() < 3)
    grid->setColumnStretch(static_cast<int>(columns.size()) + 1, 3 - static_cast<int>(columns.size()));
  const Json& list = *document_->at(pointer);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const int row = 1 + 2 * static_cast<int>(i);
    const std::string element = pointer + "/" + std::to_string(i);
    const ObjectShape shape = shapeOf(items, document_->at(element));
    const Json& body = shape.kind < 0 ? items : *shape.kinds[static_cast<std::size_t>(shape.kind)].branch;
    QLabel* message = makeMessage(table.get());
    const auto cell = [&](QWidget* editor, const QString& column) {
      const auto* choice = qobject_cast<QComboBox*>(editor);
      setLeastWidth(editor, choice != nullptr ? choice->sizeHint().width() : 64);
      editor->setMaximumWidth(QWIDGETSIZE_MAX);
      grid->addWidget(editor, row, static_cast<int>(columns.indexOf(column)));
    };
    for (const auto& [key, unresolved] : shape.properties->items()) {
      const Json& property = resolved(unresolved);
      const bool optional = !body.contains("required") || std::find(body["required"].begin(), body["required"].end(),
                                                                    Json(key)) == body["required"].end();
      if (key == shape.discriminator) {
        if (shape.kinds.size() > 1) cell(makeKind(shape, element, message), schemaText(property, "title"));
      } else if (shape.isAlternative(key)) {
        if (shape.alternatives[static_cast<std::size_t>(shape.alternative)].key != key) continue;
        cell(makeAlternative(shape, element, table.get()), QString());
        cell(makeEditor(property, element + "/" + key, false, message), alternativeTitle(shape));
      } else {
        cell(makeEditor(property, element + "/" + key, optional, message), schemaText(property, "title"));
      }
    }
    grid->addWidget(makeRemove(element, schemaText(items, "title"), table.get()), row,
                    static_cast<int>(columns.size()));
    grid->addWidget(message, row + 1, 0, 1, static_cast<int>(columns.size()) + 1);
    grid->setRowMinimumHeight(row, 32);
  }
  laid_out_.tables.push_back(grid->minimumSize().width());
  if (laid_out_.tables.back() <= room()) return table.release();
  fields_.erase(fields_.begin() + first_field, fields_.end());
  return nullptr;
}

void SectionForm::addCards(QVBoxLayout* box, const Json& items, const std::string& pointer) {
  const std::size_t count = document_->at(pointer)->size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string element = pointer + "/" + std::to_string(i);
    auto* card = new Panel(box->parentWidget());
    auto* inside = new QVBoxLayout(card);
    inside->setContentsMargins(12, 4, 8, 8);
    inside->setSpacing(4);
    auto* head = new QHBoxLayout;
    const QString title = QStringLiteral("%1 %2").arg(schemaText(items, "title")).arg(i + 1);
    const ObjectShape shape = shapeOf(items, document_->at(element));  // without a choice, the heading names it
    head->addWidget(
        makeHeading(shape.kinds.size() == 1 ? title + QStringLiteral(": ") + shape.kinds[0].title : title, card));
    head->addStretch();
    head->addWidget(makeRemove(element, title, card));
    inside->addLayout(head);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(0);
    inside->addLayout(grid);
    Flow flow{grid, pairs()};
    addObject(flow, items, element);
    box->addWidget(card);
  }
}

void SectionForm::place(Flow& flow, const QString& title, QWidget* editor, QLabel* message, bool text) {
  const bool pairs = flow.pairs > 1;
  const bool wide = text || (pairs && editor->sizeHint().width() > kPairEditorWidth);
  if (wide && flow.pair > 0) flow.row += 2, flow.pair = 0;
  const int column = 2 * flow.pair;
  auto* label = new QLabel(title, flow.parent());
  label->setBuddy(editor);
  const int label_width = pairs ? kPairLabelWidth : kLabelWidth;
  label->setWordWrap(label->sizeHint().width() > label_width);
  label->setMinimumWidth(label_width);
  label->setToolTip(editor->toolTip());
  const bool tall = editor->sizeHint().height() > 40;
  if (tall) label->setContentsMargins(0, 8, 0, 0);
  if (!text && !pairs) setLeastWidth(editor, editorWidth());
  if (narrow()) {
    flow.grid->addWidget(label, flow.row, 0);
    flow.grid->addWidget(editor, flow.row + 1, 0);
    if (message) flow.grid->addWidget(message, flow.row + 2, 0);
    flow.grid->setRowMinimumHeight(flow.row, 24);
    flow.row += 3;
    return;
  }
  flow.grid->addWidget(label, flow.row, column, tall ? Qt::AlignTop : Qt::AlignVCenter);
  const int span = wide ? 2 * flow.pairs : 1;
  const bool stretches = text || (pairs && !wide);
  flow.grid->addWidget(editor, flow.row, column + 1, 1, span, stretches ? Qt::Alignment() : Qt::AlignLeft);
  if (message) flow.grid->addWidget(message, flow.row + 1, column + 1, 1, pairs && !wide ? 1 : 2 * flow.pairs);
  flow.grid->setRowMinimumHeight(flow.row, 32);
  flow.grid->setColumnStretch(pairs ? column + 1 : 2, 1);
  flow.pair = wide ? flow.pairs : flow.pair + 1;
  if (flow.pair >= flow.pairs) flow.row += 2, flow.pair = 0;
}

void SectionForm::placeWide(Flow& flow, QWidget* widget) {
  if (flow.pair > 0) flow.row += 2, flow.pair = 0;
  flow.grid->addWidget(widget, flow.row, 0, 1, 2 * flow.pairs + 1);
  flow.row += 2;
}

}  // namespace hyb::ui
