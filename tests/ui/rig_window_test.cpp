// The workspace Rig in the whole window: connect, watch, zero, move by hand, check the wiring, STOP.
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <cmath>
#include <future>
#include <thread>
#include <tuple>

#include "tests/support/gui_session.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"
#include "tests/support/wired_device.h"
#include "ui/base/confirm_button.h"
#include "ui/base/notice_bar.h"
#include "ui/base/number_field.h"
#include "ui/document/project_document.h"
#include "ui/fidelity/campaign_bar.h"
#include "ui/fidelity/face_page.h"
#include "ui/fidelity/fidelity_workspace.h"
#include "ui/fidelity/study_page.h"
#include "ui/rig/rig_session.h"
#include "ui/rig/rig_workspace.h"
#include "ui/shell/event_line.h"
#include "ui/shell/header_bar.h"
#include "ui/shell/main_window.h"

using namespace hyb;
using namespace hyb::ui;
using hyb::test::Wires;

namespace {}

class RigWindowTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { ui::testing::startGuiSession("rig_window"); }
  void init() {
    wires_ = std::make_shared<Wires>();
    const Project project = parseProject(templateDocument("three-mass"));
    window_ = std::make_unique<MainWindow>(
        HardwareAccess{test::wiredDevices(project, wires_), [] { return std::vector<std::string>{"/dev/ttyS7"}; }});
    window_->resize(1280, 800);
    window_->setUpdatesEnabled(false);  // drawn once, when the test has ended
    window_->show();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    QVERIFY(window_->open("three-mass"));
    document()->set("/recording/folder", folder_.path().toStdString());
    waitForCheck();
    window_->showWorkspace(Room::rig);
  }
  void cleanup() {
    window_->setUpdatesEnabled(true);
    window_->grab();
    window_.reset();
    QCOMPARE(wires_->alive.load(), 0);
    QVERIFY(wires_->opened == 0 || wires_->safe_stops > 0);
  }

  void theAddressIsTypedAndTheRigConnected() {
    auto* connect = child<QPushButton>("connect");
    QVERIFY2(!connect->isEnabled(), "there is no address yet");
    auto* baud = child<QWidget>("/rig/connection/serial/baud");
    QVERIFY2(!baud->isEnabled(), "there is no address yet");
    auto* use = child<QComboBox>("/rig/use");
    use->setCurrentIndex(use->findData(QStringLiteral("rig")));
    Q_EMIT use->activated(use->currentIndex());
    auto* address = child<QLineEdit>("/rig/connection/address");
    address->setFocus();
    QTest::keyClicks(address, "nowhere");
    waitForCheck();
    QCOMPARE(document()->json()["rig"]["connection"]["address"].get<std::string>(), std::string("nowhere"));
    QCOMPARE(address->property("mark").toString(), QStringLiteral("error"));  // told while typing
    QVERIFY(!connect->isEnabled());
    QVERIFY2(!baud->isEnabled(), "the address is no serial port");
    // One of the computer's ports instead.
    QToolButton* ports = nullptr;
    for (QToolButton* button : window_->rig()->findChildren<QToolButton*>())
      if (button->menu()) ports = button;
    QVERIFY(ports != nullptr);
    Q_EMIT ports->menu()->aboutToShow();
    ports->menu()->actions().front()->trigger();
    QCOMPARE(document()->json()["rig"]["connection"]["address"].get<std::string>(), std::string("serial:/dev/ttyS7"));
    QVERIFY(baud->isEnabled());
    waitForCheck();
    QVERIFY2(document()->issues().empty(), firstIssue());
    connect->click();
    QTRY_COMPARE_WITH_TIMEOUT(session()->state(), RigSession::State::connected, hyb::test::kHangs_ms);
    QVERIFY(!address->isEnabled());  // what is connected stays as it was agreed on
    QTRY_VERIFY_WITH_TIMEOUT(table()->item(row("force_1"), 3)->text().contains('N'), hyb::test::kHangs_ms);
    QVERIFY(std::abs(position(0)) < 1e-3);  // held where it stands

    // A test has to wait, and STOP reaches the rig from every workspace.
    QAction* arm = nullptr;
    for (QAction* action : window_->findChildren<QAction*>())
      if (action->shortcut() == QKeySequence(Qt::Key_F5)) arm = action;
    QVERIFY(arm && !arm->isEnabled() && arm->toolTip().contains("Disconnect"));
    window_->showWorkspace(Room::analyse);
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QTRY_COMPARE_WITH_TIMEOUT(session()->view().activity, SetupActivity::stopped, hyb::test::kHangs_ms);
    QVERIFY(wires_->safe_stops > 0);
    connect->click();
    QTRY_COMPARE_WITH_TIMEOUT(session()->state(), RigSession::State::disconnected, hyb::test::kHangs_ms);
    QVERIFY(arm->isEnabled() && address->isEnabled());
  }

  /// The library describes its settings; none of its code runs for that.
  void theFormOfADriverComesFromItsDescription() {
    const std::string drivers = std::string(hyb::test::kPlugIns) + "/";
    auto* protocol = child<QComboBox>("/rig/connection/protocol");
    protocol->setCurrentIndex(protocol->findData(QStringLiteral("driver")));
    Q_EMIT protocol->activated(protocol->currentIndex());
    waitForCheck();
    QVERIFY(!window_->findChild<QWidget*>(QStringLiteral("/rig/connection/address")));
    QVERIFY(!window_->findChild<QWidget*>(QStringLiteral("/rig/connection/settings/lag_s")));
    document()->set("/rig/connection/library", drivers + "actuator.so");
    waitForCheck();
    auto* lag = child<QLineEdit>("/rig/connection/settings/lag_s");
    QCOMPARE(lag->accessibleName(), QStringLiteral("Lag"));
    QVERIFY2(lag->toolTip().contains(QStringLiteral("Allowed: 0 to 1 s.")), qPrintable(lag->toolTip()));
    lag->setFocus();
    QTest::keyClicks(lag, "0.25");
    waitForCheck();
    QCOMPARE(document()->json()["rig"]["connection"]["settings"]["lag_s"], Json(0.25));
    QVERIFY(lag->property("mark").toString().isEmpty());
    lag->selectAll();
    QTest::keyClicks(lag, "3");
    waitForCheck();
    QCOMPARE(lag->property("mark").toString(), QStringLiteral("error"));
    // Another driver has other fields.
    document()->set("/rig/connection/library", drivers + "faulty.so");
    waitForCheck();
    QVERIFY(!window_->findChild<QWidget*>(QStringLiteral("/rig/connection/settings/lag_s")));
    QCOMPARE(child<QLineEdit>("/rig/connection/settings/fault")->placeholderText(), QStringLiteral("none"));
    child<QWidget>("/rig/connection/settings/on");
  }

  void aDriverIsAcceptedBeforeItIsConnected() {
    const QTemporaryDir settings;
    qputenv("XDG_CONFIG_HOME", settings.path().toUtf8());
    Json channels = Json::array();
    for (const int interface : {1, 2})
      for (const auto& [role, name, own, units] :
           {std::tuple("command", "command_", "command", "m"), std::tuple("displacement", "measured_", "position", "m"),
            std::tuple("force", "force_", "force", "N")})
        channels.push_back({{"name", name + std::to_string(interface)},
                            {"role", role},
                            {"interface", interface},
                            {"units", units},
                            {"driver_channel", own + std::to_string(interface - 1)}});
    document()->set("/rig/use", "rig");
    document()->set("/rig/channels", channels);
    document()->set("/rig/connection", Json::object({{"protocol", "driver"},
                                                     {"library", hyb::test::kPlugIns + std::string("/actuator.so")}}));
    waitForCheck();
    QVERIFY2(document()->issues().empty(), firstIssue());
    auto* question = child<NoticeBar>("driver-question");
    QVERIFY(!question->isVisible());
    child<QPushButton>("connect")->click();
    QVERIFY(question->isVisible() && session()->state() == RigSession::State::disconnected);
    QVERIFY(child<QLabel>("rig-message")->text().startsWith(QStringLiteral("Connect is blocked")));
    child<QPushButton>("accept-driver")->click();
    QVERIFY(!question->isVisible());
    child<QPushButton>("connect")->click();
    QTRY_COMPARE_WITH_TIMEOUT(session()->state(), RigSession::State::connected, hyb::test::kHangs_ms);
    child<QPushButton>("connect")->click();
    QTRY_COMPARE_WITH_TIMEOUT(session()->state(), RigSession::State::disconnected, hyb::test::kHangs_ms);
    qunsetenv("XDG_CONFIG_HOME");
  }

  void buttonsMoveWhileTheyAreHeld() {
    connectRig();
    auto* plus = child<QPushButton>("jog-plus");
    QTest::mousePress(plus, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(position(0) > 2e-4, hyb::test::kHangs_ms);
    QTest::mouseRelease(plus, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(session()->view().activity, SetupActivity::watching, hyb::test::kHangs_ms);
    const double rest = position(0);
    QVERIFY(child<QLabel>("jog-position")->text().contains("mm"));

    auto* axis = child<QComboBox>("jog-axis");
    axis->setCurrentIndex(1);
    plus->setFocus();
    QTest::keyPress(plus, Qt::Key_Left);
    QTRY_VERIFY_WITH_TIMEOUT(position(1) < -2e-4, hyb::test::kHangs_ms);
    axis->setFocus();  // the key is let go elsewhere
    QTRY_COMPARE_WITH_TIMEOUT(session()->view().activity, SetupActivity::watching, hyb::test::kHangs_ms);
    QCOMPARE(position(0), rest);
    QVERIFY(wires_->safe_stops == 0);
  }

  void aRefusedLimitMovesNothing() {
    connectRig();
    auto* plus = child<QPushButton>("jog-plus");
    QTRY_VERIFY_WITH_TIMEOUT(plus->isEnabled(), hyb::test::kHangs_ms);
    const auto type = [this](const QString& name, const char* text) {
      for (ValueField* field : window_->rig()->findChildren<ValueField*>())
        if (field->accessibleName() == name) {
          field->setFocus();
          field->selectAll();
          QTest::keyClicks(field, text);
          QTest::keyClick(field, Qt::Key_Tab);
          return field->value();
        }
      return 0.0;
    };
    QCOMPARE(type("Travel", "1.2.5"), 5.0);
    QVERIFY(!plus->isEnabled() && !child<QPushButton>("check-wiring")->isEnabled());
    QCOMPARE(type("Travel", "1,250"), 1.25);
    QVERIFY(plus->isEnabled() && child<QPushButton>("check-wiring")->isEnabled());
    QCOMPARE(type("Motion of the wiring check", "0"), 1.0);
    QVERIFY(plus->isEnabled() && !child<QPushButton>("check-wiring")->isEnabled());
  }

  void zeroingWritesTheTareAndCanBeUndone() {
    wires_->offset["force_2"] = 30.0;
    child<QPushButton>("set-up-channels")->click();
    waitForCheck();
    QVERIFY2(document()->issues().empty(), firstIssue());
    connectRig();
    table()->selectRow(row("force_2"));
    for (ValueField* box : window_->rig()->findChildren<ValueField*>())
      if (box->accessibleName().startsWith("Readings")) box->setValue(50);
    const Json before = document()->json();
    auto* zero = child<ConfirmButton>("zero");
    QTRY_VERIFY_WITH_TIMEOUT(zero->isEnabled(), hyb::test::kHangs_ms);
    zero->click();  // 30 N are no rest
    QVERIFY2(zero->asking() && zero->text().contains("force_2"), qPrintable(zero->text()));
    QCOMPARE(session()->view().zeroings, 0);
    zero->click();
    QTRY_VERIFY_WITH_TIMEOUT(document()->json() != before, hyb::test::kHangs_ms);
    for (const Json& channel : document()->json()["rig"]["channels"]) {
      const bool zeroed = channel["name"] == "force_2";
      QCOMPARE(channel.contains("tare"), zeroed);
      if (zeroed) QVERIFY(std::abs(channel["tare"].get<double>() - 30.0) < 5.0);
    }
    document()->undoStack()->undo();
    QVERIFY(document()->json() == before);
  }

  /// The tare of the command moves along; its scaled value is then that of the measured one. Before a test the list
  /// says where the rig stands.
  void zeroingUnderLoadAsksAndTheListSaysWhereTheRigStands() {
    document()->set("/rig/use", "rig");
    child<QPushButton>("set-up-channels")->click();
    waitForCheck();
    connectRig();
    QTRY_VERIFY_WITH_TIMEOUT(says("stands at the start position of the test"), hyb::test::kHangs_ms);
    auto* plus = child<QPushButton>("jog-plus");
    QTRY_VERIFY_WITH_TIMEOUT(plus->isEnabled(), hyb::test::kHangs_ms);
    QTest::mousePress(plus, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(position(0) > 8e-4, hyb::test::kHangs_ms);
    QTest::mouseRelease(plus, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(says("The rig stands at interface 1"), hyb::test::kHangs_ms);
    table()->selectRow(row("measured_1"));
    for (ValueField* box : window_->rig()->findChildren<ValueField*>())
      if (box->accessibleName().startsWith("Readings")) box->setValue(50);
    auto* zero = child<ConfirmButton>("zero");
    QTRY_VERIFY_WITH_TIMEOUT(zero->isEnabled(), hyb::test::kHangs_ms);
    const Json before = document()->json();
    zero->click();
    QVERIFY2(zero->asking() && zero->text().contains("measured_1") && zero->text().contains("mm"),
             qPrintable(zero->text()));
    zero->click();
    QTRY_VERIFY_WITH_TIMEOUT(document()->json() != before, hyb::test::kHangs_ms);
    waitForCheck();
    const auto scaled = [this](const char* name) { return table()->item(row(name), 3)->text(); };
    QTRY_VERIFY2_WITH_TIMEOUT(scaled("command_1").startsWith("0") || scaled("command_1").startsWith("+0") ||
                                  scaled("command_1").contains("e-"),
                              qPrintable(scaled("command_1")), hyb::test::kHangs_ms);
  }

  void whatIsNoLongerReadIsDimmedWithItsAge() {
    connectRig();
    auto* chip = window_->findChild<StateChip*>();
    QCOMPARE(chip->accessibleName().contains("SET-UP"), true);
    const auto dimmed = [this] { return table()->item(row("force_1"), 3)->font().italic(); };
    QVERIFY(!dimmed());
    wires_->silent = true;
    QTRY_VERIFY_WITH_TIMEOUT(dimmed(), hyb::test::kHangs_ms);
    QVERIFY(says(" s old."));
    for (const QLabel* label : window_->rig()->findChildren<QLabel*>())
      QVERIFY2(label->text() != "connected" || !label->isVisible(), "it is not alive");
    // A rig that holds its actuators stops itself once nothing new comes.
    QVERIFY2(chip->accessibleName().contains("SILENT") || chip->accessibleName().contains("STOPPED"),
             qPrintable(chip->accessibleName()));
    wires_->silent = false;
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QTRY_VERIFY_WITH_TIMEOUT(says("The rig has stopped."), hyb::test::kHangs_ms);
    QVERIFY(dimmed());
    QVERIFY2(chip->accessibleName().contains("STOPPED"), qPrintable(chip->accessibleName()));
  }

  void theWiringCheckNamesWhatIsSwapped() {
    wires_->plugged = {{"measured_1", "measured_2"}, {"measured_2", "measured_1"}};
    connectRig();
    for (ValueField* box : window_->rig()->findChildren<ValueField*>())
      if (box->accessibleName().startsWith("Motion of the wiring")) box->setValue(0.1);
    child<QPushButton>("check-wiring")->click();
    auto* findings = child<QLabel>("wiring-findings");
    QTRY_VERIFY_WITH_TIMEOUT(findings->text().contains("measured_1 follows interface 2"), hyb::test::kHangs_ms);
    QVERIFY(findings->isVisible() && findings->text().contains("force_1 pushes back"));
    QCOMPARE(wires_->safe_stops.load(), 0);
  }

  void whyItDoesNotConnectIsTold() {
    wires_->on_open = [] { throw DeviceError("nobody answers at this address"); };
    giveAddress();
    child<QPushButton>("connect")->click();
    auto* message = child<QLabel>("rig-message");
    QTRY_COMPARE_WITH_TIMEOUT(message->text(), QStringLiteral("nobody answers at this address"), hyb::test::kHangs_ms);
    QCOMPARE(session()->state(), RigSession::State::disconnected);
  }

  void connectingIsCancelled() {
    std::promise<void> answer;
    wires_->on_open = [answered = answer.get_future().share()] { answered.wait(); };
    giveAddress();
    child<QPushButton>("connect")->click();
    QCOMPARE(session()->state(), RigSession::State::connecting);
    child<QPushButton>("connect")->click();  // says Cancel
    QCOMPARE(session()->state(), RigSession::State::disconnecting);
    answer.set_value();
    QTRY_COMPARE_WITH_TIMEOUT(session()->state(), RigSession::State::disconnected, hyb::test::kHangs_ms);
    QCOMPARE(wires_->written.load(), 0);
  }

  void armingOnARigDoesNotBlockAndIsStopped() {
    std::promise<void> answer;
    wires_->on_open = [answered = answer.get_future().share()] { answered.wait(); };
    giveAddress();
    document()->set("/rig/use", "rig");
    waitForCheck();
    QVERIFY2(document()->issues().empty(), firstIssue());
    window_->showWorkspace(Room::run);
    QTest::keyClick(window_.get(), Qt::Key_F5);
    QVERIFY(window_->controller()->opening());
    QCOMPARE(window_->controller()->state(), State::disconnected);
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    answer.set_value();
    QTRY_VERIFY_WITH_TIMEOUT(!window_->controller()->active(), hyb::test::kHangs_ms);
    QVERIFY(window_->controller()->state() != State::armed && wires_->safe_stops > 0);
  }

  /// One rig, one bench: tests and set-up take turns without the program having to end.
  void theRigIsFreeAfterEachTestAndSetUp() {
    giveAddress();
    document()->set("/rig/use", "rig");
    waitForCheck();
    for (int round = 0; round < 2; ++round) {
      window_->showWorkspace(Room::run);
      QTest::keyClick(window_.get(), Qt::Key_F5);
      QTRY_COMPARE_WITH_TIMEOUT(window_->controller()->state(), State::armed, hyb::test::kHangs_ms);
      QTest::keyClick(window_.get(), Qt::Key_F6);
      QTRY_COMPARE_WITH_TIMEOUT(window_->controller()->state(), State::running, hyb::test::kHangs_ms);
      QTest::keyClick(window_.get(), Qt::Key_Escape);
      QTRY_VERIFY_WITH_TIMEOUT(!window_->controller()->active(), hyb::test::kHangs_ms);
      QVERIFY(!wires_->taken && wires_->alive > 0);  // the run is still looked at
      window_->showWorkspace(Room::rig);
      child<QPushButton>("connect")->click();
      QTRY_COMPARE_WITH_TIMEOUT(session()->state(), RigSession::State::connected, hyb::test::kHangs_ms);
      child<QPushButton>("connect")->click();  // says Disconnect
      QTRY_COMPARE_WITH_TIMEOUT(session()->state(), RigSession::State::disconnected, hyb::test::kHangs_ms);
      QVERIFY(!wires_->taken);
    }
  }

  void noCampaignWhileTheRigIsConnected() {
    QLabel* mode = window_->findChild<QLabel*>(QStringLiteral("mode"));
    auto* chip = window_->findChild<StateChip*>();
    QCOMPARE(mode->text(), QStringLiteral("TWIN"));
    connectRig();
    QCOMPARE(mode->text(), QStringLiteral("RIG"));  // the project itself runs on its twin
    QCOMPARE(chip->accessibleName(), QStringLiteral("State: SET-UP"));
    for (CampaignBar* bar : {window_->fidelity()->face()->bar(), window_->fidelity()->study()->bar()}) {
      bar->start();
      QVERIFY(!bar->running());
      QVERIFY(!bar->findChild<QPushButton*>()->isEnabled());
      auto* held = bar->findChild<QLabel*>(QStringLiteral("held"));
      QVERIFY(held->isVisibleTo(bar) && held->text().contains("connected"));
    }
    child<QPushButton>("connect")->click();
    QTRY_COMPARE_WITH_TIMEOUT(session()->state(), RigSession::State::disconnected, hyb::test::kHangs_ms);
    QCOMPARE(mode->text(), QStringLiteral("TWIN"));
    QCOMPARE(chip->accessibleName(), QStringLiteral("State: READY"));
    QVERIFY(window_->fidelity()->study()->bar()->held().isEmpty());
  }

  void theRigWaitsForTheCampaign() {
    giveAddress();
    auto* connect = child<QPushButton>("connect");
    QVERIFY(connect->isEnabled());
    CampaignBar* bar = window_->fidelity()->study()->bar();
    bar->run(untilCancelled(), RigUse::shadow);
    QVERIFY(!connect->isEnabled());
    connect->click();
    QCOMPARE(session()->state(), RigSession::State::disconnected);
    QVERIFY(child<QLabel>("connect-blocked")->text().contains("campaign"));
    QCOMPARE(window_->findChild<StateChip*>()->accessibleName(), QStringLiteral("State: RUNNING"));
    QCOMPARE(window_->findChild<QLabel*>(QStringLiteral("mode"))->text(), QStringLiteral("SHADOW"));
    bar->cancel();
    QTRY_VERIFY_WITH_TIMEOUT(!bar->running(), hyb::test::kHangs_ms);
    QVERIFY(connect->isEnabled());
    QCOMPARE(window_->findChild<StateChip*>()->accessibleName(), QStringLiteral("State: READY"));
  }

  void closingDuringACampaignClosesOnceItHasEnded() {
    document()->undoStack()->setClean();
    CampaignBar* bar = window_->fidelity()->face()->bar();
    bar->run(untilCancelled());
    window_->close();
    QVERIFY(bar->running() && window_->findChild<QWidget*>(QStringLiteral("close-question"))->isVisible());
    window_->close();
    QVERIFY(window_->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(!window_->isVisible(), hyb::test::kHangs_ms);
    QVERIFY(!bar->running());
  }

  void noTareThroughAnotherCalibration() {
    child<QPushButton>("set-up-channels")->click();
    waitForCheck();
    connectRig();
    auto* zero = child<ConfirmButton>("zero");
    table()->selectRow(row("force_2"));
    QTRY_VERIFY_WITH_TIMEOUT(zero->isEnabled(), hyb::test::kHangs_ms);
    const std::string gain = "/rig/channels/" + std::to_string(row("force_2")) + "/gain";
    document()->set(gain, 2.0);
    QVERIFY(!zero->isEnabled());
    QVERIFY(zero->toolTip().contains("Connect again"));
    QVERIFY(child<QLabel>("channels-note")->text().contains("calibration changed"));
    document()->undoStack()->undo();
    QTRY_VERIFY_WITH_TIMEOUT(zero->isEnabled(), hyb::test::kHangs_ms);
    // While the readings are averaged: nothing is written.
    for (ValueField* box : window_->rig()->findChildren<ValueField*>())
      if (box->accessibleName().startsWith("Readings")) box->setValue(300);
    const int before = session()->view().zeroings;
    zero->click();
    if (zero->asking()) zero->click();
    document()->set(gain, 3.0);
    const Json edited = document()->json();
    QTRY_VERIFY_WITH_TIMEOUT(session()->view().zeroings > before, hyb::test::kHangs_ms);
    QVERIFY(document()->json() == edited);
  }

  void theProjectStaysUnderAConnectedRig() {
    connectRig();
    auto* axis = child<QComboBox>("jog-axis");
    QCOMPARE(axis->count(), 2);
    document()->set("/partition", Json::object({{"by", "elements"}, {"physical", Json::array()}}));
    waitForCheck();
    QVERIFY(document()->interfaceDofs().size() != 2 || !document()->issues().empty());
    QCOMPARE(axis->count(), 2);  // those that are connected
    QAction *open = action(Qt::CTRL | Qt::Key_O), *save = action(Qt::CTRL | Qt::Key_S);
    QVERIFY(!open->isEnabled() && open->toolTip().contains("connected"));
    QVERIFY2(!save->isEnabled(), "it would ask for a file");
    document()->undoStack()->undo();
    waitForCheck();
    document()->saveAs(folder_.filePath(QStringLiteral("rig.json")));
    QVERIFY2(save->isEnabled(), "it asks for nothing");
    child<QPushButton>("connect")->click();
    QTRY_COMPARE_WITH_TIMEOUT(session()->state(), RigSession::State::disconnected, hyb::test::kHangs_ms);
    QVERIFY(open->isEnabled());
  }

  void disconnectedChannelsShowNoOldValues() {
    connectRig();
    const auto live = [this](int column) { return table()->item(row("force_1"), column)->text(); };
    QTRY_VERIFY_WITH_TIMEOUT(live(3).contains('N') && live(4).contains('N'), hyb::test::kHangs_ms);
    child<QPushButton>("connect")->click();
    QTRY_COMPARE_WITH_TIMEOUT(session()->state(), RigSession::State::disconnected, hyb::test::kHangs_ms);
    for (int channel = 0; channel < table()->rowCount(); ++channel)
      for (const int column : {3, 4}) QCOMPARE(table()->item(channel, column)->text(), QStringLiteral("\u2013"));
    QVERIFY(session()->view().raw.empty());
  }

  /// Milliseconds, field and remedy stand in header and event line, whole, until the fault is reset.
  void aLostLinkIsToldInFull() {
    wires_->failure =
        "no new measurement for 12.4 ms, \"Link timeout\" allows 10 ticks (10 ms); 99.9 % of the round trips "
        "took "
        "up to 2.9 ms. Check that the rig is running and its cable is intact; if so, set \"Link timeout\" to 25 ticks "
        "or lower "
        "the "
        "rate";
    document()->set("/rig/use", "rig");
    document()->set("/safety/limits", Json::array({{{"quantity", "link-lost"}, {"action", "stop"}}}));
    giveAddress();
    waitForCheck();
    window_->activateWindow();
    QTest::keyClick(window_.get(), Qt::Key_F5);
    QTRY_COMPARE_WITH_TIMEOUT(window_->controller()->state(), State::armed, hyb::test::kHangs_ms);
    const auto ready = [&] {
      for (QPushButton* button : window_->findChildren<QPushButton*>("acknowledge"))
        if (button->isVisible() && button->isEnabled()) button->click();
      return window_->findChild<QPushButton*>("preflight-run")->isEnabled();
    };
    QTRY_VERIFY_WITH_TIMEOUT(ready(), hyb::test::kHangs_ms);
    QTest::keyClick(window_.get(), Qt::Key_F6);
    QTRY_COMPARE_WITH_TIMEOUT(window_->controller()->state(), State::running, hyb::test::kHangs_ms);
    wires_->link_lost = true;
    QTRY_VERIFY_WITH_TIMEOUT(!window_->controller()->active(), hyb::test::kHangs_ms);
    QCOMPARE(window_->controller()->state(), State::fault);
    window_->resize(1024, 700);
    const QString told = QString::fromStdString(wires_->failure);
    const auto whole = [&](const QWidget* bar) {
      for (const QLabel* label : bar->findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains(told) &&
            label->visibleRegion().boundingRect() == label->rect() &&
            label->height() >= label->heightForWidth(label->width()))
          return true;
      return false;
    };
    QTRY_VERIFY(whole(window_->findChild<QWidget*>("fault-reason")));
    QTRY_VERIFY(whole(window_->eventLine()));
    wires_->link_lost = false;
  }

  void theListBeforeATestFollowsTheLink() {
    document()->set("/rig/use", "rig");
    giveAddress();
    QTRY_VERIFY_WITH_TIMEOUT(says("No round trips have been measured"), hyb::test::kHangs_ms);
    connectRig();
    QTRY_VERIFY_WITH_TIMEOUT(says("Round trips: 99 % within"), hyb::test::kHangs_ms);
  }

  void enterPressesTheButtonWithTheFocusWhileSpaceIsStop() {
    connectRig();
    window_->activateWindow();
    auto* check = child<QPushButton>("check-wiring");
    check->setFocus();
    QTest::keyClick(check, Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(session()->view().activity, SetupActivity::checking, hyb::test::kHangs_ms);
    auto* zero = child<ConfirmButton>("zero");
    QTRY_VERIFY_WITH_TIMEOUT(!zero->isEnabled(), hyb::test::kHangs_ms);  // not while something moves
    QTest::keyClick(check, Qt::Key_Enter, Qt::KeypadModifier);
    QTRY_COMPARE_WITH_TIMEOUT(session()->view().activity, SetupActivity::watching, hyb::test::kHangs_ms);
    // Buttons that move while they are held take no key that cannot be held.
    const int written = wires_->written;
    auto* plus = child<QPushButton>("jog-plus");
    plus->setFocus();
    const double before = position(0);
    QTest::keyClick(plus, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(wires_->written > written + 20, hyb::test::kHangs_ms);
    QCOMPARE(position(0), before);
    auto* connect = child<QPushButton>("connect");
    connect->setFocus();
    QTest::keyClick(connect, Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(session()->state(), RigSession::State::disconnected, hyb::test::kHangs_ms);
    QCOMPARE(wires_->safe_stops > 0, true);
  }

  void closingTheWindowLeavesTheRigSafe() {
    connectRig();
    document()->undoStack()->setClean();  // nothing to ask about
    window_->close();
    QCOMPARE(session()->state(), RigSession::State::connected);
    window_->close();  // it was meant
    QTRY_VERIFY_WITH_TIMEOUT(!window_->isVisible(), hyb::test::kHangs_ms);
    QVERIFY(wires_->safe_stops > 0);
  }

 private:
  static CampaignBar::Work untilCancelled() {
    return [](const StudyWatch& watch, StopToken&) -> CampaignBar::Deliver {
      while (watch({})) std::this_thread::yield();
      return {};
    };
  }
  QAction* action(const QKeySequence& key) {
    for (QAction* found : window_->findChildren<QAction*>())
      if (found->shortcut() == key) return found;
    qFatal("no such action");
  }
  template <typename Widget>
  Widget* child(const char* name) {
    auto* found = window_->rig()->findChild<Widget*>(QString::fromLatin1(name));
    if (!found) qFatal("no %s", name);
    return found;
  }
  ProjectDocument* document() { return window_->document(); }
  RigSession* session() { return window_->rig()->session(); }
  QTableWidget* table() { return child<QTableWidget>("channels"); }
  int row(const QString& name) {
    for (int k = 0; k < table()->rowCount(); ++k)
      if (table()->item(k, 0)->text() == name) return k;
    qFatal("no such row");
  }
  double position(std::size_t axis) {
    const std::vector<double>& now = session()->view().command_m;
    return axis < now.size() ? now[axis] : 0.0;
  }
  const char* firstIssue() {
    static std::string text;
    text =
        document()->issues().empty() ? "" : document()->issues().front().where + document()->issues().front().message;
    return text.c_str();
  }
  void waitForCheck() { QTRY_VERIFY_WITH_TIMEOUT(!document()->checking(), hyb::test::kHangs_ms); }
  bool says(const char* words) {
    for (const QLabel* label : window_->rig()->findChildren<QLabel*>())
      if (label->text().contains(QLatin1String(words))) return true;
    return false;
  }
  void giveAddress() {
    document()->set("/rig/connection", Json::object({{"protocol", "frames"}, {"address", "tcp://127.0.0.1:1"}}));
    waitForCheck();
    QVERIFY2(document()->issues().empty(), firstIssue());
  }
  void connectRig() {
    giveAddress();
    child<QPushButton>("connect")->click();
    QTRY_COMPARE_WITH_TIMEOUT(session()->state(), RigSession::State::connected, hyb::test::kHangs_ms);
    QTRY_VERIFY_WITH_TIMEOUT(session()->view().readings > 0, hyb::test::kHangs_ms);
  }

  QTemporaryDir folder_;
  std::shared_ptr<Wires> wires_;
  std::unique_ptr<MainWindow> window_;
};

HYB_SUITE(rig_window, RigWindowTest)
#include "rig_window_test.moc"
