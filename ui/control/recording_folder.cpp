#include "ui/control/recording_folder.h"

#include <QDateTime>
#include <QDir>
#include <QRegularExpression>
#include <QStandardPaths>

namespace hyb::ui {

std::filesystem::path recordingFolder(const Project& project) {
  const QDir documents(QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation));
  std::filesystem::path standard = documents.filePath(QStringLiteral("HybridBench")).toStdString();
  std::filesystem::path wanted = project.recording.folder;
  if (wanted.empty()) return standard;
  if (wanted.is_absolute()) return wanted;
  return project.folder.empty() ? standard / wanted : project.folder / wanted;
}

QString recordingName(const QString& title) {
  QString slug = title.toLower().replace(QRegularExpression(QStringLiteral("[^a-z0-9]+")), QStringLiteral("-"));
  slug.remove(QRegularExpression(QStringLiteral("^-+|-+$")));
  return (slug.isEmpty() ? QStringLiteral("run") : slug.left(40)) +
         QDateTime::currentDateTime().toString(QStringLiteral("-yyyyMMdd-HHmmss")) + QStringLiteral(".h5");
}

std::filesystem::path newRecording(const std::filesystem::path& folder, const QString& title) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw DeviceError(folder.string() + ": the folder cannot be created (" + error.message() +
                      "). Choose another folder: Configure > Recording > Folder.");
  // Two tests within a second must not share a name.
  const QString name = recordingName(title);
  std::filesystem::path file = folder / name.toStdString();
  for (int n = 2; std::filesystem::exists(file, error); ++n)
    file = folder / (name.chopped(3) + QStringLiteral("-%1.h5").arg(n)).toStdString();
  return file;
}

}  // namespace hyb::ui
