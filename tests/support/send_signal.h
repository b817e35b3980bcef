#pragma once
#include <signal.h>

#include <QProcess>

namespace hyb::test {

/// Sends `signal` to a process that still runs. False: it has ended, nobody got anything (its id would be 0, which
/// means everybody around).
inline bool sendSignal(const QProcess& process, int signal) {
  const auto id = static_cast<pid_t>(process.processId());
  return id > 0 && ::kill(id, signal) == 0;
}

}  // namespace hyb::test
