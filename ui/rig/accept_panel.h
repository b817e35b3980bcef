#pragma once
#include <QFrame>
#include <atomic>
#include <memory>

#include "core/assess/adopt_model.h"
#include "ui/base/latest_task.h"
#include "ui/base/widgets.h"

class QCheckBox;
class QLabel;
class QPushButton;
class QTableWidget;

namespace hyb::ui {

class ProjectDocument;

/// The model that was found, with what should not be trusted of it; what of the project it would change, value by
/// value; and the button that changes it, in one step that can be undone.
class AcceptPanel : public Panel {
  Q_OBJECT
 public:
  explicit AcceptPanel(ProjectDocument* document, QWidget* parent = nullptr);
  ~AcceptPanel() override;
  /// Null: nothing was found. `on_twin`: what was looked at is the project's own twin, which therefore need not change.
  void setFound(std::shared_ptr<const RunIdentification> found, bool on_twin);
  /// Why nothing can be accepted now; empty: it can.
  void setBlocked(const QString& why);

 Q_SIGNALS:
  void accepted(const QString& sentence);

 private:
  void showModel();
  void prepare();
  void showChanges();
  void updateButton();
  void accept();

  ProjectDocument* document_;
  std::shared_ptr<const RunIdentification> found_;
  QLabel *model_, *findings_, *note_;
  QCheckBox *twin_, *compensation_;
  QTableWidget* changes_;
  QPushButton* accept_;
  QString blocked_, problem_, accepted_;
  struct Prepared {
    Json of;  // the document that it was worked out for
    AdoptedModel adopted;
  };
  std::shared_ptr<const Prepared> prepared_;
  std::shared_ptr<std::atomic<bool>> wanted_;  // what is being worked out
  LatestTask task_;
};

}  // namespace hyb::ui
