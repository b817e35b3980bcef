#include "ui/plot/quantity_text.h"

#include <QApplication>
#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "core/base/figure_text.h"

namespace hyb::ui {

DisplayUnit displayUnit(std::string_view si) {
  const ToldUnit told = toldUnit(si);
  const auto text = [](std::string_view plain) {
    return QString::fromUtf8(plain.data(), static_cast<qsizetype>(plain.size()))
        .replace(QLatin1String("^2"), QStringLiteral("²"));
  };
  constexpr double kThousandth = 1e3;  // also for areas, whose large values are not shown in square metres
  return {told.factor, text(told.text), told.factor == kThousandth ? text(si) : QString()};
}

QString numberText(double value, int digits, bool signed_value) {
  if (!std::isfinite(value)) return QStringLiteral("–");
  const double magnitude = std::abs(value);
  QString text;
  if (magnitude != 0.0 && (magnitude >= 1e6 || magnitude < 1e-4)) {
    text = QString::number(magnitude, 'e', digits - 1);
  } else {
    const int before = magnitude < 1.0 ? 1 : static_cast<int>(std::floor(std::log10(magnitude))) + 1;
    text = QString::number(magnitude, 'f', std::max(0, digits - before + (magnitude < 1.0 ? 1 : 0)));
  }
  if (value < 0.0) return QStringLiteral("−") + text;
  return signed_value ? QLatin1Char('+') + text : text;
}

QString figureText(double value, int digits) { return QString::fromStdString(hyb::figureText(value, digits)); }

DisplayUnit fitting(const DisplayUnit& unit, double largest) {
  return !unit.si.isEmpty() && std::abs(largest) * unit.factor >= kThousandTold ? DisplayUnit{1.0, unit.si} : unit;
}

QString quantityText(double value, const DisplayUnit& unit, bool signed_value) {
  const DisplayUnit shown = fitting(unit, value);
  const QString text = numberText(value * shown.factor, 3, signed_value);
  return shown.text.isEmpty() ? text : text + QChar(0x2009) + shown.text;
}

QString spanText(double from, double to, const DisplayUnit& unit) {
  const DisplayUnit shown = fitting(unit, std::max(std::abs(from), std::abs(to)));
  const QString text = QCoreApplication::translate("quantity", "%1 to %2")
                           .arg(numberText(from * shown.factor), numberText(to * shown.factor));
  return shown.text.isEmpty() ? text : text + QChar(0x2009) + shown.text;
}

QString clockText(double seconds) {
  const auto tenths = static_cast<long long>(std::floor(std::max(0.0, seconds) * 10.0 + 1e-6));
  return QStringLiteral("%1:%2.%3")
      .arg(tenths / 600, 2, 10, QLatin1Char('0'))
      .arg(tenths / 10 % 60, 2, 10, QLatin1Char('0'))
      .arg(tenths % 10);
}

QFont figureFont(double scale, bool bold) {
  QFont font = QApplication::font();
  if (font.pointSizeF() > 0) font.setPointSizeF(font.pointSizeF() * scale);
  font.setStyleHint(QFont::SansSerif);
  font.setBold(bold);
  return font;
}

}  // namespace hyb::ui
