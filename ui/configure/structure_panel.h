#pragma once
#include <QFrame>

#include "ui/base/widgets.h"
#include "ui/configure/mode_shapes.h"

class QComboBox;
class QPushButton;
class QScrollArea;
class QStackedWidget;
class QToolButton;

namespace hyb::ui {

class ProjectDocument;
class Schematic;
class StructureView;

/// The drawing with its controls: schematic of a lumped chain or view of any other structure, mode to overlay, and
/// button for a cut by a line.
class StructurePanel : public Panel {
  Q_OBJECT
 public:
  explicit StructurePanel(ProjectDocument* document, QWidget* parent = nullptr);
  void setEditing(bool on);
  StructureView* view() const { return view_; }
  /// Modes of the present cut; null: outdated.
  void setModes(const ModeSet* modes);

 private:
  void showFitting();  // shows the drawing that suits structure, cut and mode
  void fillModes();
  void showMode();
  QString captionOf(const ModeShape& mode, int number) const;

  ProjectDocument* document_;
  Schematic* schematic_;
  QScrollArea* schematic_area_;
  StructureView* view_;
  QStackedWidget* stack_;
  QComboBox *owner_, *number_;
  QToolButton* play_;
  QPushButton* line_;
  ModeSet modes_;
  bool editing_ = false;
};

}  // namespace hyb::ui
