#include "core/record/integrity.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/base/sha256.h"
#include "core/record/hdf5.h"
#include "core/record/run_file_reader.h"

namespace hyb {
namespace {

constexpr std::size_t kPlacesTold = 8;

/// Position of rows [first, end) of a dataset in the file.
struct Extent {
  std::string dataset;
  std::uint64_t at, bytes, first, rows;
};

void addExtents(hid_t dataset, const std::string& path, std::vector<Extent>& extents) {
  const h5::Handle list = h5::own(H5Dget_create_plist(dataset), path), type = h5::own(H5Dget_type(dataset), path);
  const std::uint64_t rows = h5::size(dataset), width = H5Tget_size(type);
  if (H5Pget_layout(list) != H5D_CHUNKED) {
    const haddr_t at = H5Dget_offset(dataset);  // undefined: stored in the header
    H5Eclear2(H5E_DEFAULT);
    if (at != HADDR_UNDEF) extents.push_back({path, at, rows * width, 0, rows});
    return;
  }
  hsize_t chunk = 0;
  if (H5Pget_chunk(list, 1, &chunk) != 1 || chunk == 0) return;
  for (hsize_t first = 0; first < rows; first += chunk) {
    unsigned filters = 0;
    haddr_t at = HADDR_UNDEF;
    hsize_t bytes = 0;
    h5::check(H5Dget_chunk_info_by_coord(dataset, &first, &filters, &at, &bytes), path);
    // Rows after the last one are never read.
    if (at != HADDR_UNDEF)
      extents.push_back({path, at, std::min<std::uint64_t>(bytes, (rows - first) * width), first, chunk});
  }
}

/// Readable structure of a file.
struct Structure {
  std::vector<Extent> extents;
  std::vector<std::string> unreadable;  // paths
};

/// Reads all attributes of an object to verify its header.
void readAttributes(hid_t object, const std::string& path) {
  const auto read = [](hid_t id, const char* name, const H5A_info_t*, void*) -> herr_t {
    h5::text(id, name);
    return 0;
  };
  h5::check(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, read, nullptr), path);
}

void follow(hid_t group, const std::string& path, Structure& structure) {
  readAttributes(group, path);
  const auto enter = [&](const std::string& name, auto&& step) {
    const std::string place = path == "/" ? name : path + "/" + name;
    try {
      step(place);
    } catch (const DeviceError&) {
      structure.unreadable.push_back(place);
    }
  };
  std::vector<std::string> names;
  const auto list = [](hid_t, const char* name, const H5L_info_t*, void* data) -> herr_t {
    static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  };
  h5::check(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, list, &names), path);
  for (const std::string& name : names)
    enter(name, [&](const std::string& place) {
      const h5::Handle object = h5::own(H5Oopen(group, name.c_str(), H5P_DEFAULT), place);
      if (H5Iget_type(object) == H5I_GROUP) return follow(object, place, structure);
      readAttributes(object, place);
      if (H5Iget_type(object) == H5I_DATASET) addExtents(object, place, structure.extents);
    });
}

/// "512 to 1023, 2048 to 2559 and 3 more parts"
std::string rowsText(const std::vector<SealCheck::Bytes>& parts) {
  constexpr std::size_t kTold = 3;
  std::string text;
  for (std::size_t p = 0; p < std::min(parts.size(), kTold); ++p) {
    text += (p > 0 ? ", " : "") + std::to_string(parts[p].first);
    if (parts[p].end - parts[p].first > 1) text += " to " + std::to_string(parts[p].end - 1);
  }
  return parts.size() > kTold ? text + " and " + std::to_string(parts.size() - kTold) + " more parts" : text;
}

/// "acquisition/gap_1" -> "gap_1", "config/project" -> "project"; the whole path for other groups.
std::string shortName(const std::string& path) {
  for (const char* group : {"acquisition/", "config/"})
    if (path.starts_with(group)) return path.substr(std::string(group).size());
  return path;
}

class Check {
 public:
  Check(const std::filesystem::path& path, Columns columns, const SealWatch& watch)
      : path_(path), columns_(columns), watch_(watch) {}

