// A technician's hour on a sweep: watched, stopped, its damping read, a point opened, laid over the reference; and a
// command that learns harmonics.
#include <qwt_plot_canvas.h>
#include <qwt_plot_curve.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTabBar>
#include <QTabWidget>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>
#include <cmath>

#include "core/record/run_file_reader.h"
#include "core/run/build.h"
#include "tests/support/suite.h"
#include "tests/ui/window_at_work.h"
#include "ui/analyse/analyse_views.h"
#include "ui/analyse/analyse_workspace.h"
#include "ui/plot/frf_plot.h"
#include "ui/plot/harmonics_plot.h"
#include "ui/plot/learning_plot.h"
#include "ui/plot/learning_view.h"
#include "ui/plot/period_plot.h"
#include "ui/plot/point_view.h"
#include "ui/plot/sweep_view.h"

using namespace hyb;
using namespace hyb::ui;
using hyb::ui::testing::button;

namespace {

QTabWidget* tabsAround(const QWidget* page) {
  for (QWidget* above = page->parentWidget(); above != nullptr; above = above->parentWidget())
    if (auto* tabs = qobject_cast<QTabWidget*>(above)) return tabs;
  return nullptr;
}

void clickTabOf(const QWidget* page) {
  QTabWidget* tabs = tabsAround(page);
  QVERIFY(tabs != nullptr && tabs->isTabVisible(tabs->indexOf(page)));
  QTest::mouseClick(tabs->tabBar(), Qt::LeftButton, {}, tabs->tabBar()->tabRect(tabs->indexOf(page)).center());
  QCOMPARE(tabs->currentWidget(), page);
}

FrfPlot* plotOf(const SweepView& view, const QString& name) {
  for (FrfPlot* plot : view.findChildren<FrfPlot*>())
    if (plot->name() == name) return plot;
  return nullptr;
}

/// A sweep with these points, as a run file keeps them; end: 0 balanced.
SweepList sweepOf(const std::vector<std::array<double, 3>>& hz_amplitude_end) {
  const Project project = parseProject(templateDocument("cantilever-iterative"));
  const RowLayout layout = buildLoop(project)->layout();
  const std::vector<Channel>& columns = layout.segmentColumns();
  SweepList list(5000.0, columns, hz_amplitude_end.size());
  for (const auto& [hz, amplitude, end] : hz_amplitude_end) {
    std::vector<double> row(columns.size(), 1.0);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].name == "frequency") row[c] = hz;
      if (columns[c].name == "motion_1_h1") row[c] = amplitude;
      if (columns[c].name == "motion_phase_1_h1") row[c] = -90.0;
      if (columns[c].name == "end") row[c] = end;
      if (columns[c].name == "converged") row[c] = end == 0.0 ? 1.0 : 0.0;
      if (columns[c].name == "iterations") row[c] = 6.0;
    }
    list.append(std::move(row));
  }
  return list;
}

}  // namespace

class SweepWindowTest : public ui::testing::WindowAtWork {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { ui::testing::startGuiSession("sweep_window"); }
  void cleanup() { window_.reset(); }

  void whatDidNotConvergeIsMarkedWithItsReason() {
    SweepView view;
    view.resize(930, 560);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.showSweep(sweepOf({{17.0, 1e-4, 0}, {17.5, 2e-4, 3}, {18.0, 1e-4, 0}}), nullptr, true);
    auto* table = view.findChild<QTableWidget*>("sweep-points");
    QCOMPARE(table->rowCount(), 3);
    QCOMPARE(table->item(0, 4)->text(), QString("✓ balanced"));
    QCOMPARE(table->item(1, 4)->text(), QString("× a command is at its bound"));
    QVERIFY(table->item(1, 0)->toolTip().contains("a command is at its bound"));
    QVERIFY(table->item(1, 0)->foreground() != table->item(0, 0)->foreground());
    QVERIFY(view.findChild<QLabel*>("sweep-state")->text().contains("2 balanced, 1 not"));
    QVERIFY(view.findChild<QLabel*>("sweep-damping")->text().contains("no peak"));  // what did not converge counts not
    for (int column = 0; column < table->columnCount(); ++column)
      QVERIFY(!table->horizontalHeaderItem(column)->toolTip().isEmpty());
    FrfPlot* plot = plotOf(view, "Response");
    QCOMPARE(plot->valueTable().rows.size(), std::size_t{3});
    QCOMPARE(plot->valueTable().rows[1][2], 0.0);
    QCOMPARE(plot->pointAt(plot->placeOf(1)), std::optional<std::size_t>(1));
    QVERIFY(!plot->pointAt(plot->placeOf(1) + QPointF(40, 0)));
    QTemporaryDir folder;
    QCOMPARE(plot->exportTo(folder.filePath("sweep.svg")), QString());
  }

