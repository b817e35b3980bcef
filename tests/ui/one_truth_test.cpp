/// One run, one figure: what the loop's safety chain, the live plots, the live measures, the figures of the run file, a
/// study and the tables of the window say of the same test.
#include <QTemporaryDir>

#include "core/assess/measures.h"
#include "core/assess/metrics.h"
#include "core/record/run_file_reader.h"
#include "core/run/build.h"
#include "core/run/test_run.h"
#include "core/study/figures.h"
#include "core/study/memory_run.h"
#include "tests/support/suite.h"
#include "ui/analyse/figures_table.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/run_history.h"
#include "ui/plot/run_loader.h"

using namespace hyb;
using namespace hyb::ui;

namespace {

/// Analysed from the first to the last row, so that all look at the same ones.
Project project() {
  Json document = templateDocument("three-mass");
  for (const char* change : {"/loop/duration_s=6", "/loop/soft_start_s=1", "/loop/soft_end_s=0", "/analysis/start_s=0"})
    setValue(document, change);
  return parseProject(document);
}

double measureOf(const std::vector<MeasureReading>& readings, const char* name, int interface) {
  for (const MeasureReading& reading : readings)
    if (reading.measure == findMeasure(name) && reading.interface == interface) return reading.value;
  return std::nan("");
}

}  // namespace

class OneTruthTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::string file() const { return folder_.filePath("run.h5").toStdString(); }
  std::unique_ptr<Loop> loop_;
  std::unique_ptr<RunHistory> live_;
  std::vector<MeasureReading> window_;
  Json recorded_, in_memory_;
  std::uint64_t last_ = 0;  // row before the test ramps down

 private Q_SLOTS:
  /// The same seed gives the same rows to all of them.
  void initTestCase() {
    const Project asked = project();
    loop_ = buildLoop(asked);
    RowRing ring(loop_->layout().width(), 8000);
    loop_->attachDisplay(&ring, nullptr);
    loop_->arm();
    loop_->post({Request::Kind::start, -1, 0.0, {}, {}});
    while (loop_->tick(1)) {
    }
    live_ = std::make_unique<RunHistory>(loop_->layout(), asked.loop.rate_hz, 8000);
    MeasureWindow window(loop_->layout(), measureContext(asked), 60.0);
    std::vector<double> row;
    while (ring.pop(row, 1) == 1) {
      live_->append(row);
      if ((static_cast<std::uint32_t>(row[RowLayout::kFlags]) & kFlagStopping) != 0) continue;
      last_ = live_->rows().end() - 1;
      window.push(row);
    }
    window_ = window.read();
    TestRun run(asked, {Pace::free_run, file(), {}, {}, false, false});
    run.arm();
    run.start();
    QCOMPARE(run.finish().reason, EndReason::completed);
    recorded_ = metrics(RunFileReader(file()), {});
    in_memory_ = runInMemory(asked, Pace::free_run, false, {false}, true).metrics;
  }

  void energyError() {
    const double safety = loop_->status().energy_error_j.load();
    QVERIFY(std::abs(safety) > 1e-6);
    QCOMPARE(live_->rows().at(live_->energyError(), last_), safety);
    QCOMPARE(measureOf(window_, "energy_error", 0), safety);
    QCOMPARE(recorded_["energy_error"].get<double>(), safety);
    QCOMPARE(in_memory_["energy_error"].get<double>(), safety);
    const std::vector<FigureColumn> columns = figureColumns({"energy_error"}, 2);
    QCOMPARE(figureValues(in_memory_, columns).front(), safety);
    // The sign, from the rows themselves: the work of the specimen's restoring force on the gap.
    const RowHistory& rows = live_->rows();
    double work_j = 0.0;
    for (std::uint64_t k = 1; k <= last_; ++k)
      for (std::size_t i = 0; i < 2; ++i)
        work_j -= 0.5 * (rows.at(live_->layout().force(i), k) + rows.at(live_->layout().force(i), k - 1)) *
                  (rows.at(live_->layout().gap(i), k) - rows.at(live_->layout().gap(i), k - 1));
    QVERIFY(std::abs(work_j / safety - 1.0) < 1e-9);
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

  /// Every measure of every interface, wherever it is read.
  void allMeasures() {
    for (const Measure& measure : measures()) {
      if (measure.ofTest()) continue;
      for (std::size_t i = 0; i < 2; ++i) {
        const auto in = [&](const Json& figures) {
          const Json* found = readingIn(figures["interfaces"][i], measure);
          return found == nullptr || !found->is_number() ? std::nan("") : found->get<double>();
        };
        const double live = measureOf(window_, measure.name, static_cast<int>(i) + 1), file = in(recorded_);
        QVERIFY2(std::isnan(live) == std::isnan(file), measure.name);
        if (std::isnan(live)) continue;
        QVERIFY2(
            live == file && file == in(in_memory_),
            qPrintable(QString("%1: live %2, file %3").arg(measure.name).arg(live, 0, 'g', 17).arg(file, 0, 'g', 17)));
      }
    }
  }

  /// The gap that the plot reads, that limits look at and that the figures tell.
  void gap() {
    double peak = 0.0;
    for (std::uint64_t k = 0; k <= last_; ++k)
      peak = std::max(peak, std::abs(live_->rows().at(live_->layout().gap(0), k)));
    QCOMPARE(recorded_["interfaces"][0]["gap_peak"].get<double>(), peak);
    const auto& limits = loop_->safety().limits();
    for (std::size_t l = 0; l < limits.size(); ++l)
      if (limits[l].quantity == limitQuantity("gap")) QVERIFY(loop_->safety().monitors()[l].peak.load() >= peak);
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
