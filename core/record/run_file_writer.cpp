#include "core/record/run_file_writer.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/record/file_in_making.h"
#include "core/record/finish.h"
#include "core/record/held_file.h"
#include "core/record/run_file_tree.h"
#include "core/record/seal.h"

namespace hyb {

namespace {

constexpr std::uint64_t kMetadataRoom = 1 << 20;
// Maximum number of rows between flushes. For fast runs it also keeps all channels close together in the file, so that
// a truncated copy contains the first rows of each.
constexpr std::size_t kFlushChunks = 4;
constexpr std::size_t kFailureRoom = 1000;  // bytes of a sentence
constexpr std::size_t kEventBatch = 64;     // maximum number of events between flushes

hid_t nativeType(Column::Type type) {
  switch (type) {
    case Column::Type::u64:
      return H5T_NATIVE_UINT64;
    case Column::Type::u32:
      return H5T_NATIVE_UINT32;
    case Column::Type::i64:
      return H5T_NATIVE_INT64;
    case Column::Type::f64:
      break;
  }
  return H5T_NATIVE_DOUBLE;
}
template <typename T>
const void* convert(const std::vector<double>& values, std::vector<char>& scratch) {
  scratch.resize(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T value = std::isnan(values[i]) ? T{0} : static_cast<T>(values[i]);
    std::memcpy(scratch.data() + i * sizeof(T), &value, sizeof(T));
  }
  return scratch.data();
}

void appendTo(hid_t dataset, hid_t type, hsize_t first, hsize_t count, const void* data) {
  const hsize_t length = first + count;
  h5::check(H5Dset_extent(dataset, &length), "extending a dataset");
  const h5::Handle space = h5::own(H5Dget_space(dataset), "writing rows");
  h5::check(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &count, nullptr), "writing rows");
  const h5::Handle memory = h5::own(H5Screate_simple(1, &count, nullptr), "writing rows");
  h5::check(H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, data), "writing rows");
}

}  // namespace

/// Outlives the open HDF5 objects of the file.
struct Held {
  h5::HeldFile held;
};

struct RunFileWriter::Impl : Held, RunFileTree {
  std::filesystem::path path;  // as given
  std::size_t width, chunk_rows;
  EventNames names;
  std::vector<Event> events;
  std::vector<char> scratch;
  std::uint64_t rows = 0, buffered = 0, flushed_rows = 0, written_events = 0, written_segments = 0;
  std::string failure;
  bool closed = false;

  Impl(const std::filesystem::path& file_path, const RowLayout& layout, const EventNames& event_names,
       std::size_t rows_per_chunk)
      : Held{h5::HeldFile::create(file_path)},
        path(file_path),
        width(layout.width()),
        chunk_rows(rows_per_chunk),
        names(event_names) {
    failure.reserve(path.native().size() + kFailureRoom);
  }

  std::uint64_t blockBytes() const noexcept { return std::uint64_t{chunk_rows} * width * sizeof(double); }

  void create(const RunFileHeader& header, const RowLayout& layout) {
    static_cast<RunFileTree&>(*this) = createRunFileTree(held, header, layout, chunk_rows);
    held.keepRoom(2 * blockBytes() + kMetadataRoom);
  }

  void requireRoom() const {
    struct statvfs disk {};
    if (fstatvfs(held.descriptor(), &disk) != 0)
      return;  // a file system without this information: the write itself will report
    const std::uint64_t room = std::uint64_t{disk.f_bavail} * disk.f_frsize;
    if (room < blockBytes() + kMetadataRoom)
      throw DeviceError("disk nearly full: " + std::to_string(room >> 20) + " MB left");
  }

  /// Content of a column after the first rows.
  void writeColumn(Column& c, std::uint64_t first) {
    const void* data = c.values.data();
    std::size_t bytes = c.values.size() * sizeof(double);
    if (c.type == Column::Type::u64) data = convert<std::uint64_t>(c.values, scratch);
    if (c.type == Column::Type::i64) data = convert<std::int64_t>(c.values, scratch);
    if (c.type == Column::Type::u32) {
      data = convert<std::uint32_t>(c.values, scratch);
      bytes /= 2;
    }
    appendTo(c.dataset, nativeType(c.type), first, c.values.size(), data);
    if (!c.digest.empty()) c.sha.update(data, bytes);
    c.values.clear();
  }

  void writeSegments() {
    if (segments.empty() || segments.front().values.empty()) return;
    const std::size_t count = segments.front().values.size();
    for (Column& c : segments) writeColumn(c, written_segments);
    written_segments += count;
  }

  void writeRows() {
    if (buffered == 0) return;
    requireRoom();
    for (Column& c : columns) writeColumn(c, rows);
    for (AdaptedSeries& series : adapted) {
      if (series.ticks.empty()) continue;
      appendTo(series.tick, H5T_NATIVE_UINT64, series.written, series.ticks.size(), series.ticks.data());
      appendTo(series.value, H5T_NATIVE_DOUBLE, series.written, series.values.size(), series.values.data());
      series.written += series.ticks.size();
      series.ticks.clear();
      series.values.clear();
    }
    rows += buffered;
    buffered = 0;
  }

