#include "tests/support/paths.h"

namespace hyb::test {
// The only object of the tests that names the place of this checkout, so that a compiler cache serves every other one.
const char* const kProgram = HYB_PROGRAM;
const char* const kSourceDir = HYB_SOURCE_DIR;
const char* const kPlugIns = HYB_PLUG_INS;
}  // namespace hyb::test
