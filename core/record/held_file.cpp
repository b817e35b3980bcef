#include "core/record/held_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#if H5_VERSION_GE(1, 14, 0)
#include <H5FDdevelop.h>
#endif

namespace hyb::h5 {

struct HeldFile::State {
  int descriptor = -1, room = -1;
  std::filesystem::path path;
  bool told_lost = false;  // look() has reported that the name is gone
  int refused = 0;         // errno of the first refused write, until it is reported
  int given_up = 0;        // errno of a permanent failure
  static constexpr haddr_t kPage = 4096;
  // Data not written to the file, by address / kPage.
  std::map<haddr_t, std::array<char, kPage>> pages;
  bool holding_back = false;
  haddr_t held_end = 0;  // end of the file as seen by HDF5, while holding back
};

namespace {

using State = HeldFile::State;
namespace fs = std::filesystem;

/// Data of HDF5 for one opening of the file. Begins with the library's own part.
struct Opened {
  H5FD_t head = {};
  State* state = nullptr;
  haddr_t allocated = 0, end = 0;
  struct stat identity = {};
};
Opened* of(H5FD_t* file) { return reinterpret_cast<Opened*>(file); }
const Opened* of(const H5FD_t* file) { return reinterpret_cast<const Opened*>(file); }

/// Errno; 0: everything was written.
int writeAt(int descriptor, const char* bytes, std::size_t count, haddr_t at) {
  while (count > 0) {
    const ssize_t written = ::pwrite(descriptor, bytes, count, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return EIO;
    bytes += written;
    at += static_cast<haddr_t>(written);
    count -= static_cast<std::size_t>(written);
  }
  return 0;
}

/// Errno; 0: read, with zeros after the end of the file.
int readAt(int descriptor, char* bytes, std::size_t count, haddr_t at) {
  while (count > 0) {
    const ssize_t got = ::pread(descriptor, bytes, count, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    bytes += got;
    at += static_cast<haddr_t>(got);
    count -= static_cast<std::size_t>(got);
  }
  std::fill_n(bytes, count, '\0');
  return 0;
}

/// Calls part(page, position in it, position in the block, bytes) for each page of a block.
template <typename Part>
void onPages(haddr_t at, std::size_t count, Part&& part) {
  for (std::size_t done = 0; done < count;) {
    const haddr_t page = (at + done) / State::kPage;
    const auto within = static_cast<std::size_t>((at + done) % State::kPage);
    const std::size_t bytes = std::min<std::size_t>(count - done, State::kPage - within);
    part(page, within, done, bytes);
    done += bytes;
  }
}

void keepInMemory(State& state, haddr_t at, const char* bytes, std::size_t count) {
  onPages(at, count, [&](haddr_t page, std::size_t within, std::size_t done, std::size_t part) {
    const auto [kept, is_new] = state.pages.try_emplace(page);
    if (is_new && readAt(state.descriptor, kept->second.data(), State::kPage, page * State::kPage) != 0)
      kept->second.fill('\0');
    std::memcpy(kept->second.data() + within, bytes + done, part);
  });
}

/// Stores a failure that HDF5 must not see.
void refuse(State& state, int why) {
  if (state.refused == 0) state.refused = why;
  state.given_up = why;
}

H5FD_t* openDescriptor(const char*, unsigned flags, hid_t list, haddr_t) {
  const auto* given = static_cast<State* const*>(H5Pget_driver_info(list));
  if (given == nullptr) return nullptr;
  State& state = **given;
  auto* opened = new (std::nothrow) Opened;
  if (opened == nullptr) return nullptr;
  opened->state = &state;
  if ((flags & H5F_ACC_TRUNC) != 0 && state.given_up == 0 && ::ftruncate(state.descriptor, 0) != 0)
    refuse(state, errno);
  if (::fstat(state.descriptor, &opened->identity) != 0) {
    delete opened;
    return nullptr;
  }
  opened->end = (flags & H5F_ACC_TRUNC) != 0 ? 0 : static_cast<haddr_t>(opened->identity.st_size);
  return &opened->head;
}

herr_t closeDescriptor(H5FD_t* file) {
  delete of(file);  // the descriptor stays open
  return 0;
}

int compare(const H5FD_t* one, const H5FD_t* other) {
  const auto key = [](const H5FD_t* file) { return std::pair{of(file)->identity.st_dev, of(file)->identity.st_ino}; };
  return key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0;
}

/// As in the library's own driver for plain files.
herr_t query(const H5FD_t*, unsigned long* flags) {
  if (flags != nullptr)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_POSIX_COMPAT_HANDLE | H5FD_FEAT_SUPPORTS_SWMR_IO |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t allocated(const H5FD_t* file, H5FD_mem_t) { return of(file)->allocated; }
herr_t setAllocated(H5FD_t* file, H5FD_mem_t, haddr_t to) {
  of(file)->allocated = to;
  return 0;
}
haddr_t end(const H5FD_t* file, H5FD_mem_t) { return of(file)->end; }
herr_t handle(H5FD_t* file, hid_t, void** found) {
  if (found == nullptr) return -1;
  *found = &of(file)->state->descriptor;
  return 0;
}

herr_t readBlock(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t count, void* bytes) {
  State& state = *of(file)->state;
  if (readAt(state.descriptor, static_cast<char*>(bytes), count, at) != 0) return -1;
  if (!state.pages.empty())
    onPages(at, count, [&](haddr_t page, std::size_t within, std::size_t done, std::size_t part) {
      if (const auto kept = state.pages.find(page); kept != state.pages.end())
        std::memcpy(static_cast<char*>(bytes) + done, kept->second.data() + within, part);
    });
  return 0;
}

herr_t writeBlock(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t count, const void* bytes) {
  State& state = *of(file)->state;
  const auto* from = static_cast<const char*>(bytes);
  if (state.given_up == 0 && !state.holding_back) {
    int why = writeAt(state.descriptor, from, count, at);
    if ((why == ENOSPC || why == EDQUOT) && state.room >= 0) {
      state.refused = why;
      ::close(std::exchange(state.room, -1));
      why = writeAt(state.descriptor, from, count, at);
    }
    if (why != 0) refuse(state, why);
  }
  try {
    if (state.given_up != 0 || state.holding_back) keepInMemory(state, at, from, count);
  } catch (const std::bad_alloc&) {
    return -1;
  }
  of(file)->end = std::max(of(file)->end, at + count);
  state.held_end = of(file)->end;
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  Opened& opened = *of(file);
  if (opened.allocated == opened.end) return 0;
  State& state = *opened.state;
  if (state.given_up == 0 && !state.holding_back &&
      ::ftruncate(state.descriptor, static_cast<off_t>(opened.allocated)) != 0)
    refuse(state, errno);
  state.held_end = opened.end = opened.allocated;
  return 0;
}

/// Writes the held-back data to the file. Errno; 0: everything.
int writeBack(State& state) {
  struct stat before {};
  if (::fstat(state.descriptor, &before) != 0) return errno;
  const haddr_t old_pages = (static_cast<haddr_t>(before.st_size) + State::kPage - 1) / State::kPage;
  // Previous content, to be restored if a later write is refused.
  std::vector<std::pair<haddr_t, std::array<char, State::kPage>>> undo;
  const auto write = [&](auto first, auto last, bool changes) {
    for (; first != last; ++first) {
      const haddr_t at = first->first * State::kPage;
      if (at >= state.held_end) continue;
      const auto bytes = static_cast<std::size_t>(std::min<haddr_t>(State::kPage, state.held_end - at));
      if (changes) {
        undo.emplace_back(at, std::array<char, State::kPage>{});
        if (const int why = readAt(state.descriptor, undo.back().second.data(), State::kPage, at); why != 0) return why;
      }
      if (const int why = writeAt(state.descriptor, first->second.data(), bytes, at); why != 0) return why;
    }
    return 0;
  };
  const auto fresh = state.pages.lower_bound(old_pages);
  if (const int why = write(fresh, state.pages.end(), false); why != 0) return why;
  if (fresh != state.pages.end() && ::fdatasync(state.descriptor) != 0 && errno != EINVAL && errno != ENOTSUP)
    return errno;
  if (const int why = write(state.pages.begin(), fresh, true); why != 0) {
    for (const auto& [at, bytes] : undo)
      writeAt(state.descriptor, bytes.data(),
              std::min<haddr_t>(State::kPage, static_cast<haddr_t>(before.st_size) - at), at);
    return why;
  }
  if (state.held_end < static_cast<haddr_t>(before.st_size) &&
      ::ftruncate(state.descriptor, static_cast<off_t>(state.held_end)) != 0)
    return errno;
  return 0;
}

/// HDF5 does not mark files of drivers without locks as being written. The owner was determined before.
herr_t lock(H5FD_t*, hbool_t) { return 0; }
herr_t unlock(H5FD_t*) { return 0; }

/// HDF5 requires an existing name and only checks its file type.
constexpr const char* kAnyName = "/";

/// Identifier of the file driver, registered once.
hid_t driver() {
  static const hid_t id = [] {
    H5FD_class_t made{};
#if H5_VERSION_GE(1, 14, 0)
    made.version = H5FD_CLASS_VERSION;
    made.value = static_cast<H5FD_class_value_t>(512);  // first free value for drivers outside the library
#endif
    made.name = "held_file";
    made.maxaddr = (haddr_t{1} << (8 * sizeof(off_t) - 1)) - 1;
    made.fc_degree = H5F_CLOSE_WEAK;
    made.fapl_size = sizeof(State*);
    made.open = openDescriptor;
    made.close = closeDescriptor;
    made.cmp = compare;
    made.query = query;
    made.get_eoa = allocated;
    made.set_eoa = setAllocated;
    made.get_eof = end;
    made.get_handle = handle;
    made.read = readBlock;
    made.write = writeBlock;
    made.truncate = truncate;
    made.lock = lock;
    made.unlock = unlock;
    constexpr H5FD_mem_t kinds[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(kinds), std::end(kinds), std::begin(made.fl_map));
    return H5FDregister(&made);
  }();
  return id;
}

bool same(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

bool leadsTo(const fs::path& path, const struct stat& file) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && same(found, file);
}

std::string words(int why) { return std::strerror(why); }

[[noreturn]] void refuseOpening(const fs::path& file, const char* what, int why, const char* remedy) {
  throw DeviceError(file.string() + ": " + what + ": " + words(why) + remedy);
}

}  // namespace

HeldFile::HeldFile(int descriptor, fs::path file) : state_(std::make_unique<State>()) {
  state_->descriptor = descriptor;
  state_->path = std::move(file);
}

HeldFile HeldFile::open(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) refuseOpening(file, "cannot be written", errno, "");
  return {descriptor, file};
}

HeldFile HeldFile::create(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor >= 0) return {descriptor, file};
  if (errno == EEXIST)
    throw DeviceError(file.string() + ": exists already and is not overwritten; choose another name or move the file");
  refuseOpening(file, "cannot be created", errno, "; choose an existing folder with write permission");
}

HeldFile::HeldFile(HeldFile&& other) noexcept = default;
HeldFile& HeldFile::operator=(HeldFile&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}
HeldFile::~HeldFile() {
  if (!state_) return;
  releaseRoom();
  if (state_->descriptor >= 0) ::close(state_->descriptor);
}

int HeldFile::descriptor() const noexcept { return state_->descriptor; }

Handle HeldFile::access() const {
  Handle list = fileAccess();
  State* const state = state_.get();
  h5::check(H5Pset_driver(list, h5::check(driver(), "file driver"), &state), "file driver");
  return list;
}

Handle HeldFile::makeHdf5(hid_t creation_list) const {
  return own(H5Fcreate(kAnyName, H5F_ACC_TRUNC, creation_list, access()), "cannot be created");
}

Handle HeldFile::openHdf5() const { return openHdf5(access()); }

Handle HeldFile::openHdf5(hid_t list) const {
  return own(H5Fopen(kAnyName, H5F_ACC_RDWR, list), state_->path.string());
}

Handle HeldFile::openForChanges() const {
  if (state_->given_up == 0) {
    struct stat now {};
    state_->holding_back = ::fstat(state_->descriptor, &now) == 0;
    state_->held_end = static_cast<haddr_t>(now.st_size);
    state_->pages.clear();
  }
  return openHdf5(access());
}

void HeldFile::closeHdf5(Handle file) const {
  h5::check(H5Fclose(file.release()), "cannot be closed");
  if (std::exchange(state_->holding_back, false)) {
    if (const int why = state_->given_up == 0 ? writeBack(*state_) : 0; why != 0) refuse(*state_, why);
    if (state_->given_up == 0) state_->pages.clear();
  }
  check();
}

void HeldFile::check() const {
  const int why = std::exchange(state_->refused, 0);
  if (const int told = why != 0 ? why : state_->given_up; told != 0)
    throw DeviceError("cannot be written: " + words(told));
}

bool HeldFile::givenUp() const noexcept { return state_->given_up != 0; }

void HeldFile::keepRoom(std::uint64_t bytes) {
  releaseRoom();
  const fs::path name = path().string() + ".reserve";  // this name is removed at once
  const int descriptor = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return;
  ::unlink(name.c_str());
  if (::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)) == 0)
    state_->room = descriptor;
  else
    ::close(descriptor);
}

