#pragma once
#include <QWidget>
#include <filesystem>
#include <string>

class QLineEdit;

namespace hyb::ui {

/// Where the result of a campaign goes: a free name made from its title, until someone chooses another.
class ResultFile : public QWidget {
  Q_OBJECT
 public:
  explicit ResultFile(QWidget* parent = nullptr);
  void setFolder(const std::filesystem::path& folder);
  const std::filesystem::path& folder() const { return folder_; }
  void setTitle(const QString& title);
  void setReadOnly(bool on);
  /// File of a campaign started now; makes its folder. The same identity gets the unfinished file it had, so that the
  /// campaign is resumed. Throws DeviceError.
  std::filesystem::path take(const std::string& identity);
  /// The file that the next campaign goes on with.
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
