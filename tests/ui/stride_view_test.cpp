/// The stride of the prosthetic foot, watched, played, gone through by key, and exported as a picture.
#include <qwt_plot_curve.h>

#include <QComboBox>
#include <QContextMenuEvent>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <cmath>

#include "core/assess/reference_gait.h"
#include "tests/support/set_clock.h"
#include "tests/support/suite.h"
#include "tests/ui/run_at_work.h"
#include "ui/analyse/analyse_views.h"
#include "ui/analyse/analyse_workspace.h"
#include "ui/plot/stride_figure.h"
#include "ui/plot/stride_view.h"
#include "ui/plot/time_plot.h"

using namespace hyb;
using namespace hyb::ui;
using hyb::ui::testing::button;
using hyb::ui::testing::RunAtWork;

namespace {

/// The template as shipped, run into `file`.
void recordStride(const QString& file) {
  RunOptions options;
  options.pace = Pace::free_run;
  options.file = file.toStdString();
  TestRun run(parseProject(templateDocument("prosthetic-foot")), options);
  run.arm();
  run.start();
  run.finish();
}

/// Plays and exports: the page Stride of the workspace Analyse, with the stride of the template.
class RecordedStride {
 public:
  RecordedStride() {
    const QString file = folder.filePath("stride.h5");
    recordStride(file);
    analyse.resize(1280, 712);
    analyse.show();
    if (!QTest::qWaitForWindowExposed(&analyse)) qFatal("no window");
    QSignalSpy opened(&analyse, &AnalyseWorkspace::runOpened);
    analyse.openRun(file);
    if (opened.isEmpty() && !opened.wait(hyb::test::kHangs_ms)) qFatal("no run");
    auto* views = analyse.findChild<AnalyseViews*>();
    view = views->findChild<StrideView*>();
    views->setCurrentWidget(view);
    figure = view->figure();
    slider = view->findChild<QSlider*>("stride-instant");
    QCoreApplication::processEvents();  // layout
  }
  TimePlot* plot(const char* name) const {
    for (TimePlot* found : view->findChildren<TimePlot*>())
      if (found->name() == QLatin1String(name)) return found;
    return nullptr;
  }
  void show(int row) const {
    slider->setValue(row);
    QTRY_COMPARE_WITH_TIMEOUT(figure->row(), static_cast<std::uint64_t>(row), hyb::test::kHangs_ms);
  }

  const QTemporaryDir folder;
  AnalyseWorkspace analyse;
  StrideView* view;
  StrideFigure* figure;
  QSlider* slider;
};

/// Saves by the dialog that is open.
void saveAs(const QString& name, const QString& kind) {
  QFileDialog* dialog = nullptr;
  const auto open = [&] {
    for (QWidget* window : QApplication::topLevelWidgets())
      if (auto* found = qobject_cast<QFileDialog*>(window); found != nullptr && found->isVisible()) dialog = found;
    return dialog != nullptr;
  };
  QTRY_VERIFY_WITH_TIMEOUT(open(), hyb::test::kHangs_ms);
  auto* kinds = dialog->findChild<QComboBox*>("fileTypeCombo");
  for (int k = 0; k < kinds->count(); ++k)
    if (kinds->itemText(k).startsWith(kind)) {
      for (int step = 0; step < kinds->count() && kinds->currentIndex() != k; ++step)
        QTest::keyClick(kinds, kinds->currentIndex() < k ? Qt::Key_Down : Qt::Key_Up);
    }
  auto* line = dialog->findChild<QLineEdit*>("fileNameEdit");
  line->setText(name);
  QTest::mouseClick(dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save), Qt::LeftButton);
  QTRY_VERIFY_WITH_TIMEOUT(!dialog->isVisible(), hyb::test::kHangs_ms);
}

}  // namespace

class StrideViewTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { testing::startGuiSession("stride_view"); }

  /// In the workspace Run: live, then to be played.
  void aStrideIsWatched() {
    RunAtWork run;
    auto* view = run.workspace.findChild<StrideView*>();
    QTabWidget* tabs = nullptr;
    for (QTabWidget* found : run.workspace.findChildren<QTabWidget*>())
      if (found->indexOf(view) >= 0) tabs = found;
    run.open(templateDocument("contact-passivity"));
    QVERIFY(!tabs->isTabVisible(tabs->indexOf(view)));
    run.workspace.forgetRun();
    run.open(templateDocument("prosthetic-foot"));
    QVERIFY(tabs->isTabVisible(tabs->indexOf(view)));
    run.turnTo(view);
    auto* play = view->findChild<QToolButton*>("stride-play");
    QVERIFY(!play->isEnabled());
    run.arm();
    QVERIFY(!play->isEnabled() && play->text() == "Live");
    button(run.workspace, "Disarm")->click();
    QTRY_VERIFY_WITH_TIMEOUT(!run.controller.active(), hyb::test::kHangs_ms);
    run.runFreely();
    QVERIFY(play->isEnabled() && play->text() == "Play");
    QVERIFY(view->figure()->reading().contains("step"));
  }

  void aRecordIsPlayedAndGoneThrough() {
    const RecordedStride recorded;
    StrideFigure* figure = recorded.figure;
    QSlider* slider = recorded.slider;
    auto* play = recorded.view->findChild<QToolButton*>("stride-play");
    const auto middle = [&] {
      const QwtInterval shown = figure->axisInterval(QwtAxis::XBottom);
      return 0.5 * (shown.minValue() + shown.maxValue());
    };
    // Half a second in which the rig comes to where the walker begins is not played.
    const ValueTable table = figure->valueTable();
    std::uint64_t begins = 0;
    while (table.rows[begins + 1][1] == 0.0) ++begins;
    QVERIFY(begins > 490);
    QCOMPARE(figure->row(), begins);
    const auto says = [&](const QString& text) {
      for (QLabel* label : recorded.view->findChildren<QLabel*>())
        if (label->text() == text) return true;
      return false;
    };
    QVERIFY(says(QString("%1 s").arg(table.rows[begins][0], 0, 'f', 3)));
    test::SetClock clock;
    const test::SetPacing pacing(clock);
    QTest::mouseClick(play, Qt::LeftButton);
    QVERIFY(recorded.view->playing());
    QCOMPARE(play->text(), QString("Pause"));
    clock.pass(0.08);  // at a quarter of its pace
    QTRY_COMPARE_WITH_TIMEOUT(figure->row(), begins + 20, hyb::test::kHangs_ms);
    figure->setFocus();
    QTest::keyClick(figure, Qt::Key_Space);
    QVERIFY(!recorded.view->playing());
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
    shows(paused - 9);
    QTest::keyClick(figure, Qt::Key_End);
    shows(static_cast<std::uint64_t>(slider->maximum()));
    QTest::keyClick(figure, Qt::Key_Space);  // from its end it is played again
    QTRY_COMPARE_WITH_TIMEOUT(figure->row(), begins, hyb::test::kHangs_ms);
    QVERIFY(recorded.view->playing());
    QTest::keyClick(slider, Qt::Key_Home);
    QVERIFY(!recorded.view->playing());
    shows(0);  // what was before can still be looked at
    QTest::keyClick(figure, Qt::Key_Space);
    QTRY_COMPARE_WITH_TIMEOUT(figure->row(), begins, hyb::test::kHangs_ms);
    slider->setValue(900);
    shows(900);
    QVERIFY2(figure->reading().contains("off the reference"), qPrintable(figure->reading()));
    QVERIFY(std::abs(middle()) > 0.2);  // it goes along with the walker
  }

  /// By the button, and by the menu of the plot.
  void thePictureIsSaved() {
    const RecordedStride recorded;
    recorded.show(900);
    QToolButton* save = nullptr;
    for (QToolButton* found : recorded.view->findChildren<QToolButton*>())
      if (found->text().startsWith("Export")) save = found;
    QVERIFY(save != nullptr && save->isVisible() && save->isEnabled());
    // A name without a suffix is one of the kind that is chosen.
    QTest::mouseClick(save, Qt::LeftButton);
    saveAs(recorded.folder.filePath("stride"), "PNG");
    QTRY_VERIFY_WITH_TIMEOUT(QFile(recorded.folder.filePath("stride.png")).size() > 2000, hyb::test::kHangs_ms);
    QWidget* canvas = recorded.figure->canvas();
    QContextMenuEvent press(QContextMenuEvent::Mouse, canvas->rect().center(),
                            canvas->mapToGlobal(canvas->rect().center()));
    QCoreApplication::sendEvent(canvas, &press);
    auto* menu = recorded.figure->findChild<QMenu*>();
    QTRY_VERIFY_WITH_TIMEOUT(menu->isVisible(), hyb::test::kHangs_ms);
    for (QAction* action : menu->actions())
      if (action->text().startsWith("Export"))
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
    saveAs(recorded.folder.filePath("stride.svg"), "SVG");
    QTRY_VERIFY_WITH_TIMEOUT(QFile(recorded.folder.filePath("stride.svg")).size() > 2000, hyb::test::kHangs_ms);

    const QImage picture(recorded.folder.filePath("stride.png"));
    QVERIFY(picture.width() > 1000);
    QSet<QRgb> hues;
    for (int y = 0; y < picture.height(); y += 2)
      for (int x = 0; x < picture.width(); x += 2) hues.insert(picture.pixel(x, y));
    for (const Role role : {Role::numerical, Role::force, Role::interface})
      QVERIFY2(hues.contains(colour(role, false).rgb()), qPrintable(QString::number(static_cast<int>(role))));
    // The foot on the rig differs from the rest of the walker: without its path, which has the same colour.
    recorded.figure->setEntryVisible(2, false);
    recorded.show(900);
    QVERIFY(pixelsOf(recorded, Role::physical) > 500);
  }

  /// A leg that swings has no knee in the model: it is drawn as far as the ground, and paler than one that carries.
  void aLegThatSwingsStaysAboveTheGround() {
    const RecordedStride recorded;
    const ValueTable table = recorded.figure->valueTable();
    int swings = -1, stand = -1;
    const auto column = [&](WalkerColumn which) { return 1 + static_cast<std::size_t>(which); };
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      const std::vector<double>& values = table.rows[row];
      for (const WalkerColumn foot : {WalkerColumn::left_foot_y, WalkerColumn::right_foot_y})
        QVERIFY2(values[column(foot)] > -1e-9,
                 qPrintable(QString("%1 m at %2 s").arg(values[column(foot)]).arg(values[0])));
      const bool left = values[column(WalkerColumn::left_ground_y)] > 0.0,
                 right = values[column(WalkerColumn::right_ground_y)] > 0.0;
      if (left && right) stand = static_cast<int>(row);
      if (!left && right) swings = static_cast<int>(row);
    }
    QVERIFY(swings > 0 && stand > 0);
    for (const std::size_t entry : {0u, 1u, 2u}) recorded.figure->setEntryVisible(entry, false);
    // Nothing of a leg or a foot is drawn below the ground, but for half of a line.
    for (int row = 500; row < 1100; row += 25) {
      recorded.show(row);
      const QImage picture = recorded.figure->canvas()->grab().toImage();
      const int ground =
          static_cast<int>(recorded.figure->transform(QwtAxis::YLeft, 0.0) * picture.devicePixelRatio()) + 10;
      int below = 0;
      for (int y = ground; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x)
          for (const Role role : {Role::numerical, Role::physical})
            below += picture.pixel(x, y) == colour(role, false).rgb();
      QVERIFY2(below == 0, qPrintable(QString("%1 in row %2").arg(below).arg(row)));
    }
    recorded.show(stand);
    const int both = pixelsOf(recorded, Role::numerical);
    recorded.show(swings);
    const int one = pixelsOf(recorded, Role::numerical);
    QVERIFY2(one < 0.9 * both, qPrintable(QString("%1 %2").arg(one).arg(both)));
  }

  /// In a window of 1280 pixels, and in both themes.
  void curvesAreNamedAndTheReferenceIsToldApart() {
    const RecordedStride recorded;
    for (const char* name : {"Ground forces", "Hip", "Feet"}) {
      TimePlot* plot = recorded.plot(name);
      QWidget* panel = plot->parentWidget();
      QStringList named;
      for (QToolButton* entry : panel->findChildren<QToolButton*>())
        if (entry->isVisible() && entry->isCheckable()) {
          QVERIFY2(entry->toolButtonStyle() == Qt::ToolButtonTextBesideIcon,
                   qPrintable(QString("%1: %2 in %3 pixels").arg(name, entry->text()).arg(panel->width())));
          QVERIFY(panel->rect().contains(QRect(entry->mapTo(panel, QPoint()), entry->size())));
          named << entry->text();
        }
      QCOMPARE(named.size(), static_cast<qsizetype>(plot->legendEntries().size()));
      QCOMPARE(named.contains("reference"), QLatin1String(name) != QLatin1String("Ground forces"));
    }
    for (const ThemeChoice theme : {ThemeChoice::dark, ThemeChoice::light}) {
      applyTheme(*qApp, theme);
      QCoreApplication::processEvents();
      for (const char* name : {"Hip", "Feet"}) {
        TimePlot* plot = recorded.plot(name);
        int references = 0;
        for (QwtPlotItem* item : plot->itemList(QwtPlotItem::Rtti_PlotCurve)) {
          const auto* curve = static_cast<const QwtPlotCurve*>(item);
          if (!curve->isVisible()) continue;
          const bool reference = curve->pen().color() == colour(Role::excitation, plot->palette());
          QVERIFY(reference == (curve->pen().style() != Qt::SolidLine));
          references += reference ? 1 : 0;
        }
        QCOMPARE(references, QLatin1String(name) == QLatin1String("Hip") ? 1 : 2);
      }
    }
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

 private:
  /// Of the picture as it is exported.
  static int pixelsOf(const RecordedStride& recorded, Role role) {
    const QString file = recorded.folder.filePath("counted.png");
    if (!recorded.figure->exportTo(file).isEmpty()) return -1;
    const QImage picture(file);
    int count = 0;
    for (int y = 0; y < picture.height(); ++y)
      for (int x = 0; x < picture.width(); ++x) count += picture.pixel(x, y) == colour(role, false).rgb() ? 1 : 0;
    return count;
  }
};

HYB_SUITE(stride_view, StrideViewTest)
#include "stride_view_test.moc"
