#pragma once
#include <QWidget>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/project/project.h"
#include "ui/document/schema_tools.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace hyb::ui {

class ProjectDocument;

/// Form of a section of the project, or of a part of it, made from the JSON Schema: a field per property, tables and
/// cards for lists, a choice for several kinds. Edits go directly to the document; errors are shown at their field. The
/// object name of an editor is its JSON pointer.
class SectionForm : public QWidget {
  Q_OBJECT
 public:
  explicit SectionForm(ProjectDocument* document, QWidget* parent = nullptr);
  ~SectionForm() override;
  /// Shows a section, "/compensation", or any object in one, "/rig/channels/2". Properties that the schema assigns to
  /// another workspace ("x-room") are left out.
  void showSection(const std::string& section);
  void clear(const QString& instead = {});  ///< `instead`: text shown instead
  const std::string& section() const { return section_; }
  void setReadOnly(bool read_only);
  /// Puts the cursor into the field of this pointer, or of its nearest parent.
  bool focusField(const std::string& pointer);
  /// Pointer of the field with the focus; empty: none.
  std::string focusedField() const;

 Q_SIGNALS:
  /// Description of the field with the focus.
  void hint(const QString& title, const QString& text);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Field {
    std::string pointer;
    QWidget* editor;
    QLabel* message;
    QString title, help;
    std::function<void(const Json*)> show;  // shows the document's value
    std::function<QString()> problem;       // error found by the editor; may be empty
  };
  /// Places fields in order, with `pairs` of label and editor per row.
  struct Flow {
    QGridLayout* grid;
    int pairs = 1;
    int row = 0, pair = 0;
    QWidget* parent() const;  ///< parent of placed widgets
  };

  int pairs() const;  ///< pairs that fit in one row
  int room() const;   ///< width available for a table, px
  bool narrow() const;
  int editorWidth() const;
  void makeArea();
  void rebuild();
  void dropFields();
  void refresh();
  void updateMarks();
  void addObject(Flow& flow, const Json& node, const std::string& pointer);
  /// One setting for all actuators, or a list with one per actuator.
  void addEach(Flow& flow, const Json& node, const std::string& pointer);
  void addProperty(Flow& flow, const Json& property, const std::string& pointer, bool optional);
  void addArray(Flow& flow, const Json& node, const std::string& pointer);
  void addNames(QVBoxLayout* box, const Json& node, const std::string& pointer);
  /// Null if there is no space.
  QWidget* makeTable(const Json& items, const std::string& pointer, QWidget* parent);
  void addCards(QVBoxLayout* box, const Json& items, const std::string& pointer);
  void place(Flow& flow, const QString& title, QWidget* editor, QLabel* message, bool text = false);
  void placeWide(Flow& flow, QWidget* widget);

  // An editor and its message have the same parent.
  QWidget* makeEditor(const Json& node, const std::string& pointer, bool optional, QLabel* message);
  /// The parent object is not in the document.
  bool isLeftOut(const std::string& pointer) const;
  QWidget* makeNumber(const Json& node, const std::string& pointer, bool optional, QLabel* message);
  QWidget* makeNumbers(const Json& node, const std::string& pointer, bool optional, QLabel* message);
  QWidget* makeEnum(const Json& node, const std::string& pointer, bool optional, QLabel* message);
  QWidget* makeNumberText(const Json& node, const std::string& pointer, bool optional, QLabel* message);
  QWidget* makeReference(const Json& node, const std::string& pointer, bool optional, QLabel* message);
  QWidget* makeText(const Json& node, const std::string& pointer, bool optional, QLabel* message);
  QWidget* makeKind(const ObjectShape& shape, const std::string& pointer, QLabel* message);
  QWidget* makeAlternative(const ObjectShape& shape, const std::string& pointer, QWidget* parent);
  QWidget* makeRemove(const std::string& pointer, const QString& what, QWidget* parent);
  QLabel* makeMessage(QWidget* parent);
  void write(const std::string& pointer, Json value);
  void add(Field field, const Json& node);
  Json fresh(const Json& items, const std::string& array) const;
  QStringList columnsOf(const Json& items) const;

  ProjectDocument* document_;
  std::string section_, signature_;
  QScrollArea* scroll_ = nullptr;
  bool read_only_ = false;
  struct {
    int pairs = 2, room = 0, editor = 0;
    bool narrow = false;
    std::vector<int> tables;  ///< width that each list needs as a table, px
  } laid_out_;
  /// Fields below `pointer` are disabled while isIdle(*property, the value of `object`).
  struct Condition {
    std::string object, pointer;
    const Json* property;
  };
  std::vector<Field> fields_;
  std::vector<Condition> conditions_;
  std::map<std::string, Json> memory_;  // by pointer: values of previously chosen kinds
};

}  // namespace hyb::ui
