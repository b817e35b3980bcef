#include <qwt_scale_draw.h>
#include <qwt_text.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "core/loop/trials.h"
#include "core/record/run_file_reader.h"
#include "tests/support/compare.h"
#include "tests/support/gui_session.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"
#include "tests/support/values.h"
#include "tests/ui/run_at_work.h"
#include "ui/analyse/analyse_views.h"
#include "ui/analyse/analyse_workspace.h"
#include "ui/plot/convergence_plot.h"
#include "ui/plot/run_loader.h"
#include "ui/plot/time_plot.h"
#include "ui/plot/trial_curves.h"
#include "ui/plot/trials_plot.h"
#include "ui/plot/trials_view.h"
#include "ui/run/run_workspace.h"

using namespace hyb;
using namespace hyb::ui;
using hyb::test::kNan;
using hyb::ui::testing::button;
using hyb::ui::testing::RunAtWork;

namespace {

/// The three masses in trials, recorded into `folder`, with changes by JSON pointer.
Project threeMassTrials(const QTemporaryDir& folder, std::initializer_list<std::pair<const char*, Json>> changes = {}) {
  Json document = loadDocument(std::string(hyb::test::kSourceDir) + "/tests/data/projects/three-mass-trials.json");
  document["recording"]["folder"] = folder.path().toStdString();
  for (const auto& [pointer, value] : changes) document[Json::json_pointer(pointer)] = value;
  return parseProject(document);
}

/// Trials of one interface at 1 kHz with these errors; not a number: it was held.
TrialList listOf(const TrialSpec& rules, const std::vector<double>& errors) {
  TrialList list(rules, 1000.0, trialColumns({"m"}, {{"gain_1", "", "gain", 0}}));
  for (std::size_t t = 0; t < errors.size(); ++t) {
    const bool whole = !std::isnan(errors[t]);
    const double error = whole ? errors[t] : 1.0;
    list.append({static_cast<double>(t + 1), 3000.0 * static_cast<double>(t), 3000.0 * static_cast<double>(t) + 2000.0,
                 whole ? 1.0 : 0.0, error, error, 1e-5 * error, 3e-5 * error, 1.0 + 0.1 * static_cast<double>(t)});
  }
  return list;
}

QTabWidget* tabsWith(const QWidget& within, const QWidget* page) {
  for (QTabWidget* tabs : within.findChildren<QTabWidget*>())
    if (tabs->indexOf(page) >= 0) return tabs;
  return nullptr;
}

}  // namespace

class TrialsViewTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// The page counts as the loop does: what has settled wavers.
  void whatHasSettledHasNotRisen() {
    TrialSpec rules{.count = 9, .length_s = 2.0, .pause_s = 1.0, .stop_after_rises = 2};
    const QString settled = listOf(rules, {20.0, 8.0, 8.01, 8.02, 8.05}).sentences(6, false, 0).join(QLatin1Char(' '));
    QVERIFY2(!settled.contains(QStringLiteral("ended the trials")), qPrintable(settled));
    const QString risen = listOf(rules, {20.0, 8.0, 8.5, 9.0}).sentences(0, true, 0).join(QLatin1Char(' '));
    QVERIFY2(risen.contains(QStringLiteral("A rising error ended the trials")), qPrintable(risen));
  }

  void initTestCase() { testing::startGuiSession("trials_view"); }

  void eachRuleHasItsSentence() {
    const TrialSpec none{5, 2.0, 1.0, 0, 0.0}, both{5, 2.0, 1.0, 2, 4.0};
    QCOMPARE(listOf(none, {}).sentences(0, false, 0),
             (QStringList{"At most 5 trials of 2 s, 1 s between two.", "A rising error does not end the trials.",
                          "A small error does not end the trials."}));
    QCOMPARE(listOf(both, {}).sentences(1, false, 0),
             (QStringList{"Trial 1 of at most 5 is running.", "The trials end when the error rises 2 times in a row.",
                          "The trials end at an error below 4 %."}));
    QCOMPARE(listOf(both, {6.0, 7.5}).sentences(2, false, 0),
             (QStringList{"2 of at most 5 trials are done.",
                          "The trials end when the error rises 2 times in a row; it has risen 1 time.",
                          "The trials end at an error below 4 %; the least is 6 %.", "Best: trial 1 with 6 %."}));
    QCOMPARE(
        listOf(both, {6.0, 7.5, kNan, 8.0}).sentences(0, true, 1),
        (QStringList{"4 of at most 5 trials were done.", "A rising error ended the trials: it rose 2 times in a row.",
                     "The trials end at an error below 4 %; the least is 6 %.",
                     "Best: trial 1 with 6 %. At the end the initial state of trial 1 was restored."}));
    const QStringList small = listOf(both, {6.0, 3.21}).sentences(0, true, 0);
    QCOMPARE(small[2], QString("A small error ended the trials: 3.21 %, below 4 %."));
    QCOMPARE(listOf(none, {3.0, 2.0, 4.0, 1.0, 5.0}).sentences(0, true, 4)[0], QString("All 5 trials were done."));
    QCOMPARE(listOf(none, {kNan}).sentences(0, true, 0).back(),
             QString("No trial counts: each was held, cut short, or without target."));
  }

  void theTableMarksTheBestAndWhatDoesNotCount() {
    TrialsView view;
    view.resize(640, 480);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.showTrials(listOf({5, 2.0, 1.0, 0, 0.0}, {9.0, kNan}), false);
    auto* table = view.findChild<QTableWidget*>("trials");
    QCOMPARE(table->rowCount(), 2);
    QCOMPARE(table->item(0, 1)->text(), QString("✓ best"));
    QCOMPARE(table->item(1, 1)->text(), QString("× not counted"));
    view.append({{3, 6000, 8000, 1, 4.5, 4.5, 4.5e-5, 13.5e-5, 1.2}});
    QCOMPARE(table->rowCount(), 3);
    QCOMPARE(table->item(0, 1)->text(), QString());
    QCOMPARE(table->item(2, 1)->text(), QString("✓ best"));
    QStringList headers, cells;
    for (int column = 0; column < table->columnCount(); ++column) {
      headers << table->horizontalHeaderItem(column)->text();
      cells << table->item(2, column)->text();
      QVERIFY(!table->horizontalHeaderItem(column)->toolTip().isEmpty());
    }
    QCOMPARE(headers,
             (QStringList{"trial", "", "from (s)", "error (%)", "gap rms 1 (mm)", "gap peak 1 (mm)", "gain 1"}));
    QCOMPARE(cells, (QStringList{"3", "✓ best", "6", "4.50", "0.0450", "0.1350", "1.20"}));
    auto* plot = view.findChild<TrialsPlot*>();
    QVERIFY(plot->reading().contains("best 4.50") && plot->reading().contains("trial 3"));
    QCOMPARE(plot->valueTable().rows.size(), std::size_t{3});
    QCOMPARE(plot->valueTable().rows[1][1], 0.0);
    QTemporaryDir folder;
    QCOMPARE(plot->exportTo(folder.filePath("trials.svg")), QString());
  }

  void trialsOfATestAreShownAndTheBestIsOffered();
  void aFileShowsItsTrials();
  void anOfferGoesWhereItDoesNotFit();
  void learningIsWatchedAndATrialOpened();
  void theConditionIsDrawnBeforeTheFirstTrial_data();
  void theConditionIsDrawnBeforeTheFirstTrial();
  void plotsOfTrialsToComeSayWhatTheyAreIn();
  void aDivergingCampaignIsLeftByItsOffer();
};

