#pragma once

namespace hyb::test {

/// The exit code that means "skipped" to ctest; with HYB_NO_SKIPS set, where nothing may be lacking, a failure.
int skippedCode() noexcept;

}  // namespace hyb::test
