#include <QElapsedTimer>
#include <QImage>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "core/allocation_guard.h"
#include "tests/support/suite.h"
#include "ui/plot/auto_range.h"
#include "ui/plot/capacity_plot.h"
#include "ui/plot/frame_stats.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/run_curves.h"
#include "ui/plot/subspace_plot.h"
#include "ui/plot/time_plot.h"
#include "ui/plot/timing_plot.h"
#include "ui/theme.h"

using namespace hyb;
using namespace hyb::ui;

namespace {

constexpr double kRate_hz = 1000.0, kFrequency_hz = 8.0, kAmplitude_m = 0.002;

RowLayout layoutOfTwo() {
  return RowLayout(2, {{"excitation_1", "m", "walls", 0}}, true, {{"prediction_1", "ticks", ""}, {"gain_1", "", ""}});
}

/// x lags z by delay_s with this amplitude ratio.
std::shared_ptr<RunHistory> lagging(double seconds, double ratio, double delay_s) {
  const RowLayout layout = layoutOfTwo();
  auto run = std::make_shared<RunHistory>(layout, kRate_hz, static_cast<std::size_t>(60.0 * kRate_hz));
  std::vector<double> row(layout.width(), 0.0);
  const double w = 2.0 * std::numbers::pi * kFrequency_hz;
  for (int k = 0; k < static_cast<int>(seconds * kRate_hz); ++k) {
    const double t = k / kRate_hz;
    row[RowLayout::kTick] = k;
    row[RowLayout::kTime] = t;
    row[RowLayout::kWakeLate] = 5000.0 + 100.0 * (k % 50);
    row[RowLayout::kCompute] = 1500.0;
    for (std::size_t i = 0; i < 2; ++i) {
      row[layout.target(i)] = row[layout.command(i)] = kAmplitude_m * std::sin(w * t);
      row[layout.measured(i)] = ratio * kAmplitude_m * std::sin(w * (t - delay_s));
      row[layout.gap(i)] = row[layout.measured(i)] - row[layout.target(i)];
      row[layout.velocity(i)] = ratio * kAmplitude_m * w * std::cos(w * (t - delay_s));
      row[layout.force(i)] = -50.0 * std::sin(w * (t - delay_s));
    }
    row[layout.adaptedColumn(0)] = 6.0 + std::floor(t);
    row[layout.adaptedColumn(1)] = 1.0;
    run->append(row);
  }
  return run;
}

/// Pixels of about this colour.
int pixelsOf(const QImage& image, const QColor& colour) {
  int count = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) {
      const QColor at = image.pixelColor(x, y);
      if (std::abs(at.red() - colour.red()) + std::abs(at.green() - colour.green()) +
              std::abs(at.blue() - colour.blue()) <
          60)
        ++count;
    }
  return count;
}

}  // namespace

class PlotTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void historyKeepsTheNewestRows();
  void extremesAgreeWithBruteForce();
  void envelopeAgreesWithBruteForce();
  void bucketsStandStillWhileScrolling();
  void edgesEncloseEveryRow();
  void envelopeAllocatesNothingOnceWarm();
  void trackingIndicatorRisesWithALag();
  void nothingIsIntegratedOverLostRows();
  void peaksOutliveTheRing();
  void columnsAreMatchedByName();
  void timingFiguresCountEveryTick();
  void rangeGrowsAtOnceAndShrinksLater();
  void governorGivesUpAntialiasingThenRate();
  void numbersReadWell_data();
  void numbersReadWell();
  void subspaceReadsRatioAndDelay_data();
  void subspaceReadsRatioAndDelay();
  void subspaceScalesAreEqual();
  void subspaceRefusesGaps();
  void gapReadsRmsAndPeak();
  void capacityReadsTheShareUsed();
  void capacitySaysThatThereAreNoLimits();
  void plotsRenderInBothThemes_data();
  void plotsRenderInBothThemes();
  void boxZoomsAndDoubleClickFits();
  void wheelKeepsTheInstantUnderThePointer();
  void cursorsMeasureADistance();
  void legendTogglesACurve();
  void tableHasTheRowsShown();
  void exportsEveryFormat();
  void emptyViewSaysWhatWillBeHere();
};

