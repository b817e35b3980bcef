#pragma once
#include <cstddef>

namespace hyb::test {

/// While it lives, the system refuses one write to a file by this thread, the n-th from 1, or all from that on, with
/// "Input/output error". n = 0: it only counts.
class RefusedWrites {
 public:
  enum class Mode { once, from_then_on };
  RefusedWrites(std::size_t n, Mode mode);
  ~RefusedWrites();
  std::size_t asked() const;  // writes so far, refused ones among them
};

/// While it lives, other threads than the one that made it get no memory by `new`. Without effect under a sanitizer,
/// which owns the allocator: active() says so.
class RefusedMemory {
 public:
  RefusedMemory();
  ~RefusedMemory();
  static bool active();
};

}  // namespace hyb::test
