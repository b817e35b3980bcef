#include "core/base/allocation_guard.h"

#include <cerrno>
#include <cstddef>

#ifdef HYB_SANITIZED
#define HYB_COUNT_ALLOCATIONS 0
#else
#define HYB_COUNT_ALLOCATIONS 1
#endif

namespace {
thread_local std::uint64_t allocations = 0;
}

#if HYB_COUNT_ALLOCATIONS
// Interposes the C allocator, the base of operator new and Eigen.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): the allocator of the C library, which has no other name.
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
// NOLINTEND(bugprone-reserved-identifier)

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  ++allocations;
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}
}
#endif

namespace hyb {

AllocationGuard::AllocationGuard() noexcept : start_(allocations) {}
std::uint64_t AllocationGuard::count() const noexcept { return allocations - start_; }
bool AllocationGuard::active() noexcept { return HYB_COUNT_ALLOCATIONS != 0; }

}  // namespace hyb
