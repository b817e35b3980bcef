#include "core/record/run_file_tree.h"

#include <sys/utsname.h>

#include <algorithm>
#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <ctime>
#include <nlohmann/json.hpp>

#include "core/base/numbers.h"
#include "core/base/version.h"
#include "core/loop/trials.h"
#include "core/record/seal.h"

namespace hyb {
namespace {

constexpr std::size_t kReason = 256;    // bytes of attributes that change later
constexpr std::size_t kWord = 32;       // bytes of attributes that change later
constexpr hsize_t kMemoryPage = 4096;   // bytes that the system writes at once
constexpr std::size_t kSideChunk = 64;  // for events and adapted parameters, which are few

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

/// JSON with non-ASCII characters escaped: the same document, readable by all programs.
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
void describeChannel(hid_t dataset, const Channel& channel) {
  if (channel.interface > 0) h5::setNumber<std::int32_t>(dataset, "interface", channel.interface);
  if (!channel.title.empty()) h5::setText(dataset, "title", channel.title);
  if (!channel.group.empty()) h5::setText(dataset, "group", channel.group);
  h5::setText(dataset, "role", std::string(name(channel.role)));
  if (channel.kind) h5::setText(dataset, "kind", std::string(facts(*channel.kind).name));
}
std::string labelled(std::string name, const std::string& units) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return units.empty() ? name : name + " (" + units + ")";
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

h5::Handle createGroup(hid_t file, const char* name, const char* nexus_class) {
  h5::Handle id = h5::own(H5Gcreate2(file, name, H5P_DEFAULT, h5::creation(H5P_GROUP_CREATE), H5P_DEFAULT), name);
  h5::setText(id, "NX_class", nexus_class);
  return id;
}

struct Builder : RunFileTree {
  explicit Builder(std::size_t rows_per_chunk) : chunk_rows(rows_per_chunk) {}
  std::size_t chunk_rows;

  h5::Handle group(const char* name, const char* nexus_class) { return createGroup(file, name, nexus_class); }
  h5::Handle series(hid_t parent, const std::string& name, hid_t type, std::size_t chunk, const Description& words) {
    const hsize_t none = 0, unlimited = H5S_UNLIMITED, length = chunk;
    const h5::Handle list = h5::creation(H5P_DATASET_CREATE);
    h5::check(H5Pset_chunk(list, 1, &length), name);
    if (H5Tget_class(type) == H5T_FLOAT) {
      const double nan = kNoValue;
      h5::check(H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &nan), name);
    }
    h5::Handle id =
        h5::own(H5Dcreate2(parent, name.c_str(), type, h5::own(H5Screate_simple(1, &none, &unlimited), name),
                           H5P_DEFAULT, list, H5P_DEFAULT),
                name);
    describe(id, words);
    return id;
  }
  Column makeColumn(hid_t parent, const std::string& name, Column::Type type, std::size_t source, std::size_t chunk,
                    const Description& words) {
    Column made;
    made.type = type;
    made.source = source;
    made.dataset = series(parent, name, fileType(type), chunk, words);
    made.values.reserve(chunk);
    return made;
  }
  /// A column of every row. Its label is its name without "_ns" and its unit.
  Column& column(hid_t parent, Column::Type type, const RowLayout& layout, std::size_t source) {
    const Channel& channel = layout.column(source);
    const bool timing = channel.role == ColumnRole::timing;
    const std::string words = timing ? channel.name.substr(0, channel.name.rfind('_')) : channel.name;
    Column& made =
        columns.emplace_back(makeColumn(parent, channel.name, type, source, chunk_rows,
                                        {channel.units, labelled(words, channel.units), channel.description}));
    describeChannel(made.dataset, channel);
    if (!timing) made.digest = channel.name;
    return made;
  }

