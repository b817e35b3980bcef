#pragma once
#include <optional>
#include <span>
#include <vector>

#include "core/identification/transfer_model.h"
#include "core/signal/cross_spectra.h"

namespace hyb {

inline constexpr int kMostPoles = 8;

/// Form of a transfer function.
struct OrderSpec {
  int poles = 3;                        // 1 to kMostPoles
  int zeros = 0;                        // 0 to poles
  std::optional<double> delay_s = 0.0;  // none: estimated
  int parameters() const noexcept { return poles + zeros + 1 + (delay_s ? 0 : 1); }
};

/// A transfer function that fits a frequency response.
struct ResponseFit {
  TransferModel model;
  double error = 0.0;      // mean square of the residual over that of the random error; 1: no improvement possible
  double criterion = 0.0;  // combines the error and the number of parameters (Schwarz 1978); less is better
  double deviation_percent = 0.0;  // residual over response, both rms over the lines
};

/// Least squares over the lines, each weighted by its random error, of at least 0.1 % (for the model error): the
/// iteration of C. Sanathanan and J. Koerner (IEEE Trans. Autom. Control 8, 1963), followed by Levenberg-Marquardt. The
/// model is in continuous time; its response at the samples, with the hold of the input, is compared with the lines. It
/// is stable, unless an unstable one leaves less than a quarter of the squares. Nothing if there are fewer lines than
/// parameters.
std::optional<ResponseFit> fitResponse(const MeasuredResponse& response, const OrderSpec& order, Hold hold,
                                       double step_s);

/// Transforms of a whole record in a band.
struct RecordSpectra {
  std::vector<double> frequency_hz;
  std::vector<std::complex<double>> input, output;
};
RecordSpectra recordSpectra(std::span<const double> input, std::span<const double> output, double rate_hz,
                            double from_hz, double to_hz);
/// The same for the lines of a record: equal weight for all of the output, in parts of a thousandth of its rms. The
/// motion at the start and the end of the record is also estimated (R. Pintelon, J. Schoukens, System Identification,
/// 2nd ed. 2012, section 6.3), so that there is no leakage between lines.
std::optional<ResponseFit> fitSpectra(const RecordSpectra& spectra, const OrderSpec& order, Hold hold, double step_s);

}  // namespace hyb
