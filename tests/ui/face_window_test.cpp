// The page "FACE", used like a person would: open the template, press the button, watch the plot grow, read the
// verdict, leave a test out, open one of the runs.
#include <QComboBox>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <QTreeWidget>
#include <cmath>

#include "tests/support/gui_session.h"
#include "tests/support/suite.h"
#include "ui/analyse/analyse_workspace.h"
#include "ui/document/project_document.h"
#include "ui/document/section_form.h"
#include "ui/fidelity/campaign_bar.h"
#include "ui/fidelity/face_page.h"
#include "ui/fidelity/face_plot.h"
#include "ui/fidelity/face_tests.h"
#include "ui/fidelity/face_verdict.h"
#include "ui/fidelity/fidelity_workspace.h"
#include "ui/fidelity/rig_question.h"
#include "ui/shell/main_window.h"

using namespace hyb;
using namespace hyb::ui;
using hyb::ui::testing::button;

class FaceWindowTest : public QObject {
  Q_OBJECT
 private:
  static constexpr int kLong_ms = 180'000;  // on a busy machine
  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
  FacePage* page_ = nullptr;
  FacePlot* plot_ = nullptr;
  FaceVerdictPanel* verdict_ = nullptr;
  QTreeWidget* list_ = nullptr;

  void open(const char* project) {
    window_ = std::make_unique<MainWindow>();
    window_->resize(1280, 800);
    window_->setUpdatesEnabled(false);  // drawn once, when the test has ended
    window_->show();
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    QVERIFY(window_->open(project));
    window_->document()->set("/recording/folder", folder_.path().toStdString());
    QTRY_VERIFY_WITH_TIMEOUT(!window_->document()->checking(), kLong_ms);
    QVERIFY(window_->document()->issues().empty());
    page_ = window_->fidelity()->face();
    plot_ = page_->findChild<FacePlot*>();
    verdict_ = page_->findChild<FaceVerdictPanel*>();
    list_ = page_->findChild<FaceTests*>()->findChild<QTreeWidget*>();
  }
  QPushButton* runButton() { return button(*page_->bar(), QStringLiteral("Run FACE")); }
  void awaitEnd() { QTRY_VERIFY_WITH_TIMEOUT(!page_->bar()->running(), kLong_ms); }

 private Q_SLOTS:
  void initTestCase() { testing::startGuiSession("face_window"); }
  void cleanup() {
    window_->setUpdatesEnabled(true);
    window_->grab();
    window_.reset();
  }

