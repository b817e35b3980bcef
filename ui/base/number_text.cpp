#include "ui/base/number_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>
#include <cmath>

namespace hyb::ui {

std::optional<double> readNumber(QStringView text) {
  static const QRegularExpression form(QStringLiteral("^[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)([eE][+-]?[0-9]+)?$"));
  QString plain = text.trimmed().toString().replace(QChar(0x2212), QLatin1Char('-'));
  if (!form.match(plain).hasMatch()) return {};
  bool ok = false;
  const double number = QLocale::c().toDouble(plain.replace(QLatin1Char(','), QLatin1Char('.')), &ok);
  if (!ok || !std::isfinite(number)) return {};
  return number;
}

QStringList numberWords(const QString& text) {
  static const QRegularExpression separators(QStringLiteral("(?:,(?=\\s|$)|[\\s;])+"));
  return text.split(separators, Qt::SkipEmptyParts);
}

QString writeNumber(double number) {
  const QString text = QString::number(number, 'g', QLocale::FloatingPointShortest);
  return QString(text)
      .replace(QLatin1String("e-0"), QLatin1String("e-"))
      .replace(QLatin1String("e+0"), QLatin1String("e"));
}

QString notANumber() {
  return QCoreApplication::translate("number", "Not a number. Write it like 0.002 or 2e-3, without spaces.");
}

}  // namespace hyb::ui
