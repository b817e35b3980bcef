#pragma once
#include <functional>
#include <optional>
#include <span>

#include "core/identification/transfer_model.h"

namespace hyb {

/// Settings of the fit of a model to the record.
struct RecordFitSpec {
  Hold hold = Hold::step;
  bool at_rest = false;     // the system is at rest at the first row; otherwise its initial state is estimated
  bool offset = true;       // the output has a constant offset, as sensors have
  bool find_delay = false;  // otherwise the delay of the start stays
  int most_steps = 40;
};
struct RecordFit {
  TransferModel model;
  double fit_percent = 0.0;  // 100 (1 - |y - model| / |y - mean of y|)
  double mean_square = 0.0;  // of y - model
  double offset = 0.0;
};

/// Output error of a stable model in continuous time, least squares over all rows: Levenberg-Marquardt iteration over
/// denominator and delay, with the optimal numerator, first state and offset in each step. Unstable poles of the start
/// are mirrored. Nothing if there are too few rows or the model cannot be simulated. `each` is called before every
/// tried model; it may throw to cancel.
std::optional<RecordFit> fitRecord(const TransferModel& start, const RecordFitSpec& spec, std::span<const double> input,
                                   std::span<const double> output, double step_s,
                                   const std::function<void()>& each = {});

/// The same figures for an unchanged model; estimates only first state and offset if `spec` requests them.
std::optional<RecordFit> judgeRecord(const TransferModel& model, const RecordFitSpec& spec,
                                     std::span<const double> input, std::span<const double> output, double step_s);

}  // namespace hyb
