// What the window says of a test that has ended: three words with their reasons, nothing green that is not good, and a
// list of runs that tells one end from another.
#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <array>

#include "core/run/test_run.h"
#include "tests/support/gui_session.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"
#include "tests/support/uncompensated.h"
#include "ui/analyse/analyse_workspace.h"
#include "ui/analyse/figures_table.h"
#include "ui/analyse/run_list.h"
#include "ui/control/verdict_text.h"
#include "ui/document/project_document.h"
#include "ui/run/limits_table.h"
#include "ui/shell/event_line.h"
#include "ui/shell/header_bar.h"
#include "ui/shell/main_window.h"

using namespace hyb;
using namespace hyb::ui;

namespace {

using Changes = std::initializer_list<std::pair<const char*, Json>>;

Json changed(Json project, const QTemporaryDir& folder, Changes changes) {
  project["recording"]["folder"] = folder.path().toStdString();
  for (const auto& [pointer, value] : changes) project[Json::json_pointer(pointer)] = value;
  return project;
}
Json changed(const char* name, const QTemporaryDir& folder, Changes changes) {
  return changed(templateDocument(name), folder, changes);
}

}  // namespace

class VerdictWindowTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { ui::testing::startGuiSession("verdict_window"); }
  void aTestThatRanAwayIsNoGoodTest();
  void nothingIsGreenThatIsNotGood_data();
  void nothingIsGreenThatIsNotGood();
  void theReasonOfATripStaysUntilReset();
  void theReasonOfATripIsToldOnce();
  void theListOfRunsTellsTheEndsApart();
  void aRunTooShortToAnalyseSaysSo();

 private:
  static QAction* action(MainWindow& window, const QKeySequence& key) {
    for (QAction* found : window.findChildren<QAction*>())
      if (found->shortcut() == key) return found;
    qFatal("no such action");
  }
  void open(MainWindow& window, const Json& project) {
    const std::string file = folder_.filePath(QStringLiteral("project.json")).toStdString();
    saveDocument(project, file);
    QVERIFY(window.open(file));
    QTRY_VERIFY_WITH_TIMEOUT(!window.document()->checking(), hyb::test::kHangs_ms);
  }
  /// Arm, acknowledge what failed, Run, to the end.
  void runToTheEnd(MainWindow& window) {
    QSignalSpy ended(window.controller(), &RunController::ended);
    QTRY_VERIFY_WITH_TIMEOUT(action(window, Qt::Key_F5)->isEnabled(), hyb::test::kHangs_ms);
    for (QComboBox* combo : window.findChildren<QComboBox*>())
      if (combo->accessibleName() == QStringLiteral("Pace"))
        combo->setCurrentIndex(combo->findData(static_cast<int>(Pace::free_run)));
    action(window, Qt::Key_F5)->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(window.controller()->state(), State::armed, hyb::test::kHangs_ms);
    for (QPushButton* button : window.findChildren<QPushButton*>("acknowledge"))
      if (!button->isHidden()) button->click();
    QTRY_VERIFY_WITH_TIMEOUT(action(window, Qt::Key_F6)->isEnabled(), hyb::test::kHangs_ms);
    action(window, Qt::Key_F6)->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, hyb::test::kHangs_ms);
  }
  QTemporaryDir folder_;
};

