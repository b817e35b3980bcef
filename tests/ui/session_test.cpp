/// A technician's session in the whole window: template, compensator, arm, run, watch it close, hold, stop, open the
/// file.
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <csignal>

#include "core/record/run_file_reader.h"
#include "tests/support/gui_session.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"
#include "ui/analyse/analyse_workspace.h"
#include "ui/configure/configure_workspace.h"
#include "ui/control/run_controller.h"
#include "ui/document/project_document.h"
#include "ui/plot/subspace_plot.h"
#include "ui/run/live_views.h"
#include "ui/shell/header_bar.h"
#include "ui/shell/main_window.h"
#include "ui/shell/quit_signal.h"

using namespace hyb;
using namespace hyb::ui;

namespace {}

class SessionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { testing::startGuiSession("session"); }

  void init() {
    window_ = std::make_unique<MainWindow>();
    window_->resize(1280, 800);
    window_->show();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    QVERIFY(window_->open("three-mass"));
    // A short soft start keeps the test short; each run goes into a folder of its own.
    runs_ = std::make_unique<QTemporaryDir>();
    document()->set("/recording/folder", runs_->path().toStdString());
    document()->set("/loop/soft_start_s", 0.5);
    document()->set("/loop/duration_s", 0);
    QTRY_VERIFY_WITH_TIMEOUT(!document()->checking(), hyb::test::kHangs_ms);
    QVERIFY(document()->issues().empty());
  }
  void cleanup() { window_.reset(); }

  void aWholeSession() {
    // Change the compensator in the form, and back by undo.
    window_->configure()->showSection("/compensation");
    auto* method = window_->findChild<QComboBox*>("/compensation/method");
    QVERIFY(method != nullptr);
    const QString adaptive = method->currentText();
    QTest::keyClick(method, Qt::Key_Up);
    QTRY_VERIFY(document()->json()["compensation"]["method"] != "adaptive-forward-prediction");
    document()->undoStack()->undo();
    QCOMPARE(document()->json()["compensation"]["method"].get<std::string>(),
             std::string("adaptive-forward-prediction"));
    QTRY_VERIFY_WITH_TIMEOUT(!document()->checking(), hyb::test::kHangs_ms);

    armAndRun();
    // The subspace plots close: what is left of 9 ms is below half a millisecond, and the amplitudes agree.
    auto* views = window_->findChild<LiveViews*>();
    QVERIFY(views != nullptr);
    QCOMPARE(views->subspacePlots().size(), std::size_t{2});
    const auto closed = [views] {
      for (const SubspacePlot* plot : views->subspacePlots()) {
        const Synchronisation now = plot->synchronisationNow();
        if (!now.valid || std::abs(now.delay_s) > 5e-4 || std::abs(now.amplitude_ratio - 1.0) > 0.02) return false;
      }
      return true;
    };
    QTRY_VERIFY_WITH_TIMEOUT(closed(), hyb::test::kHangs_ms);

    // Hold and resume.
    QTest::keyClick(window_.get(), Qt::Key_F7);
    QTRY_COMPARE_WITH_TIMEOUT(state(), State::holding, hyb::test::kHangs_ms);
    QTest::keyClick(window_.get(), Qt::Key_F7);
    QTRY_COMPARE_WITH_TIMEOUT(state(), State::running, hyb::test::kHangs_ms);

    // STOP by key while a text field has the focus.
    auto* field = visibleLineEdit();
    QVERIFY(field != nullptr);
    field->setFocus();
    QSignalSpy ended(window_->controller(), &RunController::ended);
    QTest::keyClick(field, Qt::Key_Escape);
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, hyb::test::kHangs_ms);
    QCOMPARE(state(), State::ready);
    QVERIFY(window_->controller()->result()->valid);

    // The saved run opens in Analyse.
    const QString file = QString::fromStdString(window_->controller()->run()->file().string());
    QVERIFY(QFile::exists(file));
    QVERIFY(RunFileReader(file.toStdString()).info().rows > 1000);
    auto* analyse = window_->findChild<AnalyseWorkspace*>();
    QSignalSpy opened(analyse, &AnalyseWorkspace::runOpened);
    window_->showWorkspace(Room::analyse);
    analyse->openRun(file);
    QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 1, hyb::test::kHangs_ms);
    QCOMPARE(opened[0][1].toString(), QString());
  }

  void stopButtonAndSpace_data() {
    QTest::addColumn<bool>("by_key");
    QTest::newRow("button") << false;
    QTest::newRow("Space") << true;
  }
  void stopButtonAndSpace() {
    QFETCH(bool, by_key);
    armAndRun();
    QSignalSpy ended(window_->controller(), &RunController::ended);
    window_->showWorkspace(Room::configure);  // STOP works from any workspace
    if (by_key) {
      QTest::keyClick(window_.get(), Qt::Key_Space);
    } else {
      auto* stop = window_->findChild<StopButton*>();
      QVERIFY(stop != nullptr && stop->isVisible() && stop->isEnabled());
      QTest::mouseClick(stop, Qt::LeftButton);
    }
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, hyb::test::kHangs_ms);
    QCOMPARE(window_->controller()->result()->reason, EndReason::operator_stop);
  }

  void closingTheWindowEndsTheTestSafely_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("closed") << 0;
    QTest::newRow("Ctrl-C") << SIGINT;
    QTest::newRow("terminated") << SIGTERM;
  }
  void closingTheWindowEndsTheTestSafely() {
    QFETCH(int, signal);
    QuitSignal quit;
    connect(&quit, &QuitSignal::received, window_.get(), &MainWindow::quitWhenSafe);
    armAndRun();
    const std::string file = window_->controller()->run()->file().string();
    if (signal != 0) {
      QVERIFY(document()->modified());  // a signal does not wait for an answer
      ::raise(signal);
    } else {
      document()->undoStack()->setClean();  // nothing to ask about
      window_->close();
      window_->close();  // it was meant
    }
    QTRY_VERIFY_WITH_TIMEOUT(!window_->isVisible(), hyb::test::kHangs_ms);
    QCOMPARE(RunFileReader(file).info().stop_reason, std::string("stopped by the operator"));
  }

 private:
  ProjectDocument* document() { return window_->document(); }
  State state() { return window_->controller()->state(); }
  void armAndRun() {
    window_->showWorkspace(Room::run);
    QTest::keyClick(window_.get(), Qt::Key_F5);
    QTRY_COMPARE_WITH_TIMEOUT(state(), State::armed, hyb::test::kHangs_ms);
    QTest::keyClick(window_.get(), Qt::Key_F6);
    QTRY_COMPARE_WITH_TIMEOUT(state(), State::running, hyb::test::kHangs_ms);
    QTRY_VERIFY_WITH_TIMEOUT(window_->controller()->run()->status().tick.load() > 100, hyb::test::kHangs_ms);
  }
  QLineEdit* visibleLineEdit() {
    for (auto* field : window_->findChildren<QLineEdit*>())
      if (field->isVisible() && field->isEnabled() && !field->isReadOnly()) return field;
    return nullptr;
  }
  std::unique_ptr<QTemporaryDir> runs_;
  std::unique_ptr<MainWindow> window_;
};

HYB_SUITE(session, SessionTest)
#include "session_test.moc"
