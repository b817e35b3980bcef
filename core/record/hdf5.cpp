#include "core/record/hdf5.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "core/base/sha256.h"

namespace hyb::h5 {

void prepare() noexcept {
  // A file that could not be closed on a full disk must not be closed again when the program ends.
  static const bool first = [] {
    H5dont_atexit();
    return true;
  }();
  static_cast<void>(first);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string errorText() {
  std::string innermost;
  const auto visit = [](unsigned, const H5E_error2_t* error, void* data) -> herr_t {
    if (error->desc != nullptr) *static_cast<std::string*>(data) = error->desc;
    return 1;  // the first one from the bottom is the cause
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, visit, &innermost);
  H5Eclear2(H5E_DEFAULT);  // otherwise it leaks when a thread ends
  const std::string key = "error message = '";
  if (const std::size_t at = innermost.find(key); at != std::string::npos) {
    const std::size_t start = at + key.size();
    return innermost.substr(start, innermost.find('\'', start) - start);
  }
  return innermost.empty() ? "the HDF5 library states no reason" : innermost;
}

Handle openDataset(hid_t location, const std::string& path) {
  return own(H5Dopen2(location, path.c_str(), H5P_DEFAULT), path);
}

Handle fileAccess() {
  Handle list = own(H5Pcreate(H5P_FILE_ACCESS), "file access list");
  check(H5Pset_libver_bounds(list, H5F_LIBVER_V110, H5F_LIBVER_V110), "format bounds");
  check(H5Pset_fclose_degree(list, H5F_CLOSE_STRONG), "close degree");
#if H5_VERSION_GE(1, 10, 7)
  // No HDF5 locks: a reader that opens a file at its creation would prevent the run from writing it. holdWriterMark
  // prevents a second writer.
  check(H5Pset_file_locking(list, false, true), "file locking");
#endif
  return list;
}

namespace {
constexpr unsigned kCompact = 1000;  // more than any group or object has here
}

Handle creation(hid_t kind) {
  Handle list = own(H5Pcreate(kind), "creation list");
  check(H5Pset_attr_phase_change(list, kCompact, 0), "attribute storage");
  if (kind != H5P_DATASET_CREATE) check(H5Pset_link_phase_change(list, kCompact, 0), "link storage");
  return list;
}

Handle stringType(std::size_t bytes, H5T_cset_t characters) {
  Handle type = own(H5Tcopy(H5T_C_S1), "string type");
  check(H5Tset_size(type, bytes), "string length");
  check(H5Tset_cset(type, characters), "character set");
  return type;
}

namespace {

void writeNew(hid_t object, const char* name, hid_t type, hid_t space, const void* data) {
  const Handle attribute =
      own(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), std::string("attribute ") + name);
  check(H5Awrite(attribute, type, data), name);
}

}  // namespace

void setText(hid_t object, const char* name, std::string_view text, std::size_t room) {
  std::string bytes(text);
  bytes.resize(std::max(room, text.size() + 1), '\0');
  bytes.back() = '\0';
  const Handle type = stringType(bytes.size(), H5T_CSET_UTF8);
  writeNew(object, name, type, own(H5Screate(H5S_SCALAR), name), bytes.data());
}

void setList(hid_t object, const char* name, const std::vector<std::string>& list) {
  std::size_t width = 1;
  for (const std::string& entry : list) width = std::max(width, entry.size() + 1);
  std::string bytes(width * list.size(), '\0');
  for (std::size_t i = 0; i < list.size(); ++i) std::copy(list[i].begin(), list[i].end(), bytes.data() + i * width);
  const hsize_t count = list.size();
  const Handle type = stringType(width, H5T_CSET_UTF8);
  writeNew(object, name, type, own(H5Screate_simple(1, &count, nullptr), name), bytes.data());
}

void setArray(hid_t object, const char* name, hid_t type, const void* values, std::size_t count, bool scalar) {
  const hsize_t length = count;
  writeNew(object, name, type, own(scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &length, nullptr), name),
           values);
}

