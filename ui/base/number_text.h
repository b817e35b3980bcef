#pragma once
#include <QString>
#include <optional>

namespace hyb::ui {

/// The only reader of typed numbers, equal in every language: point or comma is the decimal separator, digits are not
/// grouped, an exponent may follow. "1,250" is one and a quarter. Returns nothing for other text, such as "1.250,5", "1
/// 000" or numbers out of range. Blanks around the number are ignored.
std::optional<double> readNumber(QStringView text);

/// Words of a list of numbers, separated by blanks, semicolons, or commas followed by a blank.
QStringList numberWords(const QString& text);

/// The fewest digits that reproduce the number, always with a decimal point: "0.002", "2e-7".
QString writeNumber(double number);

/// Message for a refused text.
QString notANumber();

}  // namespace hyb::ui