void PlotTest::historyKeepsTheNewestRows() {
  RowHistory rows(2, 5000);
  for (int k = 0; k < 30000; ++k) rows.append(std::vector<double>{static_cast<double>(k), -k * 2.0});
  QCOMPARE(rows.end(), std::uint64_t{30000});
  QVERIFY(rows.end() - rows.begin() >= 5000);
  QVERIFY(rows.begin() % RowHistory::kBlock == 0);
  for (std::uint64_t row = rows.begin(); row < rows.end(); ++row) {
    QCOMPARE(rows.at(0, row), static_cast<double>(row));
    QCOMPARE(rows.at(1, row), -2.0 * static_cast<double>(row));
  }
  QCOMPARE(rows.lowerBound(0, 28000.5, 0, rows.end()), std::uint64_t{28001});
  QCOMPARE(rows.lowerBound(0, 1e9, 0, rows.end()), rows.end());
  std::vector<double> copied;
  rows.copy(0, 29990, 40000, copied);
  QCOMPARE(copied.size(), std::size_t{10});
  QCOMPARE(copied.front(), 29990.0);
}

void PlotTest::extremesAgreeWithBruteForce() {
  std::mt19937 random(7);
  std::normal_distribution<double> noise;
  RowHistory rows(1, 20000);
  for (int k = 0; k < 71234; ++k)
    rows.append(std::vector<double>{k % 997 == 0 ? std::numeric_limits<double>::quiet_NaN() : noise(random)});
  std::uniform_int_distribution<std::uint64_t> any(rows.begin(), rows.end());
  for (int trial = 0; trial < 300; ++trial) {
    std::uint64_t first = any(random), last = any(random);
    if (first > last) std::swap(first, last);
    Extremes expected = Extremes::none();
    for (std::uint64_t row = first; row < last; ++row) expected.add(rows.at(0, row));
    const Extremes found = rows.extremes(0, first, last);
    QVERIFY(found.min == expected.min && found.max == expected.max);
  }
}

void PlotTest::envelopeAgreesWithBruteForce() {
  std::mt19937 random(11);
  std::normal_distribution<double> noise;
  RowHistory rows(2 + RowLayout::kTime, 20000);
  const std::size_t column = RowLayout::kTime + 1;
  for (int k = 0; k < 50000; ++k) rows.append(std::vector<double>{0.0, k / kRate_hz, noise(random)});
  EnvelopeSeries series;
  for (const std::size_t buckets : {50U, 300U, 1000U}) {
    const std::uint64_t first = rows.begin() + 37, last = rows.end() - 53;
    series.update(rows, column, first, last, buckets);
    QVERIFY(series.size() <= 2 * (buckets + 2));
    std::uint64_t bucket = 1;
    while ((last - first) / bucket > buckets) bucket *= 2;
    std::size_t point = 0;
    for (std::uint64_t b = first / bucket; b * bucket < last; ++b, point += 2) {
      Extremes expected = Extremes::none();
      for (std::uint64_t row = std::max(rows.begin(), b * bucket); row < std::min(rows.end(), (b + 1) * bucket); ++row)
        expected.add(rows.at(column, row));
      const double one = series.sample(point).y(), other = series.sample(point + 1).y();
      QCOMPARE(std::min(one, other), expected.min);
      QCOMPARE(std::max(one, other), expected.max);
    }
    QCOMPARE(point, series.size());
  }
  series.update(rows, column, rows.end() - 200, rows.end(), 500);  // room for every row: no buckets
  QCOMPARE(series.size(), std::size_t{200});
  QCOMPARE(series.sample(0).y(), rows.at(column, rows.end() - 200));
}

