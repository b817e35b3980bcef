#pragma once
#include <hdf5.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"

/// Wrappers of the HDF5 C API for run and study files. Used only in core/record and core/study.
namespace hyb::h5 {

/// Silences the library's own error printing on this thread; call first in every public function.
void prepare() noexcept;
/// Cause of the last failed call of this thread: the text of the system if there is one ("No space left on device"),
/// else that of the library.
std::string errorText();

/// Owns one identifier of any kind. Files being written have their own close call, which reports its result.
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) noexcept : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) H5Idec_ref(id_);
  }
  operator hid_t() const noexcept { return id_; }
  bool valid() const noexcept { return id_ >= 0; }
  hid_t release() noexcept { return std::exchange(id_, -1); }

 private:
  hid_t id_ = -1;
};

/// Throws DeviceError "<what>: <why>" on a negative result.
template <typename T>
T check(T result, std::string_view what) {
  if (result < 0) throw DeviceError(std::string(what) + ": " + errorText());
  return result;
}
inline Handle own(hid_t id, std::string_view what) { return Handle(check(id, what)); }

/// Opens a dataset below a file or group for reading and writing. Throws DeviceError with its name.
Handle openDataset(hid_t location, const std::string& path);
/// Format 1.10 (SWMR), handles closed with the file, no locks.
Handle fileAccess();
/// Attributes and links are stored in the object header: attributes can be overwritten in place, and its checksum
/// covers both (HDF5 1.10 crashes on damaged dense groups). `kind`: H5P_FILE_CREATE, H5P_GROUP_CREATE or
/// H5P_DATASET_CREATE.
Handle creation(hid_t kind);
/// Fixed length, NUL-terminated; `bytes` includes the NUL.
Handle stringType(std::size_t bytes, H5T_cset_t characters);

/// Creates a scalar UTF-8 string attribute, length = bytes + 1, at least `room`.
void setText(hid_t object, const char* name, std::string_view text, std::size_t room = 0);
void setList(hid_t object, const char* name, const std::vector<std::string>& list);
template <typename T>
hid_t memoryType() {
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_NATIVE_UINT64;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
  if constexpr (std::is_same_v<T, std::uint32_t>) return H5T_NATIVE_UINT32;
  if constexpr (std::is_same_v<T, std::int32_t>) return H5T_NATIVE_INT32;
  if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_NATIVE_UINT8;
}
void setArray(hid_t object, const char* name, hid_t type, const void* values, std::size_t count, bool scalar);
template <typename T>
void setNumber(hid_t object, const char* name, T value) {
  setArray(object, name, memoryType<T>(), &value, 1, true);
}
/// Copies all attributes of one object to another that has none of them.
void copyAttributes(hid_t from, hid_t to);
/// Overwrites an existing attribute; longer text is truncated.
void replaceText(hid_t object, const char* name, std::string_view text);
void replaceValue(hid_t object, const char* name, hid_t type, const void* value);
template <typename T>
void replaceNumber(hid_t object, const char* name, T value) {
  replaceValue(object, name, memoryType<T>(), &value);
}

/// Strings (fixed or variable, lists joined by ", ") and single numbers as text; "" if there is none.
std::string text(hid_t object, const std::string& name);
enum class Unreadable : bool { fault, left_out };
/// Names of the links of a group to datasets (or groups).
std::vector<std::string> children(hid_t group, H5O_type_t type, Unreadable unreadable = Unreadable::fault);
/// "group/name" of the datasets of a group.
std::vector<std::string> datasets(hid_t location, const std::string& group);
/// Number of points of a dataset, the product of all dimensions.
std::uint64_t size(hid_t dataset);

/// SHA-256 of the raw bytes of a one-dimensional dataset, as 64 hexadecimal digits.
std::string digest(hid_t file, const std::string& path);

/// Marks a run file as being written by this process until the descriptor is closed; the system does that for a killed
/// process. Independent of HDF5. False if the file system does not support locks.
bool holdWriterMark(int descriptor) noexcept;
/// True if a living process writes this run file.
bool writerAlive(const std::filesystem::path& file) noexcept;

}  // namespace hyb::h5
