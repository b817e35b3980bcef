#include "core/data/resample.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "core/base/error.h"
#include "core/base/figure_text.h"

namespace hyb {
namespace {

constexpr double kRejection_db = 80.0, kPassed = 0.8;  // of half the lower rate
// Kaiser's formulas for window shape and length (Oppenheim and Schafer, Discrete-Time Signal Processing, section 7.6).
const double kShape = 0.1102 * (kRejection_db - 8.7);

double bessel0(double x) noexcept {
  double sum = 1.0, term = 1.0;
  for (int k = 1; term > 1e-17 * sum; ++k) {
    term *= (0.5 * x / k) * (0.5 * x / k);
    sum += term;
  }
  return sum;
}

/// Impulse response over the distance in rows of the source, tabulated: interpolation between two of the points costs
/// less than 1e-7 of the largest.
class LowPass {
 public:
  /// `lower`: the lower of both rates over the rate of the source.
  explicit LowPass(double lower) : values_(kPoints + 2, 0.0) {
    const double edge = 0.5 * lower, width = (1.0 - kPassed) * edge;  // cycles per row
    const double cutoff = edge - 0.5 * width;
    reach_ = 0.5 * (kRejection_db - 7.95) / (2.285 * 2.0 * std::numbers::pi * width);
    for (std::size_t p = 0; p < kPoints; ++p) {
      const double share = static_cast<double>(p) / kPoints, turn = 2.0 * std::numbers::pi * cutoff * share * reach_;
      values_[p] = (p == 0 ? 1.0 : std::sin(turn) / turn) * bessel0(kShape * std::sqrt(1.0 - share * share));
    }
  }
  double reach() const noexcept { return reach_; }  // half of the length, rows
  double at(double rows) const noexcept {
    const double place = std::min(std::abs(rows) / reach_, 1.0) * kPoints;
    const auto p = static_cast<std::size_t>(place);
    const double share = place - static_cast<double>(p);
    return (1.0 - share) * values_[p] + share * values_[p + 1];
  }

 private:
  static constexpr std::size_t kPoints = 1u << 17;
  double reach_;
  std::vector<double> values_;
};

}  // namespace

Table resampled(Table table, double rate_hz) {
  if (!(std::isfinite(rate_hz) && rate_hz > 0.0))
    throw InputError("", "The new rate is " + figureText(rate_hz) + " Hz; give a rate above 0 Hz.");
  if (!(table.rate_hz > 0.0))
    throw InputError("", "This record has no rate, so it cannot be resampled; export its rows as they are.");
  const double ratio = table.rate_hz / rate_hz;  // rows of the source for each new row
  const auto filter = std::make_shared<const LowPass>(std::min(1.0, 1.0 / ratio));
  const std::uint64_t last = table.rows == 0 ? 0 : table.rows - 1;
  const std::uint64_t rows =
      table.rows == 0 ? 0 : static_cast<std::uint64_t>(std::floor(static_cast<double>(last) / ratio + 1e-9)) + 1;
  std::vector<bool> discrete;
  for (const Channel& channel : table.channels) discrete.push_back(channel.discrete);

  table.read = [=, read = std::move(table.read), discrete = std::move(discrete)](
                   std::size_t channel, std::uint64_t first, std::uint64_t count) {
    std::vector<double> values;
    if (count == 0) return values;
    values.reserve(count);
    const auto placeOf = [&](std::uint64_t row) { return ratio * static_cast<double>(row); };
    const double reach = discrete[channel] ? 1.0 : std::ceil(filter->reach()) + 1.0;
    const auto from = static_cast<std::uint64_t>(std::max(0.0, std::floor(placeOf(first) - reach)));
    const std::uint64_t end =
        std::min(last, static_cast<std::uint64_t>(std::ceil(placeOf(first + count - 1) + reach))) + 1;
    const std::vector<double> source = read(channel, from, end - from);
    for (std::uint64_t row = first; row < first + count; ++row) {
      const double place = placeOf(row);
      if (discrete[channel]) {
        values.push_back(source[std::min(last, static_cast<std::uint64_t>(std::llround(place))) - from]);
        continue;
      }
      const auto begin =
          static_cast<std::uint64_t>(std::max(static_cast<double>(from), std::ceil(place - filter->reach())));
      const auto stop = std::min(end - 1, static_cast<std::uint64_t>(std::floor(place + filter->reach())));
      double sum = 0.0, weights = 0.0;
      for (std::uint64_t n = begin; n <= stop; ++n) {
        const double weight = filter->at(static_cast<double>(n) - place);
        sum += weight * source[n - from];
        weights += weight;
      }
      values.push_back(sum / weights);  // a constant stays what it is, at the ends as well
    }
    return values;
  };
  table.rate_hz = rate_hz;
  table.rows = rows;
  return table;
}

}  // namespace hyb