  Integrity run() {
    h5::prepare();
    // If both are needed, each is half of the progress.
    const bool both = columns_ == Columns::all;
    seal_ = checkSeal(path_, [&](double share) { return !watch_ || watch_(both ? 0.5 * share : share); });
    if (seal_.cancelled) return found_;
    if (!open()) return found_;
    if (columns_ == Columns::all || seal_.state != SealCheck::State::whole) compareColumns();
    if (seal_.state == SealCheck::State::broken) locate();
    judge();
    return found_;
  }

 private:
  bool broken() const noexcept { return seal_.state == SealCheck::State::broken; }

  /// False: nothing more to check.
  bool open() {
    file_ = h5::Handle(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, h5::fileAccess()));
    if (!file_.valid() && broken()) return cannotBeOpened(h5::errorText());
    if (!file_.valid()) return ofWriter();
    try {
      const std::string format = h5::text(file_, "format");
      found_.study = format == "hybridbench-study";
      if (format != "hybridbench-run" && !found_.study)
        throw DeviceError("an HDF5 file, but neither a run nor a study of HybridBench (attribute format)");
      found_.recovered = h5::text(file_, "recovered") == "1";
      const std::string sealed = h5::text(file_, kSealedAttribute);
      sealed_ = sealed == "1";
      found_.older = sealed.empty();
    } catch (const DeviceError& error) {
      if (broken()) return cannotBeOpened(error.what());
      throw DeviceError(path_.string() + ": " + error.what());
    }
    if (found_.study) return true;
    file_ = {};  // one handle at a time: the reader may close the file
    return ofWriter();
  }

  bool cannotBeOpened(const std::string& why) {
    found_.state = Integrity::State::damaged;
    found_.readable = false;
    found_.damage = {"the structure of the file; it cannot be opened (" + why + ")"};
    return false;
  }

  /// For a run file: whether its writer finished it. Opens it as a reader.
  bool ofWriter() {
    try {
      const RunFileReader reader(path_);
      const RunFileInfo& info = reader.info();
      if (info.live || (!info.recovered && info.verdict.ended == EndReason::killed)) {
        // Checked again: in the process that writes the file, HDF5 presents it as closed.
        found_.state = h5::writerAlive(path_) ? Integrity::State::recording : Integrity::State::unfinished;
        return false;
      }
      names_ = info.acquisition;
    } catch (const DeviceError& error) {
      if (!broken()) throw;
      found_.readable = false;
      found_.damage.push_back("the structure of the file; it cannot be read as a run (" +
                              std::string(error.what()).substr(path_.string().size() + 2) + ")");
    }
    file_ = h5::own(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, h5::fileAccess()), path_.string());
    return true;
  }

  void compareColumns() {
    double done = 0.0;
    for (const std::string& name : names_) {
      if (watch_ && !watch_(0.5 + 0.5 * done++ / static_cast<double>(names_.size()))) return;
      try {
        const h5::Handle digests = h5::own(H5Gopen2(file_, "analysis/sha256", H5P_DEFAULT), "checksums");
        const std::string kept = h5::text(digests, name);
        if (kept.empty()) continue;  // of a file that was not finished
        const bool same = kept == h5::digest(file_, "acquisition/" + name);
        if (same)
          ++found_.columns;
        else
          wrong_.push_back(name);
        compared_[name] = same;
      } catch (const DeviceError&) {
        wrong_.push_back(name);
      }
    }
  }

  /// Determines the damaged parts of the file.
  void locate() {
    Structure structure;
    try {
      follow(h5::own(H5Gopen2(file_, "/", H5P_DEFAULT), "/"), "/", structure);
    } catch (const DeviceError& error) {
      structure.unreadable.emplace_back("header values of the file");
    }
    std::map<std::string, std::vector<SealCheck::Bytes>> rows;
    std::uint64_t elsewhere = 0;  // damaged bytes outside all datasets
    for (const SealCheck::Bytes& part : seal_.broken) {
      std::uint64_t covered = 0;
      for (const Extent& extent : structure.extents) {
        const std::uint64_t from = std::max(part.first, extent.at), to = std::min(part.end, extent.at + extent.bytes);
        if (from >= to) continue;
        covered += to - from;
        const std::string name = extent.dataset.substr(extent.dataset.find('/') + 1);
        if (const auto known = compared_.find(name);
            extent.dataset.starts_with("acquisition/") && known != compared_.end() && known->second)
          continue;  // a block contains parts of several columns, and this column is intact
        const std::uint64_t width = std::max<std::uint64_t>(1, extent.bytes / std::max<std::uint64_t>(1, extent.rows));
        std::vector<SealCheck::Bytes>& list = rows[extent.dataset];
        const SealCheck::Bytes here{extent.first + (from - extent.at) / width,
                                    extent.first + (to - extent.at + width - 1) / width};
        if (!list.empty() && list.back().end == here.first)
          list.back().end = here.end;
        else
          list.push_back(here);
      }
      elsewhere += part.end - part.first - std::min(covered, part.end - part.first);
    }
    for (const auto& [dataset, parts] : rows)
      found_.damage.push_back(dataset.starts_with("config/project") || dataset.starts_with("study/")
                                  ? shortName(dataset)
                                  : shortName(dataset) + ", rows " + rowsText(parts));
    for (const std::string& path : structure.unreadable) found_.damage.push_back(path + " (cannot be read)");
    for (const std::string& name : wrong_)
      if (!rows.contains("acquisition/" + name)) found_.damage.push_back(name);
    if (found_.damage.empty())
      found_.damage.push_back(std::to_string(elsewhere) +
                              " bytes without values: every header value and every column can be read");
  }

  void judge() {
    if (!broken())
      for (const std::string& name : wrong_) found_.damage.push_back(name);
    if (!found_.damage.empty())
      found_.state = Integrity::State::damaged;
    else if (seal_.state == SealCheck::State::whole)
      found_.state = Integrity::State::whole;
    else if (seal_.state == SealCheck::State::none && !sealed_)
      found_.state = Integrity::State::not_sealed;
    else
      found_.state = Integrity::State::seal_lost;
  }

  const std::filesystem::path& path_;
  Columns columns_;
  const SealWatch& watch_;
  SealCheck seal_;
  h5::Handle file_;
  bool sealed_ = false;
  std::vector<std::string> names_, wrong_;  // columns of a run; those with a wrong checksum
  std::map<std::string, bool> compared_;
  Integrity found_;
};

}  // namespace