  void writeEvents() {
    if (events.empty()) return;
    const std::size_t count = events.size();
    std::vector<std::uint64_t> ticks(count);
    std::vector<std::int32_t> codes(count);
    std::vector<std::uint8_t> severities(count);
    std::vector<std::int32_t> indices(count);
    std::vector<double> values(count);
    std::vector<char> messages(count * kEventMessageBytes, '\0');
    for (std::size_t e = 0; e < count; ++e) {
      ticks[e] = events[e].tick;
      codes[e] = static_cast<std::int32_t>(events[e].code);
      severities[e] = static_cast<std::uint8_t>(events[e].severity);
      indices[e] = events[e].index;
      values[e] = events[e].value;
      const std::string words = message(events[e], names);
      std::copy(words.begin(), words.end(), messages.data() + e * kEventMessageBytes);
    }
    appendTo(event_columns[0], H5T_NATIVE_UINT64, written_events, count, ticks.data());
    appendTo(event_columns[1], H5T_NATIVE_INT32, written_events, count, codes.data());
    appendTo(event_columns[2], H5T_NATIVE_UINT8, written_events, count, severities.data());
    appendTo(event_columns[3], message_type, written_events, count, messages.data());
    appendTo(event_columns[4], H5T_NATIVE_INT32, written_events, count, indices.data());
    appendTo(event_columns[5], H5T_NATIVE_DOUBLE, written_events, count, values.data());
    written_events += count;
    events.clear();
  }

  void append(std::span<const double> block) {
    std::size_t count = block.size() / width;
    while (count > 0) {
      const auto take = std::min<std::size_t>(count, chunk_rows - (rows + buffered) % chunk_rows);
      for (Column& c : columns)
        for (std::size_t r = 0; r < take; ++r) c.values.push_back(block[r * width + c.source]);
      for (AdaptedSeries& series : adapted)
        for (std::size_t r = 0; r < take; ++r) {
          const double value = block[r * width + series.source];
          if (std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(series.last))
            continue;  // also equal for NaN
          series.last = value;
          series.ticks.push_back(static_cast<std::uint64_t>(block[r * width + RowLayout::kTick]));
          series.values.push_back(value);
        }
      buffered += take;
      if ((rows + buffered) % chunk_rows == 0) writeRows();
      if (rows - flushed_rows >= kFlushChunks * chunk_rows) flush();
      block = block.subspan(take * width);
      count -= take;
    }
  }

  void flushDatasets() {
    for (const Column& c : columns) h5::check(H5Dflush(c.dataset), "flushing");
    for (const AdaptedSeries& series : adapted) {
      h5::check(H5Dflush(series.tick), "flushing");
      h5::check(H5Dflush(series.value), "flushing");
    }
    for (const Column& c : segments) h5::check(H5Dflush(c.dataset), "flushing");
    for (const h5::Handle& events_column : event_columns) h5::check(H5Dflush(events_column), "flushing");
  }

  void flush() {
    writeRows();
    writeSegments();
    writeEvents();
    flushDatasets();
    flushed_rows = rows;
  }

  /// True if all held data can be written after the reserved space is released. It does not flush the file, which
  /// writes the superblock even if the rest failed.
  bool flushable() {
    try {
      flushDatasets();
      held.check();
      return true;
    } catch (const DeviceError&) {
      return false;
    }
  }

  /// Runs one step. The first failure is stored with the file name and ends all writing.
  template <typename Step>
  void guarded(Step&& step) {
    h5::prepare();
    if (!failure.empty()) throw DeviceError(failure);
    try {
      step();
      held.check();
    } catch (const std::bad_alloc&) {
      fail("not enough memory");
    } catch (const std::exception& error) {
      fail(error.what());
    }
  }
  [[noreturn]] void fail(const char* why) {
    failure.assign(path.native()).append(": ").append(why);  // uses reserved memory: memory may be exhausted
    throw DeviceError(failure);
  }

  void closeDatasets() {
    columns.clear();
    adapted.clear();
    segments.clear();
    for (h5::Handle& events_column : event_columns) events_column = h5::Handle();
  }

  /// Leaves SWMR; false: the disk contains the state of a killed writer.
  bool closeFile() {
    closeDatasets();
    try {
      held.closeHdf5(std::move(file));
      return true;
    } catch (const DeviceError& error) {
      if (failure.empty()) failure = path.string() + ": " + error.what();
      return false;
    }
  }

