// "Which spring?": appears where forces are asked for, is read, a spring is chosen by mouse, keys and number, taken and
// taken back.
#include <QApplication>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>
#include <QWheelEvent>

#include "tests/support/gui_session.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"
#include "ui/base/enter_filter.h"
#include "ui/base/theme.h"
#include "ui/configure/configure_workspace.h"
#include "ui/configure/spring_panel.h"
#include "ui/document/field_editors.h"
#include "ui/document/project_document.h"

using namespace hyb;
using namespace hyb::ui;

class SpringPanelTest : public QObject {
  Q_OBJECT
 private:
  ProjectDocument* document_ = nullptr;
  ConfigureWorkspace* workspace_ = nullptr;
  SpringPanel* panel_ = nullptr;
  SpringPlot* plot_ = nullptr;
  NumberEdit* field_ = nullptr;
  QPushButton* take_ = nullptr;

  void open(const char* name) {
    document_->open(name);
    QTRY_VERIFY(!document_->checking());
    QVERIFY(document_->issues().empty());
  }
  void goToCoupling() {
    auto* sections = workspace_->findChild<QListWidget*>(QStringLiteral("sections"));
    const auto found = sections->findItems(QStringLiteral("Coupling"), Qt::MatchExactly);
    QCOMPARE(found.size(), 1);
    QTest::mouseClick(sections->viewport(), Qt::LeftButton, {}, sections->visualItemRect(found.front()).center());
  }
  void awaitTrade() { QTRY_VERIFY(!document_->checking() && !panel_->computing() && plot_->trade() != nullptr); }
  double knownStiffness() { return document_->at("/coupling/spring_n_per_m")->get<double>(); }
  double actualStiffness() { return document_->at("/rig/actuators/0/spring/stiffness_n_per_m")->get<double>(); }
  QString verdict() { return workspace_->findChild<QLabel*>(QStringLiteral("spring-verdict"))->text(); }
  int pixelOf(double stiffness) { return static_cast<int>(std::lround(plot_->transform(QwtAxis::XBottom, stiffness))); }

