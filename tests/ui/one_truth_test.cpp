/// One run, one figure: what the loop's safety chain, the live plots, the live measures, the figures of the run file, a
/// study and the tables of the window say of the same test.
#include <QTemporaryDir>
#include <algorithm>
#include <map>
#include <set>

#include "core/assess/measures.h"
#include "core/assess/metrics.h"
#include "core/base/figure_text.h"
#include "core/record/run_file_reader.h"
#include "core/run/build.h"
#include "core/run/test_run.h"
#include "core/run/verdict.h"
#include "core/study/face_campaign.h"
#include "core/study/memory_run.h"
#include "core/study/run_study.h"
#include "core/study/study_file.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"
#include "ui/analyse/figures_table.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/run_history.h"
#include "ui/plot/run_loader.h"
#include "ui/plot/time_plot.h"
#include "ui/plot/time_view.h"

using namespace hyb;
using namespace hyb::ui;

namespace {

/// A test whose figures are asked for wherever they are told.
struct Asked {
  const char* from;  // template
  std::vector<const char*> changes;
};

/// Between them they have every measure: two interfaces and a periodic force; a building; a test of forces; a free
/// oscillation; passivity control; trials; one that ends by itself and turns; one that records the structure.
const Asked kAsked[] = {
    {"three-mass", {"/loop/duration_s=6", "/loop/soft_start_s=1"}},
    {"benchmark-2020-sample", {"/loop/duration_s=2"}},
    {"force-shear-building", {"/loop/duration_s=2"}},
    {"face-linear", {"/loop/duration_s=3"}},
    {"contact-passivity", {}},
    {"contact-ilc", {"/loop/trials/count=2"}},
    {"prosthetic-foot", {"/loop/duration_s=1.3"}},  // a whole stride
    {"marths", {"/loop/duration_s=6"}},
};

/// What the last seconds of a test that runs cannot tell: how it ended; what the computed side did, which is computed
/// again from the first row on; what passivity control took out since the start; how trials and strides differ.
const std::set<std::string> kOfEndedRuns = {"missed_ticks",
                                            "limits_hit",
                                            "end_s",
                                            "hsem_input",
                                            "j6",
                                            "j7",
                                            "j8",
                                            "j9",
                                            "storey_2_shear_percent",
                                            "storey_3_shear_percent",
                                            "specimen_reference_percent",
                                            "damped_energy",
                                            "trial_scatter",
                                            "trial_scatter_percent",
                                            "trial_force_scatter_percent",
                                            "stride_deviation"};

/// Analysed from the first to the last row, so that all look at the same ones.
Project project(const Asked& asked = kAsked[0]) {
  Json document = templateDocument(asked.from);
  for (const char* change : {"/loop/soft_end_s=0", "/analysis/start_s=0"}) setValue(document, change);
  for (const char* change : asked.changes) setValue(document, change);
  return parseProject(document);
}

/// What the loop, the live plots and the live measures make of the same rows.
struct Watched {
  std::unique_ptr<Loop> loop;
  std::shared_ptr<RunHistory> live;
  std::vector<MeasureReading> window;
  std::uint64_t last = 0;  // row before the test ramps down

