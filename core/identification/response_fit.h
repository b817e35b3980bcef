#pragma once
#include <optional>
#include <span>
#include <vector>

#include "core/identification/cross_spectra.h"
#include "core/identification/transfer_model.h"

namespace hyb {

inline constexpr int kMostPoles = 8;

/// What a transfer function may look like.
struct OrderSpec {
  int poles = 3;                        // 1 to kMostPoles
  int zeros = 0;                        // 0 to poles
  std::optional<double> delay_s = 0.0;  // none: to be found
  int parameters() const noexcept { return poles + zeros + 1 + (delay_s ? 0 : 1); }
};

/// A transfer function that fits a frequency response.
struct ResponseFit {
  TransferModel model;
  double error = 0.0;              // mean square of what is left over, by that of the random error; 1: nothing to gain
  double criterion = 0.0;          // weighs the error against the number of parameters (Schwarz 1978); less is better
  double deviation_percent = 0.0;  // what is left over by the response, both rms over the lines
};

/// Least squares over the lines, each by its random error, of at least 0.1 % (what the model leaves out counts too):
/// the iteration of C. Sanathanan and J. Koerner (IEEE Trans. Autom. Control 8, 1963), then Levenberg and Marquardt's.
/// The model is that in continuous time; what it is compared with is its response at the samples, with the hold of the
/// input. It is stable, unless one that is not leaves less than a quarter of the squares over. Nothing where there are
/// fewer lines than parameters.
std::optional<ResponseFit> fitResponse(const MeasuredResponse& response, const OrderSpec& order, Hold hold,
                                       double step_s);

/// Transforms of a whole record in a band.
struct RecordSpectra {
  std::vector<double> frequency_hz;
  std::vector<std::complex<double>> input, output;
};
RecordSpectra recordSpectra(std::span<const double> input, std::span<const double> output, double rate_hz,
                            double from_hz, double to_hz);
/// The same for the lines of a record: all of the output counts alike, in parts of a thousandth of its rms. That the
/// record begins and ends in the middle of a motion is found too (R. Pintelon, J. Schoukens, System Identification, 2nd
/// ed. 2012, section 6.3), so that nothing leaks from line to line.
std::optional<ResponseFit> fitSpectra(const RecordSpectra& spectra, const OrderSpec& order, Hold hold, double step_s);

}  // namespace hyb
