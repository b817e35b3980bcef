// The frame of the window: STOP from everywhere, header, event line, themes, help, closing.
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QShortcut>
#include <QSignalSpy>
#include <QSlider>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QTextEdit>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "tests/support/gui_session.h"
#include "tests/support/suite.h"
#include "ui/base/number_field.h"
#include "ui/configure/configure_workspace.h"
#include "ui/document/project_document.h"
#include "ui/shell/event_line.h"
#include "ui/shell/header_bar.h"
#include "ui/shell/help_window.h"
#include "ui/shell/main_window.h"
#include "ui/shell/stop_filter.h"

using namespace hyb;
using namespace hyb::ui;

class FrameTest : public QObject {
  Q_OBJECT
 private:
  QTemporaryDir folder_;

  /// A project that runs free of the disk's default place.
  std::string shortProject() {
    Json document = templateDocument("three-mass");
    document["recording"]["folder"] = folder_.path().toStdString();
    const std::string file = folder_.filePath(QStringLiteral("short.json")).toStdString();
    saveDocument(document, file);
    return file;
  }
  static QAction* actionByKey(MainWindow& window, const QKeySequence& key) {
    for (QAction* action : window.findChildren<QAction*>())
      if (action->shortcut() == key) return action;
    return nullptr;
  }

 private Q_SLOTS:
  void initTestCase() { testing::startGuiSession("frame"); }
  void init() { QSettings().clear(); }

