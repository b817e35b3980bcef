#include "core/record/finish.h"

#include <algorithm>
#include <array>

#include "core/base/version.h"
#include "core/record/black_box.h"
#include "core/record/held_file.h"
#include "core/record/run_file_tree.h"
#include "core/record/seal.h"

namespace hyb {

namespace {

constexpr std::uint64_t kHashSlice = (std::uint64_t{1} << 20) / sizeof(double);

struct Trimmed {
  std::uint64_t length = 0, longest = 0;
};
/// Trims all datasets to the length of the shortest, at most `limit`.
Trimmed trim(hid_t file, const std::vector<std::string>& paths, std::uint64_t limit) {
  Trimmed result{limit, 0};
  for (const std::string& path : paths) {
    const std::uint64_t length = h5::size(h5::openDataset(file, path));
    result.length = std::min(result.length, length);
    result.longest = std::max(result.longest, length);
  }
  if (paths.empty()) result.length = 0;
  const hsize_t length = result.length;
  if (result.longest > result.length)
    for (const std::string& path : paths)
      h5::check(H5Dset_extent(h5::openDataset(file, path), &length), "trimming " + path);
  return result;
}

/// Rows flagged late, and their share in percent, as attributes of /timing.
void writeLateness(hid_t file, std::uint64_t rows) {
  const h5::Handle flags = h5::openDataset(file, "acquisition/flags");
  const h5::Handle space = h5::own(H5Dget_space(flags), "acquisition/flags");
  std::vector<std::uint32_t> slice(static_cast<std::size_t>(std::min<std::uint64_t>(rows, kHashSlice)));
  std::uint64_t late = 0;
  for (hsize_t first = 0; first < rows; first += kHashSlice) {
    const hsize_t count = std::min<hsize_t>(kHashSlice, rows - first);
    h5::check(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &count, nullptr), "acquisition/flags");
    const h5::Handle memory = h5::own(H5Screate_simple(1, &count, nullptr), "acquisition/flags");
    h5::check(H5Dread(flags, H5T_NATIVE_UINT32, memory, space, H5P_DEFAULT, slice.data()), "acquisition/flags");
    for (std::size_t k = 0; k < count; ++k) late += slice[k] & kFlagLate;
  }
  const h5::Handle timing = h5::own(H5Gopen2(file, "timing", H5P_DEFAULT), "timing");
  h5::replaceNumber(timing, "late_ticks", late);
  h5::replaceNumber(timing, "late_ticks_percent",
                    rows > 0 ? 100.0 * static_cast<double>(late) / static_cast<double>(rows) : 0.0);
}

void appendOne(hid_t file, const char* path, hsize_t at, hid_t type, const void* value) {
  const h5::Handle dataset = h5::openDataset(file, path);
  const hsize_t length = at + 1, one = 1;
  h5::check(H5Dset_extent(dataset, &length), path);
  const h5::Handle space = h5::own(H5Dget_space(dataset), path);
  h5::check(H5Sselect_hyperslab(space, H5S_SELECT_SET, &at, nullptr, &one, nullptr), path);
  const h5::Handle memory = h5::own(H5Screate_simple(1, &one, nullptr), path);
  h5::check(H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, value), path);
}

/// Tick of the last of these rows; 0: there is none.
std::uint64_t lastTick(hid_t file, std::uint64_t rows) {
  std::uint64_t tick = 0;
  if (rows == 0) return tick;
  const h5::Handle dataset = h5::openDataset(file, "acquisition/tick");
  const h5::Handle space = h5::own(H5Dget_space(dataset), "tick");
  const hsize_t last = rows - 1, one = 1;
  h5::check(H5Sselect_hyperslab(space, H5S_SELECT_SET, &last, nullptr, &one, nullptr), "tick");
  const h5::Handle memory = h5::own(H5Screate_simple(1, &one, nullptr), "tick");
  h5::check(H5Dread(dataset, H5T_NATIVE_UINT64, memory, space, H5P_DEFAULT, &tick), "tick");
  return tick;
}

