#include "core/run/counted_rows.h"

namespace hyb {
namespace {

double valueAt(const Json& document, const char* pointer, double otherwise) {
  const Json::json_pointer place(pointer);
  return document.contains(place) && document.at(place).is_number() ? document.at(place).get<double>() : otherwise;
}

/// Duration of the whole test; 0: until stopped.
double plannedDuration_s(const Json& document) {
  if (!document.contains(Json::json_pointer("/loop/trials"))) return valueAt(document, "/loop/duration_s", 0.0);
  TrialSpec trials;
  trials.count = static_cast<int>(valueAt(document, "/loop/trials/count", 1.0));
  trials.length_s = valueAt(document, "/loop/trials/length_s", 0.0);
  trials.pause_s = valueAt(document, "/loop/trials/pause_s", trials.pause_s);
  return trials.duration_s();
}

}  // namespace

AnalysisWindow analysisWindow(const Json& document, double rate_hz) {
  return {valueAt(document, "/analysis/start_s", 0.0), plannedDuration_s(document),
          valueAt(document, "/loop/soft_end_s", 0.0), 1.0 / rate_hz};
}

CountedRows::Part CountedRows::next(double time_s, double flags) noexcept {
  const auto flag = static_cast<std::uint32_t>(flags);
  if (part_ == Part::over) return part_;
  if ((flag & kFlagHolding) != 0) end_s_ += window_.step_s;
  const bool past_end = window_.duration_s > 0.0 && time_s > end_s_ + 0.5 * window_.step_s;
  if ((flag & kFlagStopping) != 0 || past_end)
    part_ = Part::over;
  else
    part_ = time_s < window_.start_s - 0.5 * window_.step_s ? Part::before : Part::counted;
  return part_;
}

}  // namespace hyb
