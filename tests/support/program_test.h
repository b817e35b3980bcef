#pragma once
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <memory>
#include <string>

#include "core/project/project.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"

namespace hyb::test {

/// How a call of the program ended; code -1: it crashed or did not end in time.
struct Outcome {
  int code = -1;
  std::string out, err;
  Json json() const { return Json::parse(out); }
};

/// A suite that calls the program (hyb::test::kProgram) in a temporary folder; init() of the suite makes a new folder_.
class ProgramTest : public QObject {
 protected:
  QString path(const char* name) const { return folder_->filePath(name); }
  /// Whole lines of a file so far; 0 while there is none.
  qsizetype lines(const char* name) const {
    QFile file(path(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll().count('\n') : 0;
  }
  void start(QProcess& process, const QStringList& arguments) const {
    process.setWorkingDirectory(folder_->path());
    process.start(hyb::test::kProgram, arguments);
  }
  /// Waits for the end of a process that was started.
  static Outcome finished(QProcess& process) {
    Outcome outcome;
    if ((process.state() == QProcess::NotRunning || process.waitForFinished(kHangs_ms)) &&
        process.exitStatus() == QProcess::NormalExit)
      outcome.code = process.exitCode();
    outcome.out = process.readAllStandardOutput().toStdString();
    outcome.err = process.readAllStandardError().toStdString();
    return outcome;
  }
  Outcome call(const QStringList& arguments) const {
    QProcess process;
    start(process, arguments);
    return finished(process);
  }

  std::unique_ptr<QTemporaryDir> folder_;
};

}  // namespace hyb::test
