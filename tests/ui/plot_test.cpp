#include <QImage>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "core/compensation/fir.h"
#include "core/force_stage/passivity.h"
#include "tests/support/suite.h"
#include "tests/ui/lagging_run.h"
#include "ui/base/theme.h"
#include "ui/plot/capacity_plot.h"
#include "ui/plot/link_plot.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/run_curves.h"
#include "ui/plot/subspace_plot.h"
#include "ui/plot/time_plot.h"
#include "ui/plot/timing_plot.h"

using namespace hyb;
using namespace hyb::ui;
using namespace hyb::ui::testing;

namespace {

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
  void subspaceReadsRatioAndDelay_data();
  void subspaceReadsRatioAndDelay();
  void subspaceScalesAreEqual();
  void subspaceRefusesGaps();
  void gapReadsRmsAndPeak();
  void flagsOfTheEndAreAmongVeryMany();
  void capacityReadsTheShareUsed();
  void capacitySaysThatThereAreNoLimits();
  void plotsRenderInBothThemes_data();
  void plotsRenderInBothThemes();
  void adaptedQuantitiesOfMoreThanTwoUnitsAreShownInGroups();
  void boxZoomsAndDoubleClickFits();
  void wheelKeepsTheInstantUnderThePointer();
  void cursorsMeasureADistance();
  void legendTogglesACurve();
  void tableHasTheRowsShown();
  void exportsEveryFormat();
  void linkReadsMedianAnd999OfThousand();
  void emptyViewSaysWhatWillBeHere();
  void aCurveThatIsNotInTheRowsIsNotDrawn();
};

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
  const auto [rms, peak, counted] = plot.rmsAndPeak();
  QVERIFY(counted);
  QVERIFY(std::abs(peak - 0.1 * kAmplitude_m) < 1e-6);
  QVERIFY(std::abs(rms - 0.1 * kAmplitude_m / std::sqrt(2.0)) < 1e-6);
  QVERIFY(!plot.reading().contains("over tolerance"));
  plot.setGap(run->layout(), 0, 1e-5, 0.5);
  QVERIFY(plot.reading().contains("over tolerance"));
}

