#pragma once
#include <filesystem>

#include "core/record/held_file.h"

namespace hyb {

/// A new file that gets its name when it is whole and on the disk, and goes if it never is. Until then it stands beside
/// that name under one of its own, that no file had. Every member throws DeviceError.
class FileInMaking {
 public:
  /// "<target><suffix>", or with a number behind where such a file is there.
  FileInMaking(const std::filesystem::path& target, const char* suffix);
  ~FileInMaking();
  FileInMaking(const FileInMaking&) = delete;
  FileInMaking& operator=(const FileInMaking&) = delete;

  const h5::HeldFile& held() const noexcept { return held_; }
  std::filesystem::path path() const { return held_.path(); }
  /// Fills it with the bytes of a file, whose permissions it gets as well.
  void copyFrom(const h5::HeldFile& from);
  void copyFrom(const std::filesystem::path& from);

  /// Synced, then under the target's name; refuses where a file has that by now.
  void publish();
  /// Synced, then in place of what has the target's name.
  void replace();
  /// In place of this file where it still has the target's name; from then on `old` holds the new one.
  void replace(h5::HeldFile& old);

 private:
  void copyFrom(int descriptor);
  std::filesystem::path target_;
  h5::HeldFile held_;
  bool published_ = false;
};

/// Gives a file another name; refuses where a file has that already. Throws DeviceError.
void renameToNew(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace hyb
