// The rows of a run as the plots keep them: newest, extremes, envelopes, peaks, figures; no picture is drawn.
#include <QElapsedTimer>
#include <QTest>
#include <cmath>
#include <limits>
#include <random>

#include "core/base/allocation_guard.h"
#include "tests/support/suite.h"
#include "tests/ui/lagging_run.h"
#include "ui/base/fitted_label.h"
#include "ui/plot/auto_range.h"
#include "ui/plot/frame_stats.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/run_curves.h"
#include "ui/plot/timing_plot.h"

using namespace hyb;
using namespace hyb::ui;
using namespace hyb::ui::testing;

class PlotRowsTest : public QObject {
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
  void spansHaveOneUnit();
  void figuresAreShownWholeOrNotAtAll();
};

void PlotRowsTest::historyKeepsTheNewestRows() {
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

void PlotRowsTest::extremesAgreeWithBruteForce() {
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

void PlotRowsTest::envelopeAgreesWithBruteForce() {
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
void PlotRowsTest::edgesEncloseEveryRow() {
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

void PlotRowsTest::bucketsStandStillWhileScrolling() {
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

void PlotRowsTest::envelopeAllocatesNothingOnceWarm() {
  const auto run = lagging(20.0, 1.0, 0.001);
  EnvelopeSeries series;
  series.update(run->rows(), run->layout().gap(0), 0, 10000, 600);
  const AllocationGuard guard;
  for (std::uint64_t first = 1; first < 100; ++first)
    series.update(run->rows(), run->layout().gap(0), first, first + 10000, 600);
  QCOMPARE(guard.count(), std::uint64_t{0});
}

void PlotRowsTest::trackingIndicatorRisesWithALag() {
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

void PlotRowsTest::nothingIsIntegratedOverLostRows() {
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

void PlotRowsTest::peaksOutliveTheRing() {
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

void PlotRowsTest::columnsAreMatchedByName() {
  const RunHistory a(layoutOfTwo(), kRate_hz, 10);
  const RunHistory b(RowLayout(1, {}, false, {{"gain_1", "", ""}}), kRate_hz, 10);
  QCOMPARE(a.columnIn(b, a.layout().measured(0)), b.layout().measured(0));
  QCOMPARE(a.columnIn(b, a.layout().measured(1)), RunHistory::kNoValue);
  QCOMPARE(a.columnIn(b, a.layout().reference(0)), RunHistory::kNoValue);
  QCOMPARE(a.columnIn(b, a.layout().adaptedColumn(1)), b.layout().adaptedColumn(0));
  QCOMPARE(a.columnIn(b, a.layout().adaptedColumn(0)), RunHistory::kNoValue);
  QCOMPARE(a.columnIn(b, a.energyError()), b.energyError());
  QCOMPARE(a.columnIn(b, a.trackingIndicator(1)), RunHistory::kNoValue);
  QCOMPARE(a.columnIn(b, RowLayout::kTime), RowLayout::kTime);
}

void PlotRowsTest::timingFiguresCountEveryTick() {
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

void PlotRowsTest::rangeGrowsAtOnceAndShrinksLater() {
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

  AutoRange at_rest(1e-9, 1e-3);  // nothing but 0 is drawn as nothing at all is, not by the last digit
  QCOMPARE(at_rest.update({0.0, 0.0}, 0.0).width(), AutoRange(1e-9, 1e-3).update(Extremes::none(), 0.0).width());
  QVERIFY(at_rest.update({-1e-7, 1e-7}, 1.0).contains(1e-7));
  QVERIFY(at_rest.update({-1e-7, 1e-7}, 7.0).width() < 1e-6);
}

void PlotRowsTest::governorGivesUpAntialiasingThenRate() {
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

void PlotRowsTest::numbersReadWell_data() {
  QTest::addColumn<double>("value");
  QTest::addColumn<QString>("unit");
  QTest::addColumn<QString>("text");
  QTest::newRow("gap") << 2.1e-4 << "m" << QStringLiteral("0.210\u2009mm");
  QTest::newRow("negative") << -0.0123 << "m" << QStringLiteral("−12.3\u2009mm");
  QTest::newRow("large") << 188.065 << "J" << QStringLiteral("188\u2009J");
  QTest::newRow("not yet large") << 0.9994 << "s" << QStringLiteral("999\u2009ms");
  QTest::newRow("a second") << 0.9996 << "s" << QStringLiteral("1.000\u2009s");
  QTest::newRow("long") << 7.5 << "s" << QStringLiteral("7.50\u2009s");
  QTest::newRow("force") << 150.0 << "N" << QStringLiteral("150\u2009N");
  QTest::newRow("none") << std::numeric_limits<double>::quiet_NaN() << "N" << QStringLiteral("–\u2009N");
  QTest::newRow("ratio") << 0.998 << "1" << QStringLiteral("0.998");
}
void PlotRowsTest::numbersReadWell() {
  QFETCH(double, value);
  QFETCH(QString, unit);
  QFETCH(QString, text);
  QCOMPARE(quantityText(value, displayUnit(unit.toStdString())), text);
}

void PlotRowsTest::spansHaveOneUnit() {
  QCOMPARE(spanText(0.2, 0.95, displayUnit("m")), QStringLiteral("200 to 950\u2009mm"));
  QCOMPARE(spanText(0.95, 1.2, displayUnit("m")), QStringLiteral("0.950 to 1.20\u2009m"));
  QCOMPARE(spanText(-1.2, 0.95, displayUnit("m")), QStringLiteral("−1.20 to 0.950\u2009m"));
  QCOMPARE(spanText(1.0, 2.0, displayUnit("1")), QStringLiteral("1.00 to 2.00"));
}

void PlotRowsTest::figuresAreShownWholeOrNotAtAll() {
  QWidget panel;
  PartsLabel label(&panel);
  panel.resize(600, 40);
  panel.show();
  label.setLine(QStringLiteral("rms 0.015 mm · peak 3.81 mm · over tolerance"));
  const auto widthOf = [&](const char* text) { return label.fontMetrics().horizontalAdvance(QString::fromUtf8(text)); };
  label.resize(widthOf("rms 0.015 mm · peak 3.81 mm · over tolerance"), 20);
  QCOMPARE(label.text(), label.line());
  label.resize(label.width() - 1, 20);
  QCOMPARE(label.text(), QStringLiteral("rms 0.015 mm · peak 3.81 mm"));
  label.resize(widthOf("rms 0.015 mm") - 1, 20);
  QCOMPARE(label.text(), QString());
  QCOMPARE(label.toolTip(), label.line());
  PathLabel path(&panel);
  path.resize(120, 20);
  path.setLine(QStringLiteral("/home/laboratory/projects/three masses/runs of today"));
  QVERIFY2(path.text().startsWith("/home") && path.text().endsWith("day"), qPrintable(path.text()));
  QVERIFY(path.fontMetrics().horizontalAdvance(path.text()) <= 120);
  QCOMPARE(path.toolTip(), path.line());
}

HYB_SUITE(plot_rows, PlotRowsTest)
#include "plot_rows_test.moc"
