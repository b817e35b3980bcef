#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>
#include <cmath>
#include <fstream>

#include "core/run/test_run.h"
#include "tests/support/gui_session.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"
#include "ui/analyse/analyse_views.h"
#include "ui/analyse/analyse_workspace.h"
#include "ui/analyse/figures_table.h"
#include "ui/analyse/run_list.h"
#include "ui/control/run_controller.h"
#include "ui/plot/run_loader.h"
#include "ui/plot/subspace_plot.h"
#include "ui/plot/time_plot.h"

using namespace hyb;
using namespace hyb::ui;

class AnalyseTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void loadedRunHasEveryRow();
  void loadingCanBeCancelled();
  void listTellsWhatBecameOfEachRun();
  void aRunThatBeganMeanwhileIsNotOpened();
  void openedRunShowsPlotsAndFigures();
  void figuresOfTheBenchmarkAreAllThere();
  void secondRunIsLaidOver();
  void whatIsNoRunFileIsNamed();
  void aDamagedRunIsNotGreen();
  void relativeFilesOfARunElsewhere();
  void searchFiltersTheList();

 private:
  QString record(const char* name, double duration_s, const char* method) const;
  QString record(const char* name, const Json& document) const;
  QTemporaryDir folder_;
  QString good_, other_;
};

QString AnalyseTest::record(const char* name, double duration_s, const char* method) const {
  Json document = templateDocument("three-mass");
  document["loop"]["duration_s"] = duration_s;
  document["analysis"]["start_s"] = 3.0;
  document["meta"]["title"] = name;
  if (std::string_view(method) != "adaptive-forward-prediction") {
    document["compensation"] = {{"method", method}, {"points", 8}, {"order", 2}, {"prediction_ticks", {8, 8}}};
  }
  return record(name, document);
}

QString AnalyseTest::record(const char* name, const Json& document) const {
  RunOptions options;
  options.pace = Pace::free_run;
  options.file = (folder_.filePath(QString(name)) + ".h5").toStdString();
  TestRun run(parseProject(document), options);
  run.arm();
  run.start();
  run.finish();
  return QString::fromStdString(options.file.string());
}

void AnalyseTest::initTestCase() {
  testing::startGuiSession("analyse");
  good_ = record("adaptive", 8.0, "adaptive-forward-prediction");
  other_ = record("fixed", 6.0, "forward-prediction");
  QFile text(folder_.filePath("text.h5"));
  QVERIFY(text.open(QIODevice::WriteOnly));
  text.write("this is not HDF5");
}

void AnalyseTest::loadedRunHasEveryRow() {
  LoadProgress progress;
  const auto run = loadRun(good_, progress);
  QVERIFY(run && run->history);
  QCOMPARE(progress.share.load(), 1.0);
  QCOMPARE(run->history->rows().end(), run->info.rows);
  QCOMPARE(run->frequency_hz, 8.0);
  QCOMPARE(run->tolerance.motion, 5e-4);
  const RunFileReader reader(good_.toStdString());
  const RowLayout& layout = run->history->layout();
  const std::vector<double> measured = reader.read("acquisition/measured_2");
  for (std::size_t row = 0; row < measured.size(); row += 97)
    QCOMPARE(run->history->rows().at(layout.measured(1), row), measured[row]);
  // Adapted quantities hold their value between changes.
  QVERIFY(!layout.adapted().empty());
  const std::uint64_t last = run->history->rows().end() - 1;
  QCOMPARE(run->history->rows().at(layout.adaptedColumn(0), last),
           reader.read("adaptation/" + layout.adapted()[0].name + "/value").back());
}

void AnalyseTest::loadingCanBeCancelled() {
  LoadProgress progress;
  progress.cancel.store(true);
  QVERIFY(loadRun(good_, progress) == nullptr);
}

void AnalyseTest::listTellsWhatBecameOfEachRun() {
  QCOMPARE(summarise(good_, {}).condition, RunSummary::Condition::ended);
  QCOMPARE(summarise(good_, {}).verdict.ended, EndReason::completed);
  QCOMPARE(summarise(good_, good_).condition, RunSummary::Condition::writing);
  const RunSummary text = summarise(folder_.filePath("text.h5"), {});
  QCOMPARE(text.condition, RunSummary::Condition::unreadable);
  QVERIFY(text.detail.contains("HDF5"));
}

