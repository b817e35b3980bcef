#pragma once
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/identification/findings.h"
#include "core/identification/order.h"
#include "core/identification/record_fit.h"
#include "core/identification/stepped_response.h"

namespace hyb {

/// Settings of an identification; missing values are determined.
struct IdentifySpec {
  double rate_hz = 1000.0;
  Hold hold = Hold::step;
  std::optional<int> poles, zeros;                     // none: proposed; only zeros given: 0
  std::optional<double> delay_s;                       // none: determined
  std::optional<std::pair<double, double>> band_hz{};  // none: the band with input power
  std::optional<double> segment_s;                     // none: without segments
  std::optional<double> period_s;                      // of a periodic excitation
  std::vector<SineStep> steps{};                       // of a stepped sine; empty: another excitation
  double steps_from_s = 0.0;                           // time of the first row in the time of the steps
  bool compare_orders = true;  // with a given order: also tries others, to detect an order that is too high
  /// Called at every step with the completed share of the work, 0 to 1; false: cancels. May be empty.
  std::function<bool(double done)> watch = {};
};
/// Thrown by identify() after its watch has returned false.
struct IdentificationCancelled : std::exception {
  const char* what() const noexcept override { return "cancelled"; }
};

/// Method of the frequency response.
enum class ResponseMethod : unsigned char {
  periods,   // averaged over the periods of a periodic excitation
  local,     // from the whole record, line by line
  segments,  // averaged over overlapping segments
  steps,     // from single periods at one frequency after the other
};
/// "periods"
std::string_view name(ResponseMethod method) noexcept;

struct Identification {
  ResponseMethod method = ResponseMethod::local;
  SegmentSpec segments;              // if used
  std::size_t rows = 0;              // number of analysed rows
  MeasuredResponse response;         // within the band
  std::vector<StepPhasors> phasors;  // [lines] of a stepped sine; otherwise empty
  double from_hz = 0.0, to_hz = 0.0;
  OrderChoice choice;                  // tried orders
  OrderSpec order;                     // of the model
  bool proposed = false;               // the order is proposed
  std::optional<TransferModel> model;  // none: the data do not support one
  bool from_record = false;            // the model is fitted to the record; otherwise to the response
  double deviation_percent = 0.0;      // of the model's response from the measured one, both rms over the lines
  std::optional<RecordFit> record;     // figures of the model over the record; none: it is unstable
  std::vector<IdentificationFinding> findings;
};

/// Frequency response of equally long records and a model for them: from the lines of the record in the band, and
/// without a given band also from all rows. Of stepped sines the model is fitted to the response. Throws InputError
/// ("input", "output", "band", "order", "delay", "segment") for records that cannot be analysed; doubtful results are
/// among the findings. Throws IdentificationCancelled if the watch returns false.
Identification identify(std::span<const double> input, std::span<const double> output, const IdentifySpec& spec);

/// Rms over the lines of the residual of a model, relative to that of the response, %.
double deviationPercent(const MeasuredResponse& response, const TransferModel& model, Hold hold, double step_s);

}  // namespace hyb