  double energyError() const { return loop->status().energy_error_j.load(); }
};

/// From start to end; held from one tick to another, where there are two.
Watched watched(const Project& project, int hold_tick = 0, int resume_tick = 0) {
  constexpr std::size_t kRows = 16000;
  Watched test{buildLoop(project), {}, {}, 0};
  const RowLayout& layout = test.loop->layout();
  RowRing ring(layout.width(), kRows);
  test.loop->attachDisplay(&ring, nullptr);
  test.loop->arm();
  const auto ask = [&](Request::Kind kind) { test.loop->post({kind, -1, 0.0, {}, {}}); };
  ask(Request::Kind::start);
  for (int tick = 1; test.loop->tick(1); ++tick) {
    if (tick == hold_tick) ask(Request::Kind::hold);
    if (tick == resume_tick) ask(Request::Kind::resume);
  }
  test.live = std::make_shared<RunHistory>(layout, project.loop.rate_hz, kRows);
  MeasureWindow window(layout, measureContext(project), 60.0);
  std::vector<double> row;
  while (ring.pop(row, 1) == 1) {
    test.live->append(row);
    window.push(row);
    if ((static_cast<std::uint32_t>(row[RowLayout::kFlags]) & kFlagStopping) == 0)
      test.last = test.live->rows().end() - 1;
  }
  test.window = window.read();
  return test;
}

double measureOf(const std::vector<MeasureReading>& readings, const char* name, int interface) {
  for (const MeasureReading& reading : readings)
    if (reading.measure == findMeasure(name) && reading.interface == interface) return reading.value;
  return std::nan("");
}

double measureOf(const Json& figures, const Measure& measure, int interface) {
  const Json* found =
      readingIn(interface == 0 ? figures : figures["interfaces"][static_cast<std::size_t>(interface - 1)], measure);
  return found == nullptr || !found->is_number() ? std::nan("") : found->get<double>();
}

double measureOf(const StudyTable& study, const Measure& measure, int interface) {
  const std::string name = measure.name + (interface > 0 ? "_" + std::to_string(interface) : std::string());
  for (const StudyTable::Column& column : study.figures)
    if (column.name == name) return column.numbers.at(0);
  return std::nan("");
}

/// What is told of a test that was run four times; the same seed gives all of them the same rows. An interface is
/// counted from 1; 0: the whole test.
struct EveryPlace {
  std::vector<MeasureReading> live;
  Json file, memory;
  StudyTable study;
};

/// each(measure, interface)
void eachMeasure(const EveryPlace& test, const std::function<void(const Measure&, int)>& each) {
  for (const Measure& measure : measures())
    for (int i = measure.ofTest() ? 0 : 1;
         i <= (measure.ofTest() ? 0 : static_cast<int>(test.file["interfaces"].size())); ++i)
      each(measure, i);
}

EveryPlace told(const Project& asked, const std::vector<MeasureReading>& live, const std::filesystem::path& folder) {
  TestRun run(asked, {Pace::free_run, folder / "run.h5", {}, {}, false, false});
  run.arm();
  run.start();
  if (run.finish().reason != EndReason::completed) throw std::runtime_error("the test did not complete");
  saveDocument(asked.document, folder / "project.json");
  Json study = {{"format", "hybridbench-study"}, {"version", 1}, {"project", "project.json"}};
  for (const Measure& measure : measures()) study["measures"].push_back(measure.name);
  runStudy(parseStudy(study, folder), folder / "study.h5", 1);
  return {live, metrics(RunFileReader(folder / "run.h5"), {}),
          runInMemory(asked, Pace::free_run, false, StopToken(), true).metrics, readStudyFile(folder / "study.h5")};
}

}  // namespace

class OneTruthTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::string file() const { return folder_.filePath("three-mass/run.h5").toStdString(); }
  std::unique_ptr<Loop> loop_;
  std::shared_ptr<RunHistory> live_;
  std::vector<MeasureReading> window_;
  Json recorded_, in_memory_;
  std::uint64_t last_ = 0;                  // row before the test ramps down
  std::map<std::string, EveryPlace> told_;  // of each template that is asked

 private Q_SLOTS:
  void initTestCase() {
    for (const Asked& asked : kAsked) {
      Watched test = watched(project(asked));
      const QString folder = folder_.filePath(QLatin1String(asked.from));
      QVERIFY(QDir().mkpath(folder));
      told_[asked.from] = told(project(asked), test.window, folder.toStdString());
      if (&asked != kAsked) continue;
      loop_ = std::move(test.loop);
      live_ = std::move(test.live);
      window_ = std::move(test.window);
      last_ = test.last;
      recorded_ = told_[asked.from].file;
      in_memory_ = told_[asked.from].memory;
    }
  }

  void energyError() {
    const double safety = loop_->status().energy_error_j.load();
    QVERIFY(std::abs(safety) > 1e-6);
    QCOMPARE(live_->rows().at(live_->energyError(), last_), safety);
    QCOMPARE(measureOf(window_, "energy_error", 0), safety);
    QCOMPARE(recorded_["energy_error"].get<double>(), safety);
    QCOMPARE(in_memory_["energy_error"].get<double>(), safety);
    QCOMPARE(measureOf(told_[kAsked->from].study, *findMeasure("energy_error"), 0), safety);
    // The sign, from the rows themselves: the work of the specimen's restoring force on the gap.
    const RowHistory& rows = live_->rows();
    double work_j = 0.0;
    for (std::uint64_t k = 1; k <= last_; ++k)
      for (std::size_t i = 0; i < 2; ++i)
        work_j -= 0.5 * (rows.at(live_->layout().force(i), k) + rows.at(live_->layout().force(i), k - 1)) *
                  (rows.at(live_->layout().gap(i), k) - rows.at(live_->layout().gap(i), k - 1));
    QVERIFY(std::abs(work_j / safety - 1.0) < 1e-9);
  }

  /// Nothing goes through the cut between trials, nor while the rig is held.
  void energyErrorOfTrials() {
    Json document = loadDocument(std::string(test::kSourceDir) + "/tests/data/projects/three-mass-trials.json");
    for (const char* change : {"/loop/trials/count=2", "/loop/soft_end_s=0", "/analysis/start_s=0"})
      setValue(document, change);
    const Project asked = parseProject(document);
    const Watched test = watched(asked);
    const double safety = test.energyError();
    QVERIFY(std::abs(safety) > 1e-6);
    std::uint64_t pauses = 0;
    for (std::uint64_t k = 0; k < test.last; ++k)
      pauses += (static_cast<std::uint32_t>(test.live->rows().at(RowLayout::kFlags, k)) & kFlagBetweenTrials) != 0;
    QVERIFY(pauses > 100);
    QCOMPARE(test.live->rows().at(test.live->energyError(), test.last), safety);
    QCOMPARE(measureOf(test.window, "energy_error", 0), safety);
    QCOMPARE(runInMemory(asked, Pace::free_run, false, StopToken(), true).metrics["energy_error"].get<double>(),
             safety);
  }

  void energyErrorOfATestThatIsHeld() {
    const Watched test = watched(project(), 2000, 3000);
    const double safety = test.energyError();
    QVERIFY(safety != loop_->status().energy_error_j.load());
    QCOMPARE(test.live->rows().at(test.live->energyError(), test.last), safety);
    QCOMPARE(measureOf(test.window, "energy_error", 0), safety);
  }

  void trackingIndicator() {
    for (std::size_t i = 0; i < 2; ++i) {
      const double live = live_->rows().at(live_->trackingIndicator(i), last_);
      QVERIFY(live != 0.0);
      QCOMPARE(measureOf(window_, "tracking_indicator", static_cast<int>(i) + 1), live);
      QCOMPARE(recorded_["interfaces"][i]["measures"]["tracking_indicator"].get<double>(), live);
      QCOMPARE(in_memory_["interfaces"][i]["measures"]["tracking_indicator"].get<double>(), live);
    }
  }

  void allMeasures_data() {
    QTest::addColumn<int>("test");
    for (int k = 0; const Asked& asked : kAsked) QTest::newRow(asked.from) << k++;
  }

  /// Every measure of every interface and of the whole test, wherever it is read.
  void allMeasures() {
    const EveryPlace& test = told_.at(QTest::currentDataTag());
    QString wrong;
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    eachMeasure(test, [&](const Measure& measure, int i) {
      const double live = measureOf(test.live, measure.name, i), file = measureOf(test.file, measure, i),
                   memory = measureOf(test.memory, measure, i), study = measureOf(test.study, measure, i);
      const double of_live = kOfEndedRuns.contains(measure.name) ? std::nan("") : file;
      if (same(file, memory) && same(file, study) && same(of_live, live)) return;
      wrong += QStringLiteral("\n%1, interface %2: live %3, file %4, in memory %5, study %6")
                   .arg(QLatin1String(measure.name))
                   .arg(i)
                   .arg(live, 0, 'g', 17)
                   .arg(file, 0, 'g', 17)
                   .arg(memory, 0, 'g', 17)
                   .arg(study, 0, 'g', 17);
    });
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
  }

  /// None of them is compared as "not there" everywhere.
  void everyMeasureIsThereInOneOfThem() {
    std::set<std::string> missing;
    for (const Measure& measure : measures()) missing.insert(measure.name);
    for (const auto& row : told_)
      eachMeasure(row.second, [&](const Measure& measure, int i) {
        if (std::isfinite(measureOf(row.second.file, measure, i))) missing.erase(measure.name);
      });
    QVERIFY2(missing.empty(), Json(missing).dump().c_str());
  }

  void trackingErrorOfTheVerdict_data() { allMeasures_data(); }

  /// J2 in percent, as a share, and in words.
  void trackingErrorOfTheVerdict() {
    QFETCH(const int, test);
    const Json& file = told_.at(kAsked[test].from).file;
    const bool judged = project(kAsked[test]).coupling->unjudged().empty();
    const auto reasons = file["verdict"]["reasons"].get<std::vector<std::string>>();
    for (std::size_t i = 0; i < file["interfaces"].size(); ++i) {
      const int number = static_cast<int>(i) + 1;
      const double j2 = measureOf(file, *findMeasure("tracking_nrmse_percent"), number);
      const double share = measureOf(file, *findMeasure("rms_by_rms"), number);
      QCOMPARE(100.0 * share, j2);
      const std::string of =
          " of " + file["interfaces"][i]["name"].get<std::string>() + " has a tracking error (J2) of ";
      const std::string words = of + hyb::figureText(j2) + " %";
      const auto says = [&](const std::string& reason) { return reason.find(words) != std::string::npos; };
      QVERIFY2(std::ranges::any_of(reasons, says) == (judged && share > VerdictBounds().good_share),
               (words + '\n' + file["verdict"].dump()).c_str());
    }
  }

  /// The gap that the plot reads, that limits look at and that the figures tell.
  void gap() {
    const RowHistory& rows = live_->rows();
    double peak = 0.0, of_all = 0.0;  // while the test runs, of interface 1; to the very end, of both
    for (std::uint64_t k = 0; k < rows.end(); ++k)
      for (std::size_t i = 0; i < 2; ++i) {
        const double gap = std::abs(rows.at(live_->layout().gap(i), k));
        of_all = std::max(of_all, gap);
        if (i == 0 && k <= last_) peak = std::max(peak, gap);
      }
    QVERIFY(peak > 0.0);
    QCOMPARE(recorded_["interfaces"][0]["gap_peak"].get<double>(), peak);
    const auto& limits = loop_->safety().limits();
    int watched = 0;
    for (std::size_t l = 0; l < limits.size(); ++l) {
      if (limits[l].quantity != limitQuantity("gap")) continue;
      QCOMPARE(loop_->safety().monitors()[l].peak.load(), of_all);
      ++watched;
    }
    QCOMPARE(watched, 2);

    TimeView view;
    GapPlot plot(QStringLiteral("Gap"), &view);
    plot.setGap(live_->layout(), 0, 5e-4, 0.5);
    plot.setSource(live_);
    view.follow(0.0);
    view.freezeAt(last_ + 1);
    const auto [rms, shown, counted] = plot.rmsAndPeak();
    QVERIFY(counted);
    QCOMPARE(shown, peak);
    QCOMPARE(rms, recorded_["interfaces"][0]["gap_rms"].get<double>());
  }

  /// A test whose adaptation comes before its analysis, and whose cut opens in the soft end: what is live counts the
  /// rows that the figures of the file count.
  void onlyWhatIsAnalysedCounts_data() {
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QStringList>("changes");
    QTest::addColumn<int>("hold_tick");
    QTest::newRow("lumped-aff") << QByteArray("lumped-aff") << QStringList() << 0;
    QTest::newRow("held") << QByteArray("three-mass")
                          << QStringList{"/loop/duration_s=6", "/analysis/start_s=2.5", "/loop/soft_end_s=1.5"} << 3000;
  }
  void onlyWhatIsAnalysedCounts() {
    QFETCH(const QByteArray, from);
    QFETCH(const QStringList, changes);
    QFETCH(const int, hold_tick);
    Json document = templateDocument(from.constData());
    for (const QString& change : changes) setValue(document, change.toStdString());
    const Project asked = parseProject(document);
    const double rate_hz = asked.loop.rate_hz;
    const auto loop = buildLoop(asked);
    const RowLayout& layout = loop->layout();
    const AnalysisWindow analysed = analysisWindow(asked.document, rate_hz);
    RowRing ring(layout.width(), 64);
    auto live =
        std::make_shared<RunHistory>(layout, rate_hz, static_cast<std::size_t>(190.0 * rate_hz), CountedRows(analysed));
    MeasureWindow window(layout, measureContext(asked), 30.0);
    bool before = false;
    loop->attachDisplay(&ring, nullptr);
    loop->arm();
    const auto ask = [&](Request::Kind kind) { loop->post({kind, -1, 0.0, {}, {}}); };
    ask(Request::Kind::start);
    std::vector<double> row;
    for (int tick = 1; loop->tick(1); ++tick) {
      if (tick == hold_tick) ask(Request::Kind::hold);
      if (tick == hold_tick + 700) ask(Request::Kind::resume);
      while (ring.pop(row, 1) == 1) {
        live->append(row);
        window.push(row);
        if (tick == static_cast<int>(0.5 * analysed.start_s * rate_hz))
          before = window.counted().part() == CountedRows::Part::before && !window.read().empty();
      }
    }
    QVERIFY(before);  // it says something before the analysis, and that it is before
    RunRecord run;
    run.project = asked.document;
    run.table = live->table();
    run.interfaces = layout.signals();
    run.ended = EndReason::completed;
    run.complete = run.valid = true;
    const AnalysedRows rows(run);
    const TestSums sums = testSums(run, rows);
    const RunningComparison& tracking = sums.interfaces[0].tracking;
    TimeView view;
    view.follow(0.0);
    GapPlot plot(QStringLiteral("Gap"), &view);
    const double tolerance = asked.analysis.gap_tolerance.of(layout.signals()[0]);
    plot.setGap(layout, 0, tolerance, 0.5);
    plot.setSource(live);
    const GapPlot::Reading read = plot.rmsAndPeak();
    QCOMPARE(read.rms, tracking.errorRms());
    QCOMPARE(read.peak, tracking.errorPeak());
    QCOMPARE(plot.reading().contains("over tolerance"), read.peak > tolerance);
    if (from == "lumped-aff") {  // the gap of the soft end does not count
      QVERIFY(judge(run, rows, sums).test == Grade::good);
      QVERIFY(live->peak(layout.gap(0)) > 10.0 * tolerance);
    }
    const double j2 = measureOf(window.read(), "tracking_nrmse_percent", 1);
    QCOMPARE(j2, 100.0 * tracking.nrmse());
    // What is shown of the soft end alone says that it does not count.
    view.follow(0.2 * (analysed.duration_s - analysed.end_s()));
    QVERIFY2(plot.reading().contains("not analysed"), qPrintable(plot.reading()));
  }

  /// The errors of a test of FACE are those of its run file.
  void face() {
    Json document = templateDocument("face-linear");
    setValue(document, "/analysis/face/values=[0, 0.002, 0.004, 0.006]");
    FaceOptions options;
    options.runs = folder_.filePath("face").toStdString();
    const FaceReport report =
        runFace(parseProject(document), folder_.filePath("face.h5").toStdString(), options).report;
    QCOMPARE(report.tests.size(), std::size_t{4});
    for (const FaceCampaignTest& test : report.tests) {
      const Json of_file = metrics(RunFileReader(test.file), {});
      for (const FaceAxis axis : {FaceAxis::delay, FaceAxis::error_by_max, FaceAxis::error_by_rms}) {
        const Json* figure = readingIn(of_file["interfaces"][0], *words(axis).measure);
        QVERIFY(figure != nullptr && figure->is_number());
        QCOMPARE(test.errors[static_cast<std::size_t>(axis)], figure->get<double>());
      }
    }
  }

  /// What Analyse loads and shows is what was recorded.
  void window() {
    LoadProgress progress;
    const auto run = loadRun(QString::fromStdString(file()), progress);
    QCOMPARE(run->history->rows().at(run->history->energyError(), last_), loop_->status().energy_error_j.load());
    FiguresTable table;
    table.show(recorded_, {});
    QStringList shown;
    for (QTreeWidgetItemIterator item(&table); *item != nullptr; ++item)
      shown << (*item)->text(0) + QLatin1Char('=') + (*item)->text(1);
    for (const Measure& measure : measures()) {
      if (!measure.always() || measure.ofTest()) continue;
      const QString title = QString::fromUtf8(measure.title);
      const QString text = quantityText(measureOf(window_, measure.name, 1), displayUnit(measure.unit));
      QVERIFY2(shown.contains(title + QLatin1Char('=') + text),
               qPrintable(title + ' ' + text + '\n' + shown.join('\n')));
    }
    QVERIFY(shown.contains(QStringLiteral("Energy error=") +
                           quantityText(loop_->status().energy_error_j.load(), displayUnit("J"))));
  }
};

HYB_SUITE(one_truth, OneTruthTest)
#include "one_truth_test.moc"