  void oneButtonFromTheProjectToTheVerdict() {
    open("face-linear");
    QTest::keyClick(window_.get(), static_cast<Qt::Key>(Qt::Key_1 + static_cast<int>(Room::fidelity)),
                    Qt::ControlModifier);
    QVERIFY(page_->isVisible() && plot_->isVisible());
    auto* plan = page_->findChild<QLabel*>(QStringLiteral("plan"));
    QTRY_VERIFY_WITH_TIMEOUT(plan->text().contains(QStringLiteral("tests")), kLong_ms);
    QVERIFY2(plan->property("mark").toString() != QStringLiteral("error"), qPrintable(plan->text()));

    // The plot is seen at every stage: more points come in while the campaign goes on.
    QList<std::size_t> seen;
    connect(plot_, &PlotView::legendChanged, this, [&] {
      if (page_->bar()->running()) seen << plot_->points();
    });
    QTest::mouseClick(runButton(), Qt::LeftButton);
    QVERIFY(page_->bar()->running());
    awaitEnd();
    QVERIFY2(seen.size() >= 2 && seen.first() < seen.last(), "the plot grew");
    QVERIFY(std::is_sorted(seen.begin(), seen.end()));

    // The verdict in words, with the numbers that stand beside it.
    const FaceReport& report = *page_->report();
    QVERIFY2(report.complete, qPrintable(page_->bar()->message()));
    QVERIFY(plot_->points() >= 5);
    QVERIFY(plot_->predicted());
    const auto named = [panel = plot_->parentWidget()] {  // in a window of 1280 pixels
      QStringList names;
      for (const QToolButton* entry : panel->findChildren<QToolButton*>())
        if (entry->isVisible() && entry->isCheckable() && entry->toolButtonStyle() == Qt::ToolButtonTextBesideIcon &&
            panel->rect().contains(QRect(entry->mapTo(panel, QPoint()), entry->size())))
          names << entry->text();
      return names;
    };
    QTRY_COMPARE_WITH_TIMEOUT(named(), QStringList({"curve", "structural model", "reference"}), kLong_ms);
    QVERIFY(!verdict_->word().contains(QStringLiteral("NO VERDICT")));
    QCOMPARE(verdict_->sentence(), QString::fromStdString(report.curve.sentence));
    QVERIFY(!verdict_->sentence().isEmpty());
    // Without noise neither interval has a level, and both are called by their name, with the reason.
    int ranges = 0;
    for (const QLabel* label : verdict_->findChildren<QLabel*>())
      ranges += label->text() == QStringLiteral("range") &&
                label->toolTip().startsWith(QStringLiteral("A range, not a confidence interval: "));
    QCOMPARE(ranges, 2);
    QVERIFY2(verdict_->reasons().contains(QStringLiteral("rests on the curve")), qPrintable(verdict_->reasons()));
    QVERIFY(verdict_->reasons().count(QLatin1Char('\n')) <= 2 && verdict_->reasons().contains(QStringLiteral(" mm")));
    // The rest is behind the button.
    auto* more = verdict_->findChild<QToolButton*>(QStringLiteral("verdict-details"));
    QVERIFY(more != nullptr && more->isVisible() && !more->isChecked());
    const auto shown = [&] {
      for (const QLabel* label : verdict_->findChildren<QLabel*>())
        if (label->text() == verdict_->details()) return label->isVisible();
      return false;
    };
    QVERIFY(!shown() && verdict_->details().contains(QStringLiteral("the varied value is the only error")));
    more->click();
    QVERIFY(shown());
    more->click();
    QCOMPARE(list_->topLevelItemCount(), static_cast<int>(report.tests.size()));
    QVERIFY(report.reference.has_value());
    // Closer to the reference than the best single test.
    QVERIFY(std::abs(report.curve.prediction.value - *report.reference) <
            std::abs(report.curve.measured - *report.reference));
    window_->setUpdatesEnabled(true);
    QVERIFY(!window_->grab().isNull());

    // One of its runs is opened.
    list_->setCurrentItem(list_->topLevelItem(1));
    QSignalSpy opened(window_->findChild<AnalyseWorkspace*>(), &AnalyseWorkspace::runOpened);
    auto* open_run = page_->findChild<QPushButton*>(QStringLiteral("open-run"));
    QVERIFY(open_run->isEnabled());
    QTest::mouseClick(open_run, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, kLong_ms);
    QCOMPARE(opened.first().at(1).toString(), QString());
    QCOMPARE(window_->workspace(), Room::analyse);
  }

