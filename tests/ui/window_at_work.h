#pragma once
#include <QAction>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "tests/support/gui_session.h"
#include "tests/support/patience.h"
#include "ui/document/project_document.h"
#include "ui/run/run_workspace.h"
#include "ui/shell/main_window.h"

namespace hyb::ui::testing {

/// Where a widget stands below the window: found again after the page around it was built anew.
inline QString placeOf(const QWidget* widget) {
  QStringList steps;
  for (const QWidget* w = widget; w->parentWidget() != nullptr && !w->isWindow(); w = w->parentWidget()) {
    int index = 0;
    for (const QObject* sibling : w->parentWidget()->children()) {
      if (sibling == w) break;
      index += sibling->isWidgetType() && sibling->metaObject() == w->metaObject() ? 1 : 0;
    }
    steps.prepend(QStringLiteral("%1#%2").arg(QLatin1String(w->metaObject()->className())).arg(index));
  }
  return steps.join(QLatin1Char('/'));
}

/// A window at work, for the tests of what it must not do by itself.
class WindowAtWork : public QObject {
 protected:
  void show(HardwareAccess access = {}) {
    window_ = std::make_unique<MainWindow>(std::move(access));
    window_->resize(1280, 800);
    window_->show();
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
  }
  ProjectDocument* document() { return window_->document(); }
  RunController* controller() { return window_->controller(); }
  template <typename Widget>
  Widget* child(const char* name) {
    auto* found = window_->findChild<Widget*>(QString::fromLatin1(name));
    if (found == nullptr) qFatal("no %s", name);
    return found;
  }
  QAction* action(const QKeySequence& key) {
    for (QAction* found : window_->findChildren<QAction*>())
      if (found->shortcut() == key) return found;
    qFatal("no such action");
  }
  /// A project without limits that a busy computer would hit, that goes on until it is stopped.
  void open(const char* name, std::initializer_list<std::pair<const char*, Json>> changes = {}) {
    open(templateDocument(name), changes);
  }
  void open(Json project, std::initializer_list<std::pair<const char*, Json>> changes = {}) {
    project["recording"]["folder"] = folder_.path().toStdString();
    project["safety"] = {{"stop_ramp_s", 0.01}, {"limits", Json::array()}};
    project["loop"]["duration_s"] = 0;
    project["loop"]["soft_start_s"] = 0.01;
    for (const auto& [pointer, value] : changes) project[Json::json_pointer(pointer)] = value;
    const std::string file = folder_.filePath(QStringLiteral("project.json")).toStdString();
    saveDocument(project, file);
    QVERIFY(window_->open(file));
    QTRY_VERIFY_WITH_TIMEOUT(!document()->checking(), hyb::test::kHangs_ms);
    QVERIFY2(document()->issues().empty(),
             document()->issues().empty() ? "" : document()->issues().front().message.c_str());
  }
  void arm() {
    QAction* const arms = action(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(arms->isEnabled(), hyb::test::kHangs_ms);
    arms->trigger();  // a twin is armed at once, or never
    const State state = controller()->state();
    QVERIFY2(
        state == State::armed,
        qPrintable(
            QStringLiteral("state %1: %2").arg(static_cast<int>(state)).arg(child<QLabel>("run-message")->text())));
  }
  void run() {
    arm();
    if (QTest::currentTestFailed()) return;
    QAction* const runs = action(Qt::Key_F6);
    QTRY_VERIFY_WITH_TIMEOUT(runs->isEnabled(), hyb::test::kHangs_ms);
    runs->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(controller()->state(), State::running, hyb::test::kHangs_ms);
    QTRY_VERIFY_WITH_TIMEOUT(!runs->isEnabled(), hyb::test::kHangs_ms);  // the window has heard of it
  }
  void waitForTheEnd() { QTRY_VERIFY_WITH_TIMEOUT(!controller()->active(), hyb::test::kHangs_ms); }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace hyb::ui::testing
