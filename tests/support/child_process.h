#pragma once
#include <QProcess>

namespace hyb::test {

/// A process that Qt starts by fork(): its own way, clone(), is one that the thread sanitizer of clang 14 does not
/// survive.
class ChildProcess : public QProcess {
 public:
  ChildProcess() {
    setChildProcessModifier([] {});
  }
};

}  // namespace hyb::test
