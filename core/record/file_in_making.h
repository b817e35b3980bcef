#pragma once
#include <filesystem>

#include "core/record/held_file.h"

namespace hyb {

/// A new file that gets its name when it is complete and on the disk; otherwise it is removed. Until then it is in the
/// same folder under a temporary, unused name. Every member throws DeviceError.
class FileInMaking {
 public:
  /// "<target><suffix>", with a number appended if such a file exists.
  FileInMaking(const std::filesystem::path& target, const char* suffix);
  ~FileInMaking();
  FileInMaking(const FileInMaking&) = delete;
  FileInMaking& operator=(const FileInMaking&) = delete;

  const h5::HeldFile& held() const noexcept { return held_; }
  std::filesystem::path path() const { return held_.path(); }
  /// Fills it with the bytes and permissions of a file.
  void copyFrom(const h5::HeldFile& from);
  void copyFrom(const std::filesystem::path& from);

  /// Syncs it, then gives it the target's name; refuses if that name is in use by then.
  void publish();
  /// Syncs it, then replaces the file with the target's name.
  void replace();
  /// Replaces this file if it still has the target's name; `old` then holds the new file.
  void replace(h5::HeldFile& old);

 private:
  void copyFrom(int descriptor);
  std::filesystem::path target_;
  h5::HeldFile held_;
  bool published_ = false;
};

/// Renames a file; refuses if the name is in use. Throws DeviceError.
void renameToNew(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace hyb
