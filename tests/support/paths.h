#pragma once

namespace hyb::test {

extern const char* const kProgram;    // the built program, for suites that run it as a process
extern const char* const kSourceDir;  // the checkout

}  // namespace hyb::test
