#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>
#include <cmath>
#include <fstream>
#include <thread>

#include "core/assess/measures.h"
#include "core/project/command_bounds.h"
#include "core/record/run_file_reader.h"
#include "tests/support/gui_session.h"
#include "tests/support/suite.h"
#include "tests/ui/lagging_run.h"
#include "ui/base/number_field.h"
#include "ui/plot/subspace_plot.h"
#include "ui/plot/time_plot.h"
#include "ui/run/fault_panel.h"
#include "ui/run/limits_table.h"
#include "ui/run/live_views.h"
#include "ui/run/measures_view.h"
#include "ui/run/preflight_panel.h"
#include "ui/run/run_workspace.h"
#include "ui/run/tuning_panel.h"

using namespace hyb;
using namespace hyb::ui;
using hyb::ui::testing::button;

namespace {

/// The three-mass template, recorded into `folder`, with changes by JSON pointer.
Project threeMass(const QTemporaryDir& folder, std::initializer_list<std::pair<const char*, Json>> changes = {}) {
  Json document = templateDocument("three-mass");
  document["recording"]["folder"] = folder.path().toStdString();
  for (const auto& [pointer, value] : changes) document[Json::json_pointer(pointer)] = value;
  return parseProject(document);
}

}  // namespace

class RunTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { testing::startGuiSession("run"); }
  void controllerRefusesWhatTheStateForbids();
  void controllerEndsSafelyWhenDestroyed();
  void aSecondStopEndsAtOnce();
  void armingFailureIsTold();
  void theFileIsNamedBeforeItExists();
  void buttonsFollowTheState();
  void limitsStandBesideTheirBounds();
  void pacedTestIsHeldResumedTunedAndStopped();
  void freeRunClosesTheSubspace();
  void limitLeavesAFaultThatMustBeReset();
  void freezeStopsTheViewsOnly();
  void faultsAreListedOnceTheyHaveBegun();
  void projectGivenWhileRunningWaits();
  void noPlotKeepsTheRowsOfTheTestBefore();
};

void RunTest::controllerRefusesWhatTheStateForbids() {
  RunController controller;
  QSignalSpy failed(&controller, &RunController::failed);
  QCOMPARE(controller.state(), State::ready);
  controller.start();
  controller.hold();
  controller.resume();
  controller.requestStop();
  controller.resetFault();
  QCOMPARE(controller.state(), State::ready);
  QVERIFY(controller.run() == nullptr && !controller.result());

  const QTemporaryDir folder;
  const Project project = threeMass(folder);
  RunOptions options;
  options.display = true;
  QVERIFY(controller.arm(project, options));
  QCOMPARE(controller.state(), State::armed);
  QVERIFY(controller.armedSecondsLeft() > 50);
  QVERIFY(!controller.arm(project, options));
  QCOMPARE(failed.count(), 1);
  controller.requestStop();
  QTRY_VERIFY(!controller.active());
  QCOMPARE(controller.state(), State::ready);
  QVERIFY(controller.result().has_value());
}

void RunTest::aSecondStopEndsAtOnce() {
  const QTemporaryDir folder;
  RunController controller;
  RunOptions options;
  options.display = true;
  QVERIFY(controller.arm(threeMass(folder, {{"/safety/stop_ramp_s", 60}}), options));
  controller.start();
  QTRY_COMPARE(controller.state(), State::running);
  controller.requestStop();
  QTRY_COMPARE(controller.state(), State::stopping);
  controller.requestStop();
  QTRY_VERIFY(!controller.active());
  QVERIFY(controller.result() && controller.result()->reason == EndReason::operator_stop);
}

