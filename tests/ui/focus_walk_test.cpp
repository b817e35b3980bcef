// Nothing that can take the focus or the wheel changes what moves, and Esc and Space stop from everywhere.
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QPushButton>
#include <QTabWidget>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>

#include "tests/support/gui_session.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"
#include "tests/ui/window_at_work.h"
#include "ui/base/number_field.h"
#include "ui/document/project_document.h"
#include "ui/fidelity/fidelity_workspace.h"
#include "ui/run/fault_panel.h"
#include "ui/run/run_workspace.h"
#include "ui/shell/header_bar.h"
#include "ui/shell/main_window.h"
#include "ui/shell/stop_filter.h"

using namespace hyb;
using namespace hyb::ui;

namespace {

void turnWheel(QWidget* widget, int angle) {
  const QPointF at = widget->rect().center();
  QWheelEvent turned(at, widget->mapToGlobal(at), {}, {0, angle}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                     false);
  QApplication::sendEvent(widget, &turned);
}

/// What a test does that runs, and what would be asked of the next one.
struct Doing {
  State state;
  ForceSource forces;
  std::vector<double> tuned, limits;
  int faults;
  Json project;
  Room room;
  /// What is not as it was; empty where all is.
  QByteArray changedFrom(const Doing& before) const {
    QByteArrayList changed;
    if (state != before.state) changed << "state";
    if (forces != before.forces) changed << "forces";
    if (tuned != before.tuned) changed << "tuned values";
    if (limits != before.limits) changed << "limits";
    if (faults != before.faults) changed << "faults";
    if (project != before.project) changed << QByteArray::fromStdString(Json::diff(before.project, project).dump());
    if (room != before.room) changed << "workspace";
    return changed.join(", ");
  }
};

}  // namespace

class FocusWalkTest : public ui::testing::WindowAtWork {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { ui::testing::startGuiSession("focus_walk"); }
  void init() {
    show();
    window_->setUpdatesEnabled(false);  // what is drawn meanwhile is nothing to this suite, and half of its work
  }
  void cleanup() { window_.reset(); }

  void everyFocusableWidgetIsSafeWhileATestRuns_data() {
    QTest::addColumn<int>("room");
    const QStringList names = MainWindow::rooms();
    for (const Room room : {Room::configure, Room::rig, Room::run, Room::analyse, Room::fidelity}) {
      const int i = static_cast<int>(room);
      QTest::newRow(qPrintable(QString(names[i]).remove(QLatin1Char('&')))) << i;
    }
  }
  void everyFocusableWidgetIsSafeWhileATestRuns();
  void theWheelChangesNoFieldOfRunRigAndFidelity();

 private:
  Doing doing() {
    Doing now{controller()->state(), ForceSource::measured, {}, {}, 0, document()->json(), window_->workspace()};
    if (const TestRun* test = controller()->run()) {
      now.forces = test->status().force_source.load();
      for (const Tunable& tunable : test->tunables()) now.tuned.push_back(tunable.value);
      for (const LimitMonitor& monitor : test->safety().monitors()) now.limits.push_back(monitor.threshold.load());
    }
    now.faults = window_->findChild<FaultPanel*>()->findChild<QListWidget*>()->count();
    return now;
  }
  /// Everything of the window that a Tab or a click can give the focus, as it is in view.
  QList<QWidget*> focusable() {
    QList<QWidget*> found;
    for (QWidget* widget : window_->findChildren<QWidget*>())
      if (widget->isVisible() && widget->isEnabled() && widget->focusPolicy() != Qt::NoFocus && !widget->isWindow() &&
          widget->window() == window_.get() && widget->visibleRegion().boundingRect().isValid())
        found << widget;
    return found;
  }
  void walk(QSet<QString>& seen);
  QSet<QByteArray> stopped_;  ///< room and class of widget from which Escape has stopped a test
};

