#pragma once
#include <QFrame>
#include <memory>

#include "core/study/face_campaign.h"
#include "ui/base/widgets.h"

class QGridLayout;
class QLabel;
class QToolButton;

namespace hyb::ui {

class NumberEdit;

/// FACE's assessment of the test with the least error: word, numbers and reason.
class FaceVerdictPanel : public Panel {
  Q_OBJECT
 public:
  explicit FaceVerdictPanel(QWidget* parent = nullptr);
  /// final: the campaign has ended; the word is shown only then.
  void show(const std::shared_ptr<const FaceReport>& report, bool final);
  QString word() const;
  QString sentence() const;
  QString reasons() const;  // at most three lines below the sentence
  QString details() const;  // behind the button, which shows or hides them

 Q_SIGNALS:
  void toleranceChosen(double percent);

 private:
  QLabel* addLine(QGridLayout* grid, const QString& title, const QString& tip, QLabel** name_label = nullptr);
  void showInterval(QLabel* name, QLabel* value, const FaceReport& report, const FacePrediction& prediction);
  QLabel *word_, *value_, *interval_, *best_, *error_, *reference_, *model_, *model_interval_, *sentence_, *reasons_,
      *details_, *missing_;
  QToolButton* more_;
  QLabel *interval_name_ = nullptr, *model_interval_name_ = nullptr;
  NumberEdit* tolerance_;
};

}  // namespace hyb::ui
