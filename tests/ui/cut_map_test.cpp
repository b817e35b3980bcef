// The map "Where may I cut?": computed in the background, read and dragged.
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>

#include "core/run/build.h"
#include "tests/support/gui_session.h"
#include "tests/support/suite.h"
#include "tests/ui/structure_projects.h"
#include "ui/base/theme.h"
#include "ui/configure/configure_workspace.h"
#include "ui/configure/cut_map_panel.h"
#include "ui/configure/delay_view.h"
#include "ui/document/project_document.h"

using namespace hyb;
using namespace hyb::ui;
using namespace hyb::ui::testing;

class CutMapTest : public QObject {
  Q_OBJECT
 private:
  static constexpr int kLong_ms = 120'000;  // on a busy machine
  ProjectDocument* document_ = nullptr;
  ConfigureWorkspace* workspace_ = nullptr;
  CutMapPanel* panel_ = nullptr;
  CutMap* map_ = nullptr;

  void show(const Json& project) {
    document_->replace(project, QStringLiteral("test project"));
    QTRY_VERIFY_WITH_TIMEOUT(!document_->checking(), kLong_ms);
    QVERIFY(document_->issues().empty());
    document_->undoStack()->clear();
    workspace_->showSection("/partition");
  }
  void awaitMap(std::size_t places) {
    QTRY_COMPARE_WITH_TIMEOUT(map_->data().points.size(), places, kLong_ms);
    QTRY_VERIFY_WITH_TIMEOUT(!panel_->computing(), kLong_ms);
  }
  double position() { return document_->at("/partition/position_m")->get<double>(); }
  int pixelOf(double position_m) {
    return static_cast<int>(std::lround(map_->transform(QwtAxis::XBottom, position_m)));
  }

 private Q_SLOTS:
  void initTestCase() { testing::startGuiSession("cut_map"); }
  void init() {
    document_ = new ProjectDocument;
    document_->open("three-mass");
    {
      const StyledAtTheEnd unstyled;
      workspace_ = new ConfigureWorkspace(document_);
    }
    workspace_->resize(1280, 700);
    workspace_->show();
    panel_ = workspace_->findChild<CutMapPanel*>();
    map_ = workspace_->findChild<CutMap*>();
  }
  void cleanup() {
    delete workspace_;
    delete document_;
  }

  void mapAppearsWithThePresentCutAndAgreesWithTheFigures() {
    show(building(6));
    awaitMap(5);
    QCOMPARE(map_->cut(), std::optional<double>(2.0));
    auto* delay = workspace_->findChild<DelayView*>();
    QTRY_VERIFY_WITH_TIMEOUT(delay->figures() && delay->figures()->modes.whole.size() == 6, kLong_ms);
    const CutPoint* here = map_->pointAt(2.0);
    QVERIFY(here && here->fault.empty());
    QCOMPARE(here->critical.has_value(), delay->figures()->critical.has_value());
    if (here->critical) QVERIFY(std::abs(here->critical->delay_s / delay->figures()->critical->delay_s - 1.0) < 1e-3);
    QVERIFY(std::abs(here->physical_clamped_hz / delay->figures()->specimen_clamped_hz.front() - 1.0) < 1e-3);
    QVERIFY(map_->loopDelay().has_value());
    QCOMPARE(*map_->loopDelay(), delay->figures()->delay.latest().remaining_s());
    QCOMPARE(map_->reading(), map_->textOf(*here));
    QCOMPARE(map_->valueTable().rows.size(), std::size_t{5});
  }