std::string_view name(Integrity::State state) noexcept {
  constexpr std::array<std::string_view, 6> kNames = {"whole",     "not-sealed", "seal-lost",
                                                      "recording", "unfinished", "damaged"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string Integrity::sentence() const {
  const std::string matching = study          ? "A study has no other checksums."
                               : columns == 0 ? "None of its columns has a checksum."
                                              : "The checksums of its " + std::to_string(columns) + " columns match.";
  std::string text;
  switch (state) {
    case State::whole:
      text = recovered ? "Every byte is as it was when the file was recovered. Checksums do not cover earlier losses."
                       : "Every byte is as it was when the file was closed.";
      break;
    case State::not_sealed:
      text = std::string("Not sealed: ") +
             (older ? "an older program wrote it. "
                    : "the disk was full, or the program ended before it could be sealed. ") +
             matching + (study ? "" : " Project, events and header values have none.");
      break;
    case State::seal_lost:
      text =
          "Its seal is missing or damaged: another program changed the file after its end, or the file was "
          "truncated. " +
          matching + " Compare it with a copy before you rely on it.";
      break;
    case State::recording:
      text = "This test is being recorded now. Its checksums are written at its end.";
      break;
    case State::unfinished:
      text = "Not finished: its program was killed, and it has no checksums. Recover it.";
      break;
    case State::damaged: {
      for (std::size_t d = 0; d < std::min(damage.size(), kPlacesTold); ++d) text += (d > 0 ? "; " : "") + damage[d];
      if (damage.size() > kPlacesTold) text += "; and " + std::to_string(damage.size() - kPlacesTold) + " more";
      text = "Damaged after it was written: " + text + ". These are not the values that were " +
             (study ? "written" : "recorded") + ", and figures from them are wrong. Use a copy of the file.";
      break;
    }
  }
  return text;
}

Integrity checkFile(const std::filesystem::path& file, Columns columns, const SealWatch& watch) {
  return Check(file, columns, watch).run();
}

void requireUndamaged(const std::filesystem::path& file) {
  const Integrity integrity = checkFile(file);
  if (integrity.damaged()) throw DeviceError(file.string() + ": " + integrity.sentence());
}

}  // namespace hyb
