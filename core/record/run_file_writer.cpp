#include "core/record/run_file_writer.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

#include "core/record/finish.h"
#include "core/record/hdf5.h"
#include "core/record/sha256.h"

namespace hyb {

namespace {

constexpr std::size_t kReason = 256;  // bytes of attributes that change later
constexpr std::size_t kMessage = 160;
constexpr std::size_t kSideChunk = 64;  // events and adapted parameters are few
constexpr std::uint64_t kMetadataRoom = 1 << 20;

std::string localTime() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S%z", &local);
  std::string zoned = text.data();
  zoned.insert(zoned.size() - 2, ":");  // +0100 -> +01:00
  return zoned;
}

/// JSON with everything beyond ASCII escaped: still the same document, and no reader stumbles over it.
std::string asciiJson(const std::string& text) {
  using Json = nlohmann::ordered_json;
  try {
    return Json::parse(text).dump(2, ' ', true, Json::error_handler_t::replace);
  } catch (const Json::parse_error& error) {
    throw InputError("", std::string("the project to record is not JSON: ") + error.what());
  }
}

struct Description {
  std::string units, long_name, description;
};
void describe(hid_t dataset, const Description& words) {
  h5::setText(dataset, "units", words.units);
  h5::setText(dataset, "long_name", words.long_name);
  h5::setText(dataset, "description", words.description);
}
std::string labelled(std::string name, const std::string& units) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return units.empty() ? name : name + " (" + units + ")";
}

/// A file without a name that keeps room on the disk, given back when the disk is full so that the run file can be
/// closed.
int makeBallast(const std::filesystem::path& file, std::uint64_t bytes) {
  const std::string name = file.string() + ".reserve";
  const int descriptor = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return -1;
  unlink(name.c_str());
  if (posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

/// Creates the file, or says in the system's words why not.
int createExclusively(const std::filesystem::path& file) {
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor >= 0) return descriptor;
  const int why = errno;
  if (why == EEXIST)
    throw DeviceError(file.string() + ": exists already and is not overwritten; choose another name or move it away");
  throw DeviceError(file.string() + ": cannot be created: " + std::strerror(why) +
                    "; choose a folder that exists and can be written");
}

/// One growing dataset. Values are held until a block is whole or a flush is due.
struct Column {
  enum class Type { f64, u64, u32, i64 } type = Type::f64;
  std::size_t source = 0;  // column of the row
  std::string digest;      // name under /analysis/sha256; empty: none
  h5::Handle dataset;
  std::vector<double> values;
  Sha256 sha;
};

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
hid_t fileType(Column::Type type) {
  switch (type) {
    case Column::Type::u64:
      return H5T_STD_U64LE;
    case Column::Type::u32:
      return H5T_STD_U32LE;
    case Column::Type::i64:
      return H5T_STD_I64LE;
    case Column::Type::f64:
      break;
  }
  return H5T_IEEE_F64LE;
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

/// Parameter that a compensator adapts: only its changes are kept.
struct AdaptedSeries {
  std::size_t source = 0;
  h5::Handle tick, value;
  std::vector<std::uint64_t> ticks;
  std::vector<double> values;
  double last = std::numeric_limits<double>::signaling_NaN();  // like no value that will come
  hsize_t written = 0;
};

void appendTo(hid_t dataset, hid_t type, hsize_t first, hsize_t count, const void* data) {
  const hsize_t length = first + count;
  h5::check(H5Dset_extent(dataset, &length), "extending a dataset");
  const h5::Handle space = h5::own(H5Dget_space(dataset), "writing rows");
  h5::check(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &count, nullptr), "writing rows");
  const h5::Handle memory = h5::own(H5Screate_simple(1, &count, nullptr), "writing rows");
  h5::check(H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, data), "writing rows");
}

}  // namespace

struct RunFileWriter::Impl {
  std::filesystem::path path;
  std::size_t width, chunk_rows;
  EventNames names;
  h5::Handle file;
  int mark = -1, ballast = -1;
  std::vector<Column> columns;
  std::vector<AdaptedSeries> adapted;
  std::array<h5::Handle, 4> event_columns;  // tick, code, severity, message
  h5::Handle message_type;
  std::vector<Event> events;
  std::vector<char> scratch;
  std::uint64_t rows = 0, buffered = 0, flushed_rows = 0, written_events = 0;
  std::string failure;
  bool closed = false;

