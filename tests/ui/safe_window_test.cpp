// A window that is safe to touch: nothing happens that nobody meant, and what happened is told until it was read.
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/record/run_file_reader.h"
#include "tests/support/gui_session.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"
#include "tests/support/uncompensated.h"
#include "tests/ui/window_at_work.h"
#include "ui/base/notice_bar.h"
#include "ui/base/number_field.h"
#include "ui/control/library_question.h"
#include "ui/document/project_document.h"
#include "ui/plot/subspace_plot.h"
#include "ui/run/preflight_panel.h"
#include "ui/run/run_workspace.h"
#include "ui/run/tuning_panel.h"
#include "ui/shell/header_bar.h"
#include "ui/shell/help_window.h"
#include "ui/shell/main_window.h"
#include "ui/shell/stop_filter.h"

using namespace hyb;
using namespace hyb::ui;

class SafeWindowTest : public ui::testing::WindowAtWork {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { ui::testing::startGuiSession("safe_window"); }
  void init() { show(); }
  void cleanup() { window_.reset(); }

  void forcesAreSwitchedByASecondPressAlone();
  void aTunedValueHoldsFromEnterOn();
  void spaceStopsAfterANoteAndASecondOneDoesNothing();
  void aControlOutOfReachDoesNotHandTheFocusOn();
  void closingAsksBesideTheHeader();
  void aRigLooksUnlikeATwin();
  void runWaitsForEachFailedLine();
  void warningsWaitWhereRealThingsMove();
  void lateAndMissedAreToldApart();
  void anArmedTestThatIsLeftDisarmsItself();
  void armAndRunShowWhatIsToBeRead();
  void thePlotsOfARunGoWithItsProject();
  void aFileChangedOnDiskIsNotOverwrittenWithoutAQuestion();
  void armSaysWhyItIsGrey();
  void keysOfTheTestCountInTheHelpWindowToo();
  void theClockOfAFreeRunEndsAtItsEnd_data();
  void theClockOfAFreeRunEndsAtItsEnd();
  void aLibraryIsAcceptedBeforeItRuns();
  void soIsTheDriverOfARig();
};

void SafeWindowTest::keysOfTheTestCountInTheHelpWindowToo() {
  open("three-mass");
  window_->showWorkspace(Room::run);
  run();
  QTest::keyClick(window_.get(), Qt::Key_F1);
  HelpWindow* help = nullptr;
  for (QWidget* top : QApplication::topLevelWidgets())
    if (auto* found = qobject_cast<HelpWindow*>(top)) help = found;
  QVERIFY(help != nullptr);
  help->activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(help));
  QTest::keyClick(help, Qt::Key_F7);
  QTRY_COMPARE_WITH_TIMEOUT(controller()->state(), State::holding, hyb::test::kHangs_ms);
  QTest::keyClick(help, Qt::Key_F7);
  QTRY_COMPARE_WITH_TIMEOUT(controller()->state(), State::running, hyb::test::kHangs_ms);
  QTest::keyClick(help, Qt::Key_Space);
  waitForTheEnd();
  help->close();
}

/// Its rows come many times faster than they are shown: the last ones count. A short one ends before any was shown.
void SafeWindowTest::theClockOfAFreeRunEndsAtItsEnd_data() {
  QTest::addColumn<double>("duration_s");
  QTest::addColumn<QString>("shown");
  QTest::newRow("long") << 30.5 << "00:30.5";
  QTest::newRow("short") << 0.5 << "00:00.5";
}
void SafeWindowTest::theClockOfAFreeRunEndsAtItsEnd() {
  QFETCH(double, duration_s);
  QFETCH(QString, shown);
  open("three-mass", {{"/loop/duration_s", duration_s}, {"/loop/soft_end_s", 0.1}, {"/analysis/start_s", 0.1}});
  window_->showWorkspace(Room::run);
  for (QComboBox* box : window_->findChildren<QComboBox*>())
    if (box->accessibleName() == QStringLiteral("Pace"))
      box->setCurrentIndex(box->findData(static_cast<int>(Pace::free_run)));
  arm();
  action(Qt::Key_F6)->trigger();
  waitForTheEnd();
  int clocks = 0;
  for (const QLabel* label : window_->findChildren<QLabel*>()) {
    if (label->accessibleName() != QStringLiteral("Elapsed time") &&
        label->toolTip() != QStringLiteral("Time since Run"))
      continue;
    QTRY_VERIFY2(label->text().contains(shown), qPrintable(label->text()));
    ++clocks;
  }
  QCOMPARE(clocks, 2);
}