  /// Up and down again: the line is that of the test, not a zigzag between its two branches.
  void pointsAreJoinedAsMeasured() {
    SweepView view;
    view.resize(930, 560);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.showSweep(sweepOf({{17.0, 1e-4, 0}, {17.5, 2e-4, 0}, {18.0, 1e-4, 0}, {17.5, 3e-4, 0}, {17.0, 2e-4, 0}}),
                   nullptr, true);
    std::vector<double> joined;
    for (const QwtPlotItem* item : plotOf(view, "Response")->itemList(QwtPlotItem::Rtti_PlotCurve)) {
      const auto* curve = static_cast<const QwtPlotCurve*>(item);
      if (curve->dataSize() != 5 || curve->style() == QwtPlotCurve::NoCurve) continue;
      for (std::size_t k = 0; k < curve->dataSize(); ++k) joined.push_back(curve->sample(static_cast<int>(k)).y());
    }
    QCOMPARE(joined, (std::vector<double>{1e-4, 2e-4, 1e-4, 3e-4, 2e-4}));
  }

  void fewPointsMakeThePeakAGuess() {
    SweepView view;
    view.showSweep(sweepOf({{17.0, 1e-4, 0}, {17.5, 2e-4, 0}, {18.0, 1e-4, 0}}), nullptr, true);
    const QString said = view.findChild<QLabel*>("sweep-damping")->text();
    QVERIFY2(said.contains("Peak at 17.5 Hz") && said.contains("Only 1 point is above the level"), qPrintable(said));
  }

  void aTechniciansHour();
  void aCommandThatLearns();

