#pragma once
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/support/skipped.h"

namespace hyb::test {

/// For suites that need pseudo-terminals, which a container may lack: then one sentence, and the program ends at once
/// as skipped. Before anything is opened.
inline void requirePseudoTerminals() {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  char name[64];
  int line = -1;
  if (terminal >= 0 && ::grantpt(terminal) == 0 && ::unlockpt(terminal) == 0 &&
      ::ptsname_r(terminal, name, sizeof name) == 0)
    line = ::open(name, O_RDWR | O_NOCTTY);
  const bool there = line >= 0;
  if (line >= 0) ::close(line);
  if (terminal >= 0) ::close(terminal);
  if (there) return;
  std::fprintf(stderr, "SKIP: this machine has no pseudo-terminals (/dev/ptmx with devpts on /dev/pts); mount them.\n");
  std::fflush(nullptr);
  std::_Exit(kSkipped);
}

}  // namespace hyb::test