void SafeWindowTest::aLibraryIsAcceptedBeforeItRuns() {
  const QTemporaryDir settings;
  const QString mark = settings.filePath(QStringLiteral("mark"));
  qputenv("XDG_CONFIG_HOME", settings.path().toUtf8());
  qputenv("HYB_TEST_MARK", mark.toUtf8());
  const std::string library = std::string(hyb::test::kPlugIns) + "/marks.so";
  open("three-mass", {{"/compensation", {{"method", "plug-in"}, {"library", library}}}});
  window_->showWorkspace(Room::run);
  auto* question = child<NoticeBar>("library-question");
  QAction* const arms = action(Qt::Key_F5);
  QTRY_VERIFY_WITH_TIMEOUT(arms->isEnabled(), hyb::test::kHangs_ms);
  QVERIFY(!question->isVisible());
  arms->trigger();
  QVERIFY(question->isVisible() && QApplication::activeModalWidget() == nullptr);
  QVERIFY2(question->text().contains(QString::fromStdString(library)), qPrintable(question->text()));
  QVERIFY(question->text().contains(QRegularExpression(QStringLiteral("SHA-256( [0-9a-f]{16}){4}"))));
  QCOMPARE(controller()->state(), State::ready);
  child<QPushButton>("decline-library")->click();
  QVERIFY(!question->isVisible());
  arms->trigger();
  QCOMPARE(controller()->state(), State::ready);
  child<QPushButton>("accept-library")->click();
  QVERIFY(!question->isVisible());
  QVERIFY(!QFile::exists(mark));  // nothing of it has run
  arm();
  QVERIFY(QFile::exists(mark));
  controller()->requestStop();
  waitForTheEnd();
  qunsetenv("HYB_TEST_MARK");
  qunsetenv("XDG_CONFIG_HOME");
}

void SafeWindowTest::soIsTheDriverOfARig() {
  const QTemporaryDir settings;
  qputenv("XDG_CONFIG_HOME", settings.path().toUtf8());
  Json document = templateDocument("three-mass");
  document["rig"]["use"] = "rig";
  document["rig"]["connection"] = {{"protocol", "driver"},
                                   {"library", std::string(hyb::test::kPlugIns) + "/actuator.so"}};
  document["rig"]["channels"] = Json::array();
  for (const char* number : {"0", "1"})
    for (const auto& [role, name, units] :
         {std::tuple("command", "command", "m"), std::tuple("displacement", "position", "m"),
          std::tuple("force", "force", "N")})
      document["rig"]["channels"].push_back(
          {{"name", name + std::string(number)}, {"role", role}, {"interface", number[0] - '0' + 1}, {"units", units}});
  Project project = parseProject(document);
  LibraryQuestion question(QStringLiteral("driver"), QStringLiteral("Connect"));
  const auto allowed = [&] { return question.allows(librariesOfTest(project)); };
  QVERIFY(!allowed());
  QVERIFY2(question.text().contains(QStringLiteral("actuator.so is a library")), qPrintable(question.text()));
  question.findChild<QPushButton*>(QStringLiteral("accept-driver"))->click();
  QVERIFY(allowed());
  QFile::remove(settings.filePath(QStringLiteral("hybridbench/accepted-plug-ins")));
  project.rig.use = RigUse::twin;
  QVERIFY(allowed());
  qunsetenv("XDG_CONFIG_HOME");
}

