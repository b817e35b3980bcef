#include "core/record/run_file_reader.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <sstream>
#include <stdexcept>

#include "core/base/error.h"
#include "core/record/hdf5.h"
#include "core/record/run_file_tree.h"

namespace hyb {

namespace {

constexpr hsize_t kSlice = (hsize_t{1} << 20) / sizeof(double);

/// Opens it plainly, else as a SWMR reader; the fault describes the file if both fail.
h5::Handle openRunFile(const std::filesystem::path& path, bool& live) {
  const std::string name = path.string();
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw DeviceError(name + ": no such file");
  if (!std::filesystem::is_regular_file(path, ignored)) throw DeviceError(name + ": not a file");
  const h5::Handle access = h5::fileAccess();
  live = false;
  h5::Handle file(H5Fopen(name.c_str(), H5F_ACC_RDONLY, access));
  if (file.valid()) return file;
  const std::string why = h5::errorText();
  live = true;
  // The library doubles its waiting time for each attempt at a wrong checksum: 24 attempts take 17 ms; its default of
  // 100 would never end on a damaged file.
  h5::check(H5Pset_metadata_read_attempts(access, 24), name);
  file = h5::Handle(H5Fopen(name.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access));
  if (file.valid()) return file;
  if (H5Fis_hdf5(name.c_str()) > 0)
    throw DeviceError(name + ": an HDF5 file that cannot be opened (" + why +
                      "); it is damaged, or its run was killed before the first row; it contains nothing to recover");
  throw DeviceError(name + ": not a run file (it is not HDF5)");
}

/// Files of older programs contain only the words.
Realtime paceOfOlder(const std::string& words) {
  return words == "free run"                ? Realtime::free_run
         : words == "granted"               ? Realtime::granted
         : words.starts_with("not granted") ? Realtime::refused
         : words.starts_with("replay")      ? Realtime::replay
                                            : Realtime::unknown;
}

}  // namespace

struct RunFileReader::Impl {
  std::filesystem::path path;
  RunFileInfo info;  // before the file: opening it determines `live`
  h5::Handle file;

  explicit Impl(const std::filesystem::path& file_path) : path(file_path), file(openRunFile(file_path, info.live)) {}

  template <typename Step>
  auto guarded(Step&& step) const {
    h5::prepare();
    try {
      return step();
    } catch (const DeviceError& error) {
      throw DeviceError(path.string() + ": " + error.what());
    } catch (const std::bad_alloc&) {
      throw DeviceError(path.string() + ": damaged, the stated size of a dataset exceeds the memory of this computer");
    } catch (const std::length_error&) {
      throw DeviceError(path.string() + ": damaged, the stated size of a dataset is impossible");
    }
  }

  h5::Handle dataset(const std::string& name) const {
    h5::Handle id = h5::own(H5Dopen2(file, name.c_str(), H5P_DEFAULT), "no dataset " + name);
    if (info.live) h5::check(H5Drefresh(id), name);
    return id;
  }

  void load() {
    if (h5::text(file, "format") != "hybridbench-run")
      throw DeviceError("an HDF5 file, but not a run file of HybridBench (attribute format)");
    if (const std::string version = h5::text(file, "version"); version != "1")
      throw DeviceError("run file of version " + version + ", this program reads version 1; use a newer HybridBench");
    info.title = h5::text(file, "title");
    info.operator_name = h5::text(file, "operator");
    info.started_at = h5::text(file, "started_at");
    info.software_version = h5::text(file, "software_version");
    info.host = h5::text(file, "host");
    info.kernel = h5::text(file, "kernel");
    info.uuid = h5::text(file, "uuid");
    info.realtime = h5::text(file, "realtime");
    info.pace = realtimeNamed(h5::text(file, "pace"));
    if (info.pace == Realtime::unknown) info.pace = paceOfOlder(info.realtime);
    info.stop_reason = h5::text(file, "stop_reason");
    info.rate_hz = std::strtod(h5::text(file, "rate_hz").c_str(), nullptr);
    info.complete = h5::text(file, "complete") == "1";
    info.valid = h5::text(file, "valid") == "1";
    info.recovered = h5::text(file, "recovered") == "1";
    info.acquisition =
        h5::children(h5::own(H5Gopen2(file, "acquisition", H5P_DEFAULT), "no group acquisition"), H5O_TYPE_DATASET);
    info.row_columns = rowColumns(file);
    info.adaptation =
        h5::children(h5::own(H5Gopen2(file, "adaptation", H5P_DEFAULT), "no group adaptation"), H5O_TYPE_GROUP);
    if (H5Lexists(file, "segments", H5P_DEFAULT) > 0)
      info.segments = h5::children(h5::own(H5Gopen2(file, "segments", H5P_DEFAULT), "segments"), H5O_TYPE_DATASET);
    info.begun_with_learnt = H5Lexists(file, "config/learnt", H5P_DEFAULT) > 0;
    info.event_numbers = H5Lexists(file, "events/index", H5P_DEFAULT) > 0;
    countRows();
    info.rows_lost = std::strtoull(h5::text(file, "rows_lost").c_str(), nullptr, 10);
    loadVerdict();
  }