  void stopKeyWorksWithFocusInEveryKindOfWidget_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<bool>("takes_text");
    const std::pair<const char*, bool> kinds[] = {{"line edit", true},       {"read-only line edit", false},
                                                  {"text edit", true},       {"plain text edit", true},
                                                  {"read-only text", false}, {"text browser", false},
                                                  {"spin box", false},       {"double spin box", false},
                                                  {"combo box", false},      {"editable combo box", true},
                                                  {"check box", false},      {"push button", false},
                                                  {"tool button", false},    {"list", false},
                                                  {"tree", false},           {"slider", false},
                                                  {"tab bar", false},        {"plain widget", false},
                                                  {"stop button", false},    {"menu", false},
                                                  {"dialog button", false},  {"combo popup", false}};
    for (int i = 0; i < static_cast<int>(std::size(kinds)); ++i) QTest::newRow(kinds[i].first) << i << kinds[i].second;
  }
  void stopKeyWorksWithFocusInEveryKindOfWidget() {
    QFETCH(int, kind);
    QFETCH(bool, takes_text);
    QWidget window;
    auto* box = new QVBoxLayout(&window);
    QWidget* target = nullptr;
    auto* read_only_line = new QLineEdit;
    read_only_line->setReadOnly(true);
    auto* read_only_text = new QPlainTextEdit;
    read_only_text->setReadOnly(true);
    auto* editable = new QComboBox;
    editable->setEditable(true);
    auto* combo = new QComboBox;
    combo->addItems({QStringLiteral("a"), QStringLiteral("b")});
    auto* list = new QListWidget;
    list->addItem(QStringLiteral("a"));
    auto* tree = new QTreeWidget;
    tree->addTopLevelItem(new QTreeWidgetItem({QStringLiteral("a")}));
    auto* plain = new QWidget;
    plain->setFocusPolicy(Qt::StrongFocus);
    auto* tabs = new QTabBar;
    tabs->addTab(QStringLiteral("a"));
    QMenu menu;
    menu.addAction(QStringLiteral("a"));
    QDialog dialog(&window);
    auto* dialog_button = new QPushButton(QStringLiteral("ok"), &dialog);
    QWidget* all[] = {new QLineEdit,
                      read_only_line,
                      new QTextEdit,
                      new QPlainTextEdit,
                      read_only_text,
                      new QTextBrowser,
                      new ValueField(QString(), QString(), 0.0, 1.0),
                      new ValueField(QString(), QStringLiteral("mm"), 0.0, 1.0),
                      combo,
                      editable,
                      new QCheckBox,
                      new QPushButton,
                      new QToolButton,
                      list,
                      tree,
                      new QSlider,
                      tabs,
                      plain,
                      new StopButton};
    for (QWidget* widget : all) box->addWidget(widget);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    if (kind < static_cast<int>(std::size(all))) {
      target = all[kind];
      target->setFocus();
      QVERIFY(target->hasFocus());
    } else if (kind == 19) {
      all[0]->setFocus();  // a text field behind the menu does not get the key
      menu.popup(window.mapToGlobal(QPoint(10, 10)));
      target = &menu;
    } else if (kind == 20) {
      dialog.setModal(true);
      dialog.show();
      dialog_button->setFocus();
      target = dialog_button;
    } else {
      combo->setFocus();
      combo->showPopup();
      target = QApplication::activePopupWidget();
      QVERIFY(target);
    }
    QShortcut shortcut(Qt::Key_Escape, &window);  // a shortcut on the key must not win

    bool active = true;
    int stops = 0;
    StopFilter filter([&] { return active; }, [&] { ++stops; });
    QTest::keyClick(target, Qt::Key_Escape);
    QCOMPARE(stops, 1);
    QTest::keyClick(target, Qt::Key_Escape, Qt::ShiftModifier);
    QCOMPARE(stops, 2);
    QTest::keyClick(target, Qt::Key_Space);
    QCOMPARE(stops, takes_text ? 2 : 3);
    const int before = stops;
    QKeyEvent repeated(QEvent::KeyPress, Qt::Key_Escape, Qt::NoModifier, QString(), true);
    QCoreApplication::sendEvent(target, &repeated);
    QCOMPARE(stops, before);
    QVERIFY(kind != 19 || menu.isVisible());  // the key did nothing else
    active = false;
    QTest::keyClick(target, Qt::Key_Space);
    QTest::keyClick(target, Qt::Key_Escape);
    QCOMPARE(stops, before);
    menu.close();
    combo->hidePopup();
  }

  void spaceIsTypedIntoTextFieldsWhileATestIsActive() {
    QLineEdit edit;
    edit.show();
    edit.setFocus();
    int stops = 0;
    StopFilter filter([] { return true; }, [&] { ++stops; });
    QTest::keyClicks(&edit, QStringLiteral("a b"));
    QCOMPARE(edit.text(), QStringLiteral("a b"));
    QCOMPARE(stops, 0);
  }

  void stopButtonIsLargeVisibleAndEnabledInEveryWorkspace() {
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    QVERIFY(window.open("three-mass"));
    auto* stop = window.findChild<StopButton*>();
    for (int i = 0; i < MainWindow::rooms().size(); ++i) {
      window.showWorkspace(static_cast<Room>(i));
      QVERIFY(stop->isVisible() && stop->isEnabled());
      QVERIFY(stop->width() >= 96 && stop->height() >= 40);
      QVERIFY(window.rect().contains(QRect(stop->mapTo(&window, QPoint()), stop->size())));
    }
    QVERIFY(stop->toolTip().startsWith(QStringLiteral("Software stop")));
    QVERIFY(window.minimumSizeHint().width() <= 1280);
    QVERIFY(window.minimumSizeHint().height() <= 800);
  }

  /// A layout whose end is the cause of the next one takes a processor for itself, and nobody sees why.
  void theLayoutOfAWindowNobodyTouchesRests() {
    struct Requests : QObject {
      int count = 0, clocks = 0;
      bool eventFilter(QObject* /*watched*/, QEvent* event) override {
        if (event->type() == QEvent::LayoutRequest) ++count;
        if (event->type() == QEvent::Timer) ++clocks;
        return false;
      }
    } requests;
    // Such a layout asks again in every turn. Turns in which a clock had its say, and those after them, do not count.
    const auto rests = [&requests] {
      constexpr int kTurns = 200;
      int turns = 0, asked = 0;
      bool clock_before = true;
      const bool counted = hyb::test::comesTrue([&] {
        for (int turn = 0; turn < kTurns; ++turn) {
          requests.count = requests.clocks = 0;
          QCoreApplication::processEvents();
          if (requests.clocks == 0 && !clock_before) {
            ++turns;
            asked += requests.count > 0 ? 1 : 0;
          }
          clock_before = requests.clocks > 0;
        }
        return turns >= kTurns;
      });
      return counted && 4 * asked < turns;
    };
    MainWindow window;
    window.show();
    QVERIFY(window.open(shortProject()));
    qApp->installEventFilter(&requests);
    for (const QSize& size : {QSize(1024, 700), QSize(1280, 800), QSize(2560, 1440)}) {
      window.resize(size);
      for (int room = 0; room < MainWindow::rooms().size(); ++room) {
        window.showWorkspace(static_cast<Room>(room));
        QTRY_VERIFY(!window.document()->checking());
        QVERIFY2(rests(), qPrintable(MainWindow::rooms().at(room)));
      }
    }
  }

  void workspacesAndTestHaveTheirKeys() {
    MainWindow window;
    for (const QKeySequence& key : {QKeySequence(Qt::Key_F1), QKeySequence(Qt::Key_F2), QKeySequence(Qt::Key_F5),
                                    QKeySequence(Qt::Key_F6), QKeySequence(Qt::Key_F7), QKeySequence(Qt::Key_F8),
                                    QKeySequence(Qt::CTRL | Qt::Key_N), QKeySequence(Qt::CTRL | Qt::Key_O),
                                    QKeySequence(Qt::CTRL | Qt::Key_S), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S),
                                    QKeySequence(Qt::CTRL | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z)})
      QVERIFY2(actionByKey(window, key), qPrintable(key.toString()));
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    for (int i = static_cast<int>(MainWindow::rooms().size()) - 1; i >= 0; --i) {
      QTest::keyClick(&window, static_cast<Qt::Key>(Qt::Key_1 + i), Qt::ControlModifier);
      QCOMPARE(static_cast<int>(window.workspace()), i);
    }
  }

  /// File > New: a case of the benchmark, with its controller on.
  void aTemplateIsChosen() {
    MainWindow window;
    window.show();
    QTimer::singleShot(0, this, [] {
      auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
      if (dialog == nullptr) return;
      const QStringList titles = dialog->comboBoxItems().filter(QStringLiteral("case 3"));
      if (titles.size() == 1) dialog->setTextValue(titles.front());
      dialog->accept();
    });
    actionByKey(window, Qt::CTRL | Qt::Key_N)->trigger();
    const Json& chosen = window.document()->json();
    QVERIFY(chosen == templateDocument("benchmark-2020-case-3"));
    QCOMPARE(chosen["structure"]["mass"]["rows"][2][2].get<double>(), 1300.0);
    QCOMPARE(chosen["structure"]["damping"]["ratios"][0].get<double>(), 0.03);
    QCOMPARE(chosen["compensation"]["method"].get<std::string>(), std::string("adaptive-inverse-model"));
  }

  void everyStateHasItsWordAndOneLook() {
    StateChip chip;
    QSet<QByteArray> looks;
    for (const State state : {State::disconnected, State::ready, State::armed, State::running, State::holding,
                              State::stopping, State::fault}) {
      chip.setState(state);
      QCOMPARE(chip.accessibleName(), QStringLiteral("State: ") + StateChip::word(state));
      const QImage grey = chip.grab().toImage().convertToFormat(QImage::Format_Grayscale8);
      looks.insert(QByteArray(reinterpret_cast<const char*>(grey.constBits()), grey.sizeInBytes()));
    }
    chip.setSetUp(true);
    QCOMPARE(chip.accessibleName(), QStringLiteral("State: SET-UP"));
    const QImage grey = chip.grab().toImage().convertToFormat(QImage::Format_Grayscale8);
    looks.insert(QByteArray(reinterpret_cast<const char*>(grey.constBits()), grey.sizeInBytes()));
    QCOMPARE(looks.size(), 8);  // told apart without colour
  }

  void themesSwitchWhileTheWindowIsOpen() {
    MainWindow window;
    window.show();
    QVERIFY(window.open("three-mass"));
    window.findChild<QAction*>(QStringLiteral("theme-dark"))->trigger();
    QVERIFY(isDark(window.palette()));
    QCOMPARE(window.palette().color(QPalette::Window), QColor(0x16181D));
    QCOMPARE(QSettings().value(QStringLiteral("theme")).toString(), QStringLiteral("dark"));
    window.findChild<QAction*>(QStringLiteral("theme-light"))->trigger();
    QVERIFY(!isDark(window.palette()));
    QCOMPARE(window.palette().color(QPalette::Window), QColor(0xF7F8FA));
    QCOMPARE(QApplication::palette().color(QPalette::Text), QColor(0x1F2328));
  }

  void linesStandOutFromTheirBackground() {
    const auto luminance = [](const QColor& c) {
      const auto linear = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
      return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
    };
    for (const bool dark : {false, true}) {
      const double panel = luminance(colour(Role::panel, dark));
      for (const Role role : {Role::target, Role::measured, Role::command, Role::force, Role::gap, Role::excitation,
                              Role::limit, Role::numerical, Role::physical, Role::interface, Role::error, Role::warning,
                              Role::ok, Role::stateSetUp, Role::stateArmed, Role::stateRunning, Role::stateFault}) {
        const double line = luminance(colour(role, dark));
        const double ratio = (std::max(line, panel) + 0.05) / (std::min(line, panel) + 0.05);
        QVERIFY2(ratio >= 3.0, qPrintable(QStringLiteral("role %1 dark %2: %3").arg(int(role)).arg(dark).arg(ratio)));
      }
    }
  }

  void helpOpensOnThePageOfTheSection() {
    MainWindow window;
    window.show();
    window.configure()->showSection("/safety");
    actionByKey(window, QKeySequence(Qt::Key_F1))->trigger();
    auto* help = window.findChild<HelpWindow*>();
    QVERIFY(help->isVisible());
    QVERIFY(!help->isModal());
    QCOMPARE(help->page(), QStringLiteral("safety"));
    for (const auto& [section, page] :
         {std::pair{"/structure", "structures"}, {"/partition", "cuts"}, {"/integrator", "integrators"}}) {
      window.configure()->showSection(section);
      actionByKey(window, QKeySequence(Qt::Key_F1))->trigger();
      QCOMPARE(help->page(), QString::fromLatin1(page));
    }
    // In a field of an actuator: that of its model, which follows the page of all.
    QVERIFY(window.open("three-mass"));
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    window.configure()->goTo("/rig/actuators/1/damping_ratio");
    actionByKey(window, QKeySequence(Qt::Key_F1))->trigger();
    QCOMPARE(help->page(), QStringLiteral("actuator/servo"));
    for (const HelpWindow::Page& page : HelpWindow::pages()) {
      help->open(page.name);
      const QString text = help->findChild<QTextBrowser*>()->toPlainText();
      QVERIFY2(text.size() > 400, qPrintable(page.name));
      QVERIFY(!text.contains(QStringLiteral("h5clear -s ")) || text.contains(QStringLiteral("--increment=0")));
    }
  }

  void eventLineShowsTheNewestAndCountsTheUnread() {
    MainWindow window;
    window.show();
    QVERIFY(window.open("three-mass"));
    const int before = window.eventLine()->unread();
    Q_EMIT window.controller()->failed(QStringLiteral("the rig is away"));
    QCOMPARE(window.eventLine()->unread(), before + 1);
    QVERIFY(window.eventLine()->text().contains(QStringLiteral("the rig is away")));
    Event event;
    event.tick = 12400;
    event.severity = Severity::warning;
    Q_EMIT window.controller()->eventArrived(event, QStringLiteral("gap 2 above 0.50 mm"));
    QVERIFY(window.eventLine()->text().contains(QStringLiteral("tick 12400")));
    actionByKey(window, QKeySequence(Qt::CTRL | Qt::Key_L))->trigger();
    QCOMPARE(window.eventLine()->unread(), 0);
    QVERIFY(window.findChild<EventLog*>()->count() >= 2);
  }

  void projectWithErrorsCannotBeArmed() {
    MainWindow window;
    window.show();
    QVERIFY(window.open("three-mass"));
    QAction* arm = actionByKey(window, QKeySequence(Qt::Key_F5));
    QTRY_VERIFY(arm->isEnabled());
    window.document()->set("/structure/masses/0/mass_kg", Json(-1));
    QVERIFY(!arm->isEnabled());  // not even before it has been checked
    QTRY_VERIFY(!window.document()->issues().empty());
    QVERIFY(!arm->isEnabled());
    window.document()->undoStack()->undo();
    QTRY_VERIFY(arm->isEnabled());
  }

  void stopByKeyWhileAFieldHasTheFocusEndsTheTest_data() {
    QTest::addColumn<bool>("button");
    QTest::newRow("Esc in a text field") << false;
    QTest::newRow("button") << true;
  }
  void stopByKeyWhileAFieldHasTheFocusEndsTheTest() {
    QFETCH(bool, button);
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QVERIFY(window.open(shortProject()));
    QTRY_VERIFY(actionByKey(window, QKeySequence(Qt::Key_F5))->isEnabled());
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_COMPARE(window.controller()->state(), State::armed);
    QVERIFY(!window.configure()->findChild<QLineEdit*>(QStringLiteral("/structure/masses/0/mass_kg"))->isEnabled());
    QTest::keyClick(&window, Qt::Key_F6);
    QTRY_COMPARE(window.controller()->state(), State::running);
    QTRY_VERIFY(window.controller()->run()->status().tick.load() > 300);
    QSignalSpy ended(window.controller(), &RunController::ended);
    if (button) {
      QTest::mouseClick(window.findChild<StopButton*>(), Qt::LeftButton);
    } else {
      window.showWorkspace(Room::run);
      QLineEdit* field = nullptr;
      for (QLineEdit* edit : window.findChildren<QLineEdit*>())
        if (edit->isVisible() && edit->isEnabled() && !edit->isReadOnly()) field = edit;
      QVERIFY(field);
      field->setFocus();
      QTest::keyClick(field, Qt::Key_Escape);
    }
    QTRY_COMPARE(ended.size(), 1);
    QCOMPARE(window.controller()->result()->reason, EndReason::operator_stop);
    QVERIFY(window.controller()->result()->valid);
    QVERIFY(window.eventLine()->text().contains(QStringLiteral("recorded in")));
    QVERIFY(!window.findChild<QLabel*>(QStringLiteral("realtime"))->text().contains(QStringLiteral("after Arm")));
  }

  void closingDuringATestStopsItFirst() {
    MainWindow window;
    window.show();
    QVERIFY(window.open(shortProject()));
    QAction* arm = actionByKey(window, QKeySequence(Qt::Key_F5));
    QTRY_VERIFY(arm->isEnabled());
    arm->trigger();
    QTRY_COMPARE(window.controller()->state(), State::armed);
    actionByKey(window, QKeySequence(Qt::Key_F6))->trigger();
    QTRY_COMPARE(window.controller()->state(), State::running);
    window.close();
    QVERIFY(window.isVisible());  // not yet: it asks first
    QCOMPARE(window.controller()->state(), State::running);
    window.close();
    QVERIFY(window.isVisible());  // not yet: something may still move
    QTRY_VERIFY(!window.isVisible());
    QVERIFY(!window.controller()->active());
    QCOMPARE(window.controller()->result()->reason, EndReason::operator_stop);
  }
};

HYB_SUITE(frame, FrameTest)
#include "frame_test.moc"