void SafeWindowTest::aFileChangedOnDiskIsNotOverwrittenWithoutAQuestion() {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("p.json"));
  open("three-mass");
  ProjectDocument* document = window_->document();
  document->saveAs(file);
  auto* question = child<QWidget>("disk-question");
  const auto save = [this] {
    for (QAction* action : window_->findChildren<QAction*>())
      if (action->shortcut() == QKeySequence(QKeySequence::Save)) action->trigger();
  };
  document->set("/loop/duration_s", 7.0);
  save();
  QVERIFY(!document->modified() && !question->isVisible());
  Json other = document->json();
  other["loop"]["duration_s"] = 9.0;
  saveDocument(other, file.toStdString());  // another window
  QTRY_VERIFY(question->isVisible());       // told without being asked
  document->set("/meta/title", "mine");
  save();
  QVERIFY(document->modified());
  QVERIFY(loadDocument(file.toStdString()).at("loop").at("duration_s") == 9.0);
  const QStringList changes = document->changesOnDisk();
  QCOMPARE(changes.size(), qsizetype{1});
  QVERIFY2(changes[0].contains("/loop/duration_s") && changes[0].contains("7.0") && changes[0].contains("9.0"),
           qPrintable(changes[0]));
  child<QPushButton>("reload")->click();
  QVERIFY(!question->isVisible() && !document->modified());
  QVERIFY(*document->at("/loop/duration_s") == 9.0);
  document->set("/meta/title", "mine");
  other["loop"]["duration_s"] = 11.0;
  saveDocument(other, file.toStdString());
  save();
  QVERIFY(question->isVisible());
  child<QPushButton>("overwrite")->click();
  QVERIFY(!question->isVisible() && !document->modified());
  QVERIFY(loadDocument(file.toStdString()).at("loop").at("duration_s") == 9.0);
}

void SafeWindowTest::armSaysWhyItIsGrey() {
  open("three-mass");
  window_->showWorkspace(Room::run);
  ProjectDocument* document = window_->document();
  QTRY_VERIFY(!document->checking());
  auto* held = child<QLabel>("arm-held");
  QVERIFY(!held->isVisible());
  document->set("/rig/use", "shadow");
  document->set("/loop/rate_hz", -1.0);
  QTRY_VERIFY(!document->checking());
  QVERIFY2(held->isVisible() && held->text().contains("errors"), qPrintable(held->text()));
  QCOMPARE(child<ModeChip>("mode")->rigUse(), RigUse::shadow);
  document->set("/rig/use", "twin");  // the error stays
  QCOMPARE(child<ModeChip>("mode")->rigUse(), RigUse::twin);
}

void SafeWindowTest::forcesAreSwitchedByASecondPressAlone() {
  open("three-mass");
  window_->showWorkspace(Room::run);
  run();
  auto* button = child<QPushButton>("switch-forces");
  const auto forces = [this] { return controller()->run()->status().force_source.load(); };
  QSignalSpy events(controller(), &RunController::eventArrived);
  const auto switched = [&] {
    int count = 0;
    for (const QList<QVariant>& event : events)
      count += event[0].value<Event>().code == EventCode::force_source_changed ? 1 : 0;
    return count;
  };
  // What has lost the focus asks anew.
  QTest::mouseClick(button, Qt::LeftButton);
  QVERIFY2(button->text().startsWith("Press again"), qPrintable(button->text()));
  child<QLineEdit>("operator-note")->setFocus();
  QVERIFY2(button->text().startsWith("Switch"), qPrintable(button->text()));
  QTest::mouseClick(button, Qt::LeftButton);
  QTest::mouseDClick(button, Qt::LeftButton);  // what Qt makes of the second press of a double click
  QTest::mouseRelease(button, Qt::LeftButton);
  QVERIFY2(button->text().startsWith("Press again"), "a double click is one press");
  QTest::mouseClick(button, Qt::LeftButton);
  QTRY_COMPARE_WITH_TIMEOUT(forces(), ForceSource::emulated, hyb::test::kHangs_ms);
  QTRY_COMPARE_WITH_TIMEOUT(switched(), 1, hyb::test::kHangs_ms);
  QTRY_COMPARE_WITH_TIMEOUT(child<QLabel>("force-source")->text(), QStringLiteral("emulated"), hyb::test::kHangs_ms);
  QTest::keyClick(button, Qt::Key_Space);  // STOP, not a press
  waitForTheEnd();
}