void copyAttributes(hid_t from, hid_t to) {
  const auto copy = [](hid_t object, const char* name, const H5A_info_t*, void* data) -> herr_t {
    const Handle attribute(H5Aopen(object, name, H5P_DEFAULT));
    const Handle type(H5Aget_type(attribute)), space(H5Aget_space(attribute));
    std::vector<char> bytes(H5Aget_storage_size(attribute) + 1);
    if (!space.valid() || H5Aread(attribute, type, bytes.data()) < 0) return -1;
    const Handle made(H5Acreate2(*static_cast<const hid_t*>(data), name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    return made.valid() ? H5Awrite(made, type, bytes.data()) : -1;
  };
  check(H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_INC, nullptr, copy, &to), "copying attributes");
}

void replaceText(hid_t object, const char* name, std::string_view text) {
  const Handle attribute = own(H5Aopen(object, name, H5P_DEFAULT), name);
  const Handle type = own(H5Aget_type(attribute), name);
  std::string bytes(std::max<std::size_t>(H5Tget_size(type), 1), '\0');
  std::size_t length = std::min(text.size(), bytes.size() - 1);
  while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  std::copy_n(text.begin(), length, bytes.begin());
  check(H5Awrite(attribute, type, bytes.data()), name);
}

void replaceValue(hid_t object, const char* name, hid_t type, const void* value) {
  const Handle attribute = own(H5Aopen(object, name, H5P_DEFAULT), name);
  check(H5Awrite(attribute, type, value), name);
}

std::string text(hid_t object, const std::string& name) {
  if (H5Aexists(object, name.c_str()) <= 0) return {};
  const Handle attribute = own(H5Aopen(object, name.c_str(), H5P_DEFAULT), name);
  const Handle type = own(H5Aget_type(attribute), name);
  const Handle space = own(H5Aget_space(attribute), name);
  const auto count = static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space), name));
  const H5T_class_t kind = H5Tget_class(type);
  if (count == 0 || H5Aget_storage_size(attribute) > 16u << 20) return {};
  if (kind == H5T_STRING && H5Tis_variable_str(type) > 0) {
    if (count != 1) return {};
    char* value = nullptr;
    check(H5Aread(attribute, type, &value), name);
    std::string result = value == nullptr ? "" : value;
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, &value);
    return result;
  }
  if (kind == H5T_STRING) {
    const std::size_t width = H5Tget_size(type);
    std::string bytes(width * count, '\0');
    check(H5Aread(attribute, type, bytes.data()), name);
    std::string result;
    for (std::size_t i = 0; i < count; ++i)
      result += (i > 0 ? ", " : "") + std::string(bytes, i * width, strnlen(bytes.data() + i * width, width));
    return result;
  }
  if (count != 1 || (kind != H5T_INTEGER && kind != H5T_FLOAT)) return {};
  double value = 0.0;
  check(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value), name);
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.17g", value);
  return digits.data();
}

std::vector<std::string> children(hid_t group, H5O_type_t type, Unreadable unreadable) {
  struct Search {
    H5O_type_t type;
    Unreadable unreadable;
    std::vector<std::string> names;
  } search{type, unreadable, {}};
  const auto visit = [](hid_t id, const char* name, const H5L_info_t*, void* data) -> herr_t {
    auto* found = static_cast<Search*>(data);
    const hid_t object = H5Oopen(id, name, H5P_DEFAULT);
    if (object < 0) {
      H5Eclear2(H5E_DEFAULT);
      return found->unreadable == Unreadable::fault ? -1 : 0;
    }
    const Handle guard(object);
    const H5I_type_t kind = H5Iget_type(object);
    if (kind == (found->type == H5O_TYPE_DATASET ? H5I_DATASET : H5I_GROUP)) found->names.emplace_back(name);
    return 0;
  };
  check(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &search), "list of a group");
  return search.names;
}

std::vector<std::string> datasets(hid_t location, const std::string& group) {
  std::vector<std::string> paths;
  for (const std::string& name :
       children(own(H5Gopen2(location, group.c_str(), H5P_DEFAULT), "no group " + group), H5O_TYPE_DATASET))
    paths.push_back(group + "/" + name);
  return paths;
}

std::uint64_t size(hid_t dataset) {
  const Handle space = own(H5Dget_space(dataset), "size of a dataset");
  return static_cast<std::uint64_t>(check(H5Sget_simple_extent_npoints(space), "size of a dataset"));
}

std::string digest(hid_t file, const std::string& path) {
  constexpr hsize_t kSlice = (hsize_t{1} << 20) / sizeof(double);
  const Handle dataset = openDataset(file, path);
  const Handle type = own(H5Dget_type(dataset), path), space = own(H5Dget_space(dataset), path);
  const hsize_t total = size(dataset);
  const std::size_t width = H5Tget_size(type);
  std::vector<char> bytes(static_cast<std::size_t>(std::min(total, kSlice)) * width);
  Sha256 sha;
  for (hsize_t first = 0; first < total; first += kSlice) {
    const hsize_t count = std::min(kSlice, total - first);
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &count, nullptr), path);
    const Handle memory = own(H5Screate_simple(1, &count, nullptr), path);
    check(H5Dread(dataset, type, memory, space, H5P_DEFAULT, bytes.data()), path);
    sha.update(bytes.data(), static_cast<std::size_t>(count) * width);
  }
  return sha.hex();
}

namespace {

// HDF5 releases its own flock when SWMR begins; this lock is independent of it.
struct flock writerMark() {
  struct flock mark {};
  mark.l_type = F_WRLCK;
  mark.l_whence = SEEK_SET;
  mark.l_start = 0;
  mark.l_len = 1;
  return mark;
}

}  // namespace

bool holdWriterMark(int descriptor) noexcept {
  struct flock mark = writerMark();
  return fcntl(descriptor, F_OFD_SETLK, &mark) == 0;
}

bool writerAlive(const std::filesystem::path& file) noexcept {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct flock mark = writerMark();
  const bool held = fcntl(descriptor, F_OFD_GETLK, &mark) == 0 && mark.l_type != F_UNLCK;
  close(descriptor);
  return held;
}

}  // namespace hyb::h5