  Impl(const std::filesystem::path& file_path, const RowLayout& layout, const EventNames& event_names,
       std::size_t rows_per_chunk)
      : path(file_path), width(layout.width()), chunk_rows(rows_per_chunk), names(event_names) {}
  ~Impl() {
    releaseBallast();
    if (mark >= 0) ::close(mark);
  }

  std::uint64_t blockBytes() const noexcept { return std::uint64_t{chunk_rows} * width * sizeof(double); }
  void releaseBallast() noexcept {
    if (ballast >= 0) ::close(ballast);
    ballast = -1;
  }

  h5::Handle group(const char* name, const char* nexus_class) {
    h5::Handle id = h5::own(H5Gcreate2(file, name, H5P_DEFAULT, h5::creation(H5P_GROUP_CREATE), H5P_DEFAULT), name);
    h5::setText(id, "NX_class", nexus_class);
    return id;
  }
  h5::Handle series(hid_t parent, const std::string& name, hid_t type, std::size_t chunk, const Description& words) {
    const hsize_t none = 0, unlimited = H5S_UNLIMITED, length = chunk;
    const h5::Handle list = h5::creation(H5P_DATASET_CREATE);
    h5::check(H5Pset_chunk(list, 1, &length), name);
    if (H5Tget_class(type) == H5T_FLOAT) {
      const double nan = std::numeric_limits<double>::quiet_NaN();
      h5::check(H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &nan), name);
    }
    h5::Handle id =
        h5::own(H5Dcreate2(parent, name.c_str(), type, h5::own(H5Screate_simple(1, &none, &unlimited), name),
                           H5P_DEFAULT, list, H5P_DEFAULT),
                name);
    describe(id, words);
    return id;
  }
  Column& column(hid_t parent, const std::string& name, Column::Type type, std::size_t source, const Description& words,
                 bool hashed) {
    Column made;
    made.type = type;
    made.source = source;
    if (hashed) made.digest = name;
    made.dataset = series(parent, name, fileType(type), chunk_rows, words);
    made.values.reserve(chunk_rows);
    return columns.emplace_back(std::move(made));
  }

  void createRoot(const RunFileHeader& header, const std::string& started_at) {
    utsname machine{};
    uname(&machine);
    h5::setText(file, "NX_class", "NXroot");
    h5::setText(file, "default", "acquisition");
    h5::setText(file, "format", "hybridbench-run");
    h5::setNumber<std::int32_t>(file, "version", 1);
    h5::setText(file, "software_version", HYB_VERSION);
    h5::setText(file, "started_at", started_at);
    h5::setText(file, "host", machine.nodename);
    h5::setText(file, "kernel", std::string(machine.sysname) + " " + machine.release + " " + machine.version);
    h5::setText(file, "operator", header.operator_name);
    h5::setText(file, "title", header.title);
    h5::setText(file, "uuid",
                header.uuid.empty() ? boost::uuids::to_string(boost::uuids::random_generator()()) : header.uuid);
    h5::setNumber<double>(file, "rate_hz", header.rate_hz);
    h5::setText(file, "realtime", header.realtime, kReason);
    h5::setNumber<std::uint8_t>(file, "complete", 0);
    h5::setNumber<std::uint8_t>(file, "valid", 0);
    h5::setNumber<std::uint8_t>(file, "recovered", 0);
    h5::setText(file, "stop_reason", "running", kReason);
  }

  void createConfig(const RunFileHeader& header) {
    const h5::Handle config = group("config", "NXcollection");
    {
      const std::string text = asciiJson(header.project_json);
      const h5::Handle type = h5::stringType(text.size() + 1, H5T_CSET_ASCII);
      const h5::Handle project = h5::own(H5Dcreate2(config, "project", type, h5::own(H5Screate(H5S_SCALAR), "project"),
                                                    H5P_DEFAULT, h5::creation(H5P_DATASET_CREATE), H5P_DEFAULT),
                                         "project");
      h5::check(H5Dwrite(project, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()), "project");
      describe(project, {"", "project", "the project of this run, with the duration and seed that were in force"});
      h5::setText(project, "media_type", "application/json");
    }
    const h5::Handle matrices = group("config/matrices", "NXcollection");
    for (const RunFileHeader::Matrix& matrix : header.matrices) {
      const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> value = matrix.value;
      const std::array<hsize_t, 2> shape = {static_cast<hsize_t>(value.rows()), static_cast<hsize_t>(value.cols())};
      const h5::Handle set = h5::own(H5Dcreate2(matrices, matrix.name.c_str(), H5T_IEEE_F64LE,
                                                h5::own(H5Screate_simple(2, shape.data(), nullptr), matrix.name),
                                                H5P_DEFAULT, h5::creation(H5P_DATASET_CREATE), H5P_DEFAULT),
                                     matrix.name);
      if (value.size() > 0)
        h5::check(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()), matrix.name);
      describe(set, {matrix.units, labelled(matrix.name, matrix.units), matrix.description});
    }
    const h5::Handle designsafe = group("config/designsafe", "NXcollection");
    for (const auto& [name, text] : header.designsafe) h5::setText(designsafe, name.c_str(), text);
  }

  void createAcquisition(const RowLayout& layout, const std::string& started_at) {
    const h5::Handle acquisition = group("acquisition", "NXdata");
    h5::setText(acquisition, "signal", "gap_1");
    h5::setList(acquisition, "axes", {"time"});
    std::vector<std::string> others;
    for (std::size_t i = 2; i <= layout.interfaces(); ++i) others.push_back("gap_" + std::to_string(i));
    if (!others.empty()) h5::setList(acquisition, "auxiliary_signals", others);
    const Column& time = column(acquisition, "time", Column::Type::f64, RowLayout::kTime,
                                {"s", "time (s)", "since the first tick"}, true);
    h5::setText(time.dataset, "start", started_at);
    column(acquisition, "tick", Column::Type::u64, RowLayout::kTick,
           {"", "tick", "periods since the loop started; a gap in the sequence = missed ticks"}, true);
    const Column& flags = column(acquisition, "flags", Column::Type::u32, RowLayout::kFlags,
                                 {"", "flags", "sum of the masks in flag_masks that hold for the row"}, true);
    std::vector<std::uint32_t> masks;
    std::string meanings;
    for (const RowFlagName& flag : rowFlagNames()) {
      masks.push_back(flag.mask);
      meanings += (meanings.empty() ? "" : " ") + std::string(flag.name);
    }
    h5::setArray(flags.dataset, "flag_masks", H5T_NATIVE_UINT32, masks.data(), masks.size(), false);
    h5::setText(flags.dataset, "flag_meanings", meanings);
    for (std::size_t c = 0; c < layout.channels().size(); ++c) {
      const Channel& channel = layout.channels()[c];
      const Column& made = column(acquisition, channel.name, Column::Type::f64, RowLayout::kFirstChannel + c,
                                  {channel.units, labelled(channel.name, channel.units), channel.description}, true);
      if (channel.interface > 0) h5::setNumber<std::int32_t>(made.dataset, "interface", channel.interface);
    }
  }

  void createSideGroups(const RowLayout& layout) {
    const h5::Handle adaptation = group("adaptation", "NXcollection");
    for (std::size_t a = 0; a < layout.adapted().size(); ++a) {
      const Adapted& quantity = layout.adapted()[a];
      const h5::Handle own_group = group(("adaptation/" + quantity.name).c_str(), "NXdata");
      h5::setText(own_group, "signal", "value");
      h5::setList(own_group, "axes", {"tick"});
      AdaptedSeries& made = adapted.emplace_back();
      made.source = layout.adaptedColumn(a);
      made.tick = series(own_group, "tick", H5T_STD_U64LE, 1024, {"", "tick", "tick from which the value holds"});
      made.value = series(own_group, "value", H5T_IEEE_F64LE, 1024,
                          {quantity.units, labelled(quantity.name, quantity.units), quantity.description});
    }
    const h5::Handle timing = group("timing", "NXcollection");
    h5::setNumber(timing, "late_ticks", std::uint64_t{0});  // both filled in at the end
    h5::setNumber(timing, "late_ticks_percent", 0.0);
    column(timing, "wake_late_ns", Column::Type::i64, RowLayout::kWakeLate,
           {"ns", "wake late (ns)", "how much later than planned the loop woke"}, false);
    column(timing, "compute_ns", Column::Type::i64, RowLayout::kCompute,
           {"ns", "compute (ns)", "time the tick spent computing"}, false);
    column(timing, "io_ns", Column::Type::i64, RowLayout::kIo,
           {"ns", "io (ns)", "time the tick spent reading from and writing to the rig"}, false);

    const h5::Handle group_events = group("events", "NXcollection");
    event_columns[0] = series(group_events, "tick", H5T_STD_U64LE, kSideChunk, {"", "tick", "tick of the event"});
    event_columns[1] = series(group_events, "code", H5T_STD_I32LE, kSideChunk,
                              {"", "code", "kind of event: code_names lists the names of code_values"});
    std::vector<std::string> code_names;
    std::vector<std::int32_t> codes;
    for (const auto& [code, name] : eventCodeNames()) {
      codes.push_back(code);
      code_names.push_back(name);
    }
    h5::setList(event_columns[1], "code_names", code_names);
    h5::setArray(event_columns[1], "code_values", H5T_NATIVE_INT32, codes.data(), codes.size(), false);
    event_columns[2] = series(group_events, "severity", H5T_STD_U8LE, kSideChunk,
                              {"", "severity", "0 information, 1 warning, 2 fault"});
    message_type = h5::stringType(kMessage, H5T_CSET_ASCII);
    event_columns[3] = series(group_events, "message", message_type, kSideChunk,
                              {"", "message", "the event in words; the code is the contract"});

    const h5::Handle analysis = group("analysis", "NXprocess");
    h5::setText(analysis, "program", "HybridBench");
    h5::setText(analysis, "version", HYB_VERSION);
    const h5::Handle digests = group("analysis/sha256", "NXcollection");
    h5::setText(digests, "description", "SHA-256 of the raw bytes of each dataset in /acquisition");
    for (const Column& c : columns)
      if (!c.digest.empty()) h5::setText(digests, c.digest.c_str(), "", 65);
  }

  void create(const RunFileHeader& header, const RowLayout& layout) {
    const std::string started_at = header.started_at.empty() ? localTime() : header.started_at;
    file = h5::own(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, h5::creation(H5P_FILE_CREATE), h5::fileAccess()),
                   "cannot be created");
    createRoot(header, started_at);
    createConfig(header);
    createAcquisition(layout, started_at);
    createSideGroups(layout);
    h5::check(H5Fstart_swmr_write(file), "no reading while writing here");
    ballast = makeBallast(path, 2 * blockBytes() + kMetadataRoom);
  }

  void requireRoom() const {
    struct statvfs disk {};
    if (fstatvfs(mark, &disk) != 0) return;  // a file system that does not tell: the write itself will
    const std::uint64_t room = std::uint64_t{disk.f_bavail} * disk.f_frsize;
    if (room < blockBytes() + kMetadataRoom)
      throw DeviceError("disk nearly full: " + std::to_string(room >> 20) + " MB left");
  }

  void writeRows() {
    if (buffered == 0) return;
    requireRoom();
    for (Column& c : columns) {
      const void* data = c.values.data();
      std::size_t bytes = c.values.size() * sizeof(double);
      if (c.type == Column::Type::u64) data = convert<std::uint64_t>(c.values, scratch);
      if (c.type == Column::Type::i64) data = convert<std::int64_t>(c.values, scratch);
      if (c.type == Column::Type::u32) {
        data = convert<std::uint32_t>(c.values, scratch);
        bytes /= 2;
      }
      appendTo(c.dataset, nativeType(c.type), rows, c.values.size(), data);
      if (!c.digest.empty()) c.sha.update(data, bytes);
      c.values.clear();
    }
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
    std::vector<char> messages(count * kMessage, '\0');
    for (std::size_t e = 0; e < count; ++e) {
      ticks[e] = events[e].tick;
      codes[e] = static_cast<std::int32_t>(events[e].code);
      severities[e] = static_cast<std::uint8_t>(events[e].severity);
      const std::string words = message(events[e], names);
      std::copy(words.begin(), words.end(), messages.data() + e * kMessage);
    }
    appendTo(event_columns[0], H5T_NATIVE_UINT64, written_events, count, ticks.data());
    appendTo(event_columns[1], H5T_NATIVE_INT32, written_events, count, codes.data());
    appendTo(event_columns[2], H5T_NATIVE_UINT8, written_events, count, severities.data());
    appendTo(event_columns[3], message_type, written_events, count, messages.data());
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
          if (std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(series.last)) continue;  // NaN too
          series.last = value;
          series.ticks.push_back(static_cast<std::uint64_t>(block[r * width + RowLayout::kTick]));
          series.values.push_back(value);
        }
      buffered += take;
      if ((rows + buffered) % chunk_rows == 0) writeRows();
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
    for (const h5::Handle& events_column : event_columns) h5::check(H5Dflush(events_column), "flushing");
  }

  void flush() {
    writeRows();
    writeEvents();
    flushDatasets();
    flushed_rows = rows;
  }

  /// Whether everything held can be written now that the ballast is gone. Not by a flush of the file, which writes the
  /// superblock even where the rest failed.
  bool flushable() {
    try {
      flushDatasets();
      return true;
    } catch (const DeviceError&) {
      return false;
    }
  }

  /// Runs one step; the first failure names the file and ends all writing.
  template <typename Step>
  void guarded(Step&& step) {
    h5::prepare();
    if (!failure.empty()) throw DeviceError(failure);
    try {
      step();
    } catch (const DeviceError& error) {
      failure = path.string() + ": " + error.what();
      throw DeviceError(failure);
    }
  }

  void closeDatasets() {
    columns.clear();
    adapted.clear();
    for (h5::Handle& events_column : event_columns) events_column = h5::Handle();
  }
  /// Gives up handles that cannot be closed properly: the file then stands on the disk as a killed writer leaves it.
  void abandon() noexcept {
    for (Column& c : columns) c.dataset.release();
    for (AdaptedSeries& series : adapted) {
      series.tick.release();
      series.value.release();
    }
    for (h5::Handle& events_column : event_columns) events_column.release();
    file.release();
    closeDatasets();
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
    releaseBallast();
    if (failure.empty()) {
      finish.max_rows = rows;
      for (Column& c : columns)
        if (!c.digest.empty()) finish.digests.emplace_back(c.digest, c.sha.hex());
    } else {
      sound = flushable();
      finish.max_rows = flushed_rows;
      finish.end = {false, false, failure};
    }
    if (sound) {
      closeDatasets();
      sound = H5Fclose(file) >= 0;
      file.release();
      if (!sound && failure.empty()) failure = path.string() + ": cannot be closed: " + h5::errorText();
    }
    if (sound) {
      finishRunFile(path, finish);
    } else {
      abandon();
      finish.max_rows = flushed_rows;
      finish.end = {false, false, failure};
      finish.digests.clear();
      const std::filesystem::path copy = path.string() + ".closing";
      try {
        std::filesystem::copy_file(path, copy, std::filesystem::copy_options::overwrite_existing);
        releaseFromSwmr(copy);
        finishRunFile(copy, finish);
        std::filesystem::rename(copy, path);
      } catch (const std::exception& error) {
        std::error_code ignored;
        std::filesystem::remove(copy, ignored);
        throw DeviceError(failure + "; the file could not be closed either (" + error.what() +
                          "): make room, then recover it");
      }
    }
    if (!failure.empty()) throw DeviceError(failure);
  }
};

