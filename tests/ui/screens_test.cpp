// Every page in both themes and in the sizes that the window promises; STOP and the state are whole in all of them.
// With HYB_SCREENS=<folder> the pictures are kept (target `screens`); QT_SCALE_FACTOR gives the scale.
#include <QAbstractItemView>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDeadlineTimer>
#include <QDir>
#include <QFrame>
#include <QLabel>
#include <QListView>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QSignalSpy>
#include <QStyleOptionComboBox>
#include <QTabWidget>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

#include "tests/support/gui_session.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"
#include "tests/support/uncompensated.h"
#include "tests/support/wired_device.h"
#include "ui/analyse/analyse_workspace.h"
#include "ui/analyse/figures_table.h"
#include "ui/base/latest_task.h"
#include "ui/configure/configure_workspace.h"
#include "ui/document/project_document.h"
#include "ui/fidelity/campaign_bar.h"
#include "ui/fidelity/face_page.h"
#include "ui/fidelity/fidelity_workspace.h"
#include "ui/rig/rig_session.h"
#include "ui/rig/rig_workspace.h"
#include "ui/run/preflight_panel.h"
#include "ui/shell/header_bar.h"
#include "ui/shell/main_window.h"

using namespace hyb;
using namespace hyb::ui;

namespace {

constexpr int kMostTurns = 30;

/// Sizes in pixels of the screen: at 150 and 200 % the window has fewer of its own.
QList<QSize> sizesAt(double scale) {
  if (scale < 1.25) return {{1024, 700}, {1280, 800}, {2560, 1440}};
  if (scale < 1.75) return {{1536, 1050}, {2560, 1440}};
  return {{2048, 1400}, {2560, 1440}};
}

/// Cells in sight whose text finds no room.
QString cellsCutOff(const QAbstractItemView& view) {
  const auto* list = qobject_cast<const QListView*>(&view);
  if (view.model() == nullptr || (list != nullptr && list->wordWrap())) return {};
  QStringList cut;
  const auto look = [&](const QModelIndex& index) {
    const QRect cell = view.visualRect(index);
    if (index.data().toString().isEmpty() || !view.viewport()->rect().intersects(cell)) return;
    if (view.sizeHintForIndex(index).width() > cell.width()) cut << index.data().toString();
  };
  for (int row = 0; row < view.model()->rowCount(); ++row)
    for (int column = 0; column < view.model()->columnCount(); ++column) look(view.model()->index(row, column));
  return cut.join(QStringLiteral(" | "));
}

/// What of a widget's text does not find room in it; empty: it is whole. Text that may give way (its own tooltip has
/// the rest) says so by its size policy.
QString cutOff(const QWidget& widget) {
  if (const auto* label = qobject_cast<const QLabel*>(&widget)) {
    if (label->text().isEmpty() || label->sizePolicy().horizontalPolicy() == QSizePolicy::Ignored) return {};
    const bool low = label->wordWrap() && label->heightForWidth(label->width()) > label->height();
    const bool narrow = !label->wordWrap() && label->sizeHint().width() > label->width();
    return low || narrow ? label->text() : QString();
  }
  if (const auto* combo = qobject_cast<const QComboBox*>(&widget)) {
    QStyleOptionComboBox option;
    option.initFrom(combo);
    const QRect field =
        combo->style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, combo);
    return combo->fontMetrics().horizontalAdvance(combo->currentText()) > field.width() ? combo->currentText()
                                                                                        : QString();
  }
  if (const auto* button = qobject_cast<const QPushButton*>(&widget))
    return button->fontMetrics().horizontalAdvance(button->text()) > button->width() ? button->text() : QString();
  if (const auto* view = qobject_cast<const QAbstractItemView*>(&widget)) return cellsCutOff(*view);
  const auto* area = qobject_cast<const QScrollArea*>(&widget);
  if (area == nullptr || area->widget() == nullptr || area->horizontalScrollBarPolicy() != Qt::ScrollBarAlwaysOff ||
      area->widget()->width() <= area->viewport()->width())
    return {};
  QStringList beyond;
  for (const QWidget* inside : area->widget()->findChildren<QWidget*>())
    if (inside->isVisible() &&
        inside->mapTo(area->widget(), QPoint(inside->width(), 0)).x() > area->viewport()->width())
      beyond << QLatin1String(inside->metaObject()->className()) + QLatin1Char(' ') + inside->accessibleName();
  return QStringLiteral("a page %1 wide in %2: %3")
      .arg(area->widget()->width())
      .arg(area->viewport()->width())
      .arg(beyond.join(", "));
}

}  // namespace

class ScreensTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    ui::testing::startGuiSession("screens");
    scale_ = qEnvironmentVariable("QT_SCALE_FACTOR", QStringLiteral("1")).toDouble();
    keep_ = qEnvironmentVariable("HYB_SCREENS");
    if (!keep_.isEmpty()) QVERIFY(QDir().mkpath(keep_));
  }
  void everyPageInEverySize_data() {
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    // A colour takes no room: on larger screens the dark theme is only there for its pictures.
    if (scale_ == 1.0 || !keep_.isEmpty()) QTest::newRow("dark") << true;
  }
  void everyPageInEverySize();

 private:
  void settle();
  void shoot(const QString& page);
  void open(const char* name, std::initializer_list<std::pair<const char*, Json>> changes = {}) {
    open(name, templateDocument(name), changes);
  }
  void open(const char* name, Json project, std::initializer_list<std::pair<const char*, Json>> changes = {}) {
    project["recording"]["folder"] = folder_.path().toStdString();
    for (const auto& [pointer, value] : changes) project[Json::json_pointer(pointer)] = value;
    const std::string file = folder_.filePath(QString::fromLatin1(name) + QStringLiteral(".json")).toStdString();
    saveDocument(project, file);
    QVERIFY(window_->open(file));
    QTRY_VERIFY_WITH_TIMEOUT(!window_->document()->checking(), hyb::test::kHangs_ms);
  }
  QAction* action(const QKeySequence& key) {
    for (QAction* found : window_->findChildren<QAction*>())
      if (found->shortcut() == key) return found;
    qFatal("no such action");
  }
  State state() { return window_->controller()->state(); }
  void arm() {
    QTRY_VERIFY_WITH_TIMEOUT(action(Qt::Key_F5)->isEnabled(), hyb::test::kHangs_ms);
    action(Qt::Key_F5)->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(state(), State::armed, hyb::test::kHangs_ms);
  }
  void run() {
    for (QPushButton* button : window_->findChildren<QPushButton*>("acknowledge"))
      if (button->isVisible()) button->click();
    QTRY_VERIFY_WITH_TIMEOUT(action(Qt::Key_F6)->isEnabled(), hyb::test::kHangs_ms);
    action(Qt::Key_F6)->trigger();
  }
  void setPace(Pace pace) {
    for (QComboBox* combo : window_->findChildren<QComboBox*>())
      if (combo->accessibleName() == QStringLiteral("Pace")) {
        const int index = combo->findData(static_cast<int>(pace));
        if (index >= 0) combo->setCurrentIndex(index);
      }
  }
  void showTab(const QString& text) {
    for (QTabWidget* tabs : window_->findChildren<QTabWidget*>())
      for (int page = 0; page < tabs->count(); ++page)
        if (tabs->isVisible() && tabs->tabText(page) == text) tabs->setCurrentIndex(page);
  }

  double scale_ = 1.0;
  QString keep_, theme_;
  QStringList cut_;  ///< text that is not whole: all of it is told at the end
  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

/// Waits until nothing more is worked out (while a test runs, something always is) and every widget has its place:
/// layouts ask one another over several turns of the event loop.
void ScreensTest::settle() {
  const QDeadlineTimer patience(hyb::test::kHangs_ms);
  QList<QRect> before, now;
  for (int turn = 0; turn < kMostTurns; ++turn) {
    QCoreApplication::processEvents();
    while (state() != State::running && LatestTask::underWay() > 0) {
      QVERIFY(!patience.hasExpired());
      QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);  // of what these events brought
    before = std::exchange(now, {});
    for (const QWidget* widget : window_->findChildren<QWidget*>())
      if (widget->isVisible()) now << widget->geometry();
    if (now == before) return;
  }
}

