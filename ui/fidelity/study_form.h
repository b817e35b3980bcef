#pragma once
#include <QWidget>
#include <vector>

#include "core/base/error.h"
#include "ui/fidelity/places.h"

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace hyb::ui {

class NumberEdit;
class VariationEdit;

/// A study as fields: what varies, seeds, figures, pace. Reads and writes the JSON of a study file but for its project.
class StudyForm : public QWidget {
  Q_OBJECT
 public:
  explicit StudyForm(QWidget* parent = nullptr);
  /// The project whose values are varied.
  void setProject(const Json& project);
  /// A rig runs in real time, one run after the other: the pace is then locked.
  void setOnRig(bool on);
  /// The study that the fields say; `project` as its "project".
  Json document(const std::string& project) const;
  /// Shows a study that has passed its schema.
  void show(const Json& document);
  /// Errors go to their field, the others below the form; `runs`: how many it makes, 0: not known.
  void setIssues(const std::vector<Issue>& issues, std::size_t runs);
  /// Runs at the same time; 0: one per core.
  unsigned jobs() const;

 Q_SIGNALS:
  void changed();

 private:
  VariationEdit* addVariation();
  void remove(VariationEdit* edit);
  void takeBack();
  std::vector<VariationEdit*> filled() const;  // a card that nobody has touched is no variation
  void renumber();
  void updateControls();

  Json project_;
  std::vector<Place> places_;
  std::vector<VariationEdit*> variations_;
  QVBoxLayout* list_;
  QLineEdit *title_, *seeds_, *set_;
  QComboBox *combine_, *pace_;
  QWidget* combine_row_;
  NumberEdit *pause_, *jobs_;
  QLabel *pause_label_, *jobs_label_, *runs_, *problems_;
  QCheckBox *all_figures_, *traces_;
  Json trace_list_;  // of the study in view, where it names channels
  QWidget* figures_;
  std::vector<QCheckBox*> figure_boxes_;
  QPushButton *add_, *back_;
  std::vector<std::pair<std::size_t, Json>> removed_;  // variations with their places, the last one first to come back
  int free_pace_ = 0;                                  // chosen while no rig was in it
  bool on_rig_ = false;
};

}  // namespace hyb::ui
