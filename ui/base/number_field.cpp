#include "ui/base/number_field.h"

#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QStyle>
#include <QStyleOptionFrame>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/base/number_text.h"
#include "ui/base/theme.h"

namespace hyb::ui {
namespace {

constexpr int kUsual_px = 144, kUnitGap_px = 8, kUnitEdge_px = 9;
constexpr int kLineMargin_px = 2, kCaret_px = 2;  // space that QLineEdit keeps around its text
constexpr int kLongest = 24;                      // characters of the longest number there is
constexpr int kFigures = 6;
constexpr double kWholeBelow = 1e9;  // whole numbers are written without exponent below this

double rounded(double value, int figures) {
  const int before = value == 0.0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return QString::number(value, 'g', std::clamp(before, figures, 15)).toDouble();
}

}  // namespace

NumberField::NumberField(const QString& unit, QWidget* parent) : QLineEdit(parent), unit_(unit) {
  setInputMethodHints(Qt::ImhFormattedNumbersOnly);
  connect(this, &QLineEdit::textChanged, this, &NumberField::fit);
  connect(this, &QLineEdit::editingFinished, this, [this] {  // reads a comma, shows a point
    if (text().contains(QLatin1Char(',')) && typed()) setText(text().replace(QLatin1Char(','), QLatin1Char('.')));
  });
  fit();
}

std::optional<double> NumberField::typed() const { return readNumber(text()); }

void NumberField::setUnit(const QString& unit) {
  if (unit == unit_) return;
  unit_ = unit;
  fit();
  update();
}

void NumberField::setLeastWidth(int width_px) {
  least_px_ = width_px;
  fit();
}

QSize NumberField::sizeHint() const { return {std::max(kUsual_px, minimumWidth()), QLineEdit::sizeHint().height()}; }

int NumberField::textWidth() const {
  return fontMetrics().horizontalAdvance((text().isEmpty() ? placeholderText() : text()).left(kLongest));
}

int NumberField::frameWidth() const {
  QStyleOptionFrame option;
  initStyleOption(&option);
  const int inside = style()->subElementRect(QStyle::SE_LineEditContents, &option, this).width();
  return option.rect.width() - inside + textMargins().left() + textMargins().right() + 2 * kLineMargin_px + kCaret_px;
}

bool NumberField::showsAll() const {
  const QString shown = text().isEmpty() ? placeholderText() : text();
  return fontMetrics().horizontalAdvance(shown) + frameWidth() - kCaret_px <= width();
}

void NumberField::fit() {
  setTextMargins(0, 0, unit_.isEmpty() ? 0 : fontMetrics().horizontalAdvance(unit_) + kUnitGap_px, 0);
  const int wanted = std::max(least_px_, textWidth() + frameWidth());
  if (minimumWidth() != wanted) setMinimumWidth(wanted);
}

void NumberField::paintEvent(QPaintEvent* event) {
  const bool whole = showsAll() || hasFocus();
  if (whole) {
    QLineEdit::paintEvent(event);
  } else {
    QStyleOptionFrame option;
    initStyleOption(&option);
    QPainter frame(this);
    style()->drawPrimitive(QStyle::PE_PanelLineEdit, &option, &frame, this);
  }
  QPainter painter(this);
  if (!whole) {
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(rect().adjusted(kUnitEdge_px, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("…"));
  }
  if (unit_.isEmpty()) return;
  painter.setPen(colour(Role::mutedText, palette()));
  painter.drawText(rect().adjusted(0, 0, -kUnitEdge_px, 0), Qt::AlignRight | Qt::AlignVCenter, unit_);
}

void NumberField::changeEvent(QEvent* event) {
  QLineEdit::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) fit();
}

bool NumberField::event(QEvent* event) {
  if (event->type() == QEvent::Polish) {  // frame and font of the style sheet apply from here on
    const bool done = QLineEdit::event(event);
    fit();
    return done;
  }
  if (event->type() != QEvent::ToolTip || showsAll()) return QLineEdit::event(event);
  const QString whole = unit_.isEmpty() ? text() : text() + QLatin1Char(' ') + unit_;
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), whole + QLatin1Char('\n') + toolTip(), this);
  return true;
}