 private Q_SLOTS:
  void initTestCase() { ui::testing::startGuiSession("spring_panel"); }
  void init() {
    document_ = new ProjectDocument;
    {
      const StyledAtTheEnd unstyled;
      workspace_ = new ConfigureWorkspace(document_);
    }
    new EnterFilter(workspace_);  // of the whole program: Return presses the button with the focus
    workspace_->resize(1280, 700);
    workspace_->show();
    workspace_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(workspace_));
    panel_ = workspace_->findChild<SpringPanel*>();
    plot_ = workspace_->findChild<SpringPlot*>();
    field_ = workspace_->findChild<NumberEdit*>(QStringLiteral("spring-stiffness"));
    take_ = workspace_->findChild<QPushButton*>(QStringLiteral("take-spring"));
    QVERIFY(panel_ && plot_ && field_ && take_);
  }
  void cleanup() {
    delete workspace_;
    delete document_;
  }

  void itIsThereWhereForcesAreAskedForAlone() {
    open("three-mass");
    goToCoupling();
    QVERIFY(!panel_->isVisible() && !panel_->applies());
    open("force-shear-building");
    QTRY_VERIFY(panel_->isVisible());
    workspace_->showSection("/partition");
    QVERIFY(!panel_->isVisible());
    goToCoupling();
    QVERIFY(panel_->isVisible());
    open("three-mass");
    QTRY_VERIFY(!panel_->isVisible());
  }

  void theTradeIsReadTakenAndTakenBack() {
    open("force-shear-building");
    goToCoupling();
    awaitTrade();
    const SpringTrade& trade = *plot_->trade();
    QCOMPARE(trade.present_n_per_m, 541800.0);
    QCOMPARE(field_->text(), QStringLiteral("541.8"));
    QVERIFY(!take_->isEnabled());
    QVERIFY2(verdict().startsWith(QString::fromStdString(trade.sentence)), qPrintable(verdict()));
    QVERIFY(plot_->reading().startsWith(QStringLiteral("542\u2009N/mm")));
    QCOMPARE(plot_->valueTable().rows.size(), std::size_t{41});
    QVERIFY(plot_->tipAt(541800.0).contains(QStringLiteral("5\u2009% of the specimen")));
    QVERIFY(plot_->tipAt(541800.0).contains(QStringLiteral("Softer:")));
    QVERIFY(plot_->tipAt(1.0).isEmpty());
    plot_->grab();

    field_->setFocus();
    field_->selectAll();
    QTest::keyClicks(field_, QStringLiteral("400"));
    QVERIFY(plot_->reading().startsWith(QStringLiteral("400\u2009N/mm")));
    QCOMPARE(knownStiffness(), 541800.0);  // nothing is written by choosing
    const auto* words = workspace_->findChild<QLabel*>(QStringLiteral("spring-verdict"));
    QTRY_VERIFY(words->height() >= words->heightForWidth(words->width()));
    QVERIFY(words->mapTo(panel_, QPoint(0, words->height())).y() <= panel_->height());
    QVERIFY(take_->isEnabled());
    QTest::keyClick(field_, Qt::Key_Tab);
    QTRY_VERIFY(take_->hasFocus());
    QTest::keyClick(take_, Qt::Key_Return);
    QCOMPARE(knownStiffness(), 400e3);
    QCOMPARE(actualStiffness(), 400e3);
    QCOMPARE(document_->undoStack()->count(), 1);
    awaitTrade();
    QTRY_COMPARE(plot_->trade()->present_n_per_m, 400e3);
    QVERIFY(!take_->isEnabled());
    QVERIFY(document_->issues().empty());

    document_->undoStack()->undo();
    QCOMPARE(knownStiffness(), 541800.0);
    QCOMPARE(actualStiffness(), 541800.0);
    awaitTrade();
    QTRY_COMPARE(plot_->trade()->present_n_per_m, 541800.0);
    QTRY_VERIFY(take_->isEnabled());  // 400 is chosen still
  }

  void aSpringIsChosenByMouseAndKeysNeverByTheWheelNorInATest() {
    open("force-shear-building");
    goToCoupling();
    awaitTrade();
    const std::vector<SpringPoint>& points = plot_->trade()->points;
    QTRY_VERIFY(pixelOf(points[25].stiffness_n_per_m) > pixelOf(541800.0) + 10);
    const QPoint from(pixelOf(541800.0), plot_->canvas()->height() / 2),
        to(pixelOf(points[25].stiffness_n_per_m), from.y());
    QTest::mousePress(plot_->canvas(), Qt::LeftButton, {}, from);
    for (int i = 1; i <= 6; ++i) QTest::mouseMove(plot_->canvas(), from + (to - from) * i / 6);
    QTest::mouseRelease(plot_->canvas(), Qt::LeftButton, {}, to);
    const auto chosen = [&] { return 1e3 * field_->text().toDouble(); };
    QCOMPARE(chosen(), points[25].stiffness_n_per_m);
    plot_->setFocus();
    QTest::keyClick(plot_, Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(chosen(), points[26].stiffness_n_per_m);
    QTest::keyClick(plot_, Qt::Key_Left, Qt::ShiftModifier);
    QTest::keyClick(plot_, Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(chosen(), points[24].stiffness_n_per_m);
    for (QWidget* widget : {static_cast<QWidget*>(plot_->canvas()), static_cast<QWidget*>(field_)}) {
      const QPointF at = widget->rect().center();
      QWheelEvent turned(at, widget->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                         false);
      QApplication::sendEvent(widget, &turned);
    }
    QCOMPARE(chosen(), points[24].stiffness_n_per_m);
    QCOMPARE(document_->undoStack()->count(), 0);

    field_->setFocus();
    field_->selectAll();
    QTest::keyClicks(field_, QStringLiteral("9"));  // softer than was looked at
    QVERIFY(!take_->isEnabled());
    QVERIFY(verdict().contains(QStringLiteral("Choose a spring from")));

    QTest::keyClicks(field_, QStringLiteral("00"));
    QVERIFY(take_->isEnabled());
    workspace_->setReadOnly(true);  // a test is active
    QVERIFY(!take_->isEnabled());
    QCOMPARE(plot_->cursorAt(pixelOf(900e3), 5), -1);
    workspace_->setReadOnly(false);
    QVERIFY(take_->isEnabled());
  }

  /// What the trade does not depend on does not make it anew; what it does, does.
  void itFollowsTheProject() {
    open("force-shear-building");
    goToCoupling();
    awaitTrade();
    QSignalSpy finished(panel_, &SpringPanel::finished);
    document_->set("/meta/title", Json("another"));
    QTRY_VERIFY(!document_->checking());
    QVERIFY(!panel_->computing());
    const double before = plot_->trade()->force_n;
    document_->set("/excitation/signals/0/amplitude_mps2", Json(5.0));
    QTRY_COMPARE(finished.size(), 1);
    QVERIFY(std::abs(plot_->trade()->force_n / before - 2.0) < 1e-6);
    document_->set("/rig/actuators/0/force_limit_n", Json(100));
    QTRY_COMPARE(finished.size(), 2);
    QVERIFY(verdict().contains(QStringLiteral("is not possible")));
    plot_->grab();
  }
};

HYB_SUITE(spring_panel, SpringPanelTest)
#include "spring_panel_test.moc"