void RunTest::controllerEndsSafelyWhenDestroyed() {
  const QTemporaryDir folder;
  const std::filesystem::path file = (folder.path() + "/destroyed.h5").toStdString();
  {
    RunController controller;
    RunOptions options;
    options.display = true;
    options.file = file;
    QVERIFY(controller.arm(threeMass(folder, {{"/safety/stop_ramp_s", 0.05}}), options));
    controller.start();
    QTRY_VERIFY(controller.run()->status().tick.load() > 100);
    QCOMPARE(RunController::recordingFile(), QString::fromStdString(file.string()));
  }
  QVERIFY(RunController::recordingFile().isEmpty());
  const RunFileReader reader(file);
  QVERIFY(!reader.info().live);  // closed as it should be
  QVERIFY(reader.info().rows > 100);
}

void RunTest::armingFailureIsTold() {
  const QTemporaryDir folder;
  RunController controller;
  RunWorkspace workspace(&controller);
  QSignalSpy failed(&controller, &RunController::failed);
  RunOptions options;
  options.display = true;
  options.file = "/nowhere/at/all/run.h5";
  QVERIFY(!controller.arm(threeMass(folder), options));
  QCOMPARE(failed.count(), 1);
  QVERIFY(failed.first().first().toString().contains("nowhere"));
  QCOMPARE(controller.state(), State::ready);
  QVERIFY(RunController::recordingFile().isEmpty());
}

/// As a list of runs sees it that is being made in another thread.
void RunTest::theFileIsNamedBeforeItExists() {
  const QTemporaryDir folder;
  RunController controller;
  RunOptions options;
  options.display = true;
  options.file = (folder.path() + "/run.h5").toStdString();
  QString named;
  std::thread list([&named, file = options.file] {
    while (!std::filesystem::exists(file)) std::this_thread::yield();
    named = RunController::recordingFile();
  });
  const bool armed = controller.arm(threeMass(folder), options);
  if (!armed) std::ofstream(options.file) << "for the thread to end";
  list.join();
  QVERIFY(armed);
  QCOMPARE(named, QString::fromStdString(options.file.string()));
}

void RunTest::buttonsFollowTheState() {
  const QTemporaryDir folder;
  RunController controller;
  RunWorkspace workspace(&controller);
  QPushButton *arm = button(workspace, "Arm"), *run = button(workspace, "Run"), *hold = button(workspace, "Hold"),
              *reset = button(workspace, "Reset");
  QVERIFY(arm && run && hold && reset);
  QVERIFY2(!arm->isEnabled(), "no project yet");
  workspace.setProject(threeMass(folder, {{"/safety/stop_ramp_s", 0.05}}));
  const auto enabled = [&] {
    return QList<bool>{arm->isEnabled(), run->isEnabled(), hold->isEnabled(), reset->isEnabled()};
  };
  QTRY_COMPARE(enabled(), (QList<bool>{true, false, false, false}));
  arm->click();
  QCOMPARE(controller.state(), State::armed);
  QTRY_COMPARE(enabled(), (QList<bool>{false, true, false, false}));
  auto* preflight = workspace.findChild<PreflightPanel*>();
  QVERIFY(!preflight->isHidden());
  run->click();
  QTRY_COMPARE(controller.state(), State::running);
  QTRY_COMPARE(enabled(), (QList<bool>{false, false, true, false}));
  hold->click();
  QTRY_COMPARE(controller.state(), State::holding);
  QTRY_VERIFY(hold->text().startsWith("Resume"));
  hold->click();
  QTRY_COMPARE(controller.state(), State::running);
  controller.requestStop();
  QTRY_VERIFY(!controller.active());
  QTRY_COMPARE(enabled(), (QList<bool>{true, false, false, false}));
  // Disarm from the pre-flight panel: nothing was recorded, so nothing stays behind.
  arm->click();
  const std::filesystem::path file = controller.run()->file();
  button(*preflight, "Disarm")->click();
  QTRY_VERIFY(!controller.active());
  QVERIFY(!std::filesystem::exists(file));
}