/// A list that was asked for before the test was armed, and is made after.
void AnalyseTest::aRunThatBeganMeanwhileIsNotOpened() {
  const QTemporaryDir folder;
  RunList list;
  list.setFolder(folder.path());
  list.reload();  // waits for the one before
  RunController controller;
  RunOptions options;
  options.file = (folder.path() + "/begun.h5").toStdString();
  options.display = true;
  QVERIFY(controller.arm(parseProject(templateDocument("three-mass")), options));
  const auto* rows = list.findChild<QTreeWidget*>();
  QTRY_COMPARE_WITH_TIMEOUT(rows->topLevelItemCount(), 1, hyb::test::kHangs_ms);
  QCOMPARE(rows->topLevelItem(0)->text(0).section('\n', 0, 0), QStringLiteral("begun"));  // its title is in the file
  QCOMPARE(rows->topLevelItem(0)->text(1), QStringLiteral("recording"));
}

void AnalyseTest::openedRunShowsPlotsAndFigures() {
  AnalyseWorkspace workspace;
  workspace.resize(1280, 712);
  workspace.show();
  QVERIFY(QTest::qWaitForWindowExposed(&workspace));
  QSignalSpy opened(&workspace, &AnalyseWorkspace::runOpened);
  QVERIFY(workspace.minimumSizeHint().width() <= 1280 && workspace.minimumSizeHint().height() <= 712);
  workspace.openRun(good_);
  QTRY_COMPARE(opened.count(), 1);
  QCOMPARE(opened.first().at(1).toString(), QString());
  auto* views = workspace.findChild<AnalyseViews*>();
  QVERIFY(views->isVisible());
  QCOMPARE(views->subspacePlots().size(), std::size_t{2});
  QVERIFY(std::isfinite(views->gapPlot()->rmsAndPeak().rms));
  auto* figures = workspace.findChild<FiguresTable*>();
  QTRY_VERIFY(figures->topLevelItemCount() == 3);  // two interfaces and the whole run
  QVERIFY(figures->topLevelItem(0)->childCount() >= 6);
  QVERIFY(figures->topLevelItem(0)->child(0)->text(1).contains("%"));
  QTRY_COMPARE(workspace.findChild<RunList*>()->count(), 3);
  bool verdict = false;
  for (const QLabel* label : workspace.findChildren<QLabel*>())
    verdict = verdict || (label->isVisible() && label->text().contains("Ended: as planned"));
  QVERIFY(verdict);
  views->setCurrentIndex(1);
  QVERIFY(!workspace.grab().isNull());
}

/// J1 to J9, also those of floors that are only computed.
void AnalyseTest::figuresOfTheBenchmarkAreAllThere() {
  QTemporaryDir elsewhere;
  Json document = templateDocument("benchmark-2020-case-2");
  document["loop"]["duration_s"] = 3.0;
  const QString file = elsewhere.filePath("benchmark.h5");
  QVERIFY(QFile::rename(record("benchmark", document), file));
  AnalyseWorkspace workspace;
  workspace.openRun(file);
  auto* figures = workspace.findChild<FiguresTable*>();
  QTRY_VERIFY(figures->topLevelItemCount() == 2);
  for (int j = 1; j <= 9; ++j) {
    const auto found = figures->findItems(QString("J%1,").arg(j), Qt::MatchStartsWith | Qt::MatchRecursive);
    QCOMPARE(found.size(), 1);
    QVERIFY2(found.front()->text(1).contains(j == 1 ? "ms" : "%"), qPrintable(found.front()->text(1)));
  }
}

void AnalyseTest::secondRunIsLaidOver() {
  AnalyseWorkspace workspace;
  workspace.resize(1280, 712);
  workspace.show();
  QVERIFY(QTest::qWaitForWindowExposed(&workspace));
  QSignalSpy opened(&workspace, &AnalyseWorkspace::runOpened);
  workspace.openRun(good_);
  QTRY_COMPARE(opened.count(), 1);
  auto* list = workspace.findChild<RunList*>();
  QTRY_COMPARE(list->count(), 3);
  list->select(other_);
  for (QPushButton* button : list->findChildren<QPushButton*>())
    if (button->text() == "Overlay") button->click();
  auto* figures = workspace.findChild<FiguresTable*>();
  QTRY_VERIFY(!figures->isColumnHidden(2) && figures->topLevelItemCount() > 0);  // either run's figures may come first
  QVERIFY(!figures->topLevelItem(0)->child(0)->text(2).isEmpty());
  auto* views = workspace.findChild<AnalyseViews*>();
  QVERIFY(views->subspacePlots().front()->secondReading().contains("ratio"));
  for (QPushButton* button : workspace.findChildren<QPushButton*>())
    if (button->text() == "Remove B") button->click();
  QVERIFY(figures->isColumnHidden(2));
}

