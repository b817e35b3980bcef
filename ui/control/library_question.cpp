#include "ui/run/library_question.h"

#include <QPushButton>

namespace hyb::ui {
namespace {

/// Splits digits into blocks, so that a line can break between them.
QString sha256Text(const std::string& sha256) {
  constexpr std::size_t kBlock = 16;
  QStringList blocks;
  for (std::size_t at = 0; at < sha256.size(); at += kBlock)
    blocks << QString::fromStdString(sha256.substr(at, kBlock));
  return blocks.join(QLatin1Char(' '));
}

}  // namespace

LibraryQuestion::LibraryQuestion(QWidget* parent) : NoticeBar("warning", parent) {
  setObjectName(QStringLiteral("library-question"));
  auto* yes = new QPushButton(tr("Accept library"));
  yes->setObjectName(QStringLiteral("accept-library"));
  auto* no = new QPushButton(tr("Do not run it"));
  no->setObjectName(QStringLiteral("decline-library"));
  addWidget(yes);
  addWidget(no);
  connect(yes, &QPushButton::clicked, this, [this] { accept(); });
  connect(no, &QPushButton::clicked, this, [this] { withdraw(); });
}

bool LibraryQuestion::allows(const Project& project) {
  withdraw();
  std::vector<PlugInFile> libraries = project.compensation.method->notLoaded();
  if (project.rig.use != RigUse::twin)
    for (PlugInFile& library : project.rig.connection.protocol->libraries()) libraries.push_back(std::move(library));
  for (const PlugInFile& library : libraries)
    if (!isAccepted(library)) {
      ask(library);
      Q_EMIT said(tr("Arm is blocked: the library of this test is not accepted. Answer the question above."), true);
      return false;
    }
  return true;
}

void LibraryQuestion::ask(const std::optional<PlugInFile>& library) {
  asked_ = library;
  setText(library ? tr("This test runs a library that you have not accepted yet: %1, SHA-256 %2. It runs with all your "
                       "user rights. Accept it only if you trust its source.")
                        .arg(QString::fromStdString(library->file.string()), sha256Text(library->sha256))
                  : QString());
}

void LibraryQuestion::accept() {
  if (!asked_) return;
  const PlugInFile accepted = *asked_;
  withdraw();
  try {
    acceptPlugIn(accepted);
    Q_EMIT said(tr("%1 is accepted. Arm (F5) again.").arg(QString::fromStdString(accepted.file.filename().string())),
                false);
  } catch (const std::exception& error) {
    Q_EMIT said(QString::fromUtf8(error.what()), true);
  }
}

}  // namespace hyb::ui
