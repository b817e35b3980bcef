#include "ui/document/field_editors.h"

#include <cmath>

#include "ui/base/number_text.h"
#include "ui/document/schema_tools.h"

namespace hyb::ui {

NumberEdit::NumberEdit(const Json& node, bool optional, QWidget* parent)
    : NumberField(schemaText(node, "x-unit"), parent),
      node_(node),
      optional_(optional),
      integer_(!hasType(node, "number")) {
  if (optional) setPlaceholderText(node.contains("default") ? format(node["default"]) : tr("none"));
}

std::optional<Json> NumberEdit::value() const {
  const std::optional<double> number = typed();
  if (!number) return {};
  // Keeps integers, so that "8" does not become "8.0" in the file.
  const bool whole = *number == std::floor(*number) && std::abs(*number) < 9e15;
  const bool parted = text().contains(QLatin1Char('.')) || text().contains(QLatin1Char(','));
  if (whole && (integer_ || !parted)) return Json(static_cast<std::int64_t>(*number));
  return Json(*number);
}

QString NumberEdit::problem() const {
  if (text().trimmed().isEmpty()) return optional_ ? QString() : tr("A number is needed. %1").arg(rangeText(node_));
  const std::optional<Json> number = value();
  if (!number) return notANumber();
  if (integer_ && !number->is_number_integer()) return tr("A whole number is needed. %1").arg(rangeText(node_));
  const double x = number->get<double>();
  const bool below = (node_.contains("minimum") && x < node_["minimum"].get<double>()) ||
                     (node_.contains("exclusiveMinimum") && x <= node_["exclusiveMinimum"].get<double>());
  const bool above = node_.contains("maximum") && x > node_["maximum"].get<double>();
  return below || above ? (below ? tr("Too small. %1") : tr("Too large. %1")).arg(rangeText(node_)) : QString();
}

void NumberEdit::showValue(const Json* value) {
  if (!value) {
    if (!text().isEmpty()) clear();
    return;
  }
  const std::optional<Json> typed = this->value();
  if (typed && *typed == *value) return;
  setText(value->is_number() ? format(*value) : QString::fromStdString(value->dump()));
}

QString NumberEdit::format(const Json& number) {
  if (!number.is_number()) return QString::fromStdString(number.dump());
  if (number.is_number_integer()) return QString::number(number.get<qlonglong>());
  return writeNumber(number.get<double>());
}

}  // namespace hyb::ui