void ScreensTest::shoot(const QString& page) {
  for (const QSize& pixels : sizesAt(scale_)) {
    const QSize size = pixels / scale_;
    window_->resize(size);
    settle();
    if (QTest::currentTestFailed()) return;
    const QString shown = QStringLiteral("%1-%2-%3x%4-%5")
                              .arg(page, theme_)
                              .arg(pixels.width())
                              .arg(pixels.height())
                              .arg(qRound(100 * scale_));
    QVERIFY2(window_->size() == size, qPrintable(QStringLiteral("%1: the window does not get smaller than %2 x %3")
                                                     .arg(shown)
                                                     .arg(window_->width())
                                                     .arg(window_->height())));
    for (const QFrame* panel : window_->findChildren<QFrame*>()) {  // none covers another
      if (!panel->isVisible() || !panel->property("panel").toBool()) continue;
      for (const QObject* other : panel->parentWidget()->children()) {
        const auto* beside = qobject_cast<const QFrame*>(other);
        if (beside == nullptr || beside == panel || !beside->isVisible() || !beside->property("panel").toBool())
          continue;
        QVERIFY2(!panel->geometry().intersects(beside->geometry()),
                 qPrintable(QStringLiteral("%1: %2 and %3")
                                .arg(shown, QLatin1String(panel->metaObject()->className()),
                                     QLatin1String(beside->metaObject()->className()))));
      }
    }
    for (QWidget* widget : std::initializer_list<QWidget*>{
             window_->findChild<StopButton*>(), window_->findChild<StateChip*>(), window_->findChild<ModeChip*>()}) {
      const QByteArray what = (shown + QLatin1Char(' ') + QLatin1String(widget->metaObject()->className())).toUtf8();
      QVERIFY2(widget->isVisible(), what.constData());
      QVERIFY2(widget->width() >= widget->sizeHint().width(), what.constData());
      QVERIFY2(widget->visibleRegion().boundingRect() == widget->rect(), what.constData());
      const QRect box(widget->mapTo(window_.get(), QPoint()), widget->size());
      QVERIFY2(window_->rect().contains(box), what.constData());
      for (const QObject* other : widget->parentWidget()->children()) {
        const auto* beside = qobject_cast<const QWidget*>(other);
        if (beside == nullptr || beside == widget || !beside->isVisible()) continue;
        QVERIFY2(
            !beside->geometry().intersects(widget->geometry()),
            (what + " lies over " + beside->objectName().toUtf8() + beside->metaObject()->className()).constData());
      }
    }
    for (const QWidget* widget : window_->findChildren<QWidget*>()) {
      const QString cut = widget->isVisible() ? cutOff(*widget) : QString();
      if (!cut.isEmpty())
        cut_ << QStringLiteral("%1: %2: %3").arg(shown, QLatin1String(widget->metaObject()->className()), cut);
    }
    if (!keep_.isEmpty()) QVERIFY(window_->grab().save(QDir(keep_).filePath(shown + QStringLiteral(".png"))));
  }
}