void SafeWindowTest::aTunedValueHoldsFromEnterOn() {
  open("three-mass");
  window_->showWorkspace(Room::run);
  run();
  auto* tuning = window_->findChild<TuningPanel*>();
  auto* field = tuning->findChild<ValueField*>();
  QVERIFY(field != nullptr && field->isEnabled());
  const double held = controller()->run()->tunables().front().value;
  const QString shown = field->text();
  QSignalSpy tuned(tuning, &TuningPanel::tuned);
  field->setFocus();
  QTest::keyClick(field, Qt::Key_Up);
  field->selectAll();
  QTest::keyClicks(field, "0.15");
  child<QPushButton>("switch-forces")->setFocus();
  QCOMPARE(field->text(), shown);  // left without Enter: what holds
  QCOMPARE(tuned.size(), 0);
  QCOMPARE(controller()->run()->tunables().front().value, held);
  field->setFocus();
  field->selectAll();
  QTest::keyClicks(field, "0.0000012");
  QTest::keyClick(field, Qt::Key_Return);
  QCOMPARE(field->text(), QStringLiteral("0.0000012"));
  field->setFocus();
  field->selectAll();
  QTest::keyClicks(field, "0.15");
  const QLabel* label = nullptr;
  for (const QLabel* each : tuning->findChildren<QLabel*>())
    if (each->buddy() == field) label = each;
  QVERIFY(label != nullptr && label->text().contains("Enter applies"));
  QTest::keyClick(field, Qt::Key_Return);
  QVERIFY2(!label->text().contains("Enter applies"), qPrintable(label->text()));  // it was applied
  QCOMPARE(controller()->run()->tunables().front().value, 0.15);
  QVERIFY2(!field->hasFocus(), "after Enter the keys are STOP's again");
  // A field that takes numbers has no use for Space.
  field->setFocus();
  QTest::keyClick(field, Qt::Key_Space);
  waitForTheEnd();
}

void SafeWindowTest::spaceStopsAfterANoteAndASecondOneDoesNothing() {
  open("three-mass");
  window_->showWorkspace(Room::run);
  run();
  auto* note = child<QLineEdit>("operator-note");
  QTest::keyClick(window_.get(), Qt::Key_F2);
  QVERIFY(note->hasFocus());
  QTest::keyClicks(note, "door open");
  QCOMPARE(note->text(), QStringLiteral("door open"));  // words have blanks
  QVERIFY(controller()->state() == State::running);
  QTest::keyClick(note, Qt::Key_Return);
  QVERIFY(!note->hasFocus());
  const auto press = [this] {
    QWidget* focus = QApplication::focusWidget();
    QTest::keyClick(focus != nullptr ? focus : window_.get(), Qt::Key_Space);
  };
  press();
  waitForTheEnd();
  // Wherever the focus stands by now: whoever hammers STOP presses nothing else.
  for (int workspace = 0; workspace < 3; ++workspace) {
    child<QWidget>(qPrintable(QStringLiteral("workspace-%1").arg(workspace)))->setFocus();
    press();
    QCOMPARE(window_->workspace(), Room::run);
  }
  QCOMPARE(controller()->state(), State::ready);
  // With another key in between Space is what it always was.
  QWidget* tab = child<QWidget>("workspace-0");
  QTest::keyClick(tab, Qt::Key_Shift);
  tab->setFocus();
  press();
  QCOMPARE(window_->workspace(), Room::configure);
}

