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

/// Shows the fitted model with its warnings, and each value of the project that it would change. The button applies all
/// changes in one step that can be undone.
class AcceptPanel : public Panel {
  Q_OBJECT
 public:
  explicit AcceptPanel(ProjectDocument* document, QWidget* parent = nullptr);
  ~AcceptPanel() override;
  /// Null: no model. `on_twin`: the run was made on the project's own twin, which then needs no change.
  void setFound(std::shared_ptr<const RunIdentification> found, bool on_twin);
  /// Reason why Accept is blocked; empty: not blocked.
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
    Json of;  // the document for which the changes were computed
    AdoptedModel adopted;
  };
  std::shared_ptr<const Prepared> prepared_;
  std::shared_ptr<std::atomic<bool>> wanted_;  // cleared to cancel the computation under way
  LatestTask task_;
};

}  // namespace hyb::ui
