#pragma once
#include <QWidget>
#include <filesystem>
#include <string>

class QLineEdit;

namespace hyb::ui {

/// Result file of a campaign: an unused name made from its title, until the user chooses another.
class ResultFile : public QWidget {
  Q_OBJECT
 public:
  explicit ResultFile(QWidget* parent = nullptr);
  void setFolder(const std::filesystem::path& folder);
  const std::filesystem::path& folder() const { return folder_; }
  void setTitle(const QString& title);
  void setReadOnly(bool on);
  /// File for a campaign that starts now; creates its folder. The same identity gets its unfinished file again, so that
  /// the campaign resumes. Throws DeviceError.
  std::filesystem::path take(const std::string& identity);
  /// Sets the file that the next campaign continues.
  void choose(const QString& file);

 private:
  std::filesystem::path fresh() const;
  void showName();

  std::filesystem::path folder_, taken_;
  QString title_;
  std::string identity_;
  bool own_name_ = true;
  QLineEdit* edit_;
};

}  // namespace hyb::ui
