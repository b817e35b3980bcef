/// The stride of the prosthetic foot, watched, played, gone through by key, and exported as a picture.
#include <QFile>
#include <QImage>
#include <QSignalSpy>
#include <QSlider>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <cmath>

#include "core/assess/reference_gait.h"
#include "tests/support/gui_session.h"
#include "tests/support/suite.h"
#include "ui/analyse/analyse_views.h"
#include "ui/analyse/analyse_workspace.h"
#include "ui/plot/stride_figure.h"
#include "ui/plot/stride_view.h"
#include "ui/run/run_workspace.h"

using namespace hyb;
using namespace hyb::ui;

namespace {

QTabWidget* pagesOf(QWidget* page) {
  for (QWidget* at = page; at != nullptr; at = at->parentWidget())
    if (auto* tabs = qobject_cast<QTabWidget*>(at)) return tabs;
  return nullptr;
}

}  // namespace

class StrideViewTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { testing::startGuiSession("stride_view"); }

  /// The template as shipped, in the workspace Run, then its file in Analyse.
  void aStrideIsPlayedPausedAndExported() {
    const QTemporaryDir folder;
    Json document = templateDocument("prosthetic-foot");
    const Project project = parseProject(document);
    RunController controller;
    RunWorkspace workspace(&controller);
    workspace.resize(1280, 712);
    workspace.show();
    QVERIFY(QTest::qWaitForWindowExposed(&workspace));
    auto* view = workspace.findChild<StrideView*>();
    QTabWidget* tabs = pagesOf(view->parentWidget());
    workspace.setProject(parseProject(templateDocument("contact-passivity")));
    QVERIFY(!tabs->isTabVisible(tabs->indexOf(view)));
    workspace.forgetRun();
    workspace.setProject(project);
    QVERIFY(tabs->isTabVisible(tabs->indexOf(view)));
    tabs->setCurrentWidget(view);
    auto* play = view->findChild<QToolButton*>("stride-play");
    QVERIFY(!play->isEnabled());

    RunOptions options;
    options.pace = Pace::free_run;
    options.display = true;
    options.file = folder.filePath("stride.h5").toStdString();
    QSignalSpy ended(&controller, &RunController::ended);
    QVERIFY(controller.arm(project, options));
    QVERIFY(!play->isEnabled() && play->text() == "Live");
    controller.start();
    QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, hyb::test::kHangs_ms);
    QVERIFY(play->isEnabled() && play->text() == "Play");
    QVERIFY(view->figure()->reading().contains("step"));

    AnalyseWorkspace analyse;
    analyse.resize(1280, 712);
    analyse.show();
    QVERIFY(QTest::qWaitForWindowExposed(&analyse));
    QSignalSpy opened(&analyse, &AnalyseWorkspace::runOpened);
    analyse.openRun(folder.filePath("stride.h5"));
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, hyb::test::kHangs_ms);
    auto* views = analyse.findChild<AnalyseViews*>();
    auto* recorded = views->findChild<StrideView*>();
    QVERIFY(views->isTabVisible(views->indexOf(recorded)));
    views->setCurrentWidget(recorded);
    StrideFigure* figure = recorded->figure();
    auto* slider = recorded->findChild<QSlider*>("stride-instant");
    auto* button = recorded->findChild<QToolButton*>("stride-play");
    const auto middle = [&] {
      const QwtInterval shown = figure->axisInterval(QwtAxis::XBottom);
      return 0.5 * (shown.minValue() + shown.maxValue());
    };
    QCOMPARE(figure->row(), std::uint64_t{0});

    // Played, and paused by the key.
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(recorded->playing());
    QCOMPARE(button->text(), QString("Pause"));
    QTRY_VERIFY_WITH_TIMEOUT(figure->row() > 20, hyb::test::kHangs_ms);
    figure->setFocus();
    QTest::keyClick(figure, Qt::Key_Space);
    QVERIFY(!recorded->playing());
    QCoreApplication::processEvents();  // what the last picture asked for
    const std::uint64_t paused = figure->row();
    QCOMPARE(slider->value(), static_cast<int>(paused));

    // Row by row, ten at once, to the end and back.
    const auto shows = [&](std::uint64_t row) {
      QTRY_COMPARE_WITH_TIMEOUT(figure->row(), row, hyb::test::kHangs_ms);
      QCOMPARE(slider->value(), static_cast<int>(row));
    };
    QTest::keyClick(figure, Qt::Key_Right);
    shows(paused + 1);
    QTest::keyClick(figure, Qt::Key_Left, Qt::ShiftModifier);
    shows(paused + 1 > 10 ? paused - 9 : 0);
    QTest::keyClick(figure, Qt::Key_End);
    shows(static_cast<std::uint64_t>(slider->maximum()));
    QTest::keyClick(slider, Qt::Key_Home);
    shows(0);
    slider->setValue(900);
    shows(900);
    QVERIFY2(figure->reading().contains("off the reference"), qPrintable(figure->reading()));
    QVERIFY(std::abs(middle()) > 0.2);  // it goes along with the walker

    // The picture, as the menu of every plot writes it.
    for (const char* name : {"stride.png", "stride.svg"}) {
      const QString file = folder.filePath(name);
      QCOMPARE(figure->exportTo(file), QString());
      QVERIFY(QFile(file).size() > 2000);
    }
    const QImage picture(folder.filePath("stride.png"));
    QVERIFY(picture.width() > 1000);
    QSet<QRgb> hues;
    for (int y = 0; y < picture.height(); y += 2)
      for (int x = 0; x < picture.width(); x += 2) hues.insert(picture.pixel(x, y));
    for (const Role role : {Role::numerical, Role::force, Role::interface})
      QVERIFY2(hues.contains(colour(role, false).rgb()), qPrintable(QString::number(static_cast<int>(role))));
    // The foot on the rig differs from the rest of the walker: without its path, which has the same colour.
    figure->setEntryVisible(2, false);
    QCOMPARE(figure->exportTo(folder.filePath("walker.png")), QString());
    const QImage walker(folder.filePath("walker.png"));
    int physical = 0;
    for (int y = 0; y < walker.height(); ++y)
      for (int x = 0; x < walker.width(); ++x) physical += walker.pixel(x, y) == colour(Role::physical, false).rgb();
    QVERIFY2(physical > 500, qPrintable(QString::number(physical)));
  }

  /// Without a rig and without rolling, the gait is the published one: 0.312 s a step (V-67).
  void theReferenceWalksOnSoundLegs() {
    Json document = templateDocument("prosthetic-foot");
    document["coupling"]["roll"] = Json::object();
    ReferenceGait gait = *referenceGait(parseProject(document));
    QVERIFY(!gait.params().stump);
    const auto steps = [&](std::uint64_t tick) { return gait.at(tick)[static_cast<std::size_t>(WalkerColumn::steps)]; };
    QCOMPARE(gait.at(500)[0], 0.0);
    QVERIFY(gait.at(501)[0] > 0.0);
    QCOMPARE(steps(500), 0.0);
    const double walked = steps(500 + 6240);
    QVERIFY2(!gait.fallsAt() && std::abs(walked - 20.0) <= 1.0, qPrintable(QString::number(walked)));
    QVERIFY(!referenceGait(parseProject(templateDocument("contact-ilc"))));
  }
};

HYB_SUITE(stride_view, StrideViewTest)
#include "stride_view_test.moc"