void FocusWalkTest::walk(QSet<QString>& seen) {
  const Room room = window_->workspace();
  for (;;) {
    QString place;
    QPointer<QWidget> widget;
    const auto find = [&] {
      if (widget != nullptr && widget->isVisible() && placeOf(widget) == place) return;
      widget = nullptr;
      for (QWidget* candidate : focusable()) {
        const QString where = placeOf(candidate);
        if (place.isEmpty() ? !seen.contains(where) : where == place) {
          widget = candidate;
          place = where;
          return;
        }
      }
    };
    find();
    if (widget == nullptr) return;
    seen.insert(place);
    const QByteArray name = place.toUtf8() + " \"" + widget->accessibleName().toUtf8() + '"';

    // What may touch it by accident.
    const Doing before = doing();
    for (const int angle : {120, -120}) turnWheel(widget, angle);
    if (qobject_cast<StopButton*>(widget) == nullptr) {  // it is there to be pressed
      const QPoint centre = widget->rect().center();
      QTest::mousePress(widget, Qt::LeftButton, Qt::NoModifier, centre);
      QTest::mouseMove(widget, centre + QPoint(3, 2));
      QTest::mouseRelease(widget, Qt::LeftButton, Qt::NoModifier, QPoint(-2000, -2000));
    }
    if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
    window_->showWorkspace(room);
    find();
    if (widget == nullptr) continue;  // a press on a tab has put another page in its place
    widget->setFocus();
    for (const Qt::Key key : {Qt::Key_Up, Qt::Key_PageDown, Qt::Key_Left, Qt::Key_Down, Qt::Key_PageUp, Qt::Key_Home,
                              Qt::Key_Right, Qt::Key_End, Qt::Key_E, Qt::Key_1, Qt::Key_Period, Qt::Key_0,
                              Qt::Key_Delete, Qt::Key_Backspace, Qt::Key_Plus, Qt::Key_Minus})
      if (QWidget* focus = QApplication::focusWidget()) QTest::keyClick(focus, key);
    window_->centralWidget()->setFocus();
    QCoreApplication::processEvents();
    Doing after = doing();
    if (room == Room::configure)
      after.project = before.project;  // the next test: typed where that is meant, and undone
    const QByteArray changed = after.changedFrom(before);
    QVERIFY2(changed.isEmpty(), (name + ": " + changed).constData());

    // The keys that stop.
    for (const Qt::Key key : {Qt::Key_Space, Qt::Key_Escape}) {
      find();
      if (widget == nullptr) break;
      widget->setFocus();
      QWidget* focus = QApplication::focusWidget() != nullptr ? QApplication::focusWidget() : window_.get();
      if (key == Qt::Key_Space && StopFilter::editsText(focus)) continue;
      // Space from each of them, or Escape where that is text; the other key from one of each class.
      const QByteArray kind = QByteArray::number(static_cast<int>(room)) + widget->metaObject()->className();
      if (key == Qt::Key_Escape && !StopFilter::editsText(focus) && stopped_.contains(kind)) continue;
      if (key == Qt::Key_Escape) stopped_ << kind;
      QTest::keyClick(focus, key);
      QTRY_VERIFY2_WITH_TIMEOUT(!controller()->active(), name.constData(), hyb::test::kHangs_ms);
      // Whoever presses twice does nothing else by it.
      focus = QApplication::focusWidget() != nullptr ? QApplication::focusWidget() : window_.get();
      QTest::keyClick(focus, key);
      QVERIFY2(controller()->state() == State::ready && window_->workspace() == room, name.constData());
      run();
      if (QTest::currentTestFailed()) return;
    }
  }
}

void FocusWalkTest::everyFocusableWidgetIsSafeWhileATestRuns() {
  QFETCH(int, room);
  open("three-mass");
  // Menus of tool buttons and lists of choices open on a press and wait for an answer.
  QTimer popups;
  connect(&popups, &QTimer::timeout, [] {
    if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
  });
  popups.start(1);
  window_->showWorkspace(static_cast<Room>(room));
  run();
  if (room == static_cast<int>(Room::analyse)) {  // a run to look at
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    waitForTheEnd();
    for (QPushButton* button : window_->findChildren<QPushButton*>())
      if (button->text() == QStringLiteral("Open this run in Analyse")) button->click();
    QCOMPARE(window_->workspace(), Room::analyse);
    QTRY_VERIFY_WITH_TIMEOUT(focusable().size() > 12, hyb::test::kHangs_ms);
    run();
  }
  for (QCheckBox* box : window_->findChildren<QCheckBox*>())
    if (box->text() == QStringLiteral("Record")) box->setChecked(false);
  QSet<QString> seen;
  walk(seen);
  if (QTest::currentTestFailed()) return;
  // The pages behind the tabs.
  for (int guard = 0; guard < 20; ++guard) {
    const qsizetype before = seen.size();
    for (QTabWidget* tabs : window_->findChildren<QTabWidget*>()) {
      if (!tabs->isVisible()) continue;
      for (int page = 0; page < tabs->count(); ++page) {
        if (!tabs->isTabVisible(page)) continue;
        tabs->setCurrentIndex(page);
        walk(seen);
        if (QTest::currentTestFailed()) return;
      }
    }
    if (seen.size() == before) break;
  }
  QVERIFY2(seen.size() > 12, qPrintable(QString::number(seen.size())));
  QTest::keyClick(window_.get(), Qt::Key_Escape);
  waitForTheEnd();
}

void FocusWalkTest::theWheelChangesNoFieldOfRunRigAndFidelity() {
  open("three-mass");
  int asked = 0;
  for (const Room room : {Room::rig, Room::run, Room::fidelity}) {
    window_->showWorkspace(room);
    if (room == Room::run) run();
    for (QWidget* widget : window_->findChildren<QWidget*>()) {
      const auto* combo = qobject_cast<QComboBox*>(widget);
      const auto* number = qobject_cast<NumberField*>(widget);
      const auto* tabs = qobject_cast<QTabBar*>(widget);
      if (combo == nullptr && number == nullptr && tabs == nullptr) continue;
      const auto value = [&] {
        return combo != nullptr    ? combo->currentText()
               : number != nullptr ? number->text()
                                   : QString::number(tabs->currentIndex());
      };
      const QString before = value();
      for (const bool focused : {false, true}) {
        if (focused) widget->setFocus();
        for (const int angle : {120, -120, -120}) {
          turnWheel(widget, angle);
          QVERIFY2(value() == before, qPrintable(placeOf(widget)));
        }
        if (const auto* line = widget->findChild<QLineEdit*>()) turnWheel(const_cast<QLineEdit*>(line), -120);
        QVERIFY2(value() == before, qPrintable(placeOf(widget)));
      }
      widget->ensurePolished();  // pages that were never shown
      QVERIFY2(widget->focusPolicy() != Qt::WheelFocus, qPrintable(placeOf(widget)));
      ++asked;
    }
  }
  QVERIFY2(asked > 20, qPrintable(QString::number(asked)));
  QTest::keyClick(window_.get(), Qt::Key_Escape);
  waitForTheEnd();
}

HYB_SUITE(focus_walk, FocusWalkTest)
#include "focus_walk_test.moc"