/// Keeps the segments that end within these rows.
void trimSegments(hid_t file, std::uint64_t rows) {
  if (H5Lexists(file, "segments", H5P_DEFAULT) <= 0) return;  // a test with one segment
  std::vector<std::uint64_t> ends;
  {
    const h5::Handle dataset = h5::openDataset(file, "segments/last_tick");
    ends.resize(static_cast<std::size_t>(h5::size(dataset)));
    if (!ends.empty())
      h5::check(H5Dread(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, ends.data()), "segments");
  }
  const std::uint64_t last = lastTick(file, rows);
  const auto beyond = std::find_if(ends.begin(), ends.end(), [&](std::uint64_t end) { return end > last; });
  const auto kept = rows > 0 ? static_cast<std::uint64_t>(beyond - ends.begin()) : 0;
  trim(file, h5::datasets(file, "segments"), kept);
}

/// Closes a file and seals it. If it cannot be sealed, the file records that. Throws DeviceError; SealError: it is
/// closed.
void closeFile(h5::Handle file, const h5::HeldFile& held, bool sealed) {
  const auto promise = [](hid_t open, std::uint8_t value) {
    if (H5Aexists(open, kSealedAttribute) > 0)
      h5::replaceNumber(open, kSealedAttribute, value);
    else
      h5::setNumber(open, kSealedAttribute, value);  // of an older program
  };
  promise(file, sealed);
  held.closeHdf5(std::move(file));
  if (!sealed) return;
  try {
    seal(held.alias());
  } catch (const DeviceError& error) {
    h5::Handle again = held.openForChanges();
    promise(again, 0);
    held.closeHdf5(std::move(again));
    throw SealError(error.what());
  }
}

void addRecoveredEvent(hid_t file, std::uint64_t events, const Finished& kept) {
  const std::uint64_t tick = lastTick(file, kept.rows);
  Event event{.tick = tick, .code = EventCode::recovered, .severity = Severity::warning};
  event.setText(std::to_string(kept.rows) + " rows kept, " + std::to_string(kept.dropped) + " incomplete rows dropped");
  const auto code = static_cast<std::int32_t>(event.code);
  const auto severity = static_cast<std::uint8_t>(event.severity);
  std::array<char, 160> words{};
  const std::string line = message(event, {});
  std::copy(line.begin(), line.end(), words.begin());
  const h5::Handle type = h5::stringType(words.size(), H5T_CSET_ASCII);
  appendOne(file, "events/tick", events, H5T_NATIVE_UINT64, &tick);
  appendOne(file, "events/code", events, H5T_NATIVE_INT32, &code);
  appendOne(file, "events/severity", events, H5T_NATIVE_UINT8, &severity);
  appendOne(file, "events/message", events, type, words.data());
  if (H5Lexists(file, "events/index", H5P_DEFAULT) <= 0) return;  // a file of an older program
  appendOne(file, "events/index", events, H5T_NATIVE_INT32, &event.index);
  appendOne(file, "events/value", events, H5T_NATIVE_DOUBLE, &event.value);
}

}  // namespace

Finished finishRunFile(const h5::HeldFile& held, const Finish& finish) {
  h5::prepare();
  unseal(held.alias());
  h5::Handle file = held.openForChanges();
  const Trimmed kept = trim(file, rowColumns(file), finish.max_rows);
  const Trimmed events = trim(file, h5::datasets(file, "events"), std::numeric_limits<std::uint64_t>::max());
  {
    const h5::Handle adaptation = h5::own(H5Gopen2(file, "adaptation", H5P_DEFAULT), "adaptation");
    for (const std::string& group : h5::children(adaptation, H5O_TYPE_GROUP))
      trim(file, h5::datasets(file, "adaptation/" + group), std::numeric_limits<std::uint64_t>::max());
    const h5::Handle digests = h5::own(H5Gopen2(file, "analysis/sha256", H5P_DEFAULT), "analysis/sha256");
    if (finish.digests.empty())
      for (const std::string& dataset : h5::datasets(file, "acquisition"))
        h5::replaceText(digests, dataset.substr(dataset.find('/') + 1).c_str(), h5::digest(file, dataset));
    for (const auto& [dataset, hex] : finish.digests) h5::replaceText(digests, dataset.c_str(), hex);
  }
  trimSegments(file, kept.length);
  writeLateness(file, kept.length);
  if (finish.end.black_box_rows > 0)
    writeBlackBox(file, kept.length, finish.end.black_box_rows, finish.end.stop_reason);
  h5::replaceNumber<std::uint8_t>(file, "complete", finish.end.complete);
  h5::replaceNumber<std::uint8_t>(file, "valid", finish.end.valid);
  h5::replaceText(file, "stop_reason", finish.end.stop_reason);
  if (H5Aexists(file, "ended") > 0) {  // otherwise of an older program
    h5::replaceText(file, "ended", hyb::name(finish.end.ended));
    h5::replaceNumber(file, "rows_lost", finish.end.rows_lost);
  }
  const Finished result{kept.length, kept.longest - kept.length};
  if (finish.recovered) {
    h5::replaceNumber<std::uint8_t>(file, "recovered", 1);
    addRecoveredEvent(file, events.length, result);
  }
  closeFile(std::move(file), held, !finish.end.verdict_follows);
  return result;
}