/// The lines that are drawn, not only their points, at any zoom and for any window.
void PlotTest::edgesEncloseEveryRow() {
  std::mt19937 random(5);
  std::normal_distribution<double> noise;
  RowHistory rows(2 + RowLayout::kTime, 20000);
  const std::size_t column = RowLayout::kTime + 1;
  for (int k = 0; k < 30000; ++k) {
    const double t = k / kRate_hz, spike = k % 997 == 0 ? 5.0 : 0.0;
    rows.append(std::vector<double>{0.0, t, std::sin(40.0 * t) * std::exp(0.05 * t) + spike + 0.1 * noise(random)});
  }
  EnvelopeSeries upper(EnvelopeSeries::Part::upper), lower(EnvelopeSeries::Part::lower);
  for (const std::uint64_t shown : {60U, 700U, 5000U, 18000U})
    for (const std::uint64_t reach : {0U, 3U, 250U}) {
      const std::uint64_t last = rows.end() - 11, first = last - shown;
      upper.update(rows, column, first, last, 300, reach);
      lower.update(rows, column, first, last, 300, reach);
      QCOMPARE(upper.size(), lower.size());
      std::size_t at = 0;
      for (std::uint64_t row = first; row < last; ++row) {
        const double time = rows.at(RowLayout::kTime, row), value = rows.at(column, row);
        while (at + 2 < upper.size() && upper.sample(at + 1).x() < time) ++at;
        const auto edge = [&](const EnvelopeSeries& series) {
          const QPointF a = series.sample(at), b = series.sample(at + 1);
          return b.x() > a.x() ? a.y() + (b.y() - a.y()) * std::clamp((time - a.x()) / (b.x() - a.x()), 0.0, 1.0)
                               : b.y();
        };
        QVERIFY2(edge(lower) <= value + 1e-12 && value <= edge(upper) + 1e-12,
                 qPrintable(QString("row %1 of %2, reach %3").arg(row).arg(shown).arg(reach)));
      }
      // And no wider than the rows within reach.
      const Extremes all = rows.extremes(column, first - reach - 200, last + reach + 200);
      QVERIFY(upper.extremes().max <= all.max && lower.extremes().min >= all.min);
    }
}

void PlotTest::bucketsStandStillWhileScrolling() {
  const auto run = lagging(20.0, 1.0, 0.001);
  const std::size_t column = run->layout().measured(0);
  EnvelopeSeries before, after;
  before.update(run->rows(), column, 5000, 15000, 300);
  after.update(run->rows(), column, 5007, 15007, 300);
  // Every whole bucket that both show has the very same points.
  int shared = 0;
  for (std::size_t i = 4; i + 4 < before.size(); ++i)
    for (std::size_t j = 0; j < after.size(); ++j)
      if (after.sample(j) == before.sample(i)) {
        ++shared;
        break;
      }
  QVERIFY2(shared >= static_cast<int>(before.size()) - 12, qPrintable(QString::number(shared)));
}

void PlotTest::envelopeAllocatesNothingOnceWarm() {
  const auto run = lagging(20.0, 1.0, 0.001);
  EnvelopeSeries series;
  series.update(run->rows(), run->layout().gap(0), 0, 10000, 600);
  const AllocationGuard guard;
  for (std::uint64_t first = 1; first < 100; ++first)
    series.update(run->rows(), run->layout().gap(0), first, first + 10000, 600);
  QCOMPARE(guard.count(), std::uint64_t{0});
}

void PlotTest::trackingIndicatorRisesWithALag() {
  // For a pure delay it rises at (A^2 / 2) w sin(w tau) per second.
  const double delay = 0.003, w = 2.0 * std::numbers::pi * kFrequency_hz;
  const auto run = lagging(5.0, 1.0, delay);
  const std::size_t column = run->trackingIndicator(1);
  const double slope = (run->rows().at(column, 4500) - run->rows().at(column, 500)) / 4.0;
  const double expected = 0.5 * kAmplitude_m * kAmplitude_m * w * std::sin(w * delay);
  // 125 samples per period: the polygon falls short of the ellipse by 0.05 %.
  QVERIFY2(std::abs(slope / expected - 1.0) < 1e-3, qPrintable(QString::number(slope / expected)));
  QVERIFY(run->rows().at(run->energyError(), 4500) != 0.0);
}

void PlotTest::nothingIsIntegratedOverLostRows() {
  const RowLayout layout = layoutOfTwo();
  RunHistory run(layout, kRate_hz, 100);
  std::vector<double> row(layout.width(), 0.0);
  row[layout.target(0)] = 1.0;
  run.append(row);
  row[RowLayout::kTick] = 500.0;
  row[layout.target(0)] = 0.0;
  row[layout.measured(0)] = 1.0;
  run.append(row);
  QCOMPARE(run.rows().at(run.trackingIndicator(0), 1), 0.0);
}