/// Armed, with the list of checks above: as low as the plots get.
void TrialsViewTest::plotsOfTrialsToComeSayWhatTheyAreIn() {
  RunAtWork run;
  run.open(templateDocument("contact-ilc"));
  auto* view = run.workspace.findChild<TrialsView*>();
  run.turnTo(view);
  run.arm();
  auto* condition = view->findChild<ConvergencePlot*>();
  QTRY_VERIFY_WITH_TIMEOUT(condition->isVisible(), hyb::test::kHangs_ms);
  QCoreApplication::processEvents();  // layout
  // The words above the bound are whole, and both axes have a unit.
  const double room_px = condition->transform(QwtAxis::YLeft, 0.0);
  QVERIFY2(room_px > QFontMetrics(figureFont(0.85)).height(), qPrintable(QString::number(room_px)));
  const QString across = condition->axisScaleDraw(QwtAxis::XBottom)->label(2.0).text();
  QVERIFY2(across.endsWith(QStringLiteral("Hz")), qPrintable(across));
  QVERIFY(condition->axisTitle(QwtAxis::YLeft).text().contains(QStringLiteral("dB")));
  // Trials to be laid over each other: a millimetre, over the time of one.
  auto* curves = view->findChild<TrialCurves*>();
  QVERIFY(curves->isVisible());
  QVERIFY2(curves->axisInterval(QwtAxis::YLeft).width() <= 0.01,
           qPrintable(QString::number(curves->axisInterval(QwtAxis::YLeft).width())));
  QCOMPARE(curves->axisInterval(QwtAxis::XBottom).maxValue(), 4.0);
}

/// Learning that lets through what grows (V-33): its rule ends it, and the next test begins with the best.
void TrialsViewTest::aDivergingCampaignIsLeftByItsOffer() {
  Json document = templateDocument("contact-ilc");
  document["compensation"]["additions"][0] = {{"addition", "iterative-learning"},
                                              {"at", "velocity"},
                                              {"proportional", 0.8},
                                              {"derivative_s", 0.05},
                                              {"cutoff_hz", 12}};
  document["loop"]["trials"]["stop_after_rises"] = 2;
  RunAtWork run;
  run.open(document);
  auto* view = run.workspace.findChild<TrialsView*>();
  auto* offer = run.workspace.findChild<QCheckBox*>("begin-with");
  run.turnTo(view);
  QVERIFY(!offer->isVisible());
  run.runFreely();
  const QString said = view->findChild<QLabel*>("trial-rules")->text();
  QVERIFY2(said.contains("A rising error ended the trials: it rose 2 times in a row.") &&
               said.contains("At the end the initial state of trial 2 was restored."),
           qPrintable(said));
  auto* table = view->findChild<QTableWidget*>("trials");
  QCOMPARE(table->rowCount(), 4);
  QCOMPARE(table->item(1, 1)->text(), QString("✓ best"));
  const std::vector<double> diverged =
      RunFileReader(run.controller.run()->file()).read("segments/tracking_nrmse_percent");
  QVERIFY(diverged[3] > diverged[2] && diverged[2] > diverged[1] && diverged[0] > diverged[1]);
  QVERIFY(offer->isVisible() && offer->isEnabled() && !offer->isChecked());
  QVERIFY2(offer->text().startsWith("Start from trial 2"), qPrintable(offer->text()));

  QTest::mouseClick(offer, Qt::LeftButton, {}, QPoint(8, offer->height() / 2));
  QVERIFY(offer->isChecked());
  run.runFreely();
  const RunFileReader after(run.controller.run()->file());
  QVERIFY(QString::fromStdString(after.attribute("config", "begun_with")).startsWith("trial 2 of contact-"));
  // But for what the trial before had left of motion.
  hyb::test::compareRelative(after.read("segments/tracking_nrmse_percent")[0], diverged[1], 1e-3, "error of the trial");
}

void TrialsViewTest::theConditionIsDrawnBeforeTheFirstTrial_data() {
  QTest::addColumn<double>("cutoff_hz");
  QTest::addColumn<double>("beta_per_s");
  QTest::addColumn<double>("gamma");
  QTest::addColumn<double>("peak_db");
  QTest::addColumn<double>("at_hz");
  QTest::newRow("falls") << 2.0 << 10.0 << 2.0 << -2.41 << 5.41;
  QTest::newRow("grows") << 12.0 << 16.0 << 1.0 << 9.33 << 5.51;
}

