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

/// The drawing with its controls: the schematic of a lumped chain or the view of any other structure, the mode to draw
/// over it, and the way to a cut by a line.
class StructurePanel : public Panel {
  Q_OBJECT
 public:
  explicit StructurePanel(ProjectDocument* document, QWidget* parent = nullptr);
  void setEditing(bool on);
  StructureView* view() const { return view_; }
  /// Modes of the present cut; null: not known any more.
  void setModes(const ModeSet* modes);

 private:
  void showFitting();  // the drawing that fits structure, cut and mode
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
