#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "core/checks.h"
#include "resources/plug-in/hybridbench_compensator.h"

namespace hyb {

/// A user's compensator: a shared library that was read, checked and loaded. What runs is the very bytes that sha256()
/// names; the file may be built anew meanwhile.
class PlugInLibrary {
 public:
  /// Nothing where there are faults, at `where`: not there, no shared library, another version, incomplete.
  static std::shared_ptr<const PlugInLibrary> load(const std::filesystem::path& file, const std::string& where,
                                                   Checks& checks);
  ~PlugInLibrary();
  PlugInLibrary(const PlugInLibrary&) = delete;
  PlugInLibrary& operator=(const PlugInLibrary&) = delete;

  /// What a library of an older version does not have is null.
  const hyb_compensator& table() const noexcept { return table_; }
  const std::filesystem::path& file() const noexcept { return file_; }
  const std::string& sha256() const noexcept { return sha256_; }

 private:
  PlugInLibrary() = default;
  std::filesystem::path file_;
  std::string sha256_;
  void* handle_ = nullptr;
  hyb_compensator table_{};
};

}  // namespace hyb
