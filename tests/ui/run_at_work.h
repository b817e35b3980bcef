#pragma once
#include <QComboBox>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/gui_session.h"
#include "tests/support/patience.h"
#include "ui/run/run_workspace.h"

namespace hyb::ui::testing {

/// The workspace Run as it is in a window of 1280 x 800, with a folder of its own to record into.
class RunAtWork {
 public:
  RunAtWork() {
    workspace.resize(1280, 712);
    workspace.show();
    if (!QTest::qWaitForWindowExposed(&workspace)) qFatal("no window");
  }
  /// The project, which from now on records into `folder`.
  Project open(Json document) {
    document["recording"]["folder"] = folder.path().toStdString();
    Project project = parseProject(document);
    workspace.setProject(project);
    return project;
  }
  /// Brings a page into view.
  void turnTo(QWidget* page) {
    for (QTabWidget* tabs : workspace.findChildren<QTabWidget*>())
      if (tabs->indexOf(page) >= 0) tabs->setCurrentWidget(page);
    QVERIFY(page->isVisible());
  }
  void arm() {
    for (QComboBox* combo : workspace.findChildren<QComboBox*>())
      if (combo->accessibleName() == "Pace") combo->setCurrentIndex(combo->findData(static_cast<int>(Pace::free_run)));
    press("Arm");
    QCOMPARE(controller.state(), State::armed);
  }
  /// From Arm to its end, as fast as it goes.
  void runFreely() {
    QSignalSpy ended(&controller, &RunController::ended);
    arm();
    for (QPushButton* line : workspace.findChildren<QPushButton*>("acknowledge"))
      if (line->isVisible()) line->click();
    QTRY_VERIFY_WITH_TIMEOUT(button(workspace, "Run")->isEnabled(), hyb::test::kHangs_ms);
    press("Run");
    QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, hyb::test::kHangs_ms);
  }

  const QTemporaryDir folder;
  RunController controller;
  RunWorkspace workspace{&controller};

 private:
  void press(const char* text) { QTest::mouseClick(button(workspace, text), Qt::LeftButton); }
};

}  // namespace hyb::ui::testing
