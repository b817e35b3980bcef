#include "core/record/recorder.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "core/base/error.h"

namespace hyb {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr double kOpenEnd_s = 600.0;
constexpr std::size_t kRingBytes = 8 << 20;
constexpr std::size_t kRowsPerTurn = 4096;
constexpr std::chrono::milliseconds kPause{10};

/// Rows of one second, to the nearest power of two.
std::size_t chunkRows(double rate_hz) {
  const double exponent = std::round(std::log2(std::max(rate_hz, 1.0)));
  return std::size_t{1} << static_cast<unsigned>(std::clamp(exponent, 10.0, 14.0));
}

std::size_t ringRows(const RowLayout& layout, double rate_hz) {
  return std::max({static_cast<std::size_t>(2.0 * rate_hz), 4 * chunkRows(rate_hz),
                   kRingBytes / (layout.width() * sizeof(double))});
}

void requireSpace(const std::filesystem::path& file, const RowLayout& layout, double rate_hz, double duration_s) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  struct statvfs disk {};
  if (statvfs(folder.c_str(), &disk) != 0) return;  // the writer reports faults of the folder
  const double room = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
  const double seconds = duration_s > 0.0 ? duration_s : kOpenEnd_s;
  const double need = rate_hz * static_cast<double>(layout.width() * sizeof(double)) * seconds * 1.2;
  if (room >= need) return;
  const auto megabytes = [](double bytes) {
    return std::to_string(static_cast<std::uint64_t>(std::ceil(bytes / 1e6)));
  };
  throw DeviceError(folder.string() + ": " + megabytes(room) + " MB free, but " + megabytes(need) +
                    " MB are needed for " + std::to_string(static_cast<std::uint64_t>(seconds)) +
                    " s of recording; make room or choose another folder");
}

}  // namespace

struct Recorder::Impl {
  Recorder& owner;
  const double flush_s;
  std::optional<RunFileWriter> writer;
  std::thread thread;
  std::mutex mutex;
  std::condition_variable wake;
  bool stop = false;                        // guarded by mutex
  std::string failure;                      // guarded by mutex
  std::optional<RealtimeOutcome> realtime;  // guarded by mutex; to be written
  std::optional<PlaceNotice> notice;        // guarded by mutex; to be reported
  std::vector<double> block, segments;      // sized for one turn: emptying the rings must not need memory
  std::uint64_t last_tick = 0;
  bool closed = false;

  Impl(Recorder& recorder, double flush_interval_s) : owner(recorder), flush_s(flush_interval_s) {}

  void fail(const char* why) noexcept {
    const std::scoped_lock lock(mutex);
    try {
      if (failure.empty()) failure = why;
    } catch (const std::exception&) {  // no memory for the message
    }
    owner.failed_.store(true, std::memory_order_release);
  }
  template <typename Step>
  void attempt(Step&& step) {
    if (owner.failed()) return;
    try {
      step();
    } catch (const std::bad_alloc&) {
      fail("not enough memory to record");
    } catch (const std::exception& error) {
      fail(error.what());
    } catch (...) {
      fail("the recorder ended by an unknown exception");
    }
  }

  /// One portion of rows and all events; returns the number of rows taken. After a failure rows are only counted, so
  /// that the loop never finds a full ring.
  std::size_t drain() {
    const std::size_t rows = owner.rows_.pop(block, kRowsPerTurn);
    if (rows > 0) {
      last_tick = static_cast<std::uint64_t>(block[(rows - 1) * owner.rows_.width() + RowLayout::kTick]);
      attempt([this] { writer->append(block); });
      if (owner.failed()) owner.lost_rows_.fetch_add(rows, std::memory_order_relaxed);
      owner.written_rows_.store(writer->rows(), std::memory_order_relaxed);
      owner.written_bytes_.store(writer->bytes(), std::memory_order_relaxed);
    }
    if (owner.segments_.pop(segments, kRowsPerTurn) > 0) attempt([this] { writer->appendSegments(segments); });
    Event event;
    while (owner.events_.pop(event)) attempt([&] { writer->append(event); });
    return rows;
  }

