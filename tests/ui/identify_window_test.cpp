// Identification in the window: a technician's hour with a force-based test, from the excitation to the run with what
// was found; what is refused; and a rig that moves at the second press alone.
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QTabBar>
#include <QTabWidget>
#include <QTableWidget>
#include <QTest>
#include <QTreeWidget>

#include "core/record/run_file_reader.h"
#include "tests/support/gui_session.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"
#include "tests/support/wired_device.h"
#include "ui/analyse/figures_table.h"
#include "ui/analyse/run_list.h"
#include "ui/base/number_field.h"
#include "ui/document/project_document.h"
#include "ui/plot/phasor_plot.h"
#include "ui/plot/response_plot.h"
#include "ui/rig/rig_workspace.h"
#include "ui/run/control_panel.h"
#include "ui/run/run_workspace.h"
#include "ui/shell/header_bar.h"
#include "ui/shell/main_window.h"

using namespace hyb;
using namespace hyb::ui;
using hyb::test::Wires;

class IdentifyWindowTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { ui::testing::startGuiSession("identify_window"); }
  void cleanup() { window_.reset(); }

  void aTechniciansHour();
  void steppedSinesShowTheirPhasors();
  void whatIsRefusedMovesNothing();
  void aFitCanBeCancelledAndOtherRunsBeOpened();
  void aRigMovesAtTheSecondPress();

 private:
  void show(const char* name, HardwareAccess hardware = {},
            std::initializer_list<std::pair<const char*, Json>> more = {});
  void identification();  // shows the page
  template <typename Widget>
  Widget* child(const QString& name) {
    auto* found = window_->findChild<Widget*>(name);
    if (found == nullptr) qFatal("no %s", qPrintable(name));
    return found;
  }
  QPushButton* button(const char* name) { return child<QPushButton>(QString::fromLatin1(name)); }
  QString text(const char* label) { return child<QLabel>(QString::fromLatin1(label))->text(); }
  void click(QPushButton* button) {
    QTRY_VERIFY_WITH_TIMEOUT(button->isEnabled() && button->isVisible(), hyb::test::kHangs_ms);
    QTest::mouseClick(button, Qt::LeftButton);
  }
  void type(const char* field, const char* number) {
    auto* box = child<ValueField>(QString::fromLatin1(field));
    box->setFocus();
    box->selectAll();
    QTest::keyClicks(box, number);
    QTest::keyClick(box, Qt::Key_Tab);
  }
  /// With the keys, as far as the one with this text.
  void choose(QComboBox* box, const QString& text) {
    box->setFocus();
    QTest::keyClick(box, Qt::Key_Home);
    while (box->currentText() != text && box->currentIndex() + 1 < box->count()) QTest::keyClick(box, Qt::Key_Down);
    QCOMPARE(box->currentText(), text);
  }
  QAction* action(const QKeySequence& key) {
    for (QAction* found : window_->findChildren<QAction*>())
      if (found->shortcut() == key) return found;
    qFatal("no such action");
  }
  void settle() { QTRY_VERIFY_WITH_TIMEOUT(!window_->document()->checking(), hyb::test::kHangs_ms); }
  void runTheTest();
  double figure(const QString& start, double other_than = -1.0);
  ProjectDocument* document() { return window_->document(); }
  RunController* controller() { return window_->controller(); }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

void IdentifyWindowTest::show(const char* name, HardwareAccess hardware,
                              std::initializer_list<std::pair<const char*, Json>> more) {
  window_ = std::make_unique<MainWindow>(std::move(hardware));
  window_->resize(1280, 800);
  window_->show();
  window_->activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(window_.get()));
  Json project = templateDocument(name);
  project["recording"]["folder"] = folder_.path().toStdString();
  for (const auto& [pointer, value] : more) project[Json::json_pointer(pointer)] = value;
  const std::string file = folder_.filePath(QString::fromLatin1(name) + ".json").toStdString();
  saveDocument(project, file);
  QVERIFY(window_->open(file));
  settle();
  QVERIFY2(document()->issues().empty(),
           document()->issues().empty() ? "" : document()->issues().front().message.c_str());
}