  void loadVerdict() {
    Verdict& verdict = info.verdict;
    verdict.ended = endReasonNamed(h5::text(file, "ended"));
    // A file of a living program contains "running", and so does one of a killed program.
    if (info.live || info.recovered || verdict.ended == EndReason::running)
      verdict.ended = info.writing ? EndReason::running : EndReason::killed;
    else if (verdict.ended == EndReason::unknown)
      verdict.ended = info.complete ? EndReason::completed : endOfOlder();
    if (!info.live && H5Lexists(file, "analysis/face", H5P_DEFAULT) > 0) {
      const h5::Handle face = h5::own(H5Gopen2(file, "analysis/face", H5P_DEFAULT), "analysis/face");
      info.face = {gradeNamed(h5::text(face, "test")), h5::text(face, "sentence")};
    }
    const h5::Handle group(info.live || H5Lexists(file, "analysis/verdict", H5P_DEFAULT) <= 0
                               ? -1
                               : H5Gopen2(file, "analysis/verdict", H5P_DEFAULT));
    if (!group.valid()) {
      verdict.missing.clear();
      if (verdict.ended == EndReason::killed)
        verdict.missing = {"the last rows"};
      else if (!info.valid && verdict.ended != EndReason::running)
        verdict.missing = {info.stop_reason};
      verdict.reasons = {verdict.ended == EndReason::running  ? "The test is running."
                         : verdict.ended == EndReason::killed ? "The program that recorded it was killed."
                                                              : "The program that recorded it did not assess it."};
      return;
    }
    const auto parts = [&](const char* name, char separator) {
      std::vector<std::string> list;
      std::istringstream text(h5::text(group, name));
      for (std::string part; std::getline(text, part, separator);) list.push_back(part.substr(part.starts_with(' ')));
      return list;
    };
    verdict.test = gradeNamed(h5::text(group, "test"));
    verdict.reasons = parts("reasons", '\n');
    verdict.missing.clear();
    if (h5::text(group, "whole") != "1") verdict.missing = parts("data", ';');
  }

  /// From the last event that can have ended a test; files of older programs do not store the end.
  EndReason endOfOlder() const {
    const auto codes = numbers<std::int32_t>("events/code", 0, UINT64_MAX);
    const auto severities = numbers<std::uint8_t>("events/severity", 0, UINT64_MAX);
    for (std::size_t e = std::min(codes.size(), severities.size()); e-- > 0;)
      switch (static_cast<EventCode>(codes[e])) {
        case EventCode::end_of_test:
          return EndReason::completed;
        case EventCode::operator_stop:
          return EndReason::operator_stop;
        case EventCode::recorder_failed:
          return EndReason::recorder_failed;
        case EventCode::limit_hit:
          if (severities[e] == static_cast<std::uint8_t>(Severity::fault)) return EndReason::limit;
          break;
        default:
          break;
      }
    return EndReason::unknown;
  }

  void countRows() {
    info.writing = info.live && h5::writerAlive(path);
    info.rows = info.acquisition.empty() ? 0 : UINT64_MAX;
    for (const std::string& column : info.row_columns) info.rows = std::min(info.rows, h5::size(dataset(column)));
  }

  /// Calls take(first, count, memory space, file space) for slices of a one-dimensional dataset.
  template <typename Take>
  void slices(hid_t id, hsize_t first, hsize_t count, Take&& take) const {
    const h5::Handle space = h5::own(H5Dget_space(id), "size of a dataset");
    for (hsize_t done = 0; done < count;) {
      const hsize_t length = std::min(kSlice, count - done), start = first + done;
      h5::check(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, nullptr, &length, nullptr), "reading rows");
      const h5::Handle memory = h5::own(H5Screate_simple(1, &length, nullptr), "reading rows");
      take(done, memory, space);
      done += length;
    }
  }

