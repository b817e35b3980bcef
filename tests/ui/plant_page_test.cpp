// "Plant": what the twin's actuators make of their commands, read by a technician.
#include <qwt_scale_div.h>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QTabWidget>
#include <QTest>
#include <QTreeWidget>
#include <algorithm>

#include "tests/support/suite.h"
#include "tests/ui/window_at_work.h"
#include "ui/plot/response_plot.h"
#include "ui/rig/plant_page.h"

using namespace hyb;
using namespace hyb::ui;

class PlantPageTest : public ui::testing::WindowAtWork {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { ui::testing::startGuiSession("plant_page"); }
  void init() { show(); }
  void cleanup() { window_.reset(); }

  void aReductionShowsWhatItCosts();
  void eachActuatorHasItsPlant();
  void allOfTheCurveIsDrawn();
  void itFollowsTheProject();

 private:
  void openPage(const char* name) {
    open(name);
    window_->showWorkspace(Room::rig);
    auto* page = child<PlantPage>("plant-page");
    for (auto* tabs : window_->findChildren<QTabWidget*>())
      if (const int tab = tabs->indexOf(page); tab >= 0) tabs->setCurrentIndex(tab);
    QVERIFY(page->isVisible());
    awaitPlant();
  }
  void awaitPlant() {
    QTRY_VERIFY_WITH_TIMEOUT(child<QTreeWidget>("plant-roots")->topLevelItemCount() == 2, hyb::test::kHangs_ms);
  }
  QStringList roots(int group) {
    QStringList texts;
    const QTreeWidgetItem* head = child<QTreeWidget>("plant-roots")->topLevelItem(group);
    for (int i = 0; i < head->childCount(); ++i) texts << head->child(i)->text(0);
    return texts;
  }
  QString text(const char* label) { return child<QLabel>(label)->text(); }
  ResponsePlot* plot(const char* name) { return child<ResponsePlot>(name); }
};

/// Araya 2023, section 5.2.
void PlantPageTest::aReductionShowsWhatItCosts() {
  openPage("force-shear-building");
  QCOMPARE(roots(0).size(), 4);
  QCOMPARE(roots(0).front(), QStringLiteral("-57.143"));
  QCOMPARE(roots(1), QStringList(QStringLiteral("-15.284 ± 339.87i")));
  QVERIFY2(text("plant-gains").contains("0.99207"), qPrintable(text("plant-gains")));
  QVERIFY2(text("plant-reduction").contains("0.98599 instead of 0.99207"), qPrintable(text("plant-reduction")));
  QCOMPARE(child<QTreeWidget>("plant-roots")->topLevelItem(1)->child(0)->text(3), QStringLiteral("nearly cancels"));
  QVERIFY2(plot("plant-delay")->reading().startsWith("22.14 ms"), qPrintable(plot("plant-delay")->reading()));
  QVERIFY(plot("plant-magnitude")->legendEntries().empty());

  auto* leave = child<QCheckBox>("plant-reduce");
  auto* kept = child<QComboBox>("plant-kept");
  QVERIFY(leave->isEnabled() && kept->isEnabled());
  QTest::keyClick(leave, Qt::Key_Space);
  QVERIFY(leave->isChecked());
  QCOMPARE(plot("plant-magnitude")->legendEntries().size(), std::size_t{2});
  const auto first = [&] { return plot("plant-magnitude")->valueTable().rows.front(); };
  QVERIFY(std::abs(first()[1] - 0.99201) < 1e-5 && std::abs(first()[2] - 0.98593) < 1e-5);
  QTest::keyClick(kept, Qt::Key_Down);
  QVERIFY(std::abs(first()[2] - 0.99201) < 2e-5);
  QVERIFY2(text("plant-reduction").contains("gain at rest is kept"), qPrintable(text("plant-reduction")));
}

void PlantPageTest::eachActuatorHasItsPlant() {
  openPage("three-mass");
  auto* actuators = child<QComboBox>("plant-actuator");
  QVERIFY(actuators->isVisible());
  QCOMPARE(actuators->count(), 2);
  const QStringList first = roots(0);
  QTest::keyClick(actuators, Qt::Key_Down);
  QVERIFY(roots(0) != first);
  QVERIFY(!child<QCheckBox>("plant-reduce")->isEnabled());
  QVERIFY2(text("plant-gains").contains("0.5 ms"), qPrintable(text("plant-gains")));
}

/// The scale reaches down to what modes far above the first leave of the motion.
void PlantPageTest::allOfTheCurveIsDrawn() {
  openPage("cantilever-iterative");
  const std::vector<std::vector<double>> rows = plot("plant-magnitude")->valueTable().rows;
  const auto size = [](const std::vector<double>& row) { return row[1]; };
  const double least = std::ranges::min(rows, {}, size)[1], most = std::ranges::max(rows, {}, size)[1];
  QVERIFY(least < 1e-3 * most);
  QVERIFY(plot("plant-magnitude")->axisScaleDiv(QwtAxis::YLeft).lowerBound() <= least);
}

void PlantPageTest::itFollowsTheProject() {
  openPage("force-shear-building");
  const QStringList before = roots(0);
  document()->set("/rig/actuators/0/spring/stiffness_n_per_m", 1e6);
  QTRY_VERIFY_WITH_TIMEOUT(child<QTreeWidget>("plant-roots")->topLevelItemCount() == 2 && roots(0) != before,
                           hyb::test::kHangs_ms);
  // Nothing is said of a project with errors.
  document()->set("/rig/actuators/0/spring/stiffness_n_per_m", -1.0);
  QCOMPARE(child<QTreeWidget>("plant-roots")->topLevelItemCount(), 0);
  QVERIFY(!child<QCheckBox>("plant-reduce")->isEnabled());
  for (const char* name : {"plant-magnitude", "plant-phase", "plant-delay"}) QCOMPARE(plot(name)->reading(), QString());
  document()->undoStack()->undo();
  awaitPlant();
  // The last frequency may lie below the usual first.
  document()->set("/analysis/stability_cutoff_hz", 0.05);
  awaitPlant();
  QVERIFY2(plot("plant-delay")->valueTable().rows.back()[0] <= 0.0501, "cut-off");
}

HYB_SUITE(plant_page, PlantPageTest)
#include "plant_page_test.moc"