ValueField::ValueField(const QString& name, const QString& unit, double least, double most, double value,
                       QWidget* parent)
    : NumberField(unit, parent), least_(least), most_(most) {
  setAccessibleName(name);
  connect(this, &QLineEdit::textEdited, this, &ValueField::check);
  connect(this, &QLineEdit::editingFinished, this, [this] { take(); });
  setValue(value);
}

QString ValueField::written(double value) const {
  if (!words_.isEmpty() && value == least_) return {};
  if (value == std::floor(value) && std::abs(value) < kWholeBelow)
    return QString::number(static_cast<qlonglong>(value));
  return writeNumber(value);
}

std::optional<double> ValueField::meant() const {
  if (!words_.isEmpty() && text().trimmed().isEmpty()) return least_;
  return typed();
}

bool ValueField::pending() const { return meant() != held_; }

QString ValueField::problem() const {
  const std::optional<double> number = meant();
  const QString bounds = tr("Enter a number from %1 to %2%3.")
                             .arg(writeNumber(least_), writeNumber(most_),
                                  unit().isEmpty() ? QString() : QLatin1Char(' ') + unit().trimmed());
  if (text().trimmed().isEmpty() && !number) return tr("A number is needed. %1").arg(bounds);
  if (!number) return notANumber();
  if (whole_ && *number != std::floor(*number)) return tr("A whole number is needed. %1").arg(bounds);
  if (*number < least_) return tr("Too small. %1").arg(bounds);
  return *number > most_ ? tr("Too large. %1").arg(bounds) : QString();
}

void ValueField::setValue(double value) {
  const double now = std::clamp(rounded(value, kFigures), least_, most_);
  const bool changed = std::exchange(held_, now) != now;
  showHeld();
  if (changed) Q_EMIT valueChanged(held_);
}

void ValueField::setRange(double least, double most) {
  least_ = least;
  most_ = most;
  setValue(held_);
}

void ValueField::setLeastWords(const QString& words) {
  words_ = words;
  setPlaceholderText(words);
  setText(written(held_));  // "0" becomes the words
  check();
}

void ValueField::setTip(const QString& tip) {
  tip_ = tip;
  check();
}

/// Text that means the same number stays as it was typed.
void ValueField::showHeld() {
  if (pending()) setText(written(held_));
  check();
}

void ValueField::check() {
  const QString wrong = problem();
  good_ = wrong.isEmpty();
  setMark(this, good_ ? "" : "error");
  setToolTip(good_ ? tip_ : tr("%1 Until then %2 applies.").arg(wrong, written(held_)));
  Q_EMIT textChecked();
}

void ValueField::take() {
  check();
  if (!good_) {
    if (isVisible()) QToolTip::showText(mapToGlobal(QPoint(0, height())), toolTip(), this);
    return;
  }
  const double wanted = *meant();
  const bool changed = std::exchange(held_, wanted) != wanted;
  showHeld();
  if (changed) Q_EMIT valueChanged(held_);
}

void ValueField::step(double way) {
  const double from = meant().value_or(held_);
  const double size =
      whole_ || from == 0.0 ? (whole_ ? 1.0 : 0.1) : std::pow(10.0, std::floor(std::log10(std::abs(from))) - 1.0);
  setText(written(std::clamp(rounded(from + way * size, 12), least_, most_)));
  check();
}

void ValueField::keyPressEvent(QKeyEvent* event) {
  const bool up = event->key() == Qt::Key_Up;
  if ((!up && event->key() != Qt::Key_Down) || isReadOnly()) return NumberField::keyPressEvent(event);
  event->accept();
  step(up ? 1.0 : -1.0);
}

void setLeastWidth(QWidget* editor, int width_px) {
  if (auto* number = qobject_cast<NumberField*>(editor))
    number->setLeastWidth(width_px);
  else
    editor->setMinimumWidth(width_px);
}

void setMark(QWidget* widget, const char* mark) {
  if (widget->property("mark").toString() == QLatin1String(mark)) return;
  widget->setProperty("mark", QLatin1String(mark));
  widget->style()->unpolish(widget);
  widget->style()->polish(widget);
  widget->update();
}

}  // namespace hyb::ui
