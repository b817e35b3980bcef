#include "core/compensation/plug_in_file.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "core/base/file_bytes.h"
#include "core/base/sha256.h"

namespace hyb {

PlugInBytesPtr readPlugIn(const std::filesystem::path& file, const std::string& where, Checks& checks) {
  constexpr std::size_t kLargest = 64U << 20U;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  std::optional<std::string> bytes = size > kLargest ? std::string() : bytesOf(file);
  if (error || !bytes) {
    checks.fault(where,
                 "\"" + file.string() + "\" cannot be read; give the path of the library, from the project's folder");
    return nullptr;
  }
  if (!bytes->starts_with("\x7f"
                          "ELF")) {
    checks.fault(where, "\"" + file.string() + "\" is not a shared library");
    return nullptr;
  }
  Sha256 digest;
  digest.update(bytes->data(), bytes->size());
  return std::make_shared<const PlugInBytes>(PlugInBytes{{file, digest.hex()}, std::move(*bytes)});
}

int copyInMemory(std::string_view bytes, const char* name) {
  const int fd = memfd_create(name, MFD_CLOEXEC);
  while (fd >= 0 && !bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written <= 0) {
      ::close(fd);
      return -1;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return fd;
}

void* loadLibrary(int fd, std::string& fault) {
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  const char* const why = dlerror();
  fault = why != nullptr ? why : "unknown";
  if (const auto at = fault.find(path); at == 0) fault.erase(0, std::min(fault.size(), path.size() + 2));
  return nullptr;
}

}  // namespace hyb