void SafeWindowTest::aControlOutOfReachDoesNotHandTheFocusOn() {
  open("three-mass");
  window_->showWorkspace(Room::run);
  arm();
  auto* run = child<QPushButton>("preflight-run");
  run->setFocus();
  QVERIFY(run->hasFocus());
  QTest::keyClick(run, Qt::Key_Return);
  QTRY_VERIFY_WITH_TIMEOUT(!run->isEnabled() || !run->isVisible(), hyb::test::kHangs_ms);
  QCOMPARE(controller()->state(), State::running);
  QWidget* focus = QApplication::focusWidget();
  QVERIFY2(focus == nullptr || (qobject_cast<QPushButton*>(focus) == nullptr &&
                                qobject_cast<QAbstractSpinBox*>(focus) == nullptr && !StopFilter::editsText(focus)),
           qPrintable(focus ? placeOf(focus) : QString()));
  auto* note = child<QLineEdit>("operator-note");
  note->setFocus();
  QTest::keyClicks(note, "half a no");
  QTest::keyClick(note, Qt::Key_Escape);
  waitForTheEnd();
  QVERIFY(!note->isEnabled());
  focus = QApplication::focusWidget();
  QVERIFY2(focus == nullptr || qobject_cast<QAbstractButton*>(focus) == nullptr, qPrintable(placeOf(focus)));
}

void SafeWindowTest::closingAsksBesideTheHeader() {
  open("three-mass");
  document()->undoStack()->setClean();
  run();
  auto* question = child<QFrame>("close-question");
  window_->close();
  QVERIFY(window_->isVisible() && question->isVisible());
  QCOMPARE(controller()->state(), State::running);
  QVERIFY2(QApplication::activeModalWidget() == nullptr, "no dialog stands before STOP");
  QVERIFY(window_->rect().contains(QRect(question->mapTo(window_.get(), QPoint()), question->size())));
  QTest::mouseClick(child<QPushButton>("stay"), Qt::LeftButton);
  QVERIFY(!question->isVisible());
  QCOMPARE(controller()->state(), State::running);
  // The question goes with what it was about.
  window_->close();
  QVERIFY(question->isVisible());
  QTest::keyClick(window_.get(), Qt::Key_Escape);
  waitForTheEnd();
  QVERIFY(window_->isVisible() && !question->isVisible());
  run();
  window_->close();
  QVERIFY(question->isVisible());
  QTest::mouseClick(child<QPushButton>("stop-and-quit"), Qt::LeftButton);
  QTRY_VERIFY_WITH_TIMEOUT(!window_->isVisible(), hyb::test::kHangs_ms);
  QVERIFY(!controller()->active());
  QCOMPARE(controller()->result()->reason, EndReason::operator_stop);
}