/// Tuned and resumed a hundred times, stopped by a limit at the end.
void PlotTest::flagsOfTheEndAreAmongVeryMany() {
  std::vector<TimeFlag> flags;
  for (int k = 0; k < 100; ++k) flags.push_back({0.1 * k, Role::excitation, QStringLiteral("tuned")});
  flags.insert(flags.begin() + 2, TimeFlag{0.15, Role::error, QStringLiteral("limit")});
  flags.push_back({10.0, Role::error, QStringLiteral("limit")});
  const std::vector<TimeFlag> told = mostTelling(flags);
  QCOMPARE(told.size(), std::size_t{60});
  QCOMPARE(told.front().time_s, 0.15);
  QCOMPARE(told[1].time_s, 0.1 * 42);
  QCOMPARE(told.back().time_s, 10.0);
  for (TimeFlag& flag : flags) flag.role = Role::error;
  QCOMPARE(mostTelling(flags).front().time_s, 0.1 * 41);
  QCOMPARE(mostTelling({flags.begin(), flags.begin() + 60}).size(), std::size_t{60});
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
  QComboBox group;
  offerGroups(group, run->layout());
  showGroup(*adapted, run->layout(), group);
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

/// Two axes carry two units: what a force stage works with is chosen group by group, in its own words, and further
/// signals of the rig by their units.
void PlotTest::adaptedQuantitiesOfMoreThanTwoUnitsAreShownInGroups() {
  const std::vector<Adapted> quantities{{"prediction_1", "ticks", "horizon"}, {"gain_1", "", "gain"}};
  std::vector<Channel> further = makePassivity({}, 1, 1e-3)->channels();
  further.push_back({"raw_oil", "V", "oil temperature", 0});
  const RowLayout layout(1, {}, false, quantities, {}, further);
  TimeView view;
  TimePlot plot("Adapted", &view);
  QComboBox group;
  offerGroups(group, layout);
  QCOMPARE(group.count(), 4);
  QCOMPARE(group.itemText(0), QStringLiteral("Compensation"));
  QCOMPARE(group.itemText(3), QStringLiteral("Rig: V"));
  const auto names = [&plot] {
    QStringList all;
    for (const LegendEntry& entry : plot.legendEntries()) all << entry.text;
    return all;
  };
  showGroup(plot, layout, group);
  QCOMPARE(names(), QStringList({"pred 1", "gain 1"}));
  for (int chosen = 0; chosen < group.count(); ++chosen) {
    group.setCurrentIndex(chosen);
    showGroup(plot, layout, group);
    std::set<std::string> units;
    for (const Channel& channel : further)
      if (QString::fromStdString(channel.group) == group.currentData().toString()) units.insert(channel.units);
    QVERIFY(units.size() <= 2);
    if (chosen == 2) QCOMPARE(names(), QStringList({"power 1", "fed in 1", "taken out 1"}));
  }
  QCOMPARE(names(), QStringList({"raw oil"}));
  // The coefficients of a filter are one family of curves, beside what they add.
  const AdditionContext context{.axes = {1}, .scale = {1.0}, .response = [](std::size_t) {
                                  return std::vector{0.0, 1.0};
                                }};
  const auto filter = makeFir({.taps = 13, .shown_coefficients = 4}, context);
  offerGroups(group, RowLayout(1, {}, false, filter->adapted()));
  QCOMPARE(group.count(), 1);
  // In a file they stand in the order of their names.
  std::vector<Adapted> recorded = filter->adapted();
  std::ranges::sort(recorded, {}, &Adapted::name);
  for (const std::vector<Adapted>& adapted : {filter->adapted(), recorded}) {
    showGroup(plot, RowLayout(1, {}, false, adapted), group);
    QCOMPARE(names(), QStringList({"added", "tap 1 to 13"}));
    plot.setEntryVisible(1, false);
    QVERIFY(!plot.legendEntries()[1].visible && plot.legendEntries()[0].visible);
  }
  offerGroups(group, RowLayout(1, {}, false, {{"prediction_1", "ticks", "horizon"}}));
  QCOMPARE(group.count(), 1);
  QVERIFY(group.isHidden());
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

void PlotTest::linkReadsMedianAnd999OfThousand() {
  LinkFigures link;
  for (int k = 0; k < 1000; ++k) link.addRoundTrip(k < 995 ? 100'000 : 10'000'000);  // 99 of 100 are short
  LinkPlot plot("Link");
  plot.setSource(&link);
  plot.show();
  plot.refresh();
  // Ends of the bins: 1 us 2^(27/4) and 1 us 2^(54/4).
  QCOMPARE(plot.reading(), QStringLiteral("0.108 ms, 99.9\u2009% 11.6 ms"));
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

void PlotTest::aCurveThatIsNotInTheRowsIsNotDrawn() {
  TimeView view;
  TimePlot plot("Motion", &view);
  const auto run = lagging(2.0, 1.0, 0.0);
  plot.setSource(run);
  plot.setCurves({{"of another test", 1'000'000, Role::command},
                  {"of none", RunHistory::kNoValue, Role::force},
                  {"x", run->layout().measured(0), Role::measured}});
  plot.resize(500, 300);
  plot.show();
  QVERIFY(QTest::qWaitForWindowExposed(&plot));
  plot.refresh();
  const QString spoken = plot.spoken();
  QVERIFY2(spoken.contains("x ") && !spoken.contains("nan", Qt::CaseInsensitive), qPrintable(spoken));
  QVERIFY(!spoken.contains("of another test") && !spoken.contains("of none"));
  QVERIFY(run->rows().extremes(1'000'000, 0, 100).empty());
}

HYB_SUITE(plot, PlotTest)
#include "plot_test.moc"
