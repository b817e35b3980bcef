#pragma once
#include <memory>
#include <string>

#include "core/base/checks.h"
#include "core/compensation/plug_in_consent.h"
#include "resources/plug-in/hybridbench_compensator.h"

namespace hyb {

/// The bytes of a shared library and what they are called: read, not loaded.
struct PlugInBytes {
  PlugInFile of;
  std::string bytes;
};
using PlugInBytesPtr = std::shared_ptr<const PlugInBytes>;
/// Nothing where there are faults, at `where`: not there, no shared library. Runs nothing of it.
PlugInBytesPtr readPlugIn(const std::filesystem::path& file, const std::string& where, Checks& checks);

/// A user's compensator: a shared library that was accepted, loaded and checked. What runs is the very bytes that
/// sha256() names; the file may be built anew meanwhile.
class PlugInLibrary {
 public:
  /// Nothing where there are faults, at `where`: another version, incomplete. Throws InputError where the user has not
  /// accepted it. From here on it runs.
  static std::shared_ptr<const PlugInLibrary> load(const PlugInBytes& read, const std::string& where, Checks& checks);
  ~PlugInLibrary();
  PlugInLibrary(const PlugInLibrary&) = delete;
  PlugInLibrary& operator=(const PlugInLibrary&) = delete;

  /// What a library of an older version does not have is null.
  const hyb_compensator& table() const noexcept { return table_; }
  const PlugInFile& file() const noexcept { return file_; }

 private:
  PlugInLibrary() = default;
  PlugInFile file_;
  void* handle_ = nullptr;
  hyb_compensator table_{};
};

}  // namespace hyb
