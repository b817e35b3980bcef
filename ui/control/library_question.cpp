#include "ui/control/library_question.h"

#include <QPushButton>

namespace hyb::ui {
namespace {

/// Splits digits into blocks, so that a line can break between them.
QString sha256Text(const std::string& sha256) {
  constexpr std::size_t kDigitsInBlock = 16;
  QStringList blocks;
  for (std::size_t at = 0; at < sha256.size(); at += kDigitsInBlock)
    blocks << QString::fromStdString(sha256.substr(at, kDigitsInBlock));
  return blocks.join(QLatin1Char(' '));
}

}  // namespace

std::vector<PlugInFile> librariesOfRig(const Project& project) {
  return project.rig.use != RigUse::twin ? project.rig.connection.protocol->libraries() : std::vector<PlugInFile>();
}

std::vector<PlugInFile> librariesOfTest(const Project& project) {
  std::vector<PlugInFile> libraries = project.compensation.method->notLoaded();
  for (PlugInFile& library : librariesOfRig(project)) libraries.push_back(std::move(library));
  return libraries;
}

LibraryQuestion::LibraryQuestion(const QString& what, const QString& action, QWidget* parent)
    : NoticeBar("warning", parent), action_(action) {
  setObjectName(what + QStringLiteral("-question"));
  auto* yes = new QPushButton(tr("Accept library"));
  yes->setObjectName(QStringLiteral("accept-") + what);
  auto* no = new QPushButton(tr("Do not run it"));
  no->setObjectName(QStringLiteral("decline-") + what);
  addWidget(yes);
  addWidget(no);
  connect(yes, &QPushButton::clicked, this, [this] { accept(); });
  connect(no, &QPushButton::clicked, this, [this] { withdraw(); });
}

bool LibraryQuestion::allows(const std::vector<PlugInFile>& libraries) {
  withdraw();
  for (const PlugInFile& library : libraries)
    if (!isAccepted(library)) {
      ask(library);
      Q_EMIT said(tr("%1 is blocked: the library is not accepted. Answer the question above.").arg(action_), true);
      return false;
    }
  return true;
}

void LibraryQuestion::ask(const std::optional<PlugInFile>& library) {
  asked_ = library;
  setText(library ? tr("%1 is a library that you have not accepted yet, SHA-256 %2. It runs with all your user rights. "
                       "Accept it only if you trust its source.")
                        .arg(QString::fromStdString(library->file.string()), sha256Text(library->sha256))
                  : QString());
}

void LibraryQuestion::accept() {
  if (!asked_) return;
  const PlugInFile accepted = *asked_;
  withdraw();
  try {
    acceptPlugIn(accepted);
    Q_EMIT said(tr("%1 is accepted. %2 again.").arg(QString::fromStdString(accepted.file.filename().string()), action_),
                false);
  } catch (const std::exception& error) {
    Q_EMIT said(QString::fromUtf8(error.what()), true);
  }
}

}  // namespace hyb::ui