void IdentifyWindowTest::identification() {
  QTest::keyClick(window_.get(), Qt::Key_2, Qt::ControlModifier);
  QCOMPARE(window_->workspace(), Room::rig);
  auto* pages = window_->rig()->findChild<QTabWidget*>();
  QTabBar* bar = pages->tabBar();
  QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(1).center());
  QCOMPARE(pages->tabText(pages->currentIndex()), QStringLiteral("Identification"));
}

/// F5, what has to be acknowledged, F6, the end.
void IdentifyWindowTest::runTheTest() {
  QTest::keyClick(window_.get(), Qt::Key_3, Qt::ControlModifier);
  for (QComboBox* box : window_->findChild<ControlPanel*>()->findChildren<QComboBox*>())
    if (box->accessibleName() == QStringLiteral("Pace")) choose(box, QStringLiteral("Free run"));
  QTRY_VERIFY_WITH_TIMEOUT(action(Qt::Key_F5)->isEnabled(), hyb::test::kHangs_ms);
  QTest::keyClick(window_.get(), Qt::Key_F5);
  QTRY_COMPARE_WITH_TIMEOUT(controller()->state(), State::armed, hyb::test::kHangs_ms);
  const auto ready = [&] {
    for (QPushButton* acknowledge : window_->findChildren<QPushButton*>("acknowledge"))
      if (acknowledge->isVisible() && acknowledge->isEnabled()) acknowledge->click();
    return button("preflight-run")->isEnabled();
  };
  QTRY_VERIFY_WITH_TIMEOUT(ready(), hyb::test::kHangs_ms);
  QTest::keyClick(window_.get(), Qt::Key_F6);
  QTRY_VERIFY_WITH_TIMEOUT(!controller()->active(), hyb::test::kHangs_ms);
  QPushButton* open = ui::testing::button(*window_->findChild<ControlPanel*>(), "Open this run");
  click(open);
  QCOMPARE(window_->workspace(), Room::analyse);
}

/// A figure of the run in Analyse, by the start of its name, once it is another one than that.
double IdentifyWindowTest::figure(const QString& start, double other_than) {
  auto* table = window_->findChild<FiguresTable*>();
  double found = other_than;
  const auto read = [&] {
    QCoreApplication::processEvents();
    for (const QTreeWidgetItem* row : table->findItems(start, Qt::MatchStartsWith | Qt::MatchRecursive))
      found = row->text(1).section(QChar(0x2009), 0, 0).toDouble();
    return found != other_than;
  };
  if (!hyb::test::comesTrue(read)) qFatal("no figure %s", qPrintable(start));
  return found;
}

