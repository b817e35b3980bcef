#pragma once
#include <functional>
#include <optional>
#include <span>

#include "core/identification/transfer_model.h"

namespace hyb {

/// How a model is fitted to the record itself.
struct RecordFitSpec {
  Hold hold = Hold::step;
  bool at_rest = false;     // the system rests at the first row; else its state there is found too
  bool offset = true;       // the output has a constant of its own, as sensors have
  bool find_delay = false;  // else that of the start stays
  int most_steps = 40;
};
struct RecordFit {
  TransferModel model;
  double fit_percent = 0.0;  // 100 (1 - |y - model| / |y - mean of y|)
  double mean_square = 0.0;  // of y - model
  double offset = 0.0;
};

/// Output error of a stable model in continuous time, least squares over all rows: Levenberg and Marquardt's iteration
/// over denominator and delay, in which numerator, first state and offset are always the best. Unstable poles of the
/// start are mirrored. Nothing where there are too few rows or the model cannot be simulated. `each` is called before
/// every model that is tried; it may throw to end that.
std::optional<RecordFit> fitRecord(const TransferModel& start, const RecordFitSpec& spec, std::span<const double> input,
                                   std::span<const double> output, double step_s,
                                   const std::function<void()>& each = {});

/// The same figures of a model as it is; only first state and offset are found where `spec` says so.
std::optional<RecordFit> judgeRecord(const TransferModel& model, const RecordFitSpec& spec,
                                     std::span<const double> input, std::span<const double> output, double step_s);

}  // namespace hyb