void RunTest::pacedTestIsHeldResumedTunedAndStopped() {
  const QTemporaryDir folder;
  RunController controller;
  RunWorkspace workspace(&controller);
  workspace.resize(1280, 712);
  workspace.show();
  QVERIFY(QTest::qWaitForWindowExposed(&workspace));
  workspace.setProject(threeMass(folder, {{"/safety/stop_ramp_s", 0.1}, {"/loop/soft_start_s", 0.2}}));
  QStringList messages;
  connect(&controller, &RunController::eventArrived, &workspace,
          [&](const Event&, const QString& message) { messages << message; });
  // Header and event line leave this much of 1280 x 800.
  QVERIFY(workspace.minimumSizeHint().width() <= 1280 && workspace.minimumSizeHint().height() <= 712);
  QTest::keyClick(&workspace, Qt::Key_F5);
  QCOMPARE(controller.state(), State::armed);
  const std::filesystem::path file = controller.run()->file();
  QTest::keyClick(&workspace, Qt::Key_F6);
  QTRY_COMPARE(controller.state(), State::running);
  auto* views = workspace.findChild<LiveViews*>();
  QTRY_VERIFY(views->history() != nullptr && views->history()->rows().end() > 300);

  auto* tuning = workspace.findChild<TuningPanel*>();
  const QList<ValueField*> fields = tuning->findChildren<ValueField*>();
  QCOMPARE(fields.size(), static_cast<qsizetype>(controller.run()->tunables().size()));
  QVERIFY(!fields.isEmpty() && fields.first()->isEnabled());
  fields.first()->setFocus();
  fields.first()->selectAll();
  QTest::keyClicks(fields.first(), "0.15");
  QTest::keyClick(fields.first(), Qt::Key_Return);
  QTRY_COMPARE(controller.run()->tunables().front().value, 0.15);
  QTRY_VERIFY(!messages.filter("0.15").isEmpty());

  QTest::keyClick(&workspace, Qt::Key_F2);
  auto* note = workspace.findChild<QLineEdit*>();
  for (QLineEdit* field : workspace.findChildren<QLineEdit*>())
    if (field->accessibleName() == "Operator note") note = field;
  QTRY_VERIFY(note->hasFocus());
  QTest::keyClicks(note, "door opened");
  QTest::keyClick(note, Qt::Key_Return);
  QTRY_VERIFY(!messages.filter("door opened").isEmpty());

  auto* forces = workspace.findChild<QPushButton*>("switch-forces");
  forces->click();
  QCOMPARE(controller.run()->status().force_source.load(), ForceSource::measured);
  forces->click();
  QTRY_COMPARE(controller.run()->status().force_source.load(), ForceSource::emulated);

  // Live measures: a figure for each interface, and a sentence each on what it can tell and what it cannot.
  auto* measures = workspace.findChild<MeasuresView*>();
  workspace.findChild<QTabWidget*>()->setCurrentIndex(1);
  auto* list = measures->findChild<QTreeWidget*>();
  QTRY_VERIFY(list->topLevelItemCount() > 5);
  QCOMPARE(list->columnCount(), 3);
  const QList<QTreeWidgetItem*> rms =
      list->findItems(QString::fromUtf8(findMeasure("rms_by_max")->title), Qt::MatchExactly, 0);
  QCOMPARE(rms.size(), 1);
  QTRY_VERIFY(rms.front()->text(1).toDouble() > 0.0);
  list->setCurrentItem(rms.front());
  QStringList said;
  for (const QLabel* label : measures->findChildren<QLabel*>()) said << label->text();
  QVERIFY(said.contains(QString::fromUtf8(findMeasure("rms_by_max")->says)));
  QVERIFY(said.contains(QString::fromUtf8(findMeasure("rms_by_max")->cannot)));
  workspace.findChild<QTabWidget*>()->setCurrentIndex(0);

  QTest::keyClick(&workspace, Qt::Key_F7);
  QTRY_COMPARE(controller.state(), State::holding);
  QTest::keyClick(&workspace, Qt::Key_F7);
  QTRY_COMPARE(controller.state(), State::running);
  controller.requestStop();
  QTRY_VERIFY(!controller.active());
  QVERIFY2(controller.result()->reason == EndReason::operator_stop, controller.result()->stop_reason.c_str());
  QVERIFY(workspace.frameStats().frames() > 5);
  QVERIFY(!fields.first()->isEnabled());

  const RunFileReader reader(file);
  QVERIFY(!reader.info().live);
  QStringList recorded;
  for (const RecordedEvent& event : reader.events()) recorded << QString::fromStdString(event.message);
  QVERIFY(!recorded.filter("door opened").isEmpty());
  QPushButton* open = button(workspace, "Open this run");
  QVERIFY(open->isVisible());
  QSignalSpy opened(&workspace, &RunWorkspace::openInAnalyse);
  open->click();
  QCOMPARE(opened.first().first().toString(), QString::fromStdString(file.string()));
}

