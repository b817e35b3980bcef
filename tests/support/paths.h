#pragma once

namespace hyb::test {

extern const char* const kProgram;    // the built program, for suites that run it as a process
extern const char* const kSourceDir;  // the checkout
extern const char* const kPlugIns;    // compensators as shared libraries that the tests build

}  // namespace hyb::test
