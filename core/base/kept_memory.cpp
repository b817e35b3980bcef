#include "core/base/kept_memory.h"

#include <malloc.h>

#include <climits>

namespace hyb {

void keepFreedMemory() noexcept {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest that glibc takes; above, each block is mapped on its own
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

}  // namespace hyb