 private:
  /// The template with changes by JSON pointer, in the window, to be run freely.
  void openAndRun(const char* name, std::initializer_list<std::pair<const char*, Json>> changes) {
    Json project = templateDocument(name);
    project["recording"]["folder"] = folder_.path().toStdString();
    for (const auto& [pointer, value] : changes) project[Json::json_pointer(pointer)] = value;
    const std::string file = folder_.filePath(QStringLiteral("%1.json").arg(name)).toStdString();
    saveDocument(project, file);
    QVERIFY(window_->open(file));
    QTRY_VERIFY_WITH_TIMEOUT(!document()->checking(), hyb::test::kHangs_ms);
    QVERIFY2(document()->issues().empty(), "the template has no issues");
    QTest::keyClick(window_.get(), Qt::Key_3, Qt::ControlModifier);
    QCOMPARE(window_->workspace(), Room::run);
    auto* workspace = window_->findChild<RunWorkspace*>();
    for (QComboBox* combo : workspace->findChildren<QComboBox*>())
      if (combo->accessibleName() == "Pace") combo->setCurrentIndex(combo->findData(static_cast<int>(Pace::free_run)));
  }
  void press(Qt::Key key) { QTest::keyClick(window_.get(), key); }
  /// To where Run can be pressed, each line of the list acknowledged.
  void arm() {
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    press(Qt::Key_F5);
    const auto* said = window_->findChild<QLabel*>("run-message");
    QTRY_VERIFY2_WITH_TIMEOUT(controller()->state() == State::armed, qPrintable(said->text()), hyb::test::kHangs_ms);
    for (QPushButton* line : window_->findChildren<QPushButton*>("acknowledge"))
      if (line->isVisible()) QTest::mouseClick(line, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(action(Qt::Key_F6)->isEnabled(), hyb::test::kHangs_ms);
  }
  /// Opens the run in Results by the button that offers it.
  void openInResults() {
    auto* analyse = window_->findChild<AnalyseWorkspace*>();
    QSignalSpy opened(analyse, &AnalyseWorkspace::runOpened);
    QPushButton* offer = button(*window_->findChild<RunWorkspace*>(), "Open");
    QVERIFY(offer != nullptr && offer->isVisible());
    QTest::mouseClick(offer, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, hyb::test::kHangs_ms);
    QCOMPARE(opened[0][1].toString(), QString());
    QCOMPARE(window_->workspace(), Room::analyse);
  }
};

void SweepWindowTest::aTechniciansHour() {
  show();
  // Around the resonance first; then so many that it is the stop that ends the test, none of them twice.
  Json frequencies = Json::array({17.3, 17.5, 17.6, 17.7, 17.9});
  for (int k = 1; frequencies.size() < 600; ++k) frequencies.push_back(18.0 + 0.0015 * k);
  openAndRun("cantilever-iterative", {{"/coupling/sweep", {{"points", "listed"}, {"frequencies_hz", frequencies}}}});
  auto* view = window_->findChild<RunWorkspace*>()->findChild<SweepView*>();
  QTRY_VERIFY_WITH_TIMEOUT(view->reference() != nullptr, hyb::test::kHangs_ms);
  clickTabOf(view);
  auto* state = view->findChild<QLabel*>("sweep-state");
  QCOMPARE(state->text(), QString("The sweep has not begun."));
  arm();
  QVERIFY2(state->text().startsWith(QString("0 of %1 frequencies done.").arg(frequencies.size())),
           qPrintable(state->text()));
  press(Qt::Key_F6);

  // Points come in one by one, with the reference beside them.
  auto* table = view->findChild<QTableWidget*>("sweep-points");
  QTRY_VERIFY_WITH_TIMEOUT(table->rowCount() >= 2, hyb::test::kHangs_ms);
  QCOMPARE(table->item(0, 0)->text(), QString("17.3"));
  QVERIFY(!plotOf(*view, "Response")->reading().isEmpty());
  QTRY_VERIFY_WITH_TIMEOUT(view->reference() != nullptr, hyb::test::kHangs_ms);
  const SweepList::Quantity deflection = view->sweep().quantities().front();
  const auto band = [&] {
    const auto found = view->sweep().resonance(deflection);
    return found && found->half_power && view->sweep().count() >= 5;
  };
  QTRY_VERIFY_WITH_TIMEOUT(band(), hyb::test::kHangs_ms);
  press(Qt::Key_Escape);
  waitForTheEnd();
  QTRY_VERIFY_WITH_TIMEOUT(state->text().contains("The test ended before the remaining ones."), hyb::test::kHangs_ms);
  const std::size_t done = view->sweep().count();
  QVERIFY(done >= 5 && done < frequencies.size());

  // The next test goes on where it was stopped.
  auto* offer = window_->findChild<QCheckBox*>("begin-with");
  QVERIFY2(offer->isVisible() && offer->text().contains(QString::number(done)), qPrintable(offer->text()));
  QVERIFY(!offer->isChecked());

  // The damping, beside that of the assembled structure.
  const QString damping = view->findChild<QLabel*>("sweep-damping")->text();
  QVERIFY2(damping.contains("half-power") && damping.contains("Assembled: 17."), qPrintable(damping));
  // Laid over the reference: each balanced point lies on it.
  const auto curve = referenceOf(view->reference(), deflection);
  for (std::size_t row = 0; row < 5; ++row) {
    QVERIFY(view->sweep().converged(row));
    for (const auto& [hz, motion] : curve) {
      if (hz != view->sweep().frequency_hz(row)) continue;
      const double error = std::abs(view->sweep().measured(row, deflection) - motion) / std::abs(motion);
      QVERIFY2(error < 0.02, qPrintable(QString::number(error)));
    }
  }

  // A click on a point opens it, Backspace leads back.
  FrfPlot* response = plotOf(*view, "Response");
  QTest::mouseClick(response->canvas(), Qt::LeftButton, {}, response->placeOf(2).toPoint());
  QTRY_COMPARE_WITH_TIMEOUT(view->openedPoint(), std::optional<std::size_t>(2), hyb::test::kHangs_ms);
  auto* point = view->findChild<PointView*>();
  QVERIFY(point->isVisible());
  QVERIFY(point->findChild<QLabel*>("point-sentence")->text().startsWith("17.6 Hz: balanced"));
  QCOMPARE(point->findChildren<PeriodPlot*>().size(), 5);  // four quantities of the cut, one of them over its periods
  QTest::keyClick(window_->focusWidget(), Qt::Key_Backspace);
  QVERIFY(!view->openedPoint() && table->isVisible());

  // From the file, by the keyboard; with its rows.
  openInResults();
  auto* views = window_->findChild<AnalyseViews*>();
  auto* recorded = views->findChild<SweepView*>();
  clickTabOf(recorded);
  QCOMPARE(recorded->sweep().count(), done);
  auto* rows = recorded->findChild<QTableWidget*>("sweep-points");
  rows->setFocus();
  rows->setCurrentCell(1, 0);
  QTRY_VERIFY_WITH_TIMEOUT(recorded->reference() != nullptr, hyb::test::kHangs_ms);
  QTest::keyClick(rows, Qt::Key_Return);
  QCOMPARE(recorded->openedPoint(), std::optional<std::size_t>(1));
  for (const PeriodPlot* plot : recorded->findChild<PointView*>()->findChildren<PeriodPlot*>()) {
    // What the sensors gave follows the average: of the motion closely, of gauges through low-passes and hum loosely.
    double squares = 0.0, apart = 0.0;
    for (const std::vector<double>& row : plot->valueTable().rows) {
      QVERIFY(std::isfinite(row[3]));
      squares += row[1] * row[1];
      apart += (row[3] - row[1]) * (row[3] - row[1]);
    }
    if (plot->name().contains("motion"))
      QVERIFY2(apart < 0.02 * squares, qPrintable(plot->name() + QString(" %1").arg(apart / squares)));
  }
  QTest::keyClick(window_->focusWidget(), Qt::Key_PageUp);
  QCOMPARE(recorded->openedPoint(), std::optional<std::size_t>(2));
  auto* set = recorded->findChild<QComboBox*>("harmonics-of");
  set->setCurrentText("Commands");
  const auto* bars = recorded->findChild<HarmonicsPlot*>();
  QCOMPARE(bars->harmonics().signals.size(), std::size_t{2});
  QCOMPARE(bars->harmonics().unit, std::string("V"));
  QVERIFY(std::abs(bars->harmonics().signals[0].values[0]) > 0.0);

  // The next test goes on where this one was stopped: its points come first, the next one behind them.
  QTest::keyClick(window_->focusWidget(), Qt::Key_Backspace);
  auto* go_on = recorded->findChild<QPushButton*>("sweep-go-on");
  QVERIFY(go_on->isVisible());
  QTest::mouseClick(go_on, Qt::LeftButton);
  QCOMPARE(window_->workspace(), Room::run);
  QVERIFY(offer->isVisible() && offer->isChecked());
  arm();
  press(Qt::Key_F6);
  QTRY_VERIFY_WITH_TIMEOUT(view->sweep().count() > done, hyb::test::kHangs_ms);
  QCOMPARE(view->sweep().frequency_hz(0), 17.3);
  QCOMPARE(view->sweep().frequency_hz(done), frequencies[done % frequencies.size()].get<double>());
  press(Qt::Key_Escape);
  waitForTheEnd();
}

void SweepWindowTest::aCommandThatLearns() {
  show();
  openAndRun("two-beams-aff", {});
  auto* view = window_->findChild<RunWorkspace*>()->findChild<LearningView*>();
  clickTabOf(view);
  auto* state = view->findChild<QLabel*>("learning-state");
  QVERIFY2(state->text().contains("60 Hz") && state->text().contains("after 8 s"), qPrintable(state->text()));
  arm();
  press(Qt::Key_F6);
  QTRY_VERIFY_WITH_TIMEOUT(controller()->state() == State::running || !controller()->active(), hyb::test::kHangs_ms);
  waitForTheEnd();

  openInResults();
  auto* recorded = window_->findChild<AnalyseViews*>()->findChild<LearningView*>();
  clickTabOf(recorded);
  const LearningRecord& learnt = recorded->record();
  QCOMPARE(learnt.interfaces(), std::size_t{2});
  for (std::size_t i = 0; i < 2; ++i) {
    const LearningCurve& curve = learnt.curve(i);
    QVERIFY(curve.size() >= 1139 && curve.size() <= 1140);  // periods of 19 s at 60 Hz: without the soft end
    // It has learnt where the template's analysis starts, 10 s in; the soft start takes 1 s of them.
    const double begun = curve.nmse(60), learnt_so_far = curve.nmse(600);
    QVERIFY2(learnt_so_far < begun, qPrintable(QString("%1 %2").arg(begun).arg(learnt_so_far)));
  }
  QVERIFY(recorded->findChild<QLabel*>("learning-state")->text().contains("Gap 2:"));
  auto* table = recorded->findChild<QTableWidget*>("identified-response");
  QCOMPARE(table->rowCount(), 2);
  QCOMPARE(table->columnCount(), 4);
  for (int row = 0; row < 2; ++row)
    for (int column = 2; column < 4; ++column) QVERIFY(table->item(row, column)->text().contains("∠"));
  for (const LearningPlot* plot : recorded->findChildren<LearningPlot*>()) {
    QVERIFY(!plot->reading().isEmpty());
    QCOMPARE(plot->legendEntries().size(), std::size_t{2});  // a family for each axis
  }
  for (const HarmonicsPlot* plot : recorded->findChildren<HarmonicsPlot*>())
    QCOMPARE(plot->harmonics().signals.size(), std::size_t{2});
  // The rows that came by and those of the file say the same.
  auto* live = window_->findChild<RunWorkspace*>()->findChild<LearningView*>();
  QTRY_VERIFY_WITH_TIMEOUT(live->record().curve(0).size() == learnt.curve(0).size(), hyb::test::kHangs_ms);
  QCOMPARE(live->record().curve(0).nmse(100), learnt.curve(0).nmse(100));
}

HYB_SUITE(sweep_window, SweepWindowTest)
#include "sweep_window_test.moc"
