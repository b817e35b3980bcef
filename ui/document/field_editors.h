#pragma once
#include <QLineEdit>
#include <optional>

#include "core/project/project.h"

namespace hyb::ui {

/// Number with its unit inside the field. Takes 0.00001, 1e-5 and 1e-5 with a decimal comma; checks while one types.
class NumberEdit : public QLineEdit {
  Q_OBJECT
 public:
  /// `node`: schema of the number (type, bounds, x-unit, default). Optional fields may be left empty.
  NumberEdit(const Json& node, bool optional, QWidget* parent = nullptr);
  /// What is typed, where it can be read as a number (in bounds or not); none for empty or unreadable text.
  std::optional<Json> value() const;
  /// Why the text cannot stand, or empty.
  QString problem() const;
  /// Shows the document's value (null: absent, the default shows as placeholder); text that means the same stays.
  void showValue(const Json* value);

  static QString format(const Json& number);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void fitUnit();
  const Json& node_;
  bool optional_;
  bool integer_;
  QString unit_;
};

/// Sets the dynamic property "mark" ("error", "warning", "ok" or empty) that the style sheet draws.
void setMark(QWidget* widget, const char* mark);

}  // namespace hyb::ui
