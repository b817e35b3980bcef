#include "core/record/run_table.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace hyb {
namespace {

constexpr std::uint64_t kBlock = 1u << 16;          // rows read at once
constexpr std::uint64_t kMostMissed = 100'000'000;  // periods; damaged ticks must not fill the memory

/// Rows of the file that follow each other without a missed period.
struct Piece {
  std::uint64_t row, period, count;
};

class RunTable {
 public:
  explicit RunTable(std::shared_ptr<const RunFileReader> run) : run_(std::move(run)) {
    if (!(run_->info().rate_hz > 0.0)) throw DeviceError("The run has no rate.");
    if (run_->info().rows == 0) throw DeviceError("The run has no rows: it ended before its first tick.");
    findPieces();
    for (const std::string& column : run_->info().row_columns) addColumn(column);
    for (const std::string& name : run_->info().adaptation) addAdapted(name);
  }

  std::uint64_t rows() const { return pieces_.back().period + pieces_.back().count; }
  const std::vector<Channel>& channels() const { return channels_; }

  std::vector<double> read(std::size_t channel, std::uint64_t first, std::uint64_t count) const {
    std::vector<double> values(count, kNoValue);
    auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), first,
                                  [](std::uint64_t period, const Piece& one) { return period < one.period; });
    if (piece != pieces_.begin()) --piece;
    for (; piece != pieces_.end() && piece->period < first + count; ++piece) {
      const std::uint64_t from = std::max(first, piece->period),
                          end = std::min(first + count, piece->period + piece->count);
      if (from >= end) continue;
      if (channel < columns_.size()) {
        const std::vector<double> part = run_->read(columns_[channel], piece->row + (from - piece->period), end - from);
        std::ranges::copy(part, values.begin() + static_cast<std::ptrdiff_t>(from - first));
      } else {
        held(adapted_[channel - columns_.size()], from, end, values.data() + (from - first));
      }
    }
    return values;
  }

 private:
  struct Held {
    std::vector<double> ticks, values;
  };

  void findPieces() {
    const std::uint64_t rows = run_->info().rows;
    for (std::uint64_t row = 0; row < rows; row += kBlock) {
      const std::vector<double> ticks = run_->read("acquisition/tick", row, std::min(kBlock, rows - row));
      for (std::size_t k = 0; k < ticks.size(); ++k) {
        const auto tick = static_cast<std::uint64_t>(ticks[k]);
        if (pieces_.empty()) {
          first_tick_ = tick;
          pieces_.push_back({0, 0, 1});
          continue;
        }
        Piece& last = pieces_.back();
        const std::uint64_t next = first_tick_ + last.period + last.count;
        if (!(ticks[k] >= static_cast<double>(next)) || tick - next > kMostMissed)
          throw DeviceError("The ticks of the run do not ascend at row " + std::to_string(row + k) +
                            ". Check the file with hybridbench verify.");
        if (tick == next)
          ++last.count;
        else
          pieces_.push_back({row + k, tick - first_tick_, 1});
      }
    }
  }

  Channel described(const std::string& object, const std::string& name) const {
    Channel channel{name, run_->attribute(object, "units"), run_->attribute(object, "description")};
    channel.interface = std::atoi(run_->attribute(object, "interface").c_str());
    channel.title = run_->attribute(object, "title");
    channel.group = run_->attribute(object, "group");
    return channel;
  }

  void addColumn(const std::string& path) {
    const std::string name = path.substr(path.find('/') + 1);
    if (name == "time" || name == "tick") return;  // the time base itself
    columns_.push_back(path);
    channels_.push_back(described(path, name));
    channels_.back().discrete = name == "flags" || path.starts_with("timing/");
  }

  void addAdapted(const std::string& name) {
    const std::string group = "adaptation/" + name;
    adapted_.push_back({run_->read(group + "/tick"), run_->read(group + "/value")});
    channels_.push_back(described(group + "/value", name));
    channels_.back().discrete = true;
  }

  void held(const Held& series, std::uint64_t from, std::uint64_t end, double* values) const {
    const std::size_t known = std::min(series.ticks.size(), series.values.size());
    const auto last = series.ticks.begin() + static_cast<std::ptrdiff_t>(known);
    for (std::uint64_t period = from; period < end; ++period) {
      const auto after = std::upper_bound(series.ticks.begin(), last, static_cast<double>(first_tick_ + period));
      values[period - from] = after == series.ticks.begin()
                                  ? kNoValue
                                  : series.values[static_cast<std::size_t>(after - series.ticks.begin()) - 1];
    }
  }

  std::shared_ptr<const RunFileReader> run_;
  std::uint64_t first_tick_ = 0;
  std::vector<Piece> pieces_;
  std::vector<Channel> channels_;
  std::vector<std::string> columns_;  // paths; then the adapted quantities
  std::vector<Held> adapted_;
};

}  // namespace

Table tableOf(std::shared_ptr<const RunFileReader> run) {
  const auto rows = std::make_shared<const RunTable>(run);
  const RunFileInfo& info = run->info();
  Table table;
  table.title = info.title;
  table.rate_hz = info.rate_hz;
  table.start_s = run->read("acquisition/time", 0, 1).front();
  table.rows = rows->rows();
  table.channels = rows->channels();
  table.facts = {{"operator", info.operator_name},
                 {"started_at", info.started_at},
                 {"stop_reason", info.stop_reason},
                 {"uuid", info.uuid},
                 {"software_version", info.software_version}};
  table.read = [rows](std::size_t channel, std::uint64_t first, std::uint64_t count) {
    return rows->read(channel, first, count);
  };
  return table;
}

}  // namespace hyb
