#pragma once
#include <QWidget>
#include <map>
#include <string>

class QCheckBox;
class QLabel;
class QVBoxLayout;

namespace hyb::ui {

class ProjectDocument;

/// Section "Partition": a check box for each mass and link that puts it on the rig, and what the cut comes to.
class PartitionEditor : public QWidget {
  Q_OBJECT
 public:
  explicit PartitionEditor(ProjectDocument* document, QWidget* parent = nullptr);
  void setReadOnly(bool read_only);

 private:
  void refresh();
  void rebuild();

  ProjectDocument* document_;
  QWidget* content_ = nullptr;
  QVBoxLayout* box_;
  QLabel* summary_;
  QLabel* message_;
  std::map<std::string, QCheckBox*> boxes_;
  bool read_only_ = false;
};

}  // namespace hyb::ui