/// Of Insam's contact, hardly damped (section 6.3 of the note), over frequency; a test that learns nothing has none.
void TrialsViewTest::theConditionIsDrawnBeforeTheFirstTrial() {
  QFETCH(double, cutoff_hz);
  QFETCH(double, beta_per_s);
  QFETCH(double, gamma);
  QFETCH(double, peak_db);
  QFETCH(double, at_hz);
  Json document = templateDocument("contact-ilc");
  Json& addition = document["compensation"]["additions"][0];
  addition["cutoff_hz"] = cutoff_hz;
  addition["proportional"] = beta_per_s / 20.0;
  addition["derivative_s"] = gamma / 20.0;
  RunAtWork bench;
  RunWorkspace& workspace = bench.workspace;
  workspace.setProject(parseProject(document));
  auto* view = workspace.findChild<TrialsView*>();
  tabsWith(workspace, view)->setCurrentWidget(view);
  auto* plot = view->findChild<ConvergencePlot*>();
  QTRY_VERIFY_WITH_TIMEOUT(plot->isVisible(), hyb::test::kHangs_ms);
  QCOMPARE(plot->legendEntries().size(), std::size_t{2});
  std::vector<double> peak{0.0, 0.0, -1000.0};
  for (const std::vector<double>& row : plot->valueTable().rows)
    if (row[2] > peak[2]) peak = row;
  QCOMPARE(peak[0], 2.0);  // in contact
  QVERIFY2(std::abs(peak[1] - at_hz) < 0.02 && std::abs(peak[2] - peak_db) < 0.1, qPrintable(plot->reading()));
  QVERIFY2(plot->reading().contains("Hz"), qPrintable(plot->reading()));
  const QTemporaryDir folder;
  QCOMPARE(plot->exportTo(folder.filePath("condition.svg")), QString());
  workspace.setProject(threeMassTrials(folder));
  QTRY_VERIFY_WITH_TIMEOUT(!plot->isVisible(), hyb::test::kHangs_ms);
}

void TrialsViewTest::trialsOfATestAreShownAndTheBestIsOffered() {
  const QTemporaryDir folder;
  RunAtWork bench;
  RunController& controller = bench.controller;
  RunWorkspace& workspace = bench.workspace;
  auto* view = workspace.findChild<TrialsView*>();
  QTabWidget* tabs = tabsWith(workspace, view);
  auto* offer = workspace.findChild<QCheckBox*>("begin-with");
  workspace.setProject(parseProject(templateDocument("three-mass")));
  QVERIFY(!tabs->isTabVisible(tabs->indexOf(view)));
  workspace.forgetRun();
  const Project project = threeMassTrials(folder);
  workspace.setProject(project);
  QVERIFY(tabs->isTabVisible(tabs->indexOf(view)));
  tabs->setCurrentWidget(view);
  auto* rules = view->findChild<QLabel*>("trial-rules");
  QVERIFY(rules->text().startsWith("At most 5 trials of 2 s"));
  QVERIFY(!offer->isVisible());

  bench.runFreely();
  auto* table = view->findChild<QTableWidget*>("trials");
  QCOMPARE(table->rowCount(), 5);
  const RunFileReader first(controller.run()->file());
  const std::vector<double> errors = first.read("segments/tracking_nrmse_percent");
  const std::size_t best = *view->trials().best();
  for (std::size_t t = 0; t < 5; ++t) {
    QCOMPARE(view->trials().error(t), errors[t]);
    QVERIFY(errors[best] <= errors[t]);
  }
  QVERIFY(rules->text().startsWith("All 5 trials were done."));
  QVERIFY(best > 0);
  QVERIFY(offer->isVisible() && offer->isEnabled() && !offer->isChecked());
  QVERIFY(offer->text().contains(QString("trial %1").arg(best + 1)));

  offer->click();
  bench.runFreely();
  QVERIFY(offer->isVisible() || view->trials().best() == std::size_t{0});
  const RunFileReader second(controller.run()->file());
  QCOMPARE(second.read("segments/prediction_1")[0], first.read("segments/prediction_1")[best]);
  QCOMPARE(second.read("segments/gain_2")[0], first.read("segments/gain_2")[best]);
  QVERIFY(QString::fromStdString(second.attribute("config", "begun_with"))
              .startsWith(QString("trial %1 of three-masses").arg(best + 1)));
  QVERIFY(second.read("segments/tracking_nrmse_percent")[0] < 0.7 * errors[0]);
}