void IdentifyWindowTest::aTechniciansHour() {
  show("force-shear-building");
  const Json shipped = document()->json();
  identification();
  // Something sensible stands there, and was tried out.
  QPushButton* excite = button("excite");
  QTRY_VERIFY_WITH_TIMEOUT(excite->isEnabled(), hyb::test::kHangs_ms);
  QVERIFY2(text("excite-outcome").contains("of what limits and actuator allow"), qPrintable(text("excite-outcome")));
  QVERIFY2(text("excite-outcome").contains("Inactive limits, because this test has no target motion: gap"),
           qPrintable(text("excite-outcome")));
  QCOMPARE(child<ValueField>("excite-to")->value(), 24.0);  // its own shaking goes to 12 Hz
  choose(child<QComboBox>("excite-pace"), QStringLiteral("Free run"));
  type("excite-period", "2");
  type("excite-duration", "10");
  click(excite);
  QTRY_VERIFY_WITH_TIMEOUT(!controller()->active(), hyb::test::kHangs_ms);
  QVERIFY2(text("excite-message").startsWith("Done. Recorded in"), qPrintable(text("excite-message")));

  // A model stands there by itself; then that of the thesis, 3 poles without a delay.
  QTRY_VERIFY_WITH_TIMEOUT(text("identified-model").contains("proposed"), hyb::test::kHangs_ms);
  choose(child<QComboBox>("fit-poles"), QStringLiteral("3"));
  choose(child<QComboBox>("fit-delay"), QStringLiteral("none"));
  click(button("fit"));
  QTRY_VERIFY_WITH_TIMEOUT(text("identified-model").contains("3 poles, 0 zeros"), hyb::test::kHangs_ms);
  auto* magnitude = child<ResponsePlot>("response-magnitude");
  QCOMPARE(magnitude->legendEntries().size(), std::size_t{2});
  QVERIFY(magnitude->valueTable().rows.size() > 40);

  // The compensation changes; the twin is what was excited and stays.
  QVERIFY(!child<QWidget>("accept-twin")->property("checked").toBool());
  auto* changes = child<QTableWidget>("accept-changes");
  QTRY_COMPARE_WITH_TIMEOUT(changes->rowCount(), 4, hyb::test::kHangs_ms);
  QCOMPARE(changes->item(0, 0)->text(), QStringLiteral("/compensation/numerator"));
  QCOMPARE(changes->item(0, 1)->text(), QStringLiteral("4497368.10731"));
  click(button("accept"));
  QVERIFY2(text("accept-note").startsWith("Accepted: 4 values"), qPrintable(text("accept-note")));
  const Json found = document()->json();
  QVERIFY(found["rig"] == shipped["rig"] && found["compensation"] != shipped["compensation"]);
  QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
  QVERIFY(document()->json() == shipped);
  QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  QVERIFY(document()->json() == found);
  settle();

  // With what was found the force follows as well as with the published model of the thesis.
  runTheTest();
  const double with_found = figure(QStringLiteral("J2, tracking error")), off = figure(QStringLiteral("Gap, rms"));
  QVERIFY2(with_found > 0.0 && with_found < 10.0, qPrintable(QString::number(with_found)));
  QVERIFY2(off > 0.0, qPrintable(QString::number(off)));

  // Without compensation it does not.
  QTest::keyClick(window_.get(), Qt::Key_1, Qt::ControlModifier);
  auto* sections = child<QListWidget>("sections");
  for (int row = 0; row < sections->count(); ++row)
    if (sections->item(row)->data(Qt::UserRole).toString() == QLatin1String("/compensation"))
      sections->setCurrentRow(row);
  auto* method = child<QComboBox>("/compensation/method");
  const int none = method->findData(QStringLiteral("none"));
  method->setCurrentIndex(none);
  Q_EMIT method->activated(none);
  settle();
  QVERIFY(document()->json()["compensation"] == Json({{"method", "none"}}));
  runTheTest();
  const double without = figure(QStringLiteral("J2, tracking error"), with_found);
  QVERIFY2(without > 5.0 * with_found, qPrintable(QStringLiteral("%1 %, %2 %").arg(without).arg(with_found)));
}

/// A stepped sine from the panel to the plot of its phasors, which stands in place of the coherence.
void IdentifyWindowTest::steppedSinesShowTheirPhasors() {
  show("three-mass");
  identification();
  QPushButton* excite = button("excite");
  QTRY_VERIFY_WITH_TIMEOUT(excite->isEnabled(), hyb::test::kHangs_ms);
  auto* phasors = child<PhasorPlot>("response-phasors");
  auto* coherence = child<ResponsePlot>("response-coherence");
  QVERIFY(coherence->isVisible() && !phasors->isVisible());
  QVERIFY(child<ValueField>("excite-period")->isVisible() && !child<ValueField>("excite-count")->isVisible());
  choose(child<QComboBox>("excite-pace"), QStringLiteral("Free run"));
  choose(child<QComboBox>("excite-kind"), QStringLiteral("Stepped sine"));
  QVERIFY(!child<ValueField>("excite-period")->isVisible() && child<ValueField>("excite-count")->isVisible());
  type("excite-count", "6");
  type("excite-from", "4");
  type("excite-settling", "0.5");
  type("excite-periods", "10");
  QTRY_VERIFY_WITH_TIMEOUT(excite->isEnabled(), hyb::test::kHangs_ms);
  click(excite);
  QTRY_VERIFY_WITH_TIMEOUT(!controller()->active(), hyb::test::kHangs_ms);
  QTRY_VERIFY_WITH_TIMEOUT(phasors->valueTable().rows.size() == 60 && !text("identified-model").isEmpty(),
                           hyb::test::kHangs_ms);
  QVERIFY(phasors->isVisible() && !coherence->isVisible());
  QCOMPARE(child<ResponsePlot>("response-magnitude")->valueTable().rows.size(), std::size_t{6});
  QVERIFY2(phasors->reading().startsWith("95 % within"), qPrintable(phasors->reading()));
  for (const std::vector<double>& row : phasors->valueTable().rows)
    QVERIFY(std::hypot(row[2] - row[4], row[3] - row[5]) < 0.05);
}