void PlotTest::peaksOutliveTheRing() {
  const RowLayout layout = layoutOfTwo();
  RunHistory run(layout, kRate_hz, 10);
  std::vector<double> row(layout.width(), 0.0);
  row[layout.force(0)] = -77.0;
  run.append(row);
  row[layout.force(0)] = 1.0;
  for (int k = 0; k < 30000; ++k) run.append(row);
  QVERIFY(run.rows().begin() > 0);
  QCOMPARE(run.peak(layout.force(0)), 77.0);
}

void PlotTest::columnsAreMatchedByName() {
  const RunHistory a(layoutOfTwo(), kRate_hz, 10);
  const RunHistory b(RowLayout(1, {}, false, {{"gain_1", "", ""}}), kRate_hz, 10);
  QCOMPARE(a.columnIn(b, a.layout().measured(0)), b.layout().measured(0));
  QCOMPARE(a.columnIn(b, a.layout().measured(1)), RunHistory::kNone);
  QCOMPARE(a.columnIn(b, a.layout().reference(0)), RunHistory::kNone);
  QCOMPARE(a.columnIn(b, a.layout().adaptedColumn(1)), b.layout().adaptedColumn(0));
  QCOMPARE(a.columnIn(b, a.layout().adaptedColumn(0)), RunHistory::kNone);
  QCOMPARE(a.columnIn(b, a.energyError()), b.energyError());
  QCOMPARE(a.columnIn(b, a.trackingIndicator(1)), RunHistory::kNone);
  QCOMPARE(a.columnIn(b, RowLayout::kTime), RowLayout::kTime);
}

void PlotTest::timingFiguresCountEveryTick() {
  TimingFigures timing;
  for (int k = 0; k < 1000; ++k) timing.add(10e3, 2e3, false);
  for (int k = 0; k < 10; ++k) timing.add(1e6, 40e3, true);
  QCOMPARE(timing.ticks(), std::uint64_t{1010});
  QCOMPARE(timing.lateTicks(), std::uint64_t{10});
  std::uint64_t sum = 0;
  for (const std::uint64_t count : timing.lateness()) sum += count;
  QCOMPARE(sum, timing.ticks());
  QCOMPARE(timing.maxComputeNs(), 40e3);
  // A bin is an eighth of a decade wide, so the median is known to 16 %.
  QVERIFY(std::abs(timing.medianComputeNs() / 2e3 - 1.0) < 0.16);
}

void PlotTest::rangeGrowsAtOnceAndShrinksLater() {
  AutoRange range(0.01);
  const QwtInterval small = range.update({-1.0, 1.0}, 0.0);
  QVERIFY(small.contains(-1.0) && small.contains(1.0));
  QVERIFY(range.update({-5.0, 5.0}, 0.1).contains(5.0));
  QVERIFY(range.update({-1.0, 1.0}, 2.0).contains(5.0));
  QVERIFY(range.update({-1.0, 1.0}, 6.9).contains(5.0));
  QVERIFY(!range.update({-1.0, 1.0}, 7.2).contains(5.0));
  QVERIFY(range.update(Extremes::none(), 20.0).isValid());
  const QwtInterval symmetric = range.update({1.0, 9.0}, 21.0, true);
  QCOMPARE(symmetric.minValue(), -symmetric.maxValue());
}

void PlotTest::governorGivesUpAntialiasingThenRate() {
  FrameGovernor governor;
  governor.add(20.0);
  QVERIFY(governor.antialiasing());
  governor.add(20.0);
  QVERIFY(!governor.antialiasing() && !governor.halfRate());
  governor.add(20.0);
  governor.add(20.0);
  QVERIFY(governor.halfRate());
  for (int frame = 0; frame < 600; ++frame) governor.add(2.0);
  QVERIFY(governor.antialiasing() && !governor.halfRate());
}

