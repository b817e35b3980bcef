#pragma once
#include <optional>

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
/// input. Nothing where
/// there are fewer lines than the parameters ask for.
std::optional<ResponseFit> fitResponse(const FrequencyResponse& response, const OrderSpec& order, Hold hold,
                                       double step_s);

}  // namespace hyb