void IdentifyWindowTest::whatIsRefusedMovesNothing() {
  show("force-shear-building");
  identification();
  QPushButton* excite = button("excite");
  QTRY_VERIFY_WITH_TIMEOUT(excite->isEnabled(), hyb::test::kHangs_ms);
  const auto refused = [&](const char* words) {
    QTRY_VERIFY2_WITH_TIMEOUT(text("excite-refusal").contains(QLatin1String(words)), qPrintable(text("excite-refusal")),
                              hyb::test::kHangs_ms);
    QVERIFY(!excite->isEnabled());
    QTest::mouseClick(excite, Qt::LeftButton);
    QCOMPARE(controller()->state(), State::ready);
  };
  type("excite-amplitude", "70");
  QVERIFY2(!excite->isEnabled(), "not before it was tried out");
  refused("mm of stroke and has 63 mm");
  refused("velocity");
  type("excite-amplitude", "1");
  QTRY_VERIFY_WITH_TIMEOUT(excite->isEnabled(), hyb::test::kHangs_ms);
  type("excite-to", "3000");
  refused("Band is 0.5 to 3000 Hz");
  click(button("excite-suggest"));
  QTRY_VERIFY_WITH_TIMEOUT(excite->isEnabled(), hyb::test::kHangs_ms);
  QCOMPARE(child<ValueField>("excite-to")->value(), 24.0);
  QVERIFY(text("excite-refusal").isEmpty());
  // An actuator that takes a force.
  show("lumped-aff");
  identification();
  excite = button("excite");
  refused("takes a force");
}

