#pragma once
#include <QWidget>
#include <string>
#include <vector>

#include "core/project/project.h"

class QFrame;
class QLabel;
class QListWidget;
class QTabWidget;

namespace hyb::ui {

class CutMapPanel;
class DelayView;
class IssueList;
class JsonEditor;
class ProjectDocument;
class SectionForm;
class SpringPanel;
class StructurePanel;

/// Workspace "Configure": sections on the left, the form of one of them, the drawing with the critical delay and the
/// list of errors on the right. Section Partition adds the map "Where may I cut?" under the drawing. Section Coupling
/// of a force-based project shows "Which spring?" there.
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
  /// Requests a field that is edited in the workspace Rig.
  void rigWanted(const QString& pointer);

 private:
  void showIssues();
  void showFigures();
  void followCut();
  void refreshNote();
  void arrange();
  QString cutSummary() const;
  QWidget* makeMiddle();
  QWidget* makeRight();

  ProjectDocument* document_;
  QListWidget* sections_;
  QTabWidget* tabs_;
  SectionForm* form_;
  JsonEditor* json_;
  StructurePanel* drawing_;
  CutMapPanel* map_;
  SpringPanel* springs_;
  DelayView* delay_;
  IssueList* issues_;
  QFrame* issues_panel_ = nullptr;
  QLabel *title_, *description_, *summary_, *left_out_, *note_, *hint_, *locked_;
  bool read_only_ = false;
};

}  // namespace hyb::ui
