#pragma once
#include <QWidget>
#include <string>
#include <vector>

#include "core/project/project.h"

class QLabel;
class QListWidget;
class QStackedWidget;
class QTabWidget;

namespace hyb::ui {

class DelayView;
class IssueList;
class JsonEditor;
class PartitionEditor;
class ProjectDocument;
class Schematic;
class SectionForm;

/// Workspace "Configure": sections on the left, the form of one of them, the drawing with the critical delay and the
/// list of errors on the right.
class ConfigureWorkspace : public QWidget {
  Q_OBJECT
 public:
  explicit ConfigureWorkspace(ProjectDocument* document, QWidget* parent = nullptr);
  void setReadOnly(bool read_only);
  void showSection(const std::string& section);  // "/compensation"
  std::string section() const;
  /// Opens the section and puts the cursor into the field.
  void goTo(const std::string& pointer);
  QString helpPage() const;  // of the section in view
  bool textPending() const;  // JSON text not applied yet

 Q_SIGNALS:
  void helpWanted(const QString& page);

 private:
  void showIssues();
  void refreshNote();
  QWidget* makeMiddle();
  QWidget* makeRight();

  ProjectDocument* document_;
  QListWidget* sections_;
  QTabWidget* tabs_;
  QStackedWidget* stack_;
  SectionForm* form_;
  PartitionEditor* partition_;
  JsonEditor* json_;
  Schematic* schematic_;
  DelayView* delay_;
  IssueList* issues_;
  QLabel *title_, *description_, *note_, *hint_, *locked_;
  bool read_only_ = false;
};

}  // namespace hyb::ui
