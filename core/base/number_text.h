#pragma once
#include <optional>
#include <string_view>

namespace hyb {

/// A whole field as a number: decimal point (or `point`), exponent after E, or after D or Q as in Fortran. Infinite if
/// too large, 0 if too small, nan and inf unchanged; nothing if it is not a number. Independent of the locale.
std::optional<double> numberIn(std::string_view field, char point = '.');

/// Takes the first number from a Fortran line, without leading blanks. Fields may touch ("1.0E+00-2.0E+00"), and the
/// exponent may lack its letter ("1.5+6"). Nothing, and an unchanged line, if there is no number, or if touching fields
/// are ambiguous ("10.0002.0").
std::optional<double> takeFortranNumber(std::string_view& line);

}  // namespace hyb
