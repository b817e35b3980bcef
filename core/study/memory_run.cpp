#include "core/study/memory_run.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <thread>

#include "core/assess/metrics.h"
#include "core/loop/pacing.h"
#include "core/run/build.h"
#include "core/run/director_thread.h"
#include "core/run/plug_ins.h"
#include "core/run/unattended.h"

namespace hyb {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kFreeRows = 64;  // that a free run makes before they are taken: they stay in the cache
constexpr std::size_t kLeastPacedRows = 1024;
constexpr std::size_t kBlockNumbers = 1u << 18;  // of rows in one piece of memory
constexpr std::size_t kTurnedRows = 128;

/// Columns of traces: those of a run file's /acquisition, and the adapted quantities.
std::vector<std::size_t> tracedColumns(const RowLayout& layout) {
  std::vector<std::size_t> columns{RowLayout::kTime, RowLayout::kTick, RowLayout::kFlags};
  for (std::size_t c = RowLayout::kFirstChannel; c < layout.width(); ++c) columns.push_back(c);
  return columns;
}

std::vector<Channel> tracedChannels(const RowLayout& layout) {
  std::vector<Channel> channels;
  for (const std::size_t column : tracedColumns(layout)) channels.push_back(layout.column(column));
  for (Channel& channel : channels)
    if (channel.role == ColumnRole::flags)
      channel.description = "sum of the masks that hold for the row, as in run files";
  return channels;
}

}  // namespace

/// All rows of a run, in blocks, because their number is not always known.
class KeptRows {
 public:
  /// Forgets the last run; keeps its memory.
  void begin(const RowLayout& layout, std::size_t ring_rows) {
    layout_ = &layout;
    rows_per_block_ = std::max<std::size_t>(1, kBlockNumbers / layout.width());
    count_ = 0;
    ring.emplace(layout.width(), ring_rows);
    segments.emplace(std::max<std::size_t>(1, layout.segmentColumns().size()), layout.mostSegments());
  }
  /// Takes the rows out of the ring.
  void drain() {
    const std::size_t width = ring->width();
    while (ring->pop(popped_, kFreeRows) > 0)
      for (std::size_t taken = 0, all = popped_.size() / width; taken < all;) {
        const std::size_t block = count_ / rows_per_block_, row = count_ % rows_per_block_,
                          rows = std::min(all - taken, rows_per_block_ - row);
        if (block == blocks_.size()) blocks_.emplace_back();
        if (blocks_[block].size() < rows_per_block_ * width) blocks_[block].resize(rows_per_block_ * width);
        std::copy_n(popped_.data() + taken * width, rows * width, blocks_[block].data() + row * width);
        taken += rows;
        count_ += rows;
      }
  }
  std::size_t count() const noexcept { return count_; }
  std::vector<double> column(std::size_t source, std::size_t first, std::size_t rows) const {
    first = std::min(first, count());
    std::vector<double> list(std::min(rows, count() - first));
    copyColumn(source, first, list);
    return list;
  }
  /// Copies rows from `first` on, as many as fit into `to`.
  void copyColumn(std::size_t source, std::size_t first, std::span<double> to) const {
    const std::size_t width = ring->width();
    for (auto next = to.begin(); next != to.end();) {
      const std::size_t row = first % rows_per_block_;
      const double* value = &blocks_[first / rows_per_block_][row * width + source];
      const auto end = next + std::min(to.end() - next, static_cast<std::ptrdiff_t>(rows_per_block_ - row));
      for (; next != end; ++next, ++first, value += width) *next = *value;
    }
  }
  /// Rows of each trial, frequency or point; takes them out of the ring.
  Table takeSegments() {
    std::vector<double> flat;
    const std::size_t rows = segments->pop(flat, layout_->mostSegments());
    std::vector<std::vector<double>> columns(layout_->segmentColumns().size(), std::vector<double>(rows));
    for (std::size_t c = 0; c < columns.size(); ++c)
      for (std::size_t r = 0; r < rows; ++r) columns[c][r] = flat[r * segments->width() + c];
    return tableInMemory(layout_->segmentColumns(), std::move(columns));
  }

  std::optional<RowRing> ring, segments;

 private:
  const RowLayout* layout_ = nullptr;
  std::size_t rows_per_block_ = 1, count_ = 0;
  std::vector<std::vector<double>> blocks_;  // [row / rows_per_block][row % rows_per_block * width + column]
  std::vector<double> popped_;
};

