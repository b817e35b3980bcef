#pragma once
#include <optional>

#include "core/project/project.h"
#include "ui/base/notice_bar.h"

namespace hyb::ui {

/// Asks whether a test may run a library that this user has not accepted yet; no code of it runs before. Hidden while
/// there is nothing to ask.
class LibraryQuestion : public NoticeBar {
  Q_OBJECT
 public:
  explicit LibraryQuestion(QWidget* parent = nullptr);
  /// False: asks about a library of the project, and Arm has to wait for the answer.
  bool allows(const Project& project);
  void withdraw() { ask({}); }

 Q_SIGNALS:
  /// What the operator is to be told; `error`: it could not be accepted.
  void said(const QString& text, bool error);

 private:
  void ask(const std::optional<PlugInFile>& library);
  void accept();

  std::optional<PlugInFile> asked_;
};

}  // namespace hyb::ui