void RunTest::freeRunClosesTheSubspace() {
  const QTemporaryDir folder;
  RunController controller;
  RunWorkspace workspace(&controller);
  workspace.resize(1280, 712);
  workspace.show();
  QVERIFY(QTest::qWaitForWindowExposed(&workspace));
  const Project project = threeMass(folder, {{"/loop/duration_s", 16.0}, {"/loop/soft_end_s", 0.0}});
  workspace.setProject(project);
  for (QComboBox* combo : workspace.findChildren<QComboBox*>())
    if (combo->accessibleName() == "Pace") combo->setCurrentIndex(1);
  button(workspace, "Arm")->click();
  button(workspace, "Run")->click();
  QTRY_VERIFY(controller.result().has_value());
  QVERIFY(controller.result()->complete && controller.result()->valid);
  // The views are filled from the file, since a free run outpaces the screen.
  auto* views = workspace.findChild<LiveViews*>();
  QTRY_VERIFY(views->history()->rows().end() >= 15900);
  QCOMPARE(views->subspacePlots().size(), std::size_t{2});
  // Right after the end the excitation is off: look at the last periods under full motion.
  for (const SubspacePlot* plot : views->subspacePlots()) QVERIFY(!plot->accessibleName().isEmpty());
  const RunHistory& run = *views->history();
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<double> target, measured;
    run.rows().copy(run.layout().target(i), 14000, 15500, target);
    run.rows().copy(run.layout().measured(i), 14000, 15500, measured);
    const Synchronisation read = synchronisation(target, measured, 1e-3, 8.0);
    QVERIFY(read.valid);
    QVERIFY2(std::abs(read.delay_s) < 3e-4, qPrintable(QString::number(read.delay_s)));
    QVERIFY2(std::abs(read.amplitude_ratio - 1.0) < 0.02, qPrintable(QString::number(read.amplitude_ratio)));
    // The plot and the table of measures tell the same of the rows that the plot shows.
    const SubspacePlot& plot = *views->subspacePlots()[i];
    const Synchronisation shown = plot.synchronisationNow();
    const ValueTable rows = plot.valueTable();
    const auto first = run.rows().lowerBound(RowLayout::kTime, rows.rows.front()[0], 0, run.rows().end());
    MeasureWindow window(run.layout(), measureContext(project), 1e-3 * static_cast<double>(rows.rows.size()) + 5e-4);
    for (std::uint64_t row = first; row < first + rows.rows.size(); ++row) {
      std::vector<double> values;
      for (std::size_t c = 0; c < run.layout().width(); ++c) values.push_back(run.rows().at(c, row));
      window.push(values);
    }
    const std::pair<const char*, double> figures[] = {{"ellipse_amplitude_ratio", shown.amplitude_ratio},
                                                      {"ellipse_delay", shown.delay_s},
                                                      {"ellipse_area", shown.area}};
    std::size_t compared = 0;
    for (const MeasureReading& reading : window.read())
      for (const auto& [name, value] : figures) {
        if (reading.measure->name != std::string_view(name) || reading.interface != static_cast<int>(i) + 1) continue;
        QVERIFY2(std::abs(reading.value - value) <= 1e-9 * std::abs(value),
                 qPrintable(QString("%1: %2, the plot %3").arg(name).arg(reading.value).arg(value)));
        ++compared;
      }
    QCOMPARE(compared, std::size(figures));
  }
}

