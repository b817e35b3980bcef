#include "tests/core/record/refusing_system.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t asked = 0, refuse_from = 0, refuse_to = 0;
std::atomic<bool> memory_refused{false};
thread_local bool spared = false;

/// Whether this write is refused; the standard streams are none of the files.
bool refuses(int descriptor) {
  if (descriptor <= STDERR_FILENO) return false;
  ++asked;
  if (asked < refuse_from || asked >= refuse_to) return false;
  errno = EIO;
  return true;
}

}  // namespace

// In the place of the system's, for this program and the libraries that it loads.
extern "C" {
ssize_t pwrite64(int file, const void* bytes, size_t count, off_t at) {
  return refuses(file) ? -1 : syscall(SYS_pwrite64, file, bytes, count, at);
}
ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) { return pwrite64(file, bytes, count, at); }
ssize_t write(int file, const void* bytes, size_t count) {
  return refuses(file) ? -1 : syscall(SYS_write, file, bytes, count);
}
}

#ifndef HYB_SANITIZED
void* operator new(std::size_t size) {
  void* const memory = memory_refused.load() && !spared ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace hyb::test {

RefusedWrites::RefusedWrites(std::size_t n, Mode mode) {
  ::asked = 0;
  refuse_from = n;
  refuse_to = n == 0 ? 0 : mode == Mode::once ? n + 1 : static_cast<std::size_t>(-1);
}
RefusedWrites::~RefusedWrites() { refuse_from = refuse_to = 0; }
std::size_t RefusedWrites::asked() const { return ::asked; }

RefusedMemory::RefusedMemory() {
  spared = true;
  memory_refused = true;
}
RefusedMemory::~RefusedMemory() {
  memory_refused = false;
  spared = false;
}
bool RefusedMemory::active() {
#ifndef HYB_SANITIZED
  return true;
#else
  return false;
#endif
}

}  // namespace hyb::test
