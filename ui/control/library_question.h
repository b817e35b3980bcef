#pragma once
#include <optional>
#include <vector>

#include "core/project/project.h"
#include "ui/base/notice_bar.h"

namespace hyb::ui {

/// Libraries whose code runs when the rig of a project is connected, and when its test is armed.
std::vector<PlugInFile> librariesOfRig(const Project& project);
std::vector<PlugInFile> librariesOfTest(const Project& project);

/// Asks whether a library that this user has not accepted yet may run; no code of it runs before. Hidden while there is
/// nothing to ask.
class LibraryQuestion : public NoticeBar {
  Q_OBJECT
 public:
  /// `what` is asked about, for object names: "library". `action` waits for the answer: "Arm (F5)".
  LibraryQuestion(const QString& what, const QString& action, QWidget* parent = nullptr);
  /// False: asks about the first library that is not accepted, and the action has to wait for the answer.
  bool allows(const std::vector<PlugInFile>& libraries);
  void withdraw() { ask({}); }

 Q_SIGNALS:
  /// What the operator is to be told; `error`: it could not be accepted.
  void said(const QString& text, bool error);

 private:
  void ask(const std::optional<PlugInFile>& library);
  void accept();

  QString action_;
  std::optional<PlugInFile> asked_;
};

}  // namespace hyb::ui
