/// Power, damping and energy of the template with passivity control; trials laid over each other, and begun with.
#include <qwt_plot_curve.h>
#include <qwt_plot_item.h>

#include <QCheckBox>
#include <QComboBox>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

#include "core/record/run_file_reader.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"
#include "tests/ui/run_at_work.h"
#include "ui/analyse/analyse_views.h"
#include "ui/analyse/analyse_workspace.h"
#include "ui/plot/power_view.h"
#include "ui/plot/time_plot.h"
#include "ui/plot/trial_curves.h"
#include "ui/plot/trials_view.h"

using namespace hyb;
using namespace hyb::ui;
using hyb::ui::testing::button;
using hyb::ui::testing::RunAtWork;

class PowerViewTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { testing::startGuiSession("power_view"); }

  /// What is shown stands in the file, and the shade lies where the damping does.
  void powerAndEnergyOfAContact() {
    const QTemporaryDir folder;
    const QString file = folder.filePath("contact.h5");
    record(parseProject(templateDocument("contact-passivity")), file);
    AnalyseWorkspace analyse;
    auto* views = open(analyse, file);
    auto* power = views->findChild<PowerView*>();
    QVERIFY(views->isTabVisible(views->indexOf(power)));
    views->setCurrentWidget(power);
    const auto plot = [&](const char* name) {
      for (TimePlot* found : power->findChildren<TimePlot*>())
        if (found->name() == QLatin1String(name)) return found;
      return static_cast<TimePlot*>(nullptr);
    };
    QStringList curves;
    for (const char* name : {"Power", "Injected damping", "Energy"})
      for (const LegendEntry& entry : plot(name)->legendEntries()) curves << entry.text;
    QCOMPARE(curves, (QStringList{"into the specimen", "fed in", "damping", "force", "energy error, all interfaces",
                                  "fed in", "taken out"}));
    const RunFileReader run(file.toStdString());
    const auto channel = [&](const char* name) { return run.read(std::string("acquisition/") + name); };
    const std::vector<double> force = channel("force_1"), rate = channel("velocity_1"),
                              damping = channel("passivity_damping_1"), time = channel("time");
    const ValueTable table = plot("Power")->valueTable();
    QCOMPARE(table.rows.size(), time.size());
    for (std::size_t k = 0; k < time.size(); k += 37) QCOMPARE(table.rows[k][1], -force[k] * rate[k]);
    // The time that is shaded is that of the buckets in which the damping acts, but for the edges of each stretch: the
    // gate of the previous tick opens and shuts within a bucket.
    const std::vector<std::pair<double, double>> shaded = plot("Energy")->phases();
    QVERIFY(!shaded.empty());
    double shaded_s = 0.0;
    for (const auto& [from_s, to_s] : shaded) shaded_s += to_s - from_s;
    constexpr std::size_t kBucket = 16;
    double acts = 0.0;  // rows of buckets in which it acts
    for (std::size_t k = 0; k < damping.size(); k += kBucket) {
      const auto from = damping.begin() + static_cast<std::ptrdiff_t>(k);
      const std::size_t rows = std::min(kBucket, damping.size() - k);
      if (std::any_of(from, from + static_cast<std::ptrdiff_t>(rows), [](double value) { return value > 0.0; }))
        acts += static_cast<double>(rows);
    }
    const double step_s = time[1] - time[0], bucket_s = kBucket * step_s;
    QVERIFY2(std::abs(shaded_s - acts * step_s) <= bucket_s * static_cast<double>(shaded.size()),
             qPrintable(QString("%1 %2").arg(shaded_s).arg(acts * step_s)));
    QVERIFY(acts > 0.0 && acts < static_cast<double>(damping.size()));
  }

  /// Once a free run is over, Run shows what was recorded: its columns are those of the file.
  void aFreeRunShowsWhatIsRecorded() {
    RunAtWork bench;
    RunWorkspace& workspace = bench.workspace;
    bench.open(templateDocument("contact-passivity"));
    bench.runFreely();
    auto* power = workspace.findChild<PowerView*>();
    bench.turnTo(power);
    const RunFileReader run(bench.controller.run()->file());
    const auto shows = [&](TimePlot* plot, int column, const char* channel) {
      const std::vector<double> recorded = run.read(std::string("acquisition/") + channel);
      QTRY_COMPARE_WITH_TIMEOUT(plot->valueTable().rows.size(), recorded.size(), hyb::test::kHangs_ms);
      const ValueTable table = plot->valueTable();
      double most = 0.0, off = 0.0;
      for (std::size_t k = 0; k < recorded.size(); ++k) {
        most = std::max(most, std::abs(recorded[k]));
        off = std::max(off, std::abs(table.rows[k][static_cast<std::size_t>(column)] - recorded[k]));
      }
      QVERIFY2(most > 0.0 && off < 1e-9 * most, channel);
    };
    for (TimePlot* plot : power->findChildren<TimePlot*>()) {
      if (plot->name() == "Power") shows(plot, 2, "power_error_1");
      if (plot->name() == "Injected damping") shows(plot, 2, "passivity_force_1");
    }
    for (QComboBox* combo : workspace.findChildren<QComboBox*>())
      if (const int damping = combo->findData("Passivity: damping"); damping >= 0) combo->setCurrentIndex(damping);
    for (TimePlot* plot : workspace.findChildren<TimePlot*>())
      if (plot->name() == "Adapted") shows(plot, 2, "passivity_force_1");
  }

  void trialsAreLaidOverEachOtherAndBegunWith() {
    const QTemporaryDir folder;
    const QString file = folder.filePath("learnt.h5");
    Json document = templateDocument("contact-ilc");
    document["loop"]["trials"]["count"] = 5;
    document["analysis"]["start_s"] = 0;
    document["recording"]["folder"] = folder.path().toStdString();
    const Project project = parseProject(document);
    record(project, file);
    AnalyseWorkspace analyse;
    auto* views = open(analyse, file);
    auto* trials = views->findChild<TrialsView*>();
    views->setCurrentWidget(trials);
    auto* curves = trials->findChild<TrialCurves*>();
    auto* table = trials->findChild<QTableWidget*>("trials");
    const auto drawn = [&] {
      int count = 0;
      for (QwtPlotItem* item : curves->itemList(QwtPlotItem::Rtti_PlotCurve)) count += item->isVisible() ? 1 : 0;
      return count;
    };
    QVERIFY(curves->reading().startsWith("all 5"));
    QCOMPARE(drawn(), 5);
    // Two of them, by mouse and Ctrl.
    const auto click = [&](int row, Qt::KeyboardModifiers keys) {
      QTest::mouseClick(table->viewport(), Qt::LeftButton, keys, table->visualItemRect(table->item(row, 0)).center());
    };
    click(0, Qt::NoModifier);
    click(4, Qt::ControlModifier);
    QCOMPARE(curves->reading(), QString("trials 1, 5, the last darkest"));
    QCOMPARE(drawn(), 2);
    // What was learnt grows: nothing in the first trial.
    QComboBox* quantity = curves->quantity();
    quantity->setCurrentIndex(quantity->findText("learnt: added 1"));
    const ValueTable learnt = curves->valueTable();
    QCOMPARE(learnt.headers.size(), qsizetype{3});
    double first = 0.0, last = 0.0;
    for (const std::vector<double>& row : learnt.rows) {
      first = std::max(first, std::abs(row[1]));
      last = std::max(last, std::abs(row[2]));
    }
    QVERIFY(first == 0.0 && last > 0.0);

    // Trial 3 for the next test.
    click(2, Qt::NoModifier);
    RunAtWork bench;
    RunWorkspace& workspace = bench.workspace;
    bench.open(document);
    connect(&analyse, &AnalyseWorkspace::beginRequested, &workspace, &RunWorkspace::beginWith);
    QPushButton* begin = button(*trials, "Start next test from trial 3");
    QVERIFY(begin != nullptr && begin->isVisible());
    QTest::mouseClick(begin, Qt::LeftButton);
    auto* offer = workspace.findChild<QCheckBox*>("begin-with");
    QTRY_VERIFY_WITH_TIMEOUT(offer->isVisible() && offer->isChecked(), hyb::test::kHangs_ms);
    QVERIFY(offer->text().contains("trial 3"));
    bench.runFreely();
    const RunFileReader before(file.toStdString()), after(bench.controller.run()->file());
    // But for what the trial before has left of motion.
    hyb::test::compareRelative(after.read("segments/tracking_nrmse_percent")[0],
                               before.read("segments/tracking_nrmse_percent")[2], 1e-4, "error of the trial");
    QCOMPARE(after.attribute("config", "begun_with"), std::string("trial 3 of learnt.h5"));

    // Where it does not fit it is told.
    document["compensation"]["additions"][0]["cutoff_hz"] = 3;
    workspace.setProject(parseProject(document));
    QVERIFY(!offer->isVisible());
    QTest::mouseClick(begin, Qt::LeftButton);
    const auto told = [&] {
      for (QLabel* label : workspace.findChildren<QLabel*>())
        if (label->text().contains("/compensation differs")) return true;
      return false;
    };
    QTRY_VERIFY_WITH_TIMEOUT(told(), hyb::test::kHangs_ms);
    QVERIFY(!offer->isVisible());
  }

 private:
  static void record(const Project& project, const QString& file) {
    RunOptions options;
    options.pace = Pace::free_run;
    options.file = file.toStdString();
    TestRun run(project, options);
    run.arm();
    run.start();
    run.finish();
  }
  static AnalyseViews* open(AnalyseWorkspace& analyse, const QString& file) {
    analyse.resize(1280, 712);
    analyse.show();
    if (!QTest::qWaitForWindowExposed(&analyse)) qFatal("no window");
    QSignalSpy opened(&analyse, &AnalyseWorkspace::runOpened);
    analyse.openRun(file);
    if (opened.isEmpty()) opened.wait(hyb::test::kHangs_ms);
    return analyse.findChild<AnalyseViews*>();
  }
};

HYB_SUITE(power_view, PowerViewTest)
#include "power_view_test.moc"
