#include "core/record/salvage.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/record/file_in_making.h"
#include "core/record/run_file_tree.h"

namespace hyb {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
constexpr hsize_t kCopiedAtOnce = (hsize_t{1} << 20) / sizeof(double);

/// Content of a file whose writer ended, as for a concurrent reader: the actual end of the file counts, not the last
/// one in its header. None if the file does not open this way.
h5::Handle openBesideWriter(const fs::path& file) {
  const h5::Handle access = h5::fileAccess();
  h5::check(H5Pset_metadata_read_attempts(access, 1), file.string());  // no process writes it
  return h5::Handle(H5Fopen(file.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access));
}

/// A damaged file, opened although it is too short: as a reader, or else through a temporary copy.
class DamagedFile {
 public:
  DamagedFile(const fs::path& file, const fs::path& beside) : bytes_(fs::file_size(file)) {
    h5::prepare();
    file_ = openBesideWriter(file);
    if (file_.valid()) return;
    scratch_.emplace(beside, ".reading");
    scratch_->copyFrom(file);
    const h5::Handle access = scratch_->held().access();
    const hbool_t yes = true;
    h5::check(H5Pset(access, "clear_status_flags", &yes), "recovery with this HDF5 library");  // as releaseFromSwmr
    h5::check(H5Pset(access, "skip_eof_check", &yes), "recovery with this HDF5 library");
    h5::check(H5Pset_metadata_read_attempts(access, 1), "recovery");
    file_ = scratch_->held().openHdf5(access);
    h5::check(H5Fincrement_filesize(file_, 0),
              "recovery with this HDF5 library");  // the file may end after its recorded end
  }
  DamagedFile(const DamagedFile&) = delete;
  DamagedFile& operator=(const DamagedFile&) = delete;
  operator hid_t() const noexcept { return file_; }
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  std::optional<FileInMaking> scratch_;  // outlives the objects opened from it
  std::uint64_t bytes_;
  h5::Handle file_;
};

bool isTable(hid_t dataset) {
  const h5::Handle list = h5::own(H5Dget_create_plist(dataset), "layout");
  const h5::Handle space = h5::own(H5Dget_space(dataset), "layout");
  return H5Pget_layout(list) == H5D_CHUNKED && H5Sget_simple_extent_ndims(space) == 1;
}

/// Leading rows of a one-dimensional, chunked dataset that are within the first `bytes` of the file.
std::uint64_t wholeRows(hid_t dataset, std::uint64_t bytes) {
  const h5::Handle list = h5::own(H5Dget_create_plist(dataset), "layout");
  hsize_t chunk = 0;
  h5::check(H5Pget_chunk(list, 1, &chunk), "layout");
  const std::uint64_t rows = h5::size(dataset);
  for (hsize_t first = 0; first < rows; first += chunk) {
    unsigned filters = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t size = 0;
    const bool found = H5Dget_chunk_info_by_coord(dataset, &first, &filters, &address, &size) >= 0;
    if (!found || address == HADDR_UNDEF || address + size > bytes) return first;
  }
  return rows;
}

/// Number of rows that all these datasets have.
std::uint64_t wholeRowsOf(hid_t file, const std::vector<std::string>& paths, std::uint64_t bytes) {
  std::uint64_t rows = kNoLimit;
  for (const std::string& path : paths) {
    const h5::Handle dataset = h5::openDataset(file, path);
    if (isTable(dataset)) rows = std::min(rows, wholeRows(dataset, bytes));
  }
  return rows;
}

/// True if a table below the group has rows that are not within the first `bytes` of the file.
bool reachesBeyond(hid_t group, std::uint64_t bytes) {
  for (const std::string& name : h5::children(group, H5O_TYPE_DATASET)) {
    const h5::Handle dataset = h5::openDataset(group, name);
    if (isTable(dataset) && wholeRows(dataset, bytes) < h5::size(dataset)) return true;
  }
  const std::vector<std::string> groups = h5::children(group, H5O_TYPE_GROUP);
  return std::any_of(groups.begin(), groups.end(), [&](const std::string& name) {
    return reachesBeyond(h5::own(H5Gopen2(group, name.c_str(), H5P_DEFAULT), name), bytes);
  });
}

/// Copies the first rows of a table to a new one of the same type.
void copyTable(hid_t from, hid_t group, const std::string& name, hsize_t rows) {
  const h5::Handle type = h5::own(H5Dget_type(from), name), list = h5::own(H5Dget_create_plist(from), name);
  const hsize_t unlimited = H5S_UNLIMITED;
  const h5::Handle to =
      h5::own(H5Dcreate2(group, name.c_str(), type, h5::own(H5Screate_simple(1, &rows, &unlimited), name), H5P_DEFAULT,
                         list, H5P_DEFAULT),
              name);
  h5::copyAttributes(from, to);
  const h5::Handle source = h5::own(H5Dget_space(from), name), target = h5::own(H5Dget_space(to), name);
  std::vector<char> bytes(static_cast<std::size_t>(std::min(rows, kCopiedAtOnce)) * H5Tget_size(type));
  for (hsize_t first = 0; first < rows; first += kCopiedAtOnce) {
    const hsize_t count = std::min(kCopiedAtOnce, rows - first);
    const h5::Handle memory = h5::own(H5Screate_simple(1, &count, nullptr), name);
    h5::check(H5Sselect_hyperslab(source, H5S_SELECT_SET, &first, nullptr, &count, nullptr), name);
    h5::check(H5Sselect_hyperslab(target, H5S_SELECT_SET, &first, nullptr, &count, nullptr), name);
    h5::check(H5Dread(from, type, memory, source, H5P_DEFAULT, bytes.data()), name);
    h5::check(H5Dwrite(to, type, memory, target, H5P_DEFAULT, bytes.data()), name);
  }
}

/// True if a dataset without chunks is within the file. Data in its header is.
bool within(hid_t dataset, std::uint64_t bytes) {
  const haddr_t address = H5Dget_offset(dataset);
  H5Eclear2(H5E_DEFAULT);
  return address == HADDR_UNDEF || address + H5Dget_storage_size(dataset) <= bytes;
}

/// Copies a group with everything readable below it; `rows` of its tables, none: the number that all of them have.
void copyGroup(const DamagedFile& file, hid_t out, const std::string& path, std::uint64_t rows) {
  const h5::Handle from = h5::own(H5Gopen2(file, path.c_str(), H5P_DEFAULT), path);
  const h5::Handle to =
      h5::own(H5Gcreate2(out, path.c_str(), H5P_DEFAULT, h5::creation(H5P_GROUP_CREATE), H5P_DEFAULT), path);
  h5::copyAttributes(from, to);
  rows = std::min(rows, wholeRowsOf(file, h5::datasets(file, path), file.bytes()));
  for (const std::string& name : h5::children(from, H5O_TYPE_DATASET)) {
    const h5::Handle dataset = h5::openDataset(from, name);
    if (isTable(dataset))
      copyTable(dataset, to, name, rows);
    else if (within(dataset, file.bytes()))
      h5::check(H5Ocopy(from, name.c_str(), to, name.c_str(), H5P_DEFAULT, H5P_DEFAULT), path + "/" + name);
  }
  for (const std::string& name : h5::children(from, H5O_TYPE_GROUP, h5::Unreadable::left_out))
    copyGroup(file, out, path + "/" + name, kNoLimit);
}

}  // namespace