Finished finishRunFile(const std::filesystem::path& file, const Finish& finish) {
  return finishRunFile(h5::HeldFile::open(file), finish);
}

namespace {

/// Recreates a group of /analysis and calls fill(group).
template <typename Fill>
void writeAnalysis(const std::filesystem::path& path, const std::string& group, Fill&& fill) {
  h5::prepare();
  const std::string place = "analysis/" + group;
  const h5::HeldFile held = h5::HeldFile::open(path);
  unseal(held.alias());
  h5::Handle file = held.openForChanges();
  if (H5Lexists(file, place.c_str(), H5P_DEFAULT) > 0) h5::check(H5Ldelete(file, place.c_str(), H5P_DEFAULT), place);
  {
    const h5::Handle made =
        h5::own(H5Gcreate2(file, place.c_str(), H5P_DEFAULT, h5::creation(H5P_GROUP_CREATE), H5P_DEFAULT), place);
    fill(made);
    h5::setText(made, "software_version", programVersion());
  }
  closeFile(std::move(file), held, true);
  held.sync();
}

}  // namespace

void recordVerdict(const std::filesystem::path& file, const Verdict& verdict) {
  std::string reasons;  // one per line
  for (const std::string& reason : verdict.reasons) reasons += (reasons.empty() ? "" : "\n") + reason;
  writeAnalysis(file, "verdict", [&](hid_t group) {
    h5::setText(group, "ended", name(verdict.ended));
    h5::setText(group, "data", verdict.data());
    h5::setNumber<std::uint8_t>(group, "whole", verdict.whole());
    h5::setText(group, "test", name(verdict.test));
    h5::setText(group, "reasons", reasons);
  });
}

void recordFace(const std::filesystem::path& file, const FaceFinding& finding) {
  writeAnalysis(file, "face", [&](hid_t group) {
    h5::setText(group, "test", name(finding.grade));
    h5::setText(group, "sentence", finding.sentence);
  });
}

void releaseFromSwmr(const h5::HeldFile& copy) {
  h5::prepare();
  const h5::Handle access = copy.access();
  const hbool_t yes = true;
  // Private names of the library, also used by its own tool h5clear. Both must be set together: clearing the flags
  // alone truncates the file at its last known, outdated end.
  h5::check(H5Pset(access, "clear_status_flags", &yes), "recovery with this HDF5 library");
  h5::check(H5Pset(access, "skip_eof_check", &yes), "recovery with this HDF5 library");
  h5::Handle file = copy.openHdf5(access);
  h5::check(H5Fincrement_filesize(file, 0), "recovery with this HDF5 library");
  copy.closeHdf5(std::move(file));
}

void releaseFromSwmr(const std::filesystem::path& copy) { releaseFromSwmr(h5::HeldFile::open(copy)); }

void copyThroughReader(const std::filesystem::path& from, const h5::HeldFile& to) {
  h5::prepare();
  const std::string source = from.string();
  const h5::Handle in = h5::own(H5Fopen(source.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, h5::fileAccess()), source);
  h5::Handle out = to.makeHdf5(h5::creation(H5P_FILE_CREATE));
  for (const std::string& group : h5::children(in, H5O_TYPE_GROUP))
    h5::check(H5Ocopy(in, group.c_str(), out, group.c_str(), H5P_DEFAULT, H5P_DEFAULT), group);
  const h5::Handle root = h5::own(H5Gopen2(in, "/", H5P_DEFAULT), source);
  h5::copyAttributes(root, out);
  to.closeHdf5(std::move(out));
}

}  // namespace hyb
