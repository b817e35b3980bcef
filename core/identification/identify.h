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

namespace hyb {

/// What is asked of an identification; what is left out is chosen.
struct IdentifySpec {
  double rate_hz = 1000.0;
  Hold hold = Hold::step;
  std::optional<int> poles, zeros;                     // none: proposed; zeros alone: 0
  std::optional<double> delay_s;                       // none: found
  std::optional<std::pair<double, double>> band_hz{};  // none: where the input has power
  std::optional<double> segment_s;                     // none: without segments
  std::optional<double> period_s;                      // of an excitation that repeats
  bool compare_orders = true;                          // with a given order: try others too, to say if it is too high
  /// Asked at every step, with the share of the work that is done, 0 to 1; false: gives up. May be empty.
  std::function<bool(double done)> watch = {};
};
/// What identify() throws where its watch said so.
struct IdentificationCancelled : std::exception {
  const char* what() const noexcept override { return "cancelled"; }
};

/// How the frequency response is found.
enum class ResponseMethod : unsigned char {
  periods,   // averaged over the periods of an excitation that repeats
  local,     // from the record as a whole, line by line
  segments,  // averaged over overlapping segments
};
/// "periods"
std::string_view name(ResponseMethod method) noexcept;

struct Identification {
  ResponseMethod method = ResponseMethod::local;
  SegmentSpec segments;       // where there are any
  std::size_t rows = 0;       // that were looked at
  MeasuredResponse response;  // within the band
  double from_hz = 0.0, to_hz = 0.0;
  OrderChoice choice;                  // what was tried
  OrderSpec order;                     // of the model
  bool proposed = false;               // the order
  std::optional<TransferModel> model;  // none: the data do not tell of one
  bool from_record = false;            // the model is that of the record; else that of the response
  double deviation_percent = 0.0;      // of the model's response from that measured, both rms over the lines
  std::optional<RecordFit> record;     // figures of the model over the record; none: it is not stable
  std::vector<IdentificationFinding> findings;
};

/// Frequency response of equally long records and a model for them: from the lines of the record in the band, and where
/// no band was asked for then from all rows. Throws InputError ("input", "output", "band", "order", "delay", "segment")
/// for what cannot be looked at; what can, but should not be trusted, is among the findings. IdentificationCancelled
/// where the watch says so.
Identification identify(std::span<const double> input, std::span<const double> output, const IdentifySpec& spec);

/// Rms over the lines of what a model leaves over, by that of the response, %.
double deviationPercent(const MeasuredResponse& response, const TransferModel& model, Hold hold, double step_s);

}  // namespace hyb
