#pragma once
#include <QFrame>
#include <memory>

#include "core/study/face_campaign.h"
#include "ui/base/widgets.h"

class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace hyb::ui {

/// List of the tests of a FACE campaign: varied value, error, quantity, end of each test. A test can be left out with a
/// reason, included again, and opened.
class FaceTests : public Panel {
  Q_OBJECT
 public:
  explicit FaceTests(QWidget* parent = nullptr);
  void show(std::shared_ptr<const FaceReport> report);
  void select(int test);
  int selected() const;
  /// While a campaign runs, tests cannot be left out.
  void setEditable(bool on);

 Q_SIGNALS:
  void selectionChanged(int test);
  /// An empty reason includes the test again.
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
