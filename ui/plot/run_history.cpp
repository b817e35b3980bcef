#include "ui/plot/run_history.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace hyb::ui {
namespace {

std::size_t binOf(double ns) noexcept {
  const double position = std::log10(std::max(ns, TimingFigures::kFirstNs) / TimingFigures::kFirstNs);
  const auto bin = static_cast<std::size_t>(position * static_cast<double>(TimingFigures::kPerDecade));
  return std::min(bin, TimingFigures::kBins - 1);
}

/// In the order of trackingIndicator(), energyError() and interfacePower().
std::vector<Channel> columnsOf(const RowLayout& layout) {
  std::vector<Channel> columns = layout.columns();
  const auto derived = [&](std::string name, const char* units, std::size_t interface) {
    columns.push_back({.name = std::move(name),
                       .units = units,
                       .description = {},
                       .interface = static_cast<int>(interface),
                       .role = ColumnRole::derived});
  };
  const auto each = [&](const std::string& stem, const char* units) {
    for (std::size_t i = 1; i <= layout.interfaces(); ++i) derived(stem + std::to_string(i), units, i);
  };
  each("tracking_indicator_", "m^2");
  derived("energy_error", "J", 0);
  each("power_", "W");
  return columns;
}

}  // namespace

void TimingFigures::add(double wake_late_ns, double compute_ns, bool late) noexcept {
  ++ticks_;
  if (late) ++late_;
  if (std::isfinite(wake_late_ns)) {
    ++lateness_[binOf(wake_late_ns)];
    max_lateness_ns_ = std::max(max_lateness_ns_, wake_late_ns);
  }
  if (compute_ns > 0.0 && std::isfinite(compute_ns)) {
    ++computed_;
    ++compute_[binOf(compute_ns)];
    max_compute_ns_ = std::max(max_compute_ns_, compute_ns);
  }
}

double TimingFigures::binEdgeNs(std::size_t bin) noexcept {
  return kFirstNs * std::pow(10.0, static_cast<double>(bin) / static_cast<double>(kPerDecade));
}

double TimingFigures::medianComputeNs() const noexcept {
  if (computed_ == 0) return 0.0;
  std::uint64_t seen = 0;
  std::size_t bin = 0;
  while (bin + 1 < kBins && (seen += compute_[bin]) * 2 < computed_) ++bin;
  return std::sqrt(binEdgeNs(bin) * binEdgeNs(bin + 1));
}

RunHistory::RunHistory(RowLayout layout, double rate_hz, std::size_t rows, const CountedRows& counted)
    : layout_(std::move(layout)),
      columns_(columnsOf(layout_)),
      rate_hz_(rate_hz),
      rows_(columns_.size(), rows),
      extended_(rows_.columns(), 0.0),
      previous_(rows_.columns(), 0.0),
      peaks_(rows_.columns(), 0.0),
      energy_(layout_.interfaces(), asksForForce(layout_.signals())),
      indicators_(layout_.interfaces()),
      moved_(layout_.interfaces(), 0.0),
      counted_(counted) {}

void RunHistory::append(std::span<const double> row) noexcept {
  assert(row.size() == layout_.width());
  std::copy(row.begin(), row.end(), extended_.begin());
  // The path within a gap of many ticks (the display ring was full) is unknown, so it is not integrated.
  constexpr double kLongestStepTicks = 10.0;
  const bool joined = !rows_.empty() && row[RowLayout::kTick] - previous_[RowLayout::kTick] <= kLongestStepTicks;
  const auto flags = static_cast<std::uint32_t>(row[RowLayout::kFlags]);
  const auto part = [&](std::size_t first) { return row.subspan(first, layout_.interfaces()); };
  const auto target = part(layout_.target(0)), force = part(layout_.force(0));
  for (std::size_t i = 0; i < moved_.size(); ++i) moved_[i] = row[layout_.moved(i)];
  if (readable(target) && readable(moved_) && readable(force)) {  // otherwise the path goes straight to the next row
    if (joined && coupled(row[RowLayout::kFlags]))
      energy_.add(force, target, moved_, 1.0);
    else
      energy_.moveTo(force, target, moved_);
    for (std::size_t i = 0; i < indicators_.size(); ++i) {
      const double tracked = row[layout_.tracked(i)];
      if (joined)
        indicators_[i].add(target[i], tracked);
      else
        indicators_[i].moveTo(target[i], tracked);
    }
  }
  for (std::size_t i = 0; i < indicators_.size(); ++i) extended_[trackingIndicator(i)] = indicators_[i].area();
  extended_[energyError()] = energy_.energy_j();
  for (std::size_t i = 0; i < layout_.interfaces(); ++i)
    extended_[interfacePower(i)] = -row[layout_.force(i)] * row[layout_.velocity(i)];
  for (std::size_t column = 0; column < extended_.size(); ++column)
    if (const double magnitude = std::abs(extended_[column]); magnitude > peaks_[column]) peaks_[column] = magnitude;

  timing_.add(row[RowLayout::kWakeLate], row[RowLayout::kCompute], (flags & kFlagLate) != 0);
  const double time_s = row[RowLayout::kTime];
  const CountedRows::Part part_of_test = counted_.next(time_s, row[RowLayout::kFlags]);
  if (part_of_test != CountedRows::Part::over && (flags & kFlagHolding) == 0) moving_until_s_ = time_s;
  if (part_of_test == CountedRows::Part::counted) {
    counted_from_s_ = std::min(counted_from_s_, time_s);
    counted_to_s_ = time_s;
  }
  rows_.append(extended_);
  std::swap(previous_, extended_);
}

std::size_t RunHistory::columnIn(const RunHistory& other, std::size_t column) const {
  const Channel& mine = columns_[column];
  const auto found = std::ranges::find_if(
      other.columns_, [&](const Channel& theirs) { return theirs.role == mine.role && theirs.name == mine.name; });
  return found == other.columns_.end() ? kNoValue : static_cast<std::size_t>(found - other.columns_.begin());
}

Table RunHistory::table() const {
  Table table;
  table.rate_hz = rate_hz_;
  table.rows = rows_.end() - rows_.begin();
  table.channels = columns_;
  table.read = [this](std::size_t channel, std::uint64_t first, std::uint64_t count) {
    std::vector<double> values;
    rows_.copy(channel, rows_.begin() + first, rows_.begin() + first + count, values);
    return values;
  };
  return table;
}

double RunHistory::peak(std::size_t column) const noexcept { return peaks_[column]; }

double RunHistory::latestTime() const noexcept {
  return rows_.empty() ? 0.0 : rows_.at(RowLayout::kTime, rows_.end() - 1);
}

}  // namespace hyb::ui