void ScreensTest::everyPageInEverySize() {
  QFETCH(bool, dark);
  cut_.clear();
  theme_ = dark ? QStringLiteral("dark") : QStringLiteral("light");
  auto wires = std::make_shared<hyb::test::Wires>();
  const Project wired = parseProject(templateDocument("three-mass"));
  window_ = std::make_unique<MainWindow>(HardwareAccess{hyb::test::wiredDevices(wired, wires), {}});
  window_->setTheme(dark ? ThemeChoice::dark : ThemeChoice::light);
  window_->show();
  QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
  window_->setUpdatesEnabled(!keep_.isEmpty());  // places are found without a picture
  const auto failed = [] { return QTest::currentTestFailed(); };

  // As shipped, before anything was done.
  open("benchmark-2020");
  for (const char* section : {"/meta", "/structure", "/partition", "/excitation", "/integrator", "/coupling",
                              "/compensation", "/rig", "/safety", "/recording", "/loop", "/analysis"}) {
    window_->configure()->showSection(section);
    shoot(QStringLiteral("configure-%1").arg(QLatin1String(section + 1)));
    if (failed()) return;
  }
  window_->showWorkspace(Room::rig);
  shoot(QStringLiteral("rig"));
  showTab(QStringLiteral("Identification"));
  auto* excite = window_->findChild<QPushButton*>(QStringLiteral("excite"));
  QTRY_VERIFY_WITH_TIMEOUT(excite->isEnabled(), hyb::test::kHangs_ms);
  shoot(QStringLiteral("identification"));
  setPace(Pace::free_run);
  excite->click();
  auto* changes = window_->findChild<QTableWidget*>(QStringLiteral("accept-changes"));
  auto* of_twin = window_->findChild<QCheckBox*>(QStringLiteral("accept-twin"));
  QTRY_VERIFY_WITH_TIMEOUT(of_twin->isEnabled() && window_->findChild<QPushButton*>("fit")->isEnabled(),
                           hyb::test::kHangs_ms);
  of_twin->click();
  QTRY_VERIFY_WITH_TIMEOUT(changes->rowCount() > 0, hyb::test::kHangs_ms);
  shoot(QStringLiteral("identification-found"));
  showTab(QStringLiteral("Plant"));
  QTRY_VERIFY_WITH_TIMEOUT(window_->findChild<QTreeWidget*>(QStringLiteral("plant-roots"))->topLevelItemCount() > 0,
                           hyb::test::kHangs_ms);
  shoot(QStringLiteral("plant"));
  showTab(QStringLiteral("Set-up"));
  window_->showWorkspace(Room::analyse);
  shoot(QStringLiteral("analyse-empty"));
  window_->showWorkspace(Room::fidelity);
  showTab(QStringLiteral("FACE"));
  shoot(QStringLiteral("face"));
  showTab(QStringLiteral("Study"));
  shoot(QStringLiteral("study"));
  window_->showWorkspace(Room::run);
  shoot(QStringLiteral("run-ready"));

  // Each actuator with a method of its own.
  const Json methods = Json::array({{{"method", "inverse-model"}, {"numerator", 100}, {"denominator", {1, 100}}},
                                    {{"method", "plug-in"}, {"library", "lead.so"}}});
  open("three-mass", {{"/compensation", methods}});
  window_->showWorkspace(Room::configure);
  window_->configure()->showSection("/compensation");
  shoot(QStringLiteral("configure-methods"));
  if (failed()) return;
  // Another program computes.
  open("three-mass", {{"/coupling",
                       {{"scheme", "external"},
                        {"length_factor", 0.001},
                        {"force_factor", 1000},
                        {"time_factor", 1},
                        {"stiffness_n_per_m", {2e6, 0, 0, 2e6}}}}});
  window_->configure()->showSection("/coupling");
  shoot(QStringLiteral("configure-external"));
  if (failed()) return;
  // A test that nobody should take for a good one.
  open("benchmark-2020", hyb::test::uncompensatedBenchmark());
  window_->showWorkspace(Room::run);
  setPace(Pace::free_run);
  arm();
  if (failed()) return;
  QTRY_VERIFY_WITH_TIMEOUT(window_->findChild<PreflightPanel*>()->waiting(), hyb::test::kHangs_ms);
  shoot(QStringLiteral("run-armed"));
  QSignalSpy ended(window_->controller(), &RunController::ended);
  run();
  QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, hyb::test::kHangs_ms);
  shoot(QStringLiteral("run-ended"));
  if (failed()) return;
  auto* analyse = window_->findChild<AnalyseWorkspace*>();
  QSignalSpy opened(analyse, &AnalyseWorkspace::runOpened);
  window_->showWorkspace(Room::analyse);
  analyse->openRun(QString::fromStdString(window_->controller()->run()->file().string()));
  QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 1, hyb::test::kHangs_ms);
  auto* figures = analyse->findChild<FiguresTable*>();
  QTRY_VERIFY_WITH_TIMEOUT(figures->topLevelItemCount() > 0, hyb::test::kHangs_ms);
  shoot(QStringLiteral("analyse"));

  // Trials, live and read back, with both rules.
  open("three-mass-trials",
       loadDocument(std::string(hyb::test::kSourceDir) + "/tests/data/projects/three-mass-trials.json"),
       {{"/meta/title", "three-mass-trials"},
        {"/loop/trials/stop_after_rises", 3},
        {"/loop/trials/stop_below_percent", 0.5}});
  window_->showWorkspace(Room::run);
  showTab(QStringLiteral("Trials"));
  shoot(QStringLiteral("run-trials-to-come"));
  arm();
  run();
  QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 2, hyb::test::kHangs_ms);
  QTRY_VERIFY_WITH_TIMEOUT(window_->findChild<QCheckBox*>(QStringLiteral("begin-with"))->isVisible(),
                           hyb::test::kHangs_ms);
  shoot(QStringLiteral("run-trials"));
  window_->showWorkspace(Room::analyse);
  analyse->openRun(QString::fromStdString(window_->controller()->run()->file().string()));
  QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 2, hyb::test::kHangs_ms);
  showTab(QStringLiteral("Trials"));
  shoot(QStringLiteral("analyse-trials"));
  if (failed()) return;

  // FACE with its verdict: the curve, the tests behind it and what follows from them.
  open("face-linear");
  window_->showWorkspace(Room::fidelity);
  showTab(QStringLiteral("FACE"));
  CampaignBar* bar = window_->fidelity()->face()->bar();
  QPushButton* face = ui::testing::button(*bar, QStringLiteral("Run FACE"));
  QTRY_VERIFY_WITH_TIMEOUT(face->isEnabled(), hyb::test::kHangs_ms);
  face->click();
  QTRY_VERIFY_WITH_TIMEOUT(bar->running(), hyb::test::kHangs_ms);
  QTRY_VERIFY_WITH_TIMEOUT(!bar->running(), hyb::test::kHangs_ms);
  shoot(QStringLiteral("face-verdict"));
  if (failed()) return;

  // A test that runs, with everything that can be asked of it, and the question before the window closes.
  const Json limit = Json::array({{{"quantity", "displacement"}, {"threshold_m", 0.018}, {"action", "ramp"}},
                                  {{"quantity", "gap"}, {"threshold_m", 0.006}, {"action", "ramp"}},
                                  {{"quantity", "link-lost"}, {"action", "stop"}}});
  open("three-mass", {{"/loop/duration_s", 0}, {"/safety/limits", limit}});
  setPace(Pace::real_time);
  window_->showWorkspace(Room::run);
  arm();
  run();
  QTRY_COMPARE_WITH_TIMEOUT(state(), State::running, hyb::test::kHangs_ms);
  QTRY_VERIFY_WITH_TIMEOUT(window_->controller()->run()->status().tick.load() > 1500, hyb::test::kHangs_ms);
  for (const char* tab : {"Fidelity", "Plots", "Tuning", "Faults"}) {
    showTab(QString::fromLatin1(tab));
    shoot(QStringLiteral("run-running-%1").arg(QString::fromLatin1(tab).toLower()));
  }
  window_->close();
  shoot(QStringLiteral("run-closing"));
  QTest::keyClick(window_.get(), Qt::Key_Escape);
  QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 3, hyb::test::kHangs_ms);
  if (failed()) return;

  // A trip.
  const Json tight = Json::array({{{"quantity", "displacement"}, {"threshold_m", 1e-4}, {"action", "ramp"}},
                                  {{"quantity", "force"}, {"threshold_n", 150}, {"action", "stop"}}});
  open("three-mass", {{"/safety/limits", tight}});
  setPace(Pace::free_run);
  arm();
  run();
  QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 4, hyb::test::kHangs_ms);
  QCOMPARE(state(), State::fault);
  shoot(QStringLiteral("run-fault"));
  window_->showWorkspace(Room::configure);
  shoot(QStringLiteral("configure-fault"));
  action(Qt::Key_F8)->trigger();

  // A real rig, connected for its set-up; then its shadow.
  const Json connection = {{"protocol", "frames"}, {"address", "tcp://127.0.0.1:1"}};
  open("three-mass", {{"/rig/use", "rig"}, {"/rig/connection", connection}});
  window_->showWorkspace(Room::rig);
  auto* connect = window_->findChild<QPushButton*>(QStringLiteral("connect"));
  QTRY_VERIFY_WITH_TIMEOUT(connect->isEnabled(), hyb::test::kHangs_ms);
  connect->click();
  QTRY_VERIFY_WITH_TIMEOUT(window_->rig()->session()->view().readings > 0, hyb::test::kHangs_ms);
  shoot(QStringLiteral("rig-connected"));
  connect->click();
  QTRY_COMPARE_WITH_TIMEOUT(window_->rig()->session()->state(), RigSession::State::disconnected, hyb::test::kHangs_ms);
  open("three-mass", {{"/rig/use", "shadow"}, {"/rig/connection", connection}});
  window_->showWorkspace(Room::run);
  shoot(QStringLiteral("run-shadow"));
  window_->document()->undoStack()->setClean();
  window_.reset();
  QVERIFY2(cut_.isEmpty(), qPrintable(cut_.join(QLatin1Char('\n'))));
}

HYB_SUITE(screens, ScreensTest)
#include "screens_test.moc"
