#pragma once
#include <QFrame>
#include <memory>

#include "core/study/face_campaign.h"
#include "ui/base/widgets.h"

class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace hyb::ui {

/// The tests of a FACE campaign as a list: what was varied, error, quantity, how each ended. A test can be left out
/// with a reason, taken back, and opened.
class FaceTests : public Panel {
  Q_OBJECT
 public:
  explicit FaceTests(QWidget* parent = nullptr);
  void show(std::shared_ptr<const FaceReport> report);
  void select(int test);
  int selected() const;
  /// While a campaign runs, its tests are not judged.
  void setEditable(bool on);

 Q_SIGNALS:
  void selectionChanged(int test);
  /// reason: empty takes the test back.
  void dropRequested(int test, const QString& reason);
  void openRequested(const QString& file);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void recolour();
  void updateButtons();

  std::shared_ptr<const FaceReport> report_;
  bool editable_ = true;
  QTreeWidget* tree_;
  QLineEdit* reason_;
  QPushButton *drop_, *open_;
};

}  // namespace hyb::ui
