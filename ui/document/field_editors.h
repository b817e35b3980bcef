#pragma once
#include <optional>

#include "core/project/project.h"
#include "ui/base/number_field.h"

namespace hyb::ui {

/// A number of the project: checks against its schema while one types.
class NumberEdit : public NumberField {
  Q_OBJECT
 public:
  /// `node`: schema of the number (type, bounds, x-unit, default). Optional fields may be left empty.
  NumberEdit(const Json& node, bool optional, QWidget* parent = nullptr);
  /// What is typed, where it can be read as a number (in bounds or not); none for empty or unreadable text.
  std::optional<Json> value() const;
  /// Why the text cannot stand, or empty.
  QString problem() const override;
  /// Shows the document's value (null: absent, the default shows as placeholder); text that means the same stays.
  void showValue(const Json* value);

  static QString format(const Json& number);

 private:
  const Json& node_;
  bool optional_;
  bool integer_;
};

}  // namespace hyb::ui
