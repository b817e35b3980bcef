#include "core/record/run_table.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/numbers.h"
#include "core/data/even.h"

namespace hyb {
namespace {

constexpr std::uint64_t kBlock = 1u << 16;  // rows read at once

class RecordedRows {
 public:
  explicit RecordedRows(std::shared_ptr<const RunFileReader> run) : run_(std::move(run)) {
    const RunFileInfo& info = run_->info();
    const bool described = !run_->attribute("acquisition/tick", "role").empty();
    for (const std::string& path : info.row_columns) {
      paths_.push_back(path);
      Channel& channel = channels_.emplace_back(channelOf(path, path.substr(path.find('/') + 1)));
      if (path.starts_with("timing/"))
        channel.role = ColumnRole::timing;
      else if (!described)
        describeByName(channel);
      channel.discrete =
          channel.role == ColumnRole::tick || channel.role == ColumnRole::flags || channel.role == ColumnRole::timing;
    }
    for (const std::string& name : info.adaptation) {
      const std::string group = "adaptation/" + name;
      adapted_.push_back({run_->read(group + "/tick"), run_->read(group + "/value")});
      Channel& channel = channels_.emplace_back(channelOf(group + "/value", name));
      channel.role = ColumnRole::adapted;
      channel.discrete = true;
    }
    if (!adapted_.empty()) findJumps();
  }

  const std::vector<Channel>& channels() const { return channels_; }

  std::vector<double> read(std::size_t channel, std::uint64_t first, std::uint64_t count) const {
    std::vector<double> values;
    if (channel < paths_.size())
      values = run_->read(paths_[channel], first, count);
    else if (count > 0)
      values = held(adapted_[channel - paths_.size()], first, count);
    values.resize(count, kNoValue);  // a column of a damaged file may be shorter
    return values;
  }

 private:
  struct Held {
    std::vector<double> ticks, values;
  };
  /// From this row on the ticks count up by 1.
  struct Jump {
    std::uint64_t row;
    double tick;
  };

  Channel channelOf(const std::string& object, const std::string& name) const {
    const auto attribute = [&](const char* key) { return run_->attribute(object, key); };
    Channel channel{name, attribute("units"), attribute("description")};
    channel.interface = std::atoi(attribute("interface").c_str());
    channel.title = attribute("title");
    channel.group = attribute("group");
    channel.role = columnRole(attribute("role"));
    if (const std::string kind = attribute("kind"); !kind.empty()) channel.kind = signalKindNamed(kind);
    return channel;
  }

  void findJumps() {
    const std::uint64_t rows = run_->info().rows;
    for (std::uint64_t row = 0; row < rows; row += kBlock) {
      const std::vector<double> ticks = run_->read("acquisition/tick", row, std::min(kBlock, rows - row));
      for (std::size_t k = 0; k < ticks.size(); ++k)
        if (jumps_.empty() || ticks[k] != jumps_.back().tick + static_cast<double>(row + k - jumps_.back().row))
          jumps_.push_back({row + k, ticks[k]});
    }
  }

  std::vector<double> held(const Held& series, std::uint64_t first, std::uint64_t count) const {
    std::vector<double> values(count, kNoValue);
    if (jumps_.empty()) return values;
    const std::size_t known = std::min(series.ticks.size(), series.values.size());
    const auto end = series.ticks.begin() + static_cast<std::ptrdiff_t>(known);
    auto jump = std::ranges::upper_bound(jumps_, first, {}, &Jump::row) - 1;
    auto after = series.ticks.begin();
    for (std::uint64_t row = first; row < first + count; ++row) {
      if (jump + 1 != jumps_.end() && (jump + 1)->row == row) ++jump;
      const double tick = jump->tick + static_cast<double>(row - jump->row);
      if (row == first) after = std::upper_bound(series.ticks.begin(), end, tick);
      while (after != end && *after <= tick) ++after;
      if (after != series.ticks.begin())
        values[row - first] = series.values[static_cast<std::size_t>(after - series.ticks.begin()) - 1];
    }
    return values;
  }

  std::shared_ptr<const RunFileReader> run_;
  std::vector<Channel> channels_;
  std::vector<std::string> paths_;  // of the row columns, which come first
  std::vector<Held> adapted_;
  std::vector<Jump> jumps_;  // only with adapted quantities
};

/// Null without segments.
std::shared_ptr<const Table> segmentsOf(const RunFileReader& run) {
  if (run.info().segments.empty()) return nullptr;
  std::vector<Channel> channels;
  std::vector<std::vector<double>> columns;
  for (const std::string& name : run.info().segments) {
    const std::string path = "segments/" + name;
    channels.push_back({name, run.attribute(path, "units"), run.attribute(path, "description"),
                        std::atoi(run.attribute(path, "interface").c_str())});
    columns.push_back(run.read(path));
  }
  return std::make_shared<const Table>(tableInMemory(std::move(channels), std::move(columns)));
}

}  // namespace

void describeByName(Channel& channel) {
  const std::size_t stem = channel.name.find_last_of('_');
  const bool numbered = stem != std::string::npos && stem + 1 < channel.name.size() &&
                        channel.name.find_first_not_of("0123456789", stem + 1) == std::string::npos;
  const ColumnRole role = columnRole(numbered ? std::string_view(channel.name).substr(0, stem) : channel.name);
  const bool clock = role == ColumnRole::time || role == ColumnRole::tick || role == ColumnRole::flags;
  if (clock == numbered || role == ColumnRole::timing || role == ColumnRole::adapted) return;
  channel.role = role;
  if (clock || role == ColumnRole::further || role == ColumnRole::excitation) return;
  channel.interface = std::atoi(channel.name.c_str() + stem + 1);
  std::string unit = channel.units;
  if (role == ColumnRole::velocity && unit.ends_with("/s")) unit.resize(unit.size() - 2);
  channel.kind = signalKind(unit);
}

Table recordedTable(const std::shared_ptr<const RunFileReader>& run) {
  const auto rows = std::make_shared<const RecordedRows>(run);
  const RunFileInfo& info = run->info();
  Table table;
  table.title = info.title;
  table.rate_hz = info.rate_hz;
  table.rows = info.rows;
  table.channels = rows->channels();
  table.facts = {{"operator", info.operator_name},
                 {"started_at", info.started_at},
                 {"stop_reason", info.stop_reason},
                 {"uuid", info.uuid},
                 {"software_version", info.software_version}};
  table.events = run->events();
  table.segments = segmentsOf(*run);
  table.read = [rows](std::size_t channel, std::uint64_t first, std::uint64_t count) {
    return rows->read(channel, first, count);
  };
  return table;
}

Table tableOf(const std::shared_ptr<const RunFileReader>& run) { return evenRows(recordedTable(run)); }

}  // namespace hyb