void IdentifyWindowTest::aFitCanBeCancelledAndOtherRunsBeOpened() {
  show("three-mass");
  identification();
  choose(child<QComboBox>("excite-pace"), QStringLiteral("Free run"));
  choose(child<QComboBox>("excite-axis"), QStringLiteral("2 m2"));
  click(button("excite"));
  QTRY_VERIFY_WITH_TIMEOUT(text("identified-model").contains("order"), hyb::test::kHangs_ms);
  QCOMPARE(child<QComboBox>("fit-input")->currentText(), QStringLiteral("command_2"));
  // Too many poles: it is told that fewer do.
  choose(child<QComboBox>("fit-poles"), QStringLiteral("6"));
  click(button("fit"));
  QVERIFY(button("fit-cancel")->isEnabled());
  QTRY_VERIFY_WITH_TIMEOUT(text("identified-model").contains("6 poles"), hyb::test::kHangs_ms);
  QVERIFY2(text("identified-findings").contains("higher than the data support"),
           qPrintable(text("identified-findings")));
  click(button("fit"));
  QTest::mouseClick(button("fit-cancel"), Qt::LeftButton);
  QVERIFY(!button("fit-cancel")->isEnabled() && button("fit")->isEnabled());
  QCOMPARE(text("fit-message"), QStringLiteral("Cancelled."));
  // Into the twin as well: one that answers as it does hardly changes.
  choose(child<QComboBox>("fit-poles"), QStringLiteral("2"));
  click(button("fit"));
  auto* changes = child<QTableWidget>("accept-changes");
  QTRY_VERIFY_WITH_TIMEOUT(text("identified-model").contains("2 poles"), hyb::test::kHangs_ms);
  QTest::mouseClick(child<QWidget>("accept-twin"), Qt::LeftButton, {},
                    QPoint(8, child<QWidget>("accept-twin")->height() / 2));
  QTRY_VERIFY_WITH_TIMEOUT(changes->rowCount() > 0, hyb::test::kHangs_ms);
  QVERIFY(changes->item(0, 0)->text().startsWith("/rig/actuators/1/"));
  // A part of the rows; a part that ends before it starts is refused in the words of the form.
  QVERIFY(!child<QWidget>("fit-first")->isEnabled());
  choose(child<QComboBox>("fit-part"), QStringLiteral("times"));
  type("fit-first", "5");
  type("fit-last", "12");
  click(button("fit"));
  QTRY_VERIFY2_WITH_TIMEOUT(text("identified-model").contains("5.00 to 12.0 s"), qPrintable(text("identified-model")),
                            hyb::test::kHangs_ms);
  type("fit-last", "4");
  click(button("fit"));
  QTRY_VERIFY2_WITH_TIMEOUT(text("fit-message").startsWith("Rows from is 5 s, which is not before"),
                            qPrintable(text("fit-message")), hyb::test::kHangs_ms);
  choose(child<QComboBox>("fit-part"), QStringLiteral("all"));
  // A band in which nothing was excited, in a sentence.
  type("fit-to", "2000");
  click(button("fit"));
  QTRY_VERIFY2_WITH_TIMEOUT(text("fit-message").contains("Band is 0 to 2000 Hz"), qPrintable(text("fit-message")),
                            hyb::test::kHangs_ms);
}

void IdentifyWindowTest::aRigMovesAtTheSecondPress() {
  const auto wires = std::make_shared<Wires>();
  const Project project = parseProject(templateDocument("three-mass"));
  show("three-mass", {test::wiredDevices(project, wires), {}},
       {{"/rig/use", "rig"}, {"/rig/connection", {{"protocol", "frames"}, {"address", "tcp://127.0.0.1:1"}}}});
  identification();
  QVERIFY(!child<QComboBox>("excite-pace")->isEnabled());
  QPushButton* excite = button("excite");
  QTRY_VERIFY_WITH_TIMEOUT(excite->isEnabled(), hyb::test::kHangs_ms);
  QCOMPARE(excite->text(), QStringLiteral("Arm to excite"));
  click(excite);
  QTRY_COMPARE_WITH_TIMEOUT(controller()->state(), State::armed, hyb::test::kHangs_ms);
  QVERIFY(controller()->run()->status().started == false);
  const auto ready = [&] {
    for (QPushButton* acknowledge : window_->rig()->findChildren<QPushButton*>("acknowledge"))
      if (acknowledge->isVisible() && acknowledge->isEnabled()) acknowledge->click();
    return excite->isEnabled();
  };
  QTRY_VERIFY_WITH_TIMEOUT(ready(), hyb::test::kHangs_ms);
  QVERIFY(excite->text().startsWith("Excite now"));
  QTest::mouseClick(excite, Qt::LeftButton);
  QTRY_COMPARE_WITH_TIMEOUT(controller()->state(), State::running, hyb::test::kHangs_ms);
  QTRY_VERIFY_WITH_TIMEOUT(child<QWidget>("excite-stop")->isEnabled(), hyb::test::kHangs_ms);
  QVERIFY(!button("accept")->isEnabled() && !button("fit")->isEnabled());
  QTest::keyClick(window_.get(), Qt::Key_Escape);
  QTRY_VERIFY_WITH_TIMEOUT(!controller()->active(), hyb::test::kHangs_ms);
  QVERIFY(wires->safe_stops > 0);
  QVERIFY2(text("excite-message").contains("stopped by the operator", Qt::CaseInsensitive),
           qPrintable(text("excite-message")));
  QVERIFY(document()->at("/coupling") == nullptr);
}

HYB_SUITE(identify_window, IdentifyWindowTest)
#include "identify_window_test.moc"
