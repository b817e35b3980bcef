#include "core/analysis/compare.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "core/base/figure_text.h"

namespace hyb {
namespace {

constexpr std::uint64_t kComparedAtOnce = 1u << 16;
constexpr double kSameRate = 1e-9;  // relative

double largestMagnitude(const Table& table, std::size_t channel) {
  double largest = 0.0;
  for (std::uint64_t first = 0; first < table.rows; first += kComparedAtOnce)
    for (const double value : table.read(channel, first, std::min(kComparedAtOnce, table.rows - first)))
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  return largest;
}

/// Range of a line through the values between `reach` rows before and after row k; NaN rows are left out.
class Band {
 public:
  Band(const std::vector<double>& values, double reach) : values_(values), reach_(reach) {}
  /// False: there is no value.
  bool at(std::size_t k, double& low, double& high) const {
    const auto whole = static_cast<std::ptrdiff_t>(std::floor(reach_));
    const auto here = static_cast<std::ptrdiff_t>(k), last = static_cast<std::ptrdiff_t>(values_.size()) - 1;
    bool any = false;
    const auto take = [&](double value) {
      if (!std::isfinite(value)) return;
      low = any ? std::min(low, value) : value;
      high = any ? std::max(high, value) : value;
      any = true;
    };
    for (std::ptrdiff_t n = std::max<std::ptrdiff_t>(0, here - whole); n <= std::min(last, here + whole); ++n)
      take(values_[static_cast<std::size_t>(n)]);
    const double part = reach_ - static_cast<double>(whole);
    if (part > 0.0)
      for (const int side : {-1, 1}) {
        const std::ptrdiff_t inner = here + side * whole, outer = inner + side;
        if (std::min(inner, outer) < 0 || std::max(inner, outer) > last) continue;
        const double from = values_[static_cast<std::size_t>(inner)], to = values_[static_cast<std::size_t>(outer)];
        take(from + part * (to - from));
      }
    return any;
  }

 private:
  const std::vector<double>& values_;
  double reach_;  // rows
};

/// Why the records as a whole are not aligned; "" if they are.
std::string misalignment(const Table& a, const Table& b, double time_s) {
  if (!(a.rate_hz > 0.0 && b.rate_hz > 0.0)) return "One of the records has no rate.";
  if (std::abs(a.rate_hz - b.rate_hz) > kSameRate * a.rate_hz)
    return "The rates are " + figureText(a.rate_hz, 6) + " Hz and " + figureText(b.rate_hz, 6) + " Hz.";
  const double excess = std::abs(static_cast<double>(a.rows) - static_cast<double>(b.rows)) / a.rate_hz;
  if (excess > time_s + 1e-9)
    return "The lengths are " + figureText(static_cast<double>(a.rows) / a.rate_hz, 6) + " s and " +
           figureText(static_cast<double>(b.rows) / b.rate_hz, 6) + " s.";
  return {};
}

void compareRows(const Table& a, std::size_t in_a, const Table& b, std::size_t in_b, double reach,
                 ChannelComparison& found) {
  const std::uint64_t rows = std::min(a.rows, b.rows), margin = static_cast<std::uint64_t>(std::ceil(reach));
  bool first = true;
  for (std::uint64_t from = 0; from < rows; from += kComparedAtOnce) {
    const std::uint64_t count = std::min(kComparedAtOnce, rows - from), before = std::min(margin, from),
                        end = std::min(b.rows, from + count + margin);
    const std::vector<double> wanted = a.read(in_a, from, count),
                              other = b.read(in_b, from - before, end - from + before);
    const Band band(other, reach);
    for (std::uint64_t k = 0; k < count; ++k) {
      const double value = wanted[k], beside = other[k + before];
      double low = 0.0, high = 0.0;
      if (!std::isfinite(value) || !band.at(k + before, low, high)) {
        if (std::isfinite(value) || std::isfinite(beside)) ++found.missing_in_one;
        continue;
      }
      ++found.rows;
      const double off = value < low ? low - value : value > high ? value - high : 0.0;
      const double at_s = static_cast<double>(from + k) / a.rate_hz;
      if (off > found.largest) {
        found.largest = off;
        found.largest_at_s = at_s;
      }
      if (!(off > found.tolerance)) continue;
      ++found.outside_rows;
      if (!first) continue;
      first = false;
      found.first_at_s = at_s;
      found.first_a = value;
      found.first_b = beside;
    }
  }
}

ChannelComparison comparedChannel(const Table& a, const Table& b, const std::string& name,
                                  const CompareTolerance& tolerance, const std::string& whole) {
  const std::optional<std::size_t> in_a = find(a, name), in_b = find(b, name);
  ChannelComparison found;
  found.name = name;
  found.units = in_a ? a.channels[*in_a].units : b.channels[*in_b].units;
  found.outcome = ChannelComparison::Outcome::not_aligned;
  if (!in_a || !in_b) {
    found.why = std::string("Only the ") + (in_a ? "first" : "second") + " record has this channel.";
    return found;
  }
  if (a.channels[*in_a].units != b.channels[*in_b].units) {
    found.why = "The units are " + a.channels[*in_a].units + " and " + b.channels[*in_b].units + ".";
    return found;
  }
  found.why = whole;
  if (!whole.empty()) return found;
  found.tolerance = tolerance.absolute;
  if (tolerance.relative > 0.0) found.tolerance += tolerance.relative * largestMagnitude(a, *in_a);
  compareRows(a, *in_a, b, *in_b, tolerance.time_s * a.rate_hz, found);
  if (found.rows == 0 && found.missing_in_one > 0) {
    found.why = "The records have no row in which both have a value.";
    return found;
  }
  found.outcome = found.outside_rows > 0 ? ChannelComparison::Outcome::outside : ChannelComparison::Outcome::inside;
  return found;
}

}  // namespace

std::string_view name(ChannelComparison::Outcome outcome) noexcept {
  constexpr std::array<std::string_view, 3> kWords{"inside", "outside", "not aligned"};
  return kWords[static_cast<std::size_t>(outcome)];
}

bool TableComparison::inside() const noexcept {
  return std::ranges::all_of(
      channels, [](const ChannelComparison& one) { return one.outcome == ChannelComparison::Outcome::inside; });
}

TableComparison compared(const Table& a, const Table& b, const CompareTolerance& tolerance,
                         const std::vector<std::string>& names) {
  for (const auto& [value, option] :
       {std::pair(tolerance.absolute, "tolerance-absolute"), std::pair(tolerance.relative, "tolerance-relative"),
        std::pair(tolerance.time_s, "tolerance-time")})
    if (!(std::isfinite(value) && value >= 0.0))
      throw InputError(option, "is " + figureText(value) + "; enter a number of at least 0.");
  std::vector<std::string> all = names;
  if (names.empty()) {
    for (const Channel& channel : a.channels) all.push_back(channel.name);
    for (const Channel& channel : b.channels)
      if (!find(a, channel.name)) all.push_back(channel.name);
  }
  const std::string whole = misalignment(a, b, tolerance.time_s);
  TableComparison comparison;
  for (const std::string& one : all) {
    if (!find(b, one)) placeOf(a, one);  // throws if neither has it
    comparison.channels.push_back(comparedChannel(a, b, one, tolerance, whole));
  }
  return comparison;
}

}  // namespace hyb