void TrialsViewTest::aFileShowsItsTrials() {
  const QTemporaryDir folder;
  RunOptions options;
  options.pace = Pace::free_run;
  options.file = folder.filePath("trials.h5").toStdString();
  // From the first pause on a sensor drifts: each trial is worse than the one before.
  const Json drift = Json::array({{{"kind", "drift"}, {"from_s", 2.5}, {"value", 5e-5}, {"interface", 1}}});
  TestRun run(threeMassTrials(
                  folder, {{"/rig/faults", drift}, {"/loop/trials/stop_after_rises", 2}, {"/loop/trials/count", 9}}),
              options);
  run.arm();
  run.start();
  run.finish();
  AnalyseWorkspace workspace;
  workspace.resize(1280, 712);
  workspace.show();
  QVERIFY(QTest::qWaitForWindowExposed(&workspace));
  QSignalSpy opened(&workspace, &AnalyseWorkspace::runOpened);
  workspace.openRun(folder.filePath("trials.h5"));
  QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, hyb::test::kHangs_ms);
  auto* view = workspace.findChild<TrialsView*>();
  auto* tabs = workspace.findChild<AnalyseViews*>();
  QVERIFY(tabs->isTabVisible(tabs->indexOf(view)));
  QCOMPARE(view->findChild<QTableWidget*>("trials")->rowCount(), 3);
  QCOMPARE(view->trials().adapted().size(), std::size_t{4});
  const QString said = view->findChild<QLabel*>("trial-rules")->text();
  QVERIFY2(said.contains("A rising error ended the trials: it rose 2 times in a row.") &&
               said.contains("At the end the initial state of trial 1 was restored."),
           qPrintable(said));
  // When the figures are there: of two interfaces.
  const auto* rules = view->findChild<QLabel*>("trial-rules");
  QTRY_VERIFY_WITH_TIMEOUT(rules->text().contains("Repeatability, rms scatter between the trials"),
                           hyb::test::kHangs_ms);
  QVERIFY2(rules->text().contains("interface 1: ") && rules->text().contains("; interface 2: ") &&
               rules->text().contains("% of the motion"),
           qPrintable(rules->text()));
}

void TrialsViewTest::anOfferGoesWhereItDoesNotFit() {
  const QTemporaryDir folder;
  RunAtWork bench;
  RunController& controller = bench.controller;
  RunWorkspace& workspace = bench.workspace;
  workspace.setProject(threeMassTrials(folder, {{"/loop/trials/count", 2}}));
  RunOptions options;
  options.pace = Pace::free_run;
  options.display = true;
  QSignalSpy ended(&controller, &RunController::ended);
  QVERIFY(controller.arm(threeMassTrials(folder, {{"/loop/trials/count", 2}}), options));
  controller.start();
  QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, hyb::test::kHangs_ms);
  auto* offer = workspace.findChild<QCheckBox*>("begin-with");
  QVERIFY(offer->isVisible());
  workspace.setProject(threeMassTrials(folder, {{"/loop/trials/count", 7}}));
  QVERIFY(offer->isVisible());  // the same compensation
  workspace.setProject(threeMassTrials(folder, {{"/compensation/alpha", 0.1}}));
  QVERIFY(!offer->isVisible());
}

