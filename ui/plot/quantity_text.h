#pragma once
#include <QFont>
#include <QString>
#include <string_view>

namespace hyb::ui {

/// Display of a quantity in SI: shown = factor * SI.
struct DisplayUnit {
  double factor = 1.0;
  QString text;
  QString si{};  ///< unit for large values; empty: the same
};
/// "m" -> mm, "m^2" -> mm², "J" -> mJ, "s" -> ms; other units are unchanged.
DisplayUnit displayUnit(std::string_view si);
/// The unit for quantities up to this size: SI itself from a thousand on, "188 J" instead of "188000 mJ".
DisplayUnit fitting(const DisplayUnit& unit, double largest);
/// Three significant digits, sign if requested, thin space, unit: "+0.210 mm". A dash for a value that is not a number.
QString quantityText(double value, const DisplayUnit& unit, bool signed_value = false);
/// Both ends in one unit, that of the larger: "0.950 to 1.20 m".
QString spanText(double from, double to, const DisplayUnit& unit);
/// Plain number with `digits` significant digits and no exponent in the usual range.
QString numberText(double value, int digits = 3, bool signed_value = false);

/// A figure in a sentence or a table of settings: core/base/figure_text.h.
QString figureText(double value, int digits = 3);
/// "00:12.4"
QString clockText(double seconds);
/// The application's font with digits of equal width; scaled, bold if requested.
QFont figureFont(double scale = 1.0, bool bold = false);

}  // namespace hyb::ui