void SafeWindowTest::aRigLooksUnlikeATwin() {
  // At three metres an eye tells apart what is about 1 mm large: 4 px of a screen with 96 dpi.
  constexpr int kBlur = 4;
  for (const ThemeChoice theme : {ThemeChoice::light, ThemeChoice::dark}) {
    window_->setTheme(theme);
    auto* header = window_->findChild<HeaderBar*>();
    auto* chip = window_->findChild<ModeChip*>();
    QList<QImage> chips, bands;
    for (const RigUse use : {RigUse::twin, RigUse::shadow, RigUse::rig}) {
      header->setRigUse(use);
      QCoreApplication::processEvents();
      const QImage all = header->grab().toImage().convertToFormat(QImage::Format_Grayscale8);
      const QImage near = chip->grab().toImage().convertToFormat(QImage::Format_Grayscale8);
      chips << near.scaled(near.size() / kBlur, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
      const QImage bottom = all.copy(0, all.height() - 8, all.width(), 8);
      bands << bottom.scaled(bottom.size() / kBlur, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    }
    const auto apart = [](const QImage& a, const QImage& b) {  // mean difference, 0..255
      double sum = 0.0;
      for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x) sum += std::abs(qGray(a.pixel(x, y)) - qGray(b.pixel(x, y)));
      return sum / (a.width() * a.height());
    };
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < a; ++b) {
        QVERIFY2(apart(chips[a], chips[b]) > 20.0, qPrintable(QStringLiteral("chips %1 %2").arg(a).arg(b)));
        QVERIFY2(apart(bands[a], bands[b]) > 50.0, qPrintable(QStringLiteral("bands %1 %2").arg(a).arg(b)));
      }
    QVERIFY2(apart(chips[0], chips[2]) > 100.0, "a real rig is inverted");
  }
  window_->setTheme(ThemeChoice::light);
}

void SafeWindowTest::runWaitsForEachFailedLine() {
  // The delay of its actuator makes the loop unstable.
  open(hyb::test::uncompensatedBenchmark());
  window_->resize(1024, 700);
  window_->showWorkspace(Room::run);
  arm();
  auto* panel = window_->findChild<PreflightPanel*>();
  QTRY_VERIFY_WITH_TIMEOUT(panel->waiting(), hyb::test::kHangs_ms);
  QVERIFY(!action(Qt::Key_F6)->isEnabled() && !child<QPushButton>("preflight-run")->isEnabled());
  QTest::keyClick(window_.get(), Qt::Key_F6);
  QCOMPARE(controller()->state(), State::armed);
  // First and whole, also in a small window.
  QCoreApplication::processEvents();
  const QList<QLabel*> lines = panel->findChildren<QLabel*>("preflight-text");
  int failed = 0, place = 0, last_failed = -1;
  for (QLabel* line : lines) {
    if (!line->isVisible()) continue;
    auto* acknowledge = panel->findChildren<QPushButton*>("acknowledge")[lines.indexOf(line)];
    if (acknowledge->isVisible()) {
      ++failed;
      last_failed = place;
      QCOMPARE(line->visibleRegion().boundingRect(), line->rect());
      QVERIFY(line->height() >= line->heightForWidth(line->width()));
      QTest::keyClick(acknowledge, Qt::Key_Return);
      QVERIFY(!acknowledge->isEnabled());
    }
    ++place;
  }
  QVERIFY(failed > 0);
  QCOMPARE(last_failed, failed - 1);
  QTRY_VERIFY_WITH_TIMEOUT(action(Qt::Key_F6)->isEnabled(), hyb::test::kHangs_ms);
  const std::filesystem::path file = controller()->run()->file();
  action(Qt::Key_F6)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(controller()->state() != State::armed, hyb::test::kHangs_ms);
  QTest::keyClick(window_.get(), Qt::Key_Escape);
  waitForTheEnd();
  QStringList recorded;
  const RunFileReader reader(file);
  for (const RecordedEvent& event : reader.events()) recorded << QString::fromStdString(event.message);
  QVERIFY2(!recorded.filter("acknowledged before Run: stability").isEmpty(), qPrintable(recorded.join('\n')));
  window_->resize(1280, 800);
}

void SafeWindowTest::warningsWaitWhereRealThingsMove() {
  PreflightPanel panel(nullptr);
  const std::vector<PreflightItem> items = {{"limits", CheckState::ok, "fine"},
                                            {"timing", CheckState::warning, "real time is not granted"},
                                            {"disk", CheckState::unknown, "not known"}};
  panel.begin(false);
  panel.show({}, items);
  QVERIFY(!panel.waiting());
  panel.begin(true);
  panel.show({}, items);
  QVERIFY(panel.waiting());
  for (QPushButton* button : panel.findChildren<QPushButton*>("acknowledge"))
    if (!button->isHidden()) button->click();
  QVERIFY(!panel.waiting());
  QCOMPARE(panel.acknowledged(), QStringList("timing"));
  // What gets worse, or well and bad again, waits again.
  panel.show({}, {{"timing", CheckState::bad, "worse"}});
  QVERIFY(panel.waiting());
  panel.show({}, {{"timing", CheckState::ok, "well"}});
  QVERIFY(!panel.waiting());
  panel.show({}, items);
  QVERIFY(panel.waiting());
}