  void noteRealtime() {
    std::optional<RealtimeOutcome> known;
    {
      const std::scoped_lock lock(mutex);
      known.swap(realtime);
    }
    if (known) attempt([&] { writer->setRealtime(*known); });
  }

  /// Reports immediately, also in the file, that its name does not refer to it any more.
  void lookAtName() {
    std::optional<PlaceNotice> change = writer->look();
    if (!change) return;
    Event event{.tick = last_tick, .code = EventCode::file_moved, .severity = change->severity};
    event.setText(change->severity == Severity::fault ? std::string("deleted") : "moved to " + writer->path().string());
    writer->append(event);
    const std::scoped_lock lock(mutex);
    notice = std::move(change);
  }

  void run() {
    SteadyClock::time_point last_flush = SteadyClock::now();
    for (bool stopping = false;;) {
      noteRealtime();
      const std::size_t taken = drain();
      if (stopping && taken == 0) return;  // the producer ended before the ring was empty
      if (const SteadyClock::time_point now = SteadyClock::now();
          std::chrono::duration<double>(now - last_flush).count() >= flush_s) {
        attempt([this] { writer->flush(); });
        attempt([this] { lookAtName(); });
        last_flush = now;
      }
      if (taken == kRowsPerTurn) continue;  // more rows are waiting
      std::unique_lock lock(mutex);
      stopping = wake.wait_for(lock, kPause, [this] { return stop; });
    }
  }
};

Recorder::Recorder(const std::filesystem::path& file, const RunFileHeader& header, const RowLayout& layout,
                   const EventNames& names, double rate_hz, double duration_s, double flush_s)
    : rows_(layout.width(), ringRows(layout, rate_hz)),
      segments_(std::max<std::size_t>(1, layout.segmentColumns().size()), layout.mostSegments()),
      impl_(std::make_unique<Impl>(*this, flush_s)) {
  requireSpace(file, layout, rate_hz, duration_s);
  impl_->writer.emplace(file, header, layout, names, chunkRows(rate_hz));
  impl_->block.reserve(kRowsPerTurn * rows_.width());
  impl_->segments.reserve(std::min(kRowsPerTurn, layout.mostSegments()) * segments_.width());
  impl_->thread = std::thread([this] { impl_->run(); });
}

Recorder::~Recorder() { close({false, false, "the program ended before the run did"}); }

void Recorder::setRealtime(const RealtimeOutcome& outcome) {
  const std::scoped_lock lock(impl_->mutex);
  impl_->realtime = outcome;
}

std::string Recorder::failure() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->failure.empty() && failed() ? "not enough memory" : impl_->failure;
}

std::optional<PlaceNotice> Recorder::takeNotice() {
  const std::scoped_lock lock(impl_->mutex);
  return std::exchange(impl_->notice, std::nullopt);
}
std::filesystem::path Recorder::path() const { return impl_->writer->path(); }
std::filesystem::path Recorder::alias() const { return impl_->writer->alias(); }
void Recorder::sync() { impl_->writer->sync(); }
void Recorder::letGo() noexcept { impl_->writer.reset(); }
void Recorder::removeFile() noexcept { impl_->writer->remove(); }

void Recorder::close(const RunFileEnd& end) {
  if (std::exchange(impl_->closed, true)) return;
  {
    const std::scoped_lock lock(impl_->mutex);
    impl_->stop = true;
  }
  impl_->wake.notify_all();
  impl_->thread.join();
  impl_->attempt([this] { impl_->lookAtName(); });
  RunFileEnd final = end;
  if (const std::uint64_t dropped = rows_.dropped(); dropped > 0) {
    final.valid = false;
    final.stop_reason +=
        (final.stop_reason.empty() ? "" : "; ") + std::to_string(dropped) + " rows lost because the disk was too slow";
  }
  final.rows_lost = lostRows();
  if (events_.lost() > 0) final.valid = false;
  try {
    impl_->writer->close(final);
  } catch (const std::exception& error) {
    impl_->fail(error.what());
  }
}

}  // namespace hyb
