#include "core/base/kept_memory.h"

#include <malloc.h>

#include <climits>

namespace hyb {

void keepFreedMemory() noexcept {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest value of glibc; above it, each block is mapped separately
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

}  // namespace hyb