void VerdictWindowTest::aTestThatRanAwayIsNoGoodTest() {
  MainWindow window;
  window.resize(1280, 800);
  window.show();
  window.showWorkspace(Room::run);
  open(window, changed(hyb::test::uncompensatedBenchmark(), folder_, {}));
  runToTheEnd(window);
  const RunResult result = *window.controller()->result();
  QVERIFY2(result.verdict.test == Grade::poor, result.verdict.reasons.empty() ? "" : result.verdict.reasons[0].c_str());
  const auto label = [&](const char* name) {
    auto* found = window.findChild<QLabel*>(QString::fromLatin1(name));
    if (found == nullptr || !found->isVisible()) qFatal("no %s", name);
    return found;
  };
  for (int room = 0; room < MainWindow::rooms().size(); ++room) {
    window.showWorkspace(static_cast<Room>(room));
    QVERIFY(!label("verdict-run")->text().isEmpty());
    constexpr std::array<const char*, 5> kRow = {"verdict-run", "verdict-ended", "verdict-data", "verdict-test",
                                                 "verdict-reasons"};
    for (std::size_t k = 1; k < kRow.size(); ++k)  // nothing lies over its neighbour
      QTRY_VERIFY2_WITH_TIMEOUT(label(kRow[k - 1])->geometry().right() < label(kRow[k])->geometry().left(), kRow[k],
                                hyb::test::kHangs_ms);
    QVERIFY2(label("verdict-ended")->text().contains("as planned"), qPrintable(label("verdict-ended")->text()));
    QVERIFY2(label("verdict-data")->text().contains("whole"), qPrintable(label("verdict-data")->text()));
    QVERIFY2(label("verdict-test")->text().contains("poor"), qPrintable(label("verdict-test")->text()));
    QVERIFY2(label("verdict-reasons")->text().contains("gap"), qPrintable(label("verdict-reasons")->text()));
  }
  for (const char* name : {"verdict-ended", "verdict-data", "verdict-test"})
    QVERIFY2(label(name)->property("mark").toString() != QStringLiteral("ok"), name);
  // It stays until the next test, until another project is opened, or until it is put away.
  const QString shown = label("verdict-reasons")->text();
  open(window, changed("three-mass", folder_, {}));
  QVERIFY(!window.findChild<QWidget*>(QStringLiteral("verdict"))->isVisible());
  open(window, changed(hyb::test::uncompensatedBenchmark(), folder_, {}));
  runToTheEnd(window);
  QCOMPARE(label("verdict-reasons")->text(), shown);
  for (QToolButton* button : window.findChildren<QToolButton*>())
    if (button->accessibleName() == QStringLiteral("Hide the verdict")) button->click();
  QVERIFY(!window.findChild<QWidget*>(QStringLiteral("verdict"))->isVisible());
}

void VerdictWindowTest::nothingIsGreenThatIsNotGood_data() {
  QTest::addColumn<int>("ended");
  QTest::addColumn<bool>("whole");
  QTest::addColumn<int>("test");
  QTest::addColumn<bool>("green");
  const auto row = [](const char* name, EndReason ended, bool whole, Grade test, bool green) {
    QTest::newRow(name) << static_cast<int>(ended) << whole << static_cast<int>(test) << green;
  };
  row("good", EndReason::completed, true, Grade::good, true);
  row("fair", EndReason::completed, true, Grade::fair, false);
  row("poor", EndReason::completed, true, Grade::poor, false);
  row("unknown", EndReason::completed, true, Grade::unknown, false);
  row("rows lost", EndReason::completed, false, Grade::good, false);
  row("tripped", EndReason::limit, true, Grade::good, false);
  row("stopped", EndReason::operator_stop, true, Grade::good, false);
}
void VerdictWindowTest::nothingIsGreenThatIsNotGood() {
  QFETCH(int, ended);
  QFETCH(bool, whole);
  QFETCH(int, test);
  QFETCH(bool, green);
  Verdict verdict;
  verdict.ended = static_cast<EndReason>(ended);
  verdict.missing.clear();
  if (!whole) verdict.missing = {"3 rows lost"};
  verdict.test = static_cast<Grade>(test);
  const VerdictText text = verdictText(verdict);
  int ok = 0;
  for (const VerdictText::Word& word : text.words) ok += QLatin1String(word.mark) == QLatin1String("ok") ? 1 : 0;
  if (green)
    QCOMPARE(ok, 3);
  else if (verdict.test == Grade::good)
    QVERIFY2(ok <= 1, "only the word that is good itself");
  else
    QCOMPARE(ok, 0);
}