void HeldFile::releaseRoom() noexcept {
  if (state_->room >= 0) ::close(std::exchange(state_->room, -1));
}

FilePlace HeldFile::place() const {
  struct stat file {};
  if (::fstat(state_->descriptor, &file) != 0 || leadsTo(state_->path, file))
    return {FilePlace::State::here, state_->path};
  if (file.st_nlink == 0) return {FilePlace::State::deleted, {}};
  std::error_code error;
  const fs::path found = fs::read_symlink(alias(), error);
  if (error || !leadsTo(found, file)) return {FilePlace::State::moved, {}};
  return {FilePlace::State::moved, found};
}

fs::path HeldFile::path() const { return place().path; }

std::optional<FilePlace> HeldFile::look() {
  FilePlace now = place();
  if (now.state == FilePlace::State::here) {
    state_->told_lost = false;
    return std::nullopt;
  }
  if (now.path.empty() && std::exchange(state_->told_lost, true)) return std::nullopt;
  if (!now.path.empty()) {
    state_->told_lost = false;
    state_->path = now.path;
  }
  return now;
}

fs::path HeldFile::alias() const { return "/proc/self/fd/" + std::to_string(state_->descriptor); }

void HeldFile::rename(fs::path name) { state_->path = std::move(name); }

void HeldFile::remove() const noexcept {
  struct stat file {};
  if (::fstat(state_->descriptor, &file) == 0 && leadsTo(state_->path, file)) ::unlink(state_->path.c_str());
}

namespace {

/// True also if the file system does not support it.
bool synced(int descriptor) {
  return ::fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

}  // namespace

void HeldFile::sync() const {
  if (!synced(state_->descriptor)) throw DeviceError("cannot be written: " + words(errno));
  if (const fs::path where = path(); !where.empty()) syncFolderOf(where);
}

void syncFolderOf(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // a folder that may be written but not read
  const bool done = synced(descriptor);
  const int why = errno;
  ::close(descriptor);
  if (!done) throw DeviceError(folder.string() + ": cannot be written: " + words(why));
}

}  // namespace hyb::h5
