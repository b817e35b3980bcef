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
class SamplesEdit;
class VariationEdit;

/// A study as fields: variations, random settings, seeds, figures, pace. Reads and writes the JSON of a study file
/// except its project.
class StudyForm : public QWidget {
  Q_OBJECT
 public:
  explicit StudyForm(QWidget* parent = nullptr);
  /// Sets the project whose values are varied.
  void setProject(const Json& project);
  /// Locks the pace: a rig runs in real time, one run after the other.
  void setOnRig(bool on);
  /// The study from the fields, with `project` as its "project".
  Json document(const std::string& project) const;
  /// Shows a study that has passed its schema.
  void show(const Json& document);
  /// Shows errors at their fields, and other errors below the form. `runs`: number of runs, 0: unknown.
  void setIssues(const std::vector<Issue>& issues, std::size_t runs);
  /// Runs at the same time; 0: one per core.
  unsigned jobs() const;

 Q_SIGNALS:
  void changed();

 private:
  VariationEdit* addVariation();
  void remove(VariationEdit* edit);
  void takeBack();
  std::vector<VariationEdit*> filled() const;  // an untouched card is no variation
  void renumber();
  void updateControls();

  Json project_;
  std::vector<Place> places_;
  std::vector<VariationEdit*> variations_;
  QVBoxLayout* list_;
  QLineEdit *title_, *seeds_, *set_;
  QComboBox *combine_, *pace_;
  QWidget* combine_row_;
  SamplesEdit* samples_;
  QLabel *samples_label_, *search_text_, *search_label_;
  Json correlations_, search_;  // of the study in view
  NumberEdit *pause_, *jobs_;
  QLabel *pause_label_, *jobs_label_, *runs_, *problems_;
  QCheckBox *all_figures_, *traces_;
  Json trace_list_;  // channels named by the study in view
  QWidget* figures_;
  std::vector<QCheckBox*> figure_boxes_;
  QPushButton *add_, *back_;
  std::vector<std::pair<std::size_t, Json>> removed_;  // variations with their places, last removed first
  int free_pace_ = 0;                                  // pace chosen without a rig
  bool on_rig_ = false;
};

}  // namespace hyb::ui