void VerdictWindowTest::theReasonOfATripStaysUntilReset() {
  MainWindow window;
  window.show();
  window.showWorkspace(Room::run);
  const Json limits = Json::array({{{"quantity", "force"}, {"threshold_n", 1e6}, {"action", "stop"}},
                                   {{"quantity", "displacement"}, {"threshold_m", 1e-4}, {"action", "ramp"}}});
  open(window, changed("three-mass", folder_, {{"/safety/limits", limits}}));
  window.resize(1024, 700);
  runToTheEnd(window);
  QCOMPARE(window.controller()->state(), State::fault);
  const QString reason = QString::fromStdString(window.controller()->result()->stop_reason);
  QVERIFY2(reason.contains("displacement"), qPrintable(reason));
  const auto whole = [&](QWidget* bar) {  // one of its labels says it all, nothing of it cut off
    for (const QLabel* label : bar->findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(reason) &&
          label->visibleRegion().boundingRect() == label->rect() &&
          label->height() >= label->heightForWidth(label->width()))
        return true;
    return false;
  };
  auto* header = window.findChild<QWidget*>(QStringLiteral("fault-reason"));
  for (int room = 0; room < MainWindow::rooms().size(); ++room) {
    window.showWorkspace(static_cast<Room>(room));
    QTRY_VERIFY2(whole(header), qPrintable(QString::number(room)));
    QTRY_VERIFY2(whole(window.eventLine()), qPrintable(QString::number(room)));
  }
  // Other news does not push it out.
  Q_EMIT window.controller()->failed(QStringLiteral("something else"));
  QVERIFY(window.eventLine()->text().contains(reason));

  auto* table = window.findChild<LimitsTable*>();
  QVERIFY2(table->item(1, 3)->text().startsWith("TRIPPED"), qPrintable(table->item(1, 3)->text()));
  QVERIFY2(table->item(1, 3)->text().contains("mm"), "at what value");
  // The sentence and the table tell one value, that of the tick in which it tripped.
  const double told = reason.section(QStringLiteral("reached "), 1).section(QLatin1Char(' '), 0, 0).toDouble();
  const double shown =
      table->item(1, 3)->text().section(QStringLiteral("at "), 1).section(QChar(0x2009), 0, 0).toDouble();
  QVERIFY2(told > 0.1 && std::abs(told - shown) <= 0.005 * told, qPrintable(reason + table->item(1, 3)->text()));
  QCOMPARE(table->item(0, 3)->text(), QStringLiteral("stop"));
  const double peak_m = window.controller()->run()->safety().monitors()[1].peak.load();
  QVERIFY(peak_m >= 1e-4);
  // The largest value, to the digits that are shown.
  const double shown_mm = table->item(1, 2)->text().section(QLatin1Char(' '), 0, 0).toDouble();
  QVERIFY2(std::abs(shown_mm - 1e3 * peak_m) < 0.01 * 1e3 * peak_m, qPrintable(table->item(1, 2)->text()));
  action(window, Qt::Key_F8)->trigger();
  QCOMPARE(window.controller()->state(), State::ready);
  QVERIFY(!header->isVisible());
  QVERIFY(!window.eventLine()->text().contains(reason));
}

/// Each place names it in one sentence: header beside the verdict, and Analyse. Nothing there has two blanks in a row.
void VerdictWindowTest::theReasonOfATripIsToldOnce() {
  MainWindow window;
  window.resize(1280, 800);
  window.show();
  window.showWorkspace(Room::run);
  const Json tight = Json::array({{{"quantity", "displacement"}, {"threshold_m", 1e-4}, {"action", "stop"}}});
  open(window, changed("three-mass", folder_, {{"/safety/limits", tight}}));
  runToTheEnd(window);
  const RunResult result = *window.controller()->result();
  const QString reason = QString::fromStdString(result.stop_reason);
  QVERIFY2(verdictText(result.verdict).tells(reason), "the verdict has it among its reasons");
  const auto told = [&](const QWidget* place) {
    qsizetype times = 0;
    for (const QLabel* label : place->findChildren<QLabel*>())
      if (label->isVisible()) times += label->text().count(reason, Qt::CaseInsensitive);
    return times;
  };
  const auto blanks = [&] {
    QStringList twice;
    const auto look = [&](const QWidget* widget, const QString& text) {
      if (widget->isVisible() && text.contains(QStringLiteral("  "))) twice << text;
    };
    for (const QLabel* label : window.findChildren<QLabel*>()) look(label, label->text());
    for (const QAbstractButton* button : window.findChildren<QAbstractButton*>()) look(button, button->text());
    return twice.join(QLatin1Char('|'));
  };
  QCOMPARE(told(window.findChild<HeaderBar*>()), qsizetype{1});
  QVERIFY2(blanks().isEmpty(), qPrintable(blanks()));
  for (QPushButton* button : window.findChildren<QPushButton*>())
    if (button->isVisible() && button->text() == QStringLiteral("Open this run in Analyse")) button->click();
  QCOMPARE(window.workspace(), Room::analyse);
  auto* analyse = window.findChild<AnalyseWorkspace*>();
  QTRY_COMPARE_WITH_TIMEOUT(told(analyse), qsizetype{1}, hyb::test::kHangs_ms);
  QVERIFY2(blanks().isEmpty(), qPrintable(blanks()));
}

