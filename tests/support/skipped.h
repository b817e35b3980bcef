#pragma once

namespace hyb::test {

/// The exit code that means "skipped" to ctest (tests/CMakeLists.txt).
inline constexpr int kSkipped = 77;

}  // namespace hyb::test