void RunTest::limitLeavesAFaultThatMustBeReset() {
  const QTemporaryDir folder;
  RunController controller;
  RunWorkspace workspace(&controller);
  Json limits = Json::array({{{"quantity", "displacement"}, {"threshold_m", 1e-4}, {"action", "stop"}}});
  workspace.setProject(threeMass(folder, {{"/safety/limits", limits}, {"/safety/stop_ramp_s", 0.05}}));
  button(workspace, "Arm")->click();
  button(workspace, "Run")->click();
  QTRY_VERIFY(controller.result().has_value());
  QCOMPARE(controller.state(), State::fault);
  QVERIFY(controller.result()->reason == EndReason::limit);
  QPushButton *arm = button(workspace, "Arm"), *reset = button(workspace, "Reset");
  QVERIFY(!arm->isEnabled() && reset->isEnabled());
  auto* table = workspace.findChild<LimitsTable*>();
  QCOMPARE(table->rowCount(), static_cast<int>(controller.run()->safety().limits().size()));
  QVERIFY2(table->item(0, 3)->text().startsWith("TRIPPED"), qPrintable(table->item(0, 3)->text()));
  bool told = false;
  for (const QLabel* label : workspace.findChildren<QLabel*>())
    told = told || label->text().contains("displacement reached");
  QVERIFY(told);
  reset->click();
  QCOMPARE(controller.state(), State::ready);
  QVERIFY(arm->isEnabled() && !reset->isEnabled());
}

void RunTest::limitsStandBesideTheirBounds() {
  LimitsTable table;
  table.setLimits({{limitQuantity("displacement"), 2, 0.018, Action::ramp},
                   {limitQuantity("stale-data"), 0, 10.0, Action::ramp},
                   {limitQuantity("link-lost"), 0, 1.0, Action::stop}});
  const char* names[] = {"displacement 2", "stale data", "link lost"};
  const QString bounds[] = {QStringLiteral("18\u2009mm"), QStringLiteral("10"), QString()};
  for (int row = 0; row < 3; ++row) {
    QCOMPARE(table.item(row, 0)->text(), QLatin1String(names[row]));
    QVERIFY2(table.item(row, 2)->text().endsWith(bounds[row]), qPrintable(table.item(row, 2)->text()));
  }
  QCOMPARE(table.item(2, 2)->text(), QString());  // there or not there: nothing to compare
}

void RunTest::freezeStopsTheViewsOnly() {
  const QTemporaryDir folder;
  RunController controller;
  RunWorkspace workspace(&controller);
  workspace.resize(1280, 712);
  workspace.show();
  QVERIFY(QTest::qWaitForWindowExposed(&workspace));
  workspace.setProject(threeMass(folder, {{"/safety/stop_ramp_s", 0.05}}));
  button(workspace, "Arm")->click();
  button(workspace, "Run")->click();
  auto* views = workspace.findChild<LiveViews*>();
  QTRY_VERIFY(views->history() != nullptr && views->history()->rows().end() > 100);
  QTest::keyClick(&workspace, Qt::Key_F9);
  QVERIFY(views->frozen());
  const std::uint64_t rows = views->history()->rows().end(), recorded = controller.run()->recordedRows();
  QTRY_VERIFY(views->history()->rows().end() > rows + 100);
  QTRY_VERIFY(controller.run()->recordedRows() > recorded);
  QTest::keyClick(&workspace, Qt::Key_F9);
  QVERIFY(!views->frozen());
  controller.requestStop();
  QTRY_VERIFY(!controller.active());
}

