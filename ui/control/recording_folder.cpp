#include "ui/control/recording_folder.h"

#include <QDir>
#include <QStandardPaths>

namespace hyb::ui {

std::filesystem::path recordingFolder(const Project& project) {
  const QDir documents(QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation));
  const std::filesystem::path standard = documents.filePath(QStringLiteral("HybridBench")).toStdString();
  const std::filesystem::path wanted = project.recording.folder;
  if (wanted.empty()) return standard;
  if (wanted.is_absolute()) return wanted;
  return project.folder.empty() ? standard / wanted : project.folder / wanted;
}

}  // namespace hyb::ui
