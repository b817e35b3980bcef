#pragma once
#include <memory>
#include <string>

#include "core/base/checks.h"
#include "core/compensation/plug_in_file.h"
#include "resources/plug-in/hybridbench_compensator.h"

namespace hyb {

/// A user's compensator: a shared library that was accepted, loaded and checked. The code is exactly the bytes with
/// sha256(); the file may be rebuilt in the meantime.
class PlugInLibrary {
 public:
  /// Nothing if there are faults, at `where`: another version, incomplete. Throws InputError if the user has not
  /// accepted it. Its code runs from here on.
  static std::shared_ptr<const PlugInLibrary> load(const PlugInBytes& read, const std::string& where, Checks& checks);
  ~PlugInLibrary();
  PlugInLibrary(const PlugInLibrary&) = delete;
  PlugInLibrary& operator=(const PlugInLibrary&) = delete;

  /// Functions that a library of an older version does not have are null.
  const hyb_compensator& table() const noexcept { return table_; }
  const PlugInFile& file() const noexcept { return file_; }

 private:
  PlugInLibrary() = default;
  PlugInFile file_;
  void* handle_ = nullptr;
  hyb_compensator table_{};
};

}  // namespace hyb