void AnalyseTest::whatIsNoRunFileIsNamed() {
  AnalyseWorkspace workspace;
  QSignalSpy opened(&workspace, &AnalyseWorkspace::runOpened);
  workspace.openRun(folder_.filePath("text.h5"));
  QTRY_COMPARE(opened.count(), 1);
  QVERIFY(opened.first().at(1).toString().contains("text.h5"));
  workspace.openRun(folder_.filePath("missing.h5"));
  QTRY_COMPARE(opened.count(), 2);
  QVERIFY(opened.last().at(1).toString().contains("missing.h5"));
}

/// A bit of one value: the strip says which column, and neither the data nor the test are good.
void AnalyseTest::aDamagedRunIsNotGreen() {
  const QTemporaryDir folder;
  const QString file = folder.filePath("damaged.h5");
  QVERIFY(QFile::copy(good_, file));
  const std::vector<double> values = RunFileReader(file.toStdString()).read("acquisition/gap_1", 2000, 16);
  QFile stream(file);
  QVERIFY(stream.open(QIODevice::ReadWrite));
  const QByteArray bytes = stream.readAll();
  const auto at = bytes.indexOf(QByteArray(reinterpret_cast<const char*>(values.data()), 16 * sizeof(double)));
  QVERIFY(at > 0);
  stream.seek(at);
  stream.putChar(static_cast<char>(bytes[at] ^ 16));
  stream.close();
  AnalyseWorkspace workspace;
  workspace.openRun(file);
  auto* figures = workspace.findChild<FiguresTable*>();
  QTRY_VERIFY(figures->topLevelItemCount() == 3);
  bool told = false, data = false, green = false;
  for (const QLabel* label : workspace.findChildren<QLabel*>()) {
    told = told || (label->text().contains("Damaged after it was written: gap_1, rows ") &&
                    label->property("mark").toString() == "error");
    data = data || (label->text().contains("Data: ") && !label->text().contains("whole"));
    green = green || (label->text().contains("Test: ") && label->property("mark").toString() == "ok");
  }
  QVERIFY(told && data && !green);
}

/// Ground motions beside the project, the run in a folder of its own: the project of the run is read all the same.
void AnalyseTest::relativeFilesOfARunElsewhere() {
  const QTemporaryDir project, runs;
  std::ofstream motion(project.filePath("quake.csv").toStdString());
  motion << "time_s,acceleration_m_per_s2\n";
  for (int k = 0; k < 300; ++k) motion << 0.02 * k << "," << std::sin(0.3 * k) << "\n";
  motion.close();
  Json document = templateDocument("benchmark-2020-sample");
  document["excitation"]["signals"] = {{{"name", "quake"},
                                        {"kind", "ground-motion"},
                                        {"file", "quake.csv"},
                                        {"unit", "m/s2"},
                                        {"output", "acceleration"},
                                        {"scale", 0.01}}};
  document["excitation"]["loads"][0]["signal"] = "quake";
  document["loop"]["duration_s"] = 1;
  document["analysis"]["start_s"] = 0.2;
  RunOptions options;
  options.pace = Pace::free_run;
  options.file = runs.filePath("r.h5").toStdString();
  {
    TestRun run(parseProject(document, project.path().toStdString()), options);
    run.arm();
    run.start();
    run.finish();
  }
  const QString file = QString::fromStdString(options.file.string());
  LoadProgress progress;
  const auto far = loadRun(file, progress);
  QVERIFY2(far->project && far->project_error.isEmpty(), qPrintable(far->project_error));
  // Both in one folder that was moved: beside the run.
  QVERIFY(QFile::rename(project.filePath("quake.csv"), runs.filePath("quake.csv")));
  QVERIFY(QDir(project.path()).removeRecursively());
  const auto beside = loadRun(file, progress);
  QVERIFY2(beside->project && beside->project_error.isEmpty(), qPrintable(beside->project_error));
}

void AnalyseTest::searchFiltersTheList() {
  RunList list;
  list.setFolder(folder_.path());
  QTRY_COMPARE(list.count(), 3);
  auto* search = list.findChild<QLineEdit*>();
  auto* tree = list.findChild<QTreeWidget*>();
  QTest::keyClicks(search, "fixed");
  int shown = 0;
  for (int row = 0; row < tree->topLevelItemCount(); ++row) shown += tree->topLevelItem(row)->isHidden() ? 0 : 1;
  QCOMPARE(shown, 1);
}

HYB_SUITE(analyse, AnalyseTest)
#include "analyse_test.moc"
