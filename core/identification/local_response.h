#pragma once
#include "core/identification/cross_spectra.h"
#include "core/identification/response_fit.h"

namespace hyb {

/// Frequency response of one record of any excitation, line by line: over some lines to either side the response and
/// what leaks in from the ends of the record are polynomials of second degree in the frequency, what they leave over is
/// noise. No window and no segments, so that a short record, or one that rings in a narrow band, is read where segments
/// would smear it. At most 400 lines; none of fewer than 13 lines that are excited.
/// Source: R. Pintelon, J. Schoukens, System Identification, 2nd ed. (2012), section 7.2 (local polynomial method).
MeasuredResponse localResponse(const RecordSpectra& given, double rate_hz, std::size_t rows);

}  // namespace hyb
