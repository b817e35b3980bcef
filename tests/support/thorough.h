#pragma once

namespace hyb::test {

/// False under a sanitizer: it sees a fault the first time a path is gone and is many times slower, so that what the
/// other builds try hundreds of times is tried a few times there.
extern const bool kThorough;

}  // namespace hyb::test