bool cutOff(const fs::path& file) {
  h5::prepare();
  const h5::Handle open = h5::own(openBesideWriter(file).release(), file.string());
  return reachesBeyond(h5::own(H5Gopen2(open, "/", H5P_DEFAULT), file.string()), fs::file_size(file));
}

void salvage(const fs::path& file, const h5::HeldFile& to) {
  const DamagedFile damaged(file, to.path());
  const std::uint64_t rows = wholeRowsOf(damaged, rowColumns(damaged), damaged.bytes());
  if (rows == 0 || rows == kNoLimit) throw DeviceError("it has no complete row");
  h5::Handle out = to.makeHdf5(h5::creation(H5P_FILE_CREATE));
  const h5::Handle root = h5::own(H5Gopen2(damaged, "/", H5P_DEFAULT), file.string());
  for (const std::string& group : h5::children(root, H5O_TYPE_GROUP, h5::Unreadable::left_out))
    copyGroup(damaged, out, group, std::ranges::find(kRowGroups, group) != kRowGroups.end() ? rows : kNoLimit);
  h5::copyAttributes(root, out);
  // Verdict and findings are written last and extend the group, so a truncated copy loses it first.
  if (H5Lexists(out, "analysis", H5P_DEFAULT) <= 0 || H5Lexists(out, "analysis/sha256", H5P_DEFAULT) <= 0) {
    H5Ldelete(out, "analysis", H5P_DEFAULT);
    createAnalysis(out,
                   h5::children(h5::own(H5Gopen2(out, "acquisition", H5P_DEFAULT), "acquisition"), H5O_TYPE_DATASET));
  }
  H5Eclear2(H5E_DEFAULT);
  to.closeHdf5(std::move(out));
}

}  // namespace hyb
