#pragma once
#include <optional>
#include <string_view>

namespace hyb {

/// A whole field as a number: decimal point (or `point`), exponent after E, or after D or Q as Fortran writes it.
/// Infinite where it is too large, 0 where it is too small, nan and inf as they stand; nothing where it is no number.
/// Never by the locale.
std::optional<double> numberIn(std::string_view field, char point = '.');

/// Takes the first number off a line of Fortran. Blanks before it go. Fields may touch ("1.0E+00-2.0E+00"), and the
/// exponent may lack its letter ("1.5+6"). Nothing, and the line as it was, where no number begins, or where fields
/// touch so that nobody can tell them apart ("10.0002.0").
std::optional<double> takeFortranNumber(std::string_view& line);

}  // namespace hyb
