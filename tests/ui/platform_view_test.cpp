/// The platform of the template with six legs, drawn before, during and after a run; its form and its channels.
#include <QTabWidget>
#include <QTest>

#include "core/project/rig_legs.h"
#include "tests/support/suite.h"
#include "tests/ui/run_at_work.h"
#include "ui/plot/platform_figure.h"
#include "ui/plot/plot_panel.h"

using namespace hyb;
using namespace hyb::ui;
using hyb::ui::testing::RunAtWork;

namespace {

PlotPanel* panelOf(const PlatformFigure& figure) {
  for (QWidget* widget = figure.parentWidget(); widget != nullptr; widget = widget->parentWidget())
    if (auto* panel = qobject_cast<PlotPanel*>(widget)) return panel;
  return nullptr;
}

}  // namespace

class PlatformViewTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { testing::startGuiSession("platform_view"); }

  void legsAreShownLive() {
    RunAtWork run;
    auto* figure = run.workspace.findChild<PlatformFigure*>();
    PlotPanel* panel = panelOf(*figure);
    QTabWidget* tabs = nullptr;
    for (QTabWidget* found : run.workspace.findChildren<QTabWidget*>())
      if (found->indexOf(panel) >= 0) tabs = found;
    run.open(templateDocument("three-mass"));
    QVERIFY(!tabs->isTabVisible(tabs->indexOf(panel)));
    run.workspace.forgetRun();
    Json document = templateDocument("stewart");
    document["loop"].update({{"duration_s", 1.4}, {"soft_start_s", 0.4}, {"soft_end_s", 0.0}});
    document["analysis"]["start_s"] = 0.5;
    run.open(document);
    QVERIFY(tabs->isTabVisible(tabs->indexOf(panel)));
    run.turnTo(panel);
    figure->refresh();
    // Before the run: as drawn, all legs alike.
    QCOMPARE(figure->lengths_m().size(), Eigen::Index{6});
    QVERIFY((figure->lengths_m().array() - 0.7565).abs().maxCoeff() < 1e-3);
    QCOMPARE(figure->reading(), "at rest, as drawn");
    run.runFreely();
    figure->refresh();
    const ValueTable table = figure->valueTable();
    QCOMPARE(table.headers.size(), 19);
    const std::vector<double>& last = table.rows.back();
    for (Eigen::Index i = 0; i < 6; ++i)
      QVERIFY(std::abs(figure->lengths_m()[i] - last[static_cast<std::size_t>(i) + 1]) < 1e-9);
    QVERIFY2(figure->reading().contains("condition 1."), qPrintable(figure->reading()));
    const QImage picture = figure->grab().toImage();
    QVERIFY(!picture.isNull());
  }
};

HYB_SUITE(platform_view, PlatformViewTest)
#include "platform_view_test.moc"
