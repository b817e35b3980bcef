#include "ui/document/field_editors.h"

#include <QEvent>
#include <QLocale>
#include <QPainter>
#include <QStyle>
#include <cmath>

#include "ui/document/schema_tools.h"
#include "ui/theme.h"

namespace hyb::ui {

NumberEdit::NumberEdit(const Json& node, bool optional, QWidget* parent)
    : QLineEdit(parent),
      node_(node),
      optional_(optional),
      integer_(!hasType(node, "number")),
      unit_(schemaText(node, "x-unit")) {
  setInputMethodHints(Qt::ImhFormattedNumbersOnly);
  fitUnit();
  if (optional) setPlaceholderText(node.contains("default") ? format(node["default"]) : tr("none"));
}

std::optional<Json> NumberEdit::value() const {
  QString plain = text().trimmed();
  plain.replace(QLatin1Char(','), QLatin1Char('.')).replace(QChar(0x2212), QLatin1Char('-'));
  bool ok = false;
  const double number = QLocale::c().toDouble(plain, &ok);
  if (!ok || !std::isfinite(number)) return {};
  // A whole number stays one, so that "8" does not become "8.0" in the file.
  if (number == std::floor(number) && std::abs(number) < 9e15 && (integer_ || !plain.contains(QLatin1Char('.'))))
    return Json(static_cast<std::int64_t>(number));
  return Json(number);
}

QString NumberEdit::problem() const {
  if (text().trimmed().isEmpty()) return optional_ ? QString() : tr("A number is needed. %1").arg(rangeText(node_));
  const std::optional<Json> number = value();
  if (!number) return tr("Not a number: write it like 0.002 or 2e-3.");
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
  QString text = QString::number(number.get<double>(), 'g', QLocale::FloatingPointShortest);
  return text.replace(QLatin1String("e-0"), QLatin1String("e-")).replace(QLatin1String("e+0"), QLatin1String("e"));
}

QSize NumberEdit::sizeHint() const { return {144, QLineEdit::sizeHint().height()}; }

void NumberEdit::fitUnit() {
  setTextMargins(0, 0, unit_.isEmpty() ? 0 : fontMetrics().horizontalAdvance(unit_) + 8, 0);
}

void NumberEdit::paintEvent(QPaintEvent* event) {
  QLineEdit::paintEvent(event);
  if (unit_.isEmpty()) return;
  QPainter painter(this);
  painter.setPen(colour(Role::mutedText, palette()));
  painter.drawText(rect().adjusted(0, 0, -9, 0), Qt::AlignRight | Qt::AlignVCenter, unit_);
}

void NumberEdit::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) fitUnit();
  QLineEdit::changeEvent(event);
}

void setMark(QWidget* widget, const char* mark) {
  if (widget->property("mark").toString() == QLatin1String(mark)) return;
  widget->setProperty("mark", QLatin1String(mark));
  widget->style()->unpolish(widget);
  widget->style()->polish(widget);
  widget->update();
}

}  // namespace hyb::ui