  void createRoot(const RunFileHeader& header, const std::string& started_at) {
    utsname machine{};
    uname(&machine);
    h5::setText(file, "NX_class", "NXroot");
    h5::setText(file, "default", "acquisition");
    h5::setText(file, "format", "hybridbench-run");
    h5::setNumber<std::int32_t>(file, "version", 1);
    h5::setText(file, "software_version", programVersion());
    h5::setText(file, "started_at", started_at);
    h5::setText(file, "host", machine.nodename);
    h5::setText(file, "kernel", std::string(machine.sysname) + " " + machine.release + " " + machine.version);
    h5::setText(file, "operator", header.operator_name);
    h5::setText(file, "title", header.title);
    h5::setText(file, "uuid",
                header.uuid.empty() ? boost::uuids::to_string(boost::uuids::random_generator()()) : header.uuid);
    h5::setNumber<double>(file, "rate_hz", header.rate_hz);
    h5::setText(file, "realtime", header.realtime.summary, kReason);
    h5::setText(file, "pace", name(header.realtime.state), kWord);
    h5::setNumber<std::uint8_t>(file, "complete", 0);
    h5::setNumber<std::uint8_t>(file, "valid", 0);
    h5::setNumber<std::uint8_t>(file, "recovered", 0);
    h5::setNumber<std::uint8_t>(file, kSealedAttribute, 0);
    h5::setText(file, "ended", name(EndReason::running), kWord);
    h5::setNumber<std::uint64_t>(file, "rows_lost", 0);
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
    for (const auto& [name, text] : header.used) h5::setText(config, name.c_str(), text);
    if (const hsize_t count = header.begun_with.size(); count > 0) {
      const h5::Handle learnt =
          h5::own(H5Dcreate2(config, "learnt", H5T_IEEE_F64LE, h5::own(H5Screate_simple(1, &count, nullptr), "learnt"),
                             H5P_DEFAULT, h5::creation(H5P_DATASET_CREATE), H5P_DEFAULT),
                  "learnt");
      h5::check(H5Dwrite(learnt, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, header.begun_with.data()), "learnt");
      describe(learnt, {"", "learnt", "numbers that the compensation had learnt before this run, in its own order"});
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
    const Column& time = column(acquisition, Column::Type::f64, layout, RowLayout::kTime);
    h5::setText(time.dataset, "start", started_at);
    column(acquisition, Column::Type::u64, layout, RowLayout::kTick);
    const Column& flags = column(acquisition, Column::Type::u32, layout, RowLayout::kFlags);
    std::vector<std::uint32_t> masks;
    std::string meanings;
    for (const RowFlagName& flag : rowFlagNames()) {
      masks.push_back(flag.mask);
      meanings += (meanings.empty() ? "" : " ") + std::string(flag.name);
    }
    h5::setArray(flags.dataset, "flag_masks", H5T_NATIVE_UINT32, masks.data(), masks.size(), false);
    h5::setText(flags.dataset, "flag_meanings", meanings);
    for (std::size_t c = 0; c < layout.channels().size(); ++c)
      column(acquisition, Column::Type::f64, layout, RowLayout::kFirstChannel + c);
  }

  void createSideGroups(const RowLayout& layout) {
    const h5::Handle adaptation = group("adaptation", "NXcollection");
    for (std::size_t a = 0; a < layout.adapted().size(); ++a) {
      const Channel& quantity = layout.column(layout.adaptedColumn(a));
      const h5::Handle own_group = group(("adaptation/" + quantity.name).c_str(), "NXdata");
      h5::setText(own_group, "signal", "value");
      h5::setList(own_group, "axes", {"tick"});
      AdaptedSeries& made = adapted.emplace_back();
      made.source = layout.adaptedColumn(a);
      made.tick = series(own_group, "tick", H5T_STD_U64LE, 1024, {"", "tick", "tick from which the value holds"});
      made.value = series(own_group, "value", H5T_IEEE_F64LE, 1024,
                          {quantity.units, labelled(quantity.name, quantity.units), quantity.description});
      describeChannel(made.value, quantity);
    }
    const h5::Handle timing = group("timing", "NXcollection");
    h5::setNumber(timing, "late_ticks", std::uint64_t{0});  // both are set at the end
    h5::setNumber(timing, "late_ticks_percent", 0.0);
    for (const std::size_t source : {RowLayout::kWakeLate, RowLayout::kCompute, RowLayout::kIo})
      column(timing, Column::Type::i64, layout, source);

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
    message_type = h5::stringType(kEventMessageBytes, H5T_CSET_ASCII);
    event_columns[3] = series(group_events, "message", message_type, kSideChunk,
                              {"", "message", "the event in words; the code is the contract"});
    event_columns[4] = series(group_events, "index", H5T_STD_I32LE, kSideChunk,
                              {"", "index",
                               "what the event is about: number of the new state, limit or parameter, "
                               "from 0; of a stop 0 by ramp, 1 at once; -1 for none"});
    event_columns[5] = series(group_events, "value", H5T_IEEE_F64LE, kSideChunk,
                              {"", "value", "value that was reached or set, in the SI unit of what it is about"});

    createSegments(layout);
    std::vector<std::string> hashed;
    for (const Column& c : columns)
      if (!c.digest.empty()) hashed.push_back(c.digest);
    createAnalysis(file, hashed);
  }

  void createSegments(const RowLayout& layout) {
    const std::vector<Channel>& kept = layout.segmentColumns();
    if (kept.empty()) return;
    const h5::Handle own_group = group("segments", "NXdata");
    h5::setText(own_group, "signal", layout.segments().signal);
    h5::setList(own_group, "axes", {layout.segments().axis});
    for (std::size_t c = 0; c < kept.size(); ++c) {
      const Column::Type type = c < kWholeSegmentColumns ? Column::Type::u64 : Column::Type::f64;
      segments.push_back(makeColumn(own_group, kept[c].name, type, c, kSideChunk,
                                    {kept[c].units, labelled(kept[c].name, kept[c].units), kept[c].description}));
      if (kept[c].interface > 0) h5::setNumber<std::int32_t>(segments.back().dataset, "interface", kept[c].interface);
    }
  }

  void create(const h5::HeldFile& held, const RunFileHeader& header, const RowLayout& layout) {
    const std::string started_at = header.started_at.empty() ? localTime() : header.started_at;
    const h5::Handle creation = h5::creation(H5P_FILE_CREATE);
    // A kill interrupts a write between two memory pages of the system. Structures with the library's own checksums, in
    // particular the index of the chunks, then lie in one page each: they are written completely or not at all.
    h5::check(H5Pset_file_space_strategy(creation, H5F_FSPACE_STRATEGY_PAGE, false, 1), "pages of the file");
    h5::check(H5Pset_file_space_page_size(creation, kMemoryPage), "pages of the file");
    file = held.makeHdf5(creation);
    createRoot(header, started_at);
    createConfig(header);
    createAcquisition(layout, started_at);
    createSideGroups(layout);
    h5::check(H5Fflush(file, H5F_SCOPE_LOCAL), "cannot be written");
    held.check();
    h5::check(H5Fstart_swmr_write(file), "reading while writing is not supported here");
    held.check();
  }
};

}  // namespace

std::vector<std::string> rowColumns(hid_t file) {
  std::vector<std::string> paths;
  for (const std::string_view group : kRowGroups)
    for (std::string& path : h5::datasets(file, std::string(group))) paths.push_back(std::move(path));
  return paths;
}

void createAnalysis(hid_t file, std::span<const std::string> hashed) {
  const h5::Handle analysis = createGroup(file, "analysis", "NXprocess");
  h5::setText(analysis, "program", "HybridBench");
  h5::setText(analysis, "version", programVersion());
  const h5::Handle digests = createGroup(file, "analysis/sha256", "NXcollection");
  h5::setText(digests, "description", "SHA-256 of the raw bytes of each dataset in /acquisition");
  for (const std::string& dataset : hashed) h5::setText(digests, dataset.c_str(), "", 65);
}

RunFileTree createRunFileTree(const h5::HeldFile& held, const RunFileHeader& header, const RowLayout& layout,
                              std::size_t chunk_rows) {
  Builder builder(chunk_rows);
  builder.create(held, header, layout);
  return std::move(static_cast<RunFileTree&>(builder));
}

}  // namespace hyb