void VerdictWindowTest::theListOfRunsTellsTheEndsApart() {
  const QTemporaryDir runs;
  const auto record = [&](const char* name, Pace pace, Changes changes) {
    Json project = changed("three-mass", folder_, changes);
    RunOptions options;
    options.pace = pace;
    options.file = runs.filePath(QString::fromLatin1(name) + QStringLiteral(".h5")).toStdString();
    auto run = std::make_unique<TestRun>(parseProject(project), options);
    run->arm();
    run->start();
    return run;
  };
  const Json none = Json::array();
  const Json tight = Json::array({{{"quantity", "displacement"}, {"threshold_m", 1e-4}, {"action", "stop"}}});
  const Json link = Json::array({{{"kind", "link-loss"}, {"from_s", 1.0}}});
  record("limit", Pace::free_run, {{"/safety/limits", tight}})->finish();
  record("link", Pace::free_run, {{"/safety/limits", none}, {"/rig/faults", link}})->finish();
  {
    const auto run = record("operator", Pace::real_time, {{"/safety/limits", none}, {"/loop/duration_s", 600}});
    QTRY_VERIFY_WITH_TIMEOUT(run->recordedRows() > 100, hyb::test::kHangs_ms);
    // What a killed program leaves behind: the file as it is while it is being written.
    QVERIFY(QFile::copy(runs.filePath(QStringLiteral("operator.h5")), runs.filePath(QStringLiteral("crash.h5"))));
    run->requestStop();
    run->finish();
  }
  RunList list;
  list.setFolder(runs.path());
  QTRY_COMPARE_WITH_TIMEOUT(list.count(), 4, hyb::test::kHangs_ms);
  const auto* tree = list.findChild<QTreeWidget*>();
  QMap<QString, QString> ended;
  for (int row = 0; row < tree->topLevelItemCount(); ++row) {
    const QTreeWidgetItem* item = tree->topLevelItem(row);
    const QString tip = item->toolTip(0);
    for (const char* file : {"limit", "link", "operator", "crash"})
      if (tip.contains(QString::fromLatin1(file) + QStringLiteral(".h5"))) ended[QLatin1String(file)] = item->text(1);
    QVERIFY2(item->text(0).contains(QRegularExpression(QStringLiteral("^three-mass\n(\\d\\d-\\d\\d )?\\d\\d:\\d\\d$"))),
             qPrintable(item->text(0)));
    for (const char* part : {"Template: three-mass", "Ended: ", "Data: ", "Test: "})
      QVERIFY2(tip.contains(QLatin1String(part)), qPrintable(tip));
    for (int column = 0; column < tree->columnCount(); ++column) QCOMPARE(item->toolTip(column), tip);
  }
  QCOMPARE(ended["limit"], QStringLiteral("limit"));
  QCOMPARE(ended["link"], QStringLiteral("link lost"));
  QCOMPARE(ended["operator"], QStringLiteral("operator"));
  QCOMPARE(ended["crash"], QStringLiteral("killed"));
}

void VerdictWindowTest::aRunTooShortToAnalyseSaysSo() {
  MainWindow window;
  window.resize(1280, 800);
  window.show();
  window.showWorkspace(Room::run);
  const Json tight = Json::array({{{"quantity", "displacement"}, {"threshold_m", 1e-4}, {"action", "stop"}}});
  open(window, changed("three-mass", folder_, {{"/safety/limits", tight}, {"/analysis/start_s", 3.0}}));
  runToTheEnd(window);
  window.showWorkspace(Room::analyse);
  const auto said = [&] {
    for (const QLabel* label : window.findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(QStringLiteral("Analysis > Start: 3 s"))) return true;
    return false;
  };
  QTRY_VERIFY_WITH_TIMEOUT(said(), hyb::test::kHangs_ms);
  for (const FiguresTable* table : window.findChildren<FiguresTable*>())
    for (const QTreeWidgetItem* item : table->findItems(QString(), Qt::MatchContains | Qt::MatchRecursive))
      for (int column = 1; column < table->columnCount(); ++column)
        QVERIFY2(item->text(column) != QStringLiteral("-") && item->text(column) != QStringLiteral("–"),
                 qPrintable(item->text(0)));
}

HYB_SUITE(verdict_window, VerdictWindowTest)
#include "verdict_window_test.moc"
