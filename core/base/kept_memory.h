#pragma once

namespace hyb {

/// First call of a program: memory that is freed stays with the process, blocks up to 32 MB and what lies at the end of
/// the heap. Otherwise any thread that frees a long series gives its pages back to the system and fetches them again
/// for the next one, microseconds each, and the loop's thread waits with it. A sanitizer's allocator stays as it is.
void keepFreedMemory() noexcept;

}  // namespace hyb
