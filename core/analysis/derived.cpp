#include "core/analysis/derived.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "core/analysis/segments.h"
#include "core/base/error.h"
#include "core/base/figure_text.h"
#include "core/base/numbers.h"
#include "core/signal/calculus.h"
#include "core/signal/zero_phase.h"

namespace hyb {
namespace {

/// Calls change(values) for each stretch of rows without a missing one.
void eachStretch(std::vector<double>& values, const std::function<void(std::span<double>)>& change) {
  const auto present = [](double value) { return std::isfinite(value); };
  for (auto from = values.begin(); from != values.end();) {
    from = std::find_if(from, values.end(), present);
    const auto end = std::find_if_not(from, values.end(), present);
    if (from != end) change(std::span(from, end));
    from = end;
  }
}

double stepOf(const Table& table, const std::string& what) {
  if (table.rate_hz > 0.0) return 1.0 / table.rate_hz;
  throw InputError("", "This record has no rate, so it has no " + what + "; choose a record with a rate.");
}

/// Adds a channel that `change` makes of the whole column of another one.
Table changed(Table table, const std::string& name, Channel channel,
              std::function<void(std::vector<double>& values)> change) {
  const Table source = table;
  return withChannel(std::move(table), std::move(channel),
                     [source, place = placeOf(source, name), change = std::move(change)] {
                       std::vector<double> values = source.column(place);
                       change(values);
                       return values;
                     });
}

/// The zero-phase low-pass halves the amplitude at its own cut-off frequency: 1 / (1 + r^(2 order)), r: ratio of the
/// warped frequencies. This one is 1 / sqrt(2) at `cutoff_hz`, as is 1 minus it for the high-pass.
ZeroPhase filterOf(double cutoff_hz, int order, double step_s, bool high) {
  const double ratio = std::pow(std::sqrt(2.0) - 1.0, (high ? 1.0 : -1.0) / (2.0 * order));
  const double warped = std::tan(kPi * cutoff_hz * step_s) * ratio;
  return {order, std::atan(warped) / (kPi * step_s), step_s};
}

Table filtered(Table table, const std::string& name, double cutoff_hz, int order, bool high) {
  const double step_s = stepOf(table, "filter");
  if (!(cutoff_hz > 0.0 && cutoff_hz * step_s < 0.5))
    throw InputError("cutoff", "is " + figureText(cutoff_hz, 6) + " Hz; enter a frequency above 0 Hz and below " +
                                   figureText(0.5 / step_s, 6) + " Hz, half the rate.");
  const ZeroPhase filter = filterOf(cutoff_hz, order, step_s, high);
  const Channel& source = table.channels[placeOf(table, name)];
  Channel channel{name + (high ? "_high_pass" : "_low_pass"), source.units,
                  source.description + (high ? "; above " : "; below ") + figureText(cutoff_hz, 6) + " Hz",
                  source.interface};
  return changed(std::move(table), name, std::move(channel), [filter, high](std::vector<double>& values) {
    eachStretch(values, [&](std::span<double> part) {
      const std::vector<double> before(high ? part.begin() : part.end(), part.end());
      filter.apply(part);
      for (std::size_t k = 0; k < before.size(); ++k) part[k] = before[k] - part[k];
    });
  });
}

}  // namespace

Table withChannel(Table table, Channel channel, std::function<std::vector<double>()> column) {
  struct Kept {
    std::function<std::vector<double>()> make;
    std::once_flag once;
    std::vector<double> values;
  };
  const auto kept = std::make_shared<Kept>();
  kept->make = std::move(column);
  const std::size_t place = table.channels.size();
  table.channels.push_back(std::move(channel));
  table.read = [=, read = std::move(table.read)](std::size_t of, std::uint64_t first, std::uint64_t count) {
    if (of != place) return read(of, first, count);
    std::call_once(kept->once, [&] {
      kept->values = kept->make();
      kept->make = nullptr;
    });
    const auto from = kept->values.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<double>(from, from + static_cast<std::ptrdiff_t>(count));
  };
  return table;
}

Table lowPassed(Table table, const std::string& name, double cutoff_hz, int order) {
  return filtered(std::move(table), name, cutoff_hz, order, false);
}

Table highPassed(Table table, const std::string& name, double cutoff_hz, int order) {
  return filtered(std::move(table), name, cutoff_hz, order, true);
}

Table derivative(Table table, const std::string& name) {
  const double step_s = stepOf(table, "derivative");
  const Channel& source = table.channels[placeOf(table, name)];
  Channel channel{name + "_derivative", rateUnit(source.units), source.description + "; derivative over time",
                  source.interface};
  return changed(std::move(table), name, std::move(channel), [step_s](std::vector<double>& values) {
    eachStretch(values, [&](std::span<double> part) {
      const std::vector<double> slopes = rates(part, step_s);
      for (std::size_t k = 0; k < part.size(); ++k) part[k] = slopes.empty() ? kNoValue : slopes[k];
    });
  });
}

Table integral(Table table, const std::string& name, Detrend detrend) {
  const double step_s = stepOf(table, "integral");
  const std::size_t place = placeOf(table, name);
  refuseMissing(table, place, "The integral needs all of them.");
  const Channel& source = table.channels[place];
  Channel channel{name + "_integral", integralUnit(source.units), source.description + "; integral over time",
                  source.interface};
  return changed(std::move(table), name, std::move(channel), [step_s, detrend](std::vector<double>& values) {
    if (values.empty()) return;
    std::vector<double> rest(values.size());
    SegmentWindow(SpectralWindow::none, values.size()).apply(values, detrend, rest);
    values = hyb::integral(std::span<const double>(rest), step_s);
  });
}

}  // namespace hyb