void PlotTest::numbersReadWell_data() {
  QTest::addColumn<double>("value");
  QTest::addColumn<QString>("unit");
  QTest::addColumn<QString>("text");
  QTest::newRow("gap") << 2.1e-4 << "m" << QStringLiteral("0.210\u2009mm");
  QTest::newRow("negative") << -0.0123 << "m" << QStringLiteral("−12.3\u2009mm");
  QTest::newRow("force") << 150.0 << "N" << QStringLiteral("150\u2009N");
  QTest::newRow("none") << std::numeric_limits<double>::quiet_NaN() << "N" << QStringLiteral("–\u2009N");
  QTest::newRow("ratio") << 0.998 << "1" << QStringLiteral("0.998");
}
void PlotTest::numbersReadWell() {
  QFETCH(double, value);
  QFETCH(QString, unit);
  QFETCH(QString, text);
  QCOMPARE(quantityText(value, displayUnit(unit.toStdString())), text);
}

void PlotTest::subspaceReadsRatioAndDelay_data() {
  QTest::addColumn<double>("ratio");
  QTest::addColumn<double>("delay_ms");
  QTest::newRow("perfect") << 1.0 << 0.0;
  QTest::newRow("lag") << 0.95 << 4.0;
  QTest::newRow("lead") << 1.1 << -2.0;
}
void PlotTest::subspaceReadsRatioAndDelay() {
  QFETCH(double, ratio);
  QFETCH(double, delay_ms);
  TimeView view;
  SubspacePlot plot("s", &view);
  plot.setInterface(0, 0.5, kFrequency_hz);
  plot.setSource(lagging(3.0, ratio, delay_ms / 1e3));
  const Synchronisation read = plot.synchronisationNow();
  QVERIFY(read.valid);
  QVERIFY(std::abs(read.amplitude_ratio - ratio) < 1e-6);  // exact harmonics over whole periods
  QVERIFY(std::abs(read.delay_s * 1e3 - delay_ms) < 1e-6);
  QVERIFY(plot.reading().contains(QString::number(ratio, 'f', 3)));
}

void PlotTest::subspaceScalesAreEqual() {
  TimeView view;
  SubspacePlot plot("s", &view);
  plot.setInterface(0, 0.5, kFrequency_hz);
  plot.setSource(lagging(3.0, 1.0, 0.001));
  plot.resize(420, 250);
  plot.show();
  QVERIFY(QTest::qWaitForWindowExposed(&plot));
  plot.refresh();
  plot.refresh();
  const double per_px_x = plot.axisInterval(QwtAxis::XBottom).width() / plot.canvas()->width();
  const double per_px_y = plot.axisInterval(QwtAxis::YLeft).width() / plot.canvas()->height();
  QVERIFY(std::abs(per_px_x / per_px_y - 1.0) < 0.02);  // a pixel of layout
}

void PlotTest::subspaceRefusesGaps() {
  const RowLayout layout = layoutOfTwo();
  auto run = std::make_shared<RunHistory>(layout, kRate_hz, 1000);
  std::vector<double> row(layout.width(), 0.0);
  for (int k = 0; k < 500; ++k) {
    row[RowLayout::kTick] = 2.0 * k;
    row[RowLayout::kTime] = 2.0 * k / kRate_hz;
    row[layout.target(0)] = row[layout.measured(0)] = std::sin(0.05 * k);
    run->append(row);
  }
  TimeView view;
  SubspacePlot plot("s", &view);
  plot.setSource(run);
  QVERIFY(!plot.synchronisationNow().valid);
}

void PlotTest::gapReadsRmsAndPeak() {
  TimeView view;
  GapPlot plot("Gap", &view);
  const auto run = lagging(20.0, 0.9, 0.0);
  plot.setGap(run->layout(), 0, 5e-4, 0.5);
  plot.setSource(run);
  const auto [rms, peak] = plot.rmsAndPeak();
  QVERIFY(std::abs(peak - 0.1 * kAmplitude_m) < 1e-6);
  QVERIFY(std::abs(rms - 0.1 * kAmplitude_m / std::sqrt(2.0)) < 1e-6);
  QVERIFY(!plot.reading().contains("over tolerance"));
  plot.setGap(run->layout(), 0, 1e-5, 0.5);
  QVERIFY(plot.reading().contains("over tolerance"));
}