namespace {

void runFree(Loop& loop, KeptRows& rows) {
  bool going = true;
  while (going) {
    for (std::size_t k = 0; going && k < kFreeRows; ++k) going = loop.tick(1);
    rows.drain();
  }
}

void runOnClock(Loop& loop, const RealtimeRequest& request, KeptRows& rows) {
  std::atomic<bool> done{false};
  std::thread thread([&] {
    const DirectorThread teacher(loop);
    enterRealtime(request);
    runPaced(loop, systemClock());
    done.store(true, std::memory_order_release);
  });
  while (!done.load(std::memory_order_acquire)) {
    rows.drain();
    std::this_thread::sleep_for(5ms);
  }
  thread.join();
  rows.drain();
}

/// The run with its rows. What a library does to the command is not part of figures: parseRecorded().
RunRecord recordOf(const std::shared_ptr<const Project>& project, const Loop& loop, const KeptRows& rows,
                   const MemoryRun& run) {
  RunRecord record;
  record.project = project->document;
  if (librariesNamed(project->document).empty()) record.parsed = project;
  record.folder = project->folder;
  record.table.rate_hz = project->loop.rate_hz;
  record.table.rows = rows.count();
  record.table.channels = loop.layout().columns();
  record.table.read = [&rows](std::size_t column, std::uint64_t first, std::uint64_t count) {
    return rows.column(column, first, count);
  };
  if (!run.segments.channels.empty()) record.table.segments = std::make_shared<const Table>(run.segments);
  record.interfaces = loop.layout().signals();
  for (std::size_t i = 0; i < record.interfaces.size(); ++i) record.interfaces[i].name = std::to_string(i + 1);
  record.limits_hit = static_cast<std::int64_t>(loop.status().limits_hit.load());
  record.stop_reason = run.stop_reason;
  for (std::size_t l = 0; l < loop.safety().limits().size(); ++l)
    if (loop.safety().monitors()[l].latched.load())
      record.limits.push_back({loop.eventNames().limits[l], loop.safety().limits()[l].action});
  record.ended = run.reason;
  record.rows_lost = rows.ring->dropped();
  record.complete = run.complete;
  record.valid = run.valid;
  return record;
}

Table traceOf(const Loop& loop, double rate_hz, const KeptRows& rows) {
  const std::vector<std::size_t> sources = tracedColumns(loop.layout());
  std::vector<std::vector<double>> columns(sources.size(), std::vector<double>(rows.count()));
  // Few rows at a time, so that they stay in the cache while their columns are read.
  for (std::size_t first = 0; first < rows.count(); first += kTurnedRows) {
    const std::size_t count = std::min(kTurnedRows, rows.count() - first);
    for (std::size_t c = 0; c < sources.size(); ++c)
      rows.copyColumn(sources[c], first, std::span(columns[c]).subspan(first, count));
  }
  Table trace = tableInMemory(tracedChannels(loop.layout()), std::move(columns));
  trace.rate_hz = rate_hz;
  return trace;
}

}  // namespace

std::vector<std::string> traceNames(const Loop& loop) {
  std::vector<std::string> names;
  for (const Channel& channel : tracedChannels(loop.layout())) names.push_back(channel.name);
  return names;
}

Table kept(const Table& trace, const std::vector<std::string>& names) {
  std::vector<Channel> channels;
  std::vector<std::vector<double>> columns;
  for (std::size_t c = 0; c < trace.channels.size(); ++c) {
    if (std::find(names.begin(), names.end(), trace.channels[c].name) == names.end()) continue;
    channels.push_back(trace.channels[c]);
    columns.push_back(trace.column(c));
  }
  return tableInMemory(std::move(channels), std::move(columns));
}

RunMemory::RunMemory() = default;
RunMemory::~RunMemory() = default;
RunMemory::RunMemory(RunMemory&&) noexcept = default;
RunMemory& RunMemory::operator=(RunMemory&&) noexcept = default;

MemoryRun RunMemory::run(const Project& asked, Pace pace, bool keep_trace, const StopToken& stop,
                         const DeviceFactory& devices, const std::function<void(const RunRecord&)>& read) {
  const auto project = std::make_shared<const Project>(withPlugIns(unattended(asked), &stop));
  const bool paced = pace == Pace::real_time;
  if (paced || project->rig.use != RigUse::twin) tryOutPlugIns(*project, &stop);
  std::unique_ptr<Loop> loop = buildUnattendedLoop(*project, devices, paced);
  if (!rows_) rows_ = std::make_unique<KeptRows>();
  KeptRows& rows = *rows_;
  rows.begin(loop->layout(),
             paced ? std::max(kLeastPacedRows, static_cast<std::size_t>(2.0 * project->loop.rate_hz)) : kFreeRows);
  loop->attachRecorder(&*rows.ring, nullptr, nullptr);
  loop->attachSegments(&*rows.segments);
  loop->follow(&stop);
  loop->arm();
  loop->post({Request::Kind::start, -1, 0.0, {}, {}});
  const auto drive = [&loop = *loop, &rows, realtime = project->realtime, paced] {
    if (paced)
      runOnClock(loop, realtime, rows);
    else
      runFree(loop, rows);
  };
  try {
    if (project->compensation.watch)
      workWatched(project->compensation.watch, nullptr, drive);
    else
      drive();
  } catch (const PlugInGivenUp&) {  // its thread remains in the library
    loop->abandon();
    loop->close();
    static_cast<void>(loop.release());
    static_cast<void>(rows_.release());
    throw;
  }

  MemoryRun run;
  run.reason = loop->endReason();
  run.stop_reason = endSentence(*loop) + unattendedNote(asked, *loop);
  run.complete = run.reason == EndReason::completed;
  run.valid = run.reason != EndReason::not_a_number && rows.ring->dropped() == 0;
  run.segments = rows.takeSegments();
  if (read) read(recordOf(project, *loop, rows, run));
  if (keep_trace) run.trace = traceOf(*loop, project->loop.rate_hz, rows);
  return run;
}

MemoryRun runInMemory(const Project& project, Pace pace, bool keep_trace, const StopToken& stop, bool measures,
                      const DeviceFactory& devices, bool figures) {
  Json found;
  RunMemory memory;
  MemoryRun run = memory.run(project, pace, keep_trace, stop, devices, [&](const RunRecord& record) {
    if (figures) found = metrics(record, measures);
  });
  run.metrics = std::move(found);
  return run;
}

}  // namespace hyb
