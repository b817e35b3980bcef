#pragma once
#include <span>
#include <vector>

#include "core/identification/response_fit.h"
#include "core/signal/cross_spectra.h"

namespace hyb {

/// Frequency response of one record of any excitation, line by line: over some lines on both sides, the response and
/// the leakage from the ends of the record are polynomials of second degree in the frequency; the residual is noise. It
/// needs no window and no segments, so that it resolves a short record, or one that rings in a narrow band, which
/// segments would smear. The radius contains the random error and twice the difference from polynomials of fourth
/// degree, for the part of the response that is no parabola. At most 400 lines; none for fewer than 13 excited lines.
/// Source: R. Pintelon, J. Schoukens, System Identification, 2nd ed. (2012), section 7.2 (local polynomial method).
MeasuredResponse localResponse(const RecordSpectra& given, double rate_hz, std::size_t rows);

/// Indices of the lines with input, from the power of each: at least a ten-thousandth of the largest near it.
std::vector<std::size_t> excitedLines(std::span<const double> input_power);

}  // namespace hyb
