#pragma once
#include <QString>
#include <optional>

namespace hyb::ui {

/// The one reader of numbers that somebody types, the same in every language: a point or a comma parts the decimals,
/// nothing parts groups of digits, an exponent may follow. "1,250" is one and a quarter. None for anything else,
/// "1.250,5", "1 000" and what is too large for a number included; blanks around the number do not count.
std::optional<double> readNumber(QStringView text);

/// Words of a list of numbers: parted by blanks, semicolons, or commas with a blank behind.
QStringList numberWords(const QString& text);

/// The fewest digits that give the number back, always with a decimal point: "0.002", "2e-7".
QString writeNumber(double number);

/// What a refused text is told.
QString notANumber();

}  // namespace hyb::ui