void PlotTest::capacityReadsTheShareUsed() {
  TimeView view;
  CapacityPlot plot("Capacity", &view);
  ActuatorSpec actuator;
  actuator.velocity_limit_m_per_s = 0.5;
  actuator.force_limit_n = 250.0;
  plot.setActuators({actuator}, 2);
  const auto run = lagging(5.0, 1.0, 0.0);
  plot.setSource(run);
  // Force is in phase with displacement, so velocity and load are 90 degrees apart:
  // the largest of |v| / (v0 sqrt(1 - F/F0)) over a cycle, found here on a fine grid.
  const double v = kAmplitude_m * 2.0 * std::numbers::pi * kFrequency_hz;
  double expected = 50.0 / 250.0;
  for (int step = 0; step < 100000; ++step) {
    const double phase = std::numbers::pi / 2.0 * step / 100000.0;
    expected = std::max(expected, v * std::cos(phase) / (0.5 * std::sqrt(1.0 - 0.2 * std::sin(phase))));
  }
  QVERIFY(std::abs(plot.usedShare() - expected) < 0.01 * expected);  // 125 rows per period
}

void PlotTest::capacitySaysThatThereAreNoLimits() {
  TimeView view;
  CapacityPlot plot("Capacity", &view);
  plot.setActuators({ActuatorSpec{}}, 2);
  plot.setSource(lagging(1.0, 1.0, 0.0));
  QCOMPARE(plot.reading(), QString("no limits set"));
}

void PlotTest::plotsRenderInBothThemes_data() {
  QTest::addColumn<bool>("dark");
  QTest::newRow("light") << false;
  QTest::newRow("dark") << true;
}
void PlotTest::plotsRenderInBothThemes() {
  QFETCH(bool, dark);
  applyTheme(*qApp, dark ? ThemeChoice::dark : ThemeChoice::light);
  const auto run = lagging(20.0, 0.97, 0.002);
  TimeView view;
  FrameStats frames;
  ActuatorSpec actuator;
  actuator.velocity_limit_m_per_s = 0.5;
  actuator.force_limit_n = 250.0;
  auto* subspace = new SubspacePlot("Synchronisation 1", &view);
  subspace->setInterface(0, 0.5, kFrequency_hz);
  subspace->setSource(run);
  auto* gap = new GapPlot("Gap", &view);
  gap->setGap(run->layout(), 0, 5e-4, 0.5);
  gap->setSource(run);
  auto* time = new TimePlot("Time history", &view);
  time->setCurves(motionCurves(run->layout(), 0));
  time->setSource(run);
  auto* capacity = new CapacityPlot("Capacity", &view);
  capacity->setActuators({actuator}, 2);
  capacity->setSource(run);
  auto* timing = new TimingPlot("Timing", &frames);
  timing->setSource(run, true);
  auto* adapted = new TimePlot("Adapted", &view);
  showAdapted(*adapted, run->layout());
  adapted->setSource(run);
  const std::vector<std::pair<PlotView*, Role>> expected{{subspace, Role::measured}, {gap, Role::gap},
                                                         {time, Role::measured},     {capacity, Role::limit},
                                                         {timing, Role::accent},     {adapted, Role::command}};
  for (const auto& [plot, role] : expected) {
    PlotPanel panel(plot);
    panel.resize(480, 240);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    plot->setAntialiasing(false);  // pure colours to count
    plot->refresh();
    panel.updateReading();
    const QImage image = plot->grab().toImage();
    QVERIFY2(pixelsOf(image, colour(role, dark)) > 30, qPrintable(plot->name()));
    QCOMPARE(plot->canvas()->grab().toImage().pixelColor(1, 1).lightness() < 128, dark);
    QVERIFY2(!plot->accessibleName().isEmpty() && !plot->accessibleDescription().isEmpty(), qPrintable(plot->name()));
  }
  applyTheme(*qApp, ThemeChoice::light);
}