void SafeWindowTest::lateAndMissedAreToldApart() {
  auto* header = window_->findChild<HeaderBar*>();
  window_->resize(1600, 800);
  header->setProgress(12.4, 3, 7, 0);
  QStringList said;
  for (const QLabel* label : header->findChildren<QLabel*>())
    if (label->isVisible()) said << label->text();
  QVERIFY2(said.contains("late 3, missed 7"), qPrintable(said.join('|')));
}

void SafeWindowTest::anArmedTestThatIsLeftDisarmsItself() {
  open("three-mass");
  QStringList told;
  connect(controller(), &RunController::eventArrived, this,
          [&](const Event&, const QString& message) { told << message; });
  arm();
  controller()->setArmedFor(std::chrono::seconds(0));
  waitForTheEnd();
  QCOMPARE(controller()->state(), State::ready);
  QVERIFY2(told.contains("disarmed: not started within 0 s"), qPrintable(told.join('|')));
  QVERIFY2(told.filter("operator").isEmpty(), qPrintable(told.join('|')));
  QCOMPARE(child<QLabel>("run-message")->text(), QStringLiteral("Disarmed before it was started."));
  // Whoever started it before the time was over has it.
  controller()->setArmedFor(std::chrono::seconds(60));
  run();
  controller()->run()->disarm(60.0);
  QTest::keyClick(window_.get(), Qt::Key_Escape);
  waitForTheEnd();
  QCOMPARE(child<QLabel>("run-message")->text(), QStringLiteral("Stopped by the operator."));
}

void SafeWindowTest::armAndRunShowWhatIsToBeRead() {
  open(hyb::test::uncompensatedBenchmark());
  for (const Room room : {Room::configure, Room::analyse}) {
    window_->showWorkspace(room);
    arm();
    QCOMPARE(window_->workspace(), Room::run);
    window_->showWorkspace(room);
    QTRY_VERIFY_WITH_TIMEOUT(window_->findChild<PreflightPanel*>()->waiting(), hyb::test::kHangs_ms);
    QTest::keyClick(window_.get(), Qt::Key_F6);
    QCOMPARE(window_->workspace(), Room::run);
    QCOMPARE(controller()->state(), State::armed);
    auto* message = child<QLabel>("run-message");
    QVERIFY2(message->isVisible() && message->text().startsWith("Run is blocked"), qPrintable(message->text()));
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    waitForTheEnd();
  }
}

void SafeWindowTest::thePlotsOfARunGoWithItsProject() {
  open("three-mass");
  window_->showWorkspace(Room::run);
  run();
  const auto drawn = [this] {
    return !window_->findChild<RunWorkspace*>()->findChild<SubspacePlot*>()->valueTable().rows.empty();
  };
  QTRY_VERIFY_WITH_TIMEOUT(drawn(), hyb::test::kHangs_ms);
  QTest::keyClick(window_.get(), Qt::Key_Escape);
  waitForTheEnd();
  QVERIFY(drawn());  // to be looked at
  open("three-mass");
  QVERIFY(!drawn());
  QStringList said;
  for (const QLabel* label : window_->findChild<HeaderBar*>()->findChildren<QLabel*>()) said << label->text();
  QVERIFY2(said.contains("00:00.0"), qPrintable(said.join('|')));
}

HYB_SUITE(safe_window, SafeWindowTest)
#include "safe_window_test.moc"