  void theJudgementFollowsWhatIsLeftOutAndChosen() {
    open("face-linear");
    QTest::keyClick(window_.get(), Qt::Key_F4);  // from any workspace
    QCOMPARE(window_->workspace(), Room::fidelity);
    QVERIFY(page_->bar()->running());
    awaitEnd();
    const std::size_t all = plot_->points();

    // A click on the point of a test chooses it in the list.
    const FaceCampaignTest& test = page_->report()->tests[2];
    QVERIFY(test.counts());
    const double error = test.errors[static_cast<std::size_t>(page_->report()->spec.axis)];
    const QPoint at(static_cast<int>(std::lround(plot_->transform(QwtAxis::XBottom, error))),
                    static_cast<int>(std::lround(plot_->transform(QwtAxis::YLeft, test.quantity))));
    QTest::mouseClick(plot_->canvas(), Qt::LeftButton, {}, at);
    QTRY_COMPARE(list_->indexOfTopLevelItem(list_->currentItem()), 2);
    // What a point is, its tooltip says.
    QHelpEvent asked(QEvent::ToolTip, at, plot_->canvas()->mapToGlobal(at));
    QCoreApplication::sendEvent(plot_->canvas(), &asked);
    QVERIFY(!plot_->saidAt(at).isEmpty());
    QCOMPARE(QToolTip::text(), plot_->saidAt(at));

    auto* reason = page_->findChild<QLineEdit*>(QStringLiteral("drop-reason"));
    auto* drop = page_->findChild<QPushButton*>(QStringLiteral("drop"));
    QVERIFY2(!drop->isEnabled(), "not without a reason");
    reason->setFocus();
    QTest::keyClicks(reason, QStringLiteral("somebody walked past"));
    QTest::mouseClick(drop, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(plot_->points(), all - 1, kLong_ms);
    QVERIFY(list_->topLevelItem(2)->text(3).contains(QStringLiteral("somebody walked past")));
    // It is kept with the result.
    const QString file = page_->findChild<QLineEdit*>(QStringLiteral("result-file"))->text();
    QCOMPARE(readFaceFile(file.toStdString()).tests[2].dropped, std::string("somebody walked past"));
    QTRY_VERIFY(drop->isEnabled());
    QTest::mouseClick(drop, Qt::LeftButton);  // take back
    QTRY_COMPARE_WITH_TIMEOUT(plot_->points(), all, kLong_ms);

    // A tolerance that nothing can meet, and one that everything meets but for the long way to error 0.
    auto* tolerance = page_->findChild<QLineEdit*>(QStringLiteral("tolerance"));
    const auto choose = [&](const QString& percent) {
      tolerance->setFocus();
      tolerance->selectAll();
      QTest::keyClicks(tolerance, percent);
      QTest::keyClick(tolerance, Qt::Key_Return);
    };
    choose(QStringLiteral("0.000001"));
    QTRY_VERIFY_WITH_TIMEOUT(!verdict_->word().contains(QStringLiteral("ACCEPT")), kLong_ms);
    choose(QStringLiteral("900"));
    QTRY_VERIFY_WITH_TIMEOUT(verdict_->reasons().contains(QStringLiteral("too uncertain")), kLong_ms);
    QVERIFY(verdict_->word().contains(QStringLiteral("UNDECIDED")));

    // Another error on the axis.
    auto* axis = page_->findChild<QComboBox*>(QStringLiteral("face-axis"));
    const int other = static_cast<int>(FaceAxis::error_by_rms);
    axis->setCurrentIndex(other);
    Q_EMIT axis->activated(other);
    QTRY_COMPARE_WITH_TIMEOUT(page_->report()->spec.axis, FaceAxis::error_by_rms, kLong_ms);
    QVERIFY(plot_->points() > 0);

    // An earlier result is opened again in a fresh window.
    open("three-mass");
    auto* scale = page_->findChild<QComboBox*>(QStringLiteral("face-scale"));
    QVERIFY2(!scale->isEnabled(), "there is nothing to judge yet");
    page_->open(file);
    QTRY_VERIFY_WITH_TIMEOUT(page_->report(), kLong_ms);
    QVERIFY(scale->isEnabled());
    QCOMPARE(page_->report()->tests[2].dropped, std::string());
    QCOMPARE(page_->report()->spec.axis, FaceAxis::error_by_rms);
    page_->open(folder_.filePath(QStringLiteral("missing.h5")));
    QTRY_VERIFY_WITH_TIMEOUT(page_->bar()->message().contains(QStringLiteral("missing.h5")) &&
                                 !page_->bar()->message().startsWith(QStringLiteral("Opening")),
                             kLong_ms);
  }

  void cancelledCampaignGoesOnWhereItWas() {
    open("face-linear");
    window_->document()->set("/analysis/face/seeds", 20);  // does not end by itself
    QTRY_VERIFY_WITH_TIMEOUT(!window_->document()->checking(), kLong_ms);
    QTest::keyClick(window_.get(), Qt::Key_F4);
    QTRY_VERIFY_WITH_TIMEOUT(plot_->points() >= 1, kLong_ms);
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    awaitEnd();
    QVERIFY2(page_->bar()->message().startsWith(QStringLiteral("Cancelled")), qPrintable(page_->bar()->message()));
    const std::size_t before = plot_->points();
    QVERIFY(before >= 1 && before < page_->report()->tests.size());
    QTest::mouseClick(runButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(plot_->points() > before, kLong_ms);
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    awaitEnd();
    QVERIFY2(page_->bar()->message().contains(QStringLiteral("kept from an earlier start")),
             qPrintable(page_->bar()->message()));
    QVERIFY(plot_->points() > before);
  }

  void onARigFaceTakesTwoStepsInRealTime() {
    open("face-linear");
    auto* pace = page_->findChild<QComboBox*>(QStringLiteral("face-pace"));
    QVERIFY(pace->isEnabled());
    QCOMPARE(pace->currentText(), QStringLiteral("free run"));
    ProjectDocument* document = window_->document();
    const auto settle = [&] {
      QTRY_VERIFY_WITH_TIMEOUT(!document->checking(), kLong_ms);
      QVERIFY2(document->issues().empty(), document->issues().empty() ? "" : document->issues()[0].message.c_str());
    };
    document->set("/rig/connection", Json::object({{"protocol", "frames"}, {"address", "tcp://127.0.0.1:1"}}));
    document->set("/rig/use", "rig");
    settle();
    auto* plan = page_->findChild<QLabel*>(QStringLiteral("plan"));
    QTRY_VERIFY_WITH_TIMEOUT(plan->text().contains(QStringLiteral("tests")), kLong_ms);
    QVERIFY(!pace->isEnabled() && pace->toolTip().contains(QStringLiteral("real time")));
    QCOMPARE(pace->currentText(), QStringLiteral("real time"));

    auto* run = page_->bar()->findChild<QPushButton*>();
    auto* question = page_->findChild<RigQuestion*>();
    for (int press = 0; press < 3; ++press) QTest::keyClick(window_.get(), Qt::Key_F4);
    QCOMPARE(window_->workspace(), Room::fidelity);
    QVERIFY2(!page_->bar()->running(), "the key alone starts nothing");
    QVERIFY(question->isVisible());
    QVERIFY2(run->text().startsWith(QStringLiteral("Run ")) && run->text().endsWith(QStringLiteral("tests on the rig")),
             qPrintable(run->text()));
    QStringList said;
    for (const QLabel* label : question->findChildren<QLabel*>()) said << label->text();
    QVERIFY(!said.filter(QStringLiteral("tcp://127.0.0.1:1")).isEmpty());
    run->click();  // before any event is dealt with, however late: no timer has ended
    QVERIFY2(!page_->bar()->running(), "the second half of a double click");
    QVERIFY(question->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(question->findChildren<QLabel*>(QStringLiteral("preflight-text")).size() >= 7, kLong_ms);

    document->set("/meta/title", "Another");  // another campaign than the one that was asked about
    QVERIFY(!question->isVisible());
    QCOMPARE(run->text(), QStringLiteral("Run FACE"));
    settle();
    run->click();
    QVERIFY(question->isVisible() && !page_->bar()->running());
    window_->showWorkspace(Room::run);  // out of sight
    QVERIFY(!question->asking());
    window_->showWorkspace(Room::fidelity);
    QVERIFY(!question->isVisible());

    run->click();
    QTRY_VERIFY_WITH_TIMEOUT(question->settled(), kLong_ms);
    run->click();
    QVERIFY(page_->bar()->running());
    QCOMPARE(page_->bar()->use(), RigUse::rig);
    QCOMPARE(window_->findChild<QLabel*>(QStringLiteral("mode"))->text(), QStringLiteral("RIG"));
    awaitEnd();  // this window has no hardware
    document->set("/rig/use", "twin");
    settle();
    QVERIFY(pace->isEnabled());
    QCOMPARE(pace->currentText(), QStringLiteral("free run"));
  }

  void settingsAreLockedWhileATestIsActive() {
    open("face-linear");
    window_->showWorkspace(Room::fidelity);
    auto* field = page_->findChild<QLineEdit*>(QStringLiteral("/analysis/face/tolerance_percent"));
    if (!field) field = page_->findChild<SectionForm*>()->findChild<QLineEdit*>();
    QVERIFY(field && field->isEnabled());
    QTest::keyClick(window_.get(), Qt::Key_F5);
    QTRY_COMPARE(window_->controller()->state(), State::armed);
    QVERIFY(!field->isEnabled());
    window_->controller()->requestStop();
    QTRY_VERIFY_WITH_TIMEOUT(!window_->controller()->active(), kLong_ms);
    QVERIFY(field->isEnabled());
  }

  void projectWithoutFaceIsSetUpOnThePage() {
    open("benchmark-2020-sample");
    window_->showWorkspace(Room::fidelity);
    QVERIFY(!runButton()->isEnabled());
    auto* set_up = page_->findChild<QPushButton*>(QStringLiteral("set-up-face"));
    QVERIFY(set_up->isVisible());
    QTest::mouseClick(set_up, Qt::LeftButton);
    QVERIFY(window_->document()->at("/analysis/face"));
    QVERIFY(!set_up->isVisible());
    window_->document()->undoStack()->undo();
    QVERIFY(!window_->document()->at("/analysis/face"));
  }
};

HYB_SUITE(face_window, FaceWindowTest)
#include "face_window_test.moc"