void PlotTest::boxZoomsAndDoubleClickFits() {
  TimeView view;
  TimePlot plot("Time", &view);
  const auto run = lagging(20.0, 1.0, 0.0);
  plot.setCurves(motionCurves(run->layout(), 0));
  plot.setSource(run);
  plot.resize(500, 260);
  plot.show();
  QVERIFY(QTest::qWaitForWindowExposed(&plot));
  const QwtInterval all = plot.axisInterval(QwtAxis::XBottom);
  QWidget* canvas = plot.canvas();
  const auto drag = [canvas](Qt::MouseButton button, Qt::KeyboardModifiers keys, QPoint from, QPoint to) {
    QTest::mousePress(canvas, button, keys, from);
    QMouseEvent move(QEvent::MouseMove, to, canvas->mapToGlobal(to), Qt::NoButton, button, keys);
    QCoreApplication::sendEvent(canvas, &move);
    QTest::mouseRelease(canvas, button, keys, to);
  };
  drag(Qt::LeftButton, Qt::NoModifier, {canvas->width() / 4, 20}, {canvas->width() / 2, 120});
  QVERIFY(!view.following());
  const QwtInterval zoomed = plot.axisInterval(QwtAxis::XBottom);
  QVERIFY(std::abs(zoomed.width() / all.width() - 0.25) < 0.02);  // a pixel or two
  drag(Qt::MiddleButton, Qt::NoModifier, {100, 50}, {60, 50});
  QVERIFY(plot.axisInterval(QwtAxis::XBottom).minValue() > zoomed.minValue());
  drag(Qt::LeftButton, Qt::ControlModifier, {60, 50}, {100, 50});
  QVERIFY(std::abs(plot.axisInterval(QwtAxis::XBottom).minValue() - zoomed.minValue()) < 1e-3 * all.width());
  QTest::mouseDClick(canvas, Qt::LeftButton);
  QVERIFY(view.following());
  QVERIFY(std::abs(plot.axisInterval(QwtAxis::XBottom).width() - all.width()) < 1e-9);
  QTest::keyClick(&plot, Qt::Key_Plus);
  QVERIFY(plot.axisInterval(QwtAxis::XBottom).width() < all.width());
  QTest::keyClick(&plot, Qt::Key_0);
  QVERIFY(view.following());
}

