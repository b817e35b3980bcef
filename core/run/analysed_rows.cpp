#include "core/run/analysed_rows.h"

#include <algorithm>

namespace hyb {
namespace {

double valueAt(const Json& document, const char* pointer, double otherwise) {
  const Json::json_pointer place(pointer);
  return document.contains(place) && document.at(place).is_number() ? document.at(place).get<double>() : otherwise;
}

}  // namespace

AnalysedRows::AnalysedRows(const RunRows& run) : run_(run) {
  const double start_s = valueAt(run.project, "/analysis/start_s", 0.0);
  const double duration_s = valueAt(run.project, "/loop/duration_s", 0.0);
  const double soft_end_s = valueAt(run.project, "/loop/soft_end_s", 0.0);
  const std::vector<double> time = run.read("time", 0, run.rows), flags = run.read("flags", 0, run.rows);
  const std::size_t rows = std::min(time.size(), flags.size());
  const double step_s = 1.0 / run.rate_hz;
  double end_s = duration_s > 0.0 ? duration_s - soft_end_s : time.empty() ? 0.0 : time.back() + step_s;
  std::size_t end = 0;
  for (; end < rows; ++end) {
    const auto flag = static_cast<std::uint32_t>(flags[end]);
    if ((flag & kFlagHolding) != 0) end_s += duration_s > 0.0 ? step_s : 0.0;
    if ((flag & kFlagStopping) != 0 || time[end] > end_s + 0.5 * step_s) break;
    if (time[end] < start_s - 0.5 * step_s) first_ = end + 1;
  }
  if (end < first_ + kFewestRows) return;
  rows_ = end - first_;
  ticks_ = run.read("tick", first_, rows_);
}

bool AnalysedRows::has(const std::string& channel) const {
  return std::find(run_.channels.begin(), run_.channels.end(), channel) != run_.channels.end();
}

std::size_t AnalysedRows::interfaces() const {
  std::size_t count = 0;
  while (has("gap_" + std::to_string(count + 1))) ++count;
  return count;
}

std::vector<double> AnalysedRows::channel(const std::string& name) const {
  const std::vector<double> values = run_.read(name, first_, rows_);
  std::vector<double> filled;
  filled.reserve(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double skipped = k > 0 ? ticks_[k] - ticks_[k - 1] : 1.0;
    for (double j = 1.0; j < skipped; ++j) filled.push_back(values[k - 1] + (values[k] - values[k - 1]) * j / skipped);
    filled.push_back(values[k]);
  }
  return filled;
}

}  // namespace hyb