/// The template as shipped: thirty trials, the gap at a sixth after five and settled at the end. Then the file, and
/// one of its trials by the keyboard and by the mouse.
void TrialsViewTest::learningIsWatchedAndATrialOpened() {
  const QTemporaryDir folder;
  Json document = templateDocument("contact-ilc");
  document["recording"]["folder"] = folder.path().toStdString();
  const Project project = parseProject(document);
  RunAtWork bench;
  RunController& controller = bench.controller;
  RunWorkspace& workspace = bench.workspace;
  workspace.setProject(project);
  auto* live = workspace.findChild<TrialsView*>();
  QTabWidget* live_tabs = tabsWith(workspace, live);
  live_tabs->setCurrentWidget(live);
  RunOptions options;
  options.pace = Pace::free_run;
  options.display = true;
  options.file = folder.filePath("learnt.h5").toStdString();
  QSignalSpy ended(&controller, &RunController::ended);
  QVERIFY(controller.arm(project, options));
  controller.start();
  QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, hyb::test::kHangs_ms);
  const TrialList& watched = live->trials();
  QCOMPARE(watched.count(), std::size_t{30});
  QVERIFY2(watched.error(4) < watched.error(0) / 5.5, qPrintable(QString::number(watched.error(4))));
  for (std::size_t t = 10; t < 30; ++t)
    QVERIFY2(std::abs(watched.error(t) / watched.error(29) - 1.0) < 0.01,
             qPrintable(QString::number(watched.error(t))));
  QVERIFY(*watched.best() > 4);
  QCOMPARE(live->findChild<QTableWidget*>("trials")->rowCount(), 30);
  // What is listed tells trials apart: what is 0 whenever one begins is not.
  for (const std::size_t column : watched.adapted()) {
    double most = 0.0;
    for (std::size_t t = 0; t < watched.count(); ++t) most = std::max(most, std::abs(watched.at(t, column)));
    QVERIFY2(most > 0.0, watched.columns()[column].name.c_str());
  }
  QCOMPARE(watched.columns()[watched.adapted().back()].name, std::string("ilc_largest_1"));

  AnalyseWorkspace analyse;
  analyse.resize(1280, 712);
  analyse.show();
  QVERIFY(QTest::qWaitForWindowExposed(&analyse));
  QSignalSpy opened(&analyse, &AnalyseWorkspace::runOpened);
  analyse.openRun(folder.filePath("learnt.h5"));
  QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, hyb::test::kHangs_ms);
  auto* tabs = analyse.findChild<AnalyseViews*>();
  auto* view = analyse.findChild<TrialsView*>();
  auto* table = view->findChild<QTableWidget*>("trials");
  QCOMPARE(view->trials().error(29), watched.error(29));
  const auto isShown = [&](std::size_t trial) {
    const QwtInterval shown = tabs->gapPlot()->axisInterval(QwtAxis::XBottom);
    return tabs->gapPlot()->isVisible() && std::abs(shown.minValue() - view->trials().begins_s(trial)) < 1e-6 &&
           std::abs(shown.maxValue() - view->trials().ends_s(trial)) < 1e-6;
  };
  tabs->setCurrentWidget(view);
  table->setCurrentCell(16, 0);
  QTest::keyClick(table, Qt::Key_Return);
  QTRY_VERIFY_WITH_TIMEOUT(isShown(16), hyb::test::kHangs_ms);
  QVERIFY(std::abs(view->trials().ends_s(16) - view->trials().begins_s(16) - 4.0) < 0.01);
  tabs->setCurrentWidget(view);
  table->scrollToTop();
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualItemRect(table->item(0, 0)).center());
  QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, table->visualItemRect(table->item(0, 0)).center());
  QTRY_VERIFY_WITH_TIMEOUT(isShown(0), hyb::test::kHangs_ms);
}

HYB_SUITE(trials_view, TrialsViewTest)
#include "trials_view_test.moc"
