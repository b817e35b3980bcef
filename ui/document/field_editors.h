#pragma once
#include <optional>

#include "core/project/project.h"
#include "ui/base/number_field.h"

namespace hyb::ui {

/// A number of the project, checked against its schema while the user types.
class NumberEdit : public NumberField {
  Q_OBJECT
 public:
  /// `node`: schema of the number (type, bounds, x-unit, default). Optional fields may be left empty.
  NumberEdit(const Json& node, bool optional, QWidget* parent = nullptr);
  /// The typed number, in bounds or not; none for empty or unreadable text.
  std::optional<Json> value() const;
  /// Error of the text; empty: valid.
  QString problem() const override;
  /// Shows the document's value (null: absent, the default is the placeholder). Keeps text of equal meaning.
  void showValue(const Json* value);

  static QString format(const Json& number);

 private:
  const Json& node_;
  bool optional_;
  bool integer_;
};

}  // namespace hyb::ui