  /// Repairs a copy of the file on the disk, and replaces the file with it at its current place. The file itself is not
  /// touched before: a second failed write must not damage it.
  void finishCopy(const Finish& finish) {
    const std::filesystem::path place = held.path();
    if (place.empty()) throw DeviceError("it was deleted");
    FileInMaking copy(place, ".closing");
    copy.copyFrom(held);
    releaseFromSwmr(copy.held());
    try {
      finishRunFile(copy.held(), finish);
    } catch (const SealError&) {
      copy.replace(held);
      throw;
    }
    copy.replace(held);
  }

  void close(const RunFileEnd& end) {
    Finish finish{.end = end, .max_rows = rows, .recovered = false, .digests = {}};
    bool sound = true;
    if (failure.empty()) {
      try {
        guarded([this] { flush(); });
      } catch (const DeviceError&) {
      }
    }
    held.releaseRoom();
    if (failure.empty()) {
      finish.max_rows = rows;
      for (Column& c : columns)
        if (!c.digest.empty()) finish.digests.emplace_back(c.digest, c.sha.hex());
    } else {
      sound = !held.givenUp() && flushable();
    }
    sound = closeFile() && sound;
    if (!failure.empty()) {
      finish.max_rows = flushed_rows;
      finish.end = {false, false, failure, end.black_box_rows, EndReason::recorder_failed, end.rows_lost};
      finish.digests.clear();
    }
    try {
      if (sound)
        finishRunFile(held, finish);
      else
        finishCopy(finish);
    } catch (const SealError& error) {
      if (failure.empty()) failure = path.string() + ": " + error.what();
    } catch (const std::exception& error) {
      if (failure.empty()) failure = path.string();
      throw DeviceError(failure + ": the file could not be closed (" + error.what() +
                        "); free disk space or repair the disk, then recover the file");
    }
    if (!failure.empty()) throw DeviceError(failure);
  }
};

RunFileWriter::RunFileWriter(const std::filesystem::path& file, const RunFileHeader& header, const RowLayout& layout,
                             const EventNames& names, std::size_t chunk_rows)
    : impl_(std::make_unique<Impl>(file, layout, names, chunk_rows)) {
  h5::holdWriterMark(impl_->held.descriptor());
  try {
    impl_->guarded([&] { impl_->create(header, layout); });
  } catch (...) {
    impl_->held.remove();
    throw;
  }
}

RunFileWriter::~RunFileWriter() {
  if (impl_->closed) return;
  try {
    close({false, false, "the program ended before the run did"});
  } catch (const DeviceError&) {  // no receiver for the message
  }
}

void RunFileWriter::append(std::span<const double> rows) {
  impl_->guarded([&] { impl_->append(rows); });
}
void RunFileWriter::append(const Event& event) {
  impl_->guarded([&] {
    impl_->events.push_back(event);
    if (impl_->events.size() >= kEventBatch) impl_->writeEvents();
  });
}
void RunFileWriter::appendSegments(std::span<const double> rows) {
  impl_->guarded([&] {
    std::vector<Column>& segments = impl_->segments;
    for (std::size_t first = 0; first + segments.size() <= rows.size(); first += segments.size())
      for (Column& c : segments) c.values.push_back(rows[first + c.source]);
  });
}
void RunFileWriter::setRealtime(const RealtimeOutcome& outcome) {
  impl_->guarded([&] {
    h5::replaceText(impl_->file, "realtime", outcome.summary);
    h5::replaceText(impl_->file, "pace", name(outcome.state));
  });
}
void RunFileWriter::flush() {
  impl_->guarded([&] { impl_->flush(); });
}
std::optional<PlaceNotice> RunFileWriter::look() {
  const std::optional<FilePlace> place = impl_->held.look();
  if (!place) return std::nullopt;
  const std::string file = "The run file " + impl_->path.filename().string();
  if (place->state == FilePlace::State::deleted)
    return PlaceNotice{Severity::fault, file +
                                            " was deleted during the test; its rows will be lost. Stop the test "
                                            "and start it again."};
  return PlaceNotice{Severity::warning,
                     file + " was moved during the test" +
                         (place->path.empty() ? ". Its new place was not found" : " to " + place->path.string()) +
                         ". Recording continues there."};
}
std::filesystem::path RunFileWriter::path() const { return impl_->held.path(); }
std::filesystem::path RunFileWriter::alias() const { return impl_->held.alias(); }
void RunFileWriter::sync() {
  try {
    impl_->held.sync();
  } catch (const DeviceError& error) {
    throw DeviceError(impl_->path.string() + ": " + error.what());
  }
}
void RunFileWriter::remove() noexcept { impl_->held.remove(); }
std::uint64_t RunFileWriter::rows() const noexcept { return impl_->rows + impl_->buffered; }
std::uint64_t RunFileWriter::bytes() const noexcept { return rows() * impl_->width * sizeof(double); }
void RunFileWriter::close(const RunFileEnd& end) {
  if (std::exchange(impl_->closed, true)) return;
  h5::prepare();
  impl_->close(end);
}

}  // namespace hyb
