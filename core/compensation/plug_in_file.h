#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "core/base/checks.h"
#include "core/compensation/plug_in_consent.h"

namespace hyb {

/// The bytes and the name of a shared library: read, not loaded.
struct PlugInBytes {
  PlugInFile of;
  std::string bytes;
};
using PlugInBytesPtr = std::shared_ptr<const PlugInBytes>;
/// Nothing if there are faults, at `where`: missing, or not a shared library. Runs none of its code.
PlugInBytesPtr readPlugIn(const std::filesystem::path& file, const std::string& where, Checks& checks);

/// Descriptor of an unnamed copy in memory, so that rebuilding the file does not affect the running code; -1: no
/// memory.
int copyInMemory(std::string_view bytes, const char* name);
/// Loads the library behind a descriptor. Null with the reason in `fault`.
void* loadLibrary(int fd, std::string& fault);

}  // namespace hyb
