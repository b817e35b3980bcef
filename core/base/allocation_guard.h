#pragma once
#include <cstdint>

namespace hyb {

/// Counts heap allocations of this thread (new, malloc, aligned) during its lifetime. Under a sanitizer, which owns the
/// allocator, nothing is counted and active() is false.
class AllocationGuard {
 public:
  AllocationGuard() noexcept;
  std::uint64_t count() const noexcept;
  static bool active() noexcept;

 private:
  std::uint64_t start_;
};

}  // namespace hyb