  template <typename T>
  std::vector<T> numbers(const std::string& name, std::uint64_t first, std::uint64_t count) const {
    const h5::Handle id = dataset(name);
    const h5::Handle type = h5::own(H5Dget_type(id), name);
    const h5::Handle space = h5::own(H5Dget_space(id), name);
    if (const H5T_class_t kind = H5Tget_class(type); kind != H5T_FLOAT && kind != H5T_INTEGER)
      throw DeviceError("dataset " + name + " holds no numbers");
    const std::uint64_t total = h5::size(id);
    first = std::min(first, total);
    count = std::min(count, total - first);
    std::vector<T> values(static_cast<std::size_t>(count));
    if (H5Sget_simple_extent_ndims(space) != 1) {
      values.resize(static_cast<std::size_t>(total));  // a matrix is read as a whole
      if (total > 0) h5::check(H5Dread(id, h5::memoryType<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), name);
      return values;
    }
    slices(id, first, count, [&](hsize_t done, hid_t memory, hid_t selection) {
      h5::check(H5Dread(id, h5::memoryType<T>(), memory, selection, H5P_DEFAULT, values.data() + done), name);
    });
    return values;
  }

  std::vector<std::string> strings(const std::string& name) const {
    const h5::Handle id = dataset(name);
    const h5::Handle type = h5::own(H5Dget_type(id), name);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0)
      throw DeviceError("dataset " + name + " holds no text of fixed length");
    const std::size_t width = H5Tget_size(type), total = static_cast<std::size_t>(h5::size(id));
    if (total > 0 && width > (std::size_t{1} << 40) / total) throw std::length_error("text");
    std::string bytes(width * total, '\0');
    if (total > 0) h5::check(H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), name);
    std::vector<std::string> list;
    for (std::size_t i = 0; i < total; ++i)
      list.emplace_back(bytes.data() + i * width, strnlen(bytes.data() + i * width, width));
    return list;
  }
};

RunFileReader::RunFileReader(const std::filesystem::path& file) {
  h5::prepare();
  impl_ = std::make_unique<Impl>(file);
  impl_->guarded([&] { impl_->load(); });
}
RunFileReader::~RunFileReader() = default;

const RunFileInfo& RunFileReader::info() const noexcept { return impl_->info; }

void RunFileReader::refresh() {
  impl_->guarded([&] { impl_->countRows(); });
}

std::string RunFileReader::projectJson() const {
  return impl_->guarded([&] {
    const std::vector<std::string> text = impl_->strings("config/project");
    return text.empty() ? std::string() : text.front();
  });
}

std::vector<double> RunFileReader::read(const std::string& dataset, std::uint64_t first, std::uint64_t count) const {
  return impl_->guarded([&] { return impl_->numbers<double>(dataset, first, count); });
}

std::string RunFileReader::attribute(const std::string& object, const std::string& name) const {
  return impl_->guarded([&]() -> std::string {
    const h5::Handle id(H5Oopen(impl_->file, object.c_str(), H5P_DEFAULT));
    return id.valid() ? h5::text(id, name) : std::string();
  });
}

std::vector<RecordedEvent> RunFileReader::events() const {
  return impl_->guarded([&] {
    const auto ticks = impl_->numbers<std::uint64_t>("events/tick", 0, UINT64_MAX);
    const auto codes = impl_->numbers<std::int32_t>("events/code", 0, UINT64_MAX);
    const auto severities = impl_->numbers<std::uint8_t>("events/severity", 0, UINT64_MAX);
    const std::vector<std::string> messages = impl_->strings("events/message");
    const std::size_t count = std::min({ticks.size(), codes.size(), severities.size(), messages.size()});
    std::vector<RecordedEvent> list;
    for (std::size_t e = 0; e < count; ++e) list.push_back({ticks[e], codes[e], severities[e], messages[e]});
    if (!impl_->info.event_numbers) return list;
    const auto indices = impl_->numbers<std::int32_t>("events/index", 0, UINT64_MAX);
    const auto values = impl_->numbers<double>("events/value", 0, UINT64_MAX);
    list.resize(std::min({count, indices.size(), values.size()}));
    for (std::size_t e = 0; e < list.size(); ++e) {
      list[e].index = indices[e];
      list[e].value = values[e];
    }
    return list;
  });
}

}  // namespace hyb