  void dragInTheMapMovesTheCutAndKeepsTheMap() {
    show(building(6));
    awaitMap(5);
    QSignalSpy finished(panel_, &CutMapPanel::finished);
    const QPoint from(pixelOf(2.0), map_->canvas()->height() / 2), to(pixelOf(4.0) + 2, from.y());
    QTest::mousePress(map_->canvas(), Qt::LeftButton, {}, from);
    for (int i = 1; i <= 6; ++i) QTest::mouseMove(map_->canvas(), from + (to - from) * i / 6);
    QTest::mouseRelease(map_->canvas(), Qt::LeftButton, {}, to);
    QCOMPARE(position(), 4.0);
    QCOMPARE(map_->cut(), std::optional<double>(4.0));
    QCOMPARE(document_->undoStack()->count(), 1);
    QTRY_VERIFY_WITH_TIMEOUT(!document_->checking(), kLong_ms);
    QVERIFY(!panel_->computing());  // only the cut moved
    QCOMPARE(finished.size(), 0);
    document_->undoStack()->undo();
    QCOMPARE(map_->cut(), std::optional<double>(2.0));
    map_->setFocus();
    QTest::keyClick(map_, Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(position(), 3.0);
  }

  void otherStructureMakesAnotherMap() {
    show(building(4));
    awaitMap(3);
    const double before = map_->pointAt(2.0)->physical_clamped_hz;
    for (int i = 0; i < 4; ++i)
      document_->set("/structure/storeys/" + std::to_string(i) + "/stiffness_n_per_m", Json(8e6));
    QTRY_VERIFY_WITH_TIMEOUT(
        map_->pointAt(2.0) && std::abs(map_->pointAt(2.0)->physical_clamped_hz / before - 2.0) < 1e-6, kLong_ms);
  }

  void placesThatCannotBeCutSayWhy() {
    // A beam of one element across the line between the two nodes of a neighbouring column.
    Json project = frame();
    project["structure"]["members"][0]["elements"] = 2;
    project["structure"]["members"][1]["elements"] = 3;
    for (std::size_t m = 2; m < 6; ++m) project["structure"]["members"][m]["elements"] = 1;
    for (std::size_t m = 6; m < 9; ++m) project["structure"]["members"][m]["elements"] = 1;
    show(project);
    awaitMap(5);  // 3.2/3, 1.6, 6.4/3, 3.2, 6.4
    QVERIFY(!map_->pointAt(1.6)->fault.empty());
    QVERIFY(map_->pointAt(3.2)->fault.empty());
    QVERIFY(map_->textOf(*map_->pointAt(1.6)).contains(QStringLiteral("spans the line")));
    QVERIFY(map_->valueTable().remark.contains(QStringLiteral("no cut possible at 3")));
    map_->grab();
  }

  void cancelStopsAndComputeStartsAgain() {
    show(building(60));
    auto* button = workspace_->findChild<QPushButton*>(QStringLiteral("map-button"));
    QTRY_VERIFY_WITH_TIMEOUT(panel_->computing(), kLong_ms);
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(!panel_->computing());
    QCOMPARE(button->text(), QStringLiteral("Compute"));
    QVERIFY(map_->data().points.size() < 59);
    document_->moveCut(3.0);  // does not start it
    QTRY_VERIFY_WITH_TIMEOUT(!document_->checking(), kLong_ms);
    QVERIFY(!panel_->computing());
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(panel_->computing());
    awaitMap(59);
    QVERIFY(!button->isVisible());
  }

  void nothingIsComputedWhileATestRuns() {
    workspace_->setReadOnly(true);
    show(building(5));
    QVERIFY(!panel_->computing());
    QVERIFY(map_->data().points.empty());
    workspace_->setReadOnly(false);
    awaitMap(4);
  }

  void lumpedChainHasItsMap() {
    workspace_->showSection("/partition");
    awaitMap(3);
    QCOMPARE(map_->data().axis_title, QStringLiteral("cut at mass, from 0"));
    QVERIFY(!map_->cut());  // two interface masses: no line
    map_->setEntryVisible(0, true);
    map_->setEntryVisible(1, true);
    QVERIFY(map_->isAxisVisible(QwtAxis::YRight));
    map_->grab();
  }
};

HYB_SUITE(cut_map, CutMapTest)
#include "cut_map_test.moc"