void PlotTest::wheelKeepsTheInstantUnderThePointer() {
  TimeView view;
  TimePlot plot("Time", &view);
  const auto run = lagging(20.0, 1.0, 0.0);
  plot.setCurves(motionCurves(run->layout(), 0));
  plot.setSource(run);
  plot.resize(500, 260);
  plot.show();
  QVERIFY(QTest::qWaitForWindowExposed(&plot));
  QWidget* canvas = plot.canvas();
  const QPoint at(canvas->width() / 3, 60);
  const double instant = plot.invTransform(QwtAxis::XBottom, at.x());
  const double width = plot.axisInterval(QwtAxis::XBottom).width();
  QWheelEvent wheel(at, canvas->mapToGlobal(at), {}, {0, 240}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(canvas, &wheel);
  QVERIFY(plot.axisInterval(QwtAxis::XBottom).width() < 0.8 * width);
  QVERIFY(std::abs(plot.invTransform(QwtAxis::XBottom, at.x()) - instant) < 0.01 * width);
}

void PlotTest::cursorsMeasureADistance() {
  TimeView view;
  TimePlot plot("Time", &view), other("Other", &view);
  const auto run = lagging(20.0, 1.0, 0.0);
  for (TimePlot* each : {&plot, &other}) {
    each->setCurves(motionCurves(run->layout(), 0));
    each->setSource(run);
    each->resize(500, 260);
    each->show();
    QVERIFY(QTest::qWaitForWindowExposed(each));
  }
  QVERIFY(!plot.cursorsShown());
  QTest::keyClick(&plot, Qt::Key_C);
  QVERIFY(plot.cursorsShown() && other.cursorsShown());
  const double before = (*view.cursors())[1];
  QTest::keyClick(&plot, Qt::Key_Right, Qt::ShiftModifier);
  QVERIFY((*view.cursors())[1] > before);
  const auto x = static_cast<int>(plot.transform(QwtAxis::XBottom, (*view.cursors())[0]));
  QCOMPARE(plot.cursorAt(x, 5), 0);
  QCOMPARE(plot.cursorAt(x + 20, 5), -1);
  QWidget* canvas = plot.canvas();
  QTest::mousePress(canvas, Qt::LeftButton, Qt::NoModifier, QPoint(x, 50));
  QMouseEvent move(QEvent::MouseMove, QPoint(x + 30, 50), canvas->mapToGlobal(QPoint(x + 30, 50)), Qt::NoButton,
                   Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(canvas, &move);
  QTest::mouseRelease(canvas, Qt::LeftButton, Qt::NoModifier, QPoint(x + 30, 50));
  QVERIFY(std::abs((*view.cursors())[0] - plot.invTransform(QwtAxis::XBottom, x + 30)) < 1e-6);
  QVERIFY(view.following());  // dragging a cursor does not zoom
}

void PlotTest::legendTogglesACurve() {
  TimeView view;
  auto* plot = new TimePlot("Time", &view);
  const auto run = lagging(20.0, 1.0, 0.0);
  PlotPanel panel(plot);
  plot->setCurves(motionCurves(run->layout(), 0));
  plot->setSource(run);
  view.show(5.0, 5.3);  // few periods, so that the lines are not blended with one another
  panel.resize(600, 260);
  panel.show();
  QVERIFY(QTest::qWaitForWindowExposed(&panel));
  const auto toggle = [&panel]() -> QToolButton* {
    for (QToolButton* button : panel.findChildren<QToolButton*>())
      if (button->text() == "x" && button->isVisible()) return button;
    return nullptr;
  };
  QTRY_VERIFY(toggle() != nullptr && toggle()->isChecked());
  const Role role = Role::measured;
  QVERIFY(pixelsOf(plot->canvas()->grab().toImage(), colour(role, false)) > 100);
  QTest::mouseClick(toggle(), Qt::LeftButton);
  QCOMPARE(pixelsOf(plot->canvas()->grab().toImage(), colour(role, false)), 0);
}

void PlotTest::tableHasTheRowsShown() {
  TimeView view;
  TimePlot plot("Time", &view);
  const auto run = lagging(20.0, 1.0, 0.0);
  plot.setCurves(motionCurves(run->layout(), 0));
  plot.setSource(run);
  view.show(5.0, 5.1);
  const ValueTable table = plot.valueTable();
  QCOMPARE(table.headers.size(), 4);                              // time, z, u, x; force and reference are switched off
  QVERIFY(table.rows.size() >= 101 && table.rows.size() <= 103);  // and one row beyond either edge
  QVERIFY(table.headers[1].contains("mm"));
}

void PlotTest::exportsEveryFormat() {
  const QTemporaryDir folder;
  TimeView view;
  SubspacePlot plot("Synchronisation", &view);
  plot.setInterface(0, 0.5, kFrequency_hz);
  plot.setSource(lagging(3.0, 1.0, 0.002));
  for (const char* suffix : {"png", "svg", "pdf"}) {
    const QString file = folder.filePath(QStringLiteral("plot.") + suffix);
    QCOMPARE(plot.exportTo(file), QString());
    QVERIFY(QFileInfo(file).size() > 1000);
  }
  const QImage image(folder.filePath("plot.png"));
  QVERIFY(pixelsOf(image, colour(Role::measured, false)) > 100);
  QVERIFY(plot.exportTo(folder.filePath("plot.bmp")).contains(".svg"));
  QVERIFY(!plot.exportTo("/nowhere/at/all/plot.png").isEmpty());
}

void PlotTest::emptyViewSaysWhatWillBeHere() {
  TimeView view;
  GapPlot plot("Gap", &view);
  plot.setEmptyText("The gap will be drawn here. Press Arm (F5).");
  plot.resize(300, 200);
  plot.show();
  QVERIFY(QTest::qWaitForWindowExposed(&plot));
  auto* text = plot.canvas()->findChild<QLabel*>();
  QVERIFY(text != nullptr && text->isVisible());
  const auto run = lagging(2.0, 1.0, 0.0);
  plot.setGap(run->layout(), 0, 5e-4, 0.5);
  plot.setSource(run);
  plot.refresh();
  QVERIFY(!text->isVisible());
}

HYB_SUITE(plot, PlotTest)
#include "plot_test.moc"