void RunTest::faultsAreListedOnceTheyHaveBegun() {
  const QTemporaryDir folder;
  RunController controller;
  RunWorkspace workspace(&controller);
  workspace.setProject(threeMass(folder, {{"/safety/stop_ramp_s", 0.05}}));
  auto* panel = workspace.findChild<FaultPanel*>();
  auto* begin = panel->findChild<QPushButton*>(QStringLiteral("fault-begin"));
  auto* end = panel->findChild<QPushButton*>(QStringLiteral("fault-end"));
  auto* kind = panel->findChild<QComboBox*>(QStringLiteral("fault-kind"));
  auto* list = panel->findChild<QListWidget*>();
  QVERIFY2(!begin->isEnabled() && !end->isEnabled(), "no test yet");
  button(workspace, "Arm")->click();
  button(workspace, "Run")->click();
  QTRY_COMPARE(controller.state(), State::running);
  QTRY_VERIFY(begin->isEnabled());
  QStringList messages;
  connect(&controller, &RunController::eventArrived, &workspace,
          [&](const Event&, const QString& message) { messages << message; });

  kind->setCurrentIndex(kind->findText(QStringLiteral("Frame loss")));
  panel->findChild<ValueField*>(QStringLiteral("fault-value"))->setValue(0.001);
  begin->click();
  QTRY_COMPARE(list->count(), 1);
  QVERIFY(list->item(0)->text().contains(QStringLiteral("Frame loss")));
  begin->click();  // it is under way already
  QVERIFY(end->isEnabled());
  end->click();
  QTRY_COMPARE(list->count(), 0);
  QVERIFY(!end->isEnabled());

  // What the rig refuses is told, and never listed.
  panel->begin(9);
  kind->setCurrentIndex(kind->findText(QStringLiteral("Stuck sensor")));
  for (QComboBox* combo : panel->findChildren<QComboBox*>())
    if (combo->accessibleName().startsWith("Interface")) combo->setCurrentIndex(9);
  const auto told = messages.size();
  begin->click();
  QTRY_VERIFY(messages.size() > told);
  QVERIFY2(messages.last().contains(QStringLiteral("refused")), qPrintable(messages.last()));
  QCOMPARE(list->count(), 0);
  QVERIFY(begin->isEnabled());
  controller.requestStop();
  QTRY_VERIFY(!controller.active());
}

void RunTest::projectGivenWhileRunningWaits() {
  const QTemporaryDir folder;
  RunController controller;
  RunWorkspace workspace(&controller);
  workspace.setProject(threeMass(folder, {{"/safety/stop_ramp_s", 0.05}}));
  button(workspace, "Arm")->click();
  const Json one = Json::array({{{"quantity", "gap"}, {"threshold_m", 0.005}, {"action", "ramp"}}});
  const Project next = threeMass(folder, {{"/safety/limits", one}});
  workspace.setProject(next);
  auto* table = workspace.findChild<LimitsTable*>();
  const auto rows = static_cast<int>(watchedLimits(next).size());
  QCOMPARE(table->rowCount(), static_cast<int>(controller.run()->safety().limits().size()));
  QVERIFY(table->rowCount() > rows);
  controller.requestStop();
  QTRY_COMPARE(table->rowCount(), rows);
}

void RunTest::noPlotKeepsTheRowsOfTheTestBefore() {
  const QTemporaryDir folder;
  LiveViews views;
  views.prepare(threeMass(folder), 2);
  std::shared_ptr<const RunHistory> before = testing::lagging(2.0, 1.0, 0.0);
  const std::weak_ptr<const RunHistory> kept = before;
  views.replaceHistory(std::move(before));
  QVERIFY(!kept.expired());
  // Curves name columns: none may be set while a plot still has rows in which these columns are something else.
  int set = 0, with_rows_of_before = 0;
  for (TimePlot* plot : views.findChildren<TimePlot*>())
    connect(plot, &PlotView::legendChanged, this, [&] {
      ++set;
      if (!kept.expired()) ++with_rows_of_before;
    });
  views.replaceHistory(testing::lagging(1.0, 0.9, 0.002));
  QVERIFY(set > 0);
  QCOMPARE(with_rows_of_before, 0);
}

HYB_SUITE(run, RunTest)
#include "run_test.moc"
