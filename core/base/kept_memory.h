#pragma once

namespace hyb {

/// Call first in a program: freed memory stays with the process, both blocks up to 32 MB and the end of the heap.
/// Otherwise any thread that frees a long series returns its pages to the system and fetches them again for the next
/// one, microseconds each, while the loop's thread waits. A sanitizer's allocator is unchanged.
void keepFreedMemory() noexcept;

}  // namespace hyb