RunFileWriter::RunFileWriter(const std::filesystem::path& file, const RunFileHeader& header, const RowLayout& layout,
                             const EventNames& names, std::size_t chunk_rows)
    : impl_(std::make_unique<Impl>(file, layout, names, chunk_rows)) {
  impl_->mark = createExclusively(file);
  h5::holdWriterMark(impl_->mark);
  try {
    impl_->guarded([&] { impl_->create(header, layout); });
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    throw;
  }
}

RunFileWriter::~RunFileWriter() {
  if (impl_->closed) return;
  try {
    close({false, false, "the program ended before the run did"});
  } catch (const DeviceError&) {  // nobody left to tell
  }
}

void RunFileWriter::append(std::span<const double> rows) {
  impl_->guarded([&] { impl_->append(rows); });
}
void RunFileWriter::append(const Event& event) {
  impl_->guarded([&] {
    impl_->events.push_back(event);
    if (impl_->events.size() >= kSideChunk) impl_->writeEvents();
  });
}
void RunFileWriter::setRealtime(const std::string& summary) {
  impl_->guarded([&] { h5::replaceText(impl_->file, "realtime", summary); });
}
void RunFileWriter::flush() {
  impl_->guarded([&] { impl_->flush(); });
}
std::uint64_t RunFileWriter::rows() const noexcept { return impl_->rows + impl_->buffered; }
std::uint64_t RunFileWriter::bytes() const noexcept { return rows() * impl_->width * sizeof(double); }
void RunFileWriter::close(const RunFileEnd& end) {
  if (std::exchange(impl_->closed, true)) return;
  h5::prepare();
  impl_->close(end);
}

}  // namespace hyb
